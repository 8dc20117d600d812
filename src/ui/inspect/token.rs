//! The pinned token: its facts, and its curves.

use eframe::egui::{self, Color32, Ui};
use egui_plot::{LineStyle, MarkerShape};

use super::cosine::cosines;
use super::curve::{Curve, add, legend_ui, marks, missing_ui, plot_ui};
use super::facts::{Decision, PictureFacts, TokenFacts};
use super::facts_table::{facts_ui, title};
use super::inspected::Inspected;
use super::recorded::{Large, large};
use super::state::InspectView;
use super::trajectories::over_diffusion;
use super::trajectories_panel::{absent_ui, trajectories_ui};
use crate::ui::action::Action;

/// Height of a plot, points.
pub const PLOT_HEIGHT: f32 = 190.0;
/// From this width on the plots stand in two columns, points.
const TWO_COLUMNS: f32 = 720.0;

/// Draws the panel.
pub fn token_ui(ui: &mut Ui, input: Inspected<'_>, view: &mut InspectView) -> Vec<Action> {
    let mut actions = Vec::new();
    let (facts, rl) = (view.facts(&input), view.recorded(&input));
    let Some(of_token) = input.token().and_then(|token| facts.tokens.get(token)) else {
        ui.label("Click a token of the picture, or a row of the token list, to pin it.");
        return actions;
    };
    egui::ScrollArea::vertical().id_salt("inspect token").auto_shrink(false).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.heading(title(of_token.token, facts.side));
            if ui.button("Unpin").on_hover_text("No token is pinned any more.").clicked() {
                actions.push(Action::Token(None));
            }
        });
        egui::ScrollArea::horizontal().id_salt("inspect facts").show(ui, |ui| {
            facts_ui(ui, (of_token, &facts), rl.as_deref(), input.scene.theme);
        });
        ui.add_space(8.0);
        if ui.available_width() >= TWO_COLUMNS {
            ui.columns(2, |columns| {
                if let [left, right] = columns {
                    trajectories_ui(left, input, view, of_token.token, &mut actions);
                    cosine_ui(right, (of_token, &facts), input);
                    diffusion_ui(right, input, view, of_token);
                }
            });
        } else {
            cosine_ui(ui, (of_token, &facts), input);
            trajectories_ui(ui, input, view, of_token.token, &mut actions);
            diffusion_ui(ui, input, view, of_token);
        }
    });
    actions
}

/// Gain and cosine over the AR steps, kept and dropped steps marked.
fn cosine_ui(ui: &mut Ui, (token, picture): (&TokenFacts, &PictureFacts), input: Inspected<'_>) {
    let recorded = picture.tokens.iter().flat_map(|token| &token.steps).any(|step| step.gain.is_some());
    if !recorded {
        ui.strong("Cosine to the final latent over AR steps");
        ui.label("Consistency-aware selection was off at this iteration, so no cosine gain was measured.");
        return;
    }
    let at = |step: usize, value: Option<f64>| [step as f64, value.unwrap_or(f64::NAN)];
    let gain = |plane: usize| token.steps[plane].gain.map(f64::from);
    let steps = || token.steps.iter().enumerate();
    let gains: Vec<[f64; 2]> = steps().map(|(plane, step)| at(step.ar_step, gain(plane))).collect();
    let cosines: Vec<[f64; 2]> =
        steps().zip(cosines(token)).map(|((_, step), value)| at(step.ar_step, value)).collect();
    let with = |wanted: fn(Decision) -> bool| {
        steps().filter(|(_, s)| wanted(s.decision)).map(|(plane, s)| at(s.ar_step, gain(plane))).collect()
    };
    let labels = ("AR step", "cosine similarity");
    let colours = [0, 1].map(input.colour);
    let theme = input.scene.theme;
    ui.strong("Cosine to the final latent over AR steps");
    legend_ui(
        ui,
        &[
            ("cosine", colours[0]),
            ("gain", colours[1]),
            ("• kept", theme.good),
            ("× dropped", theme.bad),
            ("– not in the loss", theme.faint),
        ],
    );
    plot_ui(ui, "Cosine to the final latent over AR steps", labels, PLOT_HEIGHT, |plot| {
        let curve = |name, points, colour, style| Curve { name, points, colour, width: 1.5, style };
        add(plot, 0, &curve("cosine", &cosines, colours[0], LineStyle::dashed_dense()));
        add(plot, 1, &curve("gain", &gains, colours[1], LineStyle::Solid));
        marks(plot, "• kept", with(|d| matches!(d, Decision::Kept(_))), MarkerShape::Circle, theme.good);
        marks(plot, "× dropped", with(|d| d == Decision::Dropped), MarkerShape::Cross, theme.bad);
        marks(plot, "– not in the loss", with(|d| !d.in_loss()), MarkerShape::Diamond, theme.faint);
    });
    let unmeasured =
        token.steps.iter().filter(|step| step.gain.is_some_and(|gain| !gain.is_finite())).count();
    missing_ui(ui, unmeasured, "cosine gain", "; a gain of NaN is never above tau");
    if cosines.iter().any(|point| point[1].is_nan()) {
        ui.colored_label(
            theme.faint,
            "The cosine is rebuilt from the gains, from 1 at the AR step that predicts the token; it ends where an AR step \
             was not trained.",
        );
    }
}

