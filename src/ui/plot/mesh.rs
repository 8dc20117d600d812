//! Triangles of curves, made once a view and drawn in every frame of it.

use eframe::egui::epaint::{Mesh, PathShape, PathStroke, TessellationOptions, Tessellator};
use eframe::egui::{Color32, Pos2, Rect, Shape, Stroke, pos2, vec2};

use super::columns::Column;
use super::scale::Scale;
use super::trace::{paths, stretches};

/// What part of the axes is seen, and where on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct View {
    pub rect: Rect,
    /// Places on the horizontal axis at its left and right edge.
    pub x: [f64; 2],
    /// Coordinates at its lower and upper edge.
    pub y: [f64; 2],
    pub pixels_per_point: f32,
}

impl View {
    pub fn px(&self, x: f64) -> f32 {
        let share = (x - self.x[0]) / (self.x[1] - self.x[0]);
        self.rect.left() + near(share) * self.rect.width()
    }

    pub fn py(&self, coordinate: f64) -> f32 {
        // Halved, so that no span overflows.
        let share = (coordinate / 2.0 - self.y[0] / 2.0) / (self.y[1] / 2.0 - self.y[0] / 2.0);
        self.rect.bottom() - near(share) * self.rect.height()
    }

    /// The place on the horizontal axis at `px`.
    pub fn x_at(&self, px: f32) -> f64 {
        let share = f64::from((px - self.rect.left()) / self.rect.width().max(1.0));
        self.x[0] + share * (self.x[1] - self.x[0])
    }

    /// The coordinate at `py`.
    pub fn y_at(&self, py: f32) -> f64 {
        let share = f64::from((self.rect.bottom() - py) / self.rect.height().max(1.0));
        self.y[0] + share * (self.y[1] - self.y[0])
    }

    fn pos(&self, point: [f64; 2]) -> Pos2 {
        pos2(self.px(point[0]), self.py(point[1]))
    }
}

/// Within a hundred views, where single precision is still fine.
const fn near(share: f64) -> f32 {
    share.clamp(-100.0, 100.0) as f32
}

/// Up to so many points a column a true line is drawn.
const FEW: usize = 4;

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineLook {
    pub colour: Color32,
    pub width: f32,
    pub dashed: bool,
}

/// Points on the screen of a dash, and of it with the gap behind it.
const DASH: (f32, f32) = (6.0, 9.0);

/// The line through `columns`, which are `width` wide on their axis.
pub(super) fn line(columns: &[Column], width: f64, scale: Scale, view: &View, look: LineLook) -> Mesh {
    let mut mesh = Mesh::default();
    let points: usize = columns.iter().map(Column::count).sum();
    if points > FEW * columns.len() + 8 {
        for stretch in stretches(columns, scale) {
            let rungs = rungs(stretch, width, scale, view, look.width);
            ribbon(&mut mesh, &rungs, view, look);
        }
    } else {
        stroke(&mut mesh, columns, scale, view, look);
    }
    mesh
}

/// Few points: a true line with mitred joints, and dots if there is room for them.
fn stroke(mesh: &mut Mesh, columns: &[Column], scale: Scale, view: &View, look: LineLook) {
    let options = TessellationOptions { feathering: true, ..TessellationOptions::default() };
    let mut tessellator = Tessellator::new(view.pixels_per_point, options, [0, 0], Vec::new());
    let roomy = (columns.len() as f32) * 14.0 < view.rect.width();
    for path in paths(columns, scale) {
        let places: Vec<Pos2> = path.iter().map(|point| view.pos(*point)).collect();
        if let [place] = places[..] {
            tessellator.tessellate_shape(Shape::circle_filled(place, look.width + 0.6, look.colour), mesh);
            continue;
        }
        if roomy {
            for place in &places {
                tessellator
                    .tessellate_shape(Shape::circle_filled(*place, look.width + 0.4, look.colour), mesh);
            }
        }
        if look.dashed {
            let stroke = Stroke::new(look.width, look.colour);
            for dash in Shape::dashed_line(&places, stroke, DASH.0, DASH.1 - DASH.0) {
                tessellator.tessellate_shape(dash, mesh);
            }
        } else {
            let line = PathShape::line(places, PathStroke::new(look.width, look.colour));
            tessellator.tessellate_path(&line, mesh);
        }
    }
}

