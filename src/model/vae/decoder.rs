//! Latents to picture.

use burn::module::Module;
use burn::nn::GroupNorm;
use burn::nn::conv::Conv2d;
use burn::tensor::Tensor;

use super::AutoencoderConfig;
use super::blocks::{ResidualBlock, conv_same, group_norm, shuffle};
use crate::model::kernels::image::{conv2d, group_norm as normalise};
use crate::model::kernels::silu;
use crate::model::nn::init::WeightDraw;

/// Channels at half of the resolution, where edges become sharp.
const EDGE_WIDTH: usize = 32;

/// Two residual blocks at an eighth and two at a quarter of the resolution, then two pixel shuffles to full size.
#[derive(Module, Debug)]
pub struct Decoder {
    from_latent: Conv2d,
    coarse1: ResidualBlock,
    coarse2: ResidualBlock,
    up: Conv2d,
    fine1: ResidualBlock,
    fine2: ResidualBlock,
    norm: GroupNorm,
    to_edges: Conv2d,
    to_pixels: Conv2d,
}

impl Decoder {
    pub(super) fn new(config: &AutoencoderConfig, draw: &mut WeightDraw<'_>) -> Self {
        let (fine, coarse) = (config.fine_width, config.coarse_width);
        Self {
            from_latent: conv_same([config.latent_channels, coarse], 3, 1.0, draw),
            coarse1: ResidualBlock::new(coarse, draw),
            coarse2: ResidualBlock::new(coarse, draw),
            up: conv_same([coarse, 4 * fine], 1, 1.0, draw),
            fine1: ResidualBlock::new(fine, draw),
            fine2: ResidualBlock::new(fine, draw),
            norm: group_norm(fine, draw),
            to_edges: conv_same([fine, 4 * EDGE_WIDTH], 3, 1.0, draw),
            to_pixels: conv_same([EDGE_WIDTH, 12], 3, 0.3, draw),
        }
    }

    /// # Shapes
    /// - `latents`: `[batch, side, side, channels]`
    /// - output: `[batch, 8 side, 8 side, 3]`, values about 0 to 1, not clamped
    #[must_use]
    pub fn forward(&self, latents: Tensor<4>) -> Tensor<4> {
        let x = self.coarse2.forward(self.coarse1.forward(conv2d(latents, &self.from_latent)));
        let x = shuffle(conv2d(x, &self.up), 2);
        let x = self.fine2.forward(self.fine1.forward(x));
        let x = shuffle(conv2d(silu(normalise(x, &self.norm)), &self.to_edges), 2);
        shuffle(conv2d(silu(x), &self.to_pixels), 2) + 0.5
    }
}
