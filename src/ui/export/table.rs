//! A table, for spreadsheets and scripts (CSV) and for papers (SVG).

use std::fmt::Write;

use super::drawing::{Drawing, LINE, MARGIN, RULE, width};
use super::{Format, not_as};
use crate::ui::action::Content;
use crate::ui::number::reading;
use crate::ui::plot::{csv_number, csv_quoted};

/// Between two columns.
const BETWEEN: f64 = 14.0;
/// Size of the font.
const SIZE: f64 = 11.0;

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// There is no such thing, which is another thing than NaN.
    Nothing,
    /// Words.
    Text(String),
    /// A number.
    Number(f64),
    /// A number of single precision: written with the digits it has.
    Single(f32),
    /// A count, a number of a token, an iteration.
    Whole(usize),
}

impl Cell {
    /// The number, if there is one.
    #[must_use]
    pub fn number(value: Option<f64>) -> Self {
        value.map_or(Self::Nothing, Self::Number)
    }

    /// The number of single precision, if there is one.
    #[must_use]
    pub fn single(value: Option<f32>) -> Self {
        value.map_or(Self::Nothing, Self::Single)
    }

    /// The whole number, if there is one.
    #[must_use]
    pub fn whole(value: Option<usize>) -> Self {
        value.map_or(Self::Nothing, Self::Whole)
    }

    /// 1 for yes, 0 for no.
    #[must_use]
    pub fn truth(value: Option<bool>) -> Self {
        value.map_or(Self::Nothing, |truth| Self::Whole(usize::from(truth)))
    }

    /// Words.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn csv(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) => csv_quoted(text),
            Self::Number(value) => csv_number(*value),
            Self::Single(value) if value.is_finite() => format!("{value:?}"),
            Self::Single(value) => csv_number(f64::from(*value)),
            Self::Whole(value) => value.to_string(),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Nothing => "\u{2013}".to_owned(),
            Self::Text(text) => text.clone(),
            Self::Number(value) => reading(*value),
            Self::Single(value) => reading(f64::from(*value)),
            Self::Whole(value) => value.to_string(),
        }
    }

    const fn is_words(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Heading of the drawing.
    pub title: String,
    /// What is said below the heading.
    pub notes: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, from above, with a cell a column.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(title: impl Into<String>, notes: Vec<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        Self { title: title.into(), notes, columns, rows: Vec::new() }
    }

    /// As a file.
    ///
    /// # Errors
    /// A table is no picture.
    pub fn content(&self, format: Format) -> Result<Content, String> {
        match format {
            Format::Csv => Ok(Content::Csv(self.to_csv())),
            Format::Svg => Ok(Content::Svg(self.to_svg())),
            Format::Png => Err(not_as(format)),
        }
    }

    /// RFC 4180: a line with the names of the columns, then a line a row; every digit; NaN, Infinity and -Infinity in
    /// words; what is not there is an empty field.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = String::new();
        let names: Vec<String> = self.columns.iter().map(|name| csv_quoted(name)).collect();
        // Writing to a text does not fail.
        let _ = write!(text, "{}\r\n", names.join(","));
        for row in &self.rows {
            let fields: Vec<String> = row.iter().map(Cell::csv).collect();
            let _ = write!(text, "{}\r\n", fields.join(","));
        }
        text
    }

    /// The table as a drawing, numbers with four digits.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut drawing = Drawing::default();
        let top = drawing.heading(&self.title, &self.notes);
        self.draw(&mut drawing, top);
        drawing.finish(&self.title)
    }

    fn draw(&self, drawing: &mut Drawing, top: f64) {
        let words: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::words).collect()).collect();
        let mut left = MARGIN;
        let bottom = top + LINE * (self.rows.len() as f64 + 1.0) + 6.0;
        for (place, name) in self.columns.iter().enumerate() {
            let of_column = || words.iter().filter_map(|row| row.get(place));
            let widest = of_column().map(|text| width(text, SIZE)).fold(1.1 * width(name, SIZE), f64::max);
            let to_the_left = self.rows.iter().filter_map(|row| row.get(place)).any(Cell::is_words);
            let (x, anchor) = if to_the_left { (left, "start") } else { (left + widest, "end") };
            let head = "font-size=\"11\" font-weight=\"bold\"";
            drawing.placed([x, top + 11.0], anchor, head, name);
            for (row, text) in of_column().enumerate() {
                let y = top + 17.0 + LINE * (row as f64 + 1.0);
                drawing.placed([x, y - 3.0], anchor, "font-size=\"11\"", text);
            }
            left += widest + BETWEEN;
        }
        let right = left - BETWEEN;
        drawing.line([MARGIN, top + 17.0], [right, top + 17.0], RULE);
        drawing.line([MARGIN, bottom], [right, bottom], RULE);
    }
}
