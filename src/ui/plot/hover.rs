//! The values under the pointer.

use eframe::egui::{self, PopupAnchor, Pos2, Response, RichText, Sense, Ui, vec2};

use super::axis::{XAxis, XMap};
use super::curve::Curve;
use super::marks::{placed, readable};
use super::mesh::View;
use super::panel::{Panel, PanelState};
use crate::runs::series::Point;
use crate::ui::number::reading;

/// Curves listed at most.
const LISTED: usize = 24;

/// Marks so near to the pointer are named.
const NEAR: f32 = 5.0;

/// Lists what every curve is where the pointer is.
pub(super) fn hover_ui(response: &Response, panel: &Panel<'_>, state: &PanelState, view: &View, axis: XAxis) {
    let Some(pointer) = response.hover_pos().filter(|_| response.hovered() && !response.dragged()) else {
        return;
    };
    let mut tooltip = egui::Tooltip::always_open(
        response.ctx.clone(),
        response.layer_id,
        response.id,
        PopupAnchor::Pointer,
    );
    tooltip.popup = tooltip.popup.width(420.0);
    tooltip.gap(14.0).show(|ui| values_ui(ui, panel, state, view, (axis, pointer)));
}

fn values_ui(ui: &mut Ui, panel: &Panel<'_>, state: &PanelState, view: &View, at: (XAxis, Pos2)) {
    let (axis, pointer) = at;
    let x = view.x_at(pointer.x);
    ui.label(
        RichText::new(axis.reading(if axis == XAxis::Iteration { x.round().max(0.0) } else { x })).strong(),
    );
    let shown = panel.shown(&state.choice);
    egui::Grid::new(("values", panel.id)).num_columns(4).min_col_width(0.0).spacing([8.0, 1.0]).show(
        ui,
        |ui| {
            for curve in shown.iter().take(LISTED) {
                let point = point_at(curve, x);
                let (swatch, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
                ui.painter().rect_filled(swatch, 1.0, panel.colours.series(curve.colour));
                ui.label(curve.name);
                ui.label(
                    RichText::new(point.map_or_else(|| "none yet".to_owned(), |p| reading(p.value)))
                        .monospace(),
                );
                let smooth = point.and_then(|p| Some(state.memory.smoothed(curve.id)?.at(p.step)?.value));
                let smooth =
                    smooth.map_or_else(String::new, |value| format!("smoothed {}, ", reading(value)));
                let step = point.map_or_else(String::new, |p| format!("{smooth}at iteration {}", p.step));
                ui.label(RichText::new(step).small().color(panel.colours.faint));
                ui.end_row();
            }
        },
    );
    if shown.len() > LISTED {
        ui.label(format!("and {} more", shown.len() - LISTED));
    }
    let marks = placed(panel.marks, &shown, view, |_| 0.0);
    let near: Vec<_> = marks.iter().filter(|mark| (mark.px - pointer.x).abs() <= NEAR).collect();
    for mark in near.iter().take(8) {
        let text = format!("{} at iteration {}", readable(ui.painter(), mark.mark.label), mark.mark.step);
        ui.label(RichText::new(text).small().color(mark.mark.style.colour));
    }
    if near.len() > 8 {
        ui.label(RichText::new(format!("and {} more marks", near.len() - 8)).small());
    }
}

/// The point of a curve at `x`: the last one at or before an iteration, the nearest in time.
pub(super) fn point_at(curve: &Curve<'_>, x: f64) -> Option<Point> {
    let step = curve.x.step_at(curve.series, x)?;
    if matches!(curve.x, XMap::Step) && x < -0.5 {
        return None;
    }
    curve.series.at(step)
}
