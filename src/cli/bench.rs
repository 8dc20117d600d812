//! `marscope bench`.

use super::config_arguments::ConfigArguments;
use super::{ModelArguments, print_json};
use crate::error::{Error, Result};
use crate::rl::variant::Variant;
use crate::session::bench::measure;
use crate::session::bench_rl;
use crate::session::control::StopSignal;

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
pub struct BenchArguments {
    /// Pretraining steps to time, 1 to 1000.
    #[arg(long, default_value_t = 15, value_name = "N")]
    steps: usize,
    /// Sampling runs to time, 1 to 1000.
    #[arg(long, default_value_t = 5, value_name = "N")]
    runs: usize,
    /// Time the parts of a training iteration instead, with the settings of a preset, a file or flags.
    #[arg(long)]
    rl: bool,
    /// Training iterations to time with --rl, 1 to 1000.
    #[arg(long, default_value_t = 5, value_name = "N")]
    times: usize,
    /// Variant to time with --rl.
    #[arg(long, value_name = "NAME", requires = "rl")]
    variant: Option<Variant>,
    #[command(flatten)]
    settings: ConfigArguments,
    #[command(flatten)]
    model: ModelArguments,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &BenchArguments, stop: &StopSignal) -> Result<()> {
    if arguments.rl {
        return training(arguments, stop);
    }
    if !arguments.settings.settings.is_empty() {
        return Err(Error::Config("settings of training are timed with --rl only".into()));
    }
    if !(1..=1000).contains(&arguments.steps) || !(1..=1000).contains(&arguments.runs) {
        return Err(Error::Config(format!(
            "{} steps and {} runs: choose between 1 and 1000 of each",
            arguments.steps, arguments.runs
        )));
    }
    let model = arguments.model.load()?;
    let device = arguments.model.device()?.open()?;
    let timings = measure(&model, &device, arguments.steps, arguments.runs, stop)?;
    if arguments.json {
        return print_json(&timings);
    }
    println!(
        "one pretraining step of 48 pictures: {:.3} s (median of {})",
        timings.pretrain_step_s, arguments.steps
    );
    println!(
        "8 pictures with default sampling:    {:.3} s (median of {})",
        timings.sample_8_s, arguments.runs
    );
    Ok(())
}

fn training(arguments: &BenchArguments, stop: &StopSignal) -> Result<()> {
    if !(1..=1000).contains(&arguments.times) {
        return Err(Error::Config(format!("--times {}: choose between 1 and 1000", arguments.times)));
    }
    let config = arguments.settings.config(None, arguments.variant)?;
    let medians = bench_rl::measure(arguments.model.load()?, &config, arguments.times, stop)?;
    if arguments.json {
        return print_json(&serde_json::json!({ "rl": medians }));
    }
    println!("median of {} iterations:", arguments.times);
    for (part, value) in medians {
        let unit = if part.ends_with("_mib") { "MiB" } else { "s" };
        println!("{part:16} {value:8.3} {unit}");
    }
    Ok(())
}
