//! The command line.

mod ablate;
mod bench;
mod config_arguments;
mod devices;
mod eval;
mod pretrain;
mod probe;
mod progress;
mod runs;
mod sample;
mod settings;
mod train;
mod train_bar;
#[cfg(feature = "gui")]
mod window;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::weights::WeightFolder;
use crate::session::control::StopSignal;
use crate::session::device::DeviceChoice;

/// Watch, switch and compare MAR-GRPO training of masked autoregressive image generators.
#[derive(Debug, Parser)]
#[command(version, about)]
#[cfg_attr(feature = "gui", command(after_help = "Without a command the window opens."))]
#[cfg_attr(not(feature = "gui"), command(subcommand_required = true, arg_required_else_help = true))]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open the window, with runs and settings to begin with.
    #[cfg(feature = "gui")]
    Window(Box<window::WindowArguments>),
    /// Draw pictures of prompts.
    Sample(sample::SampleArguments),
    /// Score a model on held-out prompts of every task family.
    Eval(eval::EvalArguments),
    /// Train the autoencoder, or the transformer and its head, from scratch.
    #[command(subcommand)]
    Pretrain(pretrain::PretrainCommand),
    /// Train a model with MAR-GRPO and record the run.
    Train(Box<train::TrainArguments>),
    /// Compare variants over prompts and seeds, and write a report.
    Ablate(Box<ablate::AblateArguments>),
    /// Measure the gradient noise of a checkpoint.
    Probe(probe::ProbeArguments),
    /// List, show, export and check recorded runs.
    #[command(subcommand)]
    Runs(runs::RunsCommand),
    /// List devices, and why one is not usable.
    Devices(devices::DevicesArguments),
    /// Time sampling and one pretraining step on this machine.
    Bench(bench::BenchArguments),
}

/// Which model, and where it runs.
#[derive(Debug, clap::Args)]
struct ModelArguments {
    /// Folder of the model; the shipped one if left out.
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// auto, cpu, wgpu, wgpu:N, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: String,
}

impl ModelArguments {
    fn device(&self) -> Result<DeviceChoice> {
        self.device.parse()
    }

    fn load(&self) -> Result<Model> {
        let device = self.device()?.open()?;
        let folder = match &self.model {
            Some(path) => WeightFolder::read(path)?,
            None => WeightFolder::shipped()?,
        };
        folder.model(&device)
    }
}

/// Parses the command line, runs it, and turns the outcome into an exit code: 0 done, 1 failed, 2 wrong usage,
/// 130 stopped with Ctrl-C.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let stop = StopSignal::default();
    let handler = stop.clone();
    if let Err(error) = ctrlc::set_handler(move || handler.stop()) {
        eprintln!("warning: Ctrl-C will end the program at once: {error}");
    }
    let Some(command) = arguments.command.or_else(without_command) else { return ExitCode::FAILURE };
    let outcome = match command {
        #[cfg(feature = "gui")]
        Command::Window(arguments) => window::run(&arguments, &stop),
        Command::Sample(arguments) => sample::run(&arguments, &stop),
        Command::Eval(arguments) => eval::run(&arguments, &stop),
        Command::Pretrain(command) => pretrain::run(&command, &stop),
        Command::Train(arguments) => train::run(&arguments, &stop),
        Command::Ablate(arguments) => ablate::run(&arguments, &stop),
        Command::Probe(arguments) => probe::run(&arguments, &stop),
        Command::Runs(command) => runs::run(&command),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments, &stop),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Cancelled) => {
            eprintln!("stopped");
            ExitCode::from(130)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What is done without a command: the window opens.
#[cfg(feature = "gui")]
fn without_command() -> Option<Command> {
    Arguments::parse_from(["marscope", "window"]).command
}

/// Without a window clap asks for a command and never comes here.
#[cfg(not(feature = "gui"))]
const fn without_command() -> Option<Command> {
    None
}

/// Prints `value` as one JSON document on standard output.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::Config(e.to_string()))?;
    println!("{text}");
    Ok(())
}
