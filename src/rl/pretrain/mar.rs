//! One supervised step of the transformer and its head: denoise masked tokens given the known ones and the caption.

use burn::tensor::{Device, Int, Tensor, TensorData};
use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::Generator;
use crate::model::diffusion::{Diffusion, DiffusionConfig, Variance};
use crate::world::tokenizer::{SLOTS, UNCONDITIONAL};

/// Settings of the loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarLossConfig {
    /// The masked share is `cos(pi/2 · u)` with `u` uniform from 0 to this, 0 to 1.
    pub mask_range: f64,
    /// Noise draws for each masked token, 1 to 16.
    pub noise_draws: usize,
    /// Known tokens get noise of a deviation uniform from 0 to this, 0 to 1: robustness against the model's own samples.
    pub input_noise: f64,
    /// Share of captions dropped, 0 to 1, for guidance.
    pub caption_dropout: f64,
}

impl Default for MarLossConfig {
    fn default() -> Self {
        Self { mask_range: 0.92, noise_draws: 2, input_noise: 0.2, caption_dropout: 0.1 }
    }
}

/// Encoded pictures and their captions, on the host.
#[derive(Clone, Debug)]
pub struct LatentSet {
    /// `[count, tokens, channels]`, row-major.
    pub latents: Vec<f32>,
    /// Caption tokens of each picture.
    pub captions: Vec<[u8; SLOTS]>,
    /// Tokens of a picture.
    pub tokens: usize,
    /// Channels of a latent.
    pub channels: usize,
}

/// One batch, drawn on the host.
#[derive(Clone, Debug)]
pub struct MarBatch {
    captions: Vec<[u8; SLOTS]>,
    /// `[batch, tokens, channels]`, known tokens with input noise.
    inputs: Tensor<3>,
    /// `[batch, tokens]`.
    known: Tensor<2>,
    /// Flat token index of each row.
    rows: Tensor<1, Int>,
    /// Head time of each row.
    times: Vec<f32>,
    /// `[rows, channels]`, noisy latents.
    noisy: Tensor<2>,
    /// `[rows, channels]`, what the head should say.
    targets: Tensor<2>,
}

/// The rows of a batch under construction.
#[derive(Default)]
struct Rows {
    index: Vec<i64>,
    times: Vec<f32>,
    noisy: Vec<f32>,
    targets: Vec<f32>,
}

impl MarBatch {
    /// `count` pictures drawn with replacement.
    ///
    /// # Errors
    /// [`Error::Config`] if the diffusion learns its variance, which needs a variational loss that is not part of this
    /// pretraining.
    pub fn draw(
        set: &LatentSet,
        rng: &mut ChaCha8Rng,
        count: usize,
        (config, diffusion): (&MarLossConfig, &DiffusionConfig),
        device: &Device,
    ) -> Result<Self> {
        if matches!(diffusion, DiffusionConfig::Ddpm { variance: Variance::LearnedRange, .. }) {
            return Err(Error::Config(
                "a head with learned variance can be loaded but not pretrained here; use variance = \"fixed_small\""
                    .into(),
            ));
        }
        let schedule = diffusion.schedule(Diffusion::MAX_STEPS)?;
        let (tokens, channels) = (set.tokens, set.channels);
        let mut captions = Vec::with_capacity(count);
        let mut inputs = Vec::with_capacity(count * tokens * channels);
        let mut known = vec![1.0f32; count * tokens];
        let mut rows = Rows::default();
        for image in 0..count {
            let pick = rng.random_range(0..set.captions.len());
            let latents = &set.latents[pick * tokens * channels..(pick + 1) * tokens * channels];
            let dropped = rng.random::<f64>() < config.caption_dropout;
            captions.push(if dropped { UNCONDITIONAL } else { set.captions[pick] });
            let deviation = rng.random::<f32>() * config.input_noise as f32;
            inputs.extend(latents.iter().map(|x| x + deviation * normal(rng)));
            for token in masked_tokens(tokens, config.mask_range, rng) {
                known[image * tokens + token] = 0.0;
                let clean = &latents[token * channels..(token + 1) * channels];
                for _ in 0..config.noise_draws {
                    rows.push(image * tokens + token, clean, &schedule, rng);
                }
            }
        }
        let count_rows = rows.index.len();
        let matrix = |values| Tensor::from_data(TensorData::new(values, [count_rows, channels]), device);
        Ok(Self {
            captions,
            inputs: Tensor::from_data(TensorData::new(inputs, [count, tokens, channels]), device),
            known: Tensor::from_data(TensorData::new(known, [count, tokens]), device),
            rows: Tensor::from_data(TensorData::new(rows.index, [count_rows]), device),
            times: rows.times,
            noisy: matrix(rows.noisy),
            targets: matrix(rows.targets),
        })
    }
}

impl Rows {
    /// A noisy version of `clean` at a random time, and the target that belongs to it.
    fn push(&mut self, index: usize, clean: &[f32], schedule: &Diffusion, rng: &mut ChaCha8Rng) {
        self.index.push(index as i64);
        match schedule {
            Diffusion::Flow { .. } => {
                // Most draws around the middle, where the direction of the velocity is decided.
                let sigma: f32 = if rng.random::<f32>() < 0.7 {
                    1.0 / (1.0 + (-1.2 * normal(rng)).exp())
                } else {
                    rng.random()
                };
                self.times.push(sigma);
                for x in clean {
                    let noise = normal(rng);
                    self.noisy.push((1.0 - sigma) * x + sigma * noise);
                    self.targets.push(noise - x);
                }
            }
            Diffusion::Ddpm { schedule, .. } => {
                let step = rng.random_range(0..schedule.steps());
                let alpha_bar = schedule.alpha_bar(step) as f32;
                self.times.push(schedule.timestep(step) as f32);
                for x in clean {
                    let noise = normal(rng);
                    self.noisy.push(alpha_bar.sqrt() * x + (1.0 - alpha_bar).sqrt() * noise);
                    self.targets.push(noise);
                }
            }
        }
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f32 {
    StandardNormal.sample(rng)
}

/// A random set of `cos(pi/2 · u)` of the tokens, at least one.
fn masked_tokens(tokens: usize, range: f64, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let u = rng.random::<f64>() * range;
    let share = (std::f64::consts::FRAC_PI_2 * u).cos();
    let count = ((share * tokens as f64).ceil() as usize).clamp(1, tokens);
    let mut order: Vec<usize> = (0..tokens).collect();
    for i in 0..count {
        let j = rng.random_range(i..tokens);
        order.swap(i, j);
    }
    order.truncate(count);
    order
}

/// Mean squared error of the head over all masked tokens, noise draws and channels.
///
/// # Shapes
/// - output: `[1]`
#[must_use]
pub fn loss(generator: &Generator, batch: &MarBatch) -> Tensor<1> {
    let z = generator.mar.forward(&batch.captions, batch.inputs.clone(), batch.known.clone());
    let [images, tokens, width] = z.dims();
    let z = z.reshape([images * tokens, width]).select(0, batch.rows.clone());
    let condition = generator.head.project_condition(z);
    let output = generator.head.forward(batch.noisy.clone(), condition, &batch.times);
    (output - batch.targets.clone()).square().mean()
}
