//! Rewards: what a picture earns for a caption.
//!
//! | name | value |
//! | --- | --- |
//! | `verifier` | mean of the parts that apply, 0..1; the reward of the method |
//! | `verifier.colour`, `.shape`, `.count`, `.relation` | one part of it, 0..1 |
//! | `verifier.legibility` | how cleanly the picture reads, 0..1; not part of the mean |
//! | `verifier.exact` | 1 if every hard decision is right, else 0; an evaluation, flat almost everywhere |
//! | `jpeg_small`, `jpeg_large` | minus, plus the size as JPEG, in kB; the easy rewards of DDPO |
//! | `redness` | mean of R - (G + B) / 2, -1..1; easier still, a smoke test |
//!
//! Adding one: implement [`Reward`] in a file of its own and list it in [`all`].

pub mod colour;
pub mod count;
pub mod jpeg;
pub mod legibility;
pub mod matching;
pub mod redness;
pub mod relation;
pub mod set;
pub mod shape;
pub mod verifier;

use super::image::Rgb8;
use super::prompt::Caption;

pub use set::{PartScore, RewardBreakdown, RewardSet, WeightedReward};
pub use verifier::{Verdict, Verifier, VerifierPart};

/// Something a picture can be rewarded for. Pure: the same picture and caption earn the same on every thread.
pub trait Reward: Send + Sync {
    /// The name in settings and records.
    fn name(&self) -> &'static str;

    /// What `image` earns for `caption`. Finite for every picture, also an empty one.
    fn score(&self, image: &Rgb8, caption: &Caption) -> f32;
}

/// Every reward there is, in the order of the table above.
#[must_use]
pub fn all() -> Vec<Box<dyn Reward>> {
    let mut rewards: Vec<Box<dyn Reward>> = vec![Box::new(Verifier)];
    for part in verifier::parts() {
        rewards.push(Box::new(part));
    }
    rewards.push(Box::new(jpeg::SMALL));
    rewards.push(Box::new(jpeg::LARGE));
    rewards.push(Box::new(redness::Redness));
    rewards
}
