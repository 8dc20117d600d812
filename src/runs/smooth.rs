//! Smoothing that starts without bias and does not depend on the zoom.

/// Debiased exponential mean: `m ← beta m + (1 - beta) x`, divided by `1 - beta^n` after `n` values, so that the first is
/// not favoured. What is not finite is skipped and counted: one NaN would make all that follows NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoother {
    beta: f64,
    mean: f64,
    /// `beta^n`
    left: f64,
    skipped: usize,
}

impl Smoother {
    /// A smoother that has seen nothing. A `beta` of 0 keeps every value, towards 1 it smooths over about `1 / (1 - beta)`
    /// values; less and more than that, and NaN, count as 0 and as just below 1.
    #[must_use]
    pub fn new(beta: f64) -> Self {
        let beta = if beta.is_nan() { 0.0 } else { beta.clamp(0.0, 1.0 - 1e-9) };
        Self { beta, mean: 0.0, left: 1.0, skipped: 0 }
    }

    /// The mean with `value`, or `None` if that is not finite.
    pub fn push(&mut self, value: f64) -> Option<f64> {
        if !value.is_finite() {
            self.skipped += 1;
            return None;
        }
        self.mean = self.beta * self.mean + (1.0 - self.beta) * value;
        self.left *= self.beta;
        Some(self.mean / (1.0 - self.left))
    }

    /// Values so far that were not finite.
    #[must_use]
    pub const fn skipped(&self) -> usize {
        self.skipped
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_weighted_mean(values in prop::collection::vec(-1e3_f64..1e3, 1..50), beta in 0.0..0.999) {
            let mut smoother = Smoother::new(beta);
            for n in 1..=values.len() {
                let got = smoother.push(values[n - 1]).unwrap();
                let weights: Vec<f64> = (0..n).map(|i| beta.powi((n - 1 - i) as i32)).collect();
                let sum: f64 = weights.iter().zip(&values).map(|(w, v)| w * v).sum();
                let mean = sum / weights.iter().sum::<f64>();
                prop_assert!((got - mean).abs() <= 1e-9 * 1e3, "{got} {mean}");
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_skipped_and_counted() {
        let mut smoother = Smoother::new(0.5);
        assert_eq!(smoother.push(f64::NAN), None);
        assert_eq!(smoother.push(4.0), Some(4.0), "the first value as it is");
        assert_eq!(smoother.push(f64::INFINITY), None);
        let second = smoother.push(1.0).unwrap();
        assert!((second - 2.0).abs() < 1e-12, "{second}");
        assert_eq!(smoother.skipped(), 2);
        for beta in [f64::NAN, -1.0, 0.0] {
            let mut smoother = Smoother::new(beta);
            assert_eq!((smoother.push(3.0), smoother.push(5.0)), (Some(3.0), Some(5.0)));
        }
        assert!(Smoother::new(7.0).push(3.0).is_some_and(|v| (v - 3.0).abs() < 1e-6));
    }
}
