//! Pre-norm transformer block.

use burn::module::Module;
use burn::nn::LayerNorm;
use burn::tensor::Tensor;

use crate::model::kernels::layer_norm;
use crate::model::nn::attention::SelfAttention;
use crate::model::nn::init::WeightDraw;
use crate::model::nn::mlp::Mlp;

/// `x + attention(LN(x))`, then `x + MLP(LN(x))`.
#[derive(Module, Debug)]
pub struct TransformerBlock {
    norm1: LayerNorm,
    attention: SelfAttention,
    norm2: LayerNorm,
    mlp: Mlp,
}

impl TransformerBlock {
    /// Residual branches of a stack of `depth` blocks start scaled by `1 / sqrt(2 depth)`.
    pub fn new(width: usize, heads: usize, depth: usize, draw: &mut WeightDraw<'_>) -> Self {
        let output_gain = 1.0 / (2.0 * depth as f32).sqrt();
        Self {
            norm1: draw.layer_norm(width),
            attention: SelfAttention::new(width, heads, output_gain, draw),
            norm2: draw.layer_norm(width),
            mlp: Mlp::new(width, 4 * width, output_gain, draw),
        }
    }

    /// # Shapes
    /// - input and output: `[batch, tokens, width]`
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let x = x.clone() + self.attention.forward(layer_norm(x, &self.norm1));
        x.clone() + self.mlp.forward(layer_norm(x, &self.norm2))
    }
}
