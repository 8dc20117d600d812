//! The one way to open what the user points at.

use std::path::Path;

use super::event::Event;
use super::folder::{EVENTS_FILE, HEADER_FILE, RunHeader};
use super::import::import;
use super::reader::RunReader;
use super::store::RunStore;
use crate::error::{Error, Result};

/// Opens a run, given its folder or a file in it, or a foreign log (see [`import`](super::import)), and reads all its
/// events. A last line without an end, as a killed run leaves it, is passed over. What an import could not take over is a
/// note in the store.
///
/// # Errors
/// [`Error::Config`] if `path` is neither, [`Error::Io`] if it cannot be read, [`Error::Format`] naming the line that is not
/// an event.
pub fn open(path: &Path) -> Result<RunStore> {
    if path.exists() && !is_ours(path) {
        return foreign(path);
    }
    let mut reader = open_reader(path)?;
    let mut store = RunStore::new(reader.path(), reader.header().clone());
    while store.update(&mut reader)? {}
    Ok(store)
}

/// Whether `path` is the folder of a run or a file in it.
fn is_ours(path: &Path) -> bool {
    let ours = path.file_name().is_some_and(|name| name == HEADER_FILE || name == EVENTS_FILE);
    path.join(HEADER_FILE).exists()
        || (ours && path.parent().is_some_and(|folder| folder.join(HEADER_FILE).exists()))
}

fn foreign(path: &Path) -> Result<RunStore> {
    let imported = import(path)?;
    let header = RunHeader {
        name: Some(imported.name),
        started: None,
        ..RunHeader::new(imported.format.name(), serde_json::Value::Null, "")
    };
    let mut store = RunStore::new(path, header);
    store.extend(imported.events);
    if !imported.images.is_empty() {
        let text = format!("{} pictures are not shown here", imported.images.len());
        store.add(Event::Note { step: 0, text });
    }
    for text in imported.warnings {
        store.add(Event::Note { step: 0, text });
    }
    Ok(store)
}

/// Opens a run to be followed, given its folder or a file in it.
///
/// # Errors
/// [`Error::Config`] if `path` is no run, [`Error::Io`] or [`Error::Format`] if its header cannot be read.
pub fn open_reader(path: &Path) -> Result<RunReader> {
    let ours = path.file_name().is_some_and(|name| name == HEADER_FILE || name == EVENTS_FILE);
    let folder = match path.parent() {
        Some(parent) if ours && path.is_file() => parent,
        _ => path,
    };
    if !path.exists() {
        return Err(Error::Config(format!("there is no {}", path.display())));
    }
    if !folder.join(HEADER_FILE).exists() {
        return Err(Error::Config(format!(
            "{} is not a run: a run is a folder with a {HEADER_FILE}; `marscope runs list DIR` finds those below a folder",
            path.display()
        )));
    }
    RunReader::open(folder)
}
