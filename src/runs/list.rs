//! Finds runs below a folder and sums each up in a row.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::event::{Event, Scalar};
use super::folder::{EVENTS_FILE, HEADER_FILE, RunHeader};
use super::reader::RunReader;
use super::store::run_name;
use crate::error::{Error, Result};

/// The series that [`ListRow::reward_last`] and [`ListRow::reward_best`] are taken from.
pub const REWARD: &str = "reward/mean";

/// The series that [`ListRow::held_out_last`] is taken from.
pub const HELD_OUT: [&str; 2] = ["held_out/verifier", "held_out_mean/all"];

/// Folders within folders that are searched.
const DEPTH: usize = 8;

/// One run, or what is left of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ListRow {
    /// Its folder.
    pub path: PathBuf,
    /// What the user calls it, or the name of its folder.
    pub name: String,
    /// What kind of run; empty if the header cannot be read.
    pub kind: String,
    /// The variant of the algorithm.
    pub variant: Option<String>,
    /// Seed of everything random in it.
    pub seed: Option<u64>,
    /// When it started: UTC, RFC 3339.
    pub started: Option<String>,
    /// The greatest step of any event.
    pub last_step: Option<usize>,
    /// Seconds of training.
    pub seconds: Option<f64>,
    /// The last value of [`REWARD`], finite or not.
    pub reward_last: Option<Scalar>,
    /// The greatest finite value of [`REWARD`].
    pub reward_best: Option<Scalar>,
    /// The last value of [`HELD_OUT`], finite or not.
    pub held_out_last: Option<Scalar>,
    /// Whether the record ends in half a line: the run was killed, or is writing at this moment.
    pub tail_cut: bool,
    /// Why it cannot be read, or not beyond a line; the numbers are those up to there.
    pub problem: Option<String>,
}

/// All runs in `folder` and below, by path; those that cannot be read too. Links are followed, each folder is visited once,
/// hidden ones (`.git`) are not.
///
/// # Errors
/// [`Error::Io`] if `folder` itself cannot be read.
pub fn list_runs(folder: &Path) -> Result<Vec<ListRow>> {
    fs::read_dir(folder).map_err(Error::io("read the folder", folder))?;
    let mut rows = Vec::new();
    search(folder, DEPTH, &mut BTreeSet::new(), &mut rows);
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(rows)
}

fn search(folder: &Path, depth: usize, visited: &mut BTreeSet<PathBuf>, rows: &mut Vec<ListRow>) {
    // Links may lead in circles, and two to the same run are still one run.
    if !fs::canonicalize(folder).is_ok_and(|place| visited.insert(place)) {
        return;
    }
    if folder.join(HEADER_FILE).exists() || folder.join(EVENTS_FILE).exists() {
        rows.push(row(folder));
    }
    let found = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut entries = match found {
        Ok(entries) => entries,
        Err(source) => {
            let error = Error::Io { action: "read the folder", path: folder.to_path_buf(), source };
            rows.push(broken(folder, &error));
            return;
        }
    };
    if depth > 0 {
        // In one order everywhere: of two links to a run, the same is listed each time.
        entries.sort_by_key(fs::DirEntry::path);
        let hidden = |entry: &&fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
        let shown = entries.iter().filter(|entry| !hidden(entry));
        for path in shown.map(fs::DirEntry::path).filter(|path| path.is_dir()) {
            search(&path, depth - 1, visited, rows);
        }
    }
}

/// Sums up the run in `folder`; what is wrong with it is in the row.
#[must_use]
pub fn row(folder: &Path) -> ListRow {
    let mut reader = match RunReader::open(folder) {
        Ok(reader) => reader,
        Err(error) => return broken(folder, &error),
    };
    let mut row = with_header(folder, reader.header());
    loop {
        match reader.follow() {
            Ok(followed) => {
                if followed.restarted {
                    row = with_header(folder, reader.header());
                }
                followed.events.iter().for_each(|event| row.take(event));
                if !followed.more {
                    break;
                }
            }
            Err(error) => {
                row.problem = Some(error.to_string());
                break;
            }
        }
    }
    match reader.tail_is_cut() {
        Ok(cut) => row.tail_cut = cut,
        Err(error) => row.problem = row.problem.or_else(|| Some(error.to_string())),
    }
    row
}

fn with_header(folder: &Path, header: &RunHeader) -> ListRow {
    ListRow {
        path: folder.to_path_buf(),
        name: run_name(header, folder),
        kind: header.kind.clone(),
        variant: header.variant.clone(),
        seed: header.seed,
        started: header.started.clone(),
        ..ListRow::default()
    }
}

fn broken(folder: &Path, error: &Error) -> ListRow {
    let name = folder.file_name().map_or_else(|| folder.display().to_string(), |n| n.display().to_string());
    ListRow { path: folder.to_path_buf(), name, problem: Some(error.to_string()), ..ListRow::default() }
}

impl ListRow {
    fn take(&mut self, event: &Event) {
        self.last_step = self.last_step.max(Some(event.step()));
        let Event::Scalars { seconds, values, .. } = event else { return };
        self.seconds = Some(*seconds);
        if let Some(&reward) = values.get(REWARD) {
            self.reward_last = Some(reward);
            let best = self.reward_best.map_or(f64::NEG_INFINITY, |best| best.0);
            if reward.0.is_finite() && reward.0 > best {
                self.reward_best = Some(reward);
            }
        }
        self.held_out_last =
            HELD_OUT.iter().find_map(|name| values.get(*name).copied()).or(self.held_out_last);
    }
}
