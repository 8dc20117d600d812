//! The panel of ablations: the form, then how far it is with the curves of its runs, then what it found.

use eframe::egui::{ProgressBar, ScrollArea, Ui};

use super::ablating::{AblationProgress, AblationResult};
use super::ablation_form::{FormInput, form_ui};
use super::ablation_plan::AblationForm;
use super::ablation_result::result_ui;
use super::multiples::multiples_ui;
use super::number::duration;
use crate::ui::action::Action;
use crate::ui::scene::Scene;
use crate::ui::theme::Theme;

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
    ui.horizontal_wrapped(|ui| {
        ui.strong(format!("Run {} of {}", progress.number, progress.of));
        ui.label(&progress.name);
        ui.colored_label(theme.faint, progress.activity.name());
        if progress.iterations > 0 {
            ui.colored_label(
                theme.faint,
                format!("iteration {} of {}", progress.iteration, progress.iterations),
            );
        }
    });
    ui.horizontal(|ui| {
        let bar = ProgressBar::new(progress.share()).desired_width((ui.available_width() - 110.0).clamp(80.0, 600.0));
        ui.add(bar.show_percentage()).on_hover_text("Iterations done of those of all runs.");
        let words = if stopping { "Stopping" } else { "Stop" };
        ui.add_enabled_ui(!stopping, |ui| {
            let meaning = "Ends the run under way with a checkpoint and writes the report of what there is. Started again with \
                           the same folder, the ablation goes on.";
            if ui.button(words).on_hover_text(meaning).clicked() {
                out.push(Action::StopAblation);
            }
        });
    });
    if let Some(seconds) = progress.remaining_seconds() {
        ui.colored_label(
            theme.faint,
            format!("About {} left at {:.2} s an iteration", duration(seconds), progress.iteration_seconds),
        );
    }
    for warning in progress.warnings.iter().rev().take(3) {
        ui.colored_label(theme.warning, warning);
    }
    let problems = progress.ended.iter().filter_map(|cell| Some((&cell.name, cell.problem.as_ref()?)));
    for (name, problem) in problems {
        ui.colored_label(theme.bad, format!("{name}: {problem}"));
    }
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
