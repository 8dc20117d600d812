//! What would change: k, tau and the selection are moved, and the masks follow at once.

use eframe::egui::{self, Ui};

use super::inspected::Inspected;
use super::number::{per_cent, setting};
use super::state::{InspectView, Mask, Tried};
use super::what_if::{Outcome, Settings, Tally};
use crate::rl::config::{RlConfig, Selection};
use crate::ui::action::Action;

/// Draws the panel.
pub fn what_if_ui(ui: &mut Ui, input: Inspected<'_>, view: &mut InspectView) -> Vec<Action> {
    let (recorded, settings) = (view.recorded(&input), view.settings(&input));
    egui::ScrollArea::vertical().id_salt("inspect what if").auto_shrink(false).show(ui, |ui| {
        ui.label(recorded_as(recorded.as_deref(), input.group.step));
        let outcome = view.outcome(&input);
        multi_controls_ui(ui, view, settings, outcome.multi.is_some());
        tau_ui(ui, (input, view), settings, !outcome.steps.is_empty());
        ui.horizontal_wrapped(|ui| {
            let moved = view.tried != Tried::default();
            let reset = ui.add_enabled(moved, egui::Button::new("Reset to recorded"));
            if reset.on_hover_text("k, selection and tau as they were at this iteration.").clicked() {
                view.tried = Tried::default();
            }
            ui.checkbox(&mut view.show_changes, "Show in the picture")
                .on_hover_text("Marks the tokens that would be gained and lost in place of the layer.");
            ui.radio_value(&mut view.mask, Mask::Multi, "MTE mask")
                .on_hover_text("Tokens that get multi-trajectory expectation.");
            ui.radio_value(&mut view.mask, Mask::Consistency, "Consistency mask").on_hover_text(
                "Tokens that are trained at the chosen AR step; at the last trained one if none is chosen.",
            );
        });
        ui.separator();
        // What the controls of this very frame give.
        let outcome = view.outcome(&input);
        outcome_ui(ui, input, &outcome);
    });
    Vec::new()
}

/// Says with what the masks were recorded.
fn recorded_as(rl: Option<&RlConfig>, step: usize) -> String {
    let Some(rl) = rl else {
        return format!(
            "The settings at iteration {step} are not known: the run is not one of marscope's training. The controls start \
             at the paper's."
        );
    };
    let multi = if rl.mte.enabled {
        format!(
            "k = {} ({} tokens, S = {})",
            setting(rl.mte.share),
            word(rl.mte.selection),
            rl.mte.trajectories
        )
    } else {
        "MTE off".into()
    };
    let tau = if rl.consistency.enabled {
        format!("tau = {}", setting(rl.consistency.tau))
    } else {
        "consistency off".into()
    };
    format!("Iteration {step} was recorded with {multi}, {tau}.")
}

const fn word(selection: Selection) -> &'static str {
    match selection {
        Selection::Uncertain => "uncertain",
        Selection::Stable => "stable",
        Selection::Random => "random",
        Selection::All => "all",
        Selection::None => "no",
    }
}

fn multi_controls_ui(ui: &mut Ui, view: &mut InspectView, settings: Settings, there: bool) {
    if !there {
        ui.label("MTE was off, so no uncertainty was recorded and its mask cannot be computed.");
        return;
    }
    let mut selection = settings.selection;
    ui.horizontal_wrapped(|ui| {
        let goes_by_k = matches!(selection, Selection::Uncertain | Selection::Stable);
        let mut share = settings.share;
        let slider = egui::Slider::new(&mut share, 0.001..=1.0).text("k").max_decimals(4);
        // A recorded k below the slider is shown, not moved into its range.
        let slider = slider.clamping(egui::SliderClamping::Edits);
        let slider = ui.add_enabled(goes_by_k, slider).on_hover_text(
            "Share of the tokens that get multi-trajectory expectation, rounded down, at least one token.",
        );
        if slider.on_disabled_hover_text("k acts on the selections uncertain and stable.").changed() {
            view.tried.share = Some(share);
        }
        let combo =
            egui::ComboBox::from_label("Selection").selected_text(word(selection)).show_ui(ui, |ui| {
                for choice in [Selection::Uncertain, Selection::Stable, Selection::All, Selection::None] {
                    ui.selectable_value(&mut selection, choice, word(choice));
                }
            });
        combo
            .response
            .on_hover_text("Which tokens: the most uncertain (the paper), the most stable, all, or none.");
    });
    if selection != settings.selection {
        view.tried.selection = Some(selection);
    }
    if selection == Selection::Random {
        ui.label(
            "The random selection draws from the run's noise, which is not recorded: its mask is shown as it was and cannot \
             be computed for another k. Choose another selection to compare with it.",
        );
    }
}

