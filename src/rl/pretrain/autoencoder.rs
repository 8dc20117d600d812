//! One supervised step of the autoencoder.

use burn::tensor::{Device, Tensor, TensorData};
use chacha20::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::model::pixels::to_tensor;
use crate::model::vae::{Autoencoder, LatentNorm};
use crate::world::draw::draw;
use crate::world::image::Rgb8;
use crate::world::sampler::{Split, sample_mixture, sample_scene};

/// Settings of the loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoencoderLossConfig {
    /// Standard deviation of the noise added to latents before decoding, 0 to 1: the decoder must bear the residual
    /// noise of sampled latents.
    pub latent_noise: f64,
    /// Weight of the error's gradient, 0 to 10: sharp edges.
    pub gradient_weight: f64,
}

impl Default for AutoencoderLossConfig {
    fn default() -> Self {
        Self { latent_noise: 0.10, gradient_weight: 1.0 }
    }
}

/// Pictures with a weight for each pixel.
#[derive(Clone, Debug)]
pub struct ImageBatch {
    /// `[batch, side, side, 3]`, values 0 to 1.
    pub images: Tensor<4>,
    /// `[batch, side, side, 1]`: 1, +2 on objects, +4 on edges.
    pub weights: Tensor<4>,
    /// Standard normal noise for the latents, `[batch, side / 8, side / 8, channels]`.
    pub noise: Tensor<4>,
}

impl ImageBatch {
    /// `count` fresh scenes of the training split.
    ///
    /// # Errors
    /// Those of [`to_tensor`].
    pub fn draw(rng: &mut ChaCha8Rng, count: usize, channels: usize, device: &Device) -> Result<Self> {
        let images: Vec<Rgb8> = (0..count)
            .map(|_| {
                let caption = sample_mixture(rng, Split::Train);
                draw(&sample_scene(rng, &caption))
            })
            .collect();
        let side = images.first().map_or(0, |i| i.width);
        let weights: Vec<f32> = images.iter().flat_map(pixel_weights).collect();
        let grid = side / 8;
        let noise: Vec<f32> =
            StandardNormal.sample_iter(&mut *rng).take(count * channels * grid * grid).collect();
        Ok(Self {
            images: to_tensor(&images, device)?,
            weights: Tensor::from_data(TensorData::new(weights, [count, side, side, 1]), device),
            noise: Tensor::from_data(TensorData::new(noise, [count, grid, grid, channels]), device),
        })
    }
}

/// 1 everywhere, +2 where the picture differs from its corner by more than 0.25 (sum over channels), +4 where any
/// channel spans more than 0.2 within 3 x 3 pixels.
fn pixel_weights(image: &Rgb8) -> Vec<f32> {
    let corner = image.pixel(0, 0);
    let mut weights = Vec::with_capacity(image.width * image.height);
    for y in 0..image.height {
        for x in 0..image.width {
            let here = image.pixel(x, y);
            let away: i32 = (0..3).map(|c| (i32::from(here[c]) - i32::from(corner[c])).abs()).sum();
            let foreground = if away > 64 { 2.0 } else { 0.0 };
            let edge = if is_edge(image, x, y) { 4.0 } else { 0.0 };
            weights.push(1.0 + foreground + edge);
        }
    }
    weights
}

fn is_edge(image: &Rgb8, x: usize, y: usize) -> bool {
    let (mut low, mut high) = ([255u8; 3], [0u8; 3]);
    for v in y.saturating_sub(1)..(y + 2).min(image.height) {
        for u in x.saturating_sub(1)..(x + 2).min(image.width) {
            let pixel = image.pixel(u, v);
            for c in 0..3 {
                low[c] = low[c].min(pixel[c]);
                high[c] = high[c].max(pixel[c]);
            }
        }
    }
    (0..3).any(|c| high[c] - low[c] > 51)
}

/// Weighted `0.5 |e| + 2 e²`, plus the weighted mean of the absolute horizontal and vertical gradients of the error.
///
/// # Shapes
/// - output: `[1]`
#[must_use]
pub fn loss(autoencoder: &Autoencoder, batch: &ImageBatch, config: &AutoencoderLossConfig) -> Tensor<1> {
    let latents = LatentNorm::by_batch(autoencoder.encode_raw(batch.images.clone()));
    let noisy = latents + batch.noise.clone().mul_scalar(config.latent_noise);
    let error = autoencoder.decode_grid(noisy) - batch.images.clone();
    let [_, height, width, _] = error.dims();
    let pixels = error.clone().abs().mul_scalar(0.5) + error.clone().square().mul_scalar(2.0);
    let across = error.clone().narrow(2, 1, width - 1) - error.clone().narrow(2, 0, width - 1);
    let down = error.clone().narrow(1, 1, height - 1) - error.narrow(1, 0, height - 1);
    (pixels * batch.weights.clone()).mean()
        + (across.abs().mean() + down.abs().mean()).mul_scalar(config.gradient_weight)
}
