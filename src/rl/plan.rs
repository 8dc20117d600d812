//! Which AR steps and diffusion steps an iteration trains, drawn before the rollout so that nothing else is kept.

use chacha20::ChaCha8Rng;
use rand::RngExt;

use super::config::{RlConfig, StepWeight};
use crate::error::{Error, Result};
use crate::model::diffusion::Diffusion;
use crate::model::mar::order::tokens_per_step;
use crate::model::noise::{NoiseKey, Purpose};

/// The steps that one iteration trains.
#[derive(Clone, Debug, PartialEq)]
pub struct StepPlan {
    /// AR steps of the rollout.
    pub ar_steps: usize,
    /// Trained AR steps in the order in which they are trained: random, as in the released code.
    pub trained_ar_steps: Vec<usize>,
    /// Trained diffusion steps, ascending.
    pub diffusion_steps: Vec<usize>,
    /// Weight of each trained diffusion step, mean 1.
    pub weights: Vec<f64>,
    /// Stochastic diffusion steps that are never trained because their deviation is below `objective.min_std`.
    pub skipped: Vec<usize>,
}

impl StepPlan {
    /// Draws the steps of iteration number `iteration`.
    ///
    /// # Errors
    /// [`Error::Config`] if `objective.min_std` leaves no diffusion step to train.
    pub fn draw(
        config: &RlConfig,
        diffusion: &Diffusion,
        tokens: usize,
        seed: u64,
        iteration: u32,
    ) -> Result<Self> {
        let mut rng = NoiseKey::new(seed, Purpose::Training, iteration).rng();
        let rollout = &config.rollout;
        let ar_steps = tokens_per_step(tokens, rollout.ar_steps, rollout.rounding).len();
        let trained_ar_steps = draw(ar_steps, rollout.trained_ar_steps, &mut rng);
        let stochastic = rollout.sampler().stochastic_steps;
        let (allowed, skipped): (Vec<usize>, Vec<usize>) = (0..stochastic)
            .partition(|step| diffusion.fixed_std(*step).is_none_or(|std| std >= config.objective.min_std));
        if allowed.is_empty() {
            return Err(Error::Config(format!(
                "rl.objective.min_std = {}: every stochastic diffusion step has a smaller deviation, so nothing would be \
                 trained; choose a smaller one",
                config.objective.min_std
            )));
        }
        let picked = draw(allowed.len(), rollout.trained_diffusion_steps, &mut rng);
        let mut diffusion_steps: Vec<usize> = picked.into_iter().map(|place| allowed[place]).collect();
        diffusion_steps.sort_unstable();
        let weights = match config.objective.step_weight {
            StepWeight::None => vec![1.0; diffusion_steps.len()],
            StepWeight::NoiseLevel => noise_level_weights(diffusion, &diffusion_steps),
        };
        Ok(Self { ar_steps, trained_ar_steps, diffusion_steps, weights, skipped })
    }

    /// Trained AR steps, ascending.
    #[must_use]
    pub fn ascending(&self) -> Vec<usize> {
        let mut steps = self.trained_ar_steps.clone();
        steps.sort_unstable();
        steps
    }
}

/// `std / |d mean / d output|`, scaled to mean 1: the gradient of a log-probability with respect to the head's output is
/// `noise · |d mean / d output| / std`, so these weights give every step the same say.
fn noise_level_weights(diffusion: &Diffusion, steps: &[usize]) -> Vec<f64> {
    let raw: Vec<f64> = steps.iter().map(|step| diffusion.noise_level(*step)).collect();
    let mean = raw.iter().sum::<f64>() / raw.len() as f64;
    // Only the last DDPM step, which is deterministic, has no noise level at all.
    raw.into_iter().map(|w| if mean > 0.0 { w / mean } else { 1.0 }).collect()
}

/// `wanted` of the numbers `0..of` in random order; all of them if there are fewer.
fn draw(of: usize, wanted: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut all: Vec<usize> = (0..of).collect();
    let wanted = wanted.min(of);
    for i in 0..wanted {
        all.swap(i, rng.random_range(i..of));
    }
    all.truncate(wanted);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::diffusion::DiffusionConfig;

    #[test]
    fn draws_are_addressed_and_without_repeats() {
        let mut config = RlConfig::default();
        config.rollout.ar_steps = 16;
        config.rollout.diffusion_steps = 25;
        let diffusion = DiffusionConfig::default().schedule(25).unwrap();
        let plan = |iteration| StepPlan::draw(&config, &diffusion, 64, 1, iteration).unwrap();
        assert_eq!(plan(3), plan(3));
        assert_ne!(plan(3), plan(4));
        let mut steps = plan(3).ascending();
        assert_eq!(steps.len(), 12);
        steps.dedup();
        assert_eq!(steps.len(), 12);
        assert_eq!(plan(3).diffusion_steps.len(), 10);
    }

    #[test]
    fn noise_level_weights_have_mean_one_and_undo_the_schedule() {
        let mut config = RlConfig::default();
        config.objective.step_weight = StepWeight::NoiseLevel;
        let diffusion = DiffusionConfig::default().schedule(10).unwrap();
        let plan = StepPlan::draw(&config, &diffusion, 64, 1, 0).unwrap();
        assert!((plan.weights.iter().sum::<f64>() / plan.weights.len() as f64 - 1.0).abs() < 1e-12);
        let flat: Vec<f64> = plan
            .diffusion_steps
            .iter()
            .zip(&plan.weights)
            .map(|(step, w)| w / diffusion.noise_level(*step))
            .collect();
        assert!(flat.iter().all(|f| (f - flat[0]).abs() < 1e-12), "{flat:?}");
    }
}
