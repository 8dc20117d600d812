//! Settings from a preset, a file and flags, for every command that trains.

#![expect(clippy::doc_markdown, reason = "help is read on a terminal, where backticks are noise")]

use std::path::PathBuf;

use super::settings::{SettingFlags, config_of};
use crate::error::{Error, Result};
use crate::rl::variant::Variant;
use crate::session::train::config::TrainConfig;
use crate::session::train::preset;

/// Where settings come from; later ones win: preset, file, variant, reward, flags.
#[derive(Debug, clap::Args)]
pub struct ConfigArguments {
    /// Settings by name: default, smoke (does it work at all), the variants of the paper (mar_grpo, grpo, ..) with its
    /// numbers, released_code (the semantics of its authors' program).
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// TOML file with settings, over those of the preset.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Rewards and their weights: verifier, or verifier=1,jpeg_small=0.2.
    #[arg(long, value_name = "REWARDS")]
    pub reward: Option<String>,
    #[command(flatten)]
    pub settings: SettingFlags,
}

impl ConfigArguments {
    /// The settings over `base`, or over the preset if there is none; not yet validated.
    pub fn config(&self, base: Option<&TrainConfig>, variant: Option<Variant>) -> Result<TrainConfig> {
        let mut table = match base {
            Some(base) => toml::Table::try_from(base).map_err(|error| Error::Config(error.to_string()))?,
            None => toml::from_str(preset::text(self.preset.as_deref().unwrap_or("default"))?)
                .map_err(|error| Error::Config(error.to_string()))?,
        };
        if let Some(path) = &self.config {
            let over: toml::Table = crate::session::config::read_toml(path)?;
            // Checked on its own first, so that a fault names the file and not a mixture.
            config_of(over.clone()).map_err(|error| Error::format(path, error.to_string()))?;
            merge(&mut table, over);
        }
        let mut config = config_of(table)?;
        if let Some(variant) = variant {
            variant.apply(&mut config.rl);
        }
        if let Some(reward) = &self.reward {
            config.rl.reward.clone_from(reward);
        }
        let mut table = toml::Table::try_from(&config).map_err(|error| Error::Config(error.to_string()))?;
        self.settings.apply(&mut table)?;
        config_of(table)
    }
}

/// Values of `over` in the place of those of `table`.
fn merge(table: &mut toml::Table, over: toml::Table) {
    for (name, value) in over {
        match (table.get_mut(&name), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(over)) => merge(inner, over),
            (_, value) => {
                table.insert(name, value);
            }
        }
    }
}
