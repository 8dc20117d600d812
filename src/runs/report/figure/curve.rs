//! One line of a chart with its band, its gaps and its marks.

use std::fmt::Write;

use super::frame::{BOTTOM, Frame, TOP};
use super::svg::{Canvas, Style, place, shortened};
use super::{Line, Scale};

/// Lines of at most so many points have a dot at each.
const DOTTED: usize = 40;

/// A line and what cannot be drawn of it.
pub(super) struct Drawn<'a> {
    pub line: &'a Line,
    scale: Scale,
    not_finite: usize,
    not_positive: usize,
}

impl<'a> Drawn<'a> {
    pub fn new(line: &'a Line, scale: Scale) -> Self {
        let count = |test: fn(f64) -> bool| line.points.iter().filter(|point| test(point[1])).count();
        let not_finite = count(|y| !y.is_finite());
        let not_positive = if scale == Scale::Log { count(|y| y.is_finite() && y <= 0.0) } else { 0 };
        Self { line, scale, not_finite, not_positive }
    }

    /// The name, with what is missing from the line.
    pub fn legend(&self) -> String {
        // The name gives way, not the counts.
        let mut name = shortened(&self.line.name, 11.0, 430.0);
        if self.not_finite > 0 {
            let _ = write!(name, " ({} not finite)", self.not_finite);
        }
        if self.not_positive > 0 {
            let _ = write!(name, " ({} not above 0)", self.not_positive);
        }
        name
    }

    /// Draws the band.
    pub fn band(&self, frame: &Frame, opacity: f64, canvas: &mut Canvas) {
        let attributes = format!("{} fill-opacity=\"{opacity:.2}\"", Style(self.line.style).fill());
        let sound = |b: &&[f64; 3]| b[1].is_finite() && b[2].is_finite() && self.scale.has(b[2]);
        for run in split(&self.line.band, |b| sound(&b)) {
            let upper = thinned(run.iter().filter_map(|b| frame.place(b[0], b[2])));
            let lower = thinned(run.iter().filter_map(|b| frame.place(b[0], b[1])));
            let outline: Vec<[f64; 2]> = upper.into_iter().chain(lower.into_iter().rev()).collect();
            canvas.points("polygon", &outline, &attributes);
        }
    }

    /// Draws the line, its dots and its marks.
    pub fn line(&self, frame: &Frame, canvas: &mut Canvas) {
        let style = Style(self.line.style);
        let (stroke_width, opacity) = if self.line.faint { ("1", "0.55") } else { ("1.8", "1") };
        let stroke = format!(
            "{} stroke-width=\"{stroke_width}\" stroke-opacity=\"{opacity}\" stroke-linejoin=\"round\"",
            style.stroke()
        );
        let dots = !self.line.faint && self.line.points.len() <= DOTTED;
        for run in split(&self.line.points, |point| self.scale.has(point[1])) {
            let places = thinned(run.iter().filter_map(|point| frame.place(point[0], point[1])));
            if places.len() > 1 {
                canvas.points("polyline", &places, &stroke);
            }
            // A point between two gaps would be no line.
            if dots || places.len() == 1 {
                for at in &places {
                    canvas.circle(*at, 2.4, &style.fill());
                }
            }
        }
        self.marks(frame, canvas);
    }

    /// Marks at the edge where the line has gaps: a cross for NaN, a triangle up for infinity, down for what lies below.
    fn marks(&self, frame: &Frame, canvas: &mut Canvas) {
        // Lines of different styles have theirs at different heights.
        let shift = 6.0 + 8.0 * (self.line.style % 5) as f64;
        let mut last = [f64::NEG_INFINITY; 2];
        for [x, y] in self.line.points.iter().filter(|point| !self.scale.has(point[1])) {
            let Some(at) = frame.x(*x) else { continue };
            let (upper, name) = match *y {
                y if y.is_nan() => (false, "NaN"),
                f64::INFINITY => (true, "infinity"),
                f64::NEG_INFINITY => (false, "-infinity"),
                _ => (false, "not above 0"),
            };
            // One mark a pixel: the legend has the count.
            let last = &mut last[usize::from(upper)];
            if at - *last < 1.0 {
                continue;
            }
            *last = at;
            let height = if upper { TOP + shift } else { BOTTOM - shift };
            let shape = if y.is_nan() {
                "m -3.5 -3.5 l 7 7 m -7 0 l 7 -7"
            } else if upper {
                "m -3.5 3 l 7 0 l -3.5 -6 z"
            } else {
                "m -3.5 -3 l 7 0 l -3.5 6 z"
            };
            canvas.push(format_args!(
                "<path d=\"M {} {} {shape}\" {} stroke-width=\"1.6\"><title>{name} at {x}</title></path>",
                place(at),
                place(height),
                Style(self.line.style).outline()
            ));
        }
    }
}

/// Stretches without gaps.
fn split<T>(items: &[T], sound: impl Fn(&T) -> bool) -> Vec<&[T]> {
    items.split(|item| !sound(item)).filter(|run| !run.is_empty()).collect()
}

/// Of the places in one column of pixels the first, the highest, the lowest and the last: looks the same as all of them,
/// spikes included.
fn thinned(places: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut thin = Vec::new();
    let mut column: Vec<[f64; 2]> = Vec::new();
    for at in places {
        if column.first().is_some_and(|first| first[0].floor() != at[0].floor()) {
            thin.extend(corners(&column));
            column.clear();
        }
        column.push(at);
    }
    thin.extend(corners(&column));
    thin
}

fn corners(column: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if column.len() <= 4 {
        return column.to_vec();
    }
    let by = |a: &usize, b: &usize| column[*a][1].total_cmp(&column[*b][1]);
    let mut kept = vec![0, column.len() - 1];
    kept.extend((0..column.len()).min_by(by));
    kept.extend((0..column.len()).max_by(by));
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|at| column[at]).collect()
}
