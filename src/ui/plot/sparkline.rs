//! A curve as small as a word, for tables.

use eframe::egui::{Response, Role, Sense, Ui, Vec2, WidgetInfo};

use super::axis::XMap;
use super::cells::{column_width, grid};
use super::columns::{Columns, Source};
use super::curve::NotFinite;
use super::marks::odd_shape;
use super::mesh::{LineLook, View, line};
use super::palette::PlotColours;
use super::scale::Scale;
use super::trace::odd_marks;
use crate::runs::series::Series;
use crate::ui::number::reading;

/// What a small curve is drawn over, where several are to be compared; without it, its own steps and values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SparkRange {
    /// Steps.
    pub x: Option<[f64; 2]>,
    /// Values.
    pub y: Option<[f64; 2]>,
}

/// Draws all of `series` in the colour of that place in the palette; spikes and what is not finite are seen here too.
pub fn sparkline_ui(
    ui: &mut Ui,
    name: &str,
    series: &Series,
    (colour, range): (usize, SparkRange),
    size: Vec2,
) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let colours = PlotColours::of(ui.visuals());
    let last = series.last().map_or_else(|| "no points".to_owned(), |point| reading(point.value));
    let odd = NotFinite::of(series).words();
    let text = if odd.is_empty() { format!("{name}: {last}") } else { format!("{name}: {last}, {odd}") };
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &text));
    if let (true, Some((first, last))) = (ui.is_rect_visible(rect), series.get(0).zip(series.last())) {
        let x = range.x.unwrap_or([first.step as f64, last.step as f64]);
        let x = [x[0], x[1].max(x[0] + 1.0)];
        let pixels = f64::from(rect.width() * ui.pixels_per_point());
        let width = column_width((x[1] - x[0]) / pixels.max(1.0), &XMap::Step);
        let seconds = series.columns().1;
        let source = Source { series, seconds, map: XMap::Step, scale: Scale::Linear, variant: 0 };
        let (wanted, mut columns) = (grid(x, width), Columns::default());
        columns.cover(&source, width, wanted.clone());
        let columns = columns.within(&wanted);
        let all = series.summary();
        let own = all.and_then(|all| Some([all.min?, all.max?]));
        let ends = range.y.or(own).unwrap_or([0.0, 1.0]);
        let room = ((ends[1] - ends[0]) * 0.1).max(ends[1].abs() * 1e-6).max(1e-12);
        let y = [ends[0] - room, ends[1] + room];
        let view = View { rect, x, y, pixels_per_point: ui.pixels_per_point() };
        let look = LineLook { colour: colours.series(colour), width: 1.2, dashed: false };
        let painter = ui.painter().with_clip_rect(rect.expand(1.0));
        painter.add(line(columns, width, Scale::Linear, &view, look));
        let apart = (x[1] - x[0]) / pixels.max(1.0) * 8.0;
        for (x, odd) in odd_marks(columns, apart) {
            painter.extend(odd_shape(odd, view.px(x), rect, colours.warning));
        }
    }
    response.on_hover_text(text)
}
