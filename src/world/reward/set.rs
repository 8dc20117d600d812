//! A weighted sum of rewards, as written in settings: `verifier`, or `verifier=1,jpeg_small=0.2`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Reward, all};
use crate::error::{Error, Result};
use crate::world::image::Rgb8;
use crate::world::near;
use crate::world::prompt::Caption;

/// A reward and what it counts.
pub struct WeightedReward {
    /// The reward.
    pub reward: Box<dyn Reward>,
    /// Its factor in the sum; may be negative.
    pub weight: f32,
}

/// One or more rewards that are added up.
pub struct RewardSet {
    rewards: Vec<WeightedReward>,
}

/// What one reward of a set gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartScore {
    /// Its name.
    pub name: String,
    /// Its factor in the total.
    pub weight: f32,
    /// Its score, before weighting.
    pub score: f32,
}

/// What a picture earned, in all and by reward.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RewardBreakdown {
    /// Sum of weight x score.
    pub total: f32,
    /// The rewards of the set, in its order.
    pub parts: Vec<PartScore>,
}

impl RewardSet {
    /// The rewards of the set, in the order written.
    #[must_use]
    pub fn rewards(&self) -> &[WeightedReward] {
        &self.rewards
    }

    /// What `image` earns for `caption`.
    #[must_use]
    pub fn score(&self, image: &Rgb8, caption: &Caption) -> RewardBreakdown {
        let part = |weighted: &WeightedReward| PartScore {
            name: weighted.reward.name().to_owned(),
            weight: weighted.weight,
            score: weighted.reward.score(image, caption),
        };
        let parts: Vec<PartScore> = self.rewards.iter().map(part).collect();
        RewardBreakdown { total: parts.iter().map(|part| part.weight * part.score).sum(), parts }
    }
}

impl FromStr for RewardSet {
    type Err = Error;

    /// Reads `name` or `name=weight`, separated by commas; a weight left out is 1.
    fn from_str(text: &str) -> Result<Self> {
        let fault = |problem: &str| Error::Config(format!("the reward {text:?}: {problem}"));
        let mut rewards: Vec<WeightedReward> = Vec::new();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (name, weight) = match entry.split_once('=') {
                None => (entry, 1.0),
                Some((name, weight)) => {
                    let parsed = weight.trim().parse::<f32>().ok().filter(|weight| weight.is_finite());
                    let Some(parsed) = parsed else {
                        let problem = format!(
                            "the weight {:?} is not a number; write {}=0.5",
                            weight.trim(),
                            name.trim()
                        );
                        return Err(fault(&problem));
                    };
                    (name.trim(), parsed)
                }
            };
            if rewards.iter().any(|known| known.reward.name() == name) {
                return Err(fault(&format!("{name:?} is named twice; give it one weight")));
            }
            let reward = find(name).map_err(|problem| fault(&problem))?;
            rewards.push(WeightedReward { reward, weight });
        }
        if rewards.is_empty() {
            return Err(fault("it names nothing; write \"verifier\" or \"verifier=1,jpeg_small=0.2\""));
        }
        Ok(Self { rewards })
    }
}

/// The reward of that name, or what is wrong with it.
fn find(name: &str) -> Result<Box<dyn Reward>, String> {
    let known = all();
    let names: Vec<&'static str> = known.iter().map(|reward| reward.name()).collect();
    known.into_iter().find(|reward| reward.name() == name).ok_or_else(|| {
        let near = near::suggestion(name, names.iter().copied());
        let near = if near.is_empty() { "." } else { &near };
        format!("there is no reward {name:?}{near} The rewards are {}", names.join(", "))
    })
}

impl fmt::Display for RewardSet {
    /// The form that [`FromStr`] reads, with every weight written out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, weighted) in self.rewards.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{}={}", weighted.reward.name(), weighted.weight)?;
        }
        Ok(())
    }
}

impl fmt::Debug for RewardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RewardSet({self})")
    }
}
