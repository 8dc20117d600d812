//! Runs an ablation on a thread of its own.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::runs::folder::HEADER_FILE;
use crate::runs::list::list_runs;
use crate::runs::report::{Ablation, Cell, VariantRow, remarks};
use crate::session::ablate::{Arm, Plan, Watching, check_folder, report_path};
use crate::session::control::StopSignal;
use crate::session::slot::Slot;
use crate::session::train::message::{End, Message};
use crate::session::train::status::Activity;

/// Warnings kept.
const WARNINGS: usize = 50;

/// How far an ablation is.
#[derive(Clone, Debug, PartialEq)]
pub struct AblationProgress {
    /// Run under way, from 1.
    pub number: usize,
    /// Runs in all.
    pub of: usize,
    /// Variant, prompt and seed of the run under way.
    pub name: String,
    /// What it is doing.
    pub activity: Activity,
    /// Iterations of it that are done.
    pub iteration: usize,
    /// Iterations of a run.
    pub iterations: usize,
    /// Seconds of an iteration; 0 before the first.
    pub iteration_seconds: f64,
    /// Runs that ended, in order.
    pub ended: Vec<EndedCell>,
    /// Runs that began, in order: each can be opened and followed like any other run.
    pub begun: Vec<BegunCell>,
    /// What went wrong while a run went on, the newest last.
    pub warnings: Vec<String>,
}

impl Default for AblationProgress {
    fn default() -> Self {
        Self {
            number: 0,
            of: 0,
            name: String::new(),
            activity: Activity::Idle,
            iteration: 0,
            iterations: 0,
            iteration_seconds: 0.0,
            ended: Vec::new(),
            begun: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// A run that began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BegunCell {
    /// Variant, prompt and seed.
    pub name: String,
    /// Its folder, as an open run has it.
    pub folder: PathBuf,
}

impl BegunCell {
    /// The variant; no name of one has a comma.
    #[must_use]
    pub fn variant(&self) -> &str {
        self.name.split_once(", ").map_or(&self.name, |(variant, _)| variant)
    }

    /// Prompt and seed.
    #[must_use]
    pub fn rest(&self) -> &str {
        self.name.split_once(", ").map_or("", |(_, rest)| rest)
    }
}

/// A run that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedCell {
    /// Variant, prompt and seed.
    pub name: String,
    /// Why it ended early; none if it finished.
    pub problem: Option<String>,
    /// Seconds of training.
    pub seconds: f64,
}

impl AblationProgress {
    /// Share that is done, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f32 {
        let (of, iterations) = (self.of.max(1) as f32, self.iterations.max(1) as f32);
        let under_way = (self.iteration as f32 / iterations).min(1.0);
        ((self.number.saturating_sub(1) as f32 + under_way) / of).clamp(0.0, 1.0)
    }

    /// Seconds that are left at the present speed, evaluations not included; none before the first iteration.
    #[must_use]
    pub fn remaining_seconds(&self) -> Option<f64> {
        let runs = self.of.saturating_sub(self.number) * self.iterations;
        let left = runs + self.iterations.saturating_sub(self.iteration);
        (self.iteration_seconds > 0.0).then_some(left as f64 * self.iteration_seconds)
    }

    fn take(&mut self, watching: &Watching<'_>, plan: &Plan) {
        let status = watching.status;
        (self.number, self.of) = watching.cell;
        watching.name.clone_into(&mut self.name);
        self.activity = status.activity;
        (self.iteration, self.iterations) = (status.iteration, status.iterations.max(plan.config.iterations));
        self.iteration_seconds = status.iteration_seconds;
        let known = self.begun.last().is_some_and(|last| last.name == self.name);
        if !known && watching.run.join(HEADER_FILE).exists() {
            let folder = fs::canonicalize(watching.run).unwrap_or_else(|_| watching.run.to_path_buf());
            self.begun.push(BegunCell { name: self.name.clone(), folder });
        }
        match watching.message {
            Some(Message::Warning(text) | Message::RecordingFailed(text)) => {
                self.warnings.push(format!("{}: {text}", self.name));
                let surplus = self.warnings.len().saturating_sub(WARNINGS);
                self.warnings.drain(..surplus);
            }
            Some(Message::Ended(end)) => self.ended.push(EndedCell {
                name: self.name.clone(),
                problem: match end {
                    End::Stopped => Some("stopped".into()),
                    other => other.clone().reason(),
                },
                seconds: status.active.as_secs_f64(),
            }),
            _ => {}
        }
    }
}

/// What an ablation found.
#[derive(Clone, Debug, PartialEq)]
pub struct AblationTable {
    /// The variant that others are compared with.
    pub baseline: String,
    /// A row a variant.
    pub rows: Vec<VariantRow>,
    /// What makes the comparison doubtful.
    pub remarks: Vec<String>,
}

