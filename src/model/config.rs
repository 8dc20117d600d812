//! Sizes of a whole model and the check that they fit together.

use serde::{Deserialize, Serialize};

use super::diffusion::DiffusionConfig;
use super::head::HeadConfig;
use super::mar::MarConfig;
use super::vae::AutoencoderConfig;
use crate::error::{Error, Result, in_range};

/// Everything that decides the shape of the weights. Stored with them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelConfig {
    /// Pictures to latents and back.
    pub autoencoder: AutoencoderConfig,
    /// The transformer.
    pub mar: MarConfig,
    /// The diffusion head.
    pub head: HeadConfig,
    /// What the head was trained for.
    pub diffusion: DiffusionConfig,
}

impl ModelConfig {
    /// Checks the documented ranges.
    ///
    /// # Errors
    /// [`Error::Config`] naming the first field that is out of range.
    pub fn validate(&self) -> Result<()> {
        let within = |name: &str, value: usize, low: usize, high: usize| {
            in_range(name, value as f64, low as f64, high as f64)
        };
        let multiple = |name: &str, value: usize, of: usize| {
            if of > 0 && value.is_multiple_of(of) {
                Ok(())
            } else {
                Err(Error::Config(format!("{name} = {value} must be a multiple of {of}")))
            }
        };
        within("autoencoder.latent_channels", self.autoencoder.latent_channels, 1, 64)?;
        within("autoencoder.fine_width", self.autoencoder.fine_width, 8, 1024)?;
        multiple("autoencoder.fine_width", self.autoencoder.fine_width, 8)?;
        within("autoencoder.coarse_width", self.autoencoder.coarse_width, 8, 1024)?;
        multiple("autoencoder.coarse_width", self.autoencoder.coarse_width, 8)?;
        within("mar.side", self.mar.side, 2, 32)?;
        within("mar.width", self.mar.width, 16, 4096)?;
        within("mar.heads", self.mar.heads, 1, 64)?;
        multiple("mar.width", self.mar.width, self.mar.heads)?;
        multiple("mar.width", self.mar.width, 4)?;
        within("mar.depth", self.mar.depth, 1, 64)?;
        within("head.width", self.head.width, 16, 4096)?;
        within("head.depth", self.head.depth, 1, 64)?;
        within("head.time_features", self.head.time_features, 2, 1024)?;
        multiple("head.time_features", self.head.time_features, 2)?;
        if let DiffusionConfig::Flow { eta, .. } = self.diffusion
            && !(0.0..=1.0).contains(&eta)
        {
            return Err(Error::Config(format!("diffusion.eta = {eta}: choose between 0 and 1")));
        }
        Ok(())
    }
}
