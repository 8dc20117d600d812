//! One AR step of the policy up to the head's condition: the one code path of sampling and of replay.

use burn::tensor::{Device, Int, Tensor, TensorData};

use super::Generator;
use super::denoise::Condition;
use crate::world::tokenizer::{SLOTS, UNCONDITIONAL};

/// Whether `guidance` needs the output without a caption.
#[must_use]
pub fn is_guided(guidance: f64) -> bool {
    (guidance - 1.0).abs() > f64::EPSILON
}

/// The transformer's output Z for every token.
///
/// # Shapes
/// - `captions`: one row of caption tokens an image
/// - `latents`: `[batch, tokens, channels]`, `known`: `[batch, tokens]`, as [`super::mar::Mar::forward`]
/// - output: `[batch, tokens, width]`; with guidance `[2 batch, tokens, width]`, the rows without a caption last
#[must_use]
pub fn transformer_output(
    generator: &Generator,
    captions: &[[u8; SLOTS]],
    latents: Tensor<3>,
    known: Tensor<2>,
    guidance: f64,
) -> Tensor<3> {
    if !is_guided(guidance) {
        return generator.mar.forward(captions, latents, known);
    }
    let mut both = captions.to_vec();
    both.resize(2 * captions.len(), UNCONDITIONAL);
    let latents = Tensor::cat(vec![latents.clone(), latents], 0);
    generator.mar.forward(&both, latents, Tensor::cat(vec![known.clone(), known], 0))
}

/// The head's condition for some tokens of the output `z` of [`transformer_output`].
///
/// # Shapes
/// - `rows`: `[rows]`, flat token indices from [`flat_rows`]
#[must_use]
pub fn condition(z: &Tensor<3>, batch: usize, rows: Tensor<1, Int>, guidance: f64) -> Condition {
    let [all, tokens, width] = z.dims();
    let flat = z.clone().reshape([all * tokens, width]);
    let unconditional = is_guided(guidance).then(|| {
        let offset = (batch * tokens) as i64;
        (flat.clone().select(0, rows.clone().add_scalar(offset)), guidance)
    });
    Condition { z: flat.select(0, rows), unconditional }
}

/// Flat indices, image times `tokens_per_image` plus token, of the tokens listed for each image.
#[must_use]
pub fn flat_rows(tokens: &[Vec<usize>], tokens_per_image: usize, device: &Device) -> Tensor<1, Int> {
    let indices: Vec<i64> = tokens
        .iter()
        .enumerate()
        .flat_map(|(image, tokens)| tokens.iter().map(move |t| (image * tokens_per_image + t) as i64))
        .collect();
    let count = indices.len();
    Tensor::from_data(TensorData::new(indices, [count]), device)
}
