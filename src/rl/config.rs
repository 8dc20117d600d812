//! Every choice of the method, by its name in the paper. All of it can change between two iterations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Result, in_range};
use crate::model::diffusion::Diffusion;
use crate::model::mar::order::CountRounding;
use crate::model::sample::SampleConfig;

/// Settings of MAR-GRPO.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RlConfig {
    /// Rewards and their weights: `verifier`, `verifier=1,jpeg_small=0.2`.
    pub reward: String,
    /// Pictures of one prompt (G), 2 to 1024; their advantages are relative to each other.
    pub group: usize,
    /// Prompts of one iteration, each with a group of its own, 1 to 64.
    pub groups: usize,
    /// `group`, or `shuffled`: a control in which nothing can be learned from the reward.
    pub advantages: Advantages,
    /// How pictures are sampled.
    pub rollout: RolloutConfig,
    /// What stays frozen: `none`, `head` (the paper), `transformer` (the head-only ablation).
    pub frozen: Frozen,
    /// Multi-trajectory expectation.
    pub mte: MteConfig,
    /// Consistency-aware selection.
    pub consistency: ConsistencyConfig,
    /// What the loss is made of.
    pub objective: ObjectiveConfig,
    /// `per_rollout` (one optimiser step) or `per_ar_step` (one after each trained AR step, the released code under
    /// `DeepSpeed`).
    pub update: UpdateMode,
    /// Learning rates and the optimiser's numbers.
    pub optim: RlOptimConfig,
}

/// How pictures are sampled, and which steps of it are trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RolloutConfig {
    /// AR steps (K), 1 to 1024.
    pub ar_steps: usize,
    /// AR steps trained in an iteration, drawn anew each time, 1 to 1024; all of them if there are fewer.
    pub trained_ar_steps: usize,
    /// Diffusion steps of the head (T), 1 to 1000.
    pub diffusion_steps: usize,
    /// How many of the diffusion steps, from the first, are stochastic (Ts); only these can be trained; 1 to 1000, and a
    /// number above T means T (the paper).
    pub stochastic_steps: usize,
    /// Diffusion steps trained in an iteration, drawn anew each time, 1 to 1000; all stochastic ones if there are fewer.
    pub trained_diffusion_steps: usize,
    /// Weight of classifier-free guidance while sampling, 0 to 20; 1 is none.
    pub guidance: f64,
    /// Rounding of the cosine schedule: `round` (NOVA) or `floor` (MAR and Harmon).
    pub rounding: CountRounding,
}

/// Multi-trajectory expectation (MTE): the objective is averaged over several denoisings of the same AR output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MteConfig {
    /// Whether it is on.
    pub enabled: bool,
    /// Extra denoisings of every token (S), 2 to 64 (1 is allowed and measures no uncertainty).
    pub trajectories: usize,
    /// Which tokens get it: `uncertain` (the paper), `stable` (the opposite ablation), `random` (the control), `all`,
    /// `none`.
    pub selection: Selection,
    /// Share of the tokens selected (k), above 0 to 1.
    pub share: f64,
}

/// Consistency-aware selection: train a token only where its AR step brought it closer to the final latent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsistencyConfig {
    /// Whether it is on. It also works with MTE off; the released code ignores it then.
    pub enabled: bool,
    /// A token is kept where its cosine similarity to the final latent rises by more than this (tau), -2 to 2.
    pub tau: f64,
}

/// What the loss is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ObjectiveConfig {
    /// Weight of the KL term (beta), 0 to 100.
    pub beta: f64,
    /// Element of the KL term: `mean_k3` (the released code) or `gaussian`.
    pub kl: KlElement,
    /// Transitions whose deviation is below this (latent units) are left out; 0 to 1, 0 reproduces the released code.
    pub min_std: f64,
    /// `unknown` (the paper): tokens not known before the AR step; `predicted`: only those that it decides.
    pub token_scope: TokenScope,
    /// Weight of the diffusion steps: `none` (the released code) or `noise_level`.
    pub step_weight: StepWeight,
    /// Guidance when the rollout is replayed: `conditional` (the released code: none) or `matched` (as sampled).
    pub replay_guidance: ReplayGuidance,
}

