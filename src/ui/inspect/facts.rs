//! Everything recorded about the tokens of one picture, put together token by token.

use crate::rl::config::{RlConfig, Selection, TokenScope};
use crate::rl::consistency::FIRST_MASKED_AR_STEP;
use crate::rl::select::selected_count;
use crate::ui::data::group::LoadedGroup;

/// Why a token's policy term is in the loss of an AR step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No selection by consistency was recorded.
    NoSelection,
    /// The first two AR steps are never masked.
    FirstSteps,
    /// This AR step predicts the token.
    Predicted,
    /// Its cosine gain is above tau.
    Gain,
}

/// What became of a token at a trained AR step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Trained.
    Kept(Why),
    /// Its cosine gain is not above tau: only the KL term acts.
    Dropped,
    /// Predicted by an earlier AR step: not in the loss.
    Known,
    /// Predicted by a later AR step, and only tokens that a step predicts are trained (`token_scope`).
    Later,
}

impl Decision {
    /// In words, with a sign.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Kept(Why::NoSelection) => "• trained",
            Self::Kept(Why::FirstSteps) => "• kept, first steps",
            Self::Kept(Why::Predicted) => "• kept, predicted here",
            Self::Kept(Why::Gain) => "• kept, gain above tau",
            Self::Dropped => "× dropped",
            Self::Known => "– known already",
            Self::Later => "– predicted later",
        }
    }

    /// Whether the token is in the loss of the step, its policy term or at least its KL term.
    #[must_use]
    pub const fn in_loss(self) -> bool {
        matches!(self, Self::Kept(_) | Self::Dropped)
    }
}

/// One token at one trained AR step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepFacts {
    /// The AR step.
    pub ar_step: usize,
    /// Cosine gain; `None` where none was measured, NaN where it was NaN.
    pub gain: Option<f32>,
    /// What became of the token.
    pub decision: Decision,
    /// Share of the loss; `None` where the token is not in it or nothing was recorded.
    pub loss_share: Option<f32>,
    /// KL divergence; `None` where the token is not in the loss or nothing was recorded.
    pub kl: Option<f32>,
}

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenFacts {
    /// Its number, row by row.
    pub token: usize,
    /// AR step that predicted it.
    pub order: Option<usize>,
    /// Standard deviation over the S trajectories.
    pub uncertainty: Option<f32>,
    /// Place among the tokens of the picture, from 1, the most uncertain first.
    pub rank: Option<usize>,
    /// Whether the rank is within the share k.
    pub within_share: Option<bool>,
    /// Whether it gets multi-trajectory expectation.
    pub multi: Option<bool>,
    /// At each trained AR step.
    pub steps: Vec<StepFacts>,
}

/// All tokens of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureFacts {
    /// Tokens along a side.
    pub side: usize,
    /// Row by row.
    pub tokens: Vec<TokenFacts>,
}

impl PictureFacts {
    /// What was recorded of picture `picture`; `rl` are the settings of that iteration, if known.
    #[must_use]
    pub fn new(group: &LoadedGroup, picture: usize, rl: Option<&RlConfig>) -> Self {
        let uncertainty = values(group, "uncertainty", picture);
        let ranks = uncertainty.map(ranks);
        let selected = rl.map(|rl| (rl.mte.selection, selected_count(rl.mte.share, group.tokens().max(1))));
        let scope = rl.map_or(TokenScope::Unknown, |rl| rl.objective.token_scope);
        let tokens = (0..group.tokens())
            .map(|token| {
                let rank = ranks.as_ref().and_then(|ranks| ranks.get(token)).copied();
                TokenFacts {
                    token,
                    order: group.predicted_at(picture, token),
                    uncertainty: uncertainty.and_then(|u| u.get(token)).copied(),
                    rank,
                    within_share: rank.zip(selected).and_then(|(rank, (selection, count))| match selection {
                        Selection::Uncertain => Some(rank <= count),
                        Selection::Stable => Some(rank + count > group.tokens()),
                        Selection::Random | Selection::All | Selection::None => None,
                    }),
                    multi: values(group, "mte_mask", picture).and_then(|m| m.get(token)).map(|m| *m > 0.5),
                    steps: steps(group, (picture, token), scope),
                }
            })
            .collect();
        Self { side: group.record.side, tokens }
    }
}

