//! A panel as a figure for a paper: as drawn, on white, with everything a reader needs.

use std::fmt::Write;

use eframe::egui::{Color32, Rect, pos2};

use super::curve::{Curve, NotFinite};
use super::draw::{BAND, FADED, JOINT};
use super::legend::smoothing;
use super::linked::LinkedX;
use super::marks::placed;
use super::memory::Part;
use super::mesh::View;
use super::palette::series_colour;
use super::panel::{Panel, PanelChoice, PanelState};
use super::scale::Scale;
use super::ticks::ticks;
use super::trace::{Odd, band, paths};
use crate::runs::report::figure::escape;

const WIDTH: f32 = 640.0;
const PLOT: Rect = Rect { min: pos2(70.0, 34.0), max: pos2(626.0, 320.0) };
/// Where the legend begins.
const LEGEND: f32 = 376.0;
const ROW: f32 = 17.0;
const INK: &str = "#1a1a1a";

/// The view that `linked` and `choice` describe, as a file.
#[must_use]
pub fn to_svg(panel: &Panel<'_>, choice: &PanelChoice, linked: &LinkedX) -> String {
    let mut state = PanelState::new(choice.clone());
    let range = linked.range();
    let (mut y, mut unfinished) = ([0.0, 1.0], true);
    while unfinished {
        (y, unfinished) = state.prepare(panel, range, f64::from(PLOT.width()));
    }
    let view = View { rect: PLOT, x: range, y, pixels_per_point: 1.0 };
    let mut figure = Figure::default();
    figure.axes(panel, &view, linked, choice.scale);
    figure.body += "<g clip-path=\"url(#plot-area)\">\n";
    let shown = panel.shown(choice);
    for curve in &shown {
        figure.joint(curve, &state, &view);
        figure.band(curve, &state, &view);
    }
    for part in [Part::Raw, Part::Smooth] {
        for curve in &shown {
            figure.line((curve, part), panel, &state, &view);
        }
    }
    figure.body += "</g>\n";
    figure.marks(panel, &shown, &view);
    for curve in &shown {
        figure.odd(curve, &state, &view);
    }
    let height = figure.legend(panel, &shown, &state);
    figure.finish(panel, height)
}

#[derive(Default)]
struct Figure {
    body: String,
}

impl Figure {
    fn push(&mut self, piece: std::fmt::Arguments<'_>) {
        // Writing to a text does not fail.
        let _ = writeln!(self.body, "{piece}");
    }

    fn text(&mut self, x: f32, y: f32, attributes: &str, text: &str) {
        let text = escape(text);
        self.push(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{text}</text>"));
    }

    fn segment(&mut self, from: [f32; 2], to: [f32; 2], attributes: &str) {
        let ([x1, y1], [x2, y2]) = (from, to);
        self.push(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {attributes}/>"
        ));
    }

