//! An 8-bit RGB picture: PNG in and out, JPEG size, enlarging, contact sheets.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageFormat, ImageReader};

use crate::error::{Error, Result};

/// Largest picture that is read or assembled, in pixels: 64 megapixels are 192 MiB of RGB.
pub const MAX_PIXELS: u64 = 64 * 1024 * 1024;

/// A picture of `width` x `height` pixels, row by row from the top, three bytes (sRGB red, green, blue) a
/// pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rgb8 {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `3 * width * height` bytes.
    pub pixels: Vec<u8>,
}

impl Rgb8 {
    /// A picture from its bytes.
    ///
    /// # Errors
    /// Unless there are exactly `3 * width * height` of them.
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Result<Self> {
        let expected = width.checked_mul(height).and_then(|n| n.checked_mul(3));
        if expected == Some(pixels.len()) {
            return Ok(Self { width, height, pixels });
        }
        Err(Error::Config(format!(
            "a picture of {width} x {height} pixels cannot be made from {} bytes: it takes three a pixel",
            pixels.len()
        )))
    }

    /// A picture of one colour.
    #[must_use]
    pub fn filled(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, pixels: colour.repeat(width * height) }
    }

    /// The pixel in column `x` of row `y`.
    ///
    /// # Panics
    /// Outside the picture, like indexing a slice.
    #[must_use]
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let i = self.offset(x, y);
        [self.pixels[i], self.pixels[i + 1], self.pixels[i + 2]]
    }

    /// Paints the pixel in column `x` of row `y`.
    ///
    /// # Panics
    /// Outside the picture, like indexing a slice.
    pub fn set_pixel(&mut self, x: usize, y: usize, colour: [u8; 3]) {
        let i = self.offset(x, y);
        self.pixels[i..i + 3].copy_from_slice(&colour);
    }

    fn offset(&self, x: usize, y: usize) -> usize {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y}) of {} x {}", self.width, self.height);
        3 * (y * self.width + x)
    }

    /// Reads a PNG or JPEG file; transparency is dropped, 16-bit and grey pictures become 8-bit RGB.
    ///
    /// # Errors
    /// If the file cannot be read or holds no such picture; one over [`MAX_PIXELS`] is refused before it is
    /// decoded.
    pub fn read_png(path: &Path) -> Result<Self> {
        let reader = ImageReader::open(path)
            .and_then(ImageReader::with_guessed_format)
            .map_err(Error::io("read", path))?;
        let unreadable =
            |source| Error::format(path, format!("this is not a readable PNG or JPEG picture: {source}"));
        let decoder = reader.into_decoder().map_err(unreadable)?;
        let (width, height) = decoder.dimensions();
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(Error::format(
                path,
                format!("the picture has {width} x {height} pixels; at most 64 megapixels are read"),
            ));
        }
        let picture = DynamicImage::from_decoder(decoder).map_err(unreadable)?.into_rgb8();
        Ok(Self { width: width as usize, height: height as usize, pixels: picture.into_raw() })
    }

    /// Writes a PNG file, whole or not at all: the bytes go to a temporary name beside `path`, which is then
    /// renamed.
    ///
    /// # Errors
    /// If the folder cannot be written to, or the picture has no pixels.
    pub fn write_png(&self, path: &Path) -> Result<()> {
        let bytes = self.to_png()?;
        let aside = temporary_name(path);
        let written = fs::write(&aside, bytes).and_then(|()| fs::rename(&aside, path));
        if written.is_err() {
            // What is left of a failed write is only rubbish; the first error is the one to report.
            let _ = fs::remove_file(&aside);
        }
        written.map_err(Error::io("write", path))
    }

    /// The picture as the bytes of a PNG file.
    ///
    /// # Errors
    /// For a picture without pixels, which PNG cannot hold.
    pub fn to_png(&self) -> Result<Vec<u8>> {
        let mut bytes = Cursor::new(Vec::new());
        image::write_buffer_with_format(
            &mut bytes,
            &self.pixels,
            self.width as u32,
            self.height as u32,
            ExtendedColorType::Rgb8,
            ImageFormat::Png,
        )
        .map_err(|source| {
            let (width, height) = (self.width, self.height);
            Error::Config(format!("a picture of {width} x {height} pixels cannot be stored as PNG: {source}"))
        })?;
        Ok(bytes.into_inner())
    }

    /// Size in bytes of the picture as a baseline JPEG of `quality` 1 (worst) to 100. A picture that JPEG
    /// cannot hold (no pixels, or a side over 65,535) counts its raw bytes.
    #[must_use]
    pub fn jpeg_bytes(&self, quality: u8) -> usize {
        let mut bytes = Vec::new();
        let fits = u16::try_from(self.width).is_ok() && u16::try_from(self.height).is_ok();
        let encoded = fits
            && JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100))
                .encode(&self.pixels, self.width as u32, self.height as u32, ExtendedColorType::Rgb8)
                .is_ok();
        if encoded { bytes.len() } else { self.pixels.len() }
    }

    /// The picture enlarged by a whole factor, each pixel repeated. A factor of 0 counts as 1.
    #[must_use]
    pub fn upscaled(&self, factor: usize) -> Self {
        let factor = factor.max(1);
        let mut pixels = Vec::with_capacity(self.pixels.len() * factor * factor);
        for row in self.pixels.chunks_exact((3 * self.width).max(1)) {
            let wide: Vec<u8> = row.chunks_exact(3).flat_map(|pixel| pixel.repeat(factor)).collect();
            for _ in 0..factor {
                pixels.extend_from_slice(&wide);
            }
        }
        Self { width: self.width * factor, height: self.height * factor, pixels }
    }

    /// Copies `picture` into this one with its upper left corner at (`left`, `top`), row by row.
    fn paste(&mut self, picture: &Self, left: usize, top: usize) {
        let bytes = 3 * picture.width;
        for y in 0..picture.height {
            let to = 3 * ((top + y) * self.width + left);
            self.pixels[to..to + bytes].copy_from_slice(&picture.pixels[y * bytes..(y + 1) * bytes]);
        }
    }
}

