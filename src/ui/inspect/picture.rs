//! One picture large, its tokens under the pointer and the keyboard.

use eframe::egui::{self, EventFilter, Key, Modifiers, Response, Ui};

use super::facts_table::{facts_ui, title};
use super::inspected::Inspected;
use super::marks::{outline, signs, token_rect};
use super::number::number;
use super::state::{InspectView, Mask};
use crate::ui::action::Action;
use crate::ui::overlay::{ImageResponse, ValueRange};
use crate::ui::picture::{PictureStyle, picture_ui};
use crate::ui::view::{Layer, OverlayView};

/// The least side of the picture, points.
const LEAST_SIDE: f32 = 128.0;

/// Draws the panel: which picture, at which AR step, and the picture as large as there is room.
pub fn picture_panel_ui(ui: &mut Ui, input: Inspected<'_>, view: &mut InspectView) -> Vec<Action> {
    let mut actions = Vec::new();
    if input.group.record.pictures.is_empty() {
        ui.label("This group was recorded without pictures.");
        return actions;
    }
    egui::ScrollArea::vertical().id_salt("inspect picture").auto_shrink(false).show(ui, |ui| {
        let top = ui.cursor().top();
        let room = ui.available_height();
        header_ui(ui, input, &mut actions);
        ar_step_ui(ui, input, &mut actions);
        let changes = view.changes(&input);
        if changes.is_some() {
            legend_ui(ui, view.mask);
        }
        for problem in &input.group.problems {
            ui.colored_label(input.scene.theme.bad, problem);
        }
        let left = room - (ui.cursor().top() - top) - 2.0;
        let side = ui.available_width().min(left).max(LEAST_SIDE);
        ui.vertical_centered(|ui| picture_of_ui(ui, (input, side), view, changes.as_ref(), &mut actions));
    });
    actions
}

fn header_ui(ui: &mut Ui, input: Inspected<'_>, actions: &mut Vec<Action>) {
    let (theme, picture, count) = (input.scene.theme, input.picture(), input.group.record.pictures.len());
    ui.horizontal_wrapped(|ui| {
        let before = ui.add_enabled(picture > 0, egui::Button::new("‹ Previous picture"));
        if before.on_hover_text("The picture before this one in the group.").clicked() {
            actions.push(Action::Picture(picture - 1));
        }
        ui.strong(format!("{} of {count}", picture + 1));
        let after = ui.add_enabled(picture + 1 < count, egui::Button::new("Next picture ›"));
        if after.on_hover_text("The picture after this one in the group.").clicked() {
            actions.push(Action::Picture(picture + 1));
        }
        let Some(record) = input.group.record.pictures.get(picture) else { return };
        let (reward, advantage) = (record.reward.0, record.advantage.0);
        let colour = if advantage < 0.0 { theme.negative } else { theme.positive };
        ui.label(format!("reward {}", number(reward))).on_hover_text("Weighted sum of the reward parts.");
        ui.colored_label(colour, format!("advantage {}", number(advantage))).on_hover_text(
            "How much better than the mean of its group the picture is, in standard deviations of the group.",
        );
        if input.group.record.zero_std {
            ui.colored_label(theme.warning, "! zero std").on_hover_text(
                "Every picture of the group earned the same, so all advantages are 0 and the group teaches nothing.",
            );
        }
        let parts = record.parts.iter().map(|(name, score)| format!("{name} {}", number(score.0)));
        ui.colored_label(theme.faint, parts.collect::<Vec<_>>().join(" · "))
            .on_hover_text("What it earned by reward, before weighting, and the verifier's parts.");
    });
    ui.colored_label(theme.faint, format!("iteration {} · {}", input.group.step, input.group.record.prompt));
}

