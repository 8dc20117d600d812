//! One JSON object a line: what verl, exports of W&B's history and many loops of one's own write.
//!
//! There is no standard. The step and the time are looked for under the names that are common, and one name is chosen
//! for the whole file, so that epochs and steps do not mix on one axis. Bare NaN and Infinity are taken.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::super::event::{Event, Scalar};
use super::json::{Broken, Kind, Reader};
use super::row::{Order, Row, is_time, read_row, whole};
use super::tally::{Tally, Trouble};
use super::{Format, Imported};
use crate::error::{Error, Result};

/// Names of the training step, the preferred first.
pub(super) const STEPS: [&str; 6] = ["step", "_step", "global_step", "iteration", "iter", "epoch"];

/// Names of the time, the preferred first.
const TIMES: [&str; 5] = ["_timestamp", "timestamp", "time", "wall_time", RUNTIME];

/// W&B's seconds since the start of the run, not since 1970.
const RUNTIME: &str = "_runtime";

/// A time beyond this is in milliseconds: as seconds it would be in the year 5138.
const MILLISECONDS: f64 = 1e11;

/// A longer line is passed over, so that a file without line ends does not fill the memory. 16 MiB.
const LONGEST_LINE: u64 = 16 << 20;

/// A row and the number of its line, counted from 1.
type Line = (usize, Row);

/// Reads a `.jsonl` file.
///
/// # Errors
/// [`Error::Io`], or [`Error::Format`] if no line is a JSON object.
pub(super) fn import_file(path: &Path) -> Result<Imported> {
    let mut tally = Tally::default();
    let mut warnings = Vec::new();
    let lines = read_lines(path, &mut tally, &mut warnings)?;
    let lost = [Trouble::BadLine, Trouble::LongLine, Trouble::NotAnObject];
    if lines.is_empty() && lost.iter().any(|trouble| tally.count(*trouble) > 0) {
        let reasons = tally.sentences().join("; ");
        return Err(Error::format(
            path,
            format!("no line is a JSON object, so there is nothing to show: {reasons}"),
        ));
    }
    if lines.is_empty() {
        warnings.push(format!("{} holds no whole line yet", path.display()));
    }
    let events = events(lines, &mut tally, &mut warnings);
    warnings.extend(tally.sentences());
    Ok(Imported { format: Format::JsonLines, name: String::new(), events, images: Vec::new(), warnings })
}

/// How a line ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// There was none.
    File,
    /// With a line end.
    Line,
    /// With the file.
    Torn,
    /// Not within [`LONGEST_LINE`].
    TooLong,
}

fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<End> {
    line.clear();
    let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(End::File);
    }
    if line.ends_with(b"\n") {
        return Ok(End::Line);
    }
    if (read as u64) < LONGEST_LINE {
        return Ok(End::Torn);
    }
    loop {
        let buffer = reader.fill_buf()?;
        let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(used);
        if done {
            return Ok(End::TooLong);
        }
    }
}

fn read_lines(path: &Path, tally: &mut Tally, warnings: &mut Vec<String>) -> Result<Vec<Line>> {
    let mut reader = BufReader::new(fs::File::open(path).map_err(Error::io("read", path))?);
    let mut lines = Vec::new();
    let mut bytes = Vec::new();
    for number in 1.. {
        let end = next_line(&mut reader, &mut bytes).map_err(Error::io("read", path))?;
        match end {
            End::File => break,
            End::TooLong => tally.add(Trouble::LongLine, || format!("line {number}")),
            End::Line | End::Torn if bytes.trim_ascii().is_empty() => {}
            End::Line | End::Torn => match read_line(&bytes, number, tally) {
                Ok(Some(row)) => lines.push((number, row)),
                Ok(None) => tally.add(Trouble::NotAnObject, || format!("line {number}")),
                Err(broken) if broken.cut && end == End::Torn => warnings.push(format!(
                    "{}: the last line (line {number}) is cut off after {} bytes and was left out",
                    path.display(),
                    bytes.len()
                )),
                Err(broken) => tally
                    .add(Trouble::BadLine, || format!("line {number}, byte {}: {}", broken.at, broken.what)),
            },
        }
    }
    Ok(lines)
}

