//! One of the two pictures of A/B: which run, at which iteration, which picture.

use eframe::egui::{self, ComboBox, DragValue, Ui};

use super::source::{self, Found, Held, PictureSource};
use crate::ui::data::run::RunId;
use crate::ui::number::number;
use crate::ui::scene::Scene;

/// Which picture is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The run.
    pub run: RunId,
    /// The iteration; none follows the cursor.
    pub pinned: Option<usize>,
    /// Which picture of the group, or which fixed prompt, from 0.
    pub picture: usize,
}

impl Side {
    /// The iteration that is asked for.
    #[must_use]
    pub fn step(&self, scene: Scene<'_>) -> usize {
        let newest = || scene.runs.get(self.run).map_or(0, |run| scene.step_of(run));
        self.pinned.unwrap_or_else(newest)
    }

    /// What it shows; the old picture while the next is being read.
    ///
    /// # Errors
    /// A sentence if there is nothing to be shown.
    pub fn show(
        &self,
        scene: Scene<'_>,
        source: PictureSource,
        held: &mut Option<(RunId, Held)>,
    ) -> Result<Option<Held>, String> {
        let run = scene.runs.get(self.run).ok_or("The run was closed; choose another.")?;
        let step = self.step(scene);
        let at = (step, scene.selection.group);
        let found = source::find(run, source, at, self.picture);
        let found = found.ok_or_else(|| self.nothing(scene, source, step))?;
        let of_group = source == PictureSource::Training;
        let old = held.take().filter(|(id, held)| *id == self.run && held.group.is_some() == of_group);
        let old = old.map(|(_, held)| held);
        let read = match source {
            PictureSource::Training => source::read_group(run, scene.media, at, found, old),
            PictureSource::Fixed => source::read(run, scene.media, found, old),
        };
        *held = read.clone().map(|read| (self.run, read));
        Ok(read)
    }

    fn nothing(&self, scene: Scene<'_>, source: PictureSource, step: usize) -> String {
        let Some(run) = scene.runs.get(self.run) else { return String::new() };
        let name = run.name.clone();
        match (source, source::count(run, source, step)) {
            (PictureSource::Training, 0) => {
                format!("{name} has no recorded group at or before iteration {step} (record.groups_every).")
            }
            (PictureSource::Fixed, 0) => {
                format!(
                    "{name} has no pictures of fixed prompts at or before iteration {step} (probe.every)."
                )
            }
            (_, count) => format!("{name} has {count} pictures there; choose one of 1 to {count}."),
        }
    }
}

/// A caption: run, iteration, picture, score.
#[must_use]
pub fn caption(name: &str, found: &Found, source: PictureSource) -> String {
    let score = number(found.score);
    let what = if source == PictureSource::Training { "reward" } else { "score" };
    format!("{name}, iteration {}, picture {}, {what} {score}", found.step, found.index + 1)
}

/// Draws the choice; `letter` is A or B.
pub fn side_ui(ui: &mut Ui, scene: Scene<'_>, (letter, source): (&str, PictureSource), side: &mut Side) {
    ui.strong(letter);
    let chosen = scene.runs.get(side.run).map_or_else(|| "closed".to_owned(), |run| run.name.clone());
    let menu = ComboBox::from_id_salt(("run", letter)).selected_text(chosen).width(190.0).truncate();
    let menu = menu.show_ui(ui, |ui| {
        for run in scene.runs.iter() {
            ui.selectable_value(&mut side.run, run.id, &run.name);
        }
    });
    named(&menu.response, &format!("Run of {letter}"));
    menu.response.on_hover_text(format!("The run that {letter} is of."));
    let shown = side.step(scene);
    let mut pin = side.pinned.is_some();
    let response = ui.checkbox(&mut pin, "iteration");
    named_check(&response, pin, &format!("Pin the iteration of {letter}"));
    let words = "Checked: this iteration, whatever the cursor says. Else it follows the cursor.";
    if response.on_hover_text(words).changed() {
        side.pinned = pin.then_some(shown);
    }
    let last = scene.runs.get(side.run).and_then(|run| run.store.last_step()).unwrap_or(0);
    let mut step = shown;
    let response = ui.add_enabled(pin, DragValue::new(&mut step).range(0..=last.max(shown)).speed(0.2));
    named_number(&response, step, &format!("Iteration of {letter}"));
    response.on_hover_text("The iteration; drag, or click and type.");
    if pin {
        side.pinned = Some(step);
    }
    ui.label("picture");
    let run = scene.runs.get(side.run);
    let count = run.map_or(0, |run| source::count(run, source, step)).max(1);
    let mut picture = side.picture + 1;
    let response = ui.add(DragValue::new(&mut picture).range(1..=count).speed(0.1));
    named_number(&response, picture, &format!("Picture of {letter}"));
    response.on_hover_text("Which picture of the group, or which fixed prompt.");
    side.picture = picture.max(1) - 1;
}

fn named(response: &egui::Response, name: &str) {
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, name));
}

fn named_check(response: &egui::Response, checked: bool, name: &str) {
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::CheckBox, true, checked, name));
}

fn named_number(response: &egui::Response, value: usize, name: &str) {
    let enabled = response.enabled();
    response.widget_info(|| {
        let info = egui::WidgetInfo::drag_value(enabled, value as f64);
        egui::WidgetInfo { label: Some(name.to_owned()), ..info }
    });
}
