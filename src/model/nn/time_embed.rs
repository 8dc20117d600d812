//! Features of the diffusion time.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::{Tensor, TensorData};

use super::init::WeightDraw;
use crate::model::kernels::{linear, silu};

/// `Linear · SiLU · Linear` of `[cos(t f), sin(t f)]` with frequencies spaced geometrically.
#[derive(Module, Debug)]
pub struct TimeEmbedding {
    fc1: Linear,
    fc2: Linear,
    #[module(skip)]
    frequencies: Vec<f32>,
}

impl TimeEmbedding {
    /// `features` (even) cosine and sine features with angular frequencies from `lowest` to `highest` rad per unit of t.
    pub fn new(
        width: usize,
        features: usize,
        (lowest, highest): (f64, f64),
        draw: &mut WeightDraw<'_>,
    ) -> Self {
        let half = features / 2;
        let step = (highest / lowest).ln() / (half.max(2) - 1) as f64;
        let frequencies = (0..half).map(|i| (lowest * (step * i as f64).exp()) as f32).collect();
        Self { fc1: draw.linear(2 * half, width, 1.0), fc2: draw.linear(width, width, 1.0), frequencies }
    }

    /// # Shapes
    /// - `times`: one number a row
    /// - output: `[times.len(), width]`
    #[must_use]
    pub fn forward(&self, times: &[f32]) -> Tensor<2> {
        let half = self.frequencies.len();
        let mut features = Vec::with_capacity(times.len() * 2 * half);
        for &t in times {
            features.extend(self.frequencies.iter().map(|f| (t * f).cos()));
            features.extend(self.frequencies.iter().map(|f| (t * f).sin()));
        }
        let device = self.fc1.weight.val().device();
        let x = Tensor::<2>::from_data(TensorData::new(features, [times.len(), 2 * half]), &device);
        linear(silu(linear(x, &self.fc1)), &self.fc2)
    }
}
