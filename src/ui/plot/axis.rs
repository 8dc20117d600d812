//! The horizontal axis: what it counts, and where a point of a series lies on it.

use serde::{Deserialize, Serialize};

use super::scale::Scale;
use super::ticks::{Tick, ticks};
use crate::runs::series::{Point, Series};

/// What the horizontal axis counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum XAxis {
    /// Training steps.
    #[default]
    Iteration,
    /// Seconds since a run began, pauses included.
    WallTime,
    /// Seconds of training, pauses left out.
    ActiveTime,
    /// Pictures sampled so far.
    ImagesSeen,
}

/// Seconds a unit, its name, and up to how many seconds it is used.
const UNITS: [(f64, &str, f64); 4] =
    [(1.0, "s", 120.0), (60.0, "min", 7200.0), (3600.0, "h", 172_800.0), (86_400.0, "d", f64::INFINITY)];

impl XAxis {
    /// All, in the order of a menu.
    pub const ALL: [Self; 4] = [Self::Iteration, Self::WallTime, Self::ActiveTime, Self::ImagesSeen];

    /// What it is called.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Iteration => "iteration",
            Self::WallTime => "wall time",
            Self::ActiveTime => "active time",
            Self::ImagesSeen => "images seen",
        }
    }

    /// Its unit where it ends at `low` and `high`: how many of the axis' own units, and the name.
    #[must_use]
    pub fn unit(self, low: f64, high: f64) -> (f64, &'static str) {
        match self {
            Self::Iteration | Self::ImagesSeen => (1.0, ""),
            Self::WallTime | Self::ActiveTime => {
                let farthest = low.abs().max(high.abs());
                let unit = UNITS.iter().find(|unit| farthest < unit.2).unwrap_or(&UNITS[3]);
                (unit.0, unit.1)
            }
        }
    }

    /// What stands under it: `active time (min)`.
    #[must_use]
    pub fn label(self, low: f64, high: f64) -> String {
        match self.unit(low, high).1 {
            "" => self.word().to_owned(),
            unit => format!("{} ({unit})", self.word()),
        }
    }

    /// Its round numbers between `low` and `high`.
    #[must_use]
    pub fn ticks(self, low: f64, high: f64, most: usize) -> Vec<Tick> {
        let (unit, _) = self.unit(low, high);
        let mut found = ticks(Scale::Linear, low / unit, high / unit, most);
        for tick in &mut found {
            tick.at *= unit;
        }
        // There is no half of an iteration.
        if unit == 1.0 && matches!(self, Self::Iteration | Self::ImagesSeen) {
            found.retain(|tick| tick.at.fract() == 0.0);
            for tick in &mut found {
                if tick.at.abs() < 1e7 {
                    tick.label = format!("{:.0}", tick.at).replace('-', "\u{2212}");
                }
            }
        }
        found
    }

    /// A place on it in words: `iteration 120`, `active time 3.5 min`.
    #[must_use]
    pub fn reading(self, x: f64) -> String {
        let (unit, name) = self.unit(x, x);
        if name.is_empty() {
            format!("{} {:.0}", self.word(), x)
        } else {
            format!("{} {} {name}", self.word(), crate::ui::number::reading(x / unit))
        }
    }
}

/// Where the points of one series lie on the horizontal axis. Runs differ in when they began and how fast they were, so
/// every curve has its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum XMap<'a> {
    /// At their step.
    #[default]
    Step,
    /// At their seconds of training, moved by some seconds.
    Seconds {
        /// Added to the seconds of every point.
        offset: f64,
    },
    /// Between these places of steps, both strictly ascending; beyond them as between the last two. Two are enough for
    /// a constant number of images an iteration.
    Knots(&'a [(usize, f64)]),
}

