//! `marscope train`.

#![expect(clippy::doc_markdown, reason = "help is read on a terminal, where backticks are noise")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::config_arguments::ConfigArguments;
use super::settings::config_of;
use super::train_bar::TrainBar;
use crate::error::{Error, Result};
use crate::rl::variant::Variant;
use crate::session::control::StopSignal;
use crate::session::prompts;
use crate::session::train::checkpoint;
use crate::session::train::config::TrainConfig;
use crate::session::train::handle::{Job, Session};
use crate::session::train::message::Message;
use crate::session::train::origin::{Origin, free_folder};

/// Arguments of `train`.
#[derive(Debug, clap::Args)]
pub struct TrainArguments {
    /// Folder of the run; a new one below runs/ if left out.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Continue the run in --run where it stopped.
    #[arg(long, conflicts_with_all = ["fork", "preset", "config", "variant", "reward", "prompts", "model"])]
    resume: bool,
    /// Branch off another run from one of its checkpoints (RUN/checkpoints/000010), with the same noise; settings given
    /// here change.
    #[arg(long, value_name = "CHECKPOINT", conflicts_with_all = ["preset", "config", "model"])]
    fork: Option<PathBuf>,
    /// A variant of the paper: grpo, frozen_head, mte_all, mte_top_k, mte_random, mar_grpo, head_only, policy_gradient.
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// What to train on: a file with one prompt a line, a task family (single_object, two_objects, counting, colours,
    /// colour_attribution, position), or a prompt.
    #[arg(long, value_name = "FILE|FAMILY|PROMPT")]
    prompts: Option<String>,
    /// Folder of the model to start from; the shipped one if left out.
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// auto, cpu, wgpu, wgpu:N, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: String,
    /// Print every recorded number, change and mark as one JSON line, and no progress bar.
    #[arg(long)]
    json: bool,
    /// Print the settings as a TOML file and stop.
    #[arg(long)]
    print_config: bool,
    #[command(flatten)]
    settings: ConfigArguments,
}

impl TrainArguments {
    /// Settings of a new run or a branch.
    fn config(&self) -> Result<TrainConfig> {
        let base = self.fork.as_deref().map(checkpoint::settings).transpose()?;
        let mut config = self.settings.config(base.as_ref(), self.variant)?;
        if let Some(source) = &self.prompts {
            config.prompts = prompts::resolve(source, config.seed)?;
        }
        config.validate()?;
        Ok(config)
    }

    fn job(&self) -> Result<Job> {
        let device = self.device.parse()?;
        if self.resume {
            let run = self.run.clone().ok_or_else(|| {
                Error::Config("--resume needs --run DIR, the folder of the run to continue".into())
            })?;
            return Ok(Job { run, origin: self.resumed()?, device });
        }
        let config = Box::new(self.config()?);
        let run = self.run.clone().map_or_else(|| free_folder(Path::new("runs")), Ok)?;
        let origin = match &self.fork {
            Some(checkpoint) => Origin::Fork { checkpoint: checkpoint.clone(), config },
            None => Origin::New { model: self.model.clone(), config },
        };
        Ok(Job { run, origin, device })
    }

    fn resumed(&self) -> Result<Origin> {
        let flags = &self.settings.settings;
        let mut table = toml::Table::new();
        flags.apply(&mut table)?;
        let other: Vec<&str> = flags.names().into_iter().filter(|name| *name != "iterations").collect();
        if !other.is_empty() {
            return Err(Error::Config(format!(
                "--resume keeps the settings of the run, so --{} cannot be given; branch off with --fork to change them",
                other.join(", --")
            )));
        }
        let given = !flags.is_empty();
        let iterations = if given { Some(config_of(table)?.iterations) } else { None };
        Ok(Origin::Resume { iterations })
    }
}

pub fn run(arguments: &TrainArguments, stop: &StopSignal) -> Result<()> {
    if arguments.print_config {
        let config = arguments.config()?;
        let text = toml::to_string_pretty(&config).map_err(|error| Error::Config(error.to_string()))?;
        println!("{text}");
        return Ok(());
    }
    let job = arguments.job()?;
    let folder = job.run.clone();
    let session = Session::start(job)?;
    let outcome = watch(&session, arguments.json, stop);
    session.join();
    if !arguments.json && folder.join("run.json").exists() {
        println!("{}", folder.display());
    }
    outcome
}

/// Shows what happens until the run is over.
fn watch(session: &Session, json: bool, stop: &StopSignal) -> Result<()> {
    let mut bar = TrainBar::new(!json);
    let mut failed: Option<String> = None;
    loop {
        if stop.check().is_err() {
            session.stop();
        }
        match session.messages.recv_timeout(Duration::from_millis(100)) {
            Ok(Message::Ended(end)) => {
                bar.clear();
                return match (failed, end.reason()) {
                    (Some(text), _) | (None, Some(text)) => Err(Error::Config(text)),
                    (None, None) => stop.check(),
                };
            }
            Ok(Message::RecordingFailed(text)) => {
                // Nobody is there to make room: end it, with what was recorded intact.
                session.stop();
                failed = Some(text);
            }
            Ok(Message::Event(event)) if json => print_line(&event)?,
            Ok(message) => bar.message(&message),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                return Err(Error::Device("the training thread ended without a word".into()));
            }
        }
        bar.status(&session.status());
    }
}

/// One event as a line of JSON, pictures and maps left out: they are in the run's folder.
fn print_line(event: &crate::runs::event::Event) -> Result<()> {
    use crate::runs::event::Event;
    if matches!(event, Event::Group { .. } | Event::Probes { .. }) {
        return Ok(());
    }
    let line = serde_json::to_string(event).map_err(|error| Error::Config(error.to_string()))?;
    println!("{line}");
    Ok(())
}