fn steps(group: &LoadedGroup, (picture, token): (usize, usize), scope: TokenScope) -> Vec<StepFacts> {
    let order = group.predicted_at(picture, token);
    let at = |name: &str, plane: usize| plane_of(group, name, (picture, plane))?.get(token).copied();
    let trained = group.record.trained_ar_steps.iter().enumerate();
    trained
        .map(|(plane, &ar_step)| {
            let kept = at("consistency_mask", plane).map(|kept| kept > 0.5);
            let decision = match order {
                Some(order) if order < ar_step => Decision::Known,
                Some(order) if order > ar_step && scope == TokenScope::Predicted => Decision::Later,
                _ => match kept {
                    Some(false) => Decision::Dropped,
                    None => Decision::Kept(Why::NoSelection),
                    Some(true) if order == Some(ar_step) => Decision::Kept(Why::Predicted),
                    Some(true) if ar_step < FIRST_MASKED_AR_STEP => Decision::Kept(Why::FirstSteps),
                    Some(true) => Decision::Kept(Why::Gain),
                },
            };
            // Maps hold zeros for tokens that are not in the loss; a zero would read as a measurement.
            let in_loss = |name| at(name, plane).filter(|_| decision.in_loss());
            StepFacts {
                ar_step,
                gain: gains(group, (picture, plane)).and_then(|gains| gains.get(token)).copied(),
                decision,
                loss_share: in_loss("loss_share"),
                kl: in_loss("kl"),
            }
        })
        .collect()
}

/// Numbers of a map with one plane a picture.
#[must_use]
pub fn values<'a>(group: &'a LoadedGroup, name: &str, picture: usize) -> Option<&'a [f32]> {
    plane_of(group, name, (picture, 0))
}

/// Numbers of one plane of a map.
#[must_use]
pub fn plane_of<'a>(
    group: &'a LoadedGroup,
    name: &str,
    (picture, plane): (usize, usize),
) -> Option<&'a [f32]> {
    let planes = group.map(name)?;
    (plane < planes.count).then(|| planes.plane(picture, plane))?.map(|map| map.values())
}

/// Cosine gains of a picture at a trained AR step. `None` where none was measured: the recorder writes NaN for all tokens
/// of a step that has none before it, and nothing is dropped there.
#[must_use]
pub fn gains(group: &LoadedGroup, (picture, plane): (usize, usize)) -> Option<&[f32]> {
    let gains = plane_of(group, "cosine_gain", (picture, plane))?;
    let all_kept =
        || plane_of(group, "consistency_mask", (picture, plane)).is_none_or(|k| k.iter().all(|k| *k > 0.5));
    let first = group.record.trained_ar_steps.get(plane) == Some(&0);
    let measured = !gains.iter().all(|gain| gain.is_nan()) || !(first || all_kept());
    measured.then_some(gains)
}

/// Place of each token, from 1, the most uncertain first, ordered exactly as the selection orders them
/// ([`crate::rl::select::select`]): of equals the lower token first, NaN before all numbers.
#[must_use]
pub fn ranks(uncertainty: &[f32]) -> Vec<usize> {
    let mut ranks = vec![0; uncertainty.len()];
    for (place, token) in most_uncertain_first(uncertainty).into_iter().enumerate() {
        ranks[token] = place + 1;
    }
    ranks
}

/// The tokens in the order of the selection.
#[must_use]
pub fn most_uncertain_first(uncertainty: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..uncertainty.len()).collect();
    order.sort_by(|a, b| uncertainty[*b].abs().total_cmp(&uncertainty[*a].abs()).then(a.cmp(b)));
    order
}
