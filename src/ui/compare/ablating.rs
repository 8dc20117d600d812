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
use crate::session::ablate::{Arm, Plan, UnderWay, Watching, check_folder, report_path};
use crate::session::control::StopSignal;
use crate::session::slot::Slot;
use crate::session::train::message::{End, Message};

/// Warnings kept.
const WARNINGS: usize = 50;

/// How far an ablation is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AblationProgress {
    /// Runs that are over, finished or failed, now or when the ablation was run before.
    pub done: usize,
    /// Runs in all.
    pub of: usize,
    /// Runs that can be under way at a time.
    pub devices: usize,
    /// Runs under way, in the order of the plan.
    pub under_way: Vec<UnderWay>,
    /// Iterations of a run.
    pub iterations: usize,
    /// Seconds of an iteration, mean over the runs under way or else the last that were; 0 before the first.
    pub iteration_seconds: f64,
    /// Runs that ended, in order.
    pub ended: Vec<EndedCell>,
    /// Runs that began, in order: each can be opened and followed like any other run.
    pub begun: Vec<BegunCell>,
    /// What went wrong while a run went on, the newest last.
    pub warnings: Vec<String>,
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
    /// Share of the iterations that is done, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f32 {
        let all = (self.of * self.iterations).max(1) as f32;
        let under_way: usize = self.under_way.iter().map(|cell| self.iterations - self.left(cell)).sum();
        ((self.done * self.iterations + under_way) as f32 / all).clamp(0.0, 1.0)
    }

    /// Iterations left to a run under way.
    fn left(&self, cell: &UnderWay) -> usize {
        self.iterations.saturating_sub(cell.status.iteration)
    }

    /// Seconds that are left at the present speed, evaluations not included; none before the first iteration. Each device
    /// that is through with its run takes the next one.
    #[must_use]
    pub fn remaining_seconds(&self) -> Option<f64> {
        if self.iteration_seconds <= 0.0 {
            return None;
        }
        let known = |seconds: f64| if seconds > 0.0 { seconds } else { self.iteration_seconds };
        let left = |cell: &UnderWay| self.left(cell) as f64 * known(cell.status.iteration_seconds);
        let mut free_after: Vec<f64> = self.under_way.iter().map(left).collect();
        free_after.resize(self.devices.max(free_after.len()).max(1), 0.0);
        free_after.sort_by(f64::total_cmp);
        let waiting = self.of.saturating_sub(self.done + self.under_way.len());
        let (each, more) = (waiting / free_after.len(), waiting % free_after.len());
        let run = self.iterations as f64 * self.iteration_seconds;
        let ends = free_after.iter().enumerate();
        Some(
            ends.map(|(place, after)| after + (each + usize::from(place < more)) as f64 * run)
                .fold(0.0, f64::max),
        )
    }

    /// How many runs are over and under way, in words.
    #[must_use]
    pub fn words(&self) -> String {
        if self.of == 0 {
            return "Starting".into();
        }
        let done = format!("{} of {} runs done", self.done, self.of);
        match self.under_way.len() {
            0 => done,
            count => format!("{done}, {count} under way"),
        }
    }

    /// Whether the run of that name is under way.
    #[must_use]
    pub fn is_under_way(&self, name: &str) -> bool {
        self.under_way.iter().any(|cell| cell.name == name)
    }

    fn take(&mut self, watching: &Watching<'_>, plan: &Plan) {
        let Watching { name, status, .. } = *watching;
        (self.done, self.of, self.devices) = (watching.done, watching.cell.1, plan.devices.len());
        self.under_way.clear();
        self.under_way.extend_from_slice(watching.under_way);
        self.iterations = watching.iterations;
        let speeds = self.under_way.iter().map(|cell| cell.status.iteration_seconds);
        let speeds: Vec<f64> = speeds.filter(|seconds| *seconds > 0.0).collect();
        if !speeds.is_empty() {
            self.iteration_seconds = speeds.iter().sum::<f64>() / speeds.len() as f64;
        }
        let known = self.begun.iter().rev().any(|begun| begun.name == name);
        if !known && watching.run.join(HEADER_FILE).exists() {
            let folder = fs::canonicalize(watching.run).unwrap_or_else(|_| watching.run.to_path_buf());
            self.begun.push(BegunCell { name: name.to_owned(), folder });
        }
        match watching.message {
            Some(Message::Warning(text) | Message::RecordingFailed(text)) => {
                self.warnings.push(format!("{name}: {text}"));
                let surplus = self.warnings.len().saturating_sub(WARNINGS);
                self.warnings.drain(..surplus);
            }
            Some(Message::Ended(end)) => self.ended.push(EndedCell {
                name: name.to_owned(),
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

/// An ablation under way, or ended. Dropping it stops it; the runs under way end with checkpoints.
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
    // As the report has them: by the variants of the plan, and not by their names.
    let place =
        |cell: &Cell| plan.arms.iter().position(|arm| arm.name() == cell.variant).unwrap_or(usize::MAX);
    cells.sort_by_key(place);
    Ok(AblationTable::of(&Ablation::new(cells)))
}
