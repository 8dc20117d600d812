//! What was decided about each token of a group: multi-trajectory or single, kept or dropped, and with which weight it
//! enters the loss. On the host, since it is recorded and looked at.

use super::config::{RlConfig, TokenScope};
use super::consistency::{cosine_gain, is_kept};
use super::plan::StepPlan;
use super::select::{select, uncertainty};
use crate::model::noise::NoiseKey;

/// Decisions about the tokens of one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenDecisions {
    /// AR step that predicted each token.
    pub predicted_at: Vec<usize>,
    /// Deviation over trajectories of each token; empty with multi-trajectory expectation off.
    pub uncertainty: Vec<f32>,
    /// Whether each token gets multi-trajectory expectation.
    pub multi: Vec<bool>,
    /// For each trained AR step, ascending: cosine gain of each token; empty where there is no step before or selection
    /// by consistency is off.
    pub gains: Vec<Vec<f32>>,
    /// For each trained AR step, ascending: whether each token's policy term is kept.
    pub kept: Vec<Vec<bool>>,
}

/// Latents of one picture that the decisions are made from, `[tokens * channels]` each.
pub struct LatentsOf<'a> {
    /// Channels of a latent.
    pub channels: usize,
    /// The finished picture.
    pub last: &'a [f32],
    /// The ends of the extra trajectories; none with multi-trajectory expectation off.
    pub trajectories: Vec<&'a [f32]>,
    /// Denoised latents of all tokens at an AR step, if they were kept.
    pub denoised: &'a dyn Fn(usize) -> Option<&'a [f32]>,
}

impl TokenDecisions {
    /// Decides about one picture. `key` addresses the random selection.
    #[must_use]
    pub fn new(
        predicted_at: Vec<usize>,
        latents: &LatentsOf<'_>,
        config: &RlConfig,
        plan: &StepPlan,
        key: NoiseKey,
    ) -> Self {
        let tokens = predicted_at.len();
        let on = config.mte.enabled && !latents.trajectories.is_empty();
        let uncertainty = if on { uncertainty(&latents.trajectories, latents.channels) } else { Vec::new() };
        let multi = if on { select(&uncertainty, &config.mte, key) } else { vec![false; tokens] };
        let steps = plan.ascending();
        let gains: Vec<Vec<f32>> = steps.iter().map(|step| gains_at(*step, latents, config)).collect();
        let kept = steps
            .iter()
            .zip(&gains)
            .map(|(step, gains)| {
                let keep = |token: usize| {
                    gains.get(token).is_none_or(|gain| {
                        is_kept(*gain, config.consistency.tau, *step, predicted_at[token] == *step)
                    })
                };
                (0..tokens).map(keep).collect()
            })
            .collect();
        Self { predicted_at, uncertainty, multi, gains, kept }
    }

    /// Whether `token` takes part in the loss of AR step `ar_step` at all (the mask U).
    #[must_use]
    pub fn in_scope(&self, scope: TokenScope, ar_step: usize, token: usize) -> bool {
        match scope {
            TokenScope::Unknown => self.predicted_at[token] >= ar_step,
            TokenScope::Predicted => self.predicted_at[token] == ar_step,
        }
    }
}

fn gains_at(ar_step: usize, latents: &LatentsOf<'_>, config: &RlConfig) -> Vec<f32> {
    if !config.consistency.enabled || ar_step == 0 {
        return Vec::new();
    }
    match ((latents.denoised)(ar_step - 1), (latents.denoised)(ar_step)) {
        (Some(before), Some(now)) => cosine_gain(before, now, latents.last, latents.channels),
        _ => Vec::new(),
    }
}

/// Weights of one token's transitions in the loss of one AR step, for each element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenWeight {
    /// Picture of the shard.
    pub picture: usize,
    /// Token of the picture.
    pub token: usize,
    /// Advantage times mask over normaliser.
    pub policy: f32,
    /// Mask over normaliser.
    pub kl: f32,
}

/// The tokens that enter the loss of one AR step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepWeights {
    /// Tokens with the single, sampled trajectory.
    pub single: Vec<TokenWeight>,
    /// Tokens with multi-trajectory expectation.
    pub multi: Vec<TokenWeight>,
}

/// Sums of the masks of one AR step over all pictures of the iteration, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Normalisers {
    /// Tokens of the policy term: in scope and kept.
    pub policy: usize,
    /// Tokens of the KL term: in scope.
    pub kl: usize,
}

impl Normalisers {
    /// Counts over `pictures`, at the trained AR step number `index` (ascending).
    #[must_use]
    pub fn count<'a>(
        pictures: impl Iterator<Item = &'a TokenDecisions>,
        scope: TokenScope,
        (index, ar_step): (usize, usize),
    ) -> Self {
        let mut sums = Self::default();
        for picture in pictures {
            for token in 0..picture.predicted_at.len() {
                if picture.in_scope(scope, ar_step, token) {
                    sums.kl += 1;
                    sums.policy += usize::from(picture.kept[index][token]);
                }
            }
        }
        sums
    }
}

impl StepWeights {
    /// Weights of one shard's `pictures` with their `advantages`, so that summing `weight · element` over tokens, channels
    /// and trained diffusion steps gives the means of the objective. `elements` is channels times trained diffusion steps.
    #[must_use]
    pub fn new(
        pictures: &[TokenDecisions],
        advantages: &[f64],
        scope: TokenScope,
        (index, ar_step): (usize, usize),
        (normalisers, elements): (Normalisers, usize),
    ) -> Self {
        let mut weights = Self::default();
        let share = |count: usize| 1.0 / (count.max(1) * elements) as f64;
        for (picture, (decisions, advantage)) in pictures.iter().zip(advantages).enumerate() {
            for token in 0..decisions.predicted_at.len() {
                if !decisions.in_scope(scope, ar_step, token) {
                    continue;
                }
                let kept = f64::from(u8::from(decisions.kept[index][token]));
                let weight = TokenWeight {
                    picture,
                    token,
                    policy: (advantage * kept * share(normalisers.policy)) as f32,
                    kl: share(normalisers.kl) as f32,
                };
                if decisions.multi[token] { weights.multi.push(weight) } else { weights.single.push(weight) }
            }
        }
        weights
    }
}