/// KL and log-probability over the diffusion steps, at a trained AR step.
fn diffusion_ui(ui: &mut Ui, input: Inspected<'_>, view: &mut InspectView, token: &TokenFacts) {
    if matches!(large(&input, "kl_by_diffusion_step"), Large::Absent) {
        return;
    }
    let own = token.steps.iter().position(|step| Some(step.ar_step) == token.order).unwrap_or(0);
    let chosen = view.curve_plane.filter(|plane| *plane < token.steps.len());
    let mut plane = chosen.or(input.plane()).unwrap_or(own);
    let Some(shown) = token.steps.get(plane) else { return };
    let box_ui = egui::ComboBox::from_label("AR step of the curves").selected_text(shown.ar_step.to_string());
    let answer = box_ui.show_ui(ui, |ui| {
        for (number, step) in token.steps.iter().enumerate() {
            let text = format!("{} · {}", step.ar_step, step.decision.words());
            if ui.selectable_value(&mut plane, number, text).clicked() {
                view.curve_plane = Some(number);
            }
        }
    });
    answer.response.on_hover_text(
        "The trained AR step whose log-probability and KL are drawn over the diffusion steps.",
    );
    let Some(shown) = token.steps.get(plane) else { return };
    if !shown.decision.in_loss() {
        ui.label(format!(
            "At AR step {} the token is not in the loss ({}), so it has no log-probability and no KL there.",
            shown.ar_step,
            shown.decision.words().trim_start_matches("– ")
        ));
        return;
    }
    let at = (input.picture(), plane, token.token);
    let log_prob = "Log-probability over diffusion steps, mean over channels";
    curve_ui(ui, input, ("log_prob_by_diffusion_step", log_prob, "log-probability (nats)"), at);
    let kl = "KL over diffusion steps, mean over channels";
    curve_ui(ui, input, ("kl_by_diffusion_step", kl, "KL"), at);
}

fn curve_ui(
    ui: &mut Ui,
    input: Inspected<'_>,
    (name, title, y): (&str, &str, &str),
    at: (usize, usize, usize),
) {
    let numbers = match large(&input, name) {
        Large::Ready(map, values) => over_diffusion((name, &map.shape), &values, at),
        Large::Failed(text) => Err(text.to_string()),
        Large::Waiting => {
            ui.strong(title);
            ui.spinner();
            return;
        }
        Large::Absent => {
            absent_ui(ui, title, name);
            return;
        }
    };
    let numbers = match numbers {
        Ok(numbers) => numbers,
        Err(text) => {
            ui.strong(title);
            ui.colored_label(input.scene.theme.bad, text);
            return;
        }
    };
    let steps = &input.group.record.trained_diffusion_steps;
    let step = |number: usize| steps.get(number).copied().unwrap_or(number) as f64;
    let points: Vec<[f64; 2]> = numbers.iter().enumerate().map(|(n, v)| [step(n), f64::from(*v)]).collect();
    let colour: Color32 = (input.colour)(0);
    ui.strong(title);
    let missing = plot_ui(ui, title, ("trained diffusion step", y), PLOT_HEIGHT, |plot| {
        marks(plot, "trained diffusion steps", points.clone(), MarkerShape::Circle, colour);
        let curve = Curve {
            name: "trained diffusion steps",
            points: &points,
            colour,
            width: 1.5,
            style: LineStyle::Solid,
        };
        add(plot, 0, &curve)
    });
    missing_ui(ui, missing, "number", "");
}
