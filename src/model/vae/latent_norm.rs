//! Normalisation of latents to zero mean and unit variance per channel.
//!
//! During training the statistics of the batch are used (a batch norm without affine part); for use they are measured
//! once over many pictures and kept with the weights, so that encoding one picture does not depend on others.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};

/// Mean and standard deviation of each latent channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelStatistics {
    /// One mean a channel.
    pub mean: Vec<f32>,
    /// One standard deviation a channel, positive.
    pub std: Vec<f32>,
}

/// `(x - mean) / std` per channel.
#[derive(Module, Debug)]
pub struct LatentNorm {
    mean: Param<Tensor<1>>,
    std: Param<Tensor<1>>,
}

impl LatentNorm {
    /// The identity until statistics are set.
    #[must_use]
    pub fn new(channels: usize, device: &Device) -> Self {
        Self {
            mean: Param::from_tensor(Tensor::zeros([channels], device)).no_grad(),
            std: Param::from_tensor(Tensor::ones([channels], device)).no_grad(),
        }
    }

    /// Where the statistics are, without autodiff.
    #[must_use]
    pub fn device(&self) -> Device {
        self.mean.val().device().without_autodiff()
    }

    /// # Shapes
    /// - input and output: `[batch, height, width, channels]`
    #[must_use]
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        (x - self.mean.val().unsqueeze()) / self.std.val().unsqueeze()
    }

    /// Normalises by the statistics of this batch, which take part in the gradient.
    ///
    /// # Shapes
    /// - input and output: `[batch, height, width, channels]`
    #[must_use]
    pub fn by_batch(x: Tensor<4>) -> Tensor<4> {
        let shape = x.dims();
        let rows = x.reshape([shape[0] * shape[1] * shape[2], shape[3]]);
        let centred = rows.clone() - rows.mean_dim(0);
        let std = (centred.clone().powi_scalar(2).mean_dim(0) + 1e-5).sqrt();
        (centred / std).reshape(shape)
    }

    /// Replaces the statistics.
    #[must_use]
    pub fn with_statistics(mut self, statistics: &ChannelStatistics) -> Self {
        let set = |param: Param<Tensor<1>>, values: &[f32]| {
            param
                .map(|old| Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), &old.device()))
        };
        self.mean = set(self.mean, &statistics.mean).no_grad();
        self.std = set(self.std, &statistics.std).no_grad();
        self
    }
}

impl ChannelStatistics {
    /// Statistics of raw latents `[batch, height, width, channels]`.
    #[must_use]
    pub fn of(raw: Tensor<4>) -> Self {
        let [batch, height, width, channels] = raw.dims();
        let rows = raw.reshape([batch * height * width, channels]);
        let mean = rows.clone().mean_dim(0);
        let variance = (rows - mean.clone()).powi_scalar(2).mean_dim(0);
        let read = |t: Tensor<2>| t.into_data().iter::<f32>().collect::<Vec<f32>>();
        Self { mean: read(mean), std: read((variance + 1e-8).sqrt()) }
    }
}
