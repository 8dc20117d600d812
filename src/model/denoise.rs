//! The head's whole trajectory from noise to a latent, for many tokens at once.

use burn::tensor::{Device, Tensor, TensorData};

use super::diffusion::{Diffusion, Transition};
use super::head::Head;
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
    fn projected(&self, head: &Head) -> Self {
        Self {
            z: head.project_condition(self.z.clone()),
            unconditional: self.unconditional.as_ref().map(|(z, w)| (head.project_condition(z.clone()), *w)),
        }
    }

    /// `output_u + w (output_c - output_u)` of a projected condition.
    fn head_output(&self, head: &Head, x: &Tensor<2>, time: f32) -> Tensor<2> {
        let output = head.forward(x.clone(), self.z.clone(), &[time]);
        match &self.unconditional {
            None => output,
            Some((z, weight)) => {
                let without = head.forward(x.clone(), z.clone(), &[time]);
                without.clone() + (output - without).mul_scalar(*weight)
            }
        }
    }
}

/// One denoising step, as an observer sees it.
#[derive(Debug)]
pub struct DenoisingStep<'a> {
    /// Diffusion step, 0 is the noisiest.
    pub step: usize,
    /// `[rows, channels]` before the step.
    pub x: &'a Tensor<2>,
    /// `[rows, channels]` after it.
    pub next: &'a Tensor<2>,
    /// The Gaussian that `next` was drawn from, if the step was stochastic.
    pub transition: Option<&'a Transition>,
}

/// Denoises every row of `noise` from pure noise: the first `stochastic_steps` steps draw from the transition, the rest
/// are deterministic. Returns the latents `[rows, channels]`.
///
/// # Errors
/// Whatever `observe` returns, at once.
pub fn denoise(
    head: &Head,
    diffusion: &Diffusion,
    condition: &Condition,
    noise: &NoiseRows,
    stochastic_steps: usize,
    observe: &mut dyn FnMut(&DenoisingStep<'_>) -> Result<()>,
) -> Result<Tensor<2>> {
    let device = condition.z.device();
    let condition = condition.projected(head);
    let mut x = noise.draw(NoiseKey::START, &device);
    for step in 0..diffusion.steps() {
        let output = condition.head_output(head, &x, diffusion.time(step));
        let (next, transition) = if step < stochastic_steps {
            let transition = diffusion.transition(step, x.clone(), output);
            (transition.sample(noise.draw(step as u16, &device)), Some(transition))
        } else {
            (diffusion.deterministic(step, x.clone(), output), None)
        };
        observe(&DenoisingStep { step, x: &x, next: &next, transition: transition.as_ref() })?;
        x = next;
    }
    Ok(x)
}
