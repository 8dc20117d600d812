//! The form of a branch: from which checkpoint, with which settings changed.

use std::path::PathBuf;

use eframe::egui::{ComboBox, Role, ScrollArea, Ui, WidgetInfo};

use crate::session::settings::flatten;
use crate::session::train::config::TrainConfig;
use crate::ui::action::{Action, Fork};
use crate::ui::data::run::{OpenRun, RunId};
use crate::ui::scene::Scene;
use crate::ui::settings_form::{changes, put, settings_form_ui};

/// A branch that is being prepared.
#[derive(Clone, Debug, PartialEq)]
pub struct ForkView {
    /// The run that it branches off from.
    pub run: RunId,
    /// The checkpoint: iterations done and folder.
    pub checkpoint: Option<(usize, PathBuf)>,
    /// Settings at the checkpoint.
    pub base: TrainConfig,
    /// Settings of the branch.
    pub config: TrainConfig,
    /// Which settings are listed.
    pub filter: String,
}

impl ForkView {
    /// From the newest checkpoint of `run`; none if it is not a training run of ours.
    #[must_use]
    pub fn new(run: &OpenRun) -> Option<Self> {
        let base = run.config()?;
        let mut view =
            Self { run: run.id, checkpoint: None, config: base.clone(), base, filter: String::new() };
        view.choose(run, run.checkpoints.last().cloned());
        Some(view)
    }

    /// Another checkpoint of `run`. Settings that were changed in the form stay changed.
    pub fn choose(&mut self, run: &OpenRun, checkpoint: Option<(usize, PathBuf)>) {
        let done = checkpoint.as_ref().map_or(0, |(done, _)| *done);
        let Some(base) = run.config_at(done) else { return };
        let mut config = base.clone();
        if let (Ok(old), Ok(new)) = (flatten(&self.base), flatten(&self.config)) {
            for (path, value) in new.into_iter().filter(|(path, value)| old.get(path) != Some(value)) {
                put(&mut config, &path, value);
            }
        }
        // A branch of a finished run would end at once.
        if config.iterations <= done {
            config.iterations = done + base.iterations;
        }
        (self.run, self.checkpoint, self.base, self.config) = (run.id, checkpoint, base, config);
    }

    /// What is to be mended before it can be branched off.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let Some((done, _)) = &self.checkpoint else {
            return Some(
                "The run has no checkpoint yet; one is written every record.checkpoint_every iterations."
                    .into(),
            );
        };
        if self.config.iterations <= *done {
            return Some(format!("The checkpoint has done {done} iterations; set iterations above {done}."));
        }
        self.config.validate().err().map(|error| error.to_string())
    }
}

/// Draws the form. `busy` says why nothing can be started now.
pub fn fork_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    view: &mut ForkView,
    busy: Option<&str>,
    out: &mut Vec<Action>,
) {
    let Some(run) = scene.runs.get(view.run) else {
        ui.colored_label(scene.theme.warning, "The run was closed; choose Fork of another.");
        return;
    };
    ui.horizontal_wrapped(|ui| {
        run_ui(ui, scene, view, run);
        if let Some(run) = scene.runs.get(view.run) {
            checkpoint_ui(ui, view, run);
        }
    });
    ui.colored_label(
        scene.theme.faint,
        "The branch starts with the weights of the checkpoint and the same seed, so with the same noise as the run.",
    );
    let changed = changes(&view.config, &view.base);
    if changed.is_empty() {
        ui.colored_label(scene.theme.faint, "No setting is changed.");
    }
    for change in &changed {
        ui.colored_label(scene.theme.change, change);
    }
    let refused = view.problem().or_else(|| busy.map(str::to_owned));
    ui.horizontal_wrapped(|ui| {
        ui.add_enabled_ui(refused.is_none(), |ui| {
            let response = ui.button("Fork").on_hover_text("Train the branch in a new run folder.");
            if response.clicked()
                && let Some((_, checkpoint)) = &view.checkpoint
            {
                let fork = Fork { checkpoint: checkpoint.clone(), config: view.config.clone() };
                out.push(Action::Fork(Box::new(fork)));
            }
        });
        if let Some(reason) = &refused {
            ui.colored_label(scene.theme.warning, reason);
        }
    });
    ui.separator();
    ScrollArea::both().id_salt("fork settings").auto_shrink([false, true]).show(ui, |ui| {
        settings_form_ui(ui, scene.theme, &mut view.config, &view.base, &mut view.filter);
    });
}

fn run_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut ForkView, run: &OpenRun) {
    ui.label("Run");
    let mut chosen = view.run;
    let menu = ComboBox::from_id_salt("fork run").selected_text(&run.name).width(180.0).truncate();
    let menu = menu.show_ui(ui, |ui| {
        for run in scene.runs.iter().filter(|run| run.is_training()) {
            ui.selectable_value(&mut chosen, run.id, &run.name);
        }
    });
    menu.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Run to branch off from"));
    menu.response.on_hover_text("The run to branch off from.");
    if chosen != view.run
        && let Some(run) = scene.runs.get(chosen)
        && let Some(new) = ForkView::new(run)
    {
        *view = ForkView { filter: view.filter.clone(), ..new };
    }
}

fn checkpoint_ui(ui: &mut Ui, view: &mut ForkView, run: &OpenRun) {
    ui.label("Checkpoint");
    let mut chosen = view.checkpoint.clone();
    let words = |done: usize| format!("after {done} iterations");
    let text = chosen.as_ref().map_or_else(|| "none".to_owned(), |(done, _)| words(*done));
    let menu = ComboBox::from_id_salt("fork checkpoint").selected_text(text).show_ui(ui, |ui| {
        for checkpoint in run.checkpoints.iter().rev() {
            ui.selectable_value(&mut chosen, Some(checkpoint.clone()), words(checkpoint.0));
        }
    });
    menu.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Checkpoint to branch off from"));
    menu.response.on_hover_text("The policy after this many iterations is where the branch starts.");
    if chosen != view.checkpoint {
        view.choose(run, chosen);
    }
}
