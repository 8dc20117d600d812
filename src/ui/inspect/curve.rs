//! Small plots with axis labels, in which numbers that are not finite are gaps, and are counted.

use eframe::egui::{self, Color32, Rangef, Ui};
use egui_plot::{AxisHints, Line, LineStyle, MarkerShape, Plot, PlotResponse, PlotUi, Points};

use crate::ui::number::counted;

/// Runs of points that are finite, and how many are not.
#[must_use]
pub fn pieces(points: &[[f64; 2]]) -> (Vec<Vec<[f64; 2]>>, usize) {
    let finite = |point: &[f64; 2]| point.iter().all(|v| v.is_finite());
    let missing = points.iter().filter(|point| !finite(point)).count();
    let pieces = points.split(|point| !finite(point)).filter(|piece| !piece.is_empty()).map(<[_]>::to_vec);
    (pieces.collect(), missing)
}

/// A curve.
pub struct Curve<'a> {
    /// Its name, shown at the pointer.
    pub name: &'a str,
    /// Its points in order.
    pub points: &'a [[f64; 2]],
    /// Its colour.
    pub colour: Color32,
    /// Width of its line, points.
    pub width: f32,
    /// How its line is drawn.
    pub style: LineStyle,
}

/// Draws a curve; `number` tells curves of one name apart. A point alone between two gaps is seen as a dot. Gives back how
/// many points are not finite.
pub fn add(plot: &mut PlotUi<'_>, number: usize, curve: &Curve<'_>) -> usize {
    let (pieces, missing) = pieces(curve.points);
    for (piece, points) in pieces.into_iter().enumerate() {
        let id = (curve.name, number, piece);
        if points.len() == 1 {
            plot.points(Points::new(curve.name, points).radius(curve.width + 1.0).color(curve.colour).id(id));
        } else {
            let line = Line::new(curve.name, points).width(curve.width).color(curve.colour);
            plot.line(line.style(curve.style).id(id));
        }
    }
    missing
}

/// Draws marks at `points`; those that are not finite are passed over.
pub fn marks(plot: &mut PlotUi<'_>, name: &str, points: Vec<[f64; 2]>, shape: MarkerShape, colour: Color32) {
    let finite: Vec<[f64; 2]> = points.into_iter().filter(|p| p.iter().all(|v| v.is_finite())).collect();
    if !finite.is_empty() {
        let marks = Points::new(name, finite).shape(shape).radius(4.5).color(colour).filled(true);
        plot.points(marks.id((name, "marks")));
    }
}

/// An axis with a label and ticks no wider apart than they must be.
#[must_use]
pub fn axes(x: &str, y: &str) -> (Vec<AxisHints<'static>>, Vec<AxisHints<'static>>) {
    let x = AxisHints::new_x().label(x.to_owned()).label_spacing(Rangef::new(24.0, 48.0));
    let y = AxisHints::new_y().label(y.to_owned()).label_spacing(Rangef::new(14.0, 18.0));
    (vec![x], vec![y])
}

/// A row that says which colour is what, above a plot and not over its curves.
pub fn legend_ui(ui: &mut Ui, entries: &[(&str, Color32)]) {
    ui.horizontal_wrapped(|ui| {
        for (name, colour) in entries {
            ui.spacing_mut().item_spacing.x = 4.0;
            let (rect, _) = ui.allocate_exact_size(egui::vec2(12.0, 12.0), egui::Sense::hover());
            ui.painter().rect_filled(rect.shrink2(egui::vec2(0.0, 3.5)), 1.0, *colour);
            ui.label(*name);
            ui.add_space(6.0);
        }
    });
}

/// A plot of height `height` with axis labels; `title` names it for screen readers. Double click fits.
pub fn plot_ui<R>(
    ui: &mut Ui,
    title: &str,
    (x, y): (&str, &str),
    height: f32,
    draw: impl FnOnce(&mut PlotUi<'_>) -> R,
) -> R {
    let (x, y) = axes(x, y);
    let plot = Plot::new(title)
        .height(height)
        .custom_x_axes(x)
        .custom_y_axes(y)
        .grid_color(ui.visuals().widgets.noninteractive.bg_stroke.color)
        .allow_scroll(false)
        .set_margin_fraction(egui::vec2(0.05, 0.1));
    let PlotResponse { inner, response, .. } = plot.show(ui, draw);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, title));
    inner
}

/// Says how many numbers a plot lacks, if any.
pub fn missing_ui(ui: &mut Ui, missing: usize, of: &str, why: &str) {
    if missing > 0 {
        let are = if missing == 1 { "is" } else { "are" };
        ui.colored_label(
            ui.visuals().warn_fg_color,
            format!("{} {are} not finite and left out{why}.", counted(missing, of)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_a_gap_and_counted() {
        let nan = f64::NAN;
        let points = [[0.0, nan], [1.0, 1.0], [2.0, f64::INFINITY], [3.0, nan], [4.0, 2.0], [5.0, 3.0]];
        assert_eq!(pieces(&points), (vec![vec![[1.0, 1.0]], vec![[4.0, 2.0], [5.0, 3.0]]], 3));
        assert_eq!(pieces(&[]), (Vec::new(), 0));
    }
}
