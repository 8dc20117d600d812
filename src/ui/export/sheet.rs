//! Pictures side by side with what is said of each: a PNG of the pictures alone, an SVG with captions.

use super::drawing::{Drawing, LINE, MARGIN, NOTE, width};
use super::job::Job;
use super::signs::{bars, paint};
use super::tile::Tile;
use super::{Format, not_as};
use crate::ui::action::Content;
use crate::ui::number::reading;
use crate::ui::overlay::{ColourMap, ValueRange};
use crate::world::image::{Rgb8, contact_sheet};

/// White pixels between two pictures.
const GAP: usize = 4;
/// Between two pictures of a drawing.
const BETWEEN: f64 = 12.0;
/// Size of the captions' font.
const SIZE: f64 = 11.0;
/// Width of the colour scale, and the steps it is drawn in.
const STRIP: (f64, u8) = (220.0, 64);

/// What the colours over the pictures mean.
#[derive(Clone, Debug)]
pub struct ScaleStrip {
    /// What the numbers are.
    pub name: String,
    /// The colours.
    pub colours: ColourMap,
    /// The ends.
    pub range: ValueRange,
}

/// Pictures beside one another.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Lines above them in the drawing, the first of them in bold; nothing if there is none.
    pub heading: Vec<String>,
    /// What the colours mean, if it is another thing than in other rows.
    pub scale: Option<ScaleStrip>,
    /// The pictures.
    pub tiles: Vec<Tile>,
}

impl Row {
    /// Rows without headings, with `columns` of the tiles in each.
    #[must_use]
    pub fn of(tiles: Vec<Tile>, columns: usize) -> Vec<Self> {
        let mut rows = Vec::new();
        let mut left = tiles.into_iter().peekable();
        while left.peek().is_some() {
            rows.push(Self { tiles: left.by_ref().take(columns.max(1)).collect(), ..Self::default() });
        }
        rows
    }
}

/// Pictures side by side. Nothing is drawn before it becomes a file.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Heading of the drawing.
    pub title: String,
    /// What is said below the heading.
    pub notes: Vec<String>,
    /// The pictures, row by row. A row may have fewer than another.
    pub rows: Vec<Row>,
    /// Width of a picture in the drawing.
    pub side: f64,
    /// What the colours of all rows mean.
    pub scales: Vec<ScaleStrip>,
}

impl Sheet {
    /// As a file: a picture or a drawing.
    ///
    /// # Errors
    /// If there is no picture, one cannot be read, or the sheet would be too large.
    pub fn content(&self, format: Format) -> Result<Content, String> {
        match format {
            Format::Png => self.to_png().map(Content::Png),
            Format::Svg => self.to_svg().map(Content::Svg),
            Format::Csv => Err(not_as(format)),
        }
    }

    /// To be drawn later.
    pub(super) fn job(self, format: Format) -> Job {
        Job::new(move || self.content(format))
    }

    /// The pictures alone, on white, with their signs.
    ///
    /// # Errors
    /// A sentence if there is no picture, one cannot be read, or the sheet would exceed 64 megapixels.
    pub fn to_png(&self) -> Result<Vec<u8>, String> {
        let columns = self.rows.iter().map(|row| row.tiles.len()).max().unwrap_or(0);
        if columns == 0 {
            return Err("There is no picture to be saved.".to_owned());
        }
        let mut drawn: Vec<Vec<Rgb8>> = Vec::new();
        for row in &self.rows {
            drawn.push(row.tiles.iter().map(signed).collect::<Result<_, String>>()?);
        }
        let sizes = || drawn.iter().flatten().map(|picture| (picture.width, picture.height));
        let widest = sizes().map(|(width, _)| width).max().unwrap_or(0);
        let highest = sizes().map(|(_, height)| height).max().unwrap_or(0);
        let mut pictures = Vec::new();
        for row in drawn {
            let short = columns - row.len();
            pictures.extend(row.into_iter().map(|picture| on_white(picture, widest, highest)));
            pictures.extend(std::iter::repeat_n(Rgb8::filled(widest, highest, [255; 3]), short));
        }
        let sheet = contact_sheet(&pictures, columns, GAP);
        sheet.and_then(|sheet| sheet.to_png()).map_err(|error| error.to_string())
    }

    /// The pictures with their captions.
    ///
    /// # Errors
    /// A sentence if a picture cannot be read or stored.
    pub fn to_svg(&self) -> Result<String, String> {
        let mut drawing = Drawing::default();
        let mut top = drawing.heading(&self.title, &self.notes);
        for scale in &self.scales {
            top = strip(&mut drawing, scale, top);
        }
        let tiles = self.rows.iter().flat_map(|row| &row.tiles);
        let widest = tiles.flat_map(|tile| &tile.captions).map(|text| width(text, SIZE));
        let column = widest.fold(self.side, f64::max) + BETWEEN;
        for row in &self.rows {
            top = heading(&mut drawing, &row.heading, top);
            if let Some(scale) = &row.scale {
                top = strip(&mut drawing, scale, top);
            }
            let mut bottom = top;
            for (place, tile) in row.tiles.iter().enumerate() {
                let at = [MARGIN + column * place as f64, top];
                bottom = f64::max(bottom, self.tile(&mut drawing, tile, at)?);
            }
            top = bottom + BETWEEN;
        }
        Ok(drawing.finish(&self.title))
    }

