//! `marscope bench`.

use super::{ModelArguments, print_json};
use crate::error::{Error, Result};
use crate::session::bench::measure;
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
    #[command(flatten)]
    model: ModelArguments,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &BenchArguments, stop: &StopSignal) -> Result<()> {
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
