//! The variants of the paper by name, each a set of settings that can be switched between two iterations.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::{Frozen, RlConfig, Selection, StepWeight, TokenScope};
use crate::error::{Error, Result};
use crate::model::diffusion::Diffusion;
use crate::world::near;

/// A named set of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// End to end: transformer and head train on single trajectories.
    Grpo,
    /// The head is frozen.
    FrozenHead,
    /// Frozen head, multi-trajectory expectation on every token.
    MteAll,
    /// Frozen head, multi-trajectory expectation on the most uncertain tokens.
    MteTopK,
    /// The control of `mte_top_k`: as many tokens at random.
    MteRandom,
    /// The paper's method: `mte_top_k` and consistency-aware selection.
    MarGrpo,
    /// The transformer is frozen and the head trains.
    HeadOnly,
    /// Ours: only the tokens that an AR step decides, every diffusion step at equal weight.
    PolicyGradient,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Grpo,
        Self::FrozenHead,
        Self::MteAll,
        Self::MteTopK,
        Self::MteRandom,
        Self::MarGrpo,
        Self::HeadOnly,
        Self::PolicyGradient,
    ];

    /// Its name in settings and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grpo => "grpo",
            Self::FrozenHead => "frozen_head",
            Self::MteAll => "mte_all",
            Self::MteTopK => "mte_top_k",
            Self::MteRandom => "mte_random",
            Self::MarGrpo => "mar_grpo",
            Self::HeadOnly => "head_only",
            Self::PolicyGradient => "policy_gradient",
        }
    }

    /// Switches `config` to this variant; what the variant does not name stays. So do the weights of the diffusion steps
    /// that `policy_gradient` sets, when it is switched off again.
    pub fn apply(self, config: &mut RlConfig) {
        config.frozen = match self {
            Self::Grpo => Frozen::None,
            Self::HeadOnly => Frozen::Transformer,
            _ => Frozen::Head,
        };
        config.mte.enabled = matches!(self, Self::MteAll | Self::MteTopK | Self::MteRandom | Self::MarGrpo);
        if config.mte.enabled {
            config.mte.selection = match self {
                Self::MteAll => Selection::All,
                Self::MteRandom => Selection::Random,
                _ => Selection::Uncertain,
            };
            if self != Self::MteAll {
                config.mte.share = 0.3;
            }
        }
        config.consistency.enabled = self == Self::MarGrpo;
        if self == Self::MarGrpo {
            config.consistency.tau = 0.0;
        }
        config.objective.token_scope = TokenScope::Unknown;
        if self == Self::PolicyGradient {
            config.objective.token_scope = TokenScope::Predicted;
            config.objective.step_weight = StepWeight::NoiseLevel;
            config.rollout.trained_diffusion_steps = Diffusion::MAX_STEPS;
        }
    }

    /// The variant whose settings `config` has, if any.
    #[must_use]
    pub fn of(config: &RlConfig) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| {
            let mut same = config.clone();
            variant.apply(&mut same);
            same == *config
        })
    }
}

impl FromStr for Variant {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = Self::ALL.map(Self::name);
        Self::ALL.into_iter().find(|variant| variant.name() == text).ok_or_else(|| {
            let near = near::suggestion(text, names.iter().copied());
            let near = if near.is_empty() { "." } else { &near };
            Error::Config(format!("there is no variant {text:?}{near} The variants are {}", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_recognised_by_its_settings() {
        for variant in Variant::ALL {
            let mut config = RlConfig::default();
            variant.apply(&mut config);
            config.validate().unwrap();
            assert_eq!(Variant::of(&config), Some(variant));
            assert_eq!(variant.name().parse::<Variant>().unwrap(), variant);
        }
        assert!("mar_grp".parse::<Variant>().unwrap_err().to_string().contains("mar_grpo"));
    }

    #[test]
    fn the_table_of_the_paper() {
        let with = |variant: Variant| {
            let mut config = RlConfig::default();
            variant.apply(&mut config);
            let mte = config.mte.enabled.then_some(config.mte.selection);
            (config.frozen, mte, config.consistency.enabled)
        };
        assert_eq!(with(Variant::Grpo), (Frozen::None, None, false));
        assert_eq!(with(Variant::FrozenHead), (Frozen::Head, None, false));
        assert_eq!(with(Variant::MteAll), (Frozen::Head, Some(Selection::All), false));
        assert_eq!(with(Variant::MteTopK), (Frozen::Head, Some(Selection::Uncertain), false));
        assert_eq!(with(Variant::MarGrpo), (Frozen::Head, Some(Selection::Uncertain), true));
        assert_eq!(with(Variant::HeadOnly), (Frozen::Transformer, None, false));
        assert_eq!(with(Variant::PolicyGradient), (Frozen::Head, None, false));
    }
}
