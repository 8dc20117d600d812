//! The pictures of one iteration on the host: what they show, earned, and what was decided about their tokens.

use crate::model::noise::{NoiseKey, Purpose};
use crate::rl::advantage::{deviation, group_relative, shuffled};
use crate::rl::config::{Advantages, RlConfig};
use crate::rl::decisions::TokenDecisions;
use crate::world::image::Rgb8;
use crate::world::prompt::Caption;
use crate::world::reward::{RewardBreakdown, RewardSet, Verdict, Verifier};

/// One prompt with its pictures.
#[derive(Clone, Debug)]
pub struct Group {
    /// The prompt.
    pub caption: Caption,
    /// The pictures.
    pub images: Vec<Rgb8>,
    /// What each earned.
    pub breakdowns: Vec<RewardBreakdown>,
    /// What the verifier says of each, whether it is part of the reward or not.
    pub verdicts: Vec<Verdict>,
    /// The advantage of each.
    pub advantages: Vec<f64>,
    /// Deviation of the rewards, n - 1.
    pub std: f64,
}

impl Group {
    /// Judges `images`. A reward that is not finite makes the advantages of the group NaN; nothing is hidden here.
    #[must_use]
    pub fn judge(
        caption: Caption,
        images: Vec<Rgb8>,
        (rewards, config): (&RewardSet, &RlConfig),
        key: NoiseKey,
    ) -> Self {
        let breakdowns: Vec<RewardBreakdown> =
            images.iter().map(|image| rewards.score(image, &caption)).collect();
        let totals: Vec<f64> = breakdowns.iter().map(|b| f64::from(b.total)).collect();
        let advantages = group_relative(&totals);
        let advantages = match config.advantages {
            Advantages::Group => advantages,
            Advantages::Shuffled => shuffled(advantages, key),
        };
        let verdicts = images.iter().map(|image| Verifier.verify(image, &caption)).collect();
        Self { caption, images, breakdowns, verdicts, advantages, std: deviation(&totals) }
    }

    /// Rewards in all, picture by picture.
    #[must_use]
    pub fn rewards(&self) -> Vec<f64> {
        self.breakdowns.iter().map(|b| f64::from(b.total)).collect()
    }
}

/// What replay told about the tokens of one picture, for each trained AR step, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenSeen {
    /// `[trained AR steps][tokens]`: weighted size of the policy term's gradient.
    pub loss_share: Vec<Vec<f32>>,
    /// `[trained AR steps][tokens]`: KL, mean over the trained diffusion steps.
    pub kl: Vec<Vec<f32>>,
    /// `[trained AR steps][tokens * trained diffusion steps]`: KL.
    pub kl_by_step: Vec<Vec<f32>>,
    /// The same of the log-probability, mean over channels.
    pub log_prob_by_step: Vec<Vec<f32>>,
}

impl TokenSeen {
    /// Nothing seen of `steps` trained AR steps.
    #[must_use]
    pub fn empty(steps: usize) -> Self {
        let empty = vec![Vec::new(); steps];
        Self {
            loss_share: empty.clone(),
            kl: empty.clone(),
            kl_by_step: empty.clone(),
            log_prob_by_step: empty,
        }
    }
}

/// One picture's tokens: decisions, and what replay told.
#[derive(Clone, Debug)]
pub struct PictureTokens {
    /// Decisions before the update.
    pub decisions: TokenDecisions,
    /// Numbers of the update.
    pub seen: TokenSeen,
}

/// Mean distance of all pairs: square root of the mean squared difference.
#[must_use]
pub fn mean_pairwise_distance(items: &[&[f32]]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0usize);
    for (i, a) in items.iter().enumerate() {
        for b in &items[i + 1..] {
            let squares: f64 = a.iter().zip(*b).map(|(x, y)| f64::from(x - y).powi(2)).sum();
            sum += (squares / a.len().max(1) as f64).sqrt();
            pairs += 1;
        }
    }
    if pairs == 0 { 0.0 } else { sum / pairs as f64 }
}

/// Address of choices about picture number `image`.
#[must_use]
pub const fn choice_key(seed: u64, image: u32) -> NoiseKey {
    NoiseKey { diffusion_step: 1, ..NoiseKey::new(seed, Purpose::Training, image) }
}

/// Address of the permutation of advantages of a group.
#[must_use]
pub const fn shuffle_key(seed: u64, iteration: usize, group: usize) -> NoiseKey {
    let key = NoiseKey::new(seed, Purpose::Training, (iteration % NoiseKey::IMAGES) as u32);
    NoiseKey { diffusion_step: 2, ar_step: group as u16, ..key }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_equal_hand_computed_ones() {
        assert_eq!(mean_pairwise_distance(&[&[0.0, 0.0], &[3.0, 3.0]]), 3.0);
        assert_eq!(mean_pairwise_distance(&[&[0.0], &[1.0], &[3.0]]), 2.0);
        assert_eq!(mean_pairwise_distance(&[&[1.0]]), 0.0);
    }
}
