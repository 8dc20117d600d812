//! Times of the parts of a training iteration.

use std::collections::BTreeMap;
use std::time::Instant;

use super::bench::median;
use super::control::StopSignal;
use super::memory::peak_mib;
use super::train::config::TrainConfig;
use super::train::gate::Gate;
use super::train::iteration::{Fixed, Work};
use super::train::policy::Policy;
use crate::error::{Error, Result};
use crate::model::Model;

/// Median seconds of `collect`, `reward`, `mte`, `replay`, `backward`, `update` and the whole `iteration` over `iterations`
/// after a warm-up, and `peak_memory_mib` where the system says.
///
/// # Errors
/// [`Error::Config`] for settings out of range, [`Error::Cancelled`] if stopped, [`Error::Device`] if the device fails.
pub fn measure(
    model: Model,
    config: &TrainConfig,
    iterations: usize,
    stop: &StopSignal,
) -> Result<BTreeMap<String, f64>> {
    config.validate()?;
    let fixed = Fixed { captions: config.captions()?, reference: model };
    let mut policy = Policy::new(fixed.reference.generator.clone(), &config.rl);
    let gate = Gate::default();
    let poll = || stop.check();
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for number in 0..=iterations {
        let started = Instant::now();
        let work = Work { fixed: &fixed, config, gate: &gate, poll: &poll };
        let (next, iteration) = work.iterate(&policy)?;
        if let Some(error) = iteration.failure {
            return Err(error);
        }
        policy = next;
        let whole = started.elapsed().as_secs_f64();
        // The first warms caches and, on a GPU, compiles kernels.
        if number > 0 {
            for (part, seconds) in iteration.times {
                times.entry(part.to_owned()).or_default().push(seconds);
            }
            times.entry("iteration".to_owned()).or_default().push(whole);
        }
    }
    if times.is_empty() {
        return Err(Error::Config("0 iterations: time at least one".into()));
    }
    let mut medians: BTreeMap<String, f64> =
        times.into_iter().map(|(part, mut list)| (part, median(&mut list))).collect();
    if let Some(peak) = peak_mib() {
        medians.insert("peak_memory_mib".into(), peak);
    }
    Ok(medians)
}
