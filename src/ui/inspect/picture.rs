//! One picture large, its tokens under the pointer and the keyboard.

use std::sync::Arc;

use eframe::egui::{self, EventFilter, Key, Modifiers, PointerButton, Rect, Response, Ui, Vec2};

use super::facts_table::{facts_ui, title};
use super::inspected::Inspected;
use super::marks::{outline, signs, token_rect};
use super::state::{InspectView, Mask};
use crate::ui::action::Action;
use crate::ui::live::choose_group_ui;
use crate::ui::number::reading;
use crate::ui::overlay::{ImageResponse, ImageView, LegendMark, TokenMap, ValueRange, WHOLE, legend_ui};
use crate::ui::picture::{PictureStyle, layer_legend_ui, picture_ui, zoomed};
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
        header_ui(ui, input, view, &mut actions);
        ar_step_ui(ui, input, &mut actions);
        for problem in &input.group.problems {
            ui.colored_label(input.scene.theme.bad, problem);
        }
        let changes = view.changes(&input);
        let left = room - (ui.cursor().top() - top) - view.legend_height - 2.0;
        let side = ui.available_width().min(left).max(LEAST_SIDE);
        ui.vertical_centered(|ui| picture_of_ui(ui, (input, side), view, changes.as_ref(), &mut actions));
        let height = ui.scope(|ui| below_ui(ui, input, view, changes.is_some())).response.rect.height();
        let height = height + ui.spacing().item_spacing.y;
        if (height - view.legend_height).abs() > 0.5 {
            // The picture makes room for it in the next frame.
            view.legend_height = height;
            ui.ctx().request_repaint();
        }
    });
    actions
}

fn header_ui(ui: &mut Ui, input: Inspected<'_>, view: &mut InspectView, actions: &mut Vec<Action>) {
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
        ui.label(format!("reward {}", reading(reward))).on_hover_text("Weighted sum of the reward parts.");
        ui.colored_label(colour, format!("advantage {}", reading(advantage))).on_hover_text(
            "How much better than the mean of its group the picture is, in standard deviations of the group.",
        );
        if input.group.record.zero_std {
            ui.colored_label(theme.warning, "! zero std").on_hover_text(
                "Every picture of the group earned the same, so all advantages are 0 and the group teaches nothing.",
            );
        }
        let parts = record.parts.iter().map(|(name, score)| format!("{name} {}", reading(score.0)));
        ui.colored_label(theme.faint, parts.collect::<Vec<_>>().join(" · "))
            .on_hover_text("What it earned by reward, before weighting, and the verifier's parts.");
    });
    ui.horizontal_wrapped(|ui| {
        choose_group_ui(ui, input.group, actions);
        ui.colored_label(theme.faint, format!("iteration {} · {}", input.group.step, input.group.record.prompt));
        if let Some(part) = view.part {
            let times = 1.0 / part.width().max(part.height());
            let button = ui.button(format!("Show all ({times:.1}× now)"));
            let how = "Show all of the picture again. Ctrl and the wheel, or a pinch, zooms; dragging pans; a double click \
                       shows all.";
            if button.on_hover_text(how).clicked() {
                view.part = None;
            }
        }
    });
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

/// What the colours and marks on the picture mean.
fn below_ui(ui: &mut Ui, input: Inspected<'_>, view: &InspectView, changes: bool) {
    if changes {
        changes_legend_ui(ui, view.mask);
    } else {
        let style =
            PictureStyle { ar_step: input.scene.selection.ar_step, ..PictureStyle::of(input.overlay) };
        layer_legend_ui(ui, input.scene, input.group, input.picture(), style);
    }
    let mut marks = Vec::new();
    if view.brushed(&input).contains(&true) {
        marks.push(LegendMark::Brushed);
    }
    if input.token().is_some() {
        marks.push(LegendMark::Pinned);
    }
    if !marks.is_empty() {
        legend_ui(ui, &marks);
    }
}

fn changes_legend_ui(ui: &mut Ui, mask: Mask) {
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
    changes: Option<&Arc<TokenMap>>,
    actions: &mut Vec<Action>,
) {
    let (group, picture) = (input.group, input.picture());
    let brushed = view.brushed(&input);
    let uv = view.part.unwrap_or(WHOLE);
    let mut overlay = OverlayView { grid: !view.hide_grid, ..input.overlay.clone() };
    if changes.is_some() {
        // Fates are told by their sign; the layer below is one of plain numbers, so that they are coloured and not hatched.
        overlay = OverlayView { layer: Layer::Order, threshold: Some(0.5), smooth: false, ..overlay };
    }
    let style = PictureStyle {
        ar_step: input.scene.selection.ar_step,
        token: input.token(),
        brushed: &brushed,
        instead: changes.map(|map| (map, ValueRange { low: 0.0, high: 3.0 })),
        uv,
        ..PictureStyle::of(&overlay)
    };
    let name = format!("Picture {} of {}", picture + 1, group.record.pictures.len());
    let shown = picture_ui(ui, input.scene, (group, picture), side, style, &name);
    let rect = shown.response.rect;
    let painter = ui.painter().with_clip_rect(rect.expand(3.0).intersect(ui.clip_rect()));
    if let Some(map) = changes {
        signs(&painter, (rect, uv), map);
    }
    if let Some(token) = view.hovered.filter(|token| *token < group.tokens()) {
        outline(&painter, token_rect((rect, uv), group.record.side, token));
    }
    if let Some(part) = zoomed(ui, &shown, ImageView { size: Vec2::splat(side), uv }) {
        view.part = (part != WHOLE).then_some(part);
    }
    let ImageResponse { response, hovered_token, clicked_token, .. } = shown;
    // Space on the focused picture is a key of the window and pins nothing.
    let by_key = response.clicked() && !response.clicked_by(PointerButton::Primary);
    if let Some(token) = clicked_token.filter(|_| !by_key) {
        response.request_focus();
        // A second click unpins; an arrow key that meets the border does not.
        let again = response.clicked() && input.token() == Some(token);
        actions.push(Action::Token((!again).then_some(token)));
        view.part = view.part.map(|part| seen(part, group.record.side, token));
    }
    keys(ui, &response, input, actions);
    if let Some(token) = hovered_token {
        tooltip(response, input, view, token);
    }
}

/// `part` of the picture, moved as little as needed to show all of a token.
fn seen(part: Rect, side: usize, token: usize) -> Rect {
    let cell = token_rect((WHOLE, WHOLE), side, token);
    let shift = |low: f32, high: f32, from: f32, to: f32| (from - low).min(0.0) + (to - high).max(0.0);
    let [x, y] = [
        shift(part.left(), part.right(), cell.left(), cell.right()),
        shift(part.top(), part.bottom(), cell.top(), cell.bottom()),
    ];
    part.translate(Vec2::new(x, y))
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
