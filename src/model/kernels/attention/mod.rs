//! Scaled dot-product attention in one operation.
//!
//! For the few dozen tokens of a small picture the scores of one head fit the first-level cache. burn writes them, their
//! scaled, exponentiated and normalised versions and their gradients to memory for all heads; here nothing but the
//! output leaves the cache, and the backward pass computes the weights again.

mod autodiff;
pub mod extension;
mod flex;
pub mod vector;

use burn::backend::Dispatch;
use burn::tensor::Tensor;

use self::extension::AttentionKernel;

/// `softmax(q kᵀ / sqrt(d)) v` without a mask.
///
/// # Shapes
/// - `qkv`: `[batch, tokens, 3, heads, d]`
/// - output: `[batch, tokens, heads, d]`
#[must_use]
pub fn scaled_dot_product(qkv: Tensor<5>) -> Tensor<4> {
    Tensor::from_dispatch(Dispatch::marscope_attention(qkv.into_dispatch()))
}
