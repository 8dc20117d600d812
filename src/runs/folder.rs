//! The folder of a run: `run.json` says what it is, `events.jsonl` what happened, in order.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::event::{Event, Scalar};
use super::files::{create_folder, read_json, write_json};
use crate::error::{Error, Result};

/// `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Version of this layout.
    pub format: u32,
    /// What kind of run: `pretrain_autoencoder`, `pretrain_mar`.
    pub kind: String,
    /// Version of the program that made it.
    pub marscope: String,
    /// The full, resolved configuration.
    pub config: serde_json::Value,
    /// Where the tensors lived.
    pub device: String,
}

impl RunHeader {
    /// The layout this version reads and writes.
    pub const FORMAT: u32 = 1;
}

/// A run being written. Lines are flushed one by one: a killed run loses at most the line it was writing.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    events: fs::File,
}

impl RunFolder {
    /// Starts a new run.
    ///
    /// # Errors
    /// [`Error::Config`] if the folder holds a run already, [`Error::Io`] if it cannot be written.
    pub fn create(path: &Path, header: &RunHeader) -> Result<Self> {
        if path.join("run.json").exists() {
            return Err(Error::Config(format!(
                "{} holds a run already; continue it with --resume or choose another --out",
                path.display()
            )));
        }
        create_folder(path)?;
        let events = path.join("events.jsonl");
        let file = fs::File::create(&events).map_err(Error::io("write", &events))?;
        write_json(&path.join("run.json"), header)?;
        Ok(Self { path: path.to_path_buf(), events: file })
    }

    /// Opens a run to continue it; everything recorded at or after `step` was lost with the crash and is dropped.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Format`] if it is not a run of this version.
    pub fn resume(path: &Path, step: usize) -> Result<Self> {
        let kept: Vec<Event> = read_events(path)?
            .into_iter()
            .filter(|event| match event {
                Event::Scalars { step: at, .. } | Event::Note { step: at, .. } => *at < step,
            })
            .collect();
        let events = path.join("events.jsonl");
        let mut text = String::new();
        for event in &kept {
            text.push_str(&line(event, &events)?);
        }
        super::files::write_whole(&events, text.as_bytes())?;
        let file = fs::OpenOptions::new().append(true).open(&events).map_err(Error::io("write", &events))?;
        Ok(Self { path: path.to_path_buf(), events: file })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one event.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file.
    pub fn record(&mut self, event: &Event) -> Result<()> {
        let path = self.path.join("events.jsonl");
        let text = line(event, &path)?;
        self.events.write_all(text.as_bytes()).map_err(Error::io("write", &path))
    }

    /// Appends the numbers of one step.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file.
    pub fn scalars(&mut self, step: usize, seconds: f64, values: &BTreeMap<String, f64>) -> Result<()> {
        let values = values.iter().map(|(name, value)| (name.clone(), Scalar(*value))).collect();
        self.record(&Event::Scalars { step, seconds, values })
    }
}

fn line(event: &Event, path: &Path) -> Result<String> {
    let mut text = serde_json::to_string(event)
        .map_err(|error| Error::format(path, format!("an event cannot be written: {error}")))?;
    text.push('\n');
    Ok(text)
}

/// Reads `run.json`.
///
/// # Errors
/// [`Error::Io`] if there is none, [`Error::Format`] if it is of another version or not a run.
pub fn read_header(path: &Path) -> Result<RunHeader> {
    let file = path.join("run.json");
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
    let file = path.join("events.jsonl");
    let mut reader = BufReader::new(fs::File::open(&file).map_err(Error::io("read", &file))?);
    let mut events = Vec::new();
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(Error::io("read", &file))? == 0 {
            break;
        }
        match serde_json::from_slice(&bytes) {
            Ok(event) => events.push(event),
            Err(_) if !bytes.ends_with(b"\n") => break,
            Err(error) => {
                return Err(Error::format(&file, format!("line {number} is not an event: {error}")));
            }
        }
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> RunHeader {
        RunHeader {
            format: RunHeader::FORMAT,
            kind: "pretrain_mar".into(),
            marscope: "0.1.0".into(),
            config: serde_json::json!({ "seed": 1 }),
            device: "cpu".into(),
        }
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
    fn a_folder_with_a_run_is_not_overwritten() {
        let root = tempfile::tempdir().unwrap();
        RunFolder::create(root.path(), &header()).unwrap();
        let message = RunFolder::create(root.path(), &header()).unwrap_err().to_string();
        assert!(message.contains("--resume"), "{message}");
        assert_eq!(read_header(root.path()).unwrap(), header());
    }
}
