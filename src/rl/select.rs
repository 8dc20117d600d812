//! Which tokens get multi-trajectory expectation: uncertainty, and the selections by it. On the host.

use rand::RngExt;

use super::config::{MteConfig, Selection};
use crate::model::noise::NoiseKey;

/// Population deviation over trajectories of the final latents, mean over channels (paper-facts 3.5).
///
/// # Shapes
/// - `trajectories`: S times `[tokens * channels]`, row-major
/// - output: `[tokens]`
#[must_use]
pub fn uncertainty(trajectories: &[&[f32]], channels: usize) -> Vec<f32> {
    let count = trajectories.len() as f64;
    let elements = trajectories.first().map_or(0, |t| t.len());
    let deviation = |element: usize| {
        let values = trajectories.iter().map(|t| f64::from(t[element]));
        let mean = values.clone().sum::<f64>() / count;
        (values.map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt()
    };
    (0..elements / channels)
        .map(|token| {
            let sum: f64 = (token * channels..(token + 1) * channels).map(deviation).sum();
            (sum / channels as f64) as f32
        })
        .collect()
}

/// Tokens that are selected of `tokens`: `share` of them, rounded down, at least 1.
#[must_use]
pub fn selected_count(share: f64, tokens: usize) -> usize {
    // A hair, so that a share of 0.3 of ten tokens is three whatever 0.3 is in binary.
    ((share * tokens as f64 + 1e-9).floor() as usize).clamp(1, tokens)
}

/// The mask of one picture's tokens. Of equal uncertainties the lower token index counts as larger; a NaN counts as the
/// largest, so that it is looked at and not passed over.
///
/// # Shapes
/// - `uncertainty` and output: `[tokens]`
#[must_use]
pub fn select(uncertainty: &[f32], config: &MteConfig, key: NoiseKey) -> Vec<bool> {
    let tokens = uncertainty.len();
    let mut order: Vec<usize> = (0..tokens).collect();
    let rank = |a: &usize, b: &usize| uncertainty[*b].abs().total_cmp(&uncertainty[*a].abs()).then(a.cmp(b));
    match config.selection {
        Selection::All => return vec![true; tokens],
        Selection::None => return vec![false; tokens],
        Selection::Uncertain => order.sort_by(rank),
        Selection::Stable => order.sort_by(|a, b| rank(b, a)),
        Selection::Random => {
            let mut rng = key.rng();
            for i in 0..tokens.saturating_sub(1) {
                order.swap(i, rng.random_range(i..tokens));
            }
        }
    }
    let mut mask = vec![false; tokens];
    for token in order.into_iter().take(selected_count(config.share, tokens)) {
        mask[token] = true;
    }
    mask
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::noise::Purpose;

    fn config(selection: Selection, share: f64) -> MteConfig {
        MteConfig { selection, share, ..MteConfig::default() }
    }

    proptest! {
        #[test]
        fn selections_hold_what_they_say(
            values in prop::collection::vec(0.0f32..3.0, 1..80),
            share in 0.01f64..1.0,
            image in 0u32..100,
        ) {
            let key = NoiseKey::new(3, Purpose::Training, image);
            let pick = |selection| select(&values, &config(selection, share), key);
            let count = selected_count(share, values.len());
            let top = pick(Selection::Uncertain);
            let bottom = pick(Selection::Stable);
            for mask in [&top, &bottom, &pick(Selection::Random)] {
                prop_assert_eq!(mask.iter().filter(|m| **m).count(), count);
            }
            let worst_in = (0..values.len()).filter(|t| top[*t]).map(|t| values[t]).fold(f32::MAX, f32::min);
            let best_out = (0..values.len()).filter(|t| !top[*t]).map(|t| values[t]).fold(0.0, f32::max);
            prop_assert!(worst_in >= best_out);
            if 2 * count <= values.len() {
                prop_assert!((0..values.len()).all(|t| !(top[t] && bottom[t])));
            }
            prop_assert!(pick(Selection::All).iter().all(|m| *m));
            prop_assert!(!pick(Selection::None).iter().any(|m| *m));
        }
    }

    #[test]
    fn one_trajectory_has_no_uncertainty() {
        assert_eq!(uncertainty(&[&[1.0, 2.0, 3.0, 4.0]], 2), [0.0, 0.0]);
    }

    #[test]
    fn counts_round_down_and_never_to_nothing() {
        assert_eq!(
            [selected_count(0.3, 1024), selected_count(0.3, 10), selected_count(0.001, 64)],
            [307, 3, 1]
        );
    }
}
