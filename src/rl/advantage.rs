//! Rewards to group-relative advantages (paper-facts 3.3). On the host, in double precision.

use rand::RngExt;

use crate::model::noise::NoiseKey;

/// `(r - mean) / (std + 1e-4)` with the deviation of n - 1; exactly 0 for a group in which every reward is the same.
///
/// A reward that is not finite makes every advantage of its group NaN: it is for the caller to stop, not for this to hide.
#[must_use]
pub fn group_relative(rewards: &[f64]) -> Vec<f64> {
    let std = deviation(rewards);
    if std == 0.0 {
        return vec![0.0; rewards.len()];
    }
    let mean = mean(rewards);
    rewards.iter().map(|r| (r - mean) / (std + 1e-4)).collect()
}

/// The same numbers in a random order: the control in which nothing can be learned from the reward.
#[must_use]
pub fn shuffled(mut advantages: Vec<f64>, key: NoiseKey) -> Vec<f64> {
    let mut rng = key.rng();
    for i in (1..advantages.len()).rev() {
        advantages.swap(i, rng.random_range(0..=i));
    }
    advantages
}

/// Mean; NaN of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Deviation with n - 1; exactly 0 if all values are the same or there is only one; NaN if one is not finite.
#[must_use]
pub fn deviation(values: &[f64]) -> f64 {
    if values.iter().any(|v| !v.is_finite()) {
        return f64::NAN;
    }
    if values.len() < 2 || values.iter().all(|v| *v == values[0]) {
        return 0.0;
    }
    let mean = mean(values);
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Purpose;

    #[test]
    fn equal_rewards_give_exactly_zero() {
        // 0.1 is no binary fraction: the mean of seven of them is not 0.1, and must not matter.
        assert!(group_relative(&[0.1; 7]).iter().all(|a| *a == 0.0));
        assert_eq!(group_relative(&[3.0]), [0.0]);
    }

    #[test]
    fn a_reward_that_is_not_finite_is_not_hidden() {
        assert!(group_relative(&[0.1, f64::NAN, 0.3]).iter().all(|a| a.is_nan()));
        for all in [[0.1, f64::INFINITY], [f64::INFINITY; 2], [f64::NEG_INFINITY; 2]] {
            assert!(group_relative(&all).iter().all(|a| a.is_nan()), "{all:?}");
        }
    }

    #[test]
    fn shuffling_permutes() {
        let values: Vec<f64> = (0..20).map(f64::from).collect();
        let key = |image| NoiseKey::new(1, Purpose::Training, image);
        let mut mixed = shuffled(values.clone(), key(0));
        assert_ne!(mixed, values);
        assert_ne!(mixed, shuffled(values.clone(), key(1)));
        mixed.sort_by(f64::total_cmp);
        assert_eq!(mixed, values);
    }
}
