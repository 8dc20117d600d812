//! The masked autoregressive transformer: known tokens and a caption in, one condition for the head per token out.

mod block;
pub mod order;

use burn::module::{Module, Param};
use burn::nn::conv::Conv2d;
use burn::nn::{LayerNorm, Linear};
use burn::tensor::{Device, Tensor, assert_shape};
use serde::{Deserialize, Serialize};

use self::block::TransformerBlock;
use super::kernels::image::conv2d;
use super::kernels::{gelu, layer_norm, linear};
use super::nn::init::WeightDraw;
use super::nn::pos_embed::sin_cos_2d;
use super::text::{PREFIX, TextEncoder};
use super::vae::conv_same;
use crate::world::tokenizer::SLOTS;

/// Sizes of the transformer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarConfig {
    /// Tokens along the side of a picture, 2 to 32.
    pub side: usize,
    /// Width of a token, a multiple of `heads` and of 4.
    pub width: usize,
    /// Number of blocks, 1 to 64.
    pub depth: usize,
    /// Attention heads.
    pub heads: usize,
}

impl Default for MarConfig {
    fn default() -> Self {
        Self { side: 8, width: 128, depth: 6, heads: 4 }
    }
}

/// Bidirectional transformer over `[caption prefix | image tokens]`.
///
/// Known tokens enter as their latents, unknown ones as the mask token. A small convolution over the known latents and
/// the known flag is added to every token, which teaches neighbourhood much faster than attention alone.
#[derive(Module, Debug)]
pub struct Mar {
    text: TextEncoder,
    token: Linear,
    mask_token: Param<Tensor<1>>,
    stem1: Conv2d,
    stem2: Conv2d,
    positions: Param<Tensor<2>>,
    blocks: Vec<TransformerBlock>,
    norm: LayerNorm,
    side: usize,
}

impl Mar {
    /// For latents of `channels`.
    pub fn new(config: &MarConfig, channels: usize, draw: &mut WeightDraw<'_>) -> Self {
        let MarConfig { side, width, depth, heads } = *config;
        // Half amplitude, so that positions and tokens weigh about the same at the start.
        let table: Vec<f32> = sin_cos_2d(side, width).into_iter().map(|x| 0.5 * x).collect();
        Self {
            text: TextEncoder::new(width, draw),
            token: draw.linear(channels, width, 1.0),
            mask_token: draw.normal([width], 0.3),
            stem1: conv_same([channels + 1, width], 5, 1.4, draw),
            stem2: conv_same([width, width], 3, 0.7, draw),
            positions: draw.normal_around(&table, [side * side, width], 0.02),
            blocks: (0..depth).map(|_| TransformerBlock::new(width, heads, depth, draw)).collect(),
            norm: draw.layer_norm(width),
            side,
        }
    }

    /// Tokens of a picture.
    #[must_use]
    pub const fn tokens(&self) -> usize {
        self.side * self.side
    }

    /// Channels of a latent.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.token.weight.val().dims()[0]
    }

    /// Where the weights are.
    #[must_use]
    pub fn device(&self) -> Device {
        self.mask_token.val().device()
    }

    /// The head's condition Z for every token, known ones included.
    ///
    /// # Shapes
    /// - `captions`: one row of caption tokens an image
    /// - `latents`: `[batch, tokens, channels]`; values of unknown tokens are ignored
    /// - `known`: `[batch, tokens]`, 1 for known tokens, 0 for unknown ones
    /// - output: `[batch, tokens, width]`
    #[must_use]
    pub fn forward(&self, captions: &[[u8; SLOTS]], latents: Tensor<3>, known: Tensor<2>) -> Tensor<3> {
        let [batch, tokens, _] = latents.dims();
        assert_shape!(known, [batch, tokens]);
        let known = known.unsqueeze_dim::<3>(2);
        let latents = latents * known.clone();
        let mask = self.mask_token.val().unsqueeze::<3>();
        let embedded = linear(latents.clone(), &self.token) * known.clone()
            + mask * (known.clone().neg() + 1.0)
            + self.stem(Tensor::cat(vec![latents, known], 2))
            + self.positions.val().unsqueeze();
        let mut x = Tensor::cat(vec![self.text.forward(captions), embedded], 1);
        for block in &self.blocks {
            x = block.forward(x);
        }
        layer_norm(x.narrow(1, PREFIX, tokens), &self.norm)
    }

    /// Convolutions over the grid of known latents and known flags.
    fn stem(&self, tokens: Tensor<3>) -> Tensor<3> {
        let [batch, count, channels] = tokens.dims();
        let grid = tokens.reshape([batch, self.side, self.side, channels]);
        let f = conv2d(grid, &self.stem1);
        let f = f.clone() + conv2d(gelu(f), &self.stem2);
        let width = f.dims()[3];
        f.reshape([batch, count, width])
    }
}
