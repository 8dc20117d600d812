//! Whether the folders of checkpoints in a run hold what they should.

use std::fs;
use std::path::Path;

use super::check::{Report, Severity};
use crate::error::{Error, Result};

/// Looks through the run's folder for checkpoints (`checkpoint`, `checkpoint-12`, or all there is in `checkpoints`) and
/// for what an interrupted write left.
pub(super) fn check_checkpoints(folder: &Path, report: &mut Report) {
    match entries(folder) {
        Ok(entries) => {
            for (name, path) in entries {
                let is_folder = path.is_dir();
                if is_left_over(&name) {
                    left_over(&name, &path, report);
                } else if is_folder && name == "checkpoints" {
                    check_files(&path, true, report);
                } else if is_folder && name.starts_with("checkpoint") {
                    check_files(&path, false, report);
                }
            }
        }
        Err(error) => report.add(Severity::Broken, error.to_string()),
    }
}

/// The names that [`super::files`] writes to before it renames.
fn is_left_over(name: &str) -> bool {
    [".partial", ".new", ".old"].iter().any(|ending| name.ends_with(ending))
}

fn left_over(name: &str, path: &Path, report: &mut Report) {
    // Interrupted between two renames: the old one is what a resume reads.
    if name == "checkpoint.old" && !path.with_extension("").exists() {
        report.add(
            Severity::Note,
            format!("{} is used as the checkpoint; writing the next was interrupted", path.display()),
        );
        check_files(path, false, report);
    } else {
        report.add(
            Severity::Note,
            format!("{} is left from an interrupted write; it may be removed", path.display()),
        );
    }
}

/// Every file has bytes, every folder has files.
fn check_files(folder: &Path, may_be_empty: bool, report: &mut Report) {
    let entries = match entries(folder) {
        Ok(entries) => entries,
        Err(error) => return report.add(Severity::Broken, error.to_string()),
    };
    if entries.is_empty() && !may_be_empty {
        report.add(
            Severity::Broken,
            format!("{} is empty; nothing can be resumed from this checkpoint", folder.display()),
        );
    }
    for (name, path) in entries {
        if is_left_over(&name) {
            left_over(&name, &path, report);
        } else if path.is_dir() {
            check_files(&path, false, report);
        } else {
            match fs::metadata(&path) {
                Ok(found) if found.len() > 0 => {}
                Ok(_) => report.add(
                    Severity::Broken,
                    format!("{} has no bytes; the checkpoint cannot be used", path.display()),
                ),
                Err(source) => {
                    report.add(Severity::Broken, Error::io("read", &path)(source).to_string());
                }
            }
        }
    }
}

/// Names and paths in a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<(String, std::path::PathBuf)>> {
    let listed = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut entries: Vec<_> = listed
        .map_err(Error::io("read the folder", folder))?
        .into_iter()
        .map(|entry| (entry.file_name().display().to_string(), entry.path()))
        .collect();
    entries.sort();
    Ok(entries)
}
