//! The gradient-noise probe over time: how much the update direction changes when only the head's noise is drawn anew.

use eframe::egui::{Grid, RichText, ScrollArea, Ui, vec2};

use super::noise_plot::{Shown, key_ui, looks, plot_ui};
use super::tour::{self, Press, tour_ui};
use crate::runs::event::Mark;
use crate::runs::store::RunStore;
use crate::ui::action::Action;
use crate::ui::data::run::OpenRun;
use crate::ui::number::number;
use crate::ui::scene::Scene;
use crate::ui::theme::Theme;

/// Objectives that are measured, and their series.
pub(in crate::ui) const MODES: [(&str, &str, &str); 3] = [
    ("noise/single", "Single trajectory", "The objective uses the one sampled trajectory of each token."),
    (
        "noise/mte_all",
        "MTE, all tokens",
        "Every token's objective is averaged over S trajectories of the head.",
    ),
    (
        "noise/mte_top_k",
        "MTE, top k",
        "Only the k most uncertain tokens are averaged over S trajectories; the others use the sampled one.",
    ),
];

const EXPLANATION: &str = "For one rollout only the head's noise is drawn anew several times; the trace is the variance of the gradient over \
     these redraws, the ratio is the trace over the squared norm of the mean gradient. With fixed advantages the mean of \
     the single-trajectory policy gradient over fresh noise is zero, so that the ratio is near the number of redraws by \
     construction where KL pulls nowhere: compare the traces, and the ratios only where the squared mean is larger than \
     trace / redraws.";

/// The gradient noise of the selected run.
pub fn noise_ui(ui: &mut Ui, scene: Scene<'_>, out: &mut Vec<Action>) {
    let Some(run) = scene.run() else {
        let what = "Here is how noisy the gradient is with a single trajectory and with multi-trajectory expectation.";
        tour::no_run_ui(ui, scene.theme, what, out);
        return;
    };
    tour::problem_ui(ui, scene.theme, run.problem.as_deref());
    let measured =
        MODES.iter().any(|(name, ..)| run.store.series(name).is_some_and(|series| !series.is_empty()));
    if !measured {
        no_noise_ui(ui, scene, run, out);
        return;
    }
    ScrollArea::vertical().id_salt("gradient noise").auto_shrink(false).show(ui, |ui| {
        let shown = ui.horizontal_wrapped(|ui| {
            measure_ui(ui, scene, run, out);
            choose_ui(ui)
        });
        table_ui(ui, scene.theme, run, scene.step_of(run));
        out.extend(plot_ui(ui, scene, run, shown.inner));
        ui.label(RichText::new(EXPLANATION).color(scene.theme.faint));
    });
}

/// The button that orders a measurement.
fn measure_ui(ui: &mut Ui, scene: Scene<'_>, run: &OpenRun, out: &mut Vec<Action>) {
    let training = scene.training == Some(run.id);
    ui.add_enabled_ui(training, |ui| {
        let button = ui.button("Measure now");
        let button = button
            .on_hover_text(
                "Measure the gradient noise in the next iteration. It takes several gradients more than an iteration does, \
                 and changes nothing in the run.",
            )
            .on_disabled_hover_text(
                "Only a run that this window is training can be measured: its policy has to be in memory.",
            );
        if button.clicked() {
            out.push(Action::ProbeNoise);
        }
    });
}

fn choose_ui(ui: &mut Ui) -> Shown {
    let id = ui.scope_id().with("shown of the gradient noise");
    let mut shown = ui.data(|data| data.get_temp::<Shown>(id)).unwrap_or_default();
    let before = shown;
    for choice in Shown::ALL {
        ui.selectable_value(&mut shown, choice, choice.name()).on_hover_text(choice.meaning());
    }
    if shown != before {
        ui.data_mut(|data| data.insert_temp(id, shown));
    }
    shown
}

