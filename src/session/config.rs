//! Settings of a pretraining run: every field is in the TOML file, the run's record and the manifest of what it made.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, in_range};
use crate::model::ModelConfig;
use crate::rl::optim::OptimConfig;
use crate::rl::pretrain::CosineSchedule;
use crate::rl::pretrain::autoencoder::AutoencoderLossConfig;
use crate::rl::pretrain::mar::MarLossConfig;

/// What both kinds of pretraining share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoopConfig {
    /// Seed of weights, batches and noise.
    pub seed: u64,
    /// Training steps, 1 to 10,000,000.
    pub steps: usize,
    /// Pictures a shard and step, 1 to 4096.
    pub batch: usize,
    /// Shards computed side by side and averaged, 1 to 64. Fixed by the run and not by the machine, so that a run does
    /// not depend on the number of cores.
    pub shards: usize,
    /// Decay of the average of weights that is scored and kept, 0 to below 1.
    pub ema_decay: f64,
    /// Course of the learning rate.
    pub schedule: CosineSchedule,
    /// The optimiser.
    pub optim: OptimConfig,
    /// Steps between two recorded lines.
    pub log_every: usize,
    /// Steps between two checkpoints.
    pub checkpoint_every: usize,
    /// Steps between two held-out scores; the last step is always scored.
    pub evaluate_every: usize,
    /// Held-out captions of each family when scoring during training.
    pub evaluate_captions: usize,
    /// Held-out captions of each family for the scores kept with the finished model.
    pub final_captions: usize,
}

impl Default for LoopConfig {
    fn default() -> Self {
        Self {
            seed: 0,
            steps: 2600,
            batch: 24,
            shards: 2,
            ema_decay: 0.998,
            schedule: CosineSchedule::default(),
            optim: OptimConfig::default(),
            log_every: 20,
            checkpoint_every: 500,
            evaluate_every: 1000,
            evaluate_captions: 32,
            final_captions: 200,
        }
    }
}

/// Settings of `marscope pretrain autoencoder`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PretrainAutoencoder {
    /// Sizes; only the autoencoder's are used.
    pub model: ModelConfig,
    /// The training loop.
    pub training: LoopConfig,
    /// The loss.
    pub loss: AutoencoderLossConfig,
}

impl Default for PretrainAutoencoder {
    fn default() -> Self {
        let optim = OptimConfig {
            learning_rate: 2e-3,
            beta2: 0.99,
            weight_decay: 1e-4,
            muon_learning_rate: 0.0,
            ..OptimConfig::default()
        };
        let schedule = CosineSchedule { warmup: 50, floor: 0.005 };
        let training = LoopConfig {
            steps: 3000,
            batch: 8,
            ema_decay: 0.99,
            optim,
            schedule,
            evaluate_every: 500,
            ..LoopConfig::default()
        };
        Self { model: ModelConfig::default(), training, loss: AutoencoderLossConfig::default() }
    }
}

/// Settings of `marscope pretrain mar`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PretrainMar {
    /// Sizes; the autoencoder's come from its own weights.
    pub model: ModelConfig,
    /// The training loop.
    pub training: LoopConfig,
    /// The loss.
    pub loss: MarLossConfig,
    /// Scenes drawn and encoded once before training, 1 to 1,000,000.
    pub scenes: usize,
}

impl Default for PretrainMar {
    fn default() -> Self {
        Self {
            model: ModelConfig::default(),
            training: LoopConfig::default(),
            loss: MarLossConfig::default(),
            scenes: 40_000,
        }
    }
}

impl LoopConfig {
    /// Checks the documented ranges.
    ///
    /// # Errors
    /// [`Error::Config`] naming the first field that is out of range.
    pub fn validate(&self) -> Result<()> {
        let within = |name: &str, value: f64, low: f64, high: f64| {
            in_range(&format!("training.{name}"), value, low, high)
        };
        within("steps", self.steps as f64, 1.0, 1e7)?;
        within("batch", self.batch as f64, 1.0, 4096.0)?;
        within("shards", self.shards as f64, 1.0, 64.0)?;
        within("ema_decay", self.ema_decay, 0.0, 0.999_999)?;
        within("log_every", self.log_every as f64, 1.0, 1e7)?;
        within("checkpoint_every", self.checkpoint_every as f64, 1.0, 1e7)?;
        within("evaluate_every", self.evaluate_every as f64, 1.0, 1e7)?;
        within("evaluate_captions", self.evaluate_captions as f64, 1.0, 1e4)?;
        within("final_captions", self.final_captions as f64, 1.0, 1e4)?;
        within("schedule.floor", self.schedule.floor, 0.0, 1.0)?;
        within("optim.learning_rate", self.optim.learning_rate, 0.0, 1.0)?;
        within("optim.beta1", f64::from(self.optim.beta1), 0.0, 0.9999)?;
        within("optim.beta2", f64::from(self.optim.beta2), 0.0, 0.999_999)?;
        within("optim.weight_decay", f64::from(self.optim.weight_decay), 0.0, 1.0)?;
        within("optim.muon_learning_rate", self.optim.muon_learning_rate, 0.0, 1.0)?;
        within("optim.muon_weight_decay", f64::from(self.optim.muon_weight_decay), 0.0, 1.0)?;
        within("optim.clip_norm", self.optim.clip_norm, 0.0, 1e6)
    }
}

impl PretrainAutoencoder {
    /// Checks the documented ranges.
    ///
    /// # Errors
    /// [`Error::Config`] naming the first field that is out of range.
    pub fn validate(&self) -> Result<()> {
        self.model.validate()?;
        self.training.validate()?;
        in_range("loss.latent_noise", self.loss.latent_noise, 0.0, 1.0)?;
        in_range("loss.gradient_weight", self.loss.gradient_weight, 0.0, 10.0)
    }
}

impl PretrainMar {
    /// Checks the documented ranges.
    ///
    /// # Errors
    /// [`Error::Config`] naming the first field that is out of range.
    pub fn validate(&self) -> Result<()> {
        self.model.validate()?;
        self.training.validate()?;
        in_range("loss.mask_range", self.loss.mask_range, 0.0, 1.0)?;
        in_range("loss.noise_draws", self.loss.noise_draws as f64, 1.0, 16.0)?;
        in_range("loss.input_noise", self.loss.input_noise, 0.0, 1.0)?;
        in_range("loss.caption_dropout", self.loss.caption_dropout, 0.0, 1.0)?;
        in_range("scenes", self.scenes as f64, 1.0, 1e6)
    }
}

/// Reads a TOML file of settings; what it leaves out keeps its default, an unknown name is an error.
///
/// # Errors
/// [`Error::Io`] or [`Error::Format`] naming the line.
pub fn read_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).map_err(Error::io("read", path))?;
    toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let message = error.message().replace('\n', " ");
        Error::format(path, format!("line {line}: {message}"))
    })
}
