//! Convolution and group norm, channels last: `[batch, height, width, channels]`.
//!
//! On the CPU a convolution is one copy into columns and one large matrix product; burn's own goes picture by picture.
//! Weights keep PyTorch's layout `[out, in, height, width]`.

mod autodiff;
pub mod extension;
mod flex;
pub mod vector;

use burn::backend::Dispatch;
use burn::nn::GroupNorm;
use burn::nn::conv::Conv2d;
use burn::tensor::{Tensor, assert_shape};

use self::extension::ImageKernels;

/// Convolution with the weights of `conv`, whose padding is its kernel's half (rounded down for an even kernel).
///
/// # Shapes
/// - `x`: `[batch, height, width, in]`
/// - output: `[batch, (height + 2 pad - kernel) / stride + 1, .., out]`
#[must_use]
pub fn conv2d(x: Tensor<4>, conv: &Conv2d) -> Tensor<4> {
    let weight = conv.weight.val();
    let [output, input, kernel, _] = weight.dims();
    assert_shape!(x, [.., input]);
    let bias = conv
        .bias
        .as_ref()
        .map_or_else(|| Tensor::zeros([output], &weight.device()), burn::module::Param::val);
    Tensor::from_dispatch(Dispatch::marscope_conv2d(
        x.into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
        conv.stride[0],
        padding(kernel),
    ))
}

/// Zeros around the picture for a square `kernel`: 0 for 1, 1 for 3 and 4, 2 for 5.
#[must_use]
pub const fn padding(kernel: usize) -> usize {
    (kernel - 1) / 2
}

/// Group norm with the weights of `norm`.
///
/// # Shapes
/// - input and output: `[batch, height, width, channels]`
#[must_use]
pub fn group_norm(x: Tensor<4>, norm: &GroupNorm) -> Tensor<4> {
    let [_, _, _, channels] = x.dims();
    let device = x.device();
    let gamma =
        norm.gamma.as_ref().map_or_else(|| Tensor::ones([channels], &device), burn::module::Param::val);
    let beta =
        norm.beta.as_ref().map_or_else(|| Tensor::zeros([channels], &device), burn::module::Param::val);
    Tensor::from_dispatch(Dispatch::marscope_group_norm(
        x.into_dispatch(),
        gamma.into_dispatch(),
        beta.into_dispatch(),
        norm.num_groups,
        norm.epsilon,
    ))
}
