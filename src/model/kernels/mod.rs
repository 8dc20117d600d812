//! The functions in which a small transformer spends its time: linear layers, activations, layer norm, attention
//! and, for pictures, convolution and group norm, each as one operation forward and one backward.
//!
//! burn composes these from elementary operations when it differentiates, each a pass over memory, and its CPU backend
//! evaluates `exp` one number at a time. On the CPU backend they are loops that the compiler vectorises ([`vector`]); on
//! other backends they are burn's own operations ([`extension`]). `tests/kernels.rs` holds the loops to burn's operations,
//! `tests/reference.rs` to PyTorch, and `tests/devices.rs` the CPU to a wgpu adapter.

pub mod attention;
mod autodiff;
pub mod extension;
mod flex;
pub mod image;
pub mod vector;

use std::ops::Range;

use burn::backend::Dispatch;
use burn::module::Param;
use burn::nn::{LayerNorm, Linear};
use burn::tensor::Tensor;

pub use self::attention::scaled_dot_product;
use self::extension::Kernels;

/// Epsilon of every layer norm in the model (LTH14/mar).
pub const LAYER_NORM_EPSILON: f64 = 1e-6;

/// GELU in its tanh form.
#[must_use]
pub fn gelu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    Tensor::from_dispatch(Dispatch::marscope_gelu(x.into_dispatch()))
}

/// `x · sigmoid(x)`.
#[must_use]
pub fn silu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    Tensor::from_dispatch(Dispatch::marscope_silu(x.into_dispatch()))
}

/// Layer norm over the last dimension with the weights of `norm` and [`LAYER_NORM_EPSILON`].
pub fn layer_norm<const D: usize>(x: Tensor<D>, norm: &LayerNorm) -> Tensor<D> {
    let gamma = norm.gamma.val();
    let beta = norm.beta.as_ref().map_or_else(|| gamma.zeros_like(), Param::val);
    Tensor::from_dispatch(Dispatch::marscope_layer_norm(
        x.into_dispatch(),
        gamma.into_dispatch(),
        beta.into_dispatch(),
        LAYER_NORM_EPSILON,
    ))
}

/// `x · weight + bias` over the last dimension.
pub fn linear<const D: usize>(x: Tensor<D>, layer: &Linear) -> Tensor<D> {
    let weight = layer.weight.val();
    let [input, output] = weight.dims();
    let bias = layer.bias.as_ref().map_or_else(|| Tensor::zeros([output], &weight.device()), Param::val);
    let mut shape = x.dims();
    let rows = shape.iter().product::<usize>() / input;
    shape[D - 1] = output;
    let rows = x.reshape([rows, input]);
    let out = Dispatch::marscope_linear(rows.into_dispatch(), weight.into_dispatch(), bias.into_dispatch());
    Tensor::<2>::from_dispatch(out).reshape(shape)
}

/// Some `columns` of [`linear`], with `offset` added to the bias. Several of them are contiguous where parts of one product
/// would be strided, which elementwise operations on the CPU pay for many times over.
#[must_use]
pub fn linear_columns(x: Tensor<2>, layer: &Linear, columns: Range<usize>, offset: f64) -> Tensor<2> {
    let (start, count) = (columns.start, columns.len());
    let weight = layer.weight.val().narrow(1, start, count);
    let bias = match &layer.bias {
        Some(bias) => bias.val().narrow(0, start, count),
        None => Tensor::zeros([count], &weight.device()),
    };
    let bias = if offset == 0.0 { bias } else { bias + offset };
    let out = Dispatch::marscope_linear(x.into_dispatch(), weight.into_dispatch(), bias.into_dispatch());
    Tensor::from_dispatch(out)
}
