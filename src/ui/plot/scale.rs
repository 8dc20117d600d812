//! From a number to its height, and back.

use serde::{Deserialize, Serialize};

/// The greatest coordinate: sums and differences of two of them stay finite.
const FARTHEST: f64 = 1e300;

/// How a vertical axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By powers of ten. Numbers that are not above zero have no place on it.
    Log,
    /// Evenly between minus and plus the threshold, by powers of ten outside.
    Symlog {
        /// Where the even part ends; above zero.
        threshold: f64,
    },
}

impl Scale {
    /// What the axis of that scale is called.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Log => "log",
            Self::Symlog { .. } => "symlog",
        }
    }

    /// A threshold that can be divided by.
    fn sound(threshold: f64) -> f64 {
        if threshold.is_finite() { threshold.clamp(1e-200, 1e200) } else { 1.0 }
    }

    /// Whether `value` has a place on it.
    #[must_use]
    pub fn has(self, value: f64) -> bool {
        value.is_finite() && (self != Self::Log || value > 0.0)
    }

    /// The coordinate of `value`; `None` if it has no place on the axis.
    #[must_use]
    pub fn place(self, value: f64) -> Option<f64> {
        self.has(value).then(|| self.bend(value))
    }

    /// The coordinate of a `value` that [has](Self::has) a place.
    #[must_use]
    pub(super) fn bend(self, value: f64) -> f64 {
        match self {
            Self::Linear => value.clamp(-FARTHEST, FARTHEST),
            Self::Log => value.log10(),
            Self::Symlog { threshold } => {
                let share = value / Self::sound(threshold);
                let size = share.abs();
                if size <= 1.0 {
                    share
                } else if size.is_finite() {
                    (1.0 + size.log10()).copysign(share)
                } else {
                    // The quotient overflows, its logarithm does not.
                    (1.0 + value.abs().log10() - Self::sound(threshold).log10()).copysign(value)
                }
            }
        }
    }

    /// The number at `coordinate`.
    #[must_use]
    pub fn value(self, coordinate: f64) -> f64 {
        match self {
            Self::Linear => coordinate,
            Self::Log => 10f64.powf(coordinate),
            Self::Symlog { threshold } => {
                let (size, threshold) = (coordinate.abs(), Self::sound(threshold));
                if size <= 1.0 {
                    coordinate * threshold
                } else {
                    10f64.powf(size - 1.0 + threshold.log10()).copysign(coordinate)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_scale_goes_back_where_it_came_from(exponent in -30.0..30.0_f64, minus: bool, at in -12.0..12.0_f64) {
            let value = 10f64.powf(exponent) * if minus { -1.0 } else { 1.0 };
            for scale in [Scale::Linear, Scale::Log, Scale::Symlog { threshold: 10f64.powf(at) }] {
                let Some(place) = scale.place(value) else { continue };
                let back = scale.value(place);
                prop_assert!((back - value).abs() <= value.abs() * 1e-9, "{scale:?} {value} {place} {back}");
            }
        }

        #[test]
        fn symlog_keeps_the_order(a in -1e6..1e6_f64, b in -1e6..1e6_f64) {
            let scale = Scale::Symlog { threshold: 0.01 };
            prop_assert_eq!(a < b, scale.bend(a) < scale.bend(b));
        }
    }

    #[test]
    fn symlog_is_even_within_and_by_decades_outside() {
        let scale = Scale::Symlog { threshold: 0.1 };
        for (value, place) in [(0.0, 0.0), (0.05, 0.5), (-0.1, -1.0), (1.0, 2.0), (-10.0, -3.0)] {
            assert!((scale.bend(value) - place).abs() < 1e-12, "{value}");
        }
        assert!(scale.bend(f64::MAX).is_finite() && scale.bend(f64::MIN).is_finite());
    }

    #[test]
    fn a_log_axis_has_no_place_for_zero_and_less() {
        for value in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Scale::Log.place(value), None, "{value}");
        }
        assert_eq!(Scale::Log.place(1000.0), Some(3.0));
    }
}
