//! Names of the curves, with their values at the cursor. A click hides a curve.

use eframe::egui::scroll_area::ScrollBarVisibility;
use eframe::egui::{
    self, Color32, FontId, Painter, Pos2, Rect, Role, ScrollArea, Sense, Shape, Stroke, Ui, WidgetInfo, pos2,
    vec2,
};

use super::curve::Curve;
use super::panel::{Panel, PanelState, PlotAction};
use crate::ui::number::reading;

/// Height of an entry.
const HEIGHT: f32 = 15.0;

/// Width of the sample of a line.
const SAMPLE: f32 = 18.0;

/// The legend; of many curves the rest is scrolled to.
pub(super) fn legend_ui(
    ui: &mut Ui,
    panel: &Panel<'_>,
    state: &mut PanelState,
    actions: &mut Vec<PlotAction>,
) {
    if panel.curves.is_empty() {
        return;
    }
    let most = (ui.available_height() * 0.25).max(HEIGHT + 2.0);
    ScrollArea::vertical().id_salt(("legend", panel.id)).max_height(most).auto_shrink([false, true]).show(
        ui,
        |ui| {
            ui.horizontal_wrapped(|ui| entries_ui(ui, panel, state, actions));
        },
    );
}

/// The legend in one row, for a panel that is too low for more; the rest is scrolled to.
pub(super) fn legend_row_ui(
    ui: &mut Ui,
    panel: &Panel<'_>,
    state: &mut PanelState,
    actions: &mut Vec<PlotAction>,
) {
    let row = ScrollArea::horizontal().id_salt(("legend row", panel.id)).auto_shrink([false, true]);
    row.scroll_bar_visibility(ScrollBarVisibility::AlwaysHidden).show(ui, |ui| {
        ui.horizontal(|ui| entries_ui(ui, panel, state, actions));
    });
}

fn entries_ui(ui: &mut Ui, panel: &Panel<'_>, state: &mut PanelState, actions: &mut Vec<PlotAction>) {
    ui.spacing_mut().item_spacing = vec2(10.0, 1.0);
    let common = panel.cursor.and_then(|cursor| common_step(panel.curves, cursor));
    for curve in panel.curves {
        if entry_ui(ui, panel, state, (curve, common)) {
            let name = curve.name.to_owned();
            if !state.choice.hidden.remove(&name) {
                state.choice.hidden.insert(name);
            }
            actions.push(PlotAction::ChoiceChanged);
        }
    }
    if let Some(step) = common.filter(|step| Some(*step) != panel.cursor) {
        ui.label(egui::RichText::new(format!("@{step}")).monospace().size(11.0).color(panel.colours.faint))
            .on_hover_text(format!(
                "The values are of iteration {step}, the last one with points up to the cursor"
            ));
    }
    if let Some(text) = smoothing(panel) {
        ui.label(egui::RichText::new(text).small().color(panel.colours.faint)).on_hover_text(
            "A debiased exponential mean of every recorded point, so that no zoom changes it. The raw line stays behind \
             it",
        );
    }
}

/// How curves are smoothed, in words.
pub(super) fn smoothing(panel: &Panel<'_>) -> Option<String> {
    let smoothed = panel.curves.iter().any(|curve| curve.is_smoothed(panel.smoothing));
    smoothed.then(|| format!("smoothed beta={} (before thinning)", panel.smoothing))
}

/// Whether the entry was clicked.
fn entry_ui(
    ui: &mut Ui,
    panel: &Panel<'_>,
    state: &PanelState,
    (curve, common): (&Curve<'_>, Option<usize>),
) -> bool {
    let visible = !state.choice.hidden.contains(curve.name);
    let value = panel.cursor.map(|cursor| at_cursor(curve, cursor, common));
    let colour = if visible { panel.colours.text } else { panel.colours.faint };
    let font = FontId::proportional(11.5);
    let name = ui.painter().layout_no_wrap(curve.name.to_owned(), font, colour);
    let number = FontId::monospace(11.0);
    let value = value.map(|value| ui.painter().layout_no_wrap(value, number, colour));
    let wide = value.as_ref().map_or(0.0, |value| value.size().x + 5.0);
    let size = vec2(SAMPLE + 4.0 + name.size().x + wide, HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    if ui.is_rect_visible(rect) {
        let line = panel.colours.series(curve.colour);
        let line = if visible { line } else { line.gamma_multiply(0.35) };
        sample(ui.painter(), rect, line, curve);
        let at = pos2(rect.left() + SAMPLE + 4.0, rect.center().y - name.size().y / 2.0);
        let end = at.x + name.size().x;
        ui.painter().galley(at, name, colour);
        if let Some(value) = value {
            ui.painter().galley(pos2(end + 5.0, rect.center().y - value.size().y / 2.0), value, colour);
        }
        if !visible {
            let y = rect.center().y;
            ui.painter().hline(at.x..=end, y, Stroke::new(1.0, panel.colours.faint));
        }
        if response.has_focus() {
            ui.painter().rect_stroke(
                rect.expand(1.0),
                2.0,
                Stroke::new(1.0, colour),
                egui::StrokeKind::Outside,
            );
        }
    }
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, visible, curve.name));
    let hint = if visible { "Click to hide this curve" } else { "Click to show this curve" };
    response.on_hover_text(format!("{}, run {}. {hint}", curve.name, curve.run)).clicked()
}

/// The step of the values at the cursor, if it is the same for all curves that have one.
fn common_step(curves: &[Curve<'_>], cursor: usize) -> Option<usize> {
    let mut steps = curves.iter().filter_map(|curve| curve.series.at(cursor)).map(|point| point.step);
    let first = steps.next()?;
    steps.all(|step| step == first).then_some(first)
}

/// The value at the cursor, with its step if that is neither the cursor's nor the one that all have.
fn at_cursor(curve: &Curve<'_>, cursor: usize, common: Option<usize>) -> String {
    match curve.series.at(cursor) {
        Some(point) if point.step == cursor || common.is_some() => format!("{:<8}", reading(point.value)),
        Some(point) => format!("{} @{}", reading(point.value), point.step),
        None => "none yet".to_owned(),
    }
}

fn sample(painter: &Painter, rect: Rect, colour: Color32, curve: &Curve<'_>) {
    let ends: [Pos2; 2] = [rect.left_center(), rect.left_center() + vec2(SAMPLE, 0.0)];
    if curve.band.is_some() {
        let behind = Rect::from_center_size(ends[0] + vec2(SAMPLE / 2.0, 0.0), vec2(SAMPLE, 9.0));
        painter.rect_filled(behind, 1.0, colour.gamma_multiply(0.25));
    }
    let stroke = Stroke::new(curve.width() + 0.6, colour);
    if curve.dashed {
        painter.extend(Shape::dashed_line(&ends, stroke, 5.0, 3.0));
    } else {
        painter.line_segment(ends, stroke);
    }
}