impl XMap<'_> {
    /// Where `point` lies.
    #[must_use]
    pub fn x(&self, point: Point) -> f64 {
        self.of(point.step, point.seconds)
    }

    pub(super) fn of(&self, step: usize, seconds: f64) -> f64 {
        match self {
            Self::Step => step as f64,
            Self::Seconds { offset } => seconds + offset,
            Self::Knots(knots) => between(knots, step as f64),
        }
    }

    /// Where `step` of `series` lies: at the last point at or before it, or the first if there is none.
    #[must_use]
    pub fn x_of_step(&self, series: &Series, step: usize) -> Option<f64> {
        match self {
            Self::Seconds { .. } => series.at(step).or_else(|| series.get(0)).map(|point| self.x(point)),
            Self::Step | Self::Knots(_) => Some(self.of(step, 0.0)),
        }
    }

    /// The step that lies nearest to `x`, of those a series may have.
    #[must_use]
    pub fn step_at(&self, series: &Series, x: f64) -> Option<usize> {
        if !x.is_finite() {
            return None;
        }
        if matches!(self, Self::Step) {
            return Some(x.round().max(0.0) as usize);
        }
        let (steps, seconds, _) = series.columns();
        let place = |index: usize| Some(self.of(*steps.get(index)?, *seconds.get(index)?));
        let next = partition(0..steps.len(), |index| place(index).is_some_and(|at| at < x));
        let before = next.checked_sub(1);
        let near = match (before.and_then(place), place(next)) {
            (Some(low), Some(high)) if x - low <= high - x => before?,
            (Some(_), None) => before?,
            _ => next,
        };
        steps.get(near).copied()
    }
}

/// On the broken line through `knots`.
fn between(knots: &[(usize, f64)], step: f64) -> f64 {
    let (Some(first), Some(last)) = (knots.first(), knots.last()) else { return step };
    if knots.len() == 1 {
        return first.1 + step - first.0 as f64;
    }
    let next = knots.partition_point(|knot| knot.0 as f64 <= step).clamp(1, knots.len() - 1);
    let (low, high) = (knots.get(next - 1).unwrap_or(first), knots.get(next).unwrap_or(last));
    let span = high.0 as f64 - low.0 as f64;
    if span == 0.0 { low.1 } else { low.1 + (step - low.0 as f64) / span * (high.1 - low.1) }
}

/// The first index of `range` that is not `before`, all those that are coming first.
pub(super) fn partition(range: std::ops::Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_reads_best() {
        assert_eq!(XAxis::ActiveTime.label(0.0, 90.0), "active time (s)");
        assert_eq!(XAxis::ActiveTime.label(0.0, 600.0), "active time (min)");
        assert_eq!(XAxis::WallTime.label(0.0, 10_000.0), "wall time (h)");
        assert_eq!(XAxis::WallTime.label(0.0, 1e6), "wall time (d)");
        assert_eq!(XAxis::Iteration.label(0.0, 1e6), "iteration");
        let ticks = XAxis::ActiveTime.ticks(0.0, 600.0, 6);
        let of: Vec<_> = ticks.iter().map(|tick| (tick.at, tick.label.as_str())).collect();
        assert_eq!(of, [(0.0, "0"), (120.0, "2"), (240.0, "4"), (360.0, "6"), (480.0, "8"), (600.0, "10")]);
    }

    #[test]
    fn there_is_no_half_of_an_iteration() {
        let ticks = XAxis::Iteration.ticks(0.2, 3.1, 8);
        assert_eq!(ticks.iter().map(|tick| tick.label.as_str()).collect::<Vec<_>>(), ["1", "2", "3"]);
    }

    #[test]
    fn knots_bend_where_the_group_size_changed() {
        let knots = [(0, 0.0), (10, 80.0), (20, 240.0)];
        let map = XMap::Knots(&knots);
        for (step, x) in [(0, 0.0), (5, 40.0), (10, 80.0), (15, 160.0), (30, 400.0)] {
            assert_eq!(map.of(step, 0.0), x, "{step}");
        }
        assert_eq!(XMap::Knots(&[]).of(7, 0.0), 7.0);
    }

    #[test]
    fn a_click_finds_the_nearest_step() {
        let mut series = Series::default();
        for (step, seconds) in [(0, 1.0), (10, 4.0), (20, 20.0)] {
            series.push(Point { step, seconds, value: 0.0 });
        }
        let map = XMap::Seconds { offset: 100.0 };
        for (x, step) in [(-5.0, 0), (102.0, 0), (103.0, 10), (111.0, 10), (113.0, 20), (1e9, 20)] {
            assert_eq!(map.step_at(&series, x), Some(step), "{x}");
        }
        assert_eq!(map.x_of_step(&series, 15), Some(104.0));
        assert_eq!(XMap::Step.step_at(&series, 12.4), Some(12));
        assert_eq!(map.step_at(&series, f64::NAN), None);
    }
}
