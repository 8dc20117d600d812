//! The newest pictures, ready to draw, for a front end that looks on while training goes on.

use super::group::PictureTokens;
use super::iteration::Iteration;
use crate::world::image::Rgb8;

/// The groups of one iteration.
#[derive(Clone, Debug)]
pub struct LiveGroups {
    /// Iteration.
    pub step: usize,
    /// One for each prompt.
    pub groups: Vec<LiveGroup>,
    /// AR steps that were trained, ascending.
    pub trained_ar_steps: Vec<usize>,
}

/// One prompt with its pictures.
#[derive(Clone, Debug)]
pub struct LiveGroup {
    /// The prompt.
    pub prompt: String,
    /// The pictures.
    pub images: Vec<Rgb8>,
    /// What each earned.
    pub rewards: Vec<f64>,
    /// The advantage of each.
    pub advantages: Vec<f64>,
    /// Tokens of each; empty if the iteration failed before.
    pub tokens: Vec<PictureTokens>,
}

impl LiveGroups {
    /// The pictures of `iteration`.
    #[must_use]
    pub fn of(iteration: &Iteration) -> Self {
        let mut first = 0;
        let groups = iteration.groups.iter().map(|group| {
            let count = group.images.len();
            let tokens = iteration.tokens.get(first..first + count).unwrap_or_default().to_vec();
            first += count;
            LiveGroup {
                prompt: group.caption.to_string(),
                images: group.images.clone(),
                rewards: group.rewards(),
                advantages: group.advantages.clone(),
                tokens,
            }
        });
        Self {
            step: iteration.number,
            groups: groups.collect(),
            trained_ar_steps: iteration.plan.ascending(),
        }
    }
}
