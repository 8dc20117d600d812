//! `marscope pretrain`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;

use super::eval::print_table;
use super::progress::Bar;
use crate::error::Result;
use crate::session::config::{LoopConfig, PretrainAutoencoder, PretrainMar, read_toml};
use crate::session::control::StopSignal;
use crate::session::pretrain::{Place, autoencoder, mar, model_folder};

/// What to train.
#[derive(Debug, Subcommand)]
pub enum PretrainCommand {
    /// Pictures to latents and back.
    Autoencoder(Common),
    /// The masked autoregressive transformer and its diffusion head, on the latents of an autoencoder.
    Mar {
        /// Folder of a model whose autoencoder is used.
        #[arg(long, value_name = "DIR")]
        autoencoder: PathBuf,
        /// Scenes drawn and encoded before training.
        #[arg(long, value_name = "N")]
        scenes: Option<usize>,
        #[command(flatten)]
        common: Common,
    },
}

/// Settings that both share; what is left out comes from --config, then from the defaults.
#[derive(Debug, Args)]
pub struct Common {
    /// Folder of the run: its record, checkpoints and, at the end, model/.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// TOML file with settings.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Continue the run in --out from its last checkpoint; give the same settings.
    #[arg(long)]
    resume: bool,
    /// Training steps.
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Seed of weights, batches and noise.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// auto, cpu, wgpu, wgpu:N, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: String,
}

impl Common {
    fn place(&self) -> Result<Place> {
        Ok(Place { out: self.out.clone(), resume: self.resume, device: self.device.parse()? })
    }

    fn settings<T: DeserializeOwned + Default>(&self) -> Result<T> {
        self.config.as_deref().map_or_else(|| Ok(T::default()), read_toml)
    }

    fn apply(&self, training: &mut LoopConfig) {
        training.steps = self.steps.unwrap_or(training.steps);
        training.seed = self.seed.unwrap_or(training.seed);
    }
}

pub fn run(command: &PretrainCommand, stop: &StopSignal) -> Result<()> {
    let mut bar = Bar::new();
    let mut report = |progress| bar.show(progress);
    let out = match command {
        PretrainCommand::Autoencoder(common) => {
            let mut config: PretrainAutoencoder = common.settings()?;
            common.apply(&mut config.training);
            let scores = autoencoder::run(&config, &common.place()?, stop, &mut report)?;
            for (name, value) in scores {
                println!("{name}: {value:.4}");
            }
            &common.out
        }
        PretrainCommand::Mar { autoencoder, scenes, common } => {
            let mut config: PretrainMar = common.settings()?;
            common.apply(&mut config.training);
            config.scenes = scenes.unwrap_or(config.scenes);
            let scores = mar::run(&config, autoencoder, &common.place()?, stop, &mut report)?;
            print_table(&scores);
            &common.out
        }
    };
    bar.clear();
    println!("{}", model_folder(out).display());
    Ok(())
}
