//! Opens a run and follows it while it is written, by this process or another, here or on a network drive.
//!
//! Nothing watches the file: the caller asks again when it likes, which works on every file system.

use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::event::Event;
use super::folder::{EVENTS_FILE, RunHeader, read_header};
use crate::error::{Error, Result};

/// Bytes of lines that one [`RunReader::follow`] parses, about: a long run comes in portions, so that neither its text nor
/// its events are in memory at once and a window can draw in between.
const PORTION: usize = 1 << 20;

/// No line of ours is longer; a file without line ends must not be read into memory.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// Bytes before the place read to, by which a replaced file is told from one that grew.
const TAIL: u64 = 4096;

/// A reader of one run that remembers how far it came.
#[derive(Debug)]
pub struct RunReader {
    path: PathBuf,
    header: RunHeader,
    place: Place,
}

/// How far the events were read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Place {
    /// Bytes of whole lines read.
    offset: u64,
    /// Lines read.
    lines: usize,
    /// Checksum of the last [`TAIL`] bytes before `offset`.
    tail: u32,
    /// Which file it was, where the system tells.
    file: Option<u64>,
}

/// What [`RunReader::follow`] found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followed {
    /// The run was rewritten (a resume does that): forget all events so far, `events` begin anew.
    pub restarted: bool,
    /// Events since the last call, in order.
    pub events: Vec<Event>,
    /// Whether there are more to be had at once.
    pub more: bool,
}

impl RunReader {
    /// Opens the run in the folder `path`.
    ///
    /// # Errors
    /// [`Error::Io`] if there is none, [`Error::Format`] if it is of another version or not a run.
    pub fn open(path: &Path) -> Result<Self> {
        let header = read_header(path)?;
        Ok(Self { path: path.to_path_buf(), header, place: Place::default() })
    }

    /// Where the run is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the run is.
    #[must_use]
    pub const fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Reads events that were appended since the last call, the first call those there are, up to about a MiB of lines. A
    /// last line without an end is left for a later call.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, [`Error::Format`] naming a line that is not an event, once all before it
    /// were returned. The reader stays where it is, so that a later call tries again.
    pub fn follow(&mut self) -> Result<Followed> {
        let path = self.path.join(EVENTS_FILE);
        let mut file = File::open(&path).map_err(Error::io("read", &path))?;
        let metadata = file.metadata().map_err(Error::io("read", &path))?;
        let same = self.place.is_before_the_end_of(&mut file, &metadata).map_err(Error::io("read", &path))?;
        let mut place = if same { self.place } else { Place::default() };
        // Whether there was anything to be forgotten, or the bad line was all.
        let restarted = !same && self.place.lines > 0;
        place.file = identity(&metadata);
        file.seek(SeekFrom::Start(place.offset)).map_err(Error::io("read", &path))?;
        let mut followed = Followed { restarted, ..Followed::default() };
        let read = read_portion(&path, &mut file, &mut place, &mut followed);
        if followed.restarted || !followed.events.is_empty() {
            place.tail = tail(&mut file, place.offset).map_err(Error::io("read", &path))?;
            self.place = place;
            // What was read is returned now; the bad line is met again by the next call.
            followed.more |= read.is_err();
            return Ok(followed);
        }
        read.map(|()| followed)
    }

    /// Whether the record ends in half a line, as a killed run leaves it, or a running one for a moment.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read.
    pub fn tail_is_cut(&self) -> Result<bool> {
        let path = self.path.join(EVENTS_FILE);
        ends_in_half_a_line(&path).map_err(Error::io("read", &path))
    }
}

/// Appends events from the place of `file` on, and moves `place` behind the last line that is one.
fn read_portion(path: &Path, file: &mut File, place: &mut Place, followed: &mut Followed) -> Result<()> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let end = place.offset + PORTION as u64;
    while place.offset < end {
        line.clear();
        let number = place.lines + 1;
        let mut limited = (&mut reader).take(LONGEST_LINE as u64);
        let length = limited.read_until(b'\n', &mut line).map_err(Error::io("read", path))?;
        if length == LONGEST_LINE {
            return Err(Error::format(
                path,
                format!("line {number} has no end; this is not the record of a run"),
            ));
        }
        if !line.ends_with(b"\n") {
            return Ok(());
        }
        let event = serde_json::from_slice(&line).map_err(|error| bad_line(path, number, &error))?;
        followed.events.push(event);
        place.offset += length as u64;
        place.lines = number;
    }
    followed.more = true;
    Ok(())
}

/// The error about a whole line that is not an event.
pub(super) fn bad_line(path: &Path, number: usize, error: &serde_json::Error) -> Error {
    Error::format(
        path,
        format!("line {number} is not an event: {error}; `marscope runs check` says what is left"),
    )
}

/// Whether a file is there, has bytes, and does not end with a line end.
pub(super) fn ends_in_half_a_line(path: &Path) -> std::io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

