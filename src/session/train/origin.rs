//! How a run begins: new, continued, or branched off.

use std::path::{Path, PathBuf};

use burn::tensor::Device;

use super::checkpoint;
use super::config::TrainConfig;
use super::iteration::Fixed;
use super::policy::Policy;
use crate::error::{Error, Result};
use crate::model::weights::{Manifest, WeightFolder};
use crate::rl::variant::Variant;
use crate::runs::event::{Event, Mark};
use crate::runs::folder::{Parent, RunFolder, RunHeader, lock, read_events, read_header};
use crate::runs::health::Health;
use crate::session::device::{DeviceChoice, described};
use crate::session::settings::differences;

/// `kind` in the header of a training run.
pub const KIND: &str = "train";
/// Folder of the base model within the run's: the start of training, and what KL is measured against.
pub const BASE: &str = "base";

/// How a run begins.
#[derive(Clone, Debug)]
pub enum Origin {
    /// From a model: a folder, or the shipped one.
    New {
        /// Folder of the model.
        model: Option<PathBuf>,
        /// Settings.
        config: Box<TrainConfig>,
    },
    /// Where it stopped, or from its last good checkpoint.
    Resume {
        /// Iterations in all, if that changes.
        iterations: Option<usize>,
    },
    /// As a branch of another run, from a checkpoint, with the same noise.
    Fork {
        /// Folder of the checkpoint.
        checkpoint: PathBuf,
        /// Settings of the branch.
        config: Box<TrainConfig>,
    },
}

/// `folder/train-001`, or the next that is free.
///
/// # Errors
/// [`Error::Config`] if there are too many.
pub fn free_folder(folder: &Path) -> Result<PathBuf> {
    (1..100_000)
        .map(|n| folder.join(format!("train-{n:03}")))
        .find(|path| !path.exists())
        .ok_or_else(|| Error::Config(format!("{} is full of runs; choose another folder", folder.display())))
}

/// A run ready to be trained.
pub struct Opened {
    /// Constants.
    pub fixed: Fixed,
    /// Where it starts.
    pub policy: Policy,
    /// Settings.
    pub config: TrainConfig,
    /// The record.
    pub folder: RunFolder,
    /// What must be recorded first.
    pub events: Vec<Event>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Whether scores that were recorded at the start were dropped and must be made again.
    pub look_again: bool,
    /// What was recorded before, watched again so that a finding is not made twice.
    pub health: Health,
}

impl Origin {
    /// Opens the run at `run`.
    ///
    /// # Errors
    /// [`Error::Config`] for settings out of range or a folder that is taken, [`Error::Io`] or [`Error::Format`] for files
    /// that cannot be read or written.
    pub fn open(&self, run: &Path, choice: DeviceChoice) -> Result<Opened> {
        let device = choice.open()?;
        match self {
            Self::New { model, config } => new(run, model.as_deref(), config, (choice, &device)),
            Self::Resume { iterations } => resume(run, *iterations, &device),
            Self::Fork { checkpoint, config } => fork(run, checkpoint, config, (choice, &device)),
        }
    }
}

fn header(config: &TrainConfig, device: &str) -> Result<RunHeader> {
    let value = serde_json::to_value(config).map_err(|error| Error::Config(error.to_string()))?;
    Ok(RunHeader {
        seed: Some(config.seed),
        variant: Some(Variant::of(&config.rl).map_or("custom", Variant::name).to_owned()),
        ..RunHeader::new(KIND, value, device)
    })
}

fn fixed(folder: &WeightFolder, config: &TrainConfig, device: &Device) -> Result<Fixed> {
    Ok(Fixed { reference: folder.model(device)?, captions: config.captions()? })
}

