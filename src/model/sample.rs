//! Captions to latents: the AR loop.

use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::Generator;
use super::ar_step::{condition, flat_rows, transformer_output};
use super::denoise::{DenoisingStep, NoiseRows, denoise};
use super::diffusion::{Diffusion, DiffusionConfig};
use super::mar::order::{CountRounding, random_order, tokens_per_step};
use super::noise::{NoiseKey, Purpose};
use crate::error::{Error, Result};
use crate::world::tokenizer::SLOTS;

/// How pictures are generated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SampleConfig {
    /// AR steps, 1 to 1024; more than there are tokens act as one token a step.
    pub ar_steps: usize,
    /// Diffusion steps of the head, 1 to 1000.
    pub diffusion_steps: usize,
    /// Weight of classifier-free guidance, 0 to 20; 1 is none and costs half.
    pub guidance: f64,
    /// How many of the diffusion steps, from the first, are stochastic; 0 is a deterministic sampler.
    pub stochastic_steps: usize,
    /// Rounding of the cosine schedule.
    pub rounding: CountRounding,
}

impl Default for SampleConfig {
    fn default() -> Self {
        Self {
            ar_steps: 16,
            diffusion_steps: 12,
            guidance: 2.0,
            stochastic_steps: 0,
            rounding: CountRounding::Round,
        }
    }
}

impl SampleConfig {
    /// Checks the documented ranges.
    ///
    /// # Errors
    /// [`Error::Config`] naming the first setting that is out of range.
    pub fn validate(&self) -> Result<()> {
        if !(1..=1024).contains(&self.ar_steps) {
            return Err(Error::Config(format!("{} AR steps: choose between 1 and 1024", self.ar_steps)));
        }
        if !(1..=Diffusion::MAX_STEPS).contains(&self.diffusion_steps) {
            return Err(Error::Config(format!(
                "{} diffusion steps: choose between 1 and {}",
                self.diffusion_steps,
                Diffusion::MAX_STEPS
            )));
        }
        if !(0.0..=20.0).contains(&self.guidance) {
            return Err(Error::Config(format!("guidance {}: choose between 0 and 20", self.guidance)));
        }
        if self.stochastic_steps > self.diffusion_steps {
            return Err(Error::Config(format!(
                "{} stochastic steps of {} diffusion steps: choose at most as many",
                self.stochastic_steps, self.diffusion_steps
            )));
        }
        Ok(())
    }
}

/// One picture to generate. Its noise depends on `seed` and `image` only, not on the rest of the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Caption tokens.
    pub caption: [u8; SLOTS],
    /// Seed of the run.
    pub seed: u64,
    /// Number of the picture in the run.
    pub image: u32,
}

/// One AR step, as an observer sees it once the step is done.
#[derive(Debug)]
pub struct ArStep<'a> {
    /// AR step, counted from 0.
    pub ar_step: usize,
    /// AR steps in all.
    pub ar_steps: usize,
    /// Tokens predicted by this step, for each image.
    pub predicted: &'a [Vec<usize>],
    /// Tokens that the head denoised, for each image: the predicted ones, or all.
    pub denoised: &'a [Vec<usize>],
    /// `[batch, tokens, width]`, the transformer's output; with guidance `[2 batch, tokens, width]`, the rows without a
    /// caption last.
    pub z: &'a Tensor<3>,
    /// `[rows, channels]`, the denoised latents in the order of `denoised`.
    pub rows: &'a Tensor<2>,
    /// `[batch, tokens, channels]`, known tokens before this step, zero elsewhere.
    pub before: &'a Tensor<3>,
}

/// Sees every AR and denoising step, may ask for more, and may end the sampling with an error.
pub trait Observer {
    /// Whether the head should denoise all tokens at this AR step, not only the predicted ones.
    fn wants_all_tokens(&self, ar_step: usize) -> bool {
        let _ = ar_step;
        false
    }

    /// After each denoising step.
    ///
    /// # Errors
    /// Ends the sampling.
    fn denoising_step(&mut self, ar_step: usize, step: &DenoisingStep<'_>) -> Result<()> {
        let _ = (ar_step, step);
        Ok(())
    }

    /// After each AR step.
    ///
    /// # Errors
    /// Ends the sampling.
    fn ar_step(&mut self, step: &ArStep<'_>) -> Result<()> {
        let _ = step;
        Ok(())
    }
}

