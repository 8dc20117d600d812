//! The range of a colour scale, from the values it is for.

use super::colormap::ColourMap;

/// The ends of a colour scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// Value of the first colour.
    pub low: f32,
    /// Value of the last colour.
    pub high: f32,
}

impl ValueRange {
    /// Where a value lies, 0 at the low end and 1 at the high end; the middle if the range is empty. Not for NaN.
    #[must_use]
    pub fn fraction(self, value: f32) -> f32 {
        if self.high > self.low { ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0) } else { 0.5 }
    }
}

/// Count and extent of values. Those of several pictures or iterations are put together with [`Self::merge`], which
/// gives the range of a shared scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueSummary {
    /// Finite values.
    pub finite: usize,
    /// Values that are not numbers.
    pub nan: usize,
    /// Infinite values of either sign.
    pub infinite: usize,
    /// Least finite value; infinite if there is none.
    pub low: f32,
    /// Greatest finite value; minus infinite if there is none.
    pub high: f32,
}

impl ValueSummary {
    /// Of no values.
    pub const EMPTY: Self =
        Self { finite: 0, nan: 0, infinite: 0, low: f32::INFINITY, high: f32::NEG_INFINITY };

    /// Of these values.
    #[must_use]
    pub fn of(values: &[f32]) -> Self {
        values.iter().fold(Self::EMPTY, |summary, value| summary.with(*value))
    }

    fn with(self, value: f32) -> Self {
        if value.is_nan() {
            return Self { nan: self.nan + 1, ..self };
        }
        if value.is_infinite() {
            return Self { infinite: self.infinite + 1, ..self };
        }
        Self { finite: self.finite + 1, low: self.low.min(value), high: self.high.max(value), ..self }
    }

    /// Of the values of both.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            finite: self.finite + other.finite,
            nan: self.nan + other.nan,
            infinite: self.infinite + other.infinite,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Values that are not finite.
    #[must_use]
    pub const fn non_finite(self) -> usize {
        self.nan + self.infinite
    }

    /// The range of a scale that shows all finite values: from the least to the greatest, or for diverging colours as
    /// far below zero as above. From 0 to 1 if no value is finite.
    #[must_use]
    pub fn range(self, colours: ColourMap) -> ValueRange {
        if self.finite == 0 {
            return if colours.is_diverging() {
                ValueRange { low: -1.0, high: 1.0 }
            } else {
                ValueRange { low: 0.0, high: 1.0 }
            };
        }
        if colours.is_diverging() {
            let reach = self.low.abs().max(self.high.abs());
            return ValueRange { low: -reach, high: reach };
        }
        ValueRange { low: self.low, high: self.high }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_that_are_not_finite_are_counted_and_do_not_stretch_the_scale() {
        let summary = ValueSummary::of(&[1.0, f32::NAN, -3.0, f32::INFINITY, f32::NEG_INFINITY]);
        assert_eq!((summary.finite, summary.nan, summary.infinite, summary.non_finite()), (2, 1, 2, 3));
        assert_eq!(summary.range(ColourMap::Viridis), ValueRange { low: -3.0, high: 1.0 });
        assert_eq!(summary.range(ColourMap::Diverging), ValueRange { low: -3.0, high: 3.0 });
        assert_eq!(ValueSummary::of(&[f32::NAN]).range(ColourMap::Grey), ValueRange { low: 0.0, high: 1.0 });
    }

    #[test]
    fn a_scale_without_extent_shows_its_middle() {
        let range = ValueSummary::of(&[2.0, 2.0]).range(ColourMap::Viridis);
        assert_eq!(range.fraction(2.0), 0.5);
    }

    proptest! {
        #[test]
        fn a_shared_scale_does_not_depend_on_how_values_are_grouped(
            values in proptest::collection::vec(proptest::num::f32::ANY, 0..40), at in 0_usize..40
        ) {
            let (a, b) = values.split_at(at.min(values.len()));
            prop_assert_eq!(ValueSummary::of(a).merge(ValueSummary::of(b)), ValueSummary::of(&values));
        }

        #[test]
        fn zero_is_the_middle_of_every_diverging_scale(values in proptest::collection::vec(-1e30_f32..1e30, 1..40)) {
            let range = ValueSummary::of(&values).range(ColourMap::Diverging);
            prop_assert_eq!(range.fraction(0.0), 0.5);
            prop_assert!(values.iter().all(|v| (range.low..=range.high).contains(v)));
        }
    }
}
