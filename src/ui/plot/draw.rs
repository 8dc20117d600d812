//! A panel on the screen.

use eframe::egui::{Align2, Color32, FontId, Painter, Rect, Shape, Stroke, StrokeKind, pos2};

use super::curve::Curve;
use super::marks::{LABEL_FONT, mark_shapes, odd_shape, placed, readable};
use super::memory::Part;
use super::mesh::{LineLook, View};
use super::panel::{Panel, PanelState};

/// How much is left of a raw line behind its smoothed one.
pub(super) const FADED: f32 = 0.3;

/// How much is left of a line between a run and its branch.
pub(super) const JOINT: f32 = 0.7;

/// How strong bands are.
pub(super) const BAND: f32 = 0.2;

/// Everything within the axes.
pub(super) fn panel_shapes(
    panel: &Panel<'_>,
    state: &mut PanelState,
    view: &View,
    painter: &Painter,
) -> Vec<Shape> {
    let shown = panel.shown(&state.choice);
    // Behind the curves, so that a spike at the cursor is seen.
    let mut shapes = cursor_line(panel, &shown, view);
    shapes.extend(joints(panel, state, view, &shown));
    shapes.extend(curves(panel, state, view, &shown));
    let width_of = |text: &str| {
        let galley = painter.layout_no_wrap(readable(painter, text).into_owned(), LABEL_FONT, Color32::WHITE);
        galley.size().x + 4.0
    };
    let marks = placed(panel.marks, &shown, view, width_of);
    shapes.extend(mark_shapes(&marks, view, painter, panel.colours.background));
    for curve in &shown {
        let colour = panel.colours.series(curve.colour);
        for &(x, odd) in state.memory.odd_marks(curve.id) {
            if (view.x[0]..=view.x[1]).contains(&x) {
                shapes.extend(odd_shape(odd, view.px(x), view.rect, colour));
            }
        }
    }
    shapes.extend(cursor_dots(panel, state, &shown, view));
    shapes.extend(corner(panel, state, painter));
    if panel.x_extent().is_none() {
        shapes.push(nothing("No points recorded", panel, view, painter));
    } else if shown.is_empty() {
        shapes.push(nothing("All curves are hidden", panel, view, painter));
    } else if shown.iter().all(|curve| state.memory.columns(curve.id, Part::Raw).is_empty()) {
        shapes.push(nothing("No points in this range", panel, view, painter));
    }
    shapes
}

/// Bands, then raw lines, then smoothed ones, so that what matters most is on top.
fn curves(panel: &Panel<'_>, state: &mut PanelState, view: &View, shown: &[&Curve<'_>]) -> Vec<Shape> {
    let scale = state.choice.scale;
    let memory = &mut state.memory;
    let mut shapes = Vec::new();
    // Many bands over one another must stay transparent.
    let bands = shown.iter().filter(|curve| curve.band.is_some()).count().max(1) as f32;
    for curve in shown.iter().filter(|curve| curve.band.is_some()) {
        let strength = BAND / bands.sqrt().min(2.5);
        let colour = panel.colours.series(curve.colour).gamma_multiply(strength);
        shapes.extend(memory.band_mesh(curve.id, scale, view, colour).map(Shape::Mesh));
    }
    for part in [Part::Raw, Part::Smooth] {
        for curve in shown {
            let smoothed = curve.is_smoothed(panel.smoothing);
            if part == Part::Smooth && !smoothed {
                continue;
            }
            let faded = part == Part::Raw && smoothed;
            let colour = panel.colours.series(curve.colour);
            let look = LineLook {
                colour: if faded { colour.gamma_multiply(FADED) } else { colour },
                width: if faded { 1.0 } else { curve.width() },
                dashed: curve.dashed && !faded,
            };
            shapes.extend(memory.line_mesh((curve.id, part), scale, view, look).map(Shape::Mesh));
        }
    }
    shapes
}

/// From a run to its branches: thin, for nothing was recorded between the two points.
fn joints(panel: &Panel<'_>, state: &PanelState, view: &View, shown: &[&Curve<'_>]) -> Vec<Shape> {
    let joint = |curve: &&Curve<'_>| {
        let ends = curve.joint(state.choice.scale)?.map(|[x, y]| pos2(view.px(x), view.py(y)));
        let stroke = Stroke::new(1.0, panel.colours.series(curve.colour).gamma_multiply(JOINT));
        Some(Shape::dashed_line(&ends, stroke, 2.0, 2.5))
    };
    shown.iter().filter_map(joint).flatten().collect()
}

fn cursor_line(panel: &Panel<'_>, shown: &[&Curve<'_>], view: &View) -> Vec<Shape> {
    let place = || {
        let curve = shown.first()?;
        curve.x_of_step(panel.cursor?)
    };
    let Some(x) = place().filter(|x| (view.x[0]..=view.x[1]).contains(x)) else { return Vec::new() };
    let (px, top) = (view.px(x), view.rect.top());
    let tip = vec![pos2(px - 4.0, top), pos2(px + 4.0, top), pos2(px, top + 6.0)];
    vec![
        Shape::line_segment(
            [pos2(px, top), pos2(px, view.rect.bottom())],
            Stroke::new(1.0, panel.colours.cursor),
        ),
        Shape::convex_polygon(tip, panel.colours.cursor, Stroke::NONE),
    ]
}

/// Dots on the points whose values the legend shows.
fn cursor_dots(panel: &Panel<'_>, state: &PanelState, shown: &[&Curve<'_>], view: &View) -> Vec<Shape> {
    let scale = state.choice.scale;
    let dot = |curve: &&Curve<'_>| {
        let point = curve.series.at(panel.cursor?)?;
        let (x, y) = (curve.x.x(point), scale.place(point.value)?);
        let seen = (view.x[0]..=view.x[1]).contains(&x) && (view.y[0]..=view.y[1]).contains(&y);
        let at = pos2(view.px(x), view.py(y));
        let colour = panel.colours.series(curve.colour);
        seen.then(|| {
            let ring = Shape::circle_filled(at, curve.width() + 2.2, panel.colours.background);
            [ring, Shape::circle_filled(at, curve.width() + 1.2, colour)]
        })
    };
    shown.iter().filter_map(dot).flatten().collect()
}

/// The box that is being drawn.
fn corner(panel: &Panel<'_>, state: &PanelState, painter: &Painter) -> Option<Shape> {
    let corner = state.hands.corner?;
    let pointer = painter.ctx().pointer_latest_pos()?;
    let zoomed = Rect::from_two_pos(corner, pointer);
    Some(Shape::Vec(vec![
        Shape::rect_filled(zoomed, 0.0, panel.colours.cursor.gamma_multiply(0.08)),
        Shape::rect_stroke(zoomed, 0.0, Stroke::new(1.0, panel.colours.cursor), StrokeKind::Middle),
    ]))
}

fn nothing(text: &str, panel: &Panel<'_>, view: &View, painter: &Painter) -> Shape {
    painter.fonts_mut(|fonts| {
        let font = FontId::proportional(13.0);
        Shape::text(fonts, view.rect.center(), Align2::CENTER_CENTER, text, font, panel.colours.faint)
    })
}