/// Looks at nothing.
impl Observer for () {}

/// Generates the latents `[batch, tokens, channels]` of `requests`.
///
/// # Errors
/// [`Error::Config`] for settings out of range, or whatever `observer` returns.
pub fn sample(
    generator: &Generator,
    diffusion: &DiffusionConfig,
    requests: &[Request],
    config: &SampleConfig,
    observer: &mut dyn Observer,
) -> Result<Tensor<3>> {
    config.validate()?;
    let diffusion = diffusion.schedule(config.diffusion_steps)?;
    let mut state = Canvas::new(generator, requests);
    let counts = tokens_per_step(state.tokens, config.ar_steps, config.rounding);
    let captions: Vec<[u8; SLOTS]> = requests.iter().map(|r| r.caption).collect();
    let mut first = 0;
    for (ar_step, count) in counts.iter().enumerate() {
        let z = state.transformer(generator, &captions, config.guidance);
        let predicted: Vec<Vec<usize>> =
            state.orders.iter().map(|order| order[first..first + count].to_vec()).collect();
        let all = observer.wants_all_tokens(ar_step);
        let denoised =
            if all { vec![(0..state.tokens).collect(); requests.len()] } else { predicted.clone() };
        let noise = NoiseRows {
            images: requests.iter().map(|r| (r.seed, r.image)).collect(),
            tokens: denoised,
            tokens_per_image: state.tokens,
            channels: state.channels,
            ar_step,
            trajectory: 0,
        };
        let rows = flat_rows(&noise.tokens, state.tokens, &state.device);
        let condition = condition(&z, requests.len(), rows, config.guidance);
        let noises = std::slice::from_ref(&noise);
        let mut observe = |step: &DenoisingStep<'_>| observer.denoising_step(ar_step, step);
        let rows =
            denoise(&generator.head, &diffusion, &condition, noises, config.stochastic_steps, &mut observe)?
                .swap_remove(0);
        observer.ar_step(&ArStep {
            ar_step,
            ar_steps: counts.len(),
            predicted: &predicted,
            denoised: &noise.tokens,
            z: &z,
            rows: &rows,
            before: &state.latents,
        })?;
        let rows = if all { state.rows_of(&predicted, rows) } else { rows };
        state.write(&predicted, rows);
        first += count;
    }
    Ok(state.latents)
}

/// The pictures under construction.
struct Canvas {
    tokens: usize,
    channels: usize,
    orders: Vec<Vec<usize>>,
    latents: Tensor<3>,
    known: Vec<f32>,
    device: Device,
}

impl Canvas {
    fn new(generator: &Generator, requests: &[Request]) -> Self {
        let (tokens, channels) = (generator.mar.tokens(), generator.mar.channels());
        let device = generator.mar.device();
        Self {
            tokens,
            channels,
            orders: requests
                .iter()
                .map(|r| random_order(tokens, NoiseKey::new(r.seed, Purpose::Order, r.image)))
                .collect(),
            latents: Tensor::zeros([requests.len(), tokens, channels], &device),
            known: vec![0.0; requests.len() * tokens],
            device,
        }
    }

    fn transformer(&self, generator: &Generator, captions: &[[u8; SLOTS]], guidance: f64) -> Tensor<3> {
        let shape = [captions.len(), self.tokens];
        let known = Tensor::<2>::from_data(TensorData::new(self.known.clone(), shape), &self.device);
        transformer_output(generator, captions, self.latents.clone(), known, guidance)
    }

    /// Of rows for all tokens, those of `tokens`.
    fn rows_of(&self, tokens: &[Vec<usize>], rows: Tensor<2>) -> Tensor<2> {
        rows.select(0, flat_rows(tokens, self.tokens, &self.device))
    }

    fn write(&mut self, tokens: &[Vec<usize>], rows: Tensor<2>) {
        let shape = self.latents.dims();
        let flat = self.latents.clone().reshape([shape[0] * shape[1], shape[2]]);
        // Unknown latents are zero, so adding is writing.
        let flat = flat.select_assign(
            0,
            flat_rows(tokens, self.tokens, &self.device),
            rows,
            burn::tensor::IndexingUpdateOp::Add,
        );
        self.latents = flat.reshape(shape);
        for (image, tokens) in tokens.iter().enumerate() {
            for token in tokens {
                self.known[image * self.tokens + token] = 1.0;
            }
        }
    }
}
