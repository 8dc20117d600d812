//! Multi-trajectory expectation: fresh denoisings of every token from the AR output that decided it (paper-facts 3.4).

use burn::tensor::Tensor;

use super::config::RlConfig;
use super::rollout::Rollout;
use crate::error::Result;
use crate::model::ar_step::{condition, flat_rows};
use crate::model::denoise::{DenoisingStep, NoiseRows, denoise};
use crate::model::diffusion::Diffusion;
use crate::model::head::Head;

/// Rows that are denoised together, which bounds memory whatever the number of pictures and tokens.
const ROWS: usize = 4096;

/// S denoisings of every token of a rollout.
#[derive(Clone, Debug)]
pub struct Trajectories {
    /// `[S][T + 1]` noisy latents of `[pictures * tokens, channels]`.
    pub states: Vec<Vec<Tensor<2>>>,
}

impl Trajectories {
    /// Draws them. Each picture's noise is its own, whatever its neighbours. `poll` is asked between denoising steps.
    ///
    /// With `conditional` replay they are drawn without guidance (NOVA's released code), with `matched` replay as the
    /// rollout was.
    ///
    /// # Errors
    /// Whatever `poll` returns.
    pub fn draw(
        head: &Head,
        diffusion: &Diffusion,
        rollout: &Rollout,
        config: &RlConfig,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Self> {
        let count = config.mte.trajectories;
        let (pictures, tokens) = (rollout.requests.len(), rollout.tokens());
        let steps = config.rollout.sampler().stochastic_steps;
        let mut parts: Vec<Vec<Vec<Tensor<2>>>> = vec![vec![Vec::new(); diffusion.steps() + 1]; count];
        let block = (ROWS / tokens).max(1);
        for first in (0..pictures).step_by(block) {
            let last = (first + block).min(pictures);
            let mut chosen = vec![Vec::new(); pictures];
            chosen[first..last].fill((0..tokens).collect());
            let rows = flat_rows(&chosen, tokens, &rollout.device());
            let condition = condition(&rollout.deciding_z, pictures, rows, config.replay_guidance());
            let noises: Vec<NoiseRows> = (1..=count)
                .map(|trajectory| NoiseRows {
                    images: rollout.requests[first..last].iter().map(|r| (r.seed, r.image)).collect(),
                    tokens: chosen[first..last].to_vec(),
                    tokens_per_image: tokens,
                    channels: rollout.channels(),
                    ar_step: 0,
                    trajectory: trajectory as u8,
                })
                .collect();
            let mut keep = |step: &DenoisingStep<'_>| {
                let states = &mut parts[step.trajectory];
                if step.step == 0 {
                    states[0].push(step.x.clone());
                }
                states[step.step + 1].push(step.next.clone());
                poll()
            };
            denoise(head, diffusion, &condition, &noises, steps, &mut keep)?;
        }
        let joined = |blocks: Vec<Tensor<2>>| {
            if blocks.len() == 1 { blocks.into_iter().next() } else { Some(Tensor::cat(blocks, 0)) }
        };
        let states =
            parts.into_iter().map(|states| states.into_iter().filter_map(joined).collect()).collect();
        Ok(Self { states })
    }

    /// The finished latents of each trajectory, `[pictures * tokens, channels]`.
    #[must_use]
    pub fn finals(&self) -> Vec<Tensor<2>> {
        self.states.iter().filter_map(|states| states.last().cloned()).collect()
    }
}