fn tau_ui(ui: &mut Ui, (input, view): (Inspected<'_>, &mut InspectView), settings: Settings, there: bool) {
    if !there {
        ui.label("Consistency-aware selection was off, so no cosine gain was recorded and its mask cannot be computed.");
        return;
    }
    let gains = input.group.map("cosine_gain").map(|gains| gains.summary).filter(|gains| gains.finite > 0);
    let largest =
        gains.map_or(0.0, |gains| f64::from(gains.low.abs().max(gains.high.abs()))).max(settings.tau.abs());
    let bound = ((largest * 10.0).ceil() / 10.0).clamp(0.1, 2.0);
    let mut tau = settings.tau;
    let slider = ui.add(
        egui::Slider::new(&mut tau, -bound..=bound)
            .text("tau")
            .max_decimals(4)
            // A recorded tau with more digits is shown, not rounded.
            .clamping(egui::SliderClamping::Edits),
    );
    let slider = slider.on_hover_text(
        "A token is trained at an AR step where its cosine similarity to the final latent rises by more than this. The first \
         two AR steps and the step that predicts the token are never dropped.",
    );
    if slider.changed() {
        view.tried.tau = Some(tau);
    }
}

fn outcome_ui(ui: &mut Ui, input: Inspected<'_>, outcome: &Outcome) {
    if let (Some(multi), Some(group)) = (&outcome.multi, outcome.group_multi) {
        ui.strong("MTE mask");
        table_ui(
            ui,
            "what if mte",
            input,
            &[("this picture".into(), multi.tally), ("the group".into(), group)],
        );
    }
    if outcome.steps.is_empty() {
        return;
    }
    ui.strong("Consistency mask, this picture")
        .on_hover_text("Of the tokens in the loss of each trained AR step.");
    let mut rows: Vec<(String, Tally)> = outcome
        .steps
        .iter()
        .zip(&input.group.record.trained_ar_steps)
        .map(|(comparison, step)| (format!("AR step {step}"), comparison.tally))
        .collect();
    let sum = |tallies: &mut dyn Iterator<Item = Tally>| tallies.fold(Tally::default(), Tally::plus);
    rows.push(("all AR steps".into(), sum(&mut outcome.steps.iter().map(|step| step.tally))));
    rows.push(("the group".into(), sum(&mut outcome.group_steps.iter().copied())));
    table_ui(ui, "what if consistency", input, &rows);
}

fn table_ui(ui: &mut Ui, id: &str, input: Inspected<'_>, rows: &[(String, Tally)]) {
    let theme = input.scene.theme;
    egui::ScrollArea::horizontal().id_salt((id, "scroll")).show(ui, |ui| {
        egui::Grid::new(id).num_columns(6).striped(true).show(ui, |ui| {
            for head in ["", "tokens", "recorded", "would be", "+ gained", "− lost"] {
                ui.colored_label(theme.faint, head);
            }
            ui.end_row();
            for (name, tally) in rows {
                ui.label(name);
                ui.label(tally.of.to_string());
                for part in [tally.recorded, tally.tried] {
                    ui.label(format!("{part} ({})", per_cent(part, tally.of)));
                }
                ui.colored_label(
                    if tally.gained > 0 { theme.good } else { theme.faint },
                    tally.gained.to_string(),
                );
                ui.colored_label(
                    if tally.lost > 0 { theme.bad } else { theme.faint },
                    tally.lost.to_string(),
                );
                ui.end_row();
            }
        });
    });
}