impl AblationTable {
    /// Computes the table; that takes time and is not done while drawing.
    #[must_use]
    pub fn of(ablation: &Ablation) -> Self {
        let baseline = ablation.baseline.clone();
        Self { baseline, rows: ablation.rows(), remarks: remarks(ablation) }
    }
}

/// How an ablation ended.
#[derive(Clone, Debug, PartialEq)]
pub struct AblationResult {
    /// The table of what there is, or why there is none.
    pub table: Result<AblationTable, String>,
    /// Whether it was stopped before all runs ended.
    pub stopped: bool,
    /// Where the report is, if it was written.
    pub report: Option<PathBuf>,
}

/// An ablation under way, or ended. Dropping it stops it; the run under way ends with a checkpoint.
pub struct Ablating {
    stop: StopSignal,
    progress: Slot<AblationProgress>,
    result: Slot<AblationResult>,
    thread: Option<JoinHandle<()>>,
    /// Folders that [`new_cells`](Self::new_cells) gave already.
    told: usize,
}

impl Ablating {
    /// Starts `plan`; `repaint` is called when there is something new to be drawn.
    ///
    /// # Errors
    /// [`Error::Config`] for a plan or a folder that cannot be used, [`Error::Device`] if the thread cannot be started.
    pub fn start(plan: Plan, repaint: impl Fn() + Send + 'static) -> Result<Self> {
        plan.validate()?;
        check_folder(&plan.out)?;
        let (stop, progress, result) = (StopSignal::default(), Slot::default(), Slot::default());
        let (heard, told, ended) = (stop.clone(), progress.clone(), result.clone());
        let work = move || {
            ended.put(run(&plan, &heard, &|progress| {
                told.put(progress);
                repaint();
            }));
            repaint();
        };
        let thread = std::thread::Builder::new().name("ablation".into()).spawn(work).map_err(|error| {
            Error::Device(format!("the thread of the ablation could not be started: {error}"))
        })?;
        Ok(Self { stop, progress, result, thread: Some(thread), told: 0 })
    }

    /// How far it is; none before the first run began.
    #[must_use]
    pub fn progress(&self) -> Option<Arc<AblationProgress>> {
        self.progress.newest()
    }

    /// Folders of the runs that began since this was asked last: each can be opened and followed like any other run.
    #[must_use]
    pub fn new_cells(&mut self) -> Vec<PathBuf> {
        let Some(progress) = self.progress() else { return Vec::new() };
        let new = progress.begun.iter().skip(self.told).map(|cell| cell.folder.clone()).collect();
        self.told = progress.begun.len();
        new
    }

    /// Whether it ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.result().is_some()
    }

    /// Asks it to stop; answered within one AR step. The report is written of what there is.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// Whether it was asked to stop.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stop.check().is_err()
    }

    /// How it ended; none while it goes on.
    #[must_use]
    pub fn result(&self) -> Option<Arc<AblationResult>> {
        self.result.newest()
    }
}

impl Drop for Ablating {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            // It catches its own panics; there is nothing to learn from this one.
            drop(thread.join());
        }
    }
}

fn run(plan: &Plan, stop: &StopSignal, tell: &dyn Fn(AblationProgress)) -> AblationResult {
    let mut progress = AblationProgress::default();
    let mut watch = |watching: &Watching<'_>| {
        progress.take(watching, plan);
        tell(progress.clone());
    };
    let before = fs::metadata(report_path(&plan.out)).and_then(|found| found.modified()).ok();
    let ran = catch_unwind(AssertUnwindSafe(|| plan.run(stop, &mut watch)));
    let stopped = matches!(ran, Ok(Err(Error::Cancelled)));
    let table = match ran {
        Ok(Ok(ablation)) => Ok(AblationTable::of(&ablation)),
        Ok(Err(Error::Cancelled)) => so_far(plan).map_err(|error| error.to_string()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("The ablation ended with a fault of the program; the log says more.".into()),
    };
    // An old report must not be taken for that of this ablation.
    let now = fs::metadata(report_path(&plan.out)).and_then(|found| found.modified()).ok();
    let report = (now.is_some() && (table.is_ok() || now != before)).then(|| report_path(&plan.out));
    AblationResult { table, stopped, report }
}

/// The table of the runs that are in the folder of `plan`.
fn so_far(plan: &Plan) -> Result<AblationTable> {
    let mut cells = Vec::new();
    for row in list_runs(&plan.out)? {
        let mut cell = Cell::found(&row.path)?;
        // The header names the variant; whether it is the control is in the settings.
        let shuffled =
            cell.recorded.config.pointer("/rl/advantages").and_then(Value::as_str) == Some("shuffled");
        if let (true, Ok(variant)) = (shuffled, cell.variant.parse()) {
            cell.variant = Arm { variant, shuffled }.name();
        }
        cells.push(cell);
    }
    Ok(AblationTable::of(&Ablation::new(cells)))
}
