//! `marscope eval`.

use std::path::PathBuf;

use super::ModelArguments;
use super::progress::Bar;
use super::sample::SamplingArguments;
use crate::error::{Error, Result};
use crate::runs::files::write_json;
use crate::session::control::StopSignal;
use crate::session::evaluate::{Estimate, EvaluateConfig, Scores, evaluate};

/// Arguments of `eval`.
#[derive(Debug, clap::Args)]
pub struct EvalArguments {
    /// Held-out captions of each task family, one picture each, 1 to 10000.
    #[arg(long, default_value_t = 100, value_name = "N")]
    captions: usize,
    /// Seed of captions and noise.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Also write the scores to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    sampling: SamplingArguments,
    #[command(flatten)]
    model: ModelArguments,
}

/// What the JSON file holds.
#[derive(serde::Serialize)]
struct Report {
    config: EvaluateConfig,
    device: String,
    scores: Vec<Scores>,
}

pub fn run(arguments: &EvalArguments, stop: &StopSignal) -> Result<()> {
    if !(1..=10_000).contains(&arguments.captions) {
        return Err(Error::Config(format!("{} captions: choose between 1 and 10000", arguments.captions)));
    }
    let config = EvaluateConfig {
        captions: arguments.captions,
        seed: arguments.seed,
        sample: arguments.sampling.config()?,
    };
    let model = arguments.model.load()?;
    let mut bar = Bar::new();
    let scores = evaluate(&model, &config, stop, &mut |progress| bar.show(progress))?;
    bar.clear();
    print_table(&scores);
    if let Some(path) = &arguments.json {
        let device = arguments.model.device()?.to_string();
        write_json(path, &Report { config, device, scores })?;
    }
    Ok(())
}

/// Scores as a table: means with half the width of their 95 % interval.
pub fn print_table(scores: &[Scores]) {
    println!(
        "{:20} {:>8} {:>14} {:>14} {:>7} {:>7} {:>7} {:>8} {:>10}",
        "family", "pictures", "mean", "exact", "colour", "shape", "count", "relation", "legibility"
    );
    let wide = |e: Option<Estimate>| {
        e.map_or_else(|| "-".to_owned(), |e| format!("{:.3} ± {:.3}", e.mean, (e.high - e.low) / 2.0))
    };
    let short = |e: Option<Estimate>| e.map_or_else(|| "-".to_owned(), |e| format!("{:.3}", e.mean));
    for row in scores {
        println!(
            "{:20} {:>8} {:>14} {:>14} {:>7} {:>7} {:>7} {:>8} {:>10}",
            row.family,
            row.pictures,
            wide(row.mean),
            wide(row.exact),
            short(row.colour),
            short(row.shape),
            short(row.count),
            short(row.relation),
            short(row.legibility)
        );
    }
}
