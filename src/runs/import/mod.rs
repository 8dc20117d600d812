//! Readers of other programs' training logs, behind the same events as our own runs.
//!
//! | format | reader | written by |
//! | --- | --- | --- |
//! | `trainer_state.json` | `trainer_state` | Hugging Face `Trainer`, TRL's GRPO trainer among them |
//! | `events.out.tfevents.*` | `tfevents`, on `tfrecord` and `protobuf` | `TensorBoard`, PyTorch, tensorboardX |
//! | `*.jsonl` | `jsonl`, on `row` | verl, exports of W&B, loops of one's own |
//!
//! Logs are often damaged where a run died. What can be read is returned, what cannot is counted in
//! [`Imported::warnings`]; an error is returned only if there is nothing to show.

mod detect;
mod json;
mod jsonl;
mod protobuf;
mod row;
mod tally;
mod tfevents;
mod tfrecord;
mod trainer_state;

use std::path::Path;

use super::event::Event;
use crate::error::Result;

/// A foreign log, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// What it was.
    pub format: Format,
    /// What to call it: the name of the folder of the run, or of a `.jsonl` file without its ending.
    pub name: String,
    /// Numbers in the order of the file, [`Event::Scalars`] only. There may be several events of one step, and after a
    /// restart steps may go back. Names are those of the file.
    pub events: Vec<Event>,
    /// Pictures in the order of the file.
    pub images: Vec<ImportedImage>,
    /// Sentences about what could not be read or is not known, each with a count and the place of the first case.
    pub warnings: Vec<String>,
}

/// What kinds of log can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Hugging Face's `trainer_state.json`. It holds no times: `seconds` is 0 in all events, and a warning says so.
    TrainerState,
    /// `TensorBoard`'s event files. `seconds` counts from the first event of the earliest file; a clock that was set
    /// back makes it negative.
    TensorBoard,
    /// One JSON object a line. `seconds` counts from the first line that has a time, except that `_runtime` is taken
    /// as it is.
    JsonLines,
}

impl Format {
    /// In words, for a list of runs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TrainerState => "Hugging Face trainer state",
            Self::TensorBoard => "TensorBoard event files",
            Self::JsonLines => "JSON lines",
        }
    }
}

/// A picture out of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedImage {
    /// Training step it was logged at.
    pub step: usize,
    /// Name it was logged under; `/0`, `/1` follow where several were logged at once.
    pub tag: String,
    /// The encoded picture, PNG or JPEG. Only its header has been checked.
    pub bytes: Vec<u8>,
    /// Pixels in a row, from the encoded picture.
    pub width: u32,
    /// Rows, from the encoded picture.
    pub height: u32,
}

/// Reads the log at `path`, a file or a folder, whatever it is: the content decides, and a name only where the content
/// is damaged.
///
/// | `path` | what is read |
/// | --- | --- |
/// | a file | that file |
/// | a folder with `trainer_state.json`, or with `checkpoint-*` folders that have one | the newest |
/// | a folder with event files | all of them, merged in the order of their times |
///
/// # Errors
/// [`Error::Io`](crate::error::Error::Io) if it cannot be read, [`Error::Format`](crate::error::Error::Format) with a
/// sentence that names the file if it is none of these or nothing in it can be read.
pub fn import(path: &Path) -> Result<Imported> {
    let found = detect::detect(path)?;
    let mut imported = match &found.source {
        detect::Source::TrainerState(candidates) => trainer_state::import_newest(candidates)?,
        detect::Source::TensorBoard(files) => tfevents::import_files(files)?,
        detect::Source::JsonLines(file) => jsonl::import_file(file)?,
    };
    imported.name = found.name;
    imported.warnings.extend(found.warnings);
    Ok(imported)
}
