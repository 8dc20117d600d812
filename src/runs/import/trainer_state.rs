//! Hugging Face's `trainer_state.json`: what the `Trainer` of transformers, and with it TRL's GRPO trainer, writes into
//! every `checkpoint-*` folder.
//!
//! Format: `transformers.trainer_callback.TrainerState.save_to_json`, one JSON object with `global_step` and
//! `log_history`, a list of flat objects with `step`, `epoch` and whatever was logged. Python's `json` writes bare NaN
//! and Infinity into it. There are no times.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::event::{Event, Scalar};
use super::json::{Broken, Kind, Reader};
use super::row::{Order, Row, read_row, whole};
use super::tally::{Tally, Trouble};
use super::{Format, Imported};
use crate::error::{Error, Result};

/// The list that makes a JSON object a trainer state.
pub(super) const HISTORY: &str = "log_history";

/// Why all events say 0 seconds.
const NO_TIMES: &str = "the file holds no times: every entry is given 0 seconds";

/// A file that could be the newest, and the step its folder names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The `trainer_state.json`.
    pub file: PathBuf,
    /// `Some(200)` in `checkpoint-200`; `None` where only the file itself can tell.
    pub step: Option<usize>,
}

/// Reads the one that has seen most steps. One that cannot be read is passed over with a warning.
///
/// # Errors
/// Of the first candidate, if none can be read.
pub(super) fn import_newest(candidates: &[Candidate]) -> Result<Imported> {
    let mut best: Option<(usize, Imported)> = None;
    let mut failed = Vec::new();
    for candidate in candidates {
        // Read only what may be newer: there may be many checkpoints with a long history each.
        if best.as_ref().is_some_and(|(seen, _)| candidate.step.is_some_and(|step| step <= *seen)) {
            continue;
        }
        match import_file(&candidate.file) {
            Ok((seen, imported)) => {
                let seen = seen.or(candidate.step).unwrap_or(0);
                if best.as_ref().is_none_or(|(newest, _)| seen > *newest) {
                    best = Some((seen, imported));
                }
            }
            Err(error) => failed.push(error),
        }
    }
    match best {
        Some((_, mut imported)) => {
            imported.warnings.extend(failed.iter().map(|error| format!("passed over: {error}")));
            Ok(imported)
        }
        None => Err(failed.into_iter().next().unwrap_or_else(|| Error::Config("no file to import".into()))),
    }
}

/// What was read before the end or a fault.
#[derive(Default)]
struct State {
    rows: Vec<Row>,
    has_history: bool,
    global_step: Option<usize>,
    tally: Tally,
}

/// The events, and the step the file was written at.
fn import_file(path: &Path) -> Result<(Option<usize>, Imported)> {
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    let mut state = State::default();
    let mut warnings = Vec::new();
    if let Err(broken) = read_state(&bytes, &mut state) {
        let fault = describe(&broken, &bytes);
        if state.rows.is_empty() {
            return Err(Error::format(
                path,
                format!(
                    "{fault}, before any entry of `{HISTORY}` could be read; use another checkpoint's file"
                ),
            ));
        }
        let rows = state.rows.len();
        warnings.push(format!(
            "{}: {fault}; what precedes it was read: `{HISTORY}` up to entry {rows}",
            path.display()
        ));
    } else if !state.has_history {
        return Err(Error::format(
            path,
            format!("is JSON but has no list `{HISTORY}`, so it is not a trainer state of Hugging Face"),
        ));
    }
    let events = events(state.rows, &mut state.tally);
    warnings.push(NO_TIMES.to_owned());
    warnings.extend(state.tally.sentences());
    let imported =
        Imported { format: Format::TrainerState, name: String::new(), events, images: Vec::new(), warnings };
    Ok((state.global_step, imported))
}

/// A fault as a clause with its line and byte.
fn describe(broken: &Broken, bytes: &[u8]) -> String {
    let line = bytes[..broken.at].split(|byte| *byte == b'\n').count();
    if broken.cut {
        format!("the file is cut off in line {line} (byte {})", broken.at)
    } else {
        format!("in line {line} (byte {}) {}", broken.at, broken.what)
    }
}

fn read_state(bytes: &[u8], state: &mut State) -> Result<(), Broken> {
    let mut reader = Reader::new(bytes);
    reader.object(|reader, name| match (name, reader.kind()?) {
        (HISTORY, Kind::List) => {
            state.has_history = true;
            let mut number = 0;
            reader.list(|reader| {
                number += 1;
                let place = format!("entry {number}");
                if reader.kind()? == Kind::Object {
                    state.rows.push(read_row(reader, &place, &mut state.tally)?);
                    return Ok(());
                }
                state.tally.add(Trouble::NotAnObject, || place);
                reader.skip()
            })
        }
        ("global_step", Kind::Number) => {
            state.global_step = whole(reader.number()?);
            Ok(())
        }
        _ => reader.skip(),
    })?;
    reader.end()
}

fn events(rows: Vec<Row>, tally: &mut Tally) -> Vec<Event> {
    let mut order = Order::default();
    let mut events = Vec::with_capacity(rows.len());
    for (number, mut values) in (1..).zip(rows) {
        let step = values.remove("step").and_then(|Scalar(step)| whole(step));
        match step {
            Some(step) => order.next("", step, tally, || format!("entry {number}")),
            None => tally.add(Trouble::NoStep, || format!("entry {number}")),
        }
        if !values.is_empty() {
            events.push(Event::Scalars { step: step.unwrap_or(number), seconds: 0.0, values });
        }
    }
    events
}
