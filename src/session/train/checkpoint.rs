//! Checkpoints of a training run, from which it is resumed or forked: `checkpoints/000010/` holds the policy after ten
//! iterations, with the settings of that moment.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use burn::tensor::Device;

use super::config::TrainConfig;
use super::policy::Policy;
use crate::error::{Error, Result};
use crate::model::Generator;
use crate::model::params::flatten;
use crate::model::weights::{from_bytes, to_bytes};
use crate::rl::ema::Ema;
use crate::runs::files::{create_folder, read_json, replace_folder, write_json, write_whole};
use crate::session::optimiser_file;

/// Folder of the checkpoints within the run's.
pub const CHECKPOINTS: &str = "checkpoints";
const WEIGHTS: &str = "weights.bpk";
const AVERAGE: &str = "average.bpk";
const OPTIMISER: &str = "optimiser.safetensors";
const SETTINGS: &str = "settings.json";
/// Marks a checkpoint that a user asked for: it is never removed.
const ASKED_FOR: &str = "asked_for";

/// Writes `policy` and `config` aside and renames: at every moment the checkpoints there are whole.
///
/// # Errors
/// [`Error::Io`] naming the file.
pub fn write(policy: &Policy, config: &TrainConfig, run: &Path, asked_for: bool) -> Result<PathBuf> {
    let place = run.join(CHECKPOINTS).join(format!("{:06}", policy.iteration));
    let aside = place.with_extension("new");
    if aside.exists() {
        fs::remove_dir_all(&aside).map_err(Error::io("remove", &aside))?;
    }
    create_folder(&aside)?;
    let weights = policy.sampling();
    if let Some(average) = &policy.average {
        write_whole(&aside.join(AVERAGE), &to_bytes(average.apply(weights.clone()), false)?)?;
    }
    write_whole(&aside.join(WEIGHTS), &to_bytes(weights, false)?)?;
    let facts = BTreeMap::from([
        ("iteration".to_owned(), policy.iteration.to_string()),
        ("seconds".to_owned(), policy.seconds.to_string()),
        ("pictures".to_owned(), policy.pictures.to_string()),
        ("updates".to_owned(), policy.updates.to_string()),
    ]);
    let optimiser = aside.join(OPTIMISER);
    write_whole(&optimiser, &optimiser_file::to_bytes(&policy.optimizer.record(), facts, &optimiser)?)?;
    write_json(&aside.join(SETTINGS), config)?;
    if asked_for || place.join(ASKED_FOR).exists() {
        write_whole(&aside.join(ASKED_FOR), b"kept until it is removed by hand\n")?;
    }
    replace_folder(&aside, &place)?;
    Ok(place)
}

/// The checkpoints of a run, oldest first, with the iterations each had done.
#[must_use]
pub fn list(run: &Path) -> Vec<(usize, PathBuf)> {
    let entries = fs::read_dir(run.join(CHECKPOINTS)).into_iter().flatten().flatten();
    let mut found: Vec<(usize, PathBuf)> = entries
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .filter(|(_, path)| path.is_dir())
        .collect();
    found.sort();
    found
}

/// Mends what an interrupted write left: a checkpoint that was moved aside and not replaced is put back, and the rest of a
/// write that was never finished is removed.
///
/// # Errors
/// [`Error::Io`] naming the folder.
pub fn tidy(run: &Path) -> Result<()> {
    for entry in fs::read_dir(run.join(CHECKPOINTS)).into_iter().flatten().flatten() {
        let path = entry.path();
        let whole = path.with_extension("");
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("old") if !whole.exists() => {
                fs::rename(&path, &whole).map_err(Error::io("put back", &whole))?;
            }
            Some("old" | "new") => fs::remove_dir_all(&path).map_err(Error::io("remove", &path))?,
            _ => {}
        }
    }
    Ok(())
}

/// Moves the checkpoints newer than `iteration` aside: they cannot be read, or belong to a history that is computed again.
///
/// # Errors
/// [`Error::Io`] naming the folder.
pub fn set_aside_after(run: &Path, iteration: usize) -> Result<()> {
    for (_, path) in list(run).into_iter().filter(|(at, _)| *at > iteration) {
        let aside = path.with_extension("passed_over");
        if aside.exists() {
            fs::remove_dir_all(&aside).map_err(Error::io("remove", &aside))?;
        }
        fs::rename(&path, &aside).map_err(Error::io("move aside", &path))?;
    }
    Ok(())
}

/// Removes all but the newest `kept` checkpoints that nobody asked for.
///
/// # Errors
/// [`Error::Io`] naming the folder.
pub fn prune(run: &Path, kept: usize) -> Result<()> {
    let own: Vec<PathBuf> =
        list(run).into_iter().map(|(_, path)| path).filter(|path| !path.join(ASKED_FOR).exists()).collect();
    for path in &own[..own.len().saturating_sub(kept)] {
        fs::remove_dir_all(path).map_err(Error::io("remove", path))?;
    }
    Ok(())
}

/// The settings of a checkpoint.
///
/// # Errors
/// [`Error::Io`] or [`Error::Format`] naming the file.
pub fn settings(checkpoint: &Path) -> Result<TrainConfig> {
    read_json(&checkpoint.join(SETTINGS))
}

/// Reads a checkpoint into a policy of the sizes of `fresh` (plain).
///
/// # Errors
/// [`Error::Io`] or [`Error::Format`] if a file is missing, truncated or not ours.
pub fn read(checkpoint: &Path, fresh: &Generator, config: &TrainConfig, device: &Device) -> Result<Policy> {
    let bytes = |name: &str| -> Result<(PathBuf, Vec<u8>)> {
        let path = checkpoint.join(name);
        let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
        Ok((path, bytes))
    };
    let (path, weights) = bytes(WEIGHTS)?;
    let mut policy = Policy::new(from_bytes(fresh.clone(), weights, &path)?, &config.rl);
    // A branch may ask for an average that its parent did not keep; it starts at the weights then.
    if policy.average.is_some() && settings(checkpoint)?.rl.optim.ema_decay > 0.0 {
        let (path, average) = bytes(AVERAGE)?;
        let average = from_bytes(fresh.clone(), average, &path)?;
        policy.average = Some(Ema::from_module(config.rl.optim.ema_decay, &average));
    }
    let (path, optimiser) = bytes(OPTIMISER)?;
    let (record, facts) = optimiser_file::parse(&optimiser, &path)?;
    policy.optimizer.restore(record, &flatten(&policy.generator), device)?;
    let fact = |name: &str| -> Result<f64> {
        facts.get(name).and_then(|text| text.parse().ok()).ok_or_else(|| {
            Error::format(&path, format!("does not say its {name}; it is not one of our checkpoints"))
        })
    };
    policy.iteration = fact("iteration")? as usize;
    policy.seconds = fact("seconds")?;
    policy.pictures = fact("pictures")? as usize;
    policy.updates = fact("updates")? as usize;
    Ok(policy)
}
