//! The panel of ablations: the form, then how far it is with the curves of its runs, then what it found.

use eframe::egui::{Grid, ProgressBar, ScrollArea, Ui};

use super::ablating::{AblationProgress, AblationResult};
use super::ablation_form::{FormInput, form_ui};
use super::ablation_plan::AblationForm;
use super::ablation_result::result_ui;
use super::multiples::multiples_ui;
use super::number::duration;
use crate::session::ablate::UnderWay;
use crate::ui::action::Action;
use crate::ui::scene::Scene;
use crate::ui::theme::Theme;

/// Most height of the table of what is under way, points.
const TABLE: f32 = 150.0;

/// What the caller knows.
#[derive(Clone, Copy, Debug)]
pub struct AblationInput<'a> {
    /// For the form.
    pub form: FormInput<'a>,
    /// How far the ablation under way is; none if there is none.
    pub progress: Option<&'a AblationProgress>,
    /// Whether it was asked to stop.
    pub stopping: bool,
    /// How the last one ended.
    pub result: Option<&'a AblationResult>,
}

/// Draws the panel.
pub fn ablation_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    form: &mut AblationForm,
    input: AblationInput<'_>,
    out: &mut Vec<Action>,
) {
    if let Some(progress) = input.progress {
        progress_ui(ui, scene.theme, progress, input.stopping, out);
        multiples_ui(ui, scene, progress, out);
        return;
    }
    let theme = scene.theme;
    ScrollArea::vertical().id_salt("ablation").auto_shrink([false, true]).show(ui, |ui| {
        if let Some(result) = input.result {
            ended_ui(ui, theme, result);
            ui.separator();
        }
        form_ui(ui, theme, form, input.form, out);
    });
}

fn progress_ui(
    ui: &mut Ui,
    theme: &Theme,
    progress: &AblationProgress,
    stopping: bool,
    out: &mut Vec<Action>,
) {
    under_way_ui(ui, theme, progress);
    ui.horizontal(|ui| {
        let bar = ProgressBar::new(progress.share()).desired_width((ui.available_width() - 110.0).clamp(80.0, 600.0));
        ui.add(bar.show_percentage()).on_hover_text("Iterations done of those of all runs.");
        let words = if stopping { "Stopping" } else { "Stop" };
        ui.add_enabled_ui(!stopping, |ui| {
            let meaning = "Ends what is under way with a checkpoint and writes the report of what there is. Started again with \
                           the same folder, the ablation goes on.";
            if ui.button(words).on_hover_text(meaning).clicked() {
                out.push(Action::StopAblation);
            }
        });
    });
    if let Some(seconds) = progress.remaining_seconds() {
        let each = if progress.devices > 1 { ", mean of the runs under way" } else { "" };
        let speed = progress.iteration_seconds;
        let words = format!("About {} left at {speed:.2} s an iteration{each}", duration(seconds));
        ui.colored_label(theme.faint, words);
    }
    for warning in progress.warnings.iter().rev().take(3) {
        ui.colored_label(theme.warning, warning);
    }
    let problems = progress.ended.iter().filter_map(|cell| Some((&cell.name, cell.problem.as_ref()?)));
    for (name, problem) in problems {
        ui.colored_label(theme.bad, format!("{name}: {problem}"));
    }
}

/// What is under way: a line, or a table where several devices train.
fn under_way_ui(ui: &mut Ui, theme: &Theme, progress: &AblationProgress) {
    match progress.under_way.as_slice() {
        [one] if progress.devices < 2 => {
            ui.horizontal_wrapped(|ui| {
                ui.strong(format!("Run {} of {}", one.number, progress.of));
                ui.label(&one.name);
                ui.colored_label(theme.faint, one.status.activity.name());
                if progress.iterations > 0 {
                    ui.colored_label(theme.faint, iteration(one, progress));
                }
            });
        }
        cells => {
            ui.strong(progress.words());
            let rows =
                ScrollArea::vertical().id_salt("under way").max_height(TABLE).auto_shrink([false, true]);
            rows.show(ui, |ui| {
                Grid::new("under way").num_columns(5).min_col_width(12.0).show(ui, |ui| {
                    for cell in cells {
                        ui.label(cell.number.to_string()).on_hover_text("Place in the plan.");
                        ui.label(&cell.name);
                        ui.colored_label(theme.faint, cell.device.to_string())
                            .on_hover_text("Where it is trained.");
                        ui.colored_label(theme.faint, cell.status.activity.name());
                        ui.colored_label(theme.faint, iteration(cell, progress));
                        ui.end_row();
                    }
                });
            });
        }
    }
}

fn iteration(cell: &UnderWay, progress: &AblationProgress) -> String {
    format!("iteration {} of {}", cell.status.iteration, progress.iterations)
}

fn ended_ui(ui: &mut Ui, theme: &Theme, result: &AblationResult) {
    if result.stopped {
        let words = "Stopped: the table is of the runs that there are. Started again with the same folder, the ablation goes on \
                     where it was.";
        ui.colored_label(theme.warning, words);
    }
    if let Some(report) = &result.report {
        ui.horizontal_wrapped(|ui| {
            ui.label("Report");
            ui.colored_label(theme.accent, report.display().to_string());
            let meaning = "Copy the path, to open the page in a browser. The tables lie beside it as CSV, the figures as SVG.";
            if ui.button("Copy path").on_hover_text(meaning).clicked() {
                ui.ctx().copy_text(report.display().to_string());
            }
        });
    }
    match &result.table {
        Ok(table) => result_ui(ui, theme, table),
        Err(reason) => drop(ui.colored_label(theme.warning, reason)),
    }
}
