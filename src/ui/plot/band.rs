//! Several seeds as one curve: their mean, and a band around it.

use super::curve::{Growth, Seen};
use crate::runs::report::stats::{deviation, mean, student_quantile};
use crate::runs::series::{Point, Series};

/// What a band around a mean shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// From the least to the greatest.
    MinMax,
    /// A sample deviation to both sides.
    Deviation,
    /// The 95 % interval of the mean by Student's t.
    Interval95,
}

impl Band {
    /// What the legend says.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::MinMax => "mean, min to max",
            Self::Deviation => "mean \u{b1} std",
            Self::Interval95 => "mean, 95 % interval",
        }
    }
}

/// The mean of several series at every step that any of them has, over those that have it, with a band where there are two
/// or more of them. Where one is not finite the mean is not finite, and is marked as such: a seed that diverged does not
/// vanish in the others.
#[derive(Clone, Debug)]
pub struct MeanBand {
    /// The mean.
    pub mean: Series,
    /// Lower edge of the band; NaN where there is none.
    pub low: Series,
    /// Upper edge of the band; NaN where there is none.
    pub high: Series,
    /// Series that had a step, at least and at most.
    pub counts: [usize; 2],
    band: Band,
    of: Vec<Seen>,
}

impl MeanBand {
    /// Of those series.
    #[must_use]
    pub fn of(series: &[&Series], band: Band) -> Self {
        let mut all = Self {
            mean: Series::default(),
            low: Series::default(),
            high: Series::default(),
            counts: [usize::MAX, 0],
            band,
            of: series.iter().map(|series| Seen::of(series)).collect(),
        };
        let quantiles: Vec<f64> = (0..=series.len())
            .map(|n| n.checked_sub(1).and_then(student_quantile).unwrap_or(f64::NAN))
            .collect();
        let mut next = vec![0; series.len()];
        let mut points = Vec::with_capacity(series.len());
        while let Some(step) = series.iter().zip(&next).filter_map(|(s, &i)| Some(s.get(i)?.step)).min() {
            points.clear();
            for (series, next) in series.iter().zip(&mut next) {
                let mut found = None;
                // Of several points of a step, as a log that was continued may have, the last.
                while let Some(point) = series.get(*next).filter(|point| point.step == step) {
                    found = Some(point);
                    *next += 1;
                }
                points.extend(found);
            }
            all.add(step, &points, &quantiles);
        }
        if all.counts[1] == 0 {
            all.counts = [0, 0];
        }
        all
    }

    fn add(&mut self, step: usize, points: &[Point], quantiles: &[f64]) {
        let values: Vec<f64> = points.iter().map(|point| point.value).collect();
        let seconds = points.iter().map(|point| point.seconds).sum::<f64>() / points.len().max(1) as f64;
        let middle = mean(&values).unwrap_or(f64::NAN);
        let deviation = deviation(&values).unwrap_or(f64::NAN);
        let [low, high] = match self.band {
            Band::MinMax if values.len() > 1 && middle.is_finite() => {
                let least = values.iter().copied().fold(f64::INFINITY, f64::min);
                [least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
            }
            Band::MinMax => [f64::NAN; 2],
            Band::Deviation => [middle - deviation, middle + deviation],
            Band::Interval95 => {
                let quantile = quantiles.get(values.len()).copied().unwrap_or(f64::NAN);
                let half = quantile * deviation / (values.len() as f64).sqrt();
                [middle - half, middle + half]
            }
        };
        self.mean.push(Point { step, seconds, value: middle });
        self.low.push(Point { step, seconds, value: low });
        self.high.push(Point { step, seconds, value: high });
        self.counts = [self.counts[0].min(values.len()), self.counts[1].max(values.len())];
    }

    /// Whether it is that of those series as they are now.
    #[must_use]
    pub fn is_of(&self, series: &[&Series], band: Band) -> bool {
        band == self.band
            && series.len() == self.of.len()
            && series.iter().zip(&self.of).all(|(series, seen)| seen.growth(series) == Growth::None)
    }

    /// What the legend says: `mean ± std, n = 3`.
    #[must_use]
    pub fn words(&self) -> String {
        let [least, most] = self.counts;
        let n = if least == most { format!("n = {most}") } else { format!("n = {least} to {most}") };
        format!("{}, {n}", self.band.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(usize, f64)]) -> Series {
        let mut series = Series::default();
        for &(step, value) in points {
            series.push(Point { step, seconds: step as f64, value });
        }
        series
    }

    fn values(series: &Series) -> Vec<f64> {
        series.columns().2.to_vec()
    }

    #[test]
    fn seeds_are_joined_by_step() {
        let (a, b) = (series(&[(0, 1.0), (10, 3.0), (20, 5.0)]), series(&[(0, 3.0), (20, 9.0), (30, 4.0)]));
        let band = MeanBand::of(&[&a, &b], Band::MinMax);
        assert_eq!(band.mean.columns().0, [0, 10, 20, 30]);
        assert_eq!(values(&band.mean), [2.0, 3.0, 7.0, 4.0]);
        assert_eq!((values(&band.low)[0], values(&band.high)[2]), (1.0, 9.0));
        assert!(values(&band.low)[1].is_nan(), "no band of one");
        assert_eq!(band.words(), "mean, min to max, n = 1 to 2");
    }

    #[test]
    fn a_seed_that_diverged_does_not_vanish() {
        let (a, b) = (series(&[(0, 1.0), (1, f64::NAN)]), series(&[(0, 3.0), (1, 3.0)]));
        for band in [Band::MinMax, Band::Deviation, Band::Interval95] {
            let band = MeanBand::of(&[&a, &b], band);
            assert!(values(&band.mean)[1].is_nan() && values(&band.low)[1].is_nan());
        }
    }

    #[test]
    fn the_interval_is_that_of_the_report() {
        let runs = [1.0, 2.0, 4.0].map(|value| series(&[(0, value)]));
        let band = MeanBand::of(&runs.iter().collect::<Vec<_>>(), Band::Interval95);
        let expected = crate::runs::report::stats::interval(&[1.0, 2.0, 4.0]).unwrap();
        assert!((values(&band.low)[0] - expected.low).abs() < 1e-9);
        assert!((values(&band.high)[0] - expected.high).abs() < 1e-9);
        let deviation = MeanBand::of(&runs.iter().collect::<Vec<_>>(), Band::Deviation);
        assert!((values(&deviation.high)[0] - (7.0 / 3.0 + (7.0_f64 / 3.0).sqrt())).abs() < 1e-9);
    }

    #[test]
    fn it_knows_when_a_run_has_grown() {
        let mut a = series(&[(0, 1.0)]);
        let band = MeanBand::of(&[&a], Band::MinMax);
        assert!(band.is_of(&[&a], Band::MinMax));
        assert!(!band.is_of(&[&a], Band::Deviation));
        a.push(Point { step: 1, seconds: 1.0, value: 2.0 });
        assert!(!band.is_of(&[&a], Band::MinMax));
        assert_eq!(MeanBand::of(&[], Band::MinMax).counts, [0, 0]);
    }
}
