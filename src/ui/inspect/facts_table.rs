//! The facts of a token as text: a few lines, and a table of the trained AR steps.

use eframe::egui::{self, Ui};

use super::facts::{Decision, PictureFacts, TokenFacts};
use super::inspected::place;
use super::number::{number_or_dash, setting};
use crate::rl::config::{RlConfig, Selection};
use crate::ui::theme::Theme;

/// `Token 17 · row 3, column 2`.
#[must_use]
pub fn title(token: usize, side: usize) -> String {
    let (row, column) = place(token, side);
    format!("Token {token} · row {row}, column {column}")
}

/// What is known of a token beside its AR steps, as name and text.
#[must_use]
pub fn lines(facts: &TokenFacts, tokens: usize, rl: Option<&RlConfig>) -> Vec<(&'static str, String)> {
    let predicted = facts.order.map_or_else(|| "not recorded".into(), |order| format!("at AR step {order}"));
    let mut lines = vec![("Predicted", predicted)];
    let Some(uncertainty) = facts.uncertainty else {
        lines.push(("Uncertainty", "not measured, MTE was off".into()));
        return lines;
    };
    lines.push(("Uncertainty", number_or_dash(Some(f64::from(uncertainty)))));
    let rank = facts.rank.map_or_else(|| "–".into(), |rank| format!("{rank} of {tokens}"));
    let within = facts.within_share.zip(rl).map(|(within, rl)| {
        let place = if within { "within" } else { "outside" };
        let which = if rl.mte.selection == Selection::Stable { "the most stable" } else { "the top" };
        format!(", {place} {which} k = {}", setting(rl.mte.share))
    });
    lines.push(("Rank", format!("{rank}{}", within.unwrap_or_default())));
    let multi = match facts.multi {
        Some(true) => "multi-trajectory expectation",
        Some(false) => "the single sampled trajectory",
        None => "not recorded",
    };
    lines.push(("Objective", multi.into()));
    lines
}

/// Between columns and rows, points.
const SPACING: [f32; 2] = [14.0, 2.0];

/// The lines, and the table.
pub fn facts_ui(
    ui: &mut Ui,
    (facts, picture): (&TokenFacts, &PictureFacts),
    rl: Option<&RlConfig>,
    theme: &Theme,
) {
    egui::Grid::new(("token lines", facts.token)).num_columns(2).spacing(SPACING).min_row_height(17.0).show(
        ui,
        |ui| {
            for (name, text) in lines(facts, picture.tokens.len(), rl) {
                ui.colored_label(theme.faint, name);
                ui.label(text);
                ui.end_row();
            }
        },
    );
    if facts.steps.is_empty() {
        ui.label("No AR step was trained.");
        return;
    }
    let grid =
        egui::Grid::new(("token steps", facts.token)).num_columns(5).spacing(SPACING).min_row_height(17.0);
    grid.striped(true).show(ui, |ui| {
        for (head, meaning) in HEADS {
            ui.colored_label(theme.faint, head).on_hover_text(meaning);
        }
        ui.end_row();
        for step in &facts.steps {
            ui.label(step.ar_step.to_string());
            ui.colored_label(colour(step.decision, theme), step.decision.words());
            for value in [step.gain, step.loss_share, step.kl] {
                ui.label(number_or_dash(value.map(f64::from)));
            }
            ui.end_row();
        }
    });
}

const HEADS: [(&str, &str); 5] = [
    ("AR step", "The trained AR steps, counted from 0."),
    ("Consistency", "Whether consistency-aware selection keeps the token's policy term at this AR step."),
    (
        "Cosine gain",
        "Rise of the cosine similarity to the final latent from the AR step before. AR step 0 has none before it.",
    ),
    ("Loss share", "The token's share of the absolute policy loss; none where it is not in the loss."),
    (
        "KL",
        "KL divergence from the reference policy, mean over the diffusion steps; none where the token is not in the loss.",
    ),
];

const fn colour(decision: Decision, theme: &Theme) -> egui::Color32 {
    match decision {
        Decision::Kept(_) => theme.good,
        Decision::Dropped => theme.bad,
        Decision::Known | Decision::Later => theme.faint,
    }
}
