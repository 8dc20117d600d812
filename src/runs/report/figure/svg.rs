//! SVG, piece by piece.

use std::fmt::Display;
use std::fmt::Write;

/// Characters a pixel at 12 px: an average of common sans-serif fonts, a little wide rather than narrow.
const CHARACTER: f64 = 0.58;

/// Okabe and Ito's palette, which colour-blind people tell apart; the baseline is in the colour of the text, and yellow,
/// which is faint on white, comes last.
const LIGHT: [&str; 8] =
    ["currentColor", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442"];

/// The same hues where they would be too dark on black.
const DARK: [(usize, &str); 3] = [(1, "#3D9BDC"), (2, "#F0762A"), (3, "#1FBF92")];

/// Dashes, so that lines can be told apart in grey.
const DASHES: [&str; 7] = ["", "7 3", "2 2.5", "9 3 2 3", "12 4", "4 2 1 2 1 2", "1 3"];

/// Text as XML has it, without the characters that XML cannot hold.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// About how wide `text` is at `size` px.
pub(super) fn width(text: &str, size: f64) -> f64 {
    // Han, kana and hangul are as wide as high.
    let units = text.chars().map(|c| if c >= '\u{1100}' && c.is_alphabetic() { 1.0 } else { CHARACTER });
    units.sum::<f64>() * size
}

/// `text`, shortened to about `most` px at `size` px.
pub(super) fn shortened(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        if width(&short, size) + 2.0 * size > most {
            break;
        }
        short.push(character);
    }
    short + "\u{2026}"
}

/// How the series of that number looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style(pub usize);

impl Style {
    pub const fn colour(self) -> &'static str {
        LIGHT[self.0 % LIGHT.len()]
    }

    pub const fn dash(self) -> &'static str {
        // Shifted when the colours begin anew, so that 56 lines differ in one or the other.
        DASHES[(self.0 + self.0 / LIGHT.len()) % DASHES.len()]
    }

    /// Attributes of a line; the class is what a dark page changes.
    pub fn stroke(self) -> String {
        let dash = self.dash();
        let dashes = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        format!(
            "class=\"stroke-{}\" fill=\"none\" stroke=\"{}\"{dashes}",
            self.0 % LIGHT.len(),
            self.colour()
        )
    }

    /// Attributes of a mark that is never dashed.
    pub fn outline(self) -> String {
        format!("class=\"stroke-{}\" fill=\"none\" stroke=\"{}\"", self.0 % LIGHT.len(), self.colour())
    }

    /// Attributes of an area.
    pub fn fill(self) -> String {
        format!("class=\"fill-{}\" fill=\"{}\" stroke=\"none\"", self.0 % LIGHT.len(), self.colour())
    }
}

/// Rules for a dark screen; what is printed is light. Attributes alone give the light look, also where no CSS is understood.
#[must_use]
pub fn dark_rules() -> String {
    let rules: Vec<String> = DARK
        .iter()
        .map(|(i, colour)| format!(".stroke-{i}{{stroke:{colour}}} .fill-{i}{{fill:{colour}}}"))
        .collect();
    format!("@media screen and (prefers-color-scheme: dark) {{ {} }}", rules.join(" "))
}

/// Where text stands relative to its place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    const fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A picture being drawn.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    body: String,
}

impl Canvas {
    /// Adds a piece as it is.
    pub fn push(&mut self, piece: impl Display) {
        let _ = writeln!(self.body, "{piece}");
    }

    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], attributes: &str) {
        self.push(format_args!(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {attributes}/>",
            place(from[0]),
            place(from[1]),
            place(to[0]),
            place(to[1])
        ));
    }

    pub fn text(&mut self, at: [f64; 2], anchor: Anchor, attributes: &str, text: &str) {
        self.push(format_args!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" {attributes}>{}</text>",
            place(at[0]),
            place(at[1]),
            anchor.word(),
            escape(text)
        ));
    }

    pub fn circle(&mut self, at: [f64; 2], radius: f64, attributes: &str) {
        self.push(format_args!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {attributes}/>",
            place(at[0]),
            place(at[1]),
            place(radius)
        ));
    }

    /// A line through points, or a closed area.
    pub fn points(&mut self, element: &str, points: &[[f64; 2]], attributes: &str) {
        let list: Vec<String> = points.iter().map(|[x, y]| format!("{},{}", place(*x), place(*y))).collect();
        self.push(format_args!("<{element} points=\"{}\" {attributes}/>", list.join(" ")));
    }

    /// The whole picture. One that stands alone has its own colours, one within a page takes those of the page.
    pub fn finish(self, size: [f64; 2], title: &str, alone: bool) -> String {
        let own = if alone {
            let rules = "@media screen and (prefers-color-scheme: dark) { svg{color:#e6e6e6} }";
            format!("<style>{rules} {}</style>\n", dark_rules())
        } else {
            String::new()
        };
        let colour = if alone { " color=\"#1a1a1a\"" } else { "" };
        let [w, h] = size.map(place);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
             aria-label=\"{}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\" \
             fill=\"currentColor\"{colour}>\n{own}{}</svg>\n",
            escape(title),
            self.body
        )
    }
}

/// A coordinate to a tenth of a pixel, without needless zeros.
pub(super) fn place(value: f64) -> String {
    let text = format!("{value:.1}");
    let short = text.strip_suffix(".0").unwrap_or(&text);
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}
