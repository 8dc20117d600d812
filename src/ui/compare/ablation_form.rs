//! The form of an ablation: arms, prompts, seeds, folder.

use std::sync::LazyLock;

use eframe::egui::{Checkbox, DragValue, Grid, Role, ScrollArea, TextEdit, Ui, WidgetInfo};

use super::ablation_plan::{AblationBase, AblationForm, runs};
use super::number::duration;
use crate::rl::variant::Variant;
use crate::runs::report::BASELINE;
use crate::session::ablate::{Arm, Plan};
use crate::session::device::DeviceLine;
use crate::session::train::config::TrainConfig;
use crate::ui::action::Action;
use crate::ui::number::counted;
use crate::ui::settings_form::field::choices;
use crate::ui::theme::Theme;

/// From this width on, points, the variants stand beside the rest, so that Start is seen without scrolling.
const WIDE: f32 = 1060.0;

/// What the caller knows.
#[derive(Clone, Copy, Debug)]
pub struct FormInput<'a> {
    /// What all runs share.
    pub base: AblationBase<'a>,
    /// Seconds of an iteration, if a run with such settings was seen.
    pub iteration_seconds: Option<f64>,
    /// Why nothing can be started now.
    pub busy: Option<&'a str>,
}

/// What a variant is, as its documentation has it.
fn meaning(variant: Variant) -> &'static str {
    static MEANINGS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let words = choices(&schemars::schema_for!(Variant).to_value());
        words.into_iter().map(|(name, meaning)| (name, meaning.replace('`', ""))).collect()
    });
    MEANINGS.iter().find(|(name, _)| name == variant.name()).map_or("", |(_, meaning)| meaning)
}

/// Draws the form.
pub fn form_ui(
    ui: &mut Ui,
    theme: &Theme,
    form: &mut AblationForm,
    input: FormInput<'_>,
    out: &mut Vec<Action>,
) {
    let turns = turns(form.named_devices(input.base.device).map_or(1, |devices| devices.len()));
    ui.label(format!("Variants are trained {turns}, from the same base with the same prompts and noise."));
    if ui.available_width() < WIDE {
        variants_ui(ui, theme, form);
        ui.add_space(4.0);
        rest_ui(ui, theme, form, input, out);
    } else {
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| variants_ui(ui, theme, form));
            ui.separator();
            ui.vertical(|ui| rest_ui(ui, theme, form, input, out));
        });
    }
}

fn variants_ui(ui: &mut Ui, theme: &Theme, form: &mut AblationForm) {
    arms_ui(ui, theme, form);
    if !form.has(Arm { variant: Variant::Grpo, shuffled: false }) {
        let words = format!("Without {BASELINE} the report has no differences to it.");
        ui.colored_label(theme.warning, words);
    }
}

/// What is not about the variants.
fn rest_ui(ui: &mut Ui, theme: &Theme, form: &mut AblationForm, input: FormInput<'_>, out: &mut Vec<Action>) {
    fields_ui(ui, form, input.base);
    ui.colored_label(theme.faint, settings(input.base.config));
    ui.add_space(4.0);
    start_ui(ui, theme, form, input, out);
}

/// How runs follow one another with so many devices.
fn turns(devices: usize) -> String {
    match devices {
        0 | 1 => "one after the other".into(),
        several => format!("{several} at a time, one after the other on each device"),
    }
}

fn arms_ui(ui: &mut Ui, theme: &Theme, form: &mut AblationForm) {
    let wide = ui.available_width() > 640.0;
    Grid::new("arms").num_columns(3).show(ui, |ui| {
        ui.colored_label(theme.faint, "Variant");
        ui.colored_label(theme.faint, "Shuffled").on_hover_text(
            "The variant with advantages permuted within the group: what it still learns is not the reward's doing.",
        );
        ui.end_row();
        for variant in Variant::ALL {
            let plain = Arm { variant, shuffled: false };
            let mut compared = form.has(plain);
            let response = ui.checkbox(&mut compared, variant.name()).on_hover_text(meaning(variant));
            if response.changed() {
                form.set(plain, compared);
            }
            let control = Arm { variant, shuffled: true };
            let mut compared = form.has(control);
            let response = ui.add(Checkbox::without_text(&mut compared));
            response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, compared, control.name()));
            let words = "The same with advantages permuted within the group, as a control.";
            if response.on_hover_text(words).changed() {
                form.set(control, compared);
            }
            // Where there is no room, it is shown while the pointer rests on the name.
            if wide {
                ui.colored_label(theme.faint, meaning(variant));
            }
            ui.end_row();
        }
    });
}

