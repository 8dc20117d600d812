//! Rectified flow: times, the deterministic step and the stochastic step of the released MAR-GRPO code.
//!
//! `x_sigma = sigma · noise + (1 - sigma) · data`, velocity `v = noise - data`, `dt = sigma_next - sigma < 0`.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::transition::{Spread, Transition};

/// How the times from 1 to 0 are spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "spacing", rename_all = "snake_case", deny_unknown_fields)]
pub enum FlowGrid {
    /// `sigma_i = 1 - i / T`.
    #[default]
    Uniform,
    /// diffusers' `FlowMatchEulerDiscreteScheduler` with 1,000 training steps: from 1 to 0.001 (both shifted), then 0.
    Diffusers {
        /// `sigma ← shift · sigma / (1 + (shift - 1) · sigma)`, positive; 1 leaves the grid as it is.
        shift: f64,
    },
}

/// The times of a sampling run.
#[derive(Clone, Debug)]
pub struct FlowSchedule {
    /// `T + 1` times from 1 down to 0.
    sigmas: Vec<f64>,
}

/// Coefficients of one stochastic step: `mean = x_coef · x + v_coef · v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SdeCoefficients {
    /// Weight of the noisy latent.
    pub x_coef: f64,
    /// Weight of the velocity, `d mean / d v`.
    pub v_coef: f64,
    /// Standard deviation of the next latent.
    pub std: f64,
}

impl FlowSchedule {
    /// `steps` times on `grid`.
    #[must_use]
    pub fn new(grid: FlowGrid, steps: usize) -> Self {
        let mut sigmas: Vec<f64> = match grid {
            FlowGrid::Uniform => (0..steps).map(|i| 1.0 - i as f64 / steps as f64).collect(),
            FlowGrid::Diffusers { shift } => {
                let shifted = |sigma: f64| shift * sigma / (1.0 + (shift - 1.0) * sigma);
                // The scheduler shifts its end points when it is made and the whole grid again when it is used.
                let (first, last) = (shifted(1.0), shifted(0.001));
                let stride = (last - first) / (steps.max(2) - 1) as f64;
                (0..steps).map(|i| shifted(first + stride * i as f64)).collect()
            }
        };
        sigmas.push(0.0);
        Self { sigmas }
    }

    /// Number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.sigmas.len() - 1
    }

    /// Time at the start of `step`, 1 for the first.
    #[must_use]
    pub fn sigma(&self, step: usize) -> f64 {
        self.sigmas[step]
    }

    /// Change of time in `step`, negative.
    #[must_use]
    pub fn dt(&self, step: usize) -> f64 {
        self.sigmas[step + 1] - self.sigmas[step]
    }

    /// The stochastic step of the released code (paper-facts 3.11).
    ///
    /// `s² = eta² · sigma / (1 - sigma)`, where at sigma = 1 the denominator uses the second time instead;
    /// `mean = x (1 + s² dt / (2 sigma)) + v (1 + s² (1 - sigma) / (2 sigma)) dt`, `std = s sqrt(-dt)`.
    #[must_use]
    pub fn sde(&self, step: usize, eta: f64) -> SdeCoefficients {
        let (sigma, dt) = (self.sigma(step), self.dt(step));
        let denominator = if sigma >= 1.0 { 1.0 - self.sigmas[1] } else { 1.0 - sigma };
        let s_squared = eta * eta * sigma / denominator;
        SdeCoefficients {
            x_coef: 1.0 + s_squared * dt / (2.0 * sigma),
            v_coef: (1.0 + s_squared * (1.0 - sigma) / (2.0 * sigma)) * dt,
            std: (s_squared * -dt).sqrt(),
        }
    }
}

impl SdeCoefficients {
    /// The Gaussian of the next latent.
    ///
    /// # Shapes
    /// - `x`, `velocity`: `[rows, channels]`
    #[must_use]
    pub fn transition(&self, x: Tensor<2>, velocity: Tensor<2>) -> Transition {
        let mean = x.mul_scalar(self.x_coef) + velocity.mul_scalar(self.v_coef);
        Transition { mean, std: Spread::Uniform(self.std) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of paper-facts 3.11 (25 steps, shift 1, x = 0.3, v = -0.7, next = 0.25).
    #[test]
    fn sde_step_equals_the_released_code() {
        let schedule = FlowSchedule::new(FlowGrid::Diffusers { shift: 1.0 }, 25);
        let table = [
            (0, 1.0, 0.755, -0.041_625, 0.7, 0.255_638, -0.5623),
            (1, 0.958_375, 0.755, -0.051_823, 0.685_276, 0.262_776, -0.5412),
            (12, 0.5005, 0.979_583, -0.051_823, 0.142_958, 0.330_151, 0.8691),
            (23, 0.042_625, 0.989_348, -0.051_823, 0.030_135, 0.333_081, -1.2173),
            (24, 0.001, 0.999_755, -0.001_245, 0.0007, 0.300_798, -2624.11),
        ];
        let device = burn::tensor::Device::flex();
        for (step, sigma, x_coef, v_coef, std, mean, logp) in table {
            let sde = schedule.sde(step, 0.7);
            assert!((schedule.sigma(step) - sigma).abs() < 1e-6);
            assert!((sde.x_coef - x_coef).abs() < 1e-6, "step {step}: {sde:?}");
            assert!((sde.v_coef - v_coef).abs() < 1e-6, "step {step}: {sde:?}");
            assert!((sde.std - std).abs() < 1e-6, "step {step}: {sde:?}");
            let at = |value: f32| Tensor::<2>::from_floats([[value]], &device);
            let transition = sde.transition(at(0.3), at(-0.7));
            let got_mean: f32 = transition.mean.clone().into_scalar();
            let got_logp: f32 = transition.log_prob(at(0.25), 0.0).into_scalar();
            assert!((got_mean - mean).abs() < 1e-6, "step {step}: mean {got_mean}");
            // The last step has a tiny deviation: one rounding of the mean moves its log-probability by 0.2.
            let tolerance = if step == 24 { 0.5 } else { 1e-4 };
            assert!((got_logp - logp).abs() < tolerance, "step {step}: logp {got_logp}");
        }
    }
}
