//! Title, axes and grid of a chart of lines.

use super::scale::{Extent, Tick};
use super::svg::{Anchor, Canvas, shortened, width};
use super::{Axis, Scale};

/// Width of a chart.
pub(super) const WIDTH: f64 = 640.0;

/// Upper and lower edge of the area with the lines.
pub(super) const TOP: f64 = 34.0;
pub(super) const BOTTOM: f64 = 304.0;

/// Where the legend begins.
pub(super) const LEGEND: f64 = BOTTOM + 58.0;

/// Faint lines behind the curves.
pub(super) const GRID: &str = "stroke=\"currentColor\" stroke-opacity=\"0.13\"";

/// The area of a chart.
pub(super) struct Frame<'a> {
    title: &'a str,
    labels: [String; 2],
    extents: Option<(Extent, Extent)>,
    ticks: [Vec<Tick>; 2],
    left: f64,
    right: f64,
}

impl<'a> Frame<'a> {
    pub fn new(title: &'a str, x: (&Axis, Option<Extent>), y: (&Axis, Option<Extent>)) -> Self {
        let extents = x.1.zip(y.1);
        let ticks = extents.map_or_else(Default::default, |(x, y)| [x.ticks(6), y.ticks(5)]);
        let widest = ticks[1].iter().map(|tick| width(&tick.label, 11.0)).fold(0.0, f64::max);
        let mut labels = [x.0.text(), y.0.text()];
        if y.0.scale == Scale::Log {
            labels[1] += ", log scale";
        }
        let overhang = ticks[0].last().map_or(0.0, |tick| width(&tick.label, 11.0) / 2.0);
        Self { title, labels, extents, ticks, left: 34.0 + widest, right: WIDTH - 8.0 - overhang }
    }

    /// Where x and y are drawn; `None` on a chart without a single number. A place off the scale is put at its edge.
    pub fn place(&self, x: f64, y: f64) -> Option<[f64; 2]> {
        let at = self.x(x)?;
        let (_, extent) = self.extents.as_ref()?;
        let share = if y == f64::NEG_INFINITY || (extent.scale == Scale::Log && y <= 0.0) {
            0.0
        } else {
            extent.place(y)
        };
        Some([at, BOTTOM - share.clamp(0.0, 1.0) * (BOTTOM - TOP)])
    }

    /// Where x is drawn.
    pub fn x(&self, x: f64) -> Option<f64> {
        let (extent, _) = self.extents.as_ref()?;
        let share = extent.place(x);
        share.is_finite().then(|| self.left + share.clamp(0.0, 1.0) * (self.right - self.left))
    }

    /// Draws everything but the lines.
    pub fn draw(&self, canvas: &mut Canvas) {
        let middle = f64::midpoint(self.left, self.right);
        let title = shortened(self.title, 14.0, WIDTH - 24.0);
        canvas.text([WIDTH / 2.0, 20.0], Anchor::Middle, "font-size=\"14\" font-weight=\"bold\"", &title);
        if self.extents.is_none() {
            canvas.text(
                [middle, f64::midpoint(TOP, BOTTOM)],
                Anchor::Middle,
                "fill-opacity=\"0.7\"",
                "no finite number was recorded",
            );
        }
        for tick in &self.ticks[0] {
            if let Some(x) = self.x(tick.value) {
                canvas.line([x, TOP], [x, BOTTOM], GRID);
                canvas.line([x, BOTTOM], [x, BOTTOM + 4.0], "stroke=\"currentColor\"");
                canvas.text([x, BOTTOM + 17.0], Anchor::Middle, "font-size=\"11\"", &tick.label);
            }
        }
        for tick in &self.ticks[1] {
            let Some((_, extent)) = &self.extents else { continue };
            let y = BOTTOM - extent.place(tick.value) * (BOTTOM - TOP);
            if tick.label.is_empty() {
                canvas.line([self.left - 2.0, y], [self.left, y], "stroke=\"currentColor\"");
            } else {
                canvas.line([self.left, y], [self.right, y], GRID);
                canvas.line([self.left - 4.0, y], [self.left, y], "stroke=\"currentColor\"");
                canvas.text([self.left - 7.0, y + 4.0], Anchor::End, "font-size=\"11\"", &tick.label);
            }
        }
        canvas.points(
            "polyline",
            &[[self.left, TOP], [self.left, BOTTOM], [self.right, BOTTOM]],
            "fill=\"none\" stroke=\"currentColor\"",
        );
        canvas.text([middle, BOTTOM + 36.0], Anchor::Middle, "", &self.labels[0]);
        let height = f64::midpoint(TOP, BOTTOM);
        let label = shortened(&self.labels[1], 12.0, BOTTOM - 10.0);
        let turned = format!("transform=\"rotate(-90 14 {height})\"");
        canvas.text([14.0, height], Anchor::Middle, &turned, &label);
    }
}
