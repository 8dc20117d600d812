//! The autoencoder between pictures and latent tokens.

mod blocks;
mod decoder;
mod encoder;
mod latent_norm;

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use super::nn::init::WeightDraw;
pub(super) use blocks::conv_same;
pub use decoder::Decoder;
pub use encoder::Encoder;
pub use latent_norm::{ChannelStatistics, LatentNorm};

/// Sizes of the autoencoder. A picture of side `s` becomes `(s / 8)²` tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoencoderConfig {
    /// Channels of a latent token, 1 to 64.
    pub latent_channels: usize,
    /// Channels at a quarter of the resolution, a multiple of 8.
    pub fine_width: usize,
    /// Channels at an eighth of the resolution, a multiple of 8.
    pub coarse_width: usize,
}

impl Default for AutoencoderConfig {
    fn default() -> Self {
        Self { latent_channels: 16, fine_width: 48, coarse_width: 96 }
    }
}

impl AutoencoderConfig {
    /// Pixels along the side of one latent token.
    pub const PATCH: usize = 8;

    /// A model with fresh weights.
    pub fn init(&self, draw: &mut WeightDraw<'_>) -> Autoencoder {
        Autoencoder {
            encoder: Encoder::new(self, draw),
            norm: LatentNorm::new(self.latent_channels, draw.device()),
            decoder: Decoder::new(self, draw),
        }
    }
}

/// Encoder, latent normalisation and decoder. The latents have zero mean and unit variance in every channel over the
/// training pictures, so no scaling factor is needed.
#[derive(Module, Debug)]
pub struct Autoencoder {
    encoder: Encoder,
    norm: LatentNorm,
    decoder: Decoder,
}

impl Autoencoder {
    /// Where the weights are, without autodiff.
    #[must_use]
    pub fn device(&self) -> Device {
        self.norm.device()
    }

    /// Latents before normalisation.
    ///
    /// # Shapes
    /// - `images`: `[batch, side, side, 3]`, values 0 to 1
    /// - output: `[batch, side / 8, side / 8, channels]`
    #[must_use]
    pub fn encode_raw(&self, images: Tensor<4>) -> Tensor<4> {
        self.encoder.forward(images)
    }

    /// Latent tokens in row-major order.
    ///
    /// # Shapes
    /// - `images`: `[batch, side, side, 3]`, values 0 to 1
    /// - output: `[batch, (side / 8)², channels]`
    #[must_use]
    pub fn encode(&self, images: Tensor<4>) -> Tensor<3> {
        let latents = self.norm.forward(self.encode_raw(images));
        let [batch, height, width, channels] = latents.dims();
        latents.reshape([batch, height * width, channels])
    }

    /// Pictures from latent tokens; not clamped.
    ///
    /// # Shapes
    /// - `tokens`: `[batch, side², channels]`
    /// - output: `[batch, 8 side, 8 side, 3]`, values about 0 to 1
    #[must_use]
    pub fn decode(&self, tokens: Tensor<3>) -> Tensor<4> {
        let [batch, count, channels] = tokens.dims();
        let side = count.isqrt();
        self.decode_grid(tokens.reshape([batch, side, side, channels]))
    }

    /// [`decode`](Self::decode) for latents `[batch, side, side, channels]`.
    #[must_use]
    pub fn decode_grid(&self, latents: Tensor<4>) -> Tensor<4> {
        self.decoder.forward(latents)
    }

    /// Replaces the statistics by which latents are normalised.
    #[must_use]
    pub fn with_statistics(mut self, statistics: &ChannelStatistics) -> Self {
        self.norm = self.norm.with_statistics(statistics);
        self
    }
}
