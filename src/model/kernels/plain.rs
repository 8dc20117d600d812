//! The kernels as compositions of burn's operations, on every device.

use burn::tensor::activation;
use burn::tensor::module::attention;
use burn::tensor::ops::AttentionModuleOptions;
use burn::tensor::{Tensor, s};

/// GELU in its tanh form.
pub fn gelu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    activation::gelu_approximate(x)
}

/// `x · sigmoid(x)`.
pub fn silu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    activation::silu(x)
}

/// `normed · (1 + scale) + shift`.
pub fn modulated_norm(normed: Tensor<2>, shift: Tensor<2>, scale: Tensor<2>) -> Tensor<2> {
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
        qkv.clone()
            .slice(s![.., .., i..=i, .., ..])
            .reshape([batch, tokens, heads, d])
            .swap_dims(1, 2)
    };
    attention(part(0), part(1), part(2), None, None, AttentionModuleOptions::default()).swap_dims(1, 2)
}
