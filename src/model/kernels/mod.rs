//! The functions in which a small transformer spends its time besides matrix products: activations, softmax and layer
//! norm, each as one operation forward and one backward.
//!
//! burn composes these from elementary operations when it differentiates, and its CPU backend evaluates `exp` one number
//! at a time; measured on the shipped model that made training slower than PyTorch. On the CPU backend they are
//! loops that the compiler vectorises ([`vector`]); on other backends they are burn's own operations ([`extension`]).
//! `tests/kernels.rs` holds both to each other and to finite differences.

mod autodiff;
pub mod extension;
mod flex;
pub mod image;
pub mod vector;

use burn::backend::Dispatch;
use burn::nn::LayerNorm;
use burn::tensor::{Tensor, s};

use self::extension::Kernels;

/// Epsilon of every layer norm in the model (LTH14/mar).
pub const LAYER_NORM_EPSILON: f64 = 1e-6;

/// GELU in its tanh form.
pub fn gelu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    Tensor::from_dispatch(Dispatch::marscope_gelu(x.into_dispatch()))
}

/// `x · sigmoid(x)`.
pub fn silu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    Tensor::from_dispatch(Dispatch::marscope_silu(x.into_dispatch()))
}

/// Softmax over the last dimension.
pub fn softmax<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    Tensor::from_dispatch(Dispatch::marscope_softmax(x.into_dispatch()))
}

/// Layer norm over the last dimension with the weights of `norm` and [`LAYER_NORM_EPSILON`].
pub fn layer_norm<const D: usize>(x: Tensor<D>, norm: &LayerNorm) -> Tensor<D> {
    let gamma = norm.gamma.val();
    let beta = norm.beta.as_ref().map_or_else(|| gamma.zeros_like(), burn::module::Param::val);
    Tensor::from_dispatch(Dispatch::marscope_layer_norm(
        x.into_dispatch(),
        gamma.into_dispatch(),
        beta.into_dispatch(),
        LAYER_NORM_EPSILON,
    ))
}

/// `normed · (1 + scale) + shift`.
pub fn modulate(normed: Tensor<2>, shift: Tensor<2>, scale: Tensor<2>) -> Tensor<2> {
    normed * (scale + 1.0) + shift
}

/// `softmax(q kᵀ / sqrt(d)) v` without a mask.
///
/// # Shapes
/// - `qkv`: `[batch, tokens, 3, heads, d]`
/// - output: `[batch, tokens, heads, d]`
pub fn scaled_dot_product(qkv: Tensor<5>) -> Tensor<4> {
    let [batch, tokens, _, heads, d] = qkv.dims();
    let part = |i: usize| {
        qkv.clone().slice(s![.., .., i..=i, .., ..]).reshape([batch, tokens, heads, d]).swap_dims(1, 2)
    };
    let query = part(0).mul_scalar(1.0 / (d as f64).sqrt());
    let scores = query.matmul(part(1).swap_dims(2, 3));
    softmax(scores).matmul(part(2)).swap_dims(1, 2)
}