/// Pictures of one size side by side, row by row, `columns` in a row, with white gaps of `gap` pixels between
/// them.
///
/// # Errors
/// For an empty list, pictures of different sizes, and a sheet over [`MAX_PIXELS`].
pub fn contact_sheet(images: &[Rgb8], columns: usize, gap: usize) -> Result<Rgb8> {
    let Some(first) = images.first() else {
        return Err(Error::Config("a contact sheet needs at least one picture".to_owned()));
    };
    let (width, height) = (first.width, first.height);
    if let Some(other) = images.iter().find(|image| (image.width, image.height) != (width, height)) {
        return Err(Error::Config(format!(
            "a contact sheet needs pictures of one size, but one is {width} x {height} and another {} x {}",
            other.width, other.height
        )));
    }
    let columns = columns.clamp(1, images.len());
    let rows = images.len().div_ceil(columns);
    let side = |count: usize, length: usize| {
        count.checked_mul(length).and_then(|n| n.checked_add((count - 1).checked_mul(gap)?))
    };
    let total = side(columns, width).zip(side(rows, height));
    let fits = |&(w, h): &(usize, usize)| (w as u64).checked_mul(h as u64).is_some_and(|n| n <= MAX_PIXELS);
    let Some((sheet_width, sheet_height)) = total.filter(fits) else {
        return Err(Error::Config(
            "this contact sheet would exceed 64 megapixels; use fewer pictures".to_owned(),
        ));
    };
    let mut sheet = Rgb8::filled(sheet_width, sheet_height, [255; 3]);
    for (i, image) in images.iter().enumerate() {
        sheet.paste(image, (i % columns) * (width + gap), (i / columns) * (height + gap));
    }
    Ok(sheet)
}

/// A name beside `path`, so that the rename stays within one file system. The process number keeps two
/// programs that write the same file apart.
fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", process::id()))
}
