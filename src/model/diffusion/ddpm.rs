//! DDPM posteriors of NOVA (diffusers) and of MAR and Harmon (improved diffusion with respacing).

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::transition::{Spread, Transition};

const TRAINING_STEPS: usize = 1000;

/// Noise schedule of training, over 1,000 steps, and the rule that picks sampling steps from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BetaSchedule {
    /// MAR and Harmon: cosine in float64, betas capped at 0.999, respaced to evenly rounded indices.
    #[default]
    RespacedCosine,
    /// diffusers `squaredcos_cap_v2`: the same betas, cumulated in float32, "leading" spacing.
    SquaredcosCapV2,
    /// diffusers `linear`: 0.0001 to 0.02, float32, "leading" spacing.
    Linear,
    /// diffusers `scaled_linear`: squares of a linear range of roots, 0.00085 to 0.012, float32, "leading" spacing.
    ScaledLinear,
}

/// What stands for the variance of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variance {
    /// The posterior variance; 0 at the last step.
    #[default]
    FixedSmall,
    /// The head's second half interpolates, in the logarithm, between the posterior variance and beta.
    LearnedRange,
}

/// Coefficients of one step.
#[derive(Clone, Copy, Debug)]
struct Coefficients {
    timestep: usize,
    alpha_bar: f64,
    alpha_bar_prev: f64,
    beta: f64,
    posterior_variance: f64,
    x0_coef: f64,
    xt_coef: f64,
}

/// The steps of a sampling run, noisiest first.
#[derive(Clone, Debug)]
pub struct DdpmSchedule {
    steps: Vec<Coefficients>,
    /// Log posterior variance of each step; that of the last step is replaced by the one before it.
    log_variance: Vec<f64>,
}

impl BetaSchedule {
    fn betas(self) -> Vec<f64> {
        let grid = |first: f64, last: f64| {
            (0..TRAINING_STEPS).map(move |i| first + (last - first) * i as f64 / (TRAINING_STEPS - 1) as f64)
        };
        match self {
            Self::Linear => grid(1e-4, 0.02).collect(),
            Self::ScaledLinear => grid(0.00085f64.sqrt(), 0.012f64.sqrt()).map(|root| root * root).collect(),
            Self::RespacedCosine | Self::SquaredcosCapV2 => {
                let alpha_bar = |u: f64| ((u + 0.008) / 1.008 * std::f64::consts::FRAC_PI_2).cos().powi(2);
                let at = |i: usize| alpha_bar(i as f64 / TRAINING_STEPS as f64);
                (0..TRAINING_STEPS).map(|i| (1.0 - at(i + 1) / at(i)).min(0.999)).collect()
            }
        }
    }

    /// Cumulative products of `1 - beta`, in the precision of the original.
    fn alpha_bars(self) -> Vec<f64> {
        let betas = self.betas();
        if self == Self::RespacedCosine {
            return betas
                .iter()
                .scan(1.0, |product, beta| {
                    *product *= 1.0 - beta;
                    Some(*product)
                })
                .collect();
        }
        // diffusers holds betas and alphas in float32, where 1 - alpha_bar cancels near t = 0 (paper-facts 3.12).
        // torch.cumprod on the CPU carries the product in double and rounds each result.
        betas
            .iter()
            .scan(1.0f64, |product, beta| {
                *product *= f64::from(1.0f32 - *beta as f32);
                Some(f64::from(*product as f32))
            })
            .collect()
    }

    /// Training timesteps of a run of `steps`, rising.
    fn timesteps(self, steps: usize) -> Vec<usize> {
        if self == Self::RespacedCosine {
            let stride = (TRAINING_STEPS - 1) as f64 / (steps.max(2) - 1) as f64;
            (0..steps).map(|i| (i as f64 * stride).round_ties_even() as usize).collect()
        } else {
            (0..steps).map(|i| i * (TRAINING_STEPS / steps)).collect()
        }
    }
}

