//! One run of an ablation: a variant, a prompt, a seed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::measures::{Curves, Measures};
use crate::error::{Error, Result};
use crate::runs::event::Event;
use crate::runs::folder::RunHeader;
use crate::runs::open;
use crate::runs::series::Series;
use crate::runs::store::RunStore;

/// Curves of an iteration each: step `k` is iteration `k`.
const OF_ITERATIONS: [&str; 6] =
    ["reward/mean", "kl", "gradient_norm/whole", "diversity/images", "diversity/latents", "time/iteration"];

/// Curves of evaluations: step `k` is after `k` iterations, 0 the base model.
const OF_EVALUATIONS: [&str; 6] = [
    "evaluation/reward",
    "evaluation/reward/standard_error",
    "evaluation/verifier",
    "evaluation/exact",
    "held_out/verifier",
    "held_out/exact",
];

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All its iterations are done.
    Finished,
    /// It stopped by itself, for this reason.
    Failed(String),
    /// It was stopped, or never started.
    Unfinished {
        /// Iterations done.
        iterations: usize,
    },
}

impl Outcome {
    /// One word.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Failed(_) => "failed",
            Self::Unfinished { .. } => "unfinished",
        }
    }

    /// What there is to say beyond the word; empty if it finished.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Finished => String::new(),
            Self::Failed(reason) => reason.clone(),
            Self::Unfinished { iterations: 0 } => "not one iteration was done".into(),
            Self::Unfinished { iterations: 1 } => "stopped after 1 iteration".into(),
            Self::Unfinished { iterations } => format!("stopped after {iterations} iterations"),
        }
    }
}

/// One run of an ablation.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The variant of the algorithm.
    pub variant: String,
    /// The training prompt, or several joined.
    pub prompt: String,
    /// Seed of everything random in it.
    pub seed: u64,
    /// The run's folder.
    pub folder: PathBuf,
    /// How it ended.
    pub outcome: Outcome,
    /// What is taken from its record.
    pub recorded: Recorded,
}

/// What is taken from the record of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// Iterations of which numbers were recorded.
    pub iterations: usize,
    /// The numbers that tables are made of.
    pub measures: Measures,
    /// The numbers that figures are made of.
    pub curves: Curves,
    /// By the name of a number: how many of its values are NaN or infinite. All numbers of the run are looked at, not only
    /// those in the report.
    pub not_finite: BTreeMap<String, usize>,
    /// Settings that were changed while it ran, in words.
    pub changes: Vec<String>,
    /// Seconds of training.
    pub seconds: f64,
    /// The configuration; null if it is not known.
    pub config: Value,
    /// Where the tensors lived; empty if it is not known.
    pub device: String,
    /// Version of the program; empty if it is not known.
    pub version: String,
}

/// Which run of an ablation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellId {
    /// The variant of the algorithm.
    pub variant: String,
    /// The training prompt, or several joined.
    pub prompt: String,
    /// Seed of everything random in it.
    pub seed: u64,
}

impl Cell {
    /// A run of which nothing was recorded.
    #[must_use]
    pub fn empty(id: CellId, folder: &Path, outcome: Outcome) -> Self {
        let CellId { variant, prompt, seed } = id;
        Self { variant, prompt, seed, folder: folder.into(), outcome, recorded: Recorded::default() }
    }

    /// From what is known about the run.
    #[must_use]
    pub fn read(id: CellId, outcome: Outcome, store: &RunStore) -> Self {
        Self { recorded: Recorded::of(store), ..Self::empty(id, store.path(), outcome) }
    }

    /// From its events; settings, device and version stay unknown.
    #[must_use]
    pub fn from_events(id: CellId, folder: &Path, outcome: Outcome, events: Vec<Event>) -> Self {
        let header = RunHeader { marscope: String::new(), ..RunHeader::new("train", Value::Null, "") };
        let mut store = RunStore::new(folder, header);
        store.extend(events);
        Self::read(id, outcome, &store)
    }

