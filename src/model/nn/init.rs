//! Initial weights from counter-based noise.
//!
//! burn draws initial weights from a generator shared by the whole process, so another thread's draw would change them.
//! Here every parameter has an address of its own, and one seed gives one model.

use burn::module::{Module, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData};

use crate::model::kernels::LAYER_NORM_EPSILON;
use crate::model::noise::{NoiseKey, Purpose};

/// Draws parameters one after another; the n-th parameter of a model always gets the n-th address.
#[derive(Debug)]
pub struct WeightDraw<'a> {
    seed: u64,
    next: u32,
    device: &'a Device,
}

impl<'a> WeightDraw<'a> {
    /// Starts at the first address of `seed`; parameters are created on `device`.
    #[must_use]
    pub const fn new(seed: u64, device: &'a Device) -> Self {
        Self { seed, next: 0, device }
    }

    /// Where parameters are created.
    #[must_use]
    pub const fn device(&self) -> &'a Device {
        self.device
    }

    /// A parameter of `shape` with normal entries of standard deviation `std`.
    pub fn normal<const D: usize>(&mut self, shape: [usize; D], std: f32) -> Param<Tensor<D>> {
        self.normal_around(&[], shape, std)
    }

    /// As [`normal`](Self::normal), around `centre` (around zero past its end).
    pub fn normal_around<const D: usize>(
        &mut self,
        centre: &[f32],
        shape: [usize; D],
        std: f32,
    ) -> Param<Tensor<D>> {
        let key = NoiseKey::new(self.seed, Purpose::Weights, self.next);
        self.next += 1;
        let mut values: Vec<f32> = key.normal(shape.iter().product()).into_iter().map(|x| x * std).collect();
        for (value, centre) in values.iter_mut().zip(centre) {
            *value += centre;
        }
        Param::from_data(TensorData::new(values, shape), self.device)
    }

    /// A linear layer `[input, output]` with weights of standard deviation `gain / sqrt(input)` and zero bias.
    pub fn linear(&mut self, input: usize, output: usize, gain: f32) -> Linear {
        let mut layer = LinearConfig::new(input, output).init(self.device);
        layer.weight = self.normal([input, output], gain / (input as f32).sqrt());
        layer.bias = Some(Param::from_tensor(Tensor::zeros([output], self.device)));
        layer
    }

    /// A convolution with weights of standard deviation `gain / sqrt(fan in)` and zero bias.
    pub fn conv2d(&mut self, config: &Conv2dConfig, gain: f32) -> Conv2d {
        let [input, output] = config.channels;
        let [height, width] = config.kernel_size;
        let mut layer = config.init(self.device);
        let fan_in = (input * height * width) as f32;
        layer.weight = self.normal([output, input, height, width], gain / fan_in.sqrt());
        layer.bias = Some(Param::from_tensor(Tensor::zeros([output], self.device)));
        layer
    }

    /// A layer norm with unit scale and zero shift.
    #[must_use]
    pub fn layer_norm(&self, width: usize) -> LayerNorm {
        LayerNormConfig::new(width).with_epsilon(LAYER_NORM_EPSILON).init(self.device).materialize()
    }
}
