//! Convolutions of the autoencoder.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{GroupNorm, GroupNormConfig, PaddingConfig2d};
use burn::tensor::Tensor;

use crate::model::kernels::silu;
use crate::model::nn::init::WeightDraw;

const GROUPS: usize = 8;

/// A convolution that keeps the size: odd `kernel`, stride 1.
pub fn conv_same(
    [input, output]: [usize; 2],
    kernel: usize,
    gain: f32,
    draw: &mut WeightDraw<'_>,
) -> Conv2d {
    let pad = kernel / 2;
    let config = Conv2dConfig::new([input, output], [kernel, kernel])
        .with_padding(PaddingConfig2d::Explicit(pad, pad, pad, pad));
    draw.conv2d(&config, gain)
}

/// Group norm with 8 groups, epsilon 1e-6.
pub fn group_norm(channels: usize, draw: &WeightDraw<'_>) -> GroupNorm {
    GroupNormConfig::new(GROUPS, channels).with_epsilon(1e-6).init(draw.device()).materialize()
}

/// `x + conv(SiLU(conv(SiLU(GroupNorm(x)))))`, 3 x 3.
#[derive(Module, Debug)]
pub struct ResidualBlock {
    norm: GroupNorm,
    conv1: Conv2d,
    conv2: Conv2d,
}

impl ResidualBlock {
    /// Starts close to the identity.
    pub fn new(channels: usize, draw: &mut WeightDraw<'_>) -> Self {
        Self {
            norm: group_norm(channels, draw),
            conv1: conv_same([channels, channels], 3, 1.4, draw),
            conv2: conv_same([channels, channels], 3, 0.2, draw),
        }
    }

    /// # Shapes
    /// - input and output: `[batch, channels, height, width]`
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let h = self.conv1.forward(silu(self.norm.forward(x.clone())));
        x + self.conv2.forward(silu(h))
    }
}
