//! The head's whole trajectory from noise to a latent, for many tokens at once.

use burn::tensor::{Device, Tensor, TensorData};

use super::diffusion::{Diffusion, Transition};
use super::head::{Head, HeadModulation};
use super::noise::{NoiseKey, Purpose};
use crate::error::Result;

/// Which tokens of which images are denoised, and where their noise comes from.
///
/// The noise of a token does not depend on which other tokens are denoised with it.
#[derive(Clone, Debug)]
pub struct NoiseRows {
    /// `(seed, image number)` of each image.
    pub images: Vec<(u64, u32)>,
    /// Token indices of each image, in row order; as many for each image.
    pub tokens: Vec<Vec<usize>>,
    /// Tokens of a picture.
    pub tokens_per_image: usize,
    /// Channels of a latent.
    pub channels: usize,
    /// AR step, counted from 0.
    pub ar_step: usize,
    /// 0 for the sampled trajectory, 1.. for the extra ones of multi-trajectory expectation.
    pub trajectory: u8,
}

impl NoiseRows {
    /// Rows in all.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.tokens.iter().map(Vec::len).sum()
    }

    /// Standard normal noise for `diffusion_step`, `[rows, channels]`.
    #[must_use]
    pub fn draw(&self, diffusion_step: u16, device: &Device) -> Tensor<2> {
        let mut values = Vec::with_capacity(self.rows() * self.channels);
        for ((seed, image), tokens) in self.images.iter().zip(&self.tokens) {
            let key = NoiseKey {
                trajectory: self.trajectory,
                ar_step: self.ar_step as u16,
                diffusion_step,
                ..NoiseKey::new(*seed, Purpose::Denoising, *image)
            };
            let grid = key.normal(self.tokens_per_image * self.channels);
            for token in tokens {
                values.extend_from_slice(&grid[token * self.channels..(token + 1) * self.channels]);
            }
        }
        Tensor::from_data(TensorData::new(values, [self.rows(), self.channels]), device)
    }
}

/// What the head is conditioned on.
#[derive(Clone, Debug)]
pub struct Condition {
    /// `[rows, condition width]`, the transformer's output for the caption.
    pub z: Tensor<2>,
    /// The same without a caption, and the guidance weight.
    pub unconditional: Option<(Tensor<2>, f64)>,
}

impl Condition {
    /// Ready for the head; computed once for all diffusion steps.
    #[must_use]
    pub fn project(&self, head: &Head) -> ProjectedCondition {
        ProjectedCondition {
            z: head.project_condition(self.z.clone()),
            unconditional: self.unconditional.as_ref().map(|(z, w)| (head.project_condition(z.clone()), *w)),
        }
    }
}

/// A [`Condition`] in the head's width.
#[derive(Clone, Debug)]
pub struct ProjectedCondition {
    z: Tensor<2>,
    unconditional: Option<(Tensor<2>, f64)>,
}

impl ProjectedCondition {
    /// The policy's head at `times`: shared by sampling and replay, and by all trajectories from this condition.
    #[must_use]
    pub fn at(&self, head: &Head, times: &[f32]) -> GuidedHead {
        GuidedHead {
            with_caption: head.modulation(self.z.clone(), times),
            without: self.unconditional.as_ref().map(|(z, w)| (head.modulation(z.clone(), times), *w)),
        }
    }
}

/// The head for given conditions and times.
#[derive(Clone, Debug)]
pub struct GuidedHead {
    with_caption: HeadModulation,
    without: Option<(HeadModulation, f64)>,
}

impl GuidedHead {
    /// `output_u + w (output_c - output_u)`, or `output_c` without guidance.
    ///
    /// # Shapes
    /// - `x`: `[times * rows, channels]`, times outermost
    /// - output: `[times * rows, head outputs]`
    #[must_use]
    pub fn output(&self, head: &Head, x: &Tensor<2>) -> Tensor<2> {
        let output = head.denoise(x.clone(), &self.with_caption);
        match &self.without {
            None => output,
            Some((modulation, weight)) => {
                let without = head.denoise(x.clone(), modulation);
                let [_, channels] = x.dims();
                let [_, outputs] = output.dims();
                let mixed = |of: &Tensor<2>| of.clone().narrow(1, 0, channels);
                let guided = mixed(&without) + (mixed(&output) - mixed(&without)).mul_scalar(*weight);
                if outputs == channels {
                    return guided;
                }
                // A learned variance is not extrapolated: it is that of the caption (paper-facts 3.13).
                Tensor::cat(vec![guided, output.narrow(1, channels, outputs - channels)], 1)
            }
        }
    }
}

/// One denoising step, as an observer sees it.
#[derive(Debug)]
pub struct DenoisingStep<'a> {
    /// Which of the trajectories, from 0.
    pub trajectory: usize,
    /// Diffusion step, 0 is the noisiest.
    pub step: usize,
    /// `[rows, channels]` before the step.
    pub x: &'a Tensor<2>,
    /// `[rows, channels]` after it.
    pub next: &'a Tensor<2>,
    /// The Gaussian that `next` was drawn from, if the step was stochastic.
    pub transition: Option<&'a Transition>,
}

/// Denoises every row from pure noise, once for each entry of `noises`: the first `stochastic_steps` steps draw from the
/// transition, the rest are deterministic. Returns the latents `[rows, channels]` of each trajectory.
///
/// # Errors
/// Whatever `observe` returns, at once.
pub fn denoise(
    head: &Head,
    diffusion: &Diffusion,
    condition: &Condition,
    noises: &[NoiseRows],
    stochastic_steps: usize,
    observe: &mut dyn FnMut(&DenoisingStep<'_>) -> Result<()>,
) -> Result<Vec<Tensor<2>>> {
    let device = condition.z.device();
    let condition = condition.project(head);
    let mut states: Vec<Tensor<2>> =
        noises.iter().map(|noise| noise.draw(NoiseKey::START, &device)).collect();
    for step in 0..diffusion.steps() {
        let guided = condition.at(head, &[diffusion.time(step)]);
        for (trajectory, (x, noise)) in states.iter_mut().zip(noises).enumerate() {
            let output = guided.output(head, x);
            let (next, transition) = if step < stochastic_steps {
                let transition = diffusion.transition(step, x.clone(), output);
                let next = if diffusion.ends_without_noise(step) {
                    transition.mean.clone()
                } else {
                    transition.sample(noise.draw(step as u16, &device))
                };
                (next, Some(transition))
            } else {
                (diffusion.deterministic(step, x.clone(), output), None)
            };
            let transition = transition.as_ref();
            observe(&DenoisingStep { trajectory, step, x, next: &next, transition })?;
            *x = next;
        }
    }
    Ok(states)
}
