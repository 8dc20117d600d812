//! All tokens of the picture as a table that is sorted by any fact.

use eframe::egui::{self, Align2, FontId, Rect, Sense, TextStyle, Ui, pos2, vec2};

use super::facts::{PictureFacts, TokenFacts};
use super::inspected::Inspected;
use super::row::{cell, spoken};
use super::state::InspectView;
use super::steps::{Fact, Sorting};
use crate::ui::action::Action;
use crate::ui::number::counted;
use crate::ui::overlay::brushed_colour;

/// Width of a column, points.
const COLUMN: f32 = 92.0;

/// Draws the panel.
pub fn list_ui(ui: &mut Ui, input: Inspected<'_>, view: &mut InspectView) -> Vec<Action> {
    let facts = view.facts(&input);
    let brushed = view.brushed(&input);
    let is_brushed = |token: usize| brushed.get(token).copied().unwrap_or(false);
    let marked = brushed.iter().filter(|b| **b).count();
    ui.horizontal_wrapped(|ui| {
        ui.label(counted(facts.tokens.len(), "token"));
        let only =
            if brushed.is_empty() { "Only brushed".into() } else { format!("Only the {marked} brushed") };
        ui.add_enabled(!brushed.is_empty(), egui::Checkbox::new(&mut view.brushed_only, only))
            .on_hover_text("Tokens within the range that is brushed in the histogram of uncertainty.")
            .on_disabled_hover_text("Drag over the histogram of uncertainty to brush tokens.");
        let plane = input.plane().and_then(|plane| input.group.record.trained_ar_steps.get(plane));
        let which =
            plane.map_or_else(|| "means over trained AR steps".into(), |step| format!("at AR step {step}"));
        ui.colored_label(input.scene.theme.faint, format!("Gain, kept, loss share and KL: {which}"));
    });
    let mut order = view.sorting.order(&facts.tokens, input.plane());
    if view.brushed_only && !brushed.is_empty() {
        order.retain(|token| is_brushed(*token));
    }
    let mut actions = Vec::new();
    let mut hovered = None;
    egui::ScrollArea::horizontal().id_salt("token list").auto_shrink(false).show(ui, |ui| {
        ui.set_min_width(COLUMN * Fact::ALL.len() as f32 + 16.0);
        if let Some(sorting) = heads_ui(ui, view.sorting) {
            view.sorting = sorting;
        }
        let height = ui.text_style_height(&TextStyle::Body) + 4.0;
        ui.spacing_mut().item_spacing.y = 0.0;
        let rows = egui::ScrollArea::vertical().id_salt("token rows").auto_shrink(false);
        rows.show_rows(ui, height, order.len(), |ui, range| {
            for token in order.get(range).unwrap_or_default() {
                let row = Row { facts: &facts, token: *token, brushed: is_brushed(*token), height };
                let response = row.ui(ui, input);
                if response.hovered() {
                    hovered = Some(*token);
                }
                if response.clicked() {
                    actions.push(Action::Token((input.token() != Some(*token)).then_some(*token)));
                }
            }
        });
    });
    if view.hovered != hovered {
        view.hovered = hovered;
        // The picture that outlines the token may be drawn before this panel.
        ui.ctx().request_repaint();
    }
    actions
}

fn heads_ui(ui: &mut Ui, sorting: Sorting) -> Option<Sorting> {
    let mut clicked = None;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for fact in Fact::ALL {
            let sorted = sorting.by == fact;
            let button = egui::Button::new(fact.name()).selected(sorted).frame(sorted);
            let button = ui.add_sized(vec2(COLUMN, 20.0), button);
            if sorted {
                arrow(ui, button.rect, sorting.descending);
            }
            let way = if sorted && sorting.descending {
                " Sorted, largest first."
            } else if sorted {
                " Sorted, smallest first."
            } else {
                ""
            };
            button.widget_info(|| {
                egui::WidgetInfo::selected(
                    egui::Role::Button,
                    true,
                    sorted,
                    format!("Sort by {}", fact.name()),
                )
            });
            if button.on_hover_text(format!("{}{way} Click to sort.", fact.meaning())).clicked() {
                clicked = Some(sorting.clicked(fact));
            }
        }
    });
    clicked
}

/// A small triangle at the right of a head: down for largest first. The font has none.
fn arrow(ui: &Ui, head: Rect, descending: bool) {
    let (at, half) = (pos2(head.right() - 7.0, head.center().y), if descending { 3.0 } else { -3.0 });
    let corners = vec![at + vec2(-3.0, -half), at + vec2(3.0, -half), at + vec2(0.0, half)];
    ui.painter().add(egui::Shape::convex_polygon(corners, ui.visuals().text_color(), egui::Stroke::NONE));
}

struct Row<'a> {
    facts: &'a PictureFacts,
    token: usize,
    brushed: bool,
    height: f32,
}

impl Row<'_> {
    fn ui(&self, ui: &mut Ui, input: Inspected<'_>) -> egui::Response {
        let width = COLUMN * Fact::ALL.len() as f32;
        let (rect, response) = ui.allocate_exact_size(vec2(width, self.height), Sense::click());
        let Some(token) = self.facts.tokens.get(self.token) else { return response };
        let pinned = input.token() == Some(self.token);
        response.widget_info(|| {
            egui::WidgetInfo::selected(egui::Role::Button, true, pinned, spoken(token, input.plane()))
        });
        if ui.is_rect_visible(rect) {
            self.paint(ui, (rect, token), input, (pinned, &response));
        }
        response.on_hover_text("Click to pin the token.")
    }

    fn paint(
        &self,
        ui: &Ui,
        (rect, token): (Rect, &TokenFacts),
        input: Inspected<'_>,
        (pinned, response): (bool, &egui::Response),
    ) {
        let (painter, theme, visuals) = (ui.painter(), input.scene.theme, ui.visuals());
        if pinned {
            painter.rect_filled(rect, 2.0, visuals.selection.bg_fill);
        } else if response.hovered() || response.has_focus() {
            painter.rect_filled(rect, 2.0, visuals.widgets.hovered.weak_bg_fill);
        }
        if self.brushed {
            painter.rect_filled(
                Rect::from_min_size(rect.min, vec2(4.0, rect.height())),
                0.0,
                brushed_colour(),
            );
        }
        let font: FontId = TextStyle::Body.resolve(ui.style());
        for (column, fact) in Fact::ALL.into_iter().enumerate() {
            let at = pos2(rect.left() + COLUMN * (column as f32 + 1.0) - 14.0, rect.center().y);
            let text = cell(fact, token, input.plane());
            let colour = if text == "–" || text == "no" { theme.faint } else { theme.text };
            painter.text(at, Align2::RIGHT_CENTER, text, font.clone(), colour);
        }
    }
}
