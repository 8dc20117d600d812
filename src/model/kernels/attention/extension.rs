//! Attention as a burn backend extension, with its composition for backends without a loop of their own.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Slice, TensorMetadata, backend_extension};

/// Forward and backward pass.
#[backend_extension(
    Flex,
    Autodiff,
    Cube: cfg(any(feature = "wgpu", feature = "cuda")),
    Fusion: cfg(any(feature = "wgpu", feature = "cuda"))
)]
pub trait AttentionKernel: Backend {
    /// `qkv`: `[batch, tokens, 3, heads, d]`; output `[batch, tokens, heads, d]`.
    #[fusion(default)]
    fn marscope_attention(qkv: FloatTensor<Self>) -> FloatTensor<Self> {
        let (weights, [_, _, v]) = weights::<Self>(&qkv);
        Self::float_swap_dims(Self::float_matmul(weights, v), 1, 2)
    }

    /// Gradient of `qkv` for the gradient of the output.
    #[fusion(default)]
    fn marscope_attention_backward(qkv: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self> {
        let [batch, tokens, _, heads, d] = qkv.shape().dims();
        let (weights, [q, k, v]) = weights::<Self>(&qkv);
        let gradient = Self::float_swap_dims(gradient, 1, 2);
        let transposed = |t: FloatTensor<Self>| Self::float_swap_dims(t, 2, 3);
        let dv = Self::float_matmul(transposed(weights.clone()), gradient.clone());
        let dp = Self::float_matmul(gradient, transposed(v));
        let dot = Self::float_sum_dim(Self::float_mul(dp.clone(), weights.clone()), 3);
        let ds = Self::float_mul(weights, Self::float_sub(dp, dot));
        let ds = Self::float_mul_scalar(ds, scale(d).into());
        let dq = Self::float_matmul(ds.clone(), k);
        let dk = Self::float_matmul(transposed(ds), q);
        let part = |t: FloatTensor<Self>| {
            Self::float_reshape(Self::float_swap_dims(t, 1, 2), [batch, tokens, 1, heads, d].into())
        };
        Self::float_cat(vec![part(dq), part(dk), part(dv)], 2)
    }
}

/// `1 / sqrt(d)`.
#[must_use]
pub fn scale(d: usize) -> f32 {
    1.0 / (d as f32).sqrt()
}

/// The attention weights `[batch, heads, tokens, tokens]`, and q, k and v `[batch, heads, tokens, d]`.
fn weights<B: Backend>(qkv: &FloatTensor<B>) -> (FloatTensor<B>, [FloatTensor<B>; 3]) {
    let [batch, tokens, _, heads, d] = qkv.shape().dims();
    let part = |i: isize| {
        let all = Slice::full();
        let one = Slice::new(i, Some(i + 1), 1);
        let part = B::float_slice(qkv.clone(), &[all, all, one, all, all]);
        B::float_swap_dims(B::float_reshape(part, [batch, tokens, heads, d].into()), 1, 2)
    };
    let (q, k, v) = (part(0), part(1), part(2));
    let scores = B::float_matmul(q.clone(), B::float_swap_dims(k.clone(), 2, 3));
    (B::softmax(B::float_mul_scalar(scores, scale(d).into()), 3), [q, k, v])
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
impl AttentionKernel for burn::backend::Cube {}
