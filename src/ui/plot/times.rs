//! Seconds of a series in order.

use super::curve::{Growth, Seen};
use crate::runs::series::Series;

/// Seconds that never descend. Those of a run do not either; a foreign log may be in disorder, and then every point is
/// taken to be no earlier than the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    seen: Seen,
    greatest: f64,
    mended: Option<Vec<f64>>,
}

impl Times {
    pub fn of<'a>(&'a mut self, series: &'a Series) -> &'a [f64] {
        let seconds = series.columns().1;
        let from = match self.seen.growth(series) {
            Growth::Elsewhere => {
                (self.greatest, self.mended) = (f64::NEG_INFINITY, None);
                0
            }
            Growth::None | Growth::AtTheEnd => self.seen.length,
        };
        for (index, &value) in seconds.iter().enumerate().skip(from) {
            let fits = value >= self.greatest && value.is_finite();
            if !fits && self.mended.is_none() {
                self.mended = Some(seconds[..index].to_vec());
            }
            if fits {
                self.greatest = value;
            } else if !self.greatest.is_finite() {
                self.greatest = 0.0;
            }
            if let Some(mended) = &mut self.mended {
                mended.push(self.greatest);
            }
        }
        self.seen = Seen::of(series);
        self.mended.as_deref().unwrap_or(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::series::Point;

    #[test]
    fn times_in_disorder_are_mended() {
        let mut log = Series::default();
        for (step, seconds) in [1.0, 2.0, f64::NAN, 1.5, 4.0].into_iter().enumerate() {
            log.push(Point { step, seconds, value: 0.0 });
        }
        let mut times = Times::default();
        assert_eq!(times.of(&log), [1.0, 2.0, 2.0, 2.0, 4.0]);
        log.push(Point { step: 5, seconds: 3.0, value: 0.0 });
        assert_eq!(times.of(&log)[5], 4.0);
    }
}