    /// Gives back where it ends.
    fn tile(&self, drawing: &mut Drawing, tile: &Tile, [x, y]: [f64; 2]) -> Result<f64, String> {
        let picture = tile.pixels.drawn()?;
        let png = picture.to_png().map_err(|error| error.to_string())?;
        let height = self.side * picture.height as f64 / picture.width.max(1) as f64;
        let name = tile.captions.join(", ");
        drawing.picture([x, y], [self.side, height], (&png, &name));
        for mark in &tile.marks {
            drawing.open(&format!("token {}: {}", mark.token, mark.sign));
            for bar in bars(*mark, [self.side, height]) {
                let corner = [x + bar.at[0] - bar.half[0], y + bar.at[1] - bar.half[1]];
                let [r, g, b] = bar.colour;
                let fill = format!("fill=\"#{r:02x}{g:02x}{b:02x}\"");
                drawing.area(corner, bar.half.map(|half| 2.0 * half), &fill);
            }
            drawing.close();
        }
        let mut end = y + height;
        for caption in &tile.captions {
            end += LINE;
            drawing.text([x, end - 3.0], SIZE, "font-size=\"11\"", caption);
        }
        Ok(end)
    }
}

/// The picture of a tile with its signs.
fn signed(tile: &Tile) -> Result<Rgb8, String> {
    let mut picture = tile.pixels.drawn()?.into_owned();
    for mark in &tile.marks {
        paint(&mut picture, *mark);
    }
    Ok(picture)
}

/// What stands above a row; gives back where it ends.
fn heading(drawing: &mut Drawing, lines: &[String], top: f64) -> f64 {
    let mut y = top;
    for (place, line) in lines.iter().enumerate() {
        y += LINE;
        let bold = "font-size=\"12\" font-weight=\"bold\"";
        let (size, look) = if place == 0 { (13.0, bold) } else { (SIZE, NOTE) };
        drawing.text([MARGIN, y - 5.0], size, look, line);
    }
    y
}

/// Gives back where it ends.
fn strip(drawing: &mut Drawing, scale: &ScaleStrip, top: f64) -> f64 {
    let (length, steps) = STRIP;
    let step = length / f64::from(steps);
    for place in 0..steps {
        let [r, g, b, _] = scale.colours.colour32((f32::from(place) + 0.5) / f32::from(steps)).to_array();
        let fill = format!("fill=\"#{r:02x}{g:02x}{b:02x}\"");
        drawing.area([MARGIN + step * f64::from(place), top], [step + 0.2, 12.0], &fill);
    }
    let y = top + 25.0;
    drawing.placed([MARGIN, y], "start", NOTE, &reading(f64::from(scale.range.low)));
    drawing.placed([MARGIN + length, y], "end", NOTE, &reading(f64::from(scale.range.high)));
    drawing.text([MARGIN + length + 10.0, top + 10.0], SIZE, "font-size=\"11\"", &scale.name);
    top + 40.0
}

fn on_white(picture: Rgb8, width: usize, height: usize) -> Rgb8 {
    if (picture.width, picture.height) == (width, height) {
        return picture;
    }
    let mut pixels = vec![255; 3 * width * height];
    let bytes = 3 * picture.width;
    for (row, to) in
        picture.pixels.chunks_exact(bytes.max(1)).zip(pixels.chunks_exact_mut((3 * width).max(1)))
    {
        if let Some(to) = to.get_mut(..row.len()) {
            to.copy_from_slice(row);
        }
    }
    Rgb8 { width, height, pixels }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::export::tile::Pixels;

    fn tile(side: usize, colour: [u8; 3]) -> Tile {
        let pixels = Pixels::Ready(Rgb8::filled(side, side, colour));
        Tile { pixels, captions: vec!["<a>".into()], marks: Vec::new() }
    }

    fn sheet(rows: Vec<Row>) -> Sheet {
        Sheet { title: "t".into(), notes: Vec::new(), rows, side: 100.0, scales: Vec::new() }
    }

    #[test]
    fn pictures_of_two_sizes_share_a_sheet() {
        let tiles = vec![tile(8, [1, 2, 3]), tile(6, [4, 5, 6]), tile(8, [7, 8, 9])];
        let sheet = sheet(Row::of(tiles, 2));
        let png = image::load_from_memory(&sheet.to_png().unwrap()).unwrap().into_rgb8();
        assert_eq!(png.dimensions(), (8 + 4 + 8, 8 + 4 + 8));
        assert_eq!(png.get_pixel(12, 0).0, [4, 5, 6]);
        assert_eq!(png.get_pixel(19, 0).0, [255; 3], "beside the smaller one");
        assert!(sheet.to_svg().unwrap().contains("&lt;a&gt;"));
    }

    #[test]
    fn a_short_row_is_filled_with_white_and_the_next_begins_at_the_left() {
        let row = |tiles| Row { heading: vec!["a & b".into()], tiles, ..Row::default() };
        let sheet = sheet(vec![
            row(vec![tile(4, [1; 3])]),
            row(vec![tile(4, [2; 3]), tile(4, [3; 3])]),
            row(Vec::new()),
        ]);
        let png = image::load_from_memory(&sheet.to_png().unwrap()).unwrap().into_rgb8();
        assert_eq!(png.dimensions(), (4 + 4 + 4, 3 * 4 + 2 * 4));
        let at = |x, y| png.get_pixel(x, y).0;
        assert_eq!(
            [at(0, 0), at(8, 0), at(0, 8), at(8, 8), at(0, 16)],
            [[1; 3], [255; 3], [2; 3], [3; 3], [255; 3]]
        );
        assert_eq!(sheet.to_svg().unwrap().matches(">a &amp; b<").count(), 3);
    }

    #[test]
    fn nothing_is_no_picture() {
        assert!(sheet(Vec::new()).to_png().is_err());
        assert!(sheet(vec![Row::default()]).to_png().is_err());
    }
}
