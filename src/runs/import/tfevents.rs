//! `TensorBoard`'s event files: `events.out.tfevents.*`.
//!
//! Format: records of `tfrecord`, each an `Event` of `tensorflow/core/util/event.proto` with values of
//! `tensorflow/core/framework/summary.proto`. Numbers come in two forms: the `simple_value` of PyTorch and TensorFlow 1,
//! and tensors of the plugin `scalars`; so do pictures. A plugin may be named only with the first value of a tag.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};

use image::{ImageFormat, ImageReader};

use super::super::event::{Event, Scalar};
use super::row::{Order, is_time, whole};
use super::tally::{Tally, Trouble, quoted};
use super::tfrecord::{Record, Records};
use super::{Format, Imported, ImportedImage};
use crate::error::{Error, Result};
use crate::world::image::MAX_PIXELS;

mod summary;

use summary::{Content, Logged, read_event};

/// Pictures kept at most, in encoded bytes: 1 GiB.
const PICTURE_BYTES: usize = 1 << 30;

/// The values of one record.
struct Point {
    /// Seconds since 1970, those of the record before where it has none.
    wall: Option<f64>,
    step: usize,
    values: BTreeMap<String, Scalar>,
    images: Vec<ImportedImage>,
}

/// What several files share.
#[derive(Default)]
struct Reading {
    /// Tag to plugin.
    plugins: BTreeMap<String, String>,
    tally: Tally,
    picture_bytes: usize,
    warnings: Vec<String>,
}

/// Reads event files of one run, in the order of their names; their events are merged in the order of their times, but
/// those of one file stay in its order. A file that cannot be read is passed over with a warning.
///
/// # Errors
/// Of the first file, if none can be read.
pub(super) fn import_files(files: &[PathBuf]) -> Result<Imported> {
    let mut reading = Reading::default();
    let mut failed = Vec::new();
    let mut logs = Vec::new();
    for file in files {
        match read_file(file, &mut reading) {
            Ok(log) => logs.push(log),
            Err(error) => failed.push(error),
        }
    }
    if logs.is_empty()
        && let Some(last) = failed.pop()
    {
        return Err(failed.into_iter().next().unwrap_or(last));
    }
    reading.warnings.extend(failed.iter().map(|error| format!("passed over: {error}")));
    Ok(merge(logs, reading))
}

/// What a file held.
#[derive(Default)]
struct Log {
    /// The time of its first event.
    started: Option<f64>,
    /// Each with the latest time so far, by which files can be merged without changing the order within one.
    points: Vec<(f64, Point)>,
    /// Records that are events.
    good: usize,
    /// Where and why reading ended early.
    end: Option<(u64, Record)>,
}

fn read_file(path: &Path, reading: &mut Reading) -> Result<Log> {
    let file = fs::File::open(path).map_err(Error::io("read", path))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut log = Log::default();
    let (mut wall, mut latest, mut foreign) = (None, f64::NEG_INFINITY, 0);
    for record in Records::new(BufReader::new(file)) {
        let (at, record) = record.map_err(Error::io("read", path))?;
        let place = || format!("byte {at} of {name}");
        let bytes = match record {
            Record::Whole(bytes) => bytes,
            Record::Damaged => {
                reading.tally.add(Trouble::BadRecord, place);
                continue;
            }
            Record::Torn | Record::Lost => {
                log.end = Some((at, record));
                break;
            }
        };
        let Ok(logged) = read_event(&bytes) else {
            foreign += 1;
            reading.tally.add(Trouble::NotAnEvent, place);
            continue;
        };
        log.good += 1;
        // Protocol Buffers do not tell 0 from nothing.
        let own = Some(logged.wall_time).filter(|time| *time != 0.0 && is_time(*time));
        wall = own.or(wall);
        log.started = log.started.or(wall);
        latest = wall.unwrap_or(latest).max(latest);
        if own.is_none() && !logged.values.is_empty() {
            reading.tally.add(Trouble::NoTime, place);
        }
        let point = reading.point(wall, logged, &place);
        log.points.extend(point.map(|point| (latest, point)));
    }
    reading.judge(path, &log, foreign)?;
    Ok(log)
}

impl Reading {
    /// Warns of a file that ends early, refuses one that is something else.
    fn judge(&mut self, path: &Path, log: &Log, foreign: usize) -> Result<()> {
        let what = match log.end {
            _ if log.good == 0 && foreign > 0 => {
                return Err(Error::format(
                    path,
                    "holds TFRecords, but none of them is an event of TensorBoard",
                ));
            }
            Some((0, Record::Lost)) => {
                return Err(Error::format(
                    path,
                    "does not begin as an event file of TensorBoard (the length at byte 0 has a wrong checksum): it is \
                     damaged or something else",
                ));
            }
            Some((at, Record::Lost)) => {
                format!("the length at byte {at} has a wrong checksum; what follows was not read")
            }
            Some((at, _)) => format!("the file is cut off in the record at byte {at}"),
            None if log.good == 0 => "the file holds no whole event yet".to_owned(),
            None => return Ok(()),
        };
        self.warnings.push(format!("{}: {what}; events read: {}", path.display(), log.good));
        Ok(())
    }