fn new(
    run: &Path,
    model: Option<&Path>,
    config: &TrainConfig,
    (choice, device): (DeviceChoice, &Device),
) -> Result<Opened> {
    config.validate()?;
    let base = model.map_or_else(WeightFolder::shipped, WeightFolder::read)?;
    let fixed = fixed(&base, config, device)?;
    let folder = RunFolder::create(run, &header(config, &described(choice, device))?)?;
    base.copy_to(&run.join(BASE))?;
    let policy = Policy::new(fixed.reference.generator.clone(), &config.rl);
    checkpoint::write(&policy, config, run, true)?;
    Ok(Opened {
        fixed,
        policy,
        config: config.clone(),
        folder,
        events: Vec::new(),
        warnings: Vec::new(),
        look_again: false,
        health: Health::default(),
    })
}

fn resume(run: &Path, iterations: Option<usize>, device: &Device) -> Result<Opened> {
    let header = read_header(run)?;
    if header.kind != KIND {
        return Err(Error::Config(format!(
            "{} is a run of kind {}; only a training run can be continued with `marscope train --resume`",
            run.display(),
            header.kind
        )));
    }
    let lock = lock(run)?;
    checkpoint::tidy(run)?;
    let base = WeightFolder::read(&run.join(BASE))?;
    let mut warnings = Vec::new();
    let (policy, mut config) = newest_good(run, &base, device, &mut warnings)?;
    let started: TrainConfig = serde_json::from_value(header.config).map_err(|error| {
        Error::format(&run.join("run.json"), format!("the settings cannot be read: {error}"))
    })?;
    config.iterations = iterations.unwrap_or(config.iterations);
    config.validate()?;
    let dropped = Dropped::of(read_events(run)?, policy.iteration);
    checkpoint::set_aside_after(run, policy.iteration)?;
    let folder = RunFolder::resume_locked(run, policy.iteration, lock)?;
    let kept = read_events(run)?;
    let mut health = Health::default();
    for event in &kept {
        if let Event::Scalars { step, values, .. } = event {
            health.observe(*step, values);
        }
    }
    let mut events = dropped.marks;
    events.extend(unrecorded_changes(&started, &kept, &config, policy.iteration)?);
    let mut text = format!("continued after {} iterations", policy.iteration);
    if dropped.iterations > 0 {
        let more = format!("; {} recorded ones after the checkpoint are computed again", dropped.iterations);
        text.push_str(&more);
    }
    events.push(Event::Mark { step: policy.iteration, mark: Mark::Resume, text });
    let look_again = dropped.looked;
    Ok(Opened {
        fixed: fixed(&base, &config, device)?,
        policy,
        config,
        folder,
        events,
        warnings,
        look_again,
        health,
    })
}

/// What was recorded at or after a checkpoint and goes when the run is resumed there.
struct Dropped {
    /// Iterations that are computed again.
    iterations: usize,
    /// Whether the policy of the checkpoint itself was scored or shown.
    looked: bool,
    /// Marks that stay: why the run branched off, that it was resumed before, why it ended.
    marks: Vec<Event>,
}

impl Dropped {
    fn of(recorded: Vec<Event>, iteration: usize) -> Self {
        let mut dropped = Self { iterations: 0, looked: false, marks: Vec::new() };
        for event in recorded.into_iter().filter(|event| event.step() >= iteration) {
            match &event {
                Event::Scalars { step, values, .. } if values.contains_key("reward/mean") => {
                    dropped.iterations = dropped.iterations.max(step + 1 - iteration);
                }
                Event::Scalars { step, .. } | Event::Probes { step, .. } => {
                    dropped.looked |= *step == iteration;
                }
                Event::Mark { mark: Mark::Fork | Mark::Resume, .. } => dropped.marks.push(event),
                Event::Mark { mark: Mark::Alert, text, .. } if text.starts_with(ENDED) => {
                    dropped.marks.push(event);
                }
                _ => {}
            }
        }
        dropped
    }
}

/// How the mark begins that says why a run ended.
pub const ENDED: &str = "the run ended: ";