fn fields_ui(ui: &mut Ui, form: &mut AblationForm, base: AblationBase<'_>) {
    let width = (ui.available_width() - 100.0).clamp(140.0, 420.0);
    Grid::new("ablation fields").num_columns(2).show(ui, |ui| {
        let label = ui.label("Prompts");
        let hint = format!("{} (those of the settings)", base.config.prompts.join("\n"));
        ScrollArea::vertical().max_height(110.0).show(ui, |ui| {
            ui.add(TextEdit::multiline(&mut form.prompts).desired_rows(3).desired_width(width).hint_text(hint))
                .labelled_by(label.id)
                .on_hover_text(
                    "One prompt a line, each trained in runs of its own. A task family (counting, position) stands for 32 \
                     prompts of it. Empty takes the prompts of the settings.",
                );
        });
        ui.end_row();
        let label = ui.label("Seeds");
        ui.add(DragValue::new(&mut form.seeds).range(1..=1000).speed(0.05))
            .labelled_by(label.id)
            .on_hover_text("Number of seeds, from that of the settings. Intervals need two, and mean little below five.");
        ui.end_row();
        let label = ui.label("Folder");
        ui.add(TextEdit::singleline(&mut form.out).desired_width(width)).labelled_by(label.id).on_hover_text(
            "Folder of the runs and of report.html. An ablation that was stopped goes on where it was if it is started again \
             with the same folder and settings.",
        );
        ui.end_row();
        let label = ui.label("Devices");
        let hint = format!("{} (that of the next run)", base.device);
        let meaning = devices_meaning(form.found.as_deref().map(Vec::as_slice));
        ui.add(TextEdit::singleline(&mut form.devices).desired_width(width).hint_text(hint))
            .labelled_by(label.id)
            .on_hover_text(meaning);
        ui.end_row();
    });
}

/// What may be named, and what there is if that is known.
fn devices_meaning(found: Option<&[DeviceLine]>) -> String {
    let text = "Where runs are trained, with commas: cuda:0, cuda:1. Each device trains one run after the other; one that is \
                    named twice trains two at a time, which a large GPU has room for. The noise of a run is the same \
                    everywhere, and on the CPU so is every number. Empty takes the device of the next run.";
    let Some(found) = found else {
        return format!("{text}\n`marscope devices` and the list of the next run say what there is.");
    };
    let line = |DeviceLine { choice, name, remark, .. }: &DeviceLine| {
        format!("\n    {choice}  {name}{}{remark}", if remark.is_empty() { "" } else { "; " })
    };
    let lines: String = found.iter().filter(|line| line.usable).map(line).collect();
    format!("{text}\nThis machine has{lines}")
}

/// What all runs share, in a line.
fn settings(config: &TrainConfig) -> String {
    format!(
        "Every run: {} iterations of {} x {} pictures, reward {}, evaluated every {} iterations, seeds from {}. These come from \
         the settings of a new run.",
        config.iterations,
        config.rl.groups,
        config.rl.group,
        config.rl.reward,
        config.evaluate.every,
        config.seed
    )
}

fn start_ui(
    ui: &mut Ui,
    theme: &Theme,
    form: &mut AblationForm,
    input: FormInput<'_>,
    out: &mut Vec<Action>,
) {
    let plan = form.plan(input.base);
    let turns = turns(plan.as_ref().map_or(1, |plan| plan.devices.len()));
    let refused = match (&plan, input.busy) {
        (Err(reason), _) => Some((*reason).to_owned()),
        (Ok(_), Some(reason)) => Some(reason.to_owned()),
        (Ok(_), None) => None,
    };
    ui.horizontal_wrapped(|ui| {
        let count = plan.as_ref().ok().map(|plan| runs(plan));
        let words = count
            .map_or_else(|| "Start".to_owned(), |count| format!("Start {}", counted(count as usize, "run")));
        ui.add_enabled_ui(refused.is_none(), |ui| {
            let response =
                ui.button(words).on_hover_text(format!("Train all of them, {turns}, and write the report."));
            let response = response.on_disabled_hover_text(refused.clone().unwrap_or_default());
            if let Ok(plan) = &plan
                && response.clicked()
            {
                out.push(Action::Ablate(Box::new((*plan).clone())));
            }
        });
        if let Ok(plan) = &plan {
            ui.colored_label(theme.faint, estimate(plan, input.iteration_seconds));
        }
    });
    if let Some(reason) = refused {
        ui.colored_label(theme.warning, reason);
    }
}

fn estimate(plan: &Plan, iteration_seconds: Option<f64>) -> String {
    let arms = counted(plan.arms.len(), "variant");
    let prompts = counted(plan.prompts.len(), "prompt");
    let parts = format!("{arms} x {prompts} x {}", counted(plan.seeds as usize, "seed"));
    // Two runs on one device share its speed.
    let mut devices: Vec<String> = plan.devices.iter().map(ToString::to_string).collect();
    devices.sort_unstable();
    devices.dedup();
    let turns = runs(plan).div_ceil(devices.len().max(1) as u64) as f64 * plan.config.iterations as f64;
    let on = if devices.len() > 1 { format!(" on {} devices", devices.len()) } else { String::new() };
    if let Some(seconds) = iteration_seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0) {
        let time = duration(turns * seconds);
        format!("{parts}, about {time}{on} at {seconds:.2} s an iteration, evaluations not counted")
    } else {
        let all = runs(plan) as f64 * plan.config.iterations as f64;
        format!("{parts}, {all} iterations in all{on}; the time is known after the first run")
    }
}
