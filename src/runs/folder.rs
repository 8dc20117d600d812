//! The folder of a run: `run.json` says what it is, `events.jsonl` what happened, in order, and `media.bin` holds the
//! pictures and maps that events refer to.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::append::Appender;
use super::event::{Element, Event, MapRecord, MediaRef, Scalar};
use super::files::{create_folder, read_json, write_json, write_whole};
use super::line::{Checksum, checksum, to_line};
use super::map::map_to_bytes;
use super::media::{MEDIA_FILE, MediaFile, cut_media, media_end};
use super::time::rfc3339;
use crate::error::{Error, Result};

/// Name of the header within the run's folder.
pub const HEADER_FILE: &str = "run.json";

/// Name of the file that is locked while a run is written.
const LOCK_FILE: &str = "lock";

/// Name of the record within the run's folder.
pub const EVENTS_FILE: &str = "events.jsonl";

/// `run.json`: written once, when the run starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Version of this layout.
    pub format: u32,
    /// What kind of run: `pretrain_autoencoder`, `pretrain_mar`, `train`.
    pub kind: String,
    /// Version of the program that made it.
    pub marscope: String,
    /// The full, resolved configuration.
    pub config: serde_json::Value,
    /// Where the tensors lived.
    pub device: String,
    /// Seed of everything random in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The run it branched off from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// What the user calls it; the name of its folder if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The variant of the algorithm, in an ablation: `grpo`, `mte`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// When it started: UTC, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
}

/// Where a fork began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    /// Folder of the run it branched off from.
    pub run: String,
    /// Training steps it had done.
    pub step: usize,
}

impl RunHeader {
    /// The layout this version reads and writes.
    pub const FORMAT: u32 = 1;

    /// The header of a run that this version starts now, without the optional parts.
    #[must_use]
    pub fn new(kind: &str, config: serde_json::Value, device: &str) -> Self {
        Self {
            format: Self::FORMAT,
            kind: kind.to_owned(),
            marscope: env!("CARGO_PKG_VERSION").to_owned(),
            config,
            device: device.to_owned(),
            seed: None,
            parent: None,
            name: None,
            variant: None,
            started: Some(rfc3339(SystemTime::now())),
        }
    }
}

/// A run being written. Lines are written one by one, each in full or not at all: a killed run loses at most the line it
/// was writing, and a full disk leaves what was recorded intact.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    events: Appender,
    media: Option<MediaFile>,
    _lock: RunLock,
}

impl RunFolder {
    /// Starts a new run.
    ///
    /// # Errors
    /// [`Error::Config`] if the folder holds a run already, [`Error::Io`] if it cannot be written.
    pub fn create(path: &Path, header: &RunHeader) -> Result<Self> {
        if path.join(HEADER_FILE).exists() {
            return Err(Error::Config(format!(
                "{} holds a run already; continue it with --resume or choose another folder",
                path.display()
            )));
        }
        let events = path.join(EVENTS_FILE);
        // An empty record without a header is what a program leaves that was killed at this very place.
        if path.join(MEDIA_FILE).exists() || fs::metadata(&events).is_ok_and(|found| found.len() > 0) {
            return Err(Error::Config(format!(
                "{} holds the record of a run that lost its {HEADER_FILE}; choose another folder, or remove \
                 {EVENTS_FILE} and {MEDIA_FILE} there",
                path.display()
            )));
        }
        create_folder(path)?;
        let lock = lock(path)?;
        let events = Appender::open(&events)?;
        write_json(&path.join(HEADER_FILE), header)?;
        Ok(Self { path: path.to_path_buf(), events, media: None, _lock: lock })
    }

    /// Opens a run to continue it; everything recorded at or after `step` was lost with the crash and is dropped, and so
    /// are the pictures and maps that only such events refer to.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Format`] if it is not a run of this version.
    pub fn resume(path: &Path, step: usize) -> Result<Self> {
        Self::resume_locked(path, step, lock(path)?)
    }