/// The last measurement at or before the cursor.
fn table_ui(ui: &mut Ui, theme: &Theme, run: &OpenRun, step: usize) {
    let Some(at) =
        MODES.iter().filter_map(|(name, ..)| run.store.series(name)?.at(step)).map(|p| p.step).max()
    else {
        ui.label(RichText::new(format!("Nothing was measured up to iteration {step}.")).color(theme.faint));
        return;
    };
    let redraws = run.config_at(at).map(|config| config.probe.noise_redraws);
    let of = redraws.map_or(String::new(), |redraws| format!(", {redraws} redraws"));
    ui.label(RichText::new(format!("Measured at iteration {at}{of}")).strong());
    let single = value(&run.store, "noise/single/trace", at);
    ScrollArea::horizontal().id_salt("measured").show(ui, |ui| {
        Grid::new("gradient noise").num_columns(5).striped(true).spacing(vec2(14.0, 3.0)).show(ui, |ui| {
            for (name, tooltip) in COLUMNS {
                ui.label(RichText::new(name).color(theme.faint)).on_hover_text(tooltip);
            }
            ui.end_row();
            for ((name, title, tooltip), look) in MODES.into_iter().zip(looks(theme)) {
                ui.horizontal(|ui| {
                    key_ui(ui, look);
                    ui.label(title).on_hover_text(tooltip);
                });
                let trace = value(&run.store, &format!("{name}/trace"), at);
                let squared = value(&run.store, &format!("{name}/squared_mean"), at);
                cell_ui(ui, theme, trace);
                cell_ui(ui, theme, trace.zip(single).map(|(trace, single)| trace / single));
                cell_ui(ui, theme, squared);
                ratio_ui(ui, theme, (value(&run.store, name, at), trace, squared), redraws);
                ui.end_row();
            }
        });
    });
}

const COLUMNS: [(&str, &str); 5] = [
    ("objective", "What the gradient is of. Pictures, advantages and masks are the same in all three."),
    ("trace", "Trace of the covariance of the gradient over the redraws: its noise. Less is better."),
    (
        "of single",
        "The trace over that of the single trajectory: below 1, multi-trajectory expectation lowers the noise.",
    ),
    (
        "squared mean",
        "Squared norm of the mean gradient over the redraws. Of n gradients without signal it is trace / n.",
    ),
    (
        "ratio",
        "Trace over squared mean. It tells something only where the squared mean is larger than trace / redraws.",
    ),
];

/// The value recorded at exactly that iteration.
fn value(store: &RunStore, name: &str, step: usize) -> Option<f64> {
    store.series(name)?.at(step).filter(|point| point.step == step).map(|point| point.value)
}

fn cell_ui(ui: &mut Ui, theme: &Theme, value: Option<f64>) {
    let text = value.map_or_else(|| "none".to_owned(), number);
    let bad = value.is_some_and(|value| !value.is_finite());
    ui.label(RichText::new(text).monospace().color(if bad { theme.bad } else { theme.text }));
}

type Moments = (Option<f64>, Option<f64>, Option<f64>);

fn ratio_ui(ui: &mut Ui, theme: &Theme, (ratio, trace, squared): Moments, redraws: Option<usize>) {
    let finite = |value: &f64| value.is_finite();
    let moments = trace.filter(finite).zip(squared.filter(finite)).zip(redraws);
    let signal = moments.map(|((trace, squared), redraws)| squared > trace / redraws as f64);
    ui.horizontal(|ui| {
        cell_ui(ui, theme, ratio);
        if signal == Some(false) {
            ui.label(RichText::new("no signal").color(theme.warning)).on_hover_text(
                "The squared mean is no larger than trace / redraws: this is noise alone, and the ratio says nothing.",
            );
        }
    });
}

fn no_noise_ui(ui: &mut Ui, scene: Scene<'_>, run: &OpenRun, out: &mut Vec<Action>) {
    if !run.complete {
        ui.label(RichText::new("Reading the run…").color(scene.theme.faint));
        return;
    }
    let settings = |text: &'static str| {
        let press =
            Press::new("Settings…", "All settings, among them probe.noise_every.", Action::ToggleSettings);
        (text, vec![press])
    };
    let training = scene.training == Some(run.id);
    let (text, presses) = if training {
        settings(
            "Press Measure now: the next iteration is measured and appears here. To measure every few iterations, set \
             probe.noise_every for the next run.",
        )
    } else if run.is_training() {
        settings(
            "This run was not measured, and it is not being trained by this window. Set probe.noise_every for the next \
             run, or press Measure now while it trains.",
        )
    } else {
        ("Gradient noise is measured in training runs of marscope; this run is of another kind.", Vec::new())
    };
    let ordered = run.store.marks().iter().any(|mark| mark.mark == Mark::Probe);
    let title = if ordered { "The measurement is not recorded yet" } else { "No measurement yet" };
    tour_ui(ui, scene.theme, (title, text), presses, out);
    if run.is_training() {
        measure_ui(ui, scene, run, out);
    }
    ui.add_space(4.0);
    ui.label(RichText::new(EXPLANATION).color(scene.theme.faint));
}
