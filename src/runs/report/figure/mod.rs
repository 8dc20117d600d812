//! Charts for papers: SVG with labelled axes, legends and nothing hidden.

mod curve;
mod frame;
mod scale;
mod svg;
mod whisker;

use frame::Frame;
use scale::Extent;
pub use scale::Scale;
use svg::{Canvas, Style, shortened, width};
pub use svg::{dark_rules, escape};
pub use whisker::{Whisker, Whiskers};

use curve::Drawn;

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// Its unit; empty if there is none.
    pub unit: String,
    /// How it is divided.
    pub scale: Scale,
}

impl Axis {
    /// An even axis without a unit.
    #[must_use]
    pub fn new(label: &str) -> Self {
        Self { label: label.to_owned(), ..Self::default() }
    }

    /// The label with the unit: `time (s)`.
    #[must_use]
    pub fn text(&self) -> String {
        if self.unit.is_empty() { self.label.clone() } else { format!("{} ({})", self.label, self.unit) }
    }
}

/// A line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// x and y, ascending in x. Where y is NaN, infinite, or not above zero on a logarithmic axis, the line has a gap, the
    /// edge of the chart a mark, and the legend a count.
    pub points: Vec<[f64; 2]>,
    /// x, low and high of the band around the line.
    pub band: Vec<[f64; 3]>,
    /// Colour and dashes: the same number looks the same in every chart. 0 has the colour of the text.
    pub style: usize,
    /// Thin and without an entry in the legend: one run among those the legend names.
    pub faint: bool,
}

/// A chart of lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Heading.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines, the first drawn first.
    pub series: Vec<Line>,
}

impl Figure {
    /// The chart as a file of its own.
    #[must_use]
    pub fn svg(&self) -> String {
        self.draw(true)
    }

    /// The chart as a part of a page: colours come from the page, which has to hold [`dark_rules`] in its style.
    #[must_use]
    pub fn inline_svg(&self) -> String {
        self.draw(false)
    }

    fn draw(&self, alone: bool) -> String {
        let lines: Vec<Drawn> = self.series.iter().map(|line| Drawn::new(line, self.y.scale)).collect();
        let xs = self.series.iter().flat_map(|line| line.points.iter().map(|point| point[0]));
        let x = Extent::of(xs, self.x.scale);
        let points = self.series.iter().flat_map(|line| line.points.iter().map(|point| point[1]));
        let bands = self.series.iter().flat_map(|line| line.band.iter().flat_map(|b| [b[1], b[2]]));
        let y = Extent::of(points.chain(bands), self.y.scale).map(|extent| extent.padded(0.04));
        let mut canvas = Canvas::default();
        let frame = Frame::new(&self.title, (&self.x, x), (&self.y, y));
        frame.draw(&mut canvas);
        // Many bands over one another must stay transparent.
        let banded = self.series.iter().filter(|line| !line.band.is_empty()).count();
        let opacity = (0.6 / banded.max(1) as f64).clamp(0.08, 0.18);
        for drawn in &lines {
            drawn.band(&frame, opacity, &mut canvas);
        }
        for drawn in &lines {
            drawn.line(&frame, &mut canvas);
        }
        let named: Vec<&Drawn> = lines.iter().filter(|drawn| !drawn.line.faint).collect();
        let height = legend(&named, frame::LEGEND, &mut canvas);
        canvas.finish([frame::WIDTH, height], &self.title, alone)
    }
}

/// Draws names under the chart, as many in a row as fit; returns where they end.
fn legend(lines: &[&Drawn], top: f64, canvas: &mut Canvas) -> f64 {
    const SAMPLE: f64 = 28.0;
    const SIZE: f64 = 11.0;
    let (left, right) = (16.0, frame::WIDTH - 8.0);
    let (mut x, mut y) = (left, top);
    for drawn in lines {
        let text = shortened(&drawn.legend(), SIZE, right - left - SAMPLE - 6.0);
        let needed = SAMPLE + 6.0 + width(&text, SIZE) + 14.0;
        if x > left && x + needed > right + 14.0 {
            (x, y) = (left, y + 17.0);
        }
        let style = Style(drawn.line.style);
        canvas.line([x, y], [x + SAMPLE, y], &format!("{} stroke-width=\"2\"", style.stroke()));
        canvas.text([x + SAMPLE + 6.0, y + 4.0], svg::Anchor::Start, "font-size=\"11\"", &text);
        x += needed;
    }
    if lines.is_empty() { y } else { y + 12.0 }
}