/// A column of a ribbon on the screen.
#[derive(Clone, Copy)]
struct Rung {
    px: f32,
    top: f32,
    bottom: f32,
    /// Left and right edge of the column, if it is drawn as a bar.
    bar: Option<[f32; 2]>,
}

/// Many points in every column: bars from the least to the greatest value, and a ribbon as wide as the line where they are
/// nearly one. A bar is never thinner than a pixel, as the tip of a ribbon would be: no spike falls between two pixels. Bars
/// side by side share an edge, so that faded ones do not cover one another.
fn ribbon(mesh: &mut Mesh, rungs: &[Rung], view: &View, look: LineLook) {
    let soft = 0.5 / view.pixels_per_point;
    let mut joined = false;
    for (index, rung) in rungs.iter().enumerate() {
        if let Some([left, right]) = rung.bar {
            let bar = Rect::from_min_max(pos2(left, rung.top), pos2(right, rung.bottom));
            mesh.add_colored_rect(bar, look.colour);
        }
        let Some(after) = rungs.get(index + 1).filter(|after| rung.bar.is_none() || after.bar.is_none())
        else {
            joined = false;
            continue;
        };
        if !joined || rung.bar.is_some() {
            add_rung(mesh, rung, soft, look.colour);
        }
        add_rung(mesh, after, soft, look.colour);
        let gap = look.dashed && after.px.rem_euclid(DASH.1) > DASH.0;
        if !gap {
            join(mesh);
        }
        joined = after.bar.is_none();
    }
}

/// Columns on the screen.
fn rungs(stretch: &[Column], width: f64, scale: Scale, view: &View, line_width: f32) -> Vec<Rung> {
    let mut rungs = Vec::with_capacity(stretch.len());
    let mut before: Option<f64> = None;
    for column in stretch.iter().filter(|column| column.has_place()) {
        let (mut low, mut high) = (scale.bend(column.low), scale.bend(column.high));
        if let Some(last) = before {
            // Reaches to where the column before it ended: columns hang together.
            (low, high) = (low.min(last), high.max(last));
        }
        let [top, bottom] = [view.py(high) - line_width / 2.0, view.py(low) + line_width / 2.0];
        let bar = bottom - top > 2.5 * line_width || stretch.len() == 1;
        let edges = [column.key as f64 * width, (column.key as f64 + 1.0) * width];
        let bar = bar.then(|| edges.map(|edge| view.px(edge)));
        rungs.push(Rung { px: view.px(column.x), top, bottom, bar });
        before = Some(scale.bend(if scale.has(column.last) { column.last } else { column.high }));
    }
    rungs
}

/// Four vertices above one another, the outer ones transparent.
fn add_rung(mesh: &mut Mesh, rung: &Rung, soft: f32, colour: Color32) {
    let colours = [Color32::TRANSPARENT, colour, colour, Color32::TRANSPARENT];
    let heights = [rung.top - soft, rung.top + soft, rung.bottom - soft, rung.bottom + soft];
    for (py, colour) in heights.into_iter().zip(colours) {
        mesh.colored_vertex(pos2(rung.px, py), colour);
    }
}

/// Triangles between the last two rungs.
fn join(mesh: &mut Mesh) {
    let right = mesh.vertices.len() as u32 - 4;
    let left = right - 4;
    for row in 0..3 {
        mesh.add_triangle(left + row, right + row, left + row + 1);
        mesh.add_triangle(left + row + 1, right + row, right + row + 1);
    }
}

/// An area between two lines.
pub(super) fn area(areas: &[Vec<[f64; 3]>], view: &View, colour: Color32) -> Mesh {
    let mut mesh = Mesh::default();
    for area in areas {
        for (index, &[x, low, high]) in area.iter().enumerate() {
            let px = view.px(x);
            mesh.colored_vertex(pos2(px, view.py(high)), colour);
            mesh.colored_vertex(pos2(px, view.py(low)), colour);
            if index > 0 {
                let at = mesh.vertices.len() as u32 - 4;
                mesh.add_triangle(at, at + 1, at + 2);
                mesh.add_triangle(at + 1, at + 2, at + 3);
            }
        }
        if let [[x, low, high]] = area[..] {
            let size = vec2(1.0, 0.0);
            let bar = Rect::from_two_pos(view.pos([x, high]) - size, view.pos([x, low]) + size);
            mesh.add_colored_rect(bar, colour);
        }
    }
    mesh
}
