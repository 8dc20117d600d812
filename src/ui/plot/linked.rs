//! The horizontal axis that all plots of a window share.

use serde::{Deserialize, Serialize};

use super::axis::XAxis;

/// What all plots of a window show of the horizontal axis: everything, growing with the runs, or a range that stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LinkedX {
    axis: XAxis,
    range: Option<[f64; 2]>,
    /// What the plots drawn so far in this frame, and all in the frame before, have data of.
    #[serde(skip)]
    extents: [Option<[f64; 2]>; 2],
    #[serde(skip)]
    frame: u64,
}

/// Room beside the data, as a share of its width.
const ROOM: f64 = 0.015;

impl LinkedX {
    /// What it counts.
    #[must_use]
    pub const fn axis(&self) -> XAxis {
        self.axis
    }

    /// Counts something else; as ranges of one mean nothing on another, everything is shown.
    pub fn set_axis(&mut self, axis: XAxis) {
        if axis != self.axis {
            *self = Self { axis, frame: self.frame, ..Self::default() };
        }
    }

    /// Whether it shows everything and grows.
    #[must_use]
    pub const fn follows(&self) -> bool {
        self.range.is_none()
    }

    /// Shows everything from now on.
    pub const fn follow(&mut self) {
        self.range = None;
    }

    /// Shows that range from now on.
    pub fn show(&mut self, range: [f64; 2]) {
        let [low, high] = range;
        if low.is_finite() && high.is_finite() && low < high {
            let whole = self.whole();
            let least = self.least_span();
            let most = ((whole[1] - whole[0]) * 4.0).max(least);
            let span = (high - low).clamp(least, most);
            // Its middle stays where there is data.
            let middle = (low / 2.0 + high / 2.0).clamp(whole[0], whole[1]);
            self.range = Some([middle - span / 2.0, middle + span / 2.0]);
        }
    }

    /// What is shown.
    #[must_use]
    pub fn range(&self) -> [f64; 2] {
        self.range.unwrap_or_else(|| self.whole())
    }

    /// Zooms by `factor` (more than 1: closer) around `centre`.
    pub fn zoom(&mut self, factor: f64, centre: f64) {
        let [low, high] = self.range();
        if factor.is_finite() && factor > 0.0 {
            self.show([centre - (centre - low) / factor, centre + (high - centre) / factor]);
        }
    }

    /// Moves by so much.
    pub fn pan(&mut self, by: f64) {
        let [low, high] = self.range();
        self.show([low + by, high + by]);
    }

    /// Counts data from `extent` in as part of everything. Plots do it by themselves; a window does it for plots it does
    /// not draw, or before it draws any. `frame` is the number of the frame. Says whether less was known, so that what was
    /// drawn with it should be drawn again.
    pub fn include(&mut self, frame: u64, extent: Option<[f64; 2]>) -> bool {
        if frame != self.frame {
            // A frame in which no plot was drawn in between counts as well.
            self.extents = [None, self.extents[0]];
            self.frame = frame;
        }
        let known = union(self.extents[0], self.extents[1]);
        self.extents[0] = union(self.extents[0], extent);
        union(known, extent) != known
    }

    fn least_span(&self) -> f64 {
        let whole = self.whole();
        match self.axis {
            XAxis::Iteration | XAxis::ImagesSeen => 2.0,
            XAxis::WallTime | XAxis::ActiveTime => ((whole[1] - whole[0]) * 1e-7).max(1e-3),
        }
    }

    fn whole(&self) -> [f64; 2] {
        let Some([low, high]) = union(self.extents[0], self.extents[1]) else { return [0.0, 1.0] };
        let room = if high > low { (high - low) * ROOM } else { 0.5 };
        [low - room, high + room]
    }
}

/// The least range that holds both.
fn union(a: Option<[f64; 2]>, b: Option<[f64; 2]>) -> Option<[f64; 2]> {
    match (a, b) {
        (Some(a), Some(b)) => Some([a[0].min(b[0]), a[1].max(b[1])]),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_until_the_reader_takes_hold_of_it() {
        let mut linked = LinkedX::default();
        linked.include(1, Some([0.0, 100.0]));
        assert_eq!(linked.range(), [-1.5, 101.5]);
        linked.include(2, Some([0.0, 200.0]));
        assert_eq!(linked.range(), [-3.0, 203.0]);
        linked.show([50.0, 60.0]);
        linked.include(3, Some([0.0, 400.0]));
        assert_eq!((linked.range(), linked.follows()), ([50.0, 60.0], false));
        linked.follow();
        assert_eq!(linked.range(), [-6.0, 406.0]);
    }

    #[test]
    fn a_run_that_is_gone_is_forgotten() {
        let mut linked = LinkedX::default();
        linked.include(1, Some([0.0, 1000.0]));
        assert!(!linked.include(2, Some([0.0, 100.0])));
        linked.include(3, Some([0.0, 100.0]));
        assert_eq!(linked.range(), [-1.5, 101.5]);
        assert!(linked.include(3, Some([0.0, 300.0])), "more than was known before");
    }

    #[test]
    fn no_zoom_loses_the_data() {
        let mut linked = LinkedX::default();
        linked.include(1, Some([0.0, 100.0]));
        for _ in 0..50 {
            linked.zoom(0.1, 90.0);
            linked.pan(1e9);
        }
        let [low, high] = linked.range();
        assert!(low < 101.6 && high - low <= 4.0 * 103.0 + 1e-9, "{low} {high}");
        for _ in 0..50 {
            linked.zoom(10.0, 50.0);
        }
        let [low, high] = linked.range();
        assert!(((high - low) - 2.0).abs() < 1e-9, "{low} {high}");
        linked.zoom(f64::NAN, 0.0);
        linked.show([5.0, f64::INFINITY]);
        assert_eq!(linked.range(), [low, high]);
    }

    #[test]
    fn another_axis_shows_everything() {
        let mut linked = LinkedX::default();
        linked.include(1, Some([0.0, 100.0]));
        linked.show([5.0, 10.0]);
        linked.set_axis(XAxis::ActiveTime);
        assert!(linked.follows());
    }
}