    fn axes(&mut self, panel: &Panel<'_>, view: &View, linked: &LinkedX, scale: Scale) {
        let (x, y) = (view.x, view.y);
        for tick in linked.axis().ticks(x[0], x[1], 9) {
            let px = view.px(tick.at);
            self.segment([px, PLOT.top()], [px, PLOT.bottom()], GRID);
            self.segment([px, PLOT.bottom()], [px, PLOT.bottom() + 4.0], AXIS);
            self.text(px, PLOT.bottom() + 18.0, "text-anchor=\"middle\"", &tick.label);
        }
        for tick in ticks(scale, y[0], y[1], 9) {
            let py = view.py(tick.at);
            let labelled = !tick.label.is_empty();
            self.segment([PLOT.left(), py], [PLOT.right(), py], if labelled { GRID } else { FAINT });
            if labelled {
                self.segment([PLOT.left() - 4.0, py], [PLOT.left(), py], AXIS);
                self.text(PLOT.left() - 8.0, py + 4.0, "text-anchor=\"end\"", &tick.label);
            }
        }
        let (left, top, width, height) = (PLOT.left(), PLOT.top(), PLOT.width(), PLOT.height());
        self.push(format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" {AXIS}/>"
        ));
        self.text(
            WIDTH / 2.0,
            20.0,
            "text-anchor=\"middle\" font-size=\"14\" font-weight=\"bold\"",
            panel.title,
        );
        let middle = PLOT.center();
        self.text(middle.x, PLOT.bottom() + 38.0, "text-anchor=\"middle\"", &linked.axis().label(x[0], x[1]));
        let label = match scale {
            Scale::Linear => panel.heading(),
            Scale::Log | Scale::Symlog { .. } => format!("{}, {} axis", panel.heading(), scale.word()),
        };
        let turned = format!("text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1})\"", middle.y);
        self.text(18.0, middle.y, &turned, &label);
    }

    fn joint(&mut self, curve: &Curve<'_>, state: &PanelState, view: &View) {
        let Some(ends) = curve.joint(state.choice.scale) else { return };
        let [from, to] = ends.map(|[x, y]| [view.px(x), view.py(y)]);
        let colour = hex(curve);
        let look = format!("stroke=\"{colour}\" stroke-opacity=\"{JOINT}\" stroke-dasharray=\"2 2.5\"");
        self.segment(from, to, &look);
    }

    fn band(&mut self, curve: &Curve<'_>, state: &PanelState, view: &View) {
        let columns = |part| state.memory.columns(curve.id, part);
        for area in band(columns(Part::Low), columns(Part::High), state.choice.scale) {
            let upper = area.iter().map(|[x, _, high]| [view.px(*x), view.py(*high)]);
            let lower = area.iter().rev().map(|[x, low, _]| [view.px(*x), view.py(*low)]);
            let points = list(upper.chain(lower));
            let colour = hex(curve);
            self.push(format_args!(
                "<polygon points=\"{points}\" fill=\"{colour}\" fill-opacity=\"{BAND}\" stroke=\"none\"/>"
            ));
        }
    }

    fn line(&mut self, line: (&Curve<'_>, Part), panel: &Panel<'_>, state: &PanelState, view: &View) {
        let (curve, part) = line;
        let smoothed = curve.is_smoothed(panel.smoothing);
        if part == Part::Smooth && !smoothed {
            return;
        }
        let faded = part == Part::Raw && smoothed;
        let colour = hex(curve);
        let look = if faded {
            format!("stroke=\"{colour}\" stroke-opacity=\"{FADED}\" stroke-width=\"1.2\"")
        } else {
            format!("stroke=\"{colour}\" stroke-width=\"{}\"{}", curve.width(), dashes(curve))
        };
        for path in paths(state.memory.columns(curve.id, part), state.choice.scale) {
            if let [[x, y]] = path[..] {
                let (px, py) = (view.px(x), view.py(y));
                let opacity = if faded { FADED } else { 1.0 };
                self.push(format_args!(
                    "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"2\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>"
                ));
            } else {
                let points = list(path.iter().map(|[x, y]| [view.px(*x), view.py(*y)]));
                self.push(format_args!(
                    "<polyline points=\"{points}\" fill=\"none\" stroke-linejoin=\"round\" {look}/>"
                ));
            }
        }
    }

    fn marks(&mut self, panel: &Panel<'_>, shown: &[&Curve<'_>], view: &View) {
        for mark in placed(panel.marks, shown, view, |text| text.chars().count() as f32 * 5.6) {
            let colour = darker(mark.mark.style.colour);
            let dashes = if mark.mark.style.dashed { " stroke-dasharray=\"4 3\"" } else { "" };
            let look = format!("stroke=\"{colour}\"{dashes}");
            self.segment([mark.px, PLOT.top()], [mark.px, PLOT.bottom()], &look);
            if let Some((row, _)) = mark.label {
                let y = PLOT.top() + 11.0 + row as f32 * 13.0;
                // A white rim keeps it readable over curves.
                let look = format!(
                    "font-size=\"10\" fill=\"{colour}\" stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\""
                );
                self.text(mark.px + 3.0, y, &look, mark.mark.label);
            }
        }
    }

    fn odd(&mut self, curve: &Curve<'_>, state: &PanelState, view: &View) {
        let apart = (view.x[1] - view.x[0]) / f64::from(PLOT.width()) * 7.0;
        let colour = hex(curve);
        for (x, odd) in super::trace::odd_marks(state.memory.columns(curve.id, Part::Raw), apart) {
            if !(view.x[0]..=view.x[1]).contains(&x) {
                continue;
            }
            let (px, up, down) = (view.px(x), PLOT.top() + 6.0, PLOT.bottom() - 6.0);
            let (path, fill) = match odd {
                Odd::Nan => (format!("M{:.1} {:.1}l7 7m-7 0l7 -7", px - 3.5, down - 3.5), false),
                Odd::Above => (format!("M{:.1} {:.1}h8l-4 -7z", px - 4.0, up + 3.5), true),
                Odd::Below => (format!("M{:.1} {:.1}h8l-4 7z", px - 4.0, down - 3.5), true),
                Odd::NotPositive => (format!("M{:.1} {:.1}h8l-4 7z", px - 4.0, down - 3.5), false),
            };
            let fill = if fill { colour.as_str() } else { "none" };
            self.push(format_args!(
                "<path d=\"{path}\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.4\"/>"
            ));
        }
    }

    /// Names under the plot, as many in a row as fit, then what has to be known to read it; returns where it ends.
    fn legend(&mut self, panel: &Panel<'_>, shown: &[&Curve<'_>], state: &PanelState) -> f32 {
        let (mut x, mut y) = (16.0_f32, LEGEND);
        for curve in shown {
            let odd = NotFinite::of(curve.series).words();
            let name = if odd.is_empty() { curve.name.to_owned() } else { format!("{} ({odd})", curve.name) };
            let needed = 34.0 + name.chars().count() as f32 * 6.4 + 14.0;
            if x > 16.0 && x + needed > WIDTH {
                (x, y) = (16.0, y + ROW);
            }
            let colour = hex(curve);
            let look = format!("stroke=\"{colour}\" stroke-width=\"2\"{}", dashes(curve));
            self.segment([x, y - 4.0], [x + 26.0, y - 4.0], &look);
            self.text(x + 32.0, y, "font-size=\"11\"", &name);
            x += needed;
        }
        for note in notes(panel, state) {
            y += ROW;
            self.text(16.0, y, "font-size=\"10\" fill=\"#555555\"", &note);
        }
        y + 10.0
    }

    fn finish(self, panel: &Panel<'_>, height: f32) -> String {
        let title = escape(panel.title);
        let (left, top, width, tall) = (PLOT.left(), PLOT.top(), PLOT.width(), PLOT.height());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{title}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', \
             sans-serif\" font-size=\"12\" fill=\"{INK}\">\n<defs><clipPath id=\"plot-area\"><rect x=\"{left}\" \
             y=\"{top}\" width=\"{width}\" height=\"{tall}\"/></clipPath></defs>\n<rect width=\"100%\" height=\"100%\" \
             fill=\"white\"/>\n{}</svg>\n",
            self.body
        )
    }
}