/// Learning rates and the optimiser's numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RlOptimConfig {
    /// Learning rate of the transformer, 0 to 1.
    pub transformer: f64,
    /// Learning rate of the head while it is not frozen, 0 to 1.
    pub head: f64,
    /// Learning rate of the text encoder, 0 to 1.
    pub text: f64,
    /// First `AdamW` beta, 0 to below 1.
    pub beta1: f32,
    /// Second `AdamW` beta, 0 to below 1.
    pub beta2: f32,
    /// Decoupled weight decay, 0 to 1.
    pub weight_decay: f32,
    /// Global gradient norm above which gradients are scaled down; 0 is off.
    pub clip_norm: f64,
    /// Decay of an average of weights that is scored and kept instead of the last ones; 0 (off) to below 1.
    pub ema_decay: f64,
}

/// See [`RlConfig::advantages`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Advantages {
    /// Relative to the group.
    #[default]
    Group,
    /// The same numbers permuted within the group.
    Shuffled,
}

/// See [`RlConfig::frozen`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Frozen {
    /// Transformer, text encoder and head train.
    #[default]
    None,
    /// The diffusion head keeps its weights; gradient still flows through it.
    Head,
    /// Transformer and text encoder keep their weights; only the head trains.
    Transformer,
}

/// See [`MteConfig::selection`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// The `share` of tokens with the largest uncertainty.
    #[default]
    Uncertain,
    /// The `share` of tokens with the smallest uncertainty.
    Stable,
    /// As many tokens at random.
    Random,
    /// Every token.
    All,
    /// No token: uncertainty is measured, the objective is the single-trajectory one.
    None,
}

/// See [`ObjectiveConfig::kl`]. `d = mean_reference - mean_policy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KlElement {
    /// `exp(d) - d - 1`.
    #[default]
    MeanK3,
    /// `d² / (2 std²)`, the divergence of two Gaussians of equal deviation.
    Gaussian,
}

/// See [`ObjectiveConfig::token_scope`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenScope {
    /// Tokens unknown before the AR step, those that it predicts included.
    #[default]
    Unknown,
    /// Tokens that the AR step predicts: the true policy gradient, since the other samples never enter the picture.
    Predicted,
}

/// See [`ObjectiveConfig::step_weight`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepWeight {
    /// 1 for every diffusion step.
    #[default]
    None,
    /// Proportional to `std / |d mean / d output|`, mean 1 over the trained steps, so that no step rules the gradient.
    NoiseLevel,
}

/// See [`ObjectiveConfig::replay_guidance`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplayGuidance {
    /// Without guidance, whatever the rollout used.
    Conditional,
    /// With the guidance of the rollout: the policy that sampled.
    #[default]
    Matched,
}

/// See [`RlConfig::update`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UpdateMode {
    /// Gradients of the trained AR steps averaged, clipped once, one step.
    #[default]
    PerRollout,
    /// Clip and step after each trained AR step.
    PerArStep,
}

impl Default for RlConfig {
    fn default() -> Self {
        Self {
            reward: "verifier".into(),
            group: 16,
            groups: 1,
            advantages: Advantages::default(),
            rollout: RolloutConfig::default(),
            frozen: Frozen::Head,
            mte: MteConfig::default(),
            consistency: ConsistencyConfig::default(),
            objective: ObjectiveConfig::default(),
            update: UpdateMode::default(),
            optim: RlOptimConfig::default(),
        }
    }
}

impl Default for RolloutConfig {
    fn default() -> Self {
        Self {
            ar_steps: 8,
            trained_ar_steps: 12,
            diffusion_steps: 10,
            stochastic_steps: Diffusion::MAX_STEPS,
            trained_diffusion_steps: 10,
            guidance: 1.0,
            rounding: CountRounding::Round,
        }
    }
}

