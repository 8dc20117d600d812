//! What is new since the last frame: recorded events, what the session told, dialogs that ended.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::action::Action;
use super::app::App;
use super::data::run::RunId;
use super::side::Shown;
use super::training::News;
use crate::rl::config::RlConfig;
use crate::runs::folder::HEADER_FILE;
use crate::session::train::checkpoint::CHECKPOINTS;
use crate::session::train::message::End;

/// Between two iterations while playing.
const PLAY: Duration = Duration::from_millis(200);
/// How often the bar's clocks move while training.
const TICK: Duration = Duration::from_millis(500);

impl App {
    /// Opens what the user points at and selects it. What cannot be opened is told.
    pub(super) fn open(&mut self, path: &Path) -> Option<RunId> {
        if let Some((run, iteration)) = run_of_checkpoint(path) {
            let id = self.open(&run)?;
            self.selection.cursor = Some(iteration);
            self.messages.done(format!(
                "the run at its checkpoint after {iteration} iterations; Fork… branches off from it"
            ));
            return Some(id);
        }
        let repaint = self.repaint.clone();
        match self.runs.open_ahead(path, Some(self.media.prefetch()), move || repaint.news()) {
            Ok(id) => {
                self.selection.run = Some(id);
                Some(id)
            }
            Err(error) => {
                self.messages.problem(format!("not opened: {error}"));
                None
            }
        }
    }

    /// Looks for what is new: recorded events, what the session told, dialogs that ended.
    pub(super) fn take_in(&mut self) {
        self.runs.update();
        self.open_new_runs();
        let applied = self.applied_rl();
        for news in self.work.update(applied.as_ref()) {
            match news {
                News::Problem(text) => self.messages.problem(text),
                News::Done(text) => self.messages.done(text),
            }
        }
        self.take_end();
        self.actions.extend(self.exporting.made());
        if let Some(name) = self.exporting.takes_long() {
            self.messages
                .done(format!("{name} is being drawn; you are asked where to save it when it is there"));
        }
        self.dialogs_ended();
        self.shot_taken();
        self.saved.compare.ablation.found = self.locals.devices.known();
        if self.work.is_busy() {
            self.repaint.tick(TICK);
        }
        self.play_on();
        if self.stop.check().is_err() {
            self.actions.push(Action::Quit);
        }
        if let Some(problem) = self.graphics.lost() {
            self.actions.push(Action::Quit);
            log::error!("{problem}");
        }
    }

    /// A run that is being trained, or a cell of an ablation, is opened once its folder is there.
    fn open_new_runs(&mut self) {
        if let Some(training) = &self.work.training
            && training.run.is_none()
            && !training.not_opened
        {
            if training.folder.join(HEADER_FILE).exists() {
                let folder = training.folder.clone();
                let Some(id) = self.open(&folder) else {
                    if let Some(training) = &mut self.work.training {
                        training.not_opened = true;
                    }
                    return;
                };
                self.selection.cursor = None;
                self.locals.side = Shown::ThisRun;
                if let Some(training) = &mut self.work.training {
                    training.run = Some(id);
                }
            } else if !training.is_over() {
                self.ctx.request_repaint_after(Duration::from_millis(30));
            }
        }
        let cells = self.work.ablating.as_mut().map(super::compare::ablating::Ablating::new_cells);
        let selected = self.selection.run;
        for cell in cells.into_iter().flatten() {
            self.open(&cell);
        }
        if selected.is_some() && self.work.ablating.is_some() {
            self.selection.run = selected;
        }
    }

    /// How the run ended, told once.
    fn take_end(&mut self) {
        let Some(training) = &mut self.work.training else { return };
        let Some(end) = training.ended.clone() else { return };
        if std::mem::replace(&mut training.told, true) {
            return;
        }
        let (folder, run) = (training.folder.display().to_string(), training.run);
        if let Some(run) = run.and_then(|id| self.runs.get_mut(id)) {
            run.look_for_checkpoints();
        }
        self.locals.found.look(&self.work.folder, &self.ctx);
        match end {
            End::Finished => self.messages.done(format!("finished: {folder}")),
            End::Stopped => self.messages.done(format!("stopped; Resume continues {folder}")),
            End::Diverged(reason) | End::Failed(reason) => {
                self.messages.problem(format!("the run ended: {reason}"));
            }
        }
    }

    fn play_on(&mut self) {
        let Some(last) = self.play else { return };
        if last.elapsed() >= PLAY {
            self.play = Some(Instant::now());
            self.actions.push(Action::MoveCursor(1));
        }
        self.ctx.request_repaint_after(PLAY);
    }

    /// Settings in force in the newest iteration of the run that is being trained.
    fn applied_rl(&mut self) -> Option<RlConfig> {
        let run = self.work.active()?.run?;
        self.config_of(run, usize::MAX).map(|config| config.rl)
    }
}

/// The run and the iterations of a checkpoint, `RUN/checkpoints/000010`.
fn run_of_checkpoint(path: &Path) -> Option<(PathBuf, usize)> {
    let iteration = path.file_name()?.to_str()?.parse().ok()?;
    let folder = path.parent().filter(|folder| folder.ends_with(CHECKPOINTS))?;
    let run = folder.parent()?;
    run.join(HEADER_FILE).exists().then(|| (run.to_path_buf(), iteration))
}
