//! Every setting of a training run as a flag, under the name that it has in a TOML file.

use clap::{Arg, ArgMatches, Command};

use crate::error::{Error, Result};
use crate::session::settings::{descriptions, flatten, put};
use crate::session::train::config::TrainConfig;
use crate::session::train::preset;

/// Settings given on the command line: path and value as written.
#[derive(Clone, Debug, Default)]
pub struct SettingFlags(Vec<(String, String)>);

/// Those that have a shorter flag of their own.
const OWN_FLAG: [&str; 1] = ["prompts"];

fn paths() -> Vec<(String, serde_json::Value)> {
    flatten(&preset::config("default").unwrap_or_default())
        .unwrap_or_default()
        .into_iter()
        .filter(|(path, _)| !OWN_FLAG.contains(&path.as_str()))
        .collect()
}

impl clap::Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        let described = descriptions::<TrainConfig>();
        paths().into_iter().fold(command, |command, (path, default)| {
            let help =
                format!("{} [default preset: {default}]", described.get(&path).map_or("", String::as_str));
            // Only the most wanted in the short help; the full list is in --help.
            let common = matches!(path.as_str(), "iterations" | "seed");
            command.arg(
                Arg::new(path.clone())
                    .long(path)
                    .value_name("VALUE")
                    .help(help)
                    .help_heading("Settings, by their path in the configuration file")
                    .allow_hyphen_values(true)
                    .hide_short_help(!common),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let given = |path: String| Some((path.clone(), matches.get_one::<String>(&path)?.clone()));
        Ok(Self(paths().into_iter().filter_map(|(path, _)| given(path)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl SettingFlags {
    /// Whether none was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts them over the settings in `table`.
    pub fn apply(&self, table: &mut toml::Table) -> Result<()> {
        for (path, text) in &self.0 {
            put(table, path, value(text))?;
        }
        Ok(())
    }

    /// Names of those given.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(path, _)| path.as_str()).collect()
    }
}

/// A value as TOML reads it, or the text itself: `0.3`, `true`, `gaussian`.
fn value(text: &str) -> toml::Value {
    let parsed: std::result::Result<toml::Table, _> = toml::from_str(&format!("value = {text}"));
    parsed
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

/// The settings in `table`, with what is wrong with them in words.
pub fn config_of(table: toml::Table) -> Result<TrainConfig> {
    toml::Value::Table(table)
        .try_into()
        .map_err(|error: toml::de::Error| Error::Config(format!("settings: {}", error.message())))
}