fn ar_step_ui(ui: &mut Ui, input: Inspected<'_>, actions: &mut Vec<Action>) {
    let last = input.group.record.ar_steps.saturating_sub(1);
    let chosen = input.scene.selection.ar_step;
    ui.horizontal_wrapped(|ui| {
        let mut finished = chosen.is_none();
        let explanation =
            "Off: the picture as it was at an AR step, with known, predicted and still masked tokens.";
        if ui.checkbox(&mut finished, "Finished picture").on_hover_text(explanation).changed() {
            actions.push(Action::ArStep((!finished).then_some(last)));
        }
        let mut step = chosen.unwrap_or(last).min(last);
        let slider = egui::Slider::new(&mut step, 0..=last).text("AR step");
        let slider = ui.add(slider).on_hover_text(
            "AR step, from 0, at which the picture and the maps with one plane for each AR step are shown.",
        );
        if slider.changed() {
            actions.push(Action::ArStep(Some(step)));
        }
        if let Some(step) = chosen.filter(|step| input.group.trained_index(*step).is_none()) {
            ui.colored_label(
                input.scene.theme.warning,
                format!("AR step {step} was not trained: no gain, mask, loss or KL was recorded for it."),
            );
        }
    });
}

fn legend_ui(ui: &mut Ui, mask: Mask) {
    let mask = match mask {
        Mask::Multi => "MTE mask",
        Mask::Consistency => "consistency mask",
    };
    ui.horizontal_wrapped(|ui| {
        ui.label(format!("What would change in the {mask}"));
        for entry in ["• in both", "+ gained", "− lost"] {
            ui.strong(entry);
        }
    });
}

fn picture_of_ui(
    ui: &mut Ui,
    (input, side): (Inspected<'_>, f32),
    view: &mut InspectView,
    changes: Option<&std::sync::Arc<crate::ui::overlay::TokenMap>>,
    actions: &mut Vec<Action>,
) {
    let (group, picture) = (input.group, input.picture());
    let brushed = view.brushed(&input);
    // Fates are told by their sign; the layer below is one of plain numbers, so that they are coloured and not hatched.
    let of_changes =
        OverlayView { layer: Layer::Order, threshold: Some(0.5), smooth: false, ..input.overlay.clone() };
    let overlay = if changes.is_some() { &of_changes } else { input.overlay };
    let style = PictureStyle {
        ar_step: input.scene.selection.ar_step,
        token: input.token(),
        brushed: &brushed,
        instead: changes.map(|map| (map, ValueRange { low: 0.0, high: 3.0 })),
        ..PictureStyle::of(overlay)
    };
    let name = format!("Picture {} of {}", picture + 1, group.record.pictures.len());
    let shown = picture_ui(ui, input.scene, (group, picture), side, style, &name);
    let rect = shown.response.rect;
    if let Some(map) = changes {
        signs(ui.painter(), rect, map);
    }
    if let Some(token) = view.hovered.filter(|token| *token < group.tokens()) {
        outline(ui.painter(), token_rect(rect, group.record.side, token));
    }
    let ImageResponse { response, hovered_token, clicked_token, .. } = shown;
    if let Some(token) = clicked_token {
        response.request_focus();
        // A second click unpins; an arrow key that meets the border does not.
        let again = response.clicked() && input.token() == Some(token);
        actions.push(Action::Token((!again).then_some(token)));
    }
    keys(ui, &response, input, actions);
    if let Some(token) = hovered_token {
        tooltip(response, input, view, token);
    }
}

fn tooltip(response: Response, input: Inspected<'_>, view: &mut InspectView, token: usize) {
    let (facts, rl) = (view.facts(&input), view.recorded(&input));
    let Some(of_token) = facts.tokens.get(token) else { return };
    response.on_hover_ui_at_pointer(|ui| {
        ui.set_max_width(520.0);
        ui.strong(title(token, facts.side));
        facts_ui(ui, (of_token, &facts), rl.as_deref(), input.scene.theme);
    });
}

/// While the picture has the focus, Escape unpins the token.
fn keys(ui: &Ui, response: &Response, input: Inspected<'_>, actions: &mut Vec<Action>) {
    if !response.has_focus() || input.token().is_none() {
        return;
    }
    let filter = EventFilter {
        horizontal_arrows: true,
        vertical_arrows: true,
        escape: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    if ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
        actions.push(Action::Token(None));
    }
}
