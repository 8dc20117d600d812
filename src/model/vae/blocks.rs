//! Convolutions of the autoencoder, channels last.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{GroupNorm, GroupNormConfig, PaddingConfig2d};
use burn::tensor::Tensor;

use crate::model::kernels::image::{conv2d, group_norm as normalise};
use crate::model::kernels::silu;
use crate::model::nn::init::WeightDraw;

const GROUPS: usize = 8;

/// A convolution that keeps the size: odd `kernel`, stride 1.
pub fn conv_same([input, output]: [usize; 2], kernel: usize, gain: f32, draw: &mut WeightDraw<'_>) -> Conv2d {
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
    /// - input and output: `[batch, height, width, channels]`
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let h = conv2d(silu(normalise(x.clone(), &self.norm)), &self.conv1);
        x + conv2d(silu(h), &self.conv2)
    }
}

/// PyTorch's `PixelUnshuffle`, channels last: channel `c · factor² + dy · factor + dx` of a coarse pixel is channel `c` of
/// the fine pixel at `(dy, dx)` in it.
///
/// # Shapes
/// - input: `[batch, factor · height, factor · width, channels]`
/// - output: `[batch, height, width, channels · factor²]`
pub fn unshuffle(x: Tensor<4>, factor: usize) -> Tensor<4> {
    let [batch, height, width, channels] = x.dims();
    let (h, w) = (height / factor, width / factor);
    x.reshape([batch, h, factor, w, factor, channels]).permute([0, 1, 3, 5, 2, 4]).reshape([
        batch,
        h,
        w,
        channels * factor * factor,
    ])
}

/// PyTorch's `PixelShuffle`, channels last; the inverse of [`unshuffle`].
///
/// # Shapes
/// - input: `[batch, height, width, channels · factor²]`
/// - output: `[batch, factor · height, factor · width, channels]`
pub fn shuffle(x: Tensor<4>, factor: usize) -> Tensor<4> {
    let [batch, h, w, packed] = x.dims();
    let channels = packed / (factor * factor);
    x.reshape([batch, h, w, channels, factor, factor]).permute([0, 1, 4, 2, 5, 3]).reshape([
        batch,
        h * factor,
        w * factor,
        channels,
    ])
}
