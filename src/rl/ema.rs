//! Exponential moving average of weights.

use burn::module::Module;
use burn::tensor::Tensor;

use crate::model::params::{FlatParam, flatten, with_values};

/// `shadow ← decay · shadow + (1 - decay) · weights` after each step.
#[derive(Clone, Debug)]
pub struct Ema {
    decay: f64,
    shadow: Vec<Tensor<1>>,
}

impl Ema {
    /// Starts at the weights of `params`. `decay` is 0 (no averaging) to below 1.
    #[must_use]
    pub fn new(decay: f64, params: &[FlatParam]) -> Self {
        Self { decay, shadow: params.iter().map(|p| p.value.clone()).collect() }
    }

    /// Continues from the average that `module` holds.
    #[must_use]
    pub fn from_module<M: Module>(decay: f64, module: &M) -> Self {
        Self::new(decay, &flatten(module))
    }

    /// The same average, from now on with another decay.
    #[must_use]
    pub fn with_decay(self, decay: f64) -> Self {
        Self { decay, ..self }
    }

    /// Takes in the weights after step number `step` (from 0). The decay rises with the first steps, so that a short
    /// run is not dominated by its random start.
    pub fn update(&mut self, step: usize, values: &[Tensor<1>]) {
        let decay = self.decay.min((1.0 + step as f64) / (10.0 + step as f64));
        for (shadow, value) in self.shadow.iter_mut().zip(values) {
            *shadow = shadow.clone().mul_scalar(decay) + value.clone().mul_scalar(1.0 - decay);
        }
    }

    /// `module` with the averaged weights.
    #[must_use]
    pub fn apply<M: Module>(&self, module: M) -> M {
        with_values(module, self.shadow.clone())
    }
}
