//! Pictures side by side with what is said of each: a PNG of the pictures alone, an SVG with captions.

use super::drawing::{Drawing, LINE, MARGIN, NOTE, width};
use super::signs::{bars, paint};
use super::{Format, not_as};
use crate::ui::action::Content;
use crate::ui::overlay::{ColourMap, ValueRange};
use crate::ui::plot::reading;
use crate::world::image::{Rgb8, contact_sheet};

/// White pixels between two pictures.
const GAP: usize = 4;
/// Between two pictures of a drawing.
const BETWEEN: f64 = 12.0;
/// Size of the captions' font.
const SIZE: f64 = 11.0;
/// Width of the colour scale, and the steps it is drawn in.
const STRIP: (f64, u8) = (220.0, 64);

/// A sign on a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The token it is on.
    pub token: usize,
    /// Tokens along a side.
    pub side: usize,
    /// `+`, `−` or `•`.
    pub sign: &'static str,
}

/// A picture of a sheet.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The picture, as large as it is to be in pixels.
    pub picture: Rgb8,
    /// Lines below it.
    pub captions: Vec<String>,
    /// Signs on it.
    pub marks: Vec<Mark>,
}

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

/// Pictures side by side.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Heading of the drawing.
    pub title: String,
    /// What is said below the heading.
    pub notes: Vec<String>,
    /// The pictures, row by row. A drawing shows all of them as wide as the first.
    pub tiles: Vec<Tile>,
    /// Pictures in a row.
    pub columns: usize,
    /// Width of a picture in the drawing.
    pub side: f64,
    /// What the colours mean.
    pub scale: Option<ScaleStrip>,
}

/// How many times as large a picture of `side` pixels has to be to have at least `wanted`: a whole number, 64 at most.
#[must_use]
pub const fn magnification(side: usize, wanted: usize) -> usize {
    let times = if side == 0 { 1 } else { wanted.div_ceil(side) };
    if times > 64 {
        64
    } else if times == 0 {
        1
    } else {
        times
    }
}

impl Sheet {
    /// As a file; `table` gives the numbers.
    ///
    /// # Errors
    /// If there is no picture, or the sheet would be too large.
    pub fn content(
        &self,
        format: Format,
        table: impl FnOnce() -> Result<super::Table, String>,
    ) -> Result<Content, String> {
        match format {
            Format::Png => self.to_png().map(Content::Png),
            Format::Svg => self.to_svg().map(Content::Svg),
            Format::Csv => table()?.content(format),
        }
    }

    /// The pictures alone, on white, with their signs.
    ///
    /// # Errors
    /// A sentence if there is no picture, or the sheet would exceed 64 megapixels.
    pub fn to_png(&self) -> Result<Vec<u8>, String> {
        if self.tiles.is_empty() {
            return Err(not_as(Format::Png));
        }
        let widest = self.tiles.iter().map(|tile| tile.picture.width).max().unwrap_or(0);
        let highest = self.tiles.iter().map(|tile| tile.picture.height).max().unwrap_or(0);
        let pictures: Vec<Rgb8> = self
            .tiles
            .iter()
            .map(|tile| {
                let mut picture = tile.picture.clone();
                for mark in &tile.marks {
                    paint(&mut picture, *mark);
                }
                on_white(picture, widest, highest)
            })
            .collect();
        let sheet = contact_sheet(&pictures, self.columns.max(1), GAP);
        sheet.and_then(|sheet| sheet.to_png()).map_err(|error| error.to_string())
    }

    /// The pictures with their captions.
    ///
    /// # Errors
    /// A sentence if a picture cannot be stored.
    pub fn to_svg(&self) -> Result<String, String> {
        let mut drawing = Drawing::default();
        let mut top = drawing.heading(&self.title, &self.notes);
        if let Some(scale) = &self.scale {
            strip(&mut drawing, scale, top);
            top += 40.0;
        }
        let widest = self.tiles.iter().flat_map(|tile| &tile.captions).map(|text| width(text, SIZE));
        let column = widest.fold(self.side, f64::max) + BETWEEN;
        for row in self.tiles.chunks(self.columns.max(1)) {
            let mut bottom = top;
            for (place, tile) in row.iter().enumerate() {
                let at = [MARGIN + column * place as f64, top];
                bottom = f64::max(bottom, self.tile(&mut drawing, tile, at)?);
            }
            top = bottom + BETWEEN;
        }
        Ok(drawing.finish(&self.title))
    }

    /// Gives back where it ends.
    fn tile(&self, drawing: &mut Drawing, tile: &Tile, [x, y]: [f64; 2]) -> Result<f64, String> {
        let png = tile.picture.to_png().map_err(|error| error.to_string())?;
        let height = self.side * tile.picture.height as f64 / tile.picture.width.max(1) as f64;
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

fn strip(drawing: &mut Drawing, scale: &ScaleStrip, top: f64) {
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

    fn tile(side: usize, colour: [u8; 3]) -> Tile {
        Tile { picture: Rgb8::filled(side, side, colour), captions: vec!["<a>".into()], marks: Vec::new() }
    }

    fn sheet(tiles: Vec<Tile>) -> Sheet {
        Sheet { title: "t".into(), notes: Vec::new(), tiles, columns: 2, side: 100.0, scale: None }
    }

    #[test]
    fn pictures_of_two_sizes_share_a_sheet() {
        let sheet = sheet(vec![tile(8, [1, 2, 3]), tile(6, [4, 5, 6]), tile(8, [7, 8, 9])]);
        let png = image::load_from_memory(&sheet.to_png().unwrap()).unwrap().into_rgb8();
        assert_eq!(png.dimensions(), (8 + 4 + 8, 8 + 4 + 8));
        assert_eq!(png.get_pixel(12, 0).0, [4, 5, 6]);
        assert_eq!(png.get_pixel(19, 0).0, [255; 3], "beside the smaller one");
        assert!(sheet.to_svg().unwrap().contains("&lt;a&gt;"));
    }

    #[test]
    fn a_magnification_is_whole_and_bounded() {
        assert_eq!(
            [(32, 256), (30, 256), (512, 256), (0, 9), (1, 999)].map(|(s, w)| magnification(s, w)),
            [8, 9, 1, 1, 64]
        );
    }

    #[test]
    fn nothing_is_no_picture() {
        assert!(sheet(Vec::new()).to_png().is_err());
    }
}