impl Place {
    /// Whether `file` is what was read so far, with or without more behind it.
    fn is_before_the_end_of(&self, file: &mut File, metadata: &Metadata) -> std::io::Result<bool> {
        Ok(self.lines == 0
            || (metadata.len() >= self.offset
                && identity(metadata) == self.file
                && tail(file, self.offset)? == self.tail))
    }
}

/// Checksum of the last bytes before `offset`.
fn tail(file: &mut File, offset: u64) -> std::io::Result<u32> {
    let mut bytes = vec![0; offset.min(TAIL) as usize];
    file.seek(SeekFrom::Start(offset - bytes.len() as u64))?;
    file.read_exact(&mut bytes)?;
    Ok(crc32fast::hash(&bytes))
}

/// A number that another file in the same place does not have.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "not every system has one")]
fn identity(metadata: &Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(metadata))
}

#[cfg(not(unix))]
const fn identity(_metadata: &Metadata) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::io::Write;

    use super::*;
    use crate::runs::folder::RunFolder;

    fn run(path: &Path, steps: usize) -> RunFolder {
        let header = RunHeader::new("train", serde_json::Value::Null, "cpu");
        let mut run = RunFolder::create(path, &header).unwrap();
        write(&mut run, 0..steps, 1.0);
        run
    }

    fn write(run: &mut RunFolder, steps: std::ops::Range<usize>, value: f64) {
        for step in steps {
            run.scalars(step, 0.1 * step as f64, &BTreeMap::from([("loss".to_owned(), value)])).unwrap();
        }
    }

    fn steps(followed: &Followed) -> Vec<usize> {
        followed.events.iter().map(Event::step).collect()
    }

    #[test]
    fn only_what_is_new_is_returned_and_half_a_line_waits() {
        let root = tempfile::tempdir().unwrap();
        let mut folder = run(root.path(), 3);
        let mut reader = RunReader::open(root.path()).unwrap();
        assert_eq!(steps(&reader.follow().unwrap()), [0, 1, 2]);
        assert_eq!(reader.follow().unwrap(), Followed::default());
        write(&mut folder, 3..4, 1.0);
        assert_eq!(steps(&reader.follow().unwrap()), [3]);
        drop(folder);
        let path = root.path().join(EVENTS_FILE);
        let bytes = fs::read(&path).unwrap();
        let line = bytes.split_inclusive(|b| *b == b'\n').next().unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        for byte in &line[..line.len() - 1] {
            file.write_all(&[*byte]).unwrap();
            assert_eq!(reader.follow().unwrap(), Followed::default());
        }
        assert!(reader.tail_is_cut().unwrap());
        file.write_all(b"\n").unwrap();
        assert_eq!(steps(&reader.follow().unwrap()), [0]);
        assert!(!reader.tail_is_cut().unwrap());
    }

    #[test]
    fn a_rewritten_run_starts_over() {
        let root = tempfile::tempdir().unwrap();
        run(root.path(), 5);
        let mut reader = RunReader::open(root.path()).unwrap();
        reader.follow().unwrap();
        // Longer than before when the reader looks again, or shorter.
        for (from, to) in [(3, 9), (1, 2)] {
            let mut folder = RunFolder::resume(root.path(), from).unwrap();
            write(&mut folder, from..to, 2.0);
            let followed = reader.follow().unwrap();
            assert!(followed.restarted);
            assert_eq!(steps(&followed), (0..to).collect::<Vec<_>>());
            assert_eq!(reader.follow().unwrap(), Followed::default());
        }
        let path = root.path().join(EVENTS_FILE);
        // In place, as some file synchronisers do it, so that it is the same file.
        let text = fs::read_to_string(&path).unwrap().replace("2.0", "3.0");
        fs::write(&path, &text).unwrap();
        assert!(reader.follow().unwrap().restarted);
        fs::write(&path, "").unwrap();
        assert_eq!(reader.follow().unwrap(), Followed { restarted: true, ..Followed::default() });
    }

    #[test]
    fn a_bad_line_is_named_after_all_before_it_and_tried_again() {
        let root = tempfile::tempdir().unwrap();
        run(root.path(), 2);
        let path = root.path().join(EVENTS_FILE);
        let good = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{good}rubbish\n{good}")).unwrap();
        let mut reader = RunReader::open(root.path()).unwrap();
        assert_eq!(steps(&reader.follow().unwrap()), [0, 1]);
        for _ in 0..2 {
            assert!(reader.follow().unwrap_err().to_string().contains("line 3 is not an event"));
        }
        fs::write(&path, format!("{good}{good}")).unwrap();
        assert_eq!(steps(&reader.follow().unwrap()), [0, 1]);
    }

    #[test]
    fn a_long_run_comes_in_portions() {
        let root = tempfile::tempdir().unwrap();
        run(root.path(), 20_000);
        let mut reader = RunReader::open(root.path()).unwrap();
        let (mut portions, mut next) = (0, 0);
        loop {
            let followed = reader.follow().unwrap();
            for step in steps(&followed) {
                assert_eq!(step, next);
                next += 1;
            }
            portions += 1;
            if !followed.more {
                break;
            }
        }
        assert_eq!(next, 20_000);
        assert!(portions > 1);
    }
}