/// The newest checkpoint that can be read. One that cannot is passed over, and said so.
fn newest_good(
    run: &Path,
    base: &WeightFolder,
    device: &Device,
    warnings: &mut Vec<String>,
) -> Result<(Policy, TrainConfig)> {
    let fresh = base.generator(device)?;
    for (_, path) in checkpoint::list(run).into_iter().rev() {
        let read = checkpoint::settings(&path)
            .and_then(|config| Ok((checkpoint::read(&path, &fresh, &config, device)?, config)));
        match read {
            Ok(found) => return Ok(found),
            Err(error) => warnings.push(format!("this checkpoint is passed over: {error}")),
        }
    }
    let reasons = warnings.join("; ");
    Err(Error::Config(format!(
        "{} has no checkpoint that can be read{}{reasons}; start anew in another folder",
        run.display(),
        if reasons.is_empty() { "" } else { ": " }
    )))
}

/// Changes between what the record says the settings are and what the checkpoint says.
fn unrecorded_changes(
    started: &TrainConfig,
    events: &[Event],
    now: &TrainConfig,
    step: usize,
) -> Result<Vec<Event>> {
    let mut known = crate::session::settings::flatten(started)?;
    for event in events {
        if let Event::Change { setting, to, .. } = event {
            known.insert(setting.clone(), to.clone());
        }
    }
    let now = crate::session::settings::flatten(now)?;
    let changed = now.into_iter().filter_map(|(setting, to)| {
        let from = known.get(&setting).cloned().unwrap_or(serde_json::Value::Null);
        (from != to).then_some(Event::Change { step, setting, from, to })
    });
    Ok(changed.collect())
}

/// The run to which the checkpoint `from` belongs.
fn run_of(from: &Path) -> Result<&Path> {
    from.parent().and_then(Path::parent).filter(|run| run.join("run.json").exists()).ok_or_else(|| {
        Error::Config(format!("{} is not a checkpoint of a run: RUN/checkpoints/000010", from.display()))
    })
}

/// Whether `folder` holds a model, by its manifest; the weights are read when training starts.
///
/// # Errors
/// Those of [`Manifest::read`].
pub fn check_model(folder: &Path) -> Result<()> {
    Manifest::read(folder).map(drop)
}

/// The base model of the run to which the checkpoint `from` belongs.
///
/// # Errors
/// [`Error::Config`] if it belongs to none, and what is wrong with the model.
pub fn base_of(from: &Path) -> Result<WeightFolder> {
    WeightFolder::read(&run_of(from)?.join(BASE))
}

fn fork(
    run: &Path,
    from: &Path,
    config: &TrainConfig,
    (choice, device): (DeviceChoice, &Device),
) -> Result<Opened> {
    config.validate()?;
    let parent = run_of(from)?;
    let base = base_of(from)?;
    let before = checkpoint::settings(from)?;
    let policy = checkpoint::read(from, &base.generator(device)?, config, device)?;
    let step = policy.iteration;
    let header = RunHeader {
        parent: Some(Parent { run: parent.display().to_string(), step }),
        ..header(config, &described(choice, device))?
    };
    let folder = RunFolder::create(run, &header)?;
    base.copy_to(&run.join(BASE))?;
    checkpoint::write(&policy, config, run, true)?;
    let changes = differences(&before, config)?;
    let words: Vec<String> =
        changes.iter().map(|d| format!("{} {} -> {}", d.setting, d.from, d.to)).collect();
    let words = if words.is_empty() { "the same settings".to_owned() } else { words.join(", ") };
    let text = format!("branched off {} after {step} iterations with {words}", parent.display());
    let events = vec![Event::Mark { step, mark: Mark::Fork, text }];
    let fixed = fixed(&base, config, device)?;
    Ok(Opened {
        fixed,
        policy,
        config: config.clone(),
        folder,
        events,
        warnings: Vec::new(),
        look_again: false,
        health: Health::default(),
    })
}