impl DdpmSchedule {
    /// `steps` of the 1,000 training steps.
    #[must_use]
    pub fn new(betas: BetaSchedule, steps: usize) -> Self {
        let alpha_bars = betas.alpha_bars();
        let mut previous = 1.0;
        let mut list: Vec<Coefficients> = betas
            .timesteps(steps)
            .into_iter()
            .map(|timestep| {
                let step = Coefficients::new(timestep, alpha_bars[timestep], previous);
                previous = alpha_bars[timestep];
                step
            })
            .collect();
        list.reverse();
        let floor = list.iter().rev().map(|c| c.posterior_variance).find(|v| *v > 0.0).unwrap_or(1e-20);
        let log_variance = list
            .iter()
            .map(|c| if c.posterior_variance > 0.0 { c.posterior_variance.ln() } else { floor.ln() })
            .collect();
        Self { steps: list, log_variance }
    }

    /// Number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The training timestep of `step`, 0 to 999.
    #[must_use]
    pub fn timestep(&self, step: usize) -> usize {
        self.steps[step].timestep
    }

    /// Cumulative alpha at `step`: the share of the signal's variance in the noisy latent.
    #[must_use]
    pub fn alpha_bar(&self, step: usize) -> f64 {
        self.steps[step].alpha_bar
    }

    /// Deviation of the posterior at `step`; 0 at the last.
    #[must_use]
    pub fn posterior_std(&self, step: usize) -> f64 {
        self.steps[step].posterior_variance.sqrt()
    }

    /// `d mean / d noise` of the posterior at `step`, negative.
    #[must_use]
    pub fn output_coef(&self, step: usize) -> f64 {
        let c = self.steps[step];
        -c.x0_coef * (1.0 / c.alpha_bar - 1.0).sqrt()
    }

    /// The posterior `q(x_prev | x_t, x0)` at the predicted x0 (paper-facts 3.12 and 3.13).
    ///
    /// # Shapes
    /// - `x`: `[rows, channels]`
    /// - `output`: `[rows, channels]` noise, or `[rows, 2 channels]` noise and variance in `[-1, 1]`
    #[must_use]
    pub fn posterior(&self, step: usize, variance: Variance, x: Tensor<2>, output: Tensor<2>) -> Transition {
        let c = self.steps[step];
        let [_, channels] = x.dims();
        let x0 = c.predict_x0(x.clone(), output.clone().narrow(1, 0, channels));
        let mean = x0.mul_scalar(c.x0_coef) + x.mul_scalar(c.xt_coef);
        let std = match variance {
            Variance::FixedSmall => Spread::Uniform(c.posterior_variance.sqrt()),
            Variance::LearnedRange => {
                let share = (output.narrow(1, channels, channels) + 1.0).mul_scalar(0.5);
                let (low, high) = (self.log_variance[step], c.beta.ln());
                Spread::Elementwise((share.mul_scalar(high - low) + low).mul_scalar(0.5).exp())
            }
        };
        Transition { mean, std }
    }

    /// The deterministic (DDIM, eta 0) step.
    ///
    /// # Shapes
    /// As [`posterior`](Self::posterior).
    #[must_use]
    pub fn ddim(&self, step: usize, x: Tensor<2>, output: Tensor<2>) -> Tensor<2> {
        let c = self.steps[step];
        let [_, channels] = x.dims();
        let noise = output.narrow(1, 0, channels);
        let x0 = c.predict_x0(x, noise.clone());
        x0.mul_scalar(c.alpha_bar_prev.sqrt()) + noise.mul_scalar((1.0 - c.alpha_bar_prev).sqrt())
    }
}

