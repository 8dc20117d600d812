//! `media.bin`: the pictures and maps of a run, one after the other, each found by the [`MediaRef`] an event holds.
//!
//! The bytes are written before the event that refers to them, so a killed run has bytes without an event at worst.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader};

use super::append::Appender;
use super::event::{Event, MapRecord, MediaRef};
use super::map::map_from_bytes;
use crate::error::{Error, Result};
use crate::world::image::{MAX_PIXELS, Rgb8};

/// Name of the file within the run's folder.
pub const MEDIA_FILE: &str = "media.bin";

/// `media.bin` being written.
#[derive(Debug)]
pub struct MediaFile {
    file: Appender,
}

impl MediaFile {
    /// Starts the file in the run's folder.
    ///
    /// # Errors
    /// [`Error::Config`] if it is there already, [`Error::Io`] if it cannot be written.
    pub fn create(folder: &Path) -> Result<Self> {
        let path = folder.join(MEDIA_FILE);
        if path.exists() {
            return Err(Error::Config(format!("{} is there already; it is not overwritten", path.display())));
        }
        Self::open_append(folder)
    }

    /// Opens the file to continue it behind what it holds; creates it if there is none.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file.
    pub fn open_append(folder: &Path) -> Result<Self> {
        Ok(Self { file: Appender::open(&folder.join(MEDIA_FILE))? })
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file; what was written before is intact. [`Error::Config`] for 4 GiB and more.
    pub fn put(&mut self, bytes: &[u8]) -> Result<MediaRef> {
        let length = u32::try_from(bytes.len()).map_err(|_too_long| {
            Error::Config(format!(
                "{} bytes are too many for one picture or map; 4 GiB is the most",
                bytes.len()
            ))
        })?;
        let crc = crc32fast::hash(bytes);
        Ok(MediaRef { offset: self.file.append(bytes)?, length, crc })
    }
}

/// Shortens `media.bin` to its first `end` bytes. A file that is shorter already is left as it is.
pub(super) fn cut_media(folder: &Path, end: u64) -> Result<()> {
    let path = folder.join(MEDIA_FILE);
    if !path.exists() {
        return Ok(());
    }
    let file = File::options().write(true).open(&path).map_err(Error::io("write", &path))?;
    let length = file.metadata().map_err(Error::io("read", &path))?.len();
    if end < length {
        file.set_len(end).map_err(Error::io("cut", &path))?;
    }
    Ok(())
}

/// Bytes of `media.bin` up to the end of the last entry that `event` refers to.
pub(super) fn media_end(event: &Event) -> u64 {
    references(event).into_iter().map(|(_, at)| end_of(at)).max().unwrap_or(0)
}

/// Where an entry ends, in bytes; a corrupt one may claim to end nowhere.
pub(super) const fn end_of(at: MediaRef) -> u64 {
    at.offset.saturating_add(at.length as u64)
}

/// The entries of `media.bin` that an event refers to, each with what it is.
#[must_use]
pub fn references(event: &Event) -> Vec<(Medium<'_>, MediaRef)> {
    match event {
        Event::Group { group, .. } => {
            let pictures = group.pictures.iter().map(|picture| (Medium::Png, picture.png));
            pictures.chain(group.maps.iter().map(|map| (Medium::Map(map), map.at))).collect()
        }
        Event::Probes { frames, .. } => frames.iter().map(|frame| (Medium::Png, frame.png)).collect(),
        Event::Scalars { .. } | Event::Note { .. } | Event::Change { .. } | Event::Mark { .. } => Vec::new(),
    }
}

/// What an entry of `media.bin` is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Medium<'a> {
    /// A picture as PNG.
    Png,
    /// Numbers of this map.
    Map(&'a MapRecord),
}

/// Reads one entry, and nothing else, of the run in `folder`.
///
/// # Errors
/// [`Error::Io`] if the file cannot be read, [`Error::Format`] if it ends before the entry does or the checksum differs.
pub fn read_media(folder: &Path, at: MediaRef) -> Result<Vec<u8>> {
    let path = folder.join(MEDIA_FILE);
    let mut file = File::open(&path).map_err(Error::io("read", &path))?;
    let length = file.metadata().map_err(Error::io("read", &path))?.len();
    // Compared before anything is allocated: a corrupt length must not take 4 GiB.
    if end_of(at) > length {
        return Err(Error::format(
            &path,
            format!(
                "ends at byte {length}, but an event refers to bytes {} to {}; the file was cut, and the picture or map is \
                 lost",
                at.offset,
                end_of(at)
            ),
        ));
    }
    let mut bytes = vec![0; at.length as usize];
    file.seek(SeekFrom::Start(at.offset))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(Error::io("read", &path))?;
    if crc32fast::hash(&bytes) != at.crc {
        return Err(Error::format(
            &path,
            format!(
                "bytes {} to {} are not what was recorded (their checksum differs); the picture or map there is lost",
                at.offset,
                end_of(at)
            ),
        ));
    }
    Ok(bytes)
}

/// Reads a picture of the run in `folder`.
///
/// # Errors
/// Those of [`read_media`], and [`Error::Format`] if the entry is not a PNG picture of at most [`MAX_PIXELS`].
pub fn read_picture(folder: &Path, at: MediaRef) -> Result<Rgb8> {
    let bytes = read_media(folder, at)?;
    let path = folder.join(MEDIA_FILE);
    let unreadable = |source| {
        Error::format(
            &path,
            format!("the entry at byte {} is not a readable PNG picture: {source}", at.offset),
        )
    };
    let decoder =
        ImageReader::with_format(Cursor::new(bytes), ImageFormat::Png).into_decoder().map_err(unreadable)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Error::format(
            &path,
            format!(
                "the picture at byte {} has {width} x {height} pixels; at most 64 megapixels are read",
                at.offset
            ),
        ));
    }
    let picture = DynamicImage::from_decoder(decoder).map_err(unreadable)?.into_rgb8();
    Ok(Rgb8 { width: width as usize, height: height as usize, pixels: picture.into_raw() })
}

