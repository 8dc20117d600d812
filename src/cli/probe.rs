//! `marscope probe`.

use std::path::PathBuf;

use super::print_json;
use crate::error::Result;
use crate::session::control::StopSignal;
use crate::session::probe::gradient_noise;

/// Arguments of `probe`.
#[derive(Debug, clap::Args)]
pub struct ProbeArguments {
    /// Folder of the checkpoint: RUN/checkpoints/000010.
    checkpoint: PathBuf,
    /// Redraws of the head's noise, 2 to 64; as the run has it if left out.
    #[arg(long, value_name = "N")]
    redraws: Option<usize>,
    /// auto, cpu, wgpu, wgpu:N, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &ProbeArguments, stop: &StopSignal) -> Result<()> {
    let device = arguments.device.parse()?;
    let report = gradient_noise(&arguments.checkpoint, arguments.redraws, device, stop)?;
    if arguments.json {
        return print_json(&report);
    }
    println!(
        "gradient noise after {} iterations, {} pictures of {:?}, {} redraws of the head's noise",
        report.iteration, report.pictures, report.prompt, report.redraws
    );
    println!("trace of the covariance of the gradient over the squared norm of its mean:");
    for (name, value) in report.values {
        println!("{name:18} {value:10.4}");
    }
    Ok(())
}
