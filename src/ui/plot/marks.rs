//! Vertical lines at what happened: changes, checkpoints, probes, alerts, forks.

use std::borrow::Cow;

use eframe::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};

use super::curve::Curve;
use super::mesh::View;
use super::trace::Odd;

/// How the line of a mark looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkStyle {
    /// Its colour.
    pub colour: Color32,
    /// Whether it has gaps, as those of changes have.
    pub dashed: bool,
}

/// Something that happened at a step of a run.
#[derive(Clone, Copy, Debug)]
pub struct MarkLine<'a> {
    /// When.
    pub step: usize,
    /// Of which run; on an axis of time that decides where it stands.
    pub run: &'a str,
    /// In few words: `mte.samples 3 → 5`.
    pub label: &'a str,
    /// How it looks.
    pub style: MarkStyle,
}

impl MarkLine<'_> {
    /// Its place on the horizontal axis, by a curve of its run, or the first if there is none.
    pub(super) fn x(&self, curves: &[&Curve<'_>]) -> Option<f64> {
        let own = curves.iter().find(|curve| curve.run == self.run).or(curves.first())?;
        own.x_of_step(self.step)
    }
}

/// A mark in view.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedMark<'a> {
    pub px: f32,
    pub mark: &'a MarkLine<'a>,
    /// Row and width of its label at the top, if there was room for it.
    pub label: Option<(usize, f32)>,
}

/// Rows of labels.
const ROWS: usize = 3;

/// Lines of one look nearer than this are drawn once.
const APART: f32 = 2.0;

/// Marks in view from left to right, with labels that do not cover one another. `width_of` is how wide a label is.
pub(super) fn placed<'a>(
    marks: &'a [MarkLine<'a>],
    curves: &[&Curve<'_>],
    view: &View,
    width_of: impl Fn(&str) -> f32,
) -> Vec<PlacedMark<'a>> {
    let inside = |mark: &'a MarkLine<'a>| {
        let x = mark.x(curves)?;
        (view.x[0]..=view.x[1]).contains(&x).then(|| PlacedMark { px: view.px(x), mark, label: None })
    };
    let mut found: Vec<PlacedMark<'_>> = marks.iter().filter_map(inside).collect();
    found.sort_by(|a, b| a.px.total_cmp(&b.px));
    let mut ends = [f32::NEG_INFINITY; ROWS];
    for placed in &mut found {
        if placed.mark.label.is_empty() || ends.iter().all(|end| *end > placed.px) {
            continue;
        }
        let width = width_of(placed.mark.label);
        let fits = placed.px + width + 4.0 <= view.rect.right();
        let free = ends.iter_mut().enumerate().find(|(_, end)| **end + 4.0 <= placed.px);
        if let (Some((row, end)), true) = (free, fits) {
            *end = placed.px + width + 4.0;
            placed.label = Some((row, width));
        }
    }
    found
}

/// A label in signs that the window's font has: arrows become words where there are none.
pub(super) fn readable<'a>(painter: &Painter, label: &'a str) -> Cow<'a, str> {
    const ARROW: char = '\u{2192}';
    if label.contains(ARROW) && !painter.fonts_mut(|fonts| fonts.has_glyph(&LABEL_FONT, ARROW)) {
        Cow::Owned(label.replace(ARROW, "to"))
    } else {
        Cow::Borrowed(label)
    }
}

/// Shapes of marks.
pub(super) fn mark_shapes(
    marks: &[PlacedMark<'_>],
    view: &View,
    painter: &Painter,
    background: Color32,
) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let mut last: Vec<(MarkStyle, f32)> = Vec::new();
    for placed in marks {
        let style = placed.mark.style;
        let known = last.iter_mut().find(|(known, _)| *known == style);
        if known.as_ref().is_some_and(|(_, px)| placed.px - *px < APART) && placed.label.is_none() {
            continue;
        }
        match known {
            Some(known) => known.1 = placed.px,
            None => last.push((style, placed.px)),
        }
        let ends = [pos2(placed.px, view.rect.top()), pos2(placed.px, view.rect.bottom())];
        let stroke = Stroke::new(1.0, style.colour);
        if style.dashed {
            shapes.extend(Shape::dashed_line(&ends, stroke, 4.0, 3.0));
        } else {
            shapes.push(Shape::line_segment(ends, stroke));
        }
    }
    // Labels over all lines.
    for placed in marks {
        if let Some((row, _)) = placed.label {
            let at = pos2(placed.px + 3.0, view.rect.top() + 2.0 + row as f32 * LABEL_HEIGHT);
            let label = readable(painter, placed.mark.label);
            let text = painter.fonts_mut(|fonts| {
                Shape::text(fonts, at, Align2::LEFT_TOP, label, LABEL_FONT, placed.mark.style.colour)
            });
            let behind = text.visual_bounding_rect().expand2(vec2(2.0, 0.0));
            shapes.push(Shape::rect_filled(behind, 2.0, background.gamma_multiply(0.8)));
            shapes.push(text);
        }
    }
    shapes
}

/// Height of a row of labels.
const LABEL_HEIGHT: f32 = 14.0;

/// Font of labels.
pub(super) const LABEL_FONT: FontId = FontId { size: 11.0, family: eframe::egui::FontFamily::Proportional };

/// Size of a mark of a point without a place.
const SIZE: f32 = 4.0;

/// A mark of a point without a place at `px`.
pub(super) fn odd_shape(odd: Odd, px: f32, rect: Rect, colour: Color32) -> Vec<Shape> {
    let (up, down) = (rect.top() + SIZE + 2.0, rect.bottom() - SIZE - 2.0);
    let triangle = |y: f32, tip: f32| -> Vec<Pos2> {
        vec![pos2(px - SIZE, y - tip / 2.0), pos2(px + SIZE, y - tip / 2.0), pos2(px, y + tip / 2.0)]
    };
    let stroke = Stroke::new(1.6, colour);
    match odd {
        Odd::Nan => vec![
            Shape::line_segment([pos2(px - SIZE, down - SIZE), pos2(px + SIZE, down + SIZE)], stroke),
            Shape::line_segment([pos2(px - SIZE, down + SIZE), pos2(px + SIZE, down - SIZE)], stroke),
        ],
        Odd::Above => vec![Shape::convex_polygon(triangle(up, -1.7 * SIZE), colour, Stroke::NONE)],
        Odd::Below => vec![Shape::convex_polygon(triangle(down, 1.7 * SIZE), colour, Stroke::NONE)],
        Odd::NotPositive => vec![Shape::closed_line(triangle(down, 1.7 * SIZE), Stroke::new(1.2, colour))],
    }
}
