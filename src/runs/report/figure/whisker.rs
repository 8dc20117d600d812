//! A chart of means with intervals, one a row.

use super::Axis;
use super::frame::{GRID, WIDTH};
use super::scale::Extent;
use super::svg::{Anchor, Canvas, Style, shortened, width};
use crate::runs::report::stats::Interval;

/// Upper edge of the first row, and height of a row.
const TOP: f64 = 36.0;
const ROW: f64 = 30.0;

/// Means with intervals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Whiskers {
    /// Heading.
    pub title: String,
    /// What is measured; the axis runs to the right.
    pub x: Axis,
    /// The rows, from above.
    pub rows: Vec<Whisker>,
    /// A vertical line and its name: the baseline, or zero.
    pub reference: Option<(f64, String)>,
}

/// A row of [`Whiskers`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Whisker {
    /// Its name.
    pub name: String,
    /// The mean, a dot.
    pub mean: Option<f64>,
    /// Its interval, the whiskers.
    pub interval: Option<Interval>,
    /// What the mean is of, small dots. What is not finite is not drawn; say so in `note`.
    pub values: Vec<f64>,
    /// At the right end: `n = 6`.
    pub note: String,
    /// Colour, see [`super::Line::style`].
    pub style: usize,
}

/// Left and right edge, and where the rows end.
struct Area {
    left: f64,
    right: f64,
    bottom: f64,
    extent: Option<Extent>,
}

impl Area {
    fn x(&self, value: f64) -> Option<f64> {
        let extent = self.extent.as_ref().filter(|extent| extent.scale.has(value))?;
        Some(self.left + extent.place(value).clamp(0.0, 1.0) * (self.right - self.left))
    }
}

impl Whiskers {
    /// The chart as a file of its own.
    #[must_use]
    pub fn svg(&self) -> String {
        self.draw(true)
    }

    /// The chart as a part of a page, see [`super::Figure::inline_svg`].
    #[must_use]
    pub fn inline_svg(&self) -> String {
        self.draw(false)
    }

    fn draw(&self, alone: bool) -> String {
        let widest = |texts: &mut dyn Iterator<Item = &String>| {
            texts.map(|text| width(text, 12.0)).fold(0.0, f64::max)
        };
        let left = 20.0 + widest(&mut self.rows.iter().map(|row| &row.name)).min(200.0);
        let notes = widest(&mut self.rows.iter().map(|row| &row.note)).min(150.0);
        let ends = self.rows.iter().flat_map(|row| row.interval.iter().flat_map(|i| [i.low, i.high]));
        let dots = self.rows.iter().flat_map(|row| row.values.iter().copied().chain(row.mean));
        let line = self.reference.iter().map(|(value, _)| *value);
        let extent = Extent::of(ends.chain(dots).chain(line), self.x.scale).map(|e| e.padded(0.05));
        let bottom = TOP + ROW * self.rows.len().max(1) as f64;
        let area = Area { left, right: WIDTH - 18.0 - notes, bottom, extent };
        let mut canvas = Canvas::default();
        self.frame(&area, &mut canvas);
        for (i, row) in self.rows.iter().enumerate() {
            row.draw(&area, TOP + ROW * (i as f64 + 0.5), &mut canvas);
        }
        canvas.finish([WIDTH, bottom + 50.0], &self.title, alone)
    }

    fn frame(&self, area: &Area, canvas: &mut Canvas) {
        let title = shortened(&self.title, 14.0, WIDTH - 24.0);
        canvas.text([WIDTH / 2.0, 20.0], Anchor::Middle, "font-size=\"14\" font-weight=\"bold\"", &title);
        let middle = f64::midpoint(area.left, area.right);
        for tick in area.extent.map_or_else(Vec::new, |extent| extent.ticks(6)) {
            let Some(x) = area.x(tick.value).filter(|_| !tick.label.is_empty()) else { continue };
            canvas.line([x, TOP], [x, area.bottom], GRID);
            canvas.line([x, area.bottom], [x, area.bottom + 4.0], "stroke=\"currentColor\"");
            canvas.text([x, area.bottom + 17.0], Anchor::Middle, "font-size=\"11\"", &tick.label);
        }
        canvas.line([area.left, area.bottom], [area.right, area.bottom], "stroke=\"currentColor\"");
        canvas.text([middle, area.bottom + 37.0], Anchor::Middle, "", &self.axis_text());
        if let Some(x) = self.reference.as_ref().and_then(|(value, _)| area.x(*value)) {
            canvas.line(
                [x, TOP],
                [x, area.bottom],
                "stroke=\"currentColor\" stroke-dasharray=\"4 3\" stroke-opacity=\"0.8\"",
            );
        }
    }

    fn axis_text(&self) -> String {
        match &self.reference {
            Some((_, name)) if !name.is_empty() => format!("{}; dashed: {name}", self.x.text()),
            _ => self.x.text(),
        }
    }
}

impl Whisker {
    fn draw(&self, area: &Area, y: f64, canvas: &mut Canvas) {
        let style = Style(self.style);
        canvas.text([area.left - 10.0, y + 4.0], Anchor::End, "", &shortened(&self.name, 12.0, 200.0));
        canvas.text(
            [area.right + 10.0, y + 4.0],
            Anchor::Start,
            "font-size=\"11\"",
            &shortened(&self.note, 12.0, 150.0),
        );
        for x in self.values.iter().filter_map(|value| area.x(*value)) {
            canvas.circle([x, y + 8.0], 1.8, &format!("{} fill-opacity=\"0.45\"", style.fill()));
        }
        let ends = self.interval.and_then(|i| area.x(i.low).zip(area.x(i.high)));
        let stroke = format!("{} stroke-width=\"1.8\"", style.outline());
        if let Some((low, high)) = ends {
            canvas.line([low, y], [high, y], &stroke);
            for end in [low, high] {
                canvas.line([end, y - 4.0], [end, y + 4.0], &stroke);
            }
        }
        match self.mean.and_then(|mean| area.x(mean)) {
            Some(x) => canvas.circle([x, y], 4.0, &style.fill()),
            None => canvas.text(
                [f64::midpoint(area.left, area.right), y + 4.0],
                Anchor::Middle,
                "font-size=\"11\" fill-opacity=\"0.7\"",
                "no finite number was recorded",
            ),
        }
    }
}
