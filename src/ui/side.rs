//! The side of the window: open runs, and the switches of the run or of the next one.

use std::path::Path;
use std::sync::LazyLock;

use eframe::egui::{self, ComboBox, DragValue, Panel, RichText, ScrollArea, TextEdit, Ui};

use super::action::Action;
use super::app::App;
use super::devices::Devices;
use super::plot::series_colour;
use super::runs_list::runs_list_ui;
use super::theme::Theme;
use super::toggles::{Mode, Values, toggles_ui};
use crate::error::{Error, Result};
use crate::session::device::{DeviceChoice, DeviceLine};
use crate::session::train::config::TrainConfig;
use crate::session::train::preset;
use crate::world::prompt::Caption;

/// Which settings the side shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Those of the selected run.
    ThisRun,
    /// Those of the next run.
    #[default]
    NextRun,
}

impl App {
    /// Draws the side.
    pub(super) fn side_ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<Action>) {
        Panel::left("side").resizable(true).default_size(238.0).size_range(190.0..=420.0).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                ui.add_space(4.0);
                let dark = theme.dark;
                let colour = move |slot: usize| series_colour(slot, dark);
                let found = self.locals.found.rows();
                runs_list_ui(ui, self.scene(theme), &colour, &found, out);
                ui.separator();
                self.settings_ui(ui, theme, out);
            });
        });
    }

    fn settings_ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<Action>) {
        let training = self.work.active().and_then(|training| training.run);
        let has_run = self
            .selection
            .run
            .and_then(|id| self.runs.get(id))
            .is_some_and(super::data::run::OpenRun::is_training);
        ui.horizontal(|ui| {
            let shown = &mut self.locals.side;
            ui.add_enabled_ui(has_run, |ui| {
                ui.selectable_value(shown, Shown::ThisRun, "This run")
                    .on_hover_text("The settings of the selected run at the cursor; they can be switched while it trains.")
                    .on_disabled_hover_text("No training run is selected.");
            });
            ui.selectable_value(shown, Shown::NextRun, "Next run").on_hover_text("What Start trains.");
            if !has_run {
                *shown = Shown::NextRun;
            }
        });
        match self.locals.side {
            Shown::ThisRun => self.this_run_ui(ui, theme, training, out),
            Shown::NextRun => self.next_run_ui(ui, theme, out),
        }
    }

    fn this_run_ui(
        &mut self,
        ui: &mut Ui,
        theme: &Theme,
        training: Option<super::data::run::RunId>,
        out: &mut Vec<Action>,
    ) {
        let Some(run) = self.selection.run else { return };
        let live = training == Some(run);
        let step = if live { usize::MAX } else { self.scene(theme).step() };
        let Some(config) = self.config_of(run, step) else {
            ui.label(
                RichText::new("The settings of this run cannot be read; it may be of another version.")
                    .color(theme.bad),
            );
            return;
        };
        if live {
            ui.label(RichText::new("Changes apply at the next iteration.").small().color(theme.faint));
        } else {
            ui.label(RichText::new(format!("In force at iteration {step}.")).small().color(theme.faint));
        }
        let values = Values { applied: &config.rl, wanted: self.work.wanted.as_ref().filter(|_| live) };
        let mode = if live { Mode::Live } else { Mode::Recorded };
        let changed = toggles_ui(ui, theme, (mode, Some(run)), values, &mut self.toggles);
        if let Some(changed) = changed.filter(|_| live) {
            out.push(Action::Change(Box::new(changed)));
        }
        if !live {
            recorded_buttons_ui(ui, run, &config, out);
            self.resume_ui(ui, &config, out);
        }
    }

    /// More iterations for a recorded run.
    fn resume_ui(&mut self, ui: &mut Ui, config: &TrainConfig, out: &mut Vec<Action>) {
        let situation = self.work.situation(&self.runs, &self.selection);
        if !situation.resumable || situation.busy {
            return;
        }
        let iterations = self.locals.resume.get_or_insert(config.iterations.saturating_mul(2));
        ui.horizontal(|ui| {
            let button = ui
                .button("Resume to")
                .on_hover_text("Continues from the last checkpoint until so many iterations are done.");
            if button.clicked() {
                out.push(Action::Resume(Some(*iterations)));
            }
            let field = ui.add(DragValue::new(iterations).range(1..=10_000_000));
            let label = ui.label("iterations");
            field.labelled_by(label.id);
        });
    }

    fn next_run_ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<Action>) {
        let mut draft = self.work.draft.clone();
        if preset_ui(ui, &mut draft) {
            self.locals.prompts = None;
        }
        prompts_ui(ui, theme, &mut draft, &mut self.locals.prompts);
        device_ui(ui, theme, &mut self.locals.devices, &mut self.work.device);
        model_ui(ui, self.work.model.as_deref(), out);
        ui.separator();
        let values = Values { applied: &draft.rl.clone(), wanted: None };
        if let Some(changed) = toggles_ui(ui, theme, (Mode::Draft, None), values, &mut self.toggles) {
            draft.rl = changed;
        }
        if ui
            .button("All settings…")
            .on_hover_text("Every setting of the next run, with its description (Ctrl+,).")
            .clicked()
        {
            out.push(Action::ToggleSettings);
        }
        if draft != self.work.draft {
            out.push(Action::Draft(Box::new(draft)));
        }
    }
}

