//! The diffusion head: denoises one latent token given the transformer's output for it.

use burn::module::Module;
use burn::nn::{LayerNorm, Linear};
use burn::tensor::{Tensor, assert_shape};
use serde::{Deserialize, Serialize};

use super::diffusion::DiffusionConfig;
use super::kernels::{layer_norm, linear, linear_columns, silu};
use super::nn::adaln::{AdaLnBlock, BlockModulation};
use super::nn::init::WeightDraw;
use super::nn::time_embed::TimeEmbedding;

/// Sizes of the head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeadConfig {
    /// Width of the perceptron, 16 to 4096.
    pub width: usize,
    /// Number of `AdaLN` blocks, 1 to 64.
    pub depth: usize,
    /// Cosine and sine features of the diffusion time, even.
    pub time_features: usize,
}

impl Default for HeadConfig {
    fn default() -> Self {
        Self { width: 128, depth: 3, time_features: 64 }
    }
}

/// A per-token perceptron with `AdaLN` conditioning (LTH14/mar `SimpleMLPAdaLN`).
#[derive(Module, Debug)]
pub struct Head {
    time: TimeEmbedding,
    condition: Linear,
    input: Linear,
    blocks: Vec<AdaLnBlock>,
    final_norm: LayerNorm,
    final_modulation: Linear,
    output: Linear,
}

impl Head {
    /// For latents of `channels` and conditions of `condition_width`.
    pub fn new(
        config: &HeadConfig,
        diffusion: &DiffusionConfig,
        channels: usize,
        condition_width: usize,
        draw: &mut WeightDraw<'_>,
    ) -> Self {
        let width = config.width;
        // Flow times run from 0 to 1, DDPM times from 0 to 999.
        let frequencies = match diffusion {
            DiffusionConfig::Flow { .. } => (2.0, 400.0),
            DiffusionConfig::Ddpm { .. } => (1e-4, 1.0),
        };
        Self {
            time: TimeEmbedding::new(width, config.time_features, frequencies, draw),
            condition: draw.linear(condition_width, width, 1.0),
            input: draw.linear(channels, width, 1.0),
            blocks: (0..config.depth).map(|_| AdaLnBlock::new(width, draw)).collect(),
            final_norm: draw.layer_norm(width),
            final_modulation: draw.linear(width, 2 * width, 0.0),
            output: draw.linear(width, diffusion.head_outputs(channels), 0.0),
        }
    }

    /// The part of the condition that stays the same over all diffusion steps.
    ///
    /// # Shapes
    /// - `z`: `[rows, condition width]`
    /// - output: `[rows, width]`
    #[must_use]
    pub fn project_condition(&self, z: Tensor<2>) -> Tensor<2> {
        linear(z, &self.condition)
    }

    /// Velocity (flow), or noise and possibly variance (DDPM).
    ///
    /// # Shapes
    /// - `x`: `[rows, channels]`, noisy latents
    /// - `condition`: `[rows, width]`, from [`project_condition`](Self::project_condition)
    /// - `times`: one for all rows, or one a row
    /// - output: `[rows, head outputs]`
    #[must_use]
    pub fn forward(&self, x: Tensor<2>, condition: Tensor<2>, times: &[f32]) -> Tensor<2> {
        self.denoise(x, &self.modulation_of(condition + self.time.forward(times)))
    }

    /// What the condition does at each of `times`. It does not depend on the noisy latents, so that trajectories from
    /// the same condition share it; it is more than half of the head's work.
    ///
    /// # Shapes
    /// - `condition`: `[rows, width]`, from [`project_condition`](Self::project_condition)
    /// - output: for `times.len() * rows` rows, times outermost
    #[must_use]
    pub fn modulation(&self, condition: Tensor<2>, times: &[f32]) -> HeadModulation {
        let [rows, width] = condition.dims();
        let time: Tensor<3> = self.time.forward(times).unsqueeze_dim(1);
        let condition: Tensor<3> = condition.unsqueeze_dim(0);
        self.modulation_of((condition + time).reshape([times.len() * rows, width]))
    }

    fn modulation_of(&self, condition: Tensor<2>) -> HeadModulation {
        let [_, width] = condition.dims();
        let condition = silu(condition);
        let last =
            |columns, offset| linear_columns(condition.clone(), &self.final_modulation, columns, offset);
        HeadModulation {
            blocks: self.blocks.iter().map(|block| block.modulation(&condition)).collect(),
            shift: last(0..width, 0.0),
            scale: last(width..2 * width, 1.0),
        }
    }

    /// [`forward`](Self::forward) with the condition's part already computed.
    ///
    /// # Shapes
    /// - `x`: `[rows, channels]`, noisy latents, in the rows of `modulation`
    /// - output: `[rows, head outputs]`
    #[must_use]
    pub fn denoise(&self, x: Tensor<2>, modulation: &HeadModulation) -> Tensor<2> {
        let [rows, _] = modulation.shift.dims();
        assert_shape!(x, [rows, _]);
        let mut h = linear(x, &self.input);
        for (block, modulation) in self.blocks.iter().zip(&modulation.blocks) {
            h = block.forward(h, modulation);
        }
        let h = layer_norm(h, &self.final_norm);
        linear(h * modulation.scale.clone() + modulation.shift.clone(), &self.output)
    }
}

/// What a condition does to every layer of the head.
#[derive(Clone, Debug)]
pub struct HeadModulation {
    blocks: Vec<BlockModulation>,
    shift: Tensor<2>,
    /// With the 1 of `1 + scale`.
    scale: Tensor<2>,
}
