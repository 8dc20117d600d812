//! How noisy a gradient is, and redrawing the head's noise to find out.

use super::config::RlConfig;
use super::rollout::{Rollout, TrainedStep};
use crate::error::Result;
use crate::model::Generator;
use crate::model::ar_step::{condition, flat_rows, transformer_output};
use crate::model::denoise::{NoiseRows, denoise};
use crate::model::diffusion::Diffusion;
use crate::model::sample::Request;
use crate::world::tokenizer::SLOTS;

/// Moments of a gradient over redraws of its noise.
#[derive(Clone, Debug, Default)]
pub struct GradientMoments {
    sum: Vec<f64>,
    squares: f64,
    count: usize,
}

impl GradientMoments {
    /// Takes in one gradient.
    pub fn add(&mut self, gradient: &[f32]) {
        self.sum.resize(gradient.len().max(self.sum.len()), 0.0);
        for (sum, value) in self.sum.iter_mut().zip(gradient) {
            *sum += f64::from(*value);
            self.squares += f64::from(*value).powi(2);
        }
        self.count += 1;
    }

    /// Trace of the covariance (n - 1); NaN of fewer than two gradients.
    #[must_use]
    pub fn trace(&self) -> f64 {
        let n = self.count as f64;
        if self.count < 2 { f64::NAN } else { (self.squares - n * self.squared_mean()) / (n - 1.0) }
    }

    /// Squared norm of the mean. Of n gradients without any signal it is still about `trace / n`.
    #[must_use]
    pub fn squared_mean(&self) -> f64 {
        let n = self.count as f64;
        self.sum.iter().map(|s| (s / n).powi(2)).sum()
    }

    /// Trace over squared norm of the mean; about n if there is no signal.
    #[must_use]
    pub fn noise_to_signal(&self) -> f64 {
        self.trace() / self.squared_mean()
    }
}

/// The same pictures, tokens and transformer outputs with the head's noise drawn anew: redraw number `redraw`, from 1. `poll` is asked between denoising steps.
/// Only the trajectories change; what was known before each AR step stays.
///
/// # Errors
/// Whatever `poll` returns.
pub fn redraw(
    rollout: &Rollout,
    generator: &Generator,
    diffusion: &Diffusion,
    config: &RlConfig,
    (redraw, poll): (u64, &mut dyn FnMut() -> Result<()>),
) -> Result<Rollout> {
    let requests: Vec<Request> = rollout
        .requests
        .iter()
        // An odd multiplier keeps the seeds of different redraws apart.
        .map(|request| Request {
            seed: request.seed ^ redraw.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            ..*request
        })
        .collect();
    let mut redrawn = Rollout { requests, ..rollout.clone() };
    let captions: Vec<[u8; SLOTS]> = rollout.requests.iter().map(|r| r.caption).collect();
    for step in &mut redrawn.steps {
        let known = rollout.known_before(step.ar_step);
        let guidance = config.rollout.guidance;
        let z = transformer_output(generator, &captions, step.before.clone(), known, guidance);
        let rows = flat_rows(&step.tokens, rollout.tokens(), &rollout.device());
        let condition = condition(&z, captions.len(), rows, guidance);
        let noise = NoiseRows {
            images: redrawn.requests.iter().map(|r| (r.seed, r.image)).collect(),
            tokens: step.tokens.clone(),
            tokens_per_image: rollout.tokens(),
            channels: rollout.channels(),
            ar_step: step.ar_step,
            trajectory: 0,
        };
        let mut states = Vec::with_capacity(diffusion.steps() + 1);
        let stochastic = config.rollout.sampler().stochastic_steps;
        denoise(&generator.head, diffusion, &condition, &[noise], stochastic, &mut |denoising| {
            if denoising.step == 0 {
                states.push(denoising.x.clone());
            }
            states.push(denoising.next.clone());
            poll()
        })?;
        *step = TrainedStep { states, ..step.clone() };
    }
    Ok(redrawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_equals_the_hand_computed_one() {
        let mut moments = GradientMoments::default();
        assert!(moments.noise_to_signal().is_nan());
        moments.add(&[1.0, 0.0]);
        moments.add(&[3.0, 2.0]);
        // Mean (2, 1), norm² 5; variances (2, 2), trace 4.
        assert!((moments.noise_to_signal() - 0.8).abs() < 1e-12);
        let mut same = GradientMoments::default();
        same.add(&[2.0]);
        same.add(&[2.0]);
        assert!(same.noise_to_signal().abs() < 1e-12);
    }
}
