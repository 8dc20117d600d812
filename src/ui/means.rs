//! Means over runs, kept between frames while they are drawn.

use std::collections::BTreeMap;

use super::plot::{Band, MeanBand, SeriesId};
use crate::runs::series::Series;

/// Means with the 95 % interval around them.
#[derive(Default)]
pub struct Means {
    of: BTreeMap<SeriesId, Kept>,
}

struct Kept {
    /// The frame in which it was drawn last.
    drawn: u64,
    mean: MeanBand,
}

impl Means {
    /// Forgets at `frame` what was not drawn in the one before: means of runs that were closed, or of plots that are hidden.
    pub fn keep(&mut self, frame: u64) {
        self.of.retain(|_, kept| kept.drawn + 1 >= frame);
    }

    /// Makes the mean of `series` for `frame`, if it is not right still.
    pub fn update(&mut self, id: SeriesId, frame: u64, series: &[&Series]) {
        if let Some(kept) = self.of.get_mut(&id).filter(|kept| kept.mean.is_of(series, Band::Interval95)) {
            kept.drawn = frame;
        } else {
            let mean = MeanBand::of(series, Band::Interval95);
            self.of.insert(id, Kept { drawn: frame, mean });
        }
    }

    /// The mean of that name.
    #[must_use]
    pub fn get(&self, id: SeriesId) -> Option<&MeanBand> {
        self.of.get(&id).map(|kept| &kept.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::series::Point;

    #[test]
    fn a_mean_is_kept_while_it_is_drawn_and_grows_with_its_series() {
        let mut series = Series::default();
        series.push(Point { step: 0, seconds: 0.0, value: 1.0 });
        let (mut means, id) = (Means::default(), SeriesId::of("mean", "reward"));
        means.update(id, 1, &[&series, &series]);
        series.push(Point { step: 1, seconds: 0.0, value: 2.0 });
        means.keep(2);
        means.update(id, 2, &[&series, &series]);
        assert_eq!(means.get(id).unwrap().mean.len(), 2);
        means.keep(3);
        assert!(means.get(id).is_some());
        means.keep(4);
        assert!(means.get(id).is_none(), "it was not drawn in frame 3");
    }
}
