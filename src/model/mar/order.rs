//! Which tokens are generated at which AR step. Pure functions on the host.

use std::f64::consts::FRAC_PI_2;

use serde::{Deserialize, Serialize};

use crate::model::noise::NoiseKey;

/// How the cosine schedule is rounded to whole tokens (paper-facts 3.14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountRounding {
    /// NOVA: `round(N cos(pi/2 · i/K))`, ties to even; steps that would add no token are dropped.
    #[default]
    Round,
    /// MAR and Harmon: `floor(N cos(pi/2 · (k+1)/K))`, at least one new token a step; the last step takes the rest.
    Floor,
}

/// New tokens at each AR step; they sum to `tokens`. With [`CountRounding::Round`] there may be fewer than
/// `ar_steps` entries.
#[must_use]
pub fn tokens_per_step(tokens: usize, ar_steps: usize, rounding: CountRounding) -> Vec<usize> {
    let cosine = |i: usize| tokens as f64 * (FRAC_PI_2 * i as f64 / ar_steps as f64).cos();
    match rounding {
        CountRounding::Round => {
            let masked: Vec<usize> = (0..=ar_steps).map(|i| cosine(i).round_ties_even() as usize).collect();
            masked.windows(2).map(|pair| pair[0] - pair[1]).filter(|new| *new > 0).collect()
        }
        CountRounding::Floor => {
            let mut unknown = tokens;
            let mut counts = Vec::with_capacity(ar_steps);
            for k in 0..ar_steps {
                if unknown == 0 {
                    break;
                }
                let last = k + 1 == ar_steps;
                let left =
                    if last { 0 } else { (cosine(k + 1) as usize).clamp(1.min(unknown - 1), unknown - 1) };
                counts.push(unknown - left);
                unknown = left;
            }
            counts
        }
    }
}

/// A random order of `tokens` positions: the argsort of one uniform draw.
#[must_use]
pub fn random_order(tokens: usize, key: NoiseKey) -> Vec<usize> {
    let draw = key.uniform(tokens);
    let mut order: Vec<usize> = (0..tokens).collect();
    order.sort_by(|a, b| draw[*a].total_cmp(&draw[*b]).then(a.cmp(b)));
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::noise::Purpose;

    #[test]
    fn counts_equal_the_released_schedules() {
        let nova = tokens_per_step(1024, 64, CountRounding::Round);
        assert_eq!(nova.len(), 63);
        assert_eq!(nova[..6], [1, 2, 2, 3, 3, 4][..]);
        assert_eq!(nova[60..], [25, 25, 25]);
        let nova25 = tokens_per_step(1024, 25, CountRounding::Round);
        assert_eq!((nova25[0], nova25[1], nova25[2], nova25[24]), (2, 6, 10, 64));
        let mar = tokens_per_step(1024, 64, CountRounding::Floor);
        assert_eq!(mar.len(), 64);
        assert_eq!(mar[..6], [1, 1, 1, 2, 3, 4][..]);
        assert_eq!(mar[60..], [25, 25, 25, 25]);
    }

    proptest! {
        #[test]
        fn every_token_is_generated_once(tokens in 1usize..600, steps in 1usize..80, floor: bool) {
            let rounding = if floor { CountRounding::Floor } else { CountRounding::Round };
            let counts = tokens_per_step(tokens, steps, rounding);
            prop_assert_eq!(counts.iter().sum::<usize>(), tokens);
            prop_assert!(counts.iter().all(|c| *c > 0) && counts.len() <= steps);
        }

        #[test]
        fn an_order_is_a_permutation(tokens in 1usize..300, seed: u64) {
            let mut order = random_order(tokens, NoiseKey::new(seed, Purpose::Order, 0));
            order.sort_unstable();
            prop_assert_eq!(order, (0..tokens).collect::<Vec<_>>());
        }
    }
}