impl Coefficients {
    fn new(timestep: usize, alpha_bar: f64, alpha_bar_prev: f64) -> Self {
        let alpha = alpha_bar / alpha_bar_prev;
        let beta = 1.0 - alpha;
        let rest = (1.0 - alpha_bar).max(1e-12);
        Self {
            timestep,
            alpha_bar,
            alpha_bar_prev,
            beta,
            posterior_variance: beta * (1.0 - alpha_bar_prev) / rest,
            x0_coef: alpha_bar_prev.sqrt() * beta / rest,
            xt_coef: alpha.sqrt() * (1.0 - alpha_bar_prev) / rest,
        }
    }

    fn predict_x0(&self, x: Tensor<2>, noise: Tensor<2>) -> Tensor<2> {
        x.mul_scalar(1.0 / self.alpha_bar.sqrt()) - noise.mul_scalar((1.0 / self.alpha_bar - 1.0).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64, tolerance: f64) -> bool {
        (got - want).abs() <= tolerance * want.abs().max(1e-6)
    }

    /// paper-facts 3.13: respaced 25 of 1,000.
    #[test]
    fn respaced_cosine_equals_mar_and_harmon() {
        let schedule = DdpmSchedule::new(BetaSchedule::RespacedCosine, 25);
        let rising: Vec<usize> = (0..25).rev().map(|i| schedule.timestep(i)).collect();
        let expected = [
            0, 42, 83, 125, 166, 208, 250, 291, 333, 375, 416, 458, 500, 541, 583, 624, 666, 708, 749, 791,
            832, 874, 916, 957, 999,
        ];
        assert_eq!(rising, expected);
        let table = [
            (0, 0.999_958_72, 4.1284e-5, 0.0, 1.0, 0.0),
            (1, 0.993_851_49, 0.006_107_473_4, 4.100_871_4e-5, 0.993_305_99, 0.006_693_978),
            (12, 0.492_285_17, 0.117_162_79, 0.102_086_46, 0.172_320_89, 0.818_688_61),
            (23, 0.004_278_234_2, 0.742_874_39, 0.733_652_67, 0.096_235_875, 0.500_780_93),
            (24, 2.428_766_9e-9, 0.999_999_43, 0.995_721_2, 0.065_408_175, 0.000_750_237_28),
        ];
        for (index, alpha_bar, beta, variance, x0_coef, xt_coef) in table {
            let c = schedule.steps[24 - index];
            assert!(close(c.alpha_bar, alpha_bar, 1e-7), "{c:?}");
            assert!(close(c.beta, beta, 1e-5), "{c:?}");
            assert!(close(c.posterior_variance, variance, 1e-6), "{c:?}");
            assert!(close(c.x0_coef, x0_coef, 1e-7), "{c:?}");
            assert!(close(c.xt_coef, xt_coef, 1e-6), "{c:?}");
        }
    }

    /// paper-facts 3.12: the scheduler's float32 alphas, "leading" spacing.
    #[test]
    fn squaredcos_cap_v2_equals_diffusers() {
        let schedule = DdpmSchedule::new(BetaSchedule::SquaredcosCapV2, 25);
        let at = |timestep: usize| schedule.steps[24 - timestep / 40];
        for (timestep, alpha_bar, variance, x0_coef, xt_coef) in [
            (960, 0.003_689_611_5, 0.746_718_74, 0.093_106_371, 0.488_959_98),
            (480, 0.523_447_78, 0.092_048_868, 0.169_858_44, 0.822_730_33),
            (40, 0.994_335_23, 4.1007e-5, 0.992_728_76, 0.007_271_2),
            (0, 1.0 - 4.1306e-5, 0.0, 1.0, 0.0),
        ] {
            let c = at(timestep);
            assert_eq!(c.timestep, timestep);
            // The first two rows of the table are float64 alphas, the last two float32: apart by up to 6e-7.
            assert!(close(c.alpha_bar, alpha_bar, 6e-7), "{c:?}");
            assert!(close(c.posterior_variance, variance, 2e-5), "{c:?}");
            assert!(close(c.x0_coef, x0_coef, 5e-6), "{c:?}");
            assert!(close(c.xt_coef, xt_coef, 2e-5), "{c:?}");
        }
    }
}
