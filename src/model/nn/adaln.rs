//! Residual block of the diffusion head: a perceptron whose input is modulated by the condition (`AdaLN`).

use burn::module::Module;
use burn::nn::{LayerNorm, Linear};
use burn::tensor::{Tensor, assert_shape};

use super::init::WeightDraw;
use crate::model::kernels::{layer_norm, linear, linear_columns, silu};

/// `x + gate · MLP(LN(x) · (1 + scale) + shift)`, with `(shift, scale, gate) = Linear(SiLU(condition))`.
///
/// Order and norm (affine, epsilon 1e-6) as in LTH14/mar `diffloss.py`.
#[derive(Module, Debug)]
pub struct AdaLnBlock {
    norm: LayerNorm,
    modulation: Linear,
    fc1: Linear,
    fc2: Linear,
}

impl AdaLnBlock {
    /// The modulation starts at zero, so that the block starts as the identity.
    pub fn new(width: usize, draw: &mut WeightDraw<'_>) -> Self {
        Self {
            norm: draw.layer_norm(width),
            modulation: draw.linear(width, 3 * width, 0.0),
            fc1: draw.linear(width, width, 1.0),
            fc2: draw.linear(width, width, 1.0),
        }
    }

    /// Shift, scale and gate for rows of `condition`.
    ///
    /// # Shapes
    /// - `condition`: `[rows, width]`, already through `SiLU` (it is shared by all blocks)
    /// - output: each `[rows, width]`
    #[must_use]
    pub fn modulation(&self, condition: &Tensor<2>) -> BlockModulation {
        let [_, width] = condition.dims();
        let part = |index: usize, offset: f64| {
            linear_columns(condition.clone(), &self.modulation, index * width..(index + 1) * width, offset)
        };
        BlockModulation { shift: part(0, 0.0), scale: part(1, 1.0), gate: part(2, 0.0) }
    }

    /// # Shapes
    /// - `x` and output: `[rows, width]`
    /// - `modulation`: of the same rows
    #[must_use]
    pub fn forward(&self, x: Tensor<2>, modulation: &BlockModulation) -> Tensor<2> {
        let [rows, width] = x.dims();
        assert_shape!(modulation.gate, [rows, width]);
        let BlockModulation { shift, scale, gate } = modulation;
        let h = layer_norm(x.clone(), &self.norm) * scale.clone() + shift.clone();
        x + gate.clone() * linear(silu(linear(h, &self.fc1)), &self.fc2)
    }
}

/// What a condition does to one block, `[rows, width]` each.
#[derive(Clone, Debug)]
pub struct BlockModulation {
    shift: Tensor<2>,
    /// With the 1 of `1 + scale`.
    scale: Tensor<2>,
    gate: Tensor<2>,
}
