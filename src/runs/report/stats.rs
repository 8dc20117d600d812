//! Means, 95 % intervals and paired comparisons of a handful of numbers.

use std::f64::consts::PI;

use serde::{Serialize, Serializer};

use crate::runs::event::Scalar;

/// Probability that an interval holds the mean, under the assumptions of Student's t.
const CONFIDENCE: f64 = 0.95;

/// Pairs up to which every assignment of signs is tried.
pub const MOST_FLIPPED: usize = 16;

/// An interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    #[serde(serialize_with = "number")]
    pub low: f64,
    /// Upper end.
    #[serde(serialize_with = "number")]
    pub high: f64,
}

impl Interval {
    /// Whether zero lies outside.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// What is known about a mean. What is not finite and what was not recorded enters none of the numbers, and is counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean of the finite values.
    #[serde(serialize_with = "optional")]
    pub mean: Option<f64>,
    /// Sample deviation, with n - 1; there is none of fewer than two values.
    #[serde(serialize_with = "optional")]
    pub deviation: Option<f64>,
    /// Interval of the mean; there is none of fewer than two values.
    pub interval: Option<Interval>,
    /// Finite values.
    pub n: usize,
    /// Values that are NaN or infinite.
    pub not_finite: usize,
    /// Values that were not recorded.
    pub missing: usize,
}

impl Estimate {
    /// From values of which some may be missing.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let (mut finite, mut not_finite, mut missing) = (Vec::new(), 0, 0);
        for value in values {
            match value {
                Some(value) if value.is_finite() => finite.push(value),
                Some(_) => not_finite += 1,
                None => missing += 1,
            }
        }
        Self {
            mean: mean(&finite),
            deviation: deviation(&finite),
            interval: interval(&finite),
            n: finite.len(),
            not_finite,
            missing,
        }
    }
}

/// A comparison of pairs that share everything but what is compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Difference {
    /// Mean of the differences; there is none without a pair.
    #[serde(serialize_with = "optional")]
    pub mean: Option<f64>,
    /// Interval of the mean difference; there is none of fewer than two pairs.
    pub interval: Option<Interval>,
    /// Pairs.
    pub pairs: usize,
    /// Two-sided p-value, see [`sign_flip_p`].
    pub p: Option<f64>,
}

impl Difference {
    /// From the differences of all pairs; what is not finite is no pair.
    #[must_use]
    pub fn of(differences: &[f64]) -> Self {
        let finite: Vec<f64> = differences.iter().copied().filter(|d| d.is_finite()).collect();
        Self {
            mean: mean(&finite),
            interval: interval(&finite),
            pairs: finite.len(),
            p: sign_flip_p(&finite),
        }
    }
}

/// The mean; there is none of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    // Step by step: the sum of large numbers may overflow where their mean does not.
    let steps = values.iter().zip(1u32..);
    (!values.is_empty()).then(|| steps.fold(0.0, |mean, (value, n)| mean + (value - mean) / f64::from(n)))
}

/// The sample deviation, with n - 1; there is none of fewer than two values.
#[must_use]
pub fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// The median, the mean of the two in the middle if there are two; NaN if any value is, none of nothing.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    if values.iter().any(|value| value.is_nan()) {
        return Some(f64::NAN);
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = if sorted.len().is_multiple_of(2) { sorted[sorted.len() / 2 - 1] } else { upper };
    Some(if lower == upper { upper } else { f64::midpoint(lower, upper) })
}

/// The 95 % interval of the mean by Student's t; there is none of fewer than two values.
#[must_use]
pub fn interval(values: &[f64]) -> Option<Interval> {
    let (mean, deviation) = (mean(values)?, deviation(values)?);
    let half = student_quantile(values.len() - 1)? * deviation / (values.len() as f64).sqrt();
    Some(Interval { low: mean - half, high: mean + half })
}

/// How many standard errors a two-sided interval of 95 % reaches to either side: the quantile 0.975 of Student's t. There
/// is none of 0 degrees of freedom.
#[must_use]
pub fn student_quantile(degrees: usize) -> Option<f64> {
    if degrees == 0 {
        return None;
    }
    // 12.7 for one degree, less for more.
    let (mut low, mut high) = (0.0, 13.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if central_probability(middle, degrees) < CONFIDENCE { low = middle } else { high = middle }
    }
    Some(f64::midpoint(low, high))
}

/// Probability that Student's t lies within `t` of zero: Abramowitz and Stegun 26.7.3 and 26.7.4, exact for whole degrees.
fn central_probability(t: f64, degrees: usize) -> f64 {
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = degrees % 2 == 1;
    // Odd: cos + 2/3 cos^3 + (2 4)/(3 5) cos^5 ... Even: 1 + 1/2 cos^2 + (1 3)/(2 4) cos^4 ... Up to cos^(degrees - 2).
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = if degrees == 1 { 0.0 } else { term };
    let mut power = 2 + usize::from(odd);
    while power + 2 <= degrees {
        term *= cosine * cosine * (power - 1) as f64 / power as f64;
        sum += term;
        power += 2;
    }
    if odd { 2.0 / PI * (angle + sine * sum) } else { sine * sum }
}

