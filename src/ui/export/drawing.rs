//! SVG, piece by piece, on white.

use std::fmt::Write;

use crate::runs::report::base64;
use crate::runs::report::figure::escape;

/// Around everything.
pub(super) const MARGIN: f64 = 14.0;
/// Height of a line of text.
pub(super) const LINE: f64 = 17.0;
/// A heading.
pub(super) const TITLE: &str = "font-size=\"14\" font-weight=\"bold\"";
/// What is said below it.
pub(super) const NOTE: &str = "font-size=\"11\" fill=\"#555555\"";
/// A line between parts.
pub(super) const RULE: &str = "stroke=\"#1a1a1a\" stroke-opacity=\"0.25\" stroke-width=\"0.8\"";

/// About how wide `text` is at `size` px: an average of common sans-serif fonts, a little wide rather than narrow.
pub(super) fn width(text: &str, size: f64) -> f64 {
    // Han, kana and hangul are as wide as high.
    let units = text.chars().map(|c| if c >= '\u{1100}' && c.is_alphabetic() { 1.0 } else { 0.58 });
    units.sum::<f64>() * size
}

/// A drawing that is as large as what was put into it.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    body: String,
    /// Right and lower edge of what is in it.
    pub size: [f64; 2],
}

impl Drawing {
    fn push(&mut self, piece: std::fmt::Arguments<'_>) {
        // Writing to a text does not fail.
        let _ = writeln!(self.body, "{piece}");
    }

    fn reach(&mut self, right: f64, bottom: f64) {
        self.size = [self.size[0].max(right), self.size[1].max(bottom)];
    }

    /// Text that begins at `at`; `size` is that of its font, for the room it takes.
    pub fn text(&mut self, at: [f64; 2], size: f64, attributes: &str, text: &str) {
        self.reach(at[0] + width(text, size), at[1] + 0.3 * size);
        let (x, y) = (at[0], at[1]);
        self.push(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{}</text>", escape(text)));
    }

    /// Text that ends at, or is centred on, a place that is within the drawing for another reason.
    pub fn placed(&mut self, [x, y]: [f64; 2], anchor: &str, attributes: &str, text: &str) {
        let text = escape(text);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {attributes}>{text}</text>"
        ));
    }

    /// A heading with notes below; gives back where they end.
    pub fn heading(&mut self, title: &str, notes: &[String]) -> f64 {
        let mut y = MARGIN + 12.0;
        self.text([MARGIN, y], 14.5, TITLE, title);
        for note in notes {
            y += LINE;
            self.text([MARGIN, y], 11.0, NOTE, note);
        }
        y + 12.0
    }

    /// A filled area.
    pub fn area(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], attributes: &str) {
        self.reach(x + width, y + height);
        self.push(format_args!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" {attributes}/>"
        ));
    }

    /// A line.
    pub fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], attributes: &str) {
        self.reach(x1.max(x2), y1.max(y2));
        self.push(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {attributes}/>"
        ));
    }

    /// Begins a group of areas; `name` is what a screen reader says of it.
    pub fn open(&mut self, name: &str) {
        let name = escape(name);
        self.push(format_args!("<g role=\"img\" aria-label=\"{name}\">"));
    }

    /// Ends the group.
    pub fn close(&mut self) {
        self.push(format_args!("</g>"));
    }

    /// A picture, whose pixels stay squares; `name` is what a screen reader says.
    pub fn picture(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], (png, name): (&[u8], &str)) {
        self.reach(x + width, y + height);
        let (data, name) = (base64(png), escape(name));
        self.push(format_args!(
            "<image x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
             href=\"data:image/png;base64,{data}\"><title>{name}</title></image>"
        ));
    }

    /// Another drawing as a part of this one.
    pub fn part(&mut self, [x, y]: [f64; 2], size: [f64; 2], svg: &str) {
        self.reach(x + size[0], y + size[1]);
        let placed = svg.replacen("<svg ", &format!("<svg x=\"{x:.1}\" y=\"{y:.1}\" "), 1);
        self.push(format_args!("{placed}"));
    }

    /// The file.
    pub fn finish(self, title: &str) -> String {
        let [w, h] = self.size.map(|end| (end + MARGIN).ceil());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
             aria-label=\"{}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\" \
             color=\"#1a1a1a\" fill=\"#1a1a1a\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            escape(title),
            self.body
        )
    }
}