/// Reads the numbers of a map of the run in `folder`, in the order of its shape.
///
/// # Errors
/// Those of [`read_media`], and [`Error::Format`] if the length does not fit the shape.
pub fn read_map(folder: &Path, map: &MapRecord) -> Result<Vec<f32>> {
    let bytes = read_media(folder, map.at)?;
    map_from_bytes(map.element, &map.shape, &bytes)
        .map_err(|error| Error::format(&folder.join(MEDIA_FILE), format!("map {}: {error}", map.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::event::Element;
    use crate::runs::map::map_to_bytes;

    #[test]
    fn what_was_put_is_read_and_a_flipped_bit_is_not() {
        let root = tempfile::tempdir().unwrap();
        let mut file = MediaFile::create(root.path()).unwrap();
        let picture = Rgb8::filled(5, 4, [9, 200, 3]);
        let png = file.put(&picture.to_png().unwrap()).unwrap();
        let empty = file.put(&[]).unwrap();
        drop(file);
        assert!(MediaFile::create(root.path()).unwrap_err().to_string().contains("media.bin"));
        let mut file = MediaFile::open_append(root.path()).unwrap();
        let (element, shape) = (Element::F16, vec![1, 3]);
        let at = file.put(&map_to_bytes(element, &shape, &[0.5, -2.0, f32::NAN]).unwrap()).unwrap();
        let map = MapRecord { name: "kl".into(), shape, element, at };
        assert_eq!(read_picture(root.path(), png).unwrap(), picture);
        assert_eq!(read_media(root.path(), empty).unwrap(), Vec::<u8>::new());
        let numbers = read_map(root.path(), &map).unwrap();
        assert_eq!(numbers[..2], [0.5, -2.0]);
        assert!(numbers[2].is_nan());
        assert!(read_picture(root.path(), at).unwrap_err().to_string().contains("not a readable PNG"));
        let wrong = MapRecord { shape: vec![4], ..map };
        assert!(read_map(root.path(), &wrong).unwrap_err().to_string().contains("kl"));

        let path = root.path().join(MEDIA_FILE);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[png.length as usize / 2] ^= 4;
        std::fs::write(&path, &bytes).unwrap();
        assert!(read_media(root.path(), png).unwrap_err().to_string().contains("checksum"));
        for at in [at, MediaRef { offset: u64::MAX, ..at }, MediaRef { length: u32::MAX, ..png }] {
            std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
            assert!(read_media(root.path(), at).unwrap_err().to_string().contains("ends at byte"));
        }
    }
}
