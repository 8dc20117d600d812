//! Two-layer perceptron of a transformer block.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::{Tensor, assert_shape};

use super::init::WeightDraw;
use crate::model::kernels::{gelu, linear};

/// `linear(width -> hidden) · GELU (tanh form) · linear(hidden -> width)`.
#[derive(Module, Debug)]
pub struct Mlp {
    fc1: Linear,
    fc2: Linear,
}

impl Mlp {
    /// The output layer is scaled by `output_gain`, so that a deep residual stack starts near the identity.
    pub fn new(width: usize, hidden: usize, output_gain: f32, draw: &mut WeightDraw<'_>) -> Self {
        Self { fc1: draw.linear(width, hidden, 1.0), fc2: draw.linear(hidden, width, output_gain) }
    }

    /// # Shapes
    /// - input and output: `[batch, tokens, width]`
    #[must_use]
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let [_, _, width] = x.dims();
        assert_shape!(x, [.., width]);
        linear(gelu(linear(x, &self.fc1)), &self.fc2)
    }
}