    /// From the run's folder. If it cannot be read the cell is there nevertheless: as failed, with the reason.
    #[must_use]
    pub fn open(id: CellId, outcome: Outcome, folder: &Path) -> Self {
        match open(folder) {
            Ok(store) => Self::read(id, outcome, &store),
            Err(error) => {
                let outcome = match outcome {
                    Outcome::Finished => Outcome::Failed(format!("its record cannot be read: {error}")),
                    known => known,
                };
                Self::empty(id, folder, outcome)
            }
        }
    }

    /// From the folder of a run that says itself what it is: header and configuration name variant, prompts, seed and the
    /// planned iterations. A run with fewer iterations is unfinished.
    ///
    /// # Errors
    /// Those of [`open()`], and [`Error::Config`] if the header names no variant or no seed.
    pub fn found(folder: &Path) -> Result<Self> {
        let store = open(folder)?;
        let header = store.header();
        let unknown = |what: &str| {
            Error::Config(format!("{} is no run of an ablation: it has no {what}", folder.display()))
        };
        let variant = header.variant.clone().ok_or_else(|| unknown("variant"))?;
        let seed = header.seed.ok_or_else(|| unknown("seed"))?;
        let prompts = header.config.get("prompts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let prompt = prompts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ");
        let recorded = Recorded::of(&store);
        let planned = header.config.get("iterations").and_then(Value::as_u64);
        let outcome = if planned.is_some_and(|planned| recorded.iterations as u64 >= planned) {
            Outcome::Finished
        } else {
            Outcome::Unfinished { iterations: recorded.iterations }
        };
        let id = CellId { variant, prompt, seed };
        Ok(Self { recorded, ..Self::empty(id, store.path(), outcome) })
    }

    /// Whether its numbers enter the means.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.outcome == Outcome::Finished
    }

    /// In words: `mar_grpo, "two red circles", seed 3`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{}, \u{201c}{}\u{201d}, seed {}", self.variant, self.prompt, self.seed)
    }

    /// Values of all its numbers that are NaN or infinite.
    #[must_use]
    pub fn not_finite(&self) -> usize {
        self.recorded.not_finite.values().sum()
    }
}

impl Recorded {
    fn of(store: &RunStore) -> Self {
        let names = OF_ITERATIONS.iter().chain(&OF_EVALUATIONS);
        let curves = Curves(names.map(|name| ((*name).to_owned(), points(store, name))).collect());
        let last = |names: &[&str]| {
            names.iter().filter_map(|name| curves.get(name).last()).map(|point| point.0).max()
        };
        // Of a run with evaluations only, as an import may be, the last says how long it was.
        let iterations = last(&OF_ITERATIONS)
            .map_or_else(|| last(&OF_EVALUATIONS).unwrap_or(0), |step| step.saturating_add(1));
        let not_finite = store.all_series().filter_map(|(name, series)| {
            let summary = series.summary()?;
            let count = summary.nan + summary.positive_infinity + summary.negative_infinity;
            (count > 0).then(|| (name.to_owned(), count))
        });
        let changes = store.changes().iter().map(|change| {
            format!("{}: {} to {} at step {}", change.setting, change.from, change.to, change.step)
        });
        let seconds = store.all_series().filter_map(|(_, series)| Some(series.last()?.seconds));
        Self {
            iterations,
            measures: Measures::of(&curves, iterations),
            not_finite: not_finite.collect(),
            changes: changes.collect(),
            seconds: seconds.filter(|seconds| seconds.is_finite()).fold(0.0, f64::max),
            config: store.header().config.clone(),
            device: store.header().device.clone(),
            version: store.header().marscope.clone(),
            curves,
        }
    }
}

/// A series with one value a step: of several, as a log that was continued may have, the last.
fn points(store: &RunStore, name: &str) -> Vec<(usize, f64)> {
    let mut points: Vec<(usize, f64)> = Vec::new();
    for point in store.series(name).into_iter().flat_map(Series::iter) {
        match points.last_mut() {
            Some(last) if last.0 == point.step => last.1 = point.value,
            _ => points.push((point.step, point.value)),
        }
    }
    points
}
