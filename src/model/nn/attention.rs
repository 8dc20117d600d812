//! Bidirectional multi-head self-attention.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;

use super::init::WeightDraw;
use crate::model::kernels::{linear, scaled_dot_product};

/// Self-attention with one fused `qkv` projection, no mask (every token sees every token).
#[derive(Module, Debug)]
pub struct SelfAttention {
    qkv: Linear,
    out: Linear,
    heads: usize,
}

impl SelfAttention {
    /// `width` must be a multiple of `heads`.
    pub fn new(width: usize, heads: usize, output_gain: f32, draw: &mut WeightDraw<'_>) -> Self {
        Self { qkv: draw.linear(width, 3 * width, 1.0), out: draw.linear(width, width, output_gain), heads }
    }

    /// # Shapes
    /// - input and output: `[batch, tokens, width]`
    #[must_use]
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let [batch, tokens, width] = x.dims();
        let qkv = linear(x, &self.qkv).reshape([batch, tokens, 3, self.heads, width / self.heads]);
        let mixed = scaled_dot_product(qkv).reshape([batch, tokens, width]);
        linear(mixed, &self.out)
    }
}
