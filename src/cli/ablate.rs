//! `marscope ablate`.

use std::io::IsTerminal;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::config_arguments::ConfigArguments;
use crate::error::Result;
use crate::runs::report::summary;
use crate::session::ablate::{Arm, Plan, Watching, check_folder, report_path};
use crate::session::control::StopSignal;
use crate::session::device::DeviceChoice;
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
    /// auto, cpu, wgpu, wgpu:N, cuda or cuda:N; several with commas, as in cuda:0,cuda:1. Each trains one run after the
    /// other, and one that is named twice trains two at a time.
    #[arg(long, default_value = "auto", value_name = "DEVICE,..")]
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
        devices: DeviceChoice::several(&arguments.device)?,
    };
    let terminal = std::io::stderr().is_terminal();
    let bar = if terminal { ProgressBar::new(1).with_style(style()) } else { ProgressBar::hidden() };
    let several = plan.devices.len() > 1;
    let ablation = plan.run(stop, &mut |watching| {
        show(&bar, watching);
        if let Some(line) = line(watching, several) {
            if terminal {
                bar.suspend(|| eprintln!("{line}"));
            } else {
                eprintln!("{line}");
            }
        }
    })?;
    bar.finish_and_clear();
    println!("{}", summary(&ablation));
    println!("{}", report_path(&arguments.out).display());
    Ok(())
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:24} {pos}/{len} {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The bar counts the iterations of all runs.
fn show(bar: &ProgressBar, watching: &Watching<'_>) {
    let (done, all) = watching.all_iterations();
    bar.set_length(all as u64);
    bar.set_position(done as u64);
    bar.set_message(words(watching));
}

/// What is under way.
fn words(watching: &Watching<'_>) -> String {
    let of = watching.cell.1;
    match watching.under_way {
        [] => format!("{} of {of} runs done", watching.done),
        [one] => format!("{}/{of} {}: {}", one.number, one.name, one.status.activity.name()),
        several => {
            let each: Vec<String> = several
                .iter()
                .map(|cell| format!("{}: {}", cell.name, cell.status.activity.name()))
                .collect();
            format!("{} of {of} runs done; {}", watching.done, each.join("; "))
        }
    }
}

/// What is worth a line of its own. Where several devices train, it says which did.
fn line(watching: &Watching<'_>, several: bool) -> Option<String> {
    let Watching { cell: (number, of), name, status, .. } = watching;
    match watching.message? {
        Message::Warning(text) => Some(format!("warning: {name}: {text}")),
        Message::Ended(End::Diverged(reason) | End::Failed(reason)) => {
            Some(format!("{name} failed: {reason}"))
        }
        Message::Ended(End::Finished | End::Stopped) => {
            let device = if several { format!(" on {}", watching.device) } else { String::new() };
            Some(format!(
                "{number}/{of} {name}: {} iterations in {:.0} s{device}",
                status.iteration,
                status.active.as_secs_f64()
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::session::ablate::UnderWay;
    use crate::session::train::status::{Activity, Status};

    #[test]
    fn the_bar_counts_the_iterations_of_all_runs_under_way() {
        let status = |iteration| Status { activity: Activity::Sampling, iteration, ..Status::default() };
        let of = |number: usize, iteration| UnderWay {
            number,
            name: format!("run {number}"),
            device: DeviceChoice::Cuda(number),
            status: status(iteration),
        };
        let under_way = [of(2, 7), of(4, 1)];
        let (ended, status) = (Message::Ended(End::Finished), status(20));
        let watching = |under_way, done| Watching {
            cell: (3, 6),
            name: "run 3",
            run: Path::new("run"),
            device: DeviceChoice::Cuda(1),
            status: &status,
            message: Some(&ended),
            done,
            under_way,
            iterations: 20,
        };
        let bar = ProgressBar::hidden();
        show(&bar, &watching(&under_way, 2));
        assert_eq!((bar.position(), bar.length()), (2 * 20 + 7 + 1, Some(120)));
        assert_eq!(bar.message(), "2 of 6 runs done; run 2: sampling; run 4: sampling");
        show(&bar, &watching(&under_way[..1], 1));
        assert_eq!((bar.position(), bar.message().as_str()), (27, "2/6 run 2: sampling"));
        let told = |several| line(&watching(&[], 6), several).unwrap();
        assert_eq!(told(false), "3/6 run 3: 20 iterations in 0 s");
        assert_eq!(told(true), "3/6 run 3: 20 iterations in 0 s on cuda:1");
    }
}
