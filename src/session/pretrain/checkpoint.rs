//! Checkpoints of a pretraining run: weights, their average, the optimiser's state and the step, all single precision.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use burn::module::Module;
use burn::tensor::Device;

use super::super::config::LoopConfig;
use super::super::optimiser_file;
use super::State;
use crate::error::{Error, Result};
use crate::model::params::flatten;
use crate::model::weights::{from_bytes, to_bytes};
use crate::rl::ema::Ema;
use crate::rl::optim::ParamOptimizer;
use crate::runs::files::{create_folder, replace_folder, settled, write_whole};

const WEIGHTS: &str = "weights.bpk";
const AVERAGE: &str = "average.bpk";
const OPTIMISER: &str = "optimiser.safetensors";

/// Writes the checkpoint of `state` into the run's folder, replacing the one before; at every moment one of the two is
/// whole.
///
/// # Errors
/// [`Error::Io`] naming the file.
pub(super) fn write<M: Module>(state: &State<M>, run: &Path) -> Result<()> {
    let aside = run.join("checkpoint.new");
    if aside.exists() {
        fs::remove_dir_all(&aside).map_err(Error::io("remove", &aside))?;
    }
    create_folder(&aside)?;
    let weights = state.module.valid();
    let average = state.average.apply(weights.clone());
    write_whole(&aside.join(WEIGHTS), &to_bytes(weights, false)?)?;
    write_whole(&aside.join(AVERAGE), &to_bytes(average, false)?)?;
    let place = aside.join(OPTIMISER);
    let facts = BTreeMap::from([
        ("step".to_owned(), state.step.to_string()),
        ("seconds".to_owned(), state.seconds.to_string()),
    ]);
    write_whole(&place, &optimiser_file::to_bytes(&state.optimizer.record(), facts, &place)?)?;
    replace_folder(&aside, &run.join("checkpoint"))
}

/// Reads the checkpoint of a run into `fresh`, a module of the same sizes that is being trained; the optimiser's state goes
/// to the plain `device`.
///
/// # Errors
/// [`Error::Config`] if there is none, [`Error::Io`] or [`Error::Format`] if a file is missing, truncated or not ours.
pub(super) fn read<M: Module>(
    fresh: M,
    run: &Path,
    config: &LoopConfig,
    device: &Device,
) -> Result<State<M>> {
    let folder = settled(&run.join("checkpoint")).ok_or_else(|| {
        Error::Config(format!("{} has no checkpoint to resume from; start it anew elsewhere", run.display()))
    })?;
    let bytes = |name: &str| -> Result<(PathBuf, Vec<u8>)> {
        let path = folder.join(name);
        let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
        Ok((path, bytes))
    };
    let (path, weights) = bytes(WEIGHTS)?;
    let module = from_bytes(fresh, weights, &path)?;
    let (path, average) = bytes(AVERAGE)?;
    let average = Ema::from_module(config.ema_decay, &from_bytes(module.valid(), average, &path)?);
    let (path, optimiser) = bytes(OPTIMISER)?;
    let (record, metadata) = optimiser_file::parse(&optimiser, &path)?;
    let number = |name: &str| -> Result<f64> {
        metadata.get(name).and_then(|text| text.parse().ok()).ok_or_else(|| {
            Error::format(&path, format!("does not say its {name}; it is not one of our checkpoints"))
        })
    };
    let (step, seconds) = (number("step")? as usize, number("seconds")?);
    let mut optimizer = ParamOptimizer::new(&config.optim);
    optimizer.restore(record, &flatten(&module), device)?;
    Ok(State { module, average, optimizer, step, seconds })
}
