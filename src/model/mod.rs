//! Networks and samplers, on burn tensors.
//!
//! A [`Model`] is an autoencoder and a [`Generator`]: the masked autoregressive transformer that decides what goes where
//! and the diffusion head that denoises each latent token. [`sample`] turns captions into latents.

pub mod ar_step;
pub mod config;
pub mod denoise;
pub mod diffusion;
pub mod groups;
pub mod head;
pub mod kernels;
pub mod mar;
pub mod nn;
pub mod noise;
pub mod params;
pub mod pixels;
pub mod sample;
pub mod text;
pub mod vae;
pub mod weights;

use burn::module::Module;
use burn::tensor::Device;

pub use config::ModelConfig;
use head::Head;
use mar::Mar;
use nn::init::WeightDraw;
use vae::Autoencoder;

/// The policy: what reinforcement learning trains.
#[derive(Module, Debug)]
pub struct Generator {
    /// The transformer.
    pub mar: Mar,
    /// The diffusion head.
    pub head: Head,
}

impl Generator {
    /// Fresh weights drawn from `seed`.
    #[must_use]
    pub fn new(config: &ModelConfig, seed: u64, device: &Device) -> Self {
        let mut draw = WeightDraw::new(seed, device);
        let channels = config.autoencoder.latent_channels;
        Self {
            mar: Mar::new(&config.mar, channels, &mut draw),
            head: Head::new(&config.head, &config.diffusion, channels, config.mar.width, &mut draw),
        }
        .materialize()
    }
}

/// A whole model, ready to draw pictures.
#[derive(Clone, Debug)]
pub struct Model {
    /// Sizes.
    pub config: ModelConfig,
    /// Pictures to latents and back.
    pub autoencoder: Autoencoder,
    /// Captions to latents.
    pub generator: Generator,
}
