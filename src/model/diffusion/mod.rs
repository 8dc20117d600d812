//! Diffusion of one latent token: schedules, steps, and the log-probability of a stochastic step.
//!
//! [`Diffusion`] is what the sampler, the replay of a rollout and the tests share; no other place computes a step.

mod ddpm;
mod flow;
mod transition;

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

pub use ddpm::{BetaSchedule, DdpmSchedule, Variance};
pub use flow::{FlowGrid, FlowSchedule, SdeCoefficients};
pub use transition::{Spread, Transition};

use crate::error::{Error, Result};

/// Which diffusion the head was trained for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum DiffusionConfig {
    /// Rectified flow: the head predicts the velocity `noise - data`.
    Flow {
        /// How the steps are spaced.
        #[serde(default)]
        grid: FlowGrid,
        /// Size of the noise of a stochastic step, 0 to 1; 0.7 in the released code.
        #[serde(default = "default_eta")]
        eta: f64,
    },
    /// DDPM: the head predicts the noise, and with [`Variance::LearnedRange`] the variance too.
    Ddpm {
        /// The noise schedule of training.
        #[serde(default)]
        betas: BetaSchedule,
        /// What stands for the variance of a step.
        #[serde(default)]
        variance: Variance,
    },
}

const fn default_eta() -> f64 {
    0.7
}

impl Default for DiffusionConfig {
    fn default() -> Self {
        Self::Flow { grid: FlowGrid::default(), eta: default_eta() }
    }
}

impl DiffusionConfig {
    /// Channels that the head must put out for latents of `channels`.
    #[must_use]
    pub const fn head_outputs(&self, channels: usize) -> usize {
        match self {
            Self::Ddpm { variance: Variance::LearnedRange, .. } => 2 * channels,
            _ => channels,
        }
    }

    /// The schedule for sampling in `steps` steps.
    ///
    /// # Errors
    /// [`Error::Config`] if `steps` is 0 or above [`Diffusion::MAX_STEPS`].
    pub fn schedule(&self, steps: usize) -> Result<Diffusion> {
        if steps == 0 || steps > Diffusion::MAX_STEPS {
            return Err(Error::Config(format!(
                "{steps} diffusion steps: choose between 1 and {}",
                Diffusion::MAX_STEPS
            )));
        }
        Ok(match self {
            Self::Flow { grid, eta } => {
                Diffusion::Flow { schedule: FlowSchedule::new(*grid, steps), eta: *eta }
            }
            Self::Ddpm { betas, variance } => {
                Diffusion::Ddpm { schedule: DdpmSchedule::new(*betas, steps), variance: *variance }
            }
        })
    }
}

/// A schedule of steps, counted from the noisiest (0) to the last.
#[derive(Clone, Debug)]
pub enum Diffusion {
    /// Rectified flow.
    Flow {
        /// Times of the steps.
        schedule: FlowSchedule,
        /// Size of the noise of a stochastic step.
        eta: f64,
    },
    /// DDPM.
    Ddpm {
        /// Coefficients of the steps.
        schedule: DdpmSchedule,
        /// What stands for the variance.
        variance: Variance,
    },
}

impl Diffusion {
    /// More steps than the 1,000 of training make no sense.
    pub const MAX_STEPS: usize = 1000;

    /// Number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        match self {
            Self::Flow { schedule, .. } => schedule.steps(),
            Self::Ddpm { schedule, .. } => schedule.steps(),
        }
    }

    /// The time that the head is given at `step`: sigma (0 to 1) for flow, the training timestep for DDPM.
    #[must_use]
    pub fn time(&self, step: usize) -> f32 {
        match self {
            Self::Flow { schedule, .. } => schedule.sigma(step) as f32,
            Self::Ddpm { schedule, .. } => schedule.timestep(step) as f32,
        }
    }

    /// The Gaussian from which the next latent is drawn at `step`.
    ///
    /// # Shapes
    /// - `x`: `[rows, channels]`, the noisy latents
    /// - `output`: `[rows, head outputs]`, what the head said about them
    #[must_use]
    pub fn transition(&self, step: usize, x: Tensor<2>, output: Tensor<2>) -> Transition {
        match self {
            Self::Flow { schedule, eta } => schedule.sde(step, *eta).transition(x, output),
            Self::Ddpm { schedule, variance } => schedule.posterior(step, *variance, x, output),
        }
    }

    /// Whether the sampler takes the mean at `step`: DDPM does at the last.
    #[must_use]
    pub fn ends_without_noise(&self, step: usize) -> bool {
        matches!(self, Self::Ddpm { .. }) && step + 1 == self.steps()
    }

    /// Deviation of the transition at `step` in latent units, if it does not depend on the head.
    #[must_use]
    pub fn fixed_std(&self, step: usize) -> Option<f64> {
        if self.ends_without_noise(step) {
            return Some(0.0);
        }
        match self {
            Self::Flow { schedule, eta } => Some(schedule.sde(step, *eta).std),
            Self::Ddpm { schedule, variance: Variance::FixedSmall } => Some(schedule.posterior_std(step)),
            Self::Ddpm { variance: Variance::LearnedRange, .. } => None,
        }
    }

    /// `std / |d mean / d output|` at `step`: how much of the head's output one deviation of noise is worth. For a
    /// learned variance, with the smaller of the two variances between which the head chooses.
    #[must_use]
    pub fn noise_level(&self, step: usize) -> f64 {
        match self {
            Self::Flow { schedule, eta } => {
                let sde = schedule.sde(step, *eta);
                sde.std / sde.v_coef.abs()
            }
            Self::Ddpm { schedule, .. } => schedule.posterior_std(step) / schedule.output_coef(step).abs(),
        }
    }

    /// The next latent at `step` without noise: Euler for flow, DDIM for DDPM.
    ///
    /// # Shapes
    /// As [`transition`](Self::transition); output `[rows, channels]`.
    #[must_use]
    pub fn deterministic(&self, step: usize, x: Tensor<2>, output: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Flow { schedule, .. } => x + output.mul_scalar(schedule.dt(step)),
            Self::Ddpm { schedule, .. } => schedule.ddim(step, x, output),
        }
    }
}