impl RolloutConfig {
    /// Settings of the sampler.
    #[must_use]
    pub fn sampler(&self) -> SampleConfig {
        SampleConfig {
            ar_steps: self.ar_steps,
            diffusion_steps: self.diffusion_steps,
            guidance: self.guidance,
            stochastic_steps: self.stochastic_steps.min(self.diffusion_steps),
            rounding: self.rounding,
        }
    }
}

impl Default for MteConfig {
    fn default() -> Self {
        Self { enabled: true, trajectories: 5, selection: Selection::Uncertain, share: 0.3 }
    }
}

impl Default for ConsistencyConfig {
    fn default() -> Self {
        Self { enabled: true, tau: 0.0 }
    }
}

impl Default for ObjectiveConfig {
    fn default() -> Self {
        Self {
            beta: 0.01,
            kl: KlElement::MeanK3,
            min_std: 1e-3,
            token_scope: TokenScope::Unknown,
            step_weight: StepWeight::None,
            replay_guidance: ReplayGuidance::Matched,
        }
    }
}

impl Default for RlOptimConfig {
    fn default() -> Self {
        Self {
            transformer: 3e-4,
            head: 3e-4,
            text: 3e-4,
            beta1: 0.9,
            beta2: 0.99,
            weight_decay: 0.0,
            clip_norm: 1.0,
            ema_decay: 0.0,
        }
    }
}

impl RlConfig {
    /// Whether the sampler must denoise every token at every AR step, not only those that it predicts.
    #[must_use]
    pub const fn needs_all_tokens(&self) -> bool {
        matches!(self.objective.token_scope, TokenScope::Unknown) || self.consistency.enabled
    }

    /// Guidance when the rollout is replayed.
    #[must_use]
    pub const fn replay_guidance(&self) -> f64 {
        match self.objective.replay_guidance {
            ReplayGuidance::Conditional => 1.0,
            ReplayGuidance::Matched => self.rollout.guidance,
        }
    }

    /// Checks the documented ranges.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the first field that is out of range, or what cannot be combined.
    pub fn validate(&self) -> Result<()> {
        let _: crate::world::reward::RewardSet = self.reward.parse()?;
        within("group", self.group as f64, 2.0, 1024.0)?;
        within("groups", self.groups as f64, 1.0, 64.0)?;
        within("rollout.trained_ar_steps", self.rollout.trained_ar_steps as f64, 1.0, 1024.0)?;
        within("rollout.stochastic_steps", self.rollout.stochastic_steps as f64, 1.0, 1000.0)?;
        within("rollout.trained_diffusion_steps", self.rollout.trained_diffusion_steps as f64, 1.0, 1000.0)?;
        self.rollout.sampler().validate()?;
        within("mte.trajectories", self.mte.trajectories as f64, 1.0, 64.0)?;
        within("mte.share", self.mte.share, 1e-6, 1.0)?;
        within("consistency.tau", self.consistency.tau, -2.0, 2.0)?;
        within("objective.beta", self.objective.beta, 0.0, 100.0)?;
        within("objective.min_std", self.objective.min_std, 0.0, 1.0)?;
        self.optim.validate()
    }
}

impl RlOptimConfig {
    fn validate(&self) -> Result<()> {
        within("optim.transformer", self.transformer, 0.0, 1.0)?;
        within("optim.head", self.head, 0.0, 1.0)?;
        within("optim.text", self.text, 0.0, 1.0)?;
        within("optim.beta1", f64::from(self.beta1), 0.0, 0.9999)?;
        within("optim.beta2", f64::from(self.beta2), 0.0, 0.999_999)?;
        within("optim.weight_decay", f64::from(self.weight_decay), 0.0, 1.0)?;
        within("optim.clip_norm", self.clip_norm, 0.0, 1e6)?;
        within("optim.ema_decay", self.ema_decay, 0.0, 0.999_999)
    }
}

fn within(name: &str, value: f64, low: f64, high: f64) -> Result<()> {
    in_range(&format!("rl.{name}"), value, low, high)
}