/// The row of a line, `None` if it is JSON but not an object.
fn read_line(bytes: &[u8], number: usize, tally: &mut Tally) -> Result<Option<Row>, Broken> {
    let mut reader = Reader::new(bytes);
    let is_object = reader.kind()? == Kind::Object;
    let row = if is_object { Some(read_row(&mut reader, &format!("line {number}"), tally)?) } else { None };
    if !is_object {
        reader.skip()?;
    }
    reader.end()?;
    Ok(row)
}

/// The numbers under `name`, in the order of the lines.
fn column<'a>(lines: &'a [Line], name: &'a str) -> impl Iterator<Item = f64> + 'a {
    lines.iter().filter_map(move |(_, row)| row.get(name).map(|Scalar(value)| *value))
}

/// The first name that more often than not stands before a whole number.
fn step_name(lines: &[Line]) -> Option<&'static str> {
    STEPS.into_iter().find(|name| {
        let (good, all) = column(lines, name)
            .fold((0, 0), |(good, all), value| (good + usize::from(whole(value).is_some()), all + 1));
        2 * good > all
    })
}

/// The first name whose numbers hardly ever fall. A `time` that does is how long a step took.
fn time_name(lines: &[Line]) -> Option<&'static str> {
    TIMES.into_iter().find(|name| {
        let (mut last, mut all, mut falls) = (f64::NEG_INFINITY, 0, 0);
        for value in column(lines, name).filter(|value| is_time(*value)) {
            falls += usize::from(value < last);
            all += 1;
            last = value;
        }
        all > 0 && 10 * falls < all
    })
}

fn events(lines: Vec<Line>, tally: &mut Tally, warnings: &mut Vec<String>) -> Vec<Event> {
    let (step_name, time_name) = (step_name(&lines), time_name(&lines));
    if time_name.is_none() && !lines.is_empty() {
        warnings.push(format!(
            "the file holds no times (looked for {}): every entry is given 0 seconds",
            TIMES.join(", ")
        ));
    }
    let scale = |time: f64| if time.abs() > MILLISECONDS { time / 1000.0 } else { time };
    let mut first = (time_name == Some(RUNTIME)).then_some(0.0);
    let mut seconds = 0.0;
    let mut order = Order::default();
    let mut events = Vec::with_capacity(lines.len());
    for (number, mut values) in lines {
        let step = step_name.and_then(|name| values.remove(name)).and_then(|Scalar(step)| whole(step));
        match step {
            Some(step) => order.next("", step, tally, || format!("line {number}")),
            None => tally.add(Trouble::NoStep, || format!("line {number}")),
        }
        if let Some(name) = time_name {
            match values.remove(name).filter(|Scalar(time)| is_time(*time)) {
                Some(Scalar(time)) => seconds = scale(time) - *first.get_or_insert(scale(time)),
                None => tally.add(Trouble::NoTime, || format!("line {number}")),
            }
        }
        if !values.is_empty() {
            events.push(Event::Scalars { step: step.unwrap_or(number), seconds, values });
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_too_long_is_passed_over() {
        let text = b"{}\n".chain(io::repeat(b'x').take(LONGEST_LINE + 5)).chain(&b"\nlast"[..]);
        let mut reader = BufReader::new(text);
        let mut line = Vec::new();
        let mut next = || next_line(&mut reader, &mut line).map(|end| (end, line.len() as u64)).unwrap();
        assert_eq!(next(), (End::Line, 3));
        assert_eq!(next(), (End::TooLong, LONGEST_LINE));
        assert_eq!(next(), (End::Torn, 4));
        assert_eq!(next(), (End::File, 0));
    }
}