    /// [`resume`](Self::resume) of a run that is already held.
    ///
    /// # Errors
    /// As there.
    pub fn resume_locked(path: &Path, step: usize, lock: RunLock) -> Result<Self> {
        let events = path.join(EVENTS_FILE);
        let (mut kept, mut end) = (Vec::new(), 0);
        for_each_line(path, &mut |event, line| {
            if event.step() >= step {
                return Ok(());
            }
            end = end.max(media_end(&event));
            // Not written anew, unless by an earlier version: JSON numbers may change in their last digit.
            match checksum(line) {
                Checksum::Missing => kept.extend(to_line(&event, &events)?.bytes()),
                Checksum::Right | Checksum::Wrong => {
                    kept.extend(line.strip_suffix(b"\n").unwrap_or(line));
                    kept.push(b'\n');
                }
            }
            Ok(())
        })?;
        // The record first: if this is interrupted, media.bin holds too much rather than too little.
        write_whole(&events, &kept)?;
        cut_media(path, end)?;
        Ok(Self { path: path.to_path_buf(), events: Appender::open(&events)?, media: None, _lock: lock })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one event.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file; the events before are intact, and later ones may be recorded.
    pub fn record(&mut self, event: &Event) -> Result<()> {
        let text = to_line(event, &self.path.join(EVENTS_FILE))?;
        self.events.append(text.as_bytes()).map(drop)
    }

    /// Appends the numbers of one step.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file.
    pub fn scalars(&mut self, step: usize, seconds: f64, values: &BTreeMap<String, f64>) -> Result<()> {
        let values = values.iter().map(|(name, value)| (name.clone(), Scalar(*value))).collect();
        self.record(&Event::Scalars { step, seconds, values })
    }

    /// Appends a picture or a map to `media.bin`; to be called before the event that refers to it is recorded.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file.
    pub fn media(&mut self, bytes: &[u8]) -> Result<MediaRef> {
        let file = match &mut self.media {
            Some(file) => file,
            // Most pretraining runs have no pictures: the file is made when there is something to put in.
            none => none.insert(MediaFile::open_append(&self.path)?),
        };
        file.put(bytes)
    }

    /// Appends a map to `media.bin` and returns what goes into the event.
    ///
    /// # Errors
    /// [`Error::Config`] naming the map if `values` do not fill `shape` or do not fit `element`, [`Error::Io`] naming
    /// the file.
    pub fn map(
        &mut self,
        name: &str,
        shape: &[usize],
        element: Element,
        values: &[f32],
    ) -> Result<MapRecord> {
        let bytes = map_to_bytes(element, shape, values)
            .map_err(|error| Error::Config(format!("the map {name:?} cannot be recorded: {error}")))?;
        Ok(MapRecord { name: name.to_owned(), shape: shape.to_vec(), element, at: self.media(&bytes)? })
    }
}

/// Takes the run for this program alone: two that write one record would spoil it.
///
/// # Errors
/// [`Error::Config`] if another program writes it, [`Error::Io`] if the folder cannot be written.
pub fn lock(path: &Path) -> Result<RunLock> {
    let place = path.join(LOCK_FILE);
    let file = fs::File::create(&place).map_err(Error::io("write", &place))?;
    // Any other error is that of a file system without locks: better a run without one than no run.
    if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
        return Err(Error::Config(format!(
            "{} is being written by another program; wait for it, or choose another folder",
            path.display()
        )));
    }
    Ok(RunLock(file))
}

/// Holds a run for one writer until it is dropped or its program ends, however it ends.
#[derive(Debug)]
pub struct RunLock(#[expect(dead_code, reason = "held open, never read")] fs::File);

/// Reads `run.json`.
///
/// # Errors
/// [`Error::Io`] if there is none, [`Error::Format`] if it is of another version or not a run.
pub fn read_header(path: &Path) -> Result<RunHeader> {
    let file = path.join(HEADER_FILE);
    let header: RunHeader = read_json(&file)?;
    if header.format != RunHeader::FORMAT {
        return Err(Error::format(
            &file,
            format!("a run of format {}; this version reads format {}", header.format, RunHeader::FORMAT),
        ));
    }
    Ok(header)
}

/// Reads all events. A last line without an end, as a killed run leaves it, is passed over; any other bad line is an
/// error that names it.
///
/// # Errors
/// [`Error::Io`] or [`Error::Format`].
pub fn read_events(path: &Path) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    for_each_line(path, &mut |event, _| {
        events.push(event);
        Ok(())
    })?;
    Ok(events)
}

