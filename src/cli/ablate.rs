//! `marscope ablate`.

use std::io::IsTerminal;
use std::path::PathBuf;

use indicatif::ProgressBar;

use super::config_arguments::ConfigArguments;
use crate::error::Result;
use crate::runs::report::summary;
use crate::session::ablate::{Arm, Plan, Watching, check_folder, report_path};
use crate::session::control::StopSignal;
use crate::session::prompts;
use crate::session::train::message::{End, Message};

/// Arguments of `ablate`.
#[derive(Debug, clap::Args)]
pub struct AblateArguments {
    /// Variants to compare, separated by commas; `+shuffled` behind one makes it a control with shuffled advantages.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "A,B",
        default_value = "grpo,frozen_head,mte_top_k,mar_grpo"
    )]
    variants: Vec<Arm>,
    /// Seeds, from --seed on.
    #[arg(long, value_name = "N", default_value_t = 3)]
    seeds: u64,
    /// What to train on, each prompt in runs of its own: a file with one a line, a task family, or a prompt; may be given
    /// several times. The preset's prompts if left out.
    #[arg(long, value_name = "FILE|FAMILY|PROMPT")]
    prompts: Vec<String>,
    /// Folder of the runs and of report.html, cells.csv, variants.csv and report.json. Given again, it goes on where it
    /// stopped.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Folder of the model to start from; the shipped one if left out.
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// auto, cpu, wgpu, wgpu:N, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: String,
    #[command(flatten)]
    settings: ConfigArguments,
}

pub fn run(arguments: &AblateArguments, stop: &StopSignal) -> Result<()> {
    check_folder(&arguments.out)?;
    let config = arguments.settings.config(None, None)?;
    let mut listed = Vec::new();
    for source in &arguments.prompts {
        listed.extend(prompts::resolve(source, config.seed)?);
    }
    let plan = Plan {
        arms: arguments.variants.clone(),
        prompts: if listed.is_empty() { config.prompts.clone() } else { listed },
        seeds: arguments.seeds,
        config,
        out: arguments.out.clone(),
        model: arguments.model.clone(),
        device: arguments.device.parse()?,
    };
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(1) } else { ProgressBar::hidden() };
    let terminal = std::io::stderr().is_terminal();
    let ablation = plan.run(stop, &mut |watching| show(&bar, terminal, watching))?;
    bar.finish_and_clear();
    println!("{}", summary(&ablation));
    println!("{}", report_path(&arguments.out).display());
    Ok(())
}

fn show(bar: &ProgressBar, terminal: bool, watching: &Watching<'_>) {
    let Watching { cell: (number, of), name, status, message, .. } = watching;
    bar.set_length((of * status.iterations) as u64);
    bar.set_position(((number - 1) * status.iterations + status.iteration) as u64);
    bar.set_message(format!("{number}/{of} {name}: {}", status.activity.name()));
    let line = match message {
        Some(Message::Warning(text)) => format!("warning: {name}: {text}"),
        Some(Message::Ended(End::Diverged(reason) | End::Failed(reason))) => {
            format!("{name} failed: {reason}")
        }
        Some(Message::Ended(_)) => {
            format!(
                "{number}/{of} {name}: {} iterations in {:.0} s",
                status.iteration,
                status.active.as_secs_f64()
            )
        }
        _ => return,
    };
    if terminal {
        bar.suspend(|| eprintln!("{line}"));
    } else {
        eprintln!("{line}");
    }
}
