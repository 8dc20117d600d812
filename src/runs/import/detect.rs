//! What a path is: by its content, by its name where the content is damaged.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Format;
use super::json::{Kind, Reader};
use super::jsonl::STEPS;
use super::tfrecord::is_tfrecord;
use super::trainer_state::{Candidate, HISTORY};
use crate::error::{Error, Result};

const STATE_FILE: &str = "trainer_state.json";
const CHECKPOINT: &str = "checkpoint-";

/// In the name of every event file.
const EVENT_FILE: &str = "tfevents";

/// Bytes looked at to tell what a file is: 1 MiB.
const HEAD: u64 = 1 << 20;

/// Folders looked into for a hint, at most.
const HINT_FOLDERS: usize = 200;

const OPENABLE: &str = "these can be opened: trainer_state.json of Hugging Face, or a folder with checkpoint-* folders \
                        that hold one; events.out.tfevents.* of TensorBoard, or a folder with such files; a .jsonl \
                        file with one JSON object a line";

/// What is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The newest of these.
    TrainerState(Vec<Candidate>),
    /// All of these, in the order of their names.
    TensorBoard(Vec<PathBuf>),
    JsonLines(PathBuf),
}

/// What a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub source: Source,
    /// What to call it.
    pub name: String,
    /// About what else is there.
    pub warnings: Vec<String>,
}

/// Looks at `path`.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Format`] if it is nothing that can be opened.
pub(super) fn detect(path: &Path) -> Result<Found> {
    let kind = fs::metadata(path).map_err(Error::io("open", path))?;
    if kind.is_dir() {
        if path.join("run.json").exists() && path.join("events.jsonl").exists() {
            return Err(ours(path));
        }
        folder(path)
    } else if kind.is_file() {
        if path.ends_with("events.jsonl") && path.with_file_name("run.json").exists() {
            return Err(ours(path));
        }
        file(path)
    } else {
        // A pipe would be waited for.
        Err(Error::format(path, format!("is neither a file nor a folder; {OPENABLE}")))
    }
}

fn ours(path: &Path) -> Error {
    Error::format(path, "is a run of marscope, not a foreign log; open the folder as a run")
}

fn file(path: &Path) -> Result<Found> {
    let mut head = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(HEAD).read_to_end(&mut head))
        .map_err(Error::io("read", path))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (source, name) = match format_of(&name, &head) {
        Some(Format::TrainerState) => {
            let candidate = Candidate { file: path.to_path_buf(), step: None };
            (Source::TrainerState(vec![candidate]), parent_name(path))
        }
        Some(Format::TensorBoard) => (Source::TensorBoard(vec![path.to_path_buf()]), parent_name(path)),
        Some(Format::JsonLines) => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (Source::JsonLines(path.to_path_buf()), stem)
        }
        None => return Err(Error::format(path, format!("is no training log that is known; {OPENABLE}"))),
    };
    Ok(Found { source, name, warnings: Vec::new() })
}

/// What a file is that is called `name` and begins with `head`.
fn format_of(name: &str, head: &[u8]) -> Option<Format> {
    let is_lines = [".jsonl", ".ndjson"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    let by_name =
        if name == STATE_FILE { Some(Format::TrainerState) } else { is_lines.then_some(Format::JsonLines) };
    if is_tfrecord(head) || name.contains(EVENT_FILE) {
        return Some(Format::TensorBoard);
    }
    // An object on one line may be anything: there the name is asked first.
    match json_format(head.trim_ascii_start()) {
        Some(Format::JsonLines) => by_name.or(Some(Format::JsonLines)),
        found => found.or(by_name),
    }
}

/// Which JSON it is: an object with a log history, or an object a line.
fn json_format(head: &[u8]) -> Option<Format> {
    let mut reader = Reader::new(head);
    let (mut history, mut step) = (false, false);
    let read = reader.object(|reader, name| {
        step |= STEPS.contains(&name);
        if name == HISTORY && reader.kind()? == Kind::List {
            history = true;
            // Far enough.
            return Err(reader.broken(""));
        }
        reader.skip()
    });
    if history {
        return Some(Format::TrainerState);
    }
    read.ok()?;
    let (object, rest) = head.split_at_checked(reader.at())?;
    // A settings file of one line is an object too, but has no second one and seldom a step.
    let lines = !object.contains(&b'\n') && (step || rest.trim_ascii_start().starts_with(b"{"));
    lines.then_some(Format::JsonLines)
}

fn folder(path: &Path) -> Result<Found> {
    let (files, folders) = entries(path)?;
    let own = files.iter().find(|file| file.ends_with(STATE_FILE));
    let mut candidates: Vec<Candidate> =
        own.map(|file| Candidate { file: file.clone(), step: None }).into_iter().collect();
    let mut checkpoints: Vec<Candidate> = folders
        .iter()
        .filter_map(|folder| {
            let step = folder.file_name()?.to_str()?.strip_prefix(CHECKPOINT)?.parse().ok();
            let file = folder.join(STATE_FILE);
            (step.is_some() && file.is_file()).then_some(Candidate { file, step })
        })
        .collect();
    checkpoints.sort_by_key(|candidate| std::cmp::Reverse(candidate.step));
    candidates.extend(checkpoints);
    let events: Vec<PathBuf> = files.into_iter().filter(|file| is_event_file(file)).collect();
    let mut warnings = Vec::new();
    let source = if !candidates.is_empty() {
        if let Some(first) = events.first() {
            warnings.push(format!(
                "the folder holds event files of TensorBoard too ({}, {} in all), which were not read; open one of \
                 them to see it",
                first.display(),
                events.len()
            ));
        }
        Source::TrainerState(candidates)
    } else if events.is_empty() {
        let hint = match below(&folders) {
            Some(folder) => format!("there is something to open in {}", folder.display()),
            None => OPENABLE.to_owned(),
        };
        return Err(Error::format(path, format!("the folder holds no training log that is known; {hint}")));
    } else {
        Source::TensorBoard(events)
    };
    Ok(Found { source, name: run_name(path), warnings })
}

/// Files and folders in a folder, in the order of their names.
fn entries(path: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let read = || fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    let mut paths = read().map_err(Error::io("read the folder", path))?;
    paths.sort();
    let (folders, others): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.is_dir());
    Ok((others.into_iter().filter(|path| path.is_file()).collect(), folders))
}

fn is_event_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(EVENT_FILE))
}

/// The first folder below these that holds a log: the Trainer puts event files into `runs/<date>_<host>`.
fn below(folders: &[PathBuf]) -> Option<PathBuf> {
    let mut queue = folders.to_vec();
    let mut next = 0;
    while next < queue.len().min(HINT_FOLDERS) {
        if let Ok((files, folders)) = entries(&queue[next]) {
            if files.iter().any(|file| file.ends_with(STATE_FILE) || is_event_file(file)) {
                return Some(queue.swap_remove(next));
            }
            queue.extend(folders);
        }
        next += 1;
    }
    None
}

/// The name of the folder a file is in.
fn parent_name(path: &Path) -> String {
    std::path::absolute(path).ok().and_then(|path| path.parent().map(run_name)).unwrap_or_default()
}

/// What to call the run in a folder: a checkpoint is called after the run it is of.
fn run_name(folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let own = name(&folder).unwrap_or_else(|| "run".to_owned());
    match folder.parent().and_then(name) {
        Some(parent) if own.starts_with(CHECKPOINT) => format!("{parent}/{own}"),
        _ => own,
    }
}