const GRID: &str = "stroke=\"#000000\" stroke-opacity=\"0.12\" stroke-width=\"0.8\"";
const FAINT: &str = "stroke=\"#000000\" stroke-opacity=\"0.05\" stroke-width=\"0.8\"";
const AXIS: &str = "stroke=\"#1a1a1a\" stroke-width=\"1\"";

/// What a figure must not keep to itself.
fn notes(panel: &Panel<'_>, state: &PanelState) -> Vec<String> {
    let mut notes: Vec<String> = smoothing(panel).into_iter().collect();
    if let Some(note) = notes.first_mut() {
        note.push_str(", raw line behind");
    }
    if state.outside() > 0 {
        notes.push(format!("{} outside the vertical range", super::header::points(state.outside())));
    }
    if state.not_positive() > 0 {
        notes.push(format!("{} not above 0, at the lower edge", super::header::points(state.not_positive())));
    }
    notes
}

fn hex(curve: &Curve<'_>) -> String {
    let [r, g, b, _] = series_colour(curve.colour, false).to_array();
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A colour of the screen that may be too light for paper.
fn darker(colour: Color32) -> String {
    let [r, g, b, _] = colour.to_opaque().to_array();
    let brightness = (2 * u32::from(r) + 5 * u32::from(g) + u32::from(b)) / 8;
    let scaled = |v: u8| if brightness > 140 { (u32::from(v) * 140 / brightness) as u8 } else { v };
    format!("#{:02x}{:02x}{:02x}", scaled(r), scaled(g), scaled(b))
}

const fn dashes(curve: &Curve<'_>) -> &'static str {
    if curve.dashed { " stroke-dasharray=\"6 3\"" } else { "" }
}

fn list(points: impl Iterator<Item = [f32; 2]>) -> String {
    let mut text = String::new();
    for [x, y] in points {
        let _ = write!(text, "{x:.1},{y:.1} ");
    }
    text.truncate(text.trim_end().len());
    text
}
