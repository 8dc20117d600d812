//! Actions that go to what is next: runs, pictures, AR steps, and the switches of the method by key.

use super::action::{Action, Switch};
use super::app::App;
use crate::rl::config::{Frozen, RlConfig};
use crate::runs::list::REWARD;

impl App {
    /// What is done to the selected run.
    pub(super) fn apply_run(&mut self, action: &Action) {
        let Some(run) = self.selection.run else { return };
        match action {
            Action::AskForkSelected => self.apply(Action::AskFork(run)),
            Action::CloseSelected => self.apply(Action::Close(run)),
            Action::NextRun(by) => {
                let all: Vec<_> = self.runs.iter().map(|run| run.id).collect();
                let place = all.iter().position(|id| *id == run).unwrap_or(0);
                let next = place.saturating_add_signed(*by).min(all.len().saturating_sub(1));
                if let Some(id) = all.get(next) {
                    self.apply(Action::Select(*id));
                }
            }
            _ => {}
        }
    }

    /// Selects the next picture of the group, or the one before.
    pub(super) fn next_picture(&mut self, by: isize) {
        let last =
            self.locals.group.as_ref().map_or(0, |group| group.record.pictures.len().saturating_sub(1));
        self.selection.picture = self.selection.picture.saturating_add_signed(by).min(last);
    }

    /// Shows the next AR step, or the one before; after the last the finished picture.
    pub(super) fn next_ar_step(&mut self, by: isize) {
        let Some(steps) = self.locals.group.as_ref().map(|group| group.record.ar_steps) else { return };
        let next = self.selection.ar_step.unwrap_or(steps).saturating_add_signed(by);
        self.selection.ar_step = (next < steps).then_some(next);
    }

    /// Moves the cursor by recorded iterations; past the newest it follows again.
    pub(super) fn move_cursor(&mut self, by: isize) {
        let Some(run) = self.selection.run.and_then(|id| self.runs.get(id)) else { return };
        let Some(newest) = run.store.last_step() else { return };
        let now = self.selection.cursor.unwrap_or(newest);
        let steps = run
            .store
            .series(REWARD)
            .or_else(|| run.store.longest())
            .map_or(&[][..], |series| series.columns().0);
        let place = steps.partition_point(|step| *step < now + usize::from(by > 0));
        let target = if by > 0 {
            steps.get(place + by.unsigned_abs() - 1).copied().unwrap_or(newest)
        } else {
            place.checked_sub(by.unsigned_abs()).and_then(|place| steps.get(place).copied()).unwrap_or(0)
        };
        self.selection.cursor = if target >= newest && by > 0 { None } else { Some(target.min(newest)) };
        if self.selection.cursor.is_none() {
            self.play = None;
        }
    }

    /// The first recorded iteration: a branch or a foreign log need not begin at 0.
    pub(super) fn first_step(&self) -> usize {
        let run = self.selection.run.and_then(|id| self.runs.get(id));
        let series = run.and_then(|run| run.store.series(REWARD).or_else(|| run.store.longest()));
        series.and_then(|series| series.get(0)).map_or(0, |point| point.step)
    }

    /// Switches a part of the method: of the run that is being trained, or of the next one.
    pub(super) fn switch(&mut self, switch: Switch) {
        let active = self.work.active().and_then(|training| training.run);
        match active.and_then(|run| self.config_of(run, usize::MAX)) {
            Some(config) => {
                let now = self.work.wanted.clone().unwrap_or(config.rl);
                self.apply(Action::Change(Box::new(switched(now, switch))));
            }
            None => self.work.draft.rl = switched(self.work.draft.rl.clone(), switch),
        }
    }
}

fn switched(mut config: RlConfig, switch: Switch) -> RlConfig {
    match switch {
        Switch::FrozenHead => {
            config.frozen = if config.frozen == Frozen::Head { Frozen::None } else { Frozen::Head };
        }
        Switch::Mte => config.mte.enabled = !config.mte.enabled,
        Switch::Consistency => config.consistency.enabled = !config.consistency.enabled,
    }
    config
}
