//! A range of uncertainty chosen by hand, the threshold that k implies, and the k that a threshold implies.

use super::facts::most_uncertain_first;
use crate::rl::config::Selection;
use crate::rl::select::selected_count;

/// A range of uncertainty, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Brush {
    /// Between two numbers in either order.
    #[must_use]
    pub const fn between(a: f64, b: f64) -> Self {
        Self { low: a.min(b), high: a.max(b) }
    }

    /// Whether an uncertainty is within. NaN is in no range.
    #[must_use]
    pub fn holds(self, uncertainty: f32) -> bool {
        (self.low..=self.high).contains(&f64::from(uncertainty))
    }

    /// The mask of tokens within.
    #[must_use]
    pub fn mask(self, uncertainty: &[f32]) -> Vec<bool> {
        uncertainty.iter().map(|u| self.holds(*u)).collect()
    }
}

/// The uncertainty of the last token that share `share` selects: the least of the most uncertain, or the greatest of the
/// most stable. `None` for selections that do not go by uncertainty.
#[must_use]
pub fn threshold(uncertainty: &[f32], selection: Selection, share: f64) -> Option<f32> {
    let order = most_uncertain_first(uncertainty);
    let count = selected_count(share, uncertainty.len().max(1));
    let last = match selection {
        Selection::Uncertain => order.get(count.checked_sub(1)?),
        Selection::Stable => order.get(uncertainty.len().checked_sub(count)?),
        Selection::Random | Selection::All | Selection::None => None,
    };
    last.map(|token| uncertainty[*token])
}

/// Tokens that a threshold selects: at or above it for the uncertain ones, NaN included as in the selection; at or below it
/// for the stable ones.
#[must_use]
pub fn selected_by(uncertainty: &[f32], selection: Selection, threshold: f64) -> usize {
    let within = |u: &&f32| {
        let u = f64::from(**u);
        if selection == Selection::Stable { u <= threshold } else { u.is_nan() || u >= threshold }
    };
    uncertainty.iter().filter(within).count()
}

/// The k that selects `count` of `tokens` tokens.
#[must_use]
pub fn share_of(count: usize, tokens: usize) -> f64 {
    count as f64 / tokens.max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_brush_has_no_direction_and_holds_no_nan() {
        let brush = Brush::between(2.0, 1.0);
        assert_eq!(brush.mask(&[0.9, 1.0, 2.0, 2.1, f32::NAN]), [false, true, true, false, false]);
    }

    #[test]
    fn the_threshold_of_k_is_the_last_token_selected() {
        let u = [0.1, 0.4, 0.3, 0.2, f32::NAN];
        assert_eq!(threshold(&u, Selection::Uncertain, 0.4), Some(0.4), "NaN is the first of two");
        assert_eq!(threshold(&u, Selection::Stable, 0.4), Some(0.2));
        assert_eq!(threshold(&u, Selection::Random, 0.4), None);
        assert_eq!(threshold(&[], Selection::Uncertain, 0.4), None);
        assert_eq!(threshold(&[], Selection::Stable, 0.4), None);
    }

    proptest! {
        #[test]
        fn a_threshold_and_its_k_are_one(
            values in prop::collection::vec(0.0f32..3.0, 1..80),
            share in 0.01f64..1.0,
            stable in any::<bool>(),
        ) {
            let selection = if stable { Selection::Stable } else { Selection::Uncertain };
            let edge = threshold(&values, selection, share).unwrap();
            let count = selected_by(&values, selection, f64::from(edge));
            // Ties are the only reason for more.
            let tied = values.iter().filter(|u| **u == edge).count();
            let wanted = selected_count(share, values.len());
            prop_assert!(count >= wanted && count < wanted + tied);
            prop_assert_eq!(selected_count(share_of(count, values.len()), values.len()), count);
        }
    }
}