/// The exact two-sided p-value of the sign-flip test: the share of all 2^n assignments of signs to the differences whose
/// mean is at least as far from zero as the one that was seen. If there is no effect, each difference might as well have
/// come out with the other sign; nothing is assumed about its distribution. There is none without pairs or of more than
/// [`MOST_FLIPPED`].
#[must_use]
pub fn sign_flip_p(differences: &[f64]) -> Option<f64> {
    let n = differences.len();
    if n == 0 || n > MOST_FLIPPED || !differences.iter().all(|d| d.is_finite()) {
        return None;
    }
    let seen: f64 = differences.iter().sum();
    // Sums that are equal but for rounding are equal.
    let least = seen.abs() - 1e-9 * differences.iter().map(|d| d.abs()).sum::<f64>();
    // The other half of the assignments has the same sums with the other sign.
    let half = 1u32 << (n - 1);
    let (mut sum, mut signs, mut extreme) = (seen, 0u32, 1u32);
    for step in 1..half {
        // In the order of Gray's code one sign changes at a time.
        let turned = step.trailing_zeros();
        signs ^= 1 << turned;
        let twice = 2.0 * differences[turned as usize];
        sum += if signs >> turned & 1 == 1 { -twice } else { twice };
        extreme += u32::from(sum.abs() >= least);
    }
    Some(f64::from(extreme) / f64::from(half))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(super) fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Scalar(*value).serialize(serializer)
}

#[expect(clippy::ref_option, reason = "serde passes references")]
pub(super) fn optional<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(Scalar).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} is not {b}");
    }

    /// `scipy.stats.t.ppf(0.975, degrees)`
    #[test]
    fn quantiles_are_those_of_scipy() {
        assert_eq!(student_quantile(0), None);
        for (degrees, quantile) in [
            (1, 12.706_204_736_174_694),
            (2, 4.302_652_729_749_462),
            (3, 3.182_446_305_283_707_8),
            (4, 2.776_445_105_197_793_4),
            (7, 2.364_624_251_592_784),
            (17, 2.109_815_577_833_315_6),
            (30, 2.042_272_456_301_237_8),
            (100, 1.983_971_518_523_551_8),
        ] {
            near(student_quantile(degrees).unwrap(), quantile);
        }
    }

    #[test]
    fn the_interval_of_five_values_by_hand() {
        // Mean 3, deviation sqrt(10 / 4), t(4) 2.776: 3 -+ 2.776 * 1.5811 / 2.2361.
        let Interval { low, high } = interval(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        near(low, 3.0 - 1.963_243_161_477_56);
        near(high, 3.0 + 1.963_243_161_477_56);
    }

    #[test]
    fn one_value_has_no_interval_and_none_has_no_mean() {
        let one = Estimate::of([Some(0.5), None, Some(f64::NAN), Some(f64::INFINITY)]);
        assert_eq!((one.mean, one.deviation, one.interval), (Some(0.5), None, None));
        assert_eq!((one.n, one.not_finite, one.missing), (1, 2, 1));
        assert_eq!(Estimate::of([]), Estimate::default());
        assert_eq!(Difference::of(&[f64::NAN]), Difference::default());
        assert_eq!(Difference::of(&[0.5]).interval, None);
    }

    #[test]
    fn large_numbers_do_not_overflow() {
        near(mean(&[1e308, 1e308, 1e308]).unwrap() / 1e308, 1.0);
        assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), Some(2.5));
        assert_eq!(median(&[f64::INFINITY; 2]), Some(f64::INFINITY));
        assert_eq!(median(&[]), None);
    }

    /// `scipy.stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf)`
    #[test]
    fn sign_flips_by_hand_and_by_scipy() {
        // All of one sign: only the assignments all + and all - reach as far.
        near(sign_flip_p(&[0.1, 0.2, 0.3]).unwrap(), 2.0 / 8.0);
        near(sign_flip_p(&[1.0; 16]).unwrap(), 2.0 / 65_536.0);
        // 3 + 2 - 1 = 4: reached by +-(3 + 2 - 1) and +-(3 + 2 + 1).
        near(sign_flip_p(&[3.0, 2.0, -1.0]).unwrap(), 4.0 / 8.0);
        near(sign_flip_p(&[0.3, 0.1, -0.2, 0.25, 0.4, 0.05, -0.1]).unwrap(), 0.234_375);
        assert_eq!(sign_flip_p(&[0.0, 0.0]), Some(1.0));
        assert_eq!(sign_flip_p(&[0.7]), Some(1.0));
        assert_eq!((sign_flip_p(&[]), sign_flip_p(&[1.0; 17])), (None, None));
    }
}