fn recorded_buttons_ui(
    ui: &mut Ui,
    run: super::data::run::RunId,
    config: &TrainConfig,
    out: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        if ui
            .button("Use for the next run")
            .on_hover_text("Copies all settings of this run at the cursor.")
            .clicked()
        {
            out.push(Action::Draft(Box::new(config.clone())));
        }
        if ui
            .button("Fork with changes…")
            .on_hover_text("Branch off from a checkpoint with other settings.")
            .clicked()
        {
            out.push(Action::AskFork(run));
        }
    });
}

/// The presets, read once.
static PRESETS: LazyLock<Vec<(&str, TrainConfig)>> = LazyLock::new(|| {
    let read = |name| Some((name, preset::config(name).ok()?));
    preset::names().into_iter().filter_map(read).collect()
});

/// The preset of the next run, its iterations and its seed; says whether a preset was chosen.
fn preset_ui(ui: &mut Ui, draft: &mut TrainConfig) -> bool {
    let mut chosen = false;
    let name = PRESETS.iter().find(|(_, config)| config == draft).map(|(name, _)| *name);
    let combo = ComboBox::from_id_salt("preset").selected_text(name.unwrap_or("custom")).show_ui(ui, |ui| {
        for (other, config) in PRESETS.iter() {
            if ui.selectable_label(name == Some(*other), *other).clicked() {
                draft.clone_from(config);
                chosen = true;
            }
        }
    });
    combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Preset"));
    combo
        .response
        .on_hover_text("Settings that ship with the program. A preset replaces all settings below.");
    ui.horizontal(|ui| {
        let label = ui.label("iterations");
        ui.add(DragValue::new(&mut draft.iterations).range(1..=10_000_000)).labelled_by(label.id);
        let label = ui.label("seed");
        ui.add(DragValue::new(&mut draft.seed).range(0..=i64::MAX as u64))
            .labelled_by(label.id)
            .on_hover_text("Of everything random. On the CPU one seed gives one run, bit for bit.");
    });
    chosen
}

/// Whether every line of `text` is a prompt.
///
/// # Errors
/// [`Error::Config`] naming the first word that is none.
pub(super) fn check_prompts(text: &str) -> Result<()> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    if lines.peek().is_none() {
        return Err(Error::Config("at least one prompt is needed".into()));
    }
    lines.try_for_each(|line| line.parse::<Caption>().map(drop))
}

/// Prompts, one a line; wrong ones say what is wrong.
fn prompts_ui(ui: &mut Ui, theme: &Theme, draft: &mut TrainConfig, typed: &mut Option<String>) {
    let label = ui.label("prompts, one a line");
    let mut text = typed.clone().unwrap_or_else(|| draft.prompts.join("\n"));
    let response = ui
        .add(TextEdit::multiline(&mut text).desired_rows(2).desired_width(f32::INFINITY))
        .labelled_by(label.id)
        .on_hover_text("Captions of the world of scenes, such as: a cross and a ring. Taken in turn.");
    let prompts: Vec<String> =
        text.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_owned).collect();
    let checked = check_prompts(&text);
    if response.changed() {
        *typed = Some(text);
    }
    if let Err(error) = checked {
        ui.label(RichText::new(error.to_string()).small().color(theme.bad));
        return;
    }
    draft.prompts = prompts;
    if !response.has_focus() {
        *typed = None;
    }
}

/// Where the next run trains.
fn device_ui(ui: &mut Ui, theme: &Theme, devices: &mut Devices, device: &mut DeviceChoice) {
    let combo = ComboBox::from_id_salt("device").selected_text(super::run_bar::device_name(*device)).show_ui(
        ui,
        |ui| {
            ui.selectable_value(device, DeviceChoice::Auto, "auto: a real GPU if there is one, else the CPU");
            ui.selectable_value(device, DeviceChoice::Cpu, "cpu");
            match devices.list(ui.ctx()) {
                None => {
                    ui.label(RichText::new("looking for devices …").color(theme.faint));
                }
                Some(lines) => {
                    for line in lines.iter() {
                        device_line_ui(ui, line, device);
                    }
                }
            }
        },
    );
    combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Device"));
    combo.response.on_hover_text("Where the tensors of the next run live.");
}

/// What the next run, or an ablation, starts from.
fn model_ui(ui: &mut Ui, model: Option<&Path>, out: &mut Vec<Action>) {
    let name =
        model.and_then(Path::file_name).map_or_else(|| "shipped".into(), std::ffi::OsStr::to_string_lossy);
    let menu = ui.button(format!("model {name}…"));
    egui::Popup::menu(&menu).show(|ui| {
        for (label, action) in [
            ("Shipped model", Action::Model(None)),
            ("Folder of a model…", Action::AskModelFolder),
            ("Typed path of a model…", Action::AskModelPath),
        ] {
            if ui.button(label).clicked() {
                out.push(action);
                // A screen reader's click does not close it by itself.
                ui.close();
            }
        }
    });
    let place =
        model.map_or_else(|| "The one that ships with the program.".to_owned(), |p| p.display().to_string());
    menu.on_hover_text(format!(
        "The pretrained model that the next run, or an ablation, starts from.\n{place}"
    ));
}

fn device_line_ui(ui: &mut Ui, line: &DeviceLine, device: &mut DeviceChoice) {
    let choice = line.choice.parse::<DeviceChoice>().ok().filter(|choice| *choice != DeviceChoice::Cpu);
    let text = format!("{}  {}  {}", line.choice, line.name, line.remark);
    match choice {
        Some(choice) if line.usable => {
            ui.selectable_value(device, choice, text);
        }
        None if line.usable => {}
        _ => {
            ui.add_enabled(false, egui::Button::new(text));
        }
    }
}
