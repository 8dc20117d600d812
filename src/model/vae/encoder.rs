//! Picture to raw latents.

use burn::module::Module;
use burn::nn::PaddingConfig2d;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::tensor::{Tensor, assert_shape};

use super::AutoencoderConfig;
use super::blocks::{ResidualBlock, conv_same, unshuffle};
use crate::model::kernels::image::conv2d;
use crate::model::nn::init::WeightDraw;

/// Pixel-unshuffle by 4, a residual block at a quarter of the resolution, a strided convolution and one at an eighth.
#[derive(Module, Debug)]
pub struct Encoder {
    stem: Conv2d,
    fine: ResidualBlock,
    down: Conv2d,
    coarse: ResidualBlock,
    to_latent: Conv2d,
}

impl Encoder {
    pub(super) fn new(config: &AutoencoderConfig, draw: &mut WeightDraw<'_>) -> Self {
        let (fine, coarse) = (config.fine_width, config.coarse_width);
        let down = Conv2dConfig::new([fine, coarse], [4, 4])
            .with_stride([2, 2])
            .with_padding(PaddingConfig2d::Explicit(1, 1, 1, 1));
        Self {
            stem: conv_same([48, fine], 3, 1.0, draw),
            fine: ResidualBlock::new(fine, draw),
            down: draw.conv2d(&down, 1.0),
            coarse: ResidualBlock::new(coarse, draw),
            to_latent: conv_same([coarse, config.latent_channels], 1, 1.0, draw),
        }
    }

    /// # Shapes
    /// - `images`: `[batch, side, side, 3]`, values 0 to 1, side a multiple of 8
    /// - output: `[batch, side / 8, side / 8, channels]`
    #[must_use]
    pub fn forward(&self, images: Tensor<4>) -> Tensor<4> {
        assert_shape!(images, [.., 3]);
        let x = conv2d(unshuffle(images - 0.5, 4), &self.stem);
        let x = conv2d(self.fine.forward(x), &self.down);
        conv2d(self.coarse.forward(x), &self.to_latent)
    }
}
