//! One number for a token out of its numbers at the trained AR steps, and the order of a list by it.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::facts::{Decision, StepFacts, TokenFacts};

/// A fact by which tokens are listed and sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The token's number.
    Token,
    /// AR step that predicted it.
    Order,
    /// Uncertainty.
    #[default]
    Uncertainty,
    /// Rank of the uncertainty.
    Rank,
    /// MTE mask.
    Multi,
    /// Cosine gain.
    Gain,
    /// Trained AR steps at which it is kept.
    Kept,
    /// Share of the loss.
    LossShare,
    /// KL.
    Kl,
}

impl Fact {
    /// In the order of the columns.
    pub const ALL: [Self; 9] = [
        Self::Token,
        Self::Order,
        Self::Uncertainty,
        Self::Rank,
        Self::Multi,
        Self::Gain,
        Self::Kept,
        Self::LossShare,
        Self::Kl,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Token => "Token",
            Self::Order => "Order",
            Self::Uncertainty => "Uncertainty",
            Self::Rank => "Rank",
            Self::Multi => "MTE",
            Self::Gain => "Cosine gain",
            Self::Kept => "Kept",
            Self::LossShare => "Loss share",
            Self::Kl => "KL",
        }
    }

    /// What it is, in the paper's terms.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Token => "Number of the token, row by row from the top left, from 0.",
            Self::Order => "The AR step, from 0, that predicted the token.",
            Self::Uncertainty => {
                "Standard deviation of the token's final latent over the S trajectories of the head, mean over channels."
            }
            Self::Rank => {
                "Place of the uncertainty among the tokens of the picture, from 1, the most uncertain first."
            }
            Self::Multi => {
                "Whether the objective is averaged over S trajectories here (multi-trajectory expectation)."
            }
            Self::Gain => {
                "Rise of the cosine similarity to the final latent from the AR step before. At the chosen AR step, or the \
                 mean over the trained AR steps with the token in their loss."
            }
            Self::Kept => {
                "Trained AR steps at which consistency-aware selection keeps the token, of those with the token in their \
                 loss."
            }
            Self::LossShare => {
                "Share of the absolute policy loss. At the chosen AR step, or the mean over the trained AR steps with the \
                 token in their loss."
            }
            Self::Kl => {
                "KL divergence from the reference policy, mean over the diffusion steps. At the chosen AR step, or the mean \
                 over the trained AR steps with the token in their loss."
            }
        }
    }

    /// Whether it depends on the AR step.
    #[must_use]
    pub const fn has_steps(self) -> bool {
        matches!(self, Self::Gain | Self::Kept | Self::LossShare | Self::Kl)
    }

    /// The number of `token`, at the trained AR step with number `plane` or the mean over all. `None` where there is none.
    #[must_use]
    pub fn of(self, token: &TokenFacts, plane: Option<usize>) -> Option<f64> {
        let steps = |number: fn(&StepFacts) -> Option<f32>| match plane {
            Some(plane) => number(token.steps.get(plane)?).map(f64::from),
            None => mean(token.steps.iter().filter(|s| s.decision.in_loss()).filter_map(number)),
        };
        match self {
            Self::Token => Some(token.token as f64),
            Self::Order => token.order.map(|order| order as f64),
            Self::Uncertainty => token.uncertainty.map(f64::from),
            Self::Rank => token.rank.map(|rank| rank as f64),
            Self::Multi => token.multi.map(|multi| f64::from(u8::from(multi))),
            Self::Gain => steps(|step| step.gain),
            Self::Kept => kept(token, plane).map(|(kept, of)| kept as f64 / of as f64),
            Self::LossShare => steps(|step| step.loss_share),
            Self::Kl => steps(|step| step.kl),
        }
    }
}

/// Trained AR steps at which a token is kept, and those with it in their loss; `None` if there are none of those.
#[must_use]
pub fn kept(token: &TokenFacts, plane: Option<usize>) -> Option<(usize, usize)> {
    let steps =
        token.steps.iter().enumerate().filter(|(number, _)| plane.is_none_or(|plane| plane == *number));
    let in_loss: Vec<Decision> = steps.map(|(_, step)| step.decision).filter(|d| d.in_loss()).collect();
    let kept = in_loss.iter().filter(|d| matches!(d, Decision::Kept(_))).count();
    (!in_loss.is_empty()).then_some((kept, in_loss.len()))
}

fn mean(numbers: impl Iterator<Item = f32>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0usize), |(sum, count), n| (sum + f64::from(n), count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// How a list is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sorting {
    /// By which fact.
    pub by: Fact,
    /// Largest first.
    pub descending: bool,
}

impl Default for Sorting {
    fn default() -> Self {
        Self { by: Fact::Uncertainty, descending: true }
    }
}

impl Sorting {
    /// After a click on the head of a column: the same fact turns round, another starts with what is looked for.
    #[must_use]
    pub fn clicked(self, by: Fact) -> Self {
        let first = !matches!(by, Fact::Token | Fact::Order | Fact::Rank);
        Self { by, descending: if self.by == by { !self.descending } else { first } }
    }

    /// Numbers of `tokens` in this order. NaN counts as the largest, as in the selection; tokens without the number come
    /// last; equals stay in the order of the tokens.
    #[must_use]
    pub fn order(self, tokens: &[TokenFacts], plane: Option<usize>) -> Vec<usize> {
        let mut keyed: Vec<(Option<f64>, usize)> =
            tokens.iter().map(|token| (self.by.of(token, plane), token.token)).collect();
        keyed.sort_by(|(a, _), (b, _)| match (a, b) {
            (Some(a), Some(b)) => {
                let ascending = compare(*a, *b);
                if self.descending { ascending.reverse() } else { ascending }
            }
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        keyed.into_iter().map(|(_, token)| token).collect()
    }
}

fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}