/// Calls `each` with the events and their lines, in order; see [`read_events`].
fn for_each_line(path: &Path, each: &mut dyn FnMut(Event, &[u8]) -> Result<()>) -> Result<()> {
    let file = path.join(EVENTS_FILE);
    let mut reader = BufReader::new(fs::File::open(&file).map_err(Error::io("read", &file))?);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(Error::io("read", &file))? == 0 {
            break;
        }
        match serde_json::from_slice(&bytes) {
            Ok(event) => each(event, &bytes)?,
            Err(_) if !bytes.ends_with(b"\n") => break,
            Err(error) => {
                return Err(Error::format(&file, format!("line {number} is not an event: {error}")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> RunHeader {
        RunHeader::new("pretrain_mar", serde_json::json!({ "seed": 1 }), "cpu")
    }

    #[test]
    fn a_cut_tail_loses_only_the_cut_line() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("run");
        let mut run = RunFolder::create(&path, &header()).unwrap();
        for step in 0..5 {
            run.scalars(step, 1.0, &BTreeMap::from([("loss".to_owned(), f64::NAN)])).unwrap();
        }
        let file = path.join("events.jsonl");
        let bytes = fs::read(&file).unwrap();
        for cut in 0..bytes.len() {
            fs::write(&file, &bytes[..cut]).unwrap();
            let whole = bytes[..cut].split(|b| *b == b'\n').count() - 1;
            let events = read_events(&path).unwrap();
            // A line that lacks only its end is whole.
            assert!(events.len() == whole || events.len() == whole + 1, "cut at {cut}");
        }
        fs::write(&file, b"garbage\n").unwrap();
        assert!(read_events(&path).unwrap_err().to_string().contains("line 1"));
    }

    #[test]
    fn a_run_has_one_writer_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let run = RunFolder::create(root.path(), &header()).unwrap();
        let message = RunFolder::resume(root.path(), 0).unwrap_err().to_string();
        assert!(message.contains("another program"), "{message}");
        drop(run);
        RunFolder::resume(root.path(), 0).unwrap();
    }

    #[test]
    fn a_folder_with_a_run_is_not_overwritten() {
        let root = tempfile::tempdir().unwrap();
        RunFolder::create(root.path(), &header()).unwrap();
        let message = RunFolder::create(root.path(), &header()).unwrap_err().to_string();
        assert!(message.contains("--resume"), "{message}");
        assert_eq!(read_header(root.path()).unwrap(), header());
    }

    #[test]
    fn a_record_without_its_header_is_not_overwritten() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join(EVENTS_FILE), "").unwrap();
        RunFolder::create(root.path(), &header()).unwrap().scalars(0, 0.0, &BTreeMap::new()).unwrap();
        fs::remove_file(root.path().join(HEADER_FILE)).unwrap();
        assert!(
            RunFolder::create(root.path(), &header()).unwrap_err().to_string().contains("lost its run.json")
        );
        assert_eq!(read_events(root.path()).unwrap().len(), 1);
    }

    #[test]
    fn headers_of_earlier_versions_are_read() {
        let old = r#"{"format":1,"kind":"pretrain_mar","marscope":"0.1.0","config":{},"device":"cpu"}"#;
        let header: RunHeader = serde_json::from_str(old).unwrap();
        assert_eq!((header.seed, header.started.clone()), (None, None));
        assert_eq!(serde_json::to_string(&header).unwrap(), old);
        let forked =
            RunHeader { parent: Some(Parent { run: "runs/a".into(), step: 7 }), seed: Some(1), ..header };
        let text = serde_json::to_string(&forked).unwrap();
        assert_eq!(serde_json::from_str::<RunHeader>(&text).unwrap(), forked);
    }

    #[test]
    fn media_is_there_before_the_event_and_goes_with_it() {
        use crate::runs::event::ProbeFrame;
        use crate::runs::media::read_media;
        let root = tempfile::tempdir().unwrap();
        let mut run = RunFolder::create(root.path(), &header()).unwrap();
        let media = root.path().join(MEDIA_FILE);
        assert!(!media.exists());
        let mut kept = Vec::new();
        for step in 0..4 {
            let png = run.media(format!("picture {step}").as_bytes()).unwrap();
            kept.push(png);
            let frames = vec![ProbeFrame { prompt: "a red circle".into(), score: Scalar(1.0), png }];
            run.record(&Event::Probes { step, frames }).unwrap();
        }
        // Three times, and the first of them after a picture whose event was never written.
        run.media(b"lost").unwrap();
        assert!(run.map("kl", &[2], Element::U8, &[0.5, 1.0]).unwrap_err().to_string().contains("kl"));
        drop(run);
        for step in [3, 2, 1] {
            let mut run = RunFolder::resume(root.path(), step).unwrap();
            assert_eq!(read_events(root.path()).unwrap().len(), step);
            assert_eq!(fs::metadata(&media).unwrap().len(), 9 * step as u64);
            assert_eq!(
                read_media(root.path(), kept[step - 1]).unwrap(),
                format!("picture {}", step - 1).as_bytes()
            );
            assert_eq!(run.media(b"new").unwrap().offset, 9 * step as u64);
        }
    }
}
