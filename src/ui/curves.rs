//! What each plot shows, and the curves of the runs in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::layout::PlotId;
use super::plot::{LinkedX, PanelChoice};
use crate::runs::store::RunStore;

/// How plots are drawn.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct CurveView {
    /// The horizontal axis that all share.
    pub linked: LinkedX,
    /// Smoothing: 0 for none, towards 1 for more.
    pub smoothing: f64,
    /// What the band around the mean reward is.
    pub band: RewardBand,
    /// What was chosen for each plot.
    pub choices: BTreeMap<PlotId, PanelChoice>,
    /// Which series each plot of a comparison draws, where that is not the first.
    pub compared: BTreeMap<PlotId, String>,
    /// Which series the plot of any series shows.
    pub pattern: String,
}

/// What the band around the mean reward of a group is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewardBand {
    /// Least to greatest reward of the group.
    #[default]
    MinMax,
    /// One standard deviation of the group on both sides.
    Std,
    /// None.
    None,
}

impl RewardBand {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::MinMax, Self::Std, Self::None];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MinMax => "min to max",
            Self::Std => "± std",
            Self::None => "none",
        }
    }
}

impl Default for CurveView {
    fn default() -> Self {
        Self {
            linked: LinkedX::default(),
            smoothing: 0.0,
            band: RewardBand::default(),
            choices: BTreeMap::new(),
            compared: BTreeMap::new(),
            pattern: String::new(),
        }
    }
}

impl CurveView {
    /// Puts numbers that a file may hold into their ranges.
    pub fn validate(&mut self) {
        if !(0.0..1.0).contains(&self.smoothing) {
            self.smoothing = 0.0;
        }
    }
}

/// What a plot shows.
pub struct PlotSpec {
    /// Unit of its values.
    pub unit: &'static str,
    /// Names of its series; one that ends in `/` stands for all below it.
    pub series: &'static [&'static str],
}

/// What `plot` shows. The first series that a run has is the one that comparisons draw.
#[must_use]
pub const fn spec(plot: PlotId) -> PlotSpec {
    let (unit, series): (&str, &[&str]) = match plot {
        PlotId::Reward => ("", &["reward/mean"]),
        PlotId::RewardParts => ("", &["verifier/", "reward/part/"]),
        PlotId::Scores => (
            "",
            &[
                "held_out/verifier",
                "evaluation/reward",
                "evaluation/verifier",
                "held_out/exact",
                "evaluation/exact",
                "held_out_mean/all",
            ],
        ),
        PlotId::Kl => ("nats", &["kl"]),
        PlotId::GradientNorm => ("", &["gradient_norm/whole", "gradient_norm/"]),
        PlotId::Shares => ("share of tokens", &["consistency/kept", "mte/share"]),
        PlotId::KeptByStep => ("share of tokens", &["consistency/kept/"]),
        PlotId::Uncertainty => {
            ("latent units", &["uncertainty/mean", "uncertainty/selected", "uncertainty/rest"])
        }
        PlotId::Diversity => ("", &["diversity/images", "diversity/latents"]),
        PlotId::GroupStd => ("", &["group/std", "group/zero_std_share"]),
        PlotId::Loss => ("", &["loss/total", "loss/"]),
        PlotId::Time => ("s", &["time/iteration", "time/"]),
        PlotId::LearningRate => ("", &["learning_rate/"]),
        PlotId::Any => ("", &[]),
    };
    PlotSpec { unit, series }
}

/// A moment and no duration.
pub const CLOCK: &str = "time/unix_seconds";

/// Names of the series of `store` that `plot` shows, in order, without repetition. `pattern` is what the plot of any series
/// shows.
///
/// # Errors
/// If the pattern is no regular expression.
pub fn names(store: &RunStore, plot: PlotId, pattern: &str) -> Result<Vec<String>, String> {
    if plot == PlotId::Any {
        return matching(store, pattern);
    }
    let mut found: Vec<String> = Vec::new();
    for wanted in spec(plot).series {
        for name in store.names() {
            let fits = if wanted.ends_with('/') { name.starts_with(wanted) } else { name == *wanted };
            if fits && name != CLOCK && !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
    }
    Ok(found)
}

/// Most series that the plot of any series draws.
const MOST: usize = 24;

fn matching(store: &RunStore, pattern: &str) -> Result<Vec<String>, String> {
    let regex = regex::RegexBuilder::new(pattern)
        .case_insensitive(true)
        .build()
        .map_err(|error| format!("the pattern cannot be read: {error}"))?;
    Ok(store.names().filter(|name| regex.is_match(name)).take(MOST).map(str::to_owned).collect())
}
