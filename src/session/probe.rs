//! The gradient noise of a checkpoint: the paper's claim as a number.

use std::collections::BTreeMap;
use std::path::Path;

use super::control::StopSignal;
use super::device::DeviceChoice;
use super::train::checkpoint;
use super::train::gate::Gate;
use super::train::iteration::{Fixed, Work};
use super::train::noise;
use super::train::origin::base_of;
use crate::error::Result;

/// What was measured.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct NoiseReport {
    /// Iterations that the checkpoint had done.
    pub iteration: usize,
    /// The prompt of the rollout.
    pub prompt: String,
    /// Pictures of the rollout.
    pub pictures: usize,
    /// Redraws of the head's noise.
    pub redraws: usize,
    /// Trace of the covariance of the gradient over the squared norm of its mean: `noise/single`, `noise/mte_all`,
    /// `noise/mte_top_k`.
    pub values: BTreeMap<String, f64>,
}

/// Samples the checkpoint's next iteration and measures how much its gradient changes when only the head's noise does.
///
/// # Errors
/// [`crate::error::Error::Io`] or [`crate::error::Error::Format`] for a checkpoint that cannot be read,
/// [`crate::error::Error::Cancelled`] if stopped.
pub fn gradient_noise(
    from: &Path,
    redraws: Option<usize>,
    choice: DeviceChoice,
    stop: &StopSignal,
) -> Result<NoiseReport> {
    let device = choice.open()?;
    let mut config = checkpoint::settings(from)?;
    config.probe.noise_redraws = redraws.unwrap_or(config.probe.noise_redraws);
    config.validate()?;
    let base = base_of(from)?;
    let fixed = Fixed { reference: base.model(&device)?, captions: config.captions()? };
    let policy = checkpoint::read(from, &fixed.reference.generator, &config, &device)?;
    let (gate, poll) = (Gate::default(), || stop.check());
    let work = Work { fixed: &fixed, config: &config, gate: &gate, poll: &poll };
    let (_, iteration) = work.iterate(&policy)?;
    if let Some(error) = iteration.failure {
        return Err(error);
    }
    Ok(NoiseReport {
        iteration: policy.iteration,
        prompt: iteration.groups.iter().map(|g| g.caption.to_string()).collect::<Vec<_>>().join("; "),
        pictures: config.pictures(),
        redraws: config.probe.noise_redraws,
        values: noise::measure(&work, &policy, &iteration)?,
    })
}