    /// The numbers and pictures of an event, `None` if there are none; what else it holds is counted.
    fn point(&mut self, wall: Option<f64>, logged: Logged, place: &impl Fn() -> String) -> Option<Point> {
        if logged.values.is_empty() {
            return None;
        }
        let Some(step) = whole(logged.step as f64) else {
            self.tally.add(Trouble::BadStep, place);
            return None;
        };
        let mut point = Point { wall, step, values: BTreeMap::new(), images: Vec::new() };
        for value in logged.values {
            if let Some(plugin) = value.plugin {
                self.plugins.insert(value.tag.to_owned(), plugin.to_owned());
            }
            let plugin = self.plugins.get(value.tag).map_or("", String::as_str);
            let place = || format!("{} at {}", quoted(value.tag), place());
            match value.raw.resolve(plugin) {
                Content::Number(number) => {
                    point.values.insert(value.tag.to_owned(), Scalar(number));
                }
                Content::Pictures(pictures) => {
                    let several = pictures.len() > 1;
                    for (i, bytes) in pictures.into_iter().enumerate() {
                        let tag = if several { format!("{}/{i}", value.tag) } else { value.tag.to_owned() };
                        match self.picture(step, tag, bytes) {
                            Ok(image) => point.images.push(image),
                            Err(trouble) => self.tally.add(trouble, place),
                        }
                    }
                }
                Content::Other => self.tally.add(Trouble::OtherValue, place),
            }
        }
        (!point.values.is_empty() || !point.images.is_empty()).then_some(point)
    }

    fn picture(&mut self, step: usize, tag: String, bytes: &[u8]) -> Result<ImportedImage, Trouble> {
        let (width, height) = picture_size(bytes).ok_or(Trouble::BadPicture)?;
        if bytes.len() > PICTURE_BYTES - self.picture_bytes {
            return Err(Trouble::TooManyPictures);
        }
        self.picture_bytes += bytes.len();
        Ok(ImportedImage { step, tag, bytes: bytes.to_vec(), width, height })
    }
}

/// Width and height of a PNG or JPEG that may be decoded without fear for the memory. What the log says about them is
/// not asked: the picture decides.
fn picture_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    if !matches!(reader.format(), Some(ImageFormat::Png | ImageFormat::Jpeg)) {
        return None;
    }
    let (width, height) = reader.into_dimensions().ok()?;
    let pixels = u64::from(width) * u64::from(height);
    (1..=MAX_PIXELS).contains(&pixels).then_some((width, height))
}

fn merge(logs: Vec<Log>, mut reading: Reading) -> Imported {
    let started = logs.iter().filter_map(|log| log.started).min_by(f64::total_cmp);
    let mut points: Vec<(f64, Point)> = logs.into_iter().flat_map(|log| log.points).collect();
    points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut order = Order::default();
    let mut events = Vec::with_capacity(points.len());
    let mut images = Vec::new();
    for (_, Point { wall, step, values, images: mut pictures }) in points {
        let seconds = wall.zip(started).map_or(0.0, |(wall, started)| wall - started);
        for name in values.keys() {
            order.next(name, step, &mut reading.tally, || format!("{} after {seconds:.1} s", quoted(name)));
        }
        images.append(&mut pictures);
        if !values.is_empty() {
            events.push(Event::Scalars { step, seconds, values });
        }
    }
    let mut warnings = reading.warnings;
    warnings.extend(reading.tally.sentences());
    Imported { format: Format::TensorBoard, name: String::new(), events, images, warnings }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_from_the_picture_and_damage_never_panics() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg] {
            let mut bytes = Cursor::new(Vec::new());
            image::RgbImage::new(12, 5).write_to(&mut bytes, format).unwrap();
            let bytes = bytes.into_inner();
            assert_eq!(picture_size(&bytes), Some((12, 5)), "{format:?}");
            for i in 0..8 * bytes.len() {
                let mut damaged = bytes.clone();
                damaged[i / 8] ^= 1 << (i % 8);
                if let Some((width, height)) = picture_size(&damaged) {
                    assert!(u64::from(width) * u64::from(height) <= MAX_PIXELS);
                }
                picture_size(&bytes[..i / 8]);
            }
        }
        assert_eq!(picture_size(b"GIF89a\x0c\0\x05\0\0\0\0"), None);
    }

    #[test]
    fn pictures_beyond_the_bound_are_left_out() {
        let mut png = Cursor::new(Vec::new());
        image::RgbImage::new(2, 2).write_to(&mut png, ImageFormat::Png).unwrap();
        let png = png.into_inner();
        let mut reading = Reading { picture_bytes: PICTURE_BYTES - png.len(), ..Reading::default() };
        assert!(reading.picture(0, "a".into(), &png).is_ok());
        assert_eq!(reading.picture(1, "a".into(), &png), Err(Trouble::TooManyPictures));
    }
}
