//! The log file: what the window, the graphics driver and the dialogs report beyond what the user is told.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A log larger than this is begun anew at the next start; the one before is kept beside it.
const LARGEST: u64 = 4 << 20;

static PATH: OnceLock<PathBuf> = OnceLock::new();
static DIALOG_ERRORS: Mutex<(usize, String)> = Mutex::new((0, String::new()));

/// Starts logging. Where no file can be written, warnings go to standard error alone, and the reason is given back.
///
/// # Errors
/// A sentence that says which file could not be written and why.
pub fn start() -> Result<(), String> {
    let folder = dirs::state_dir().or_else(dirs::cache_dir).map(|folder| folder.join("marscope"));
    let file =
        folder.as_deref().ok_or_else(|| "the system names no folder for logs".to_owned()).and_then(open);
    let base = fern::Dispatch::new()
        .format(|out, message, record| {
            let now = crate::runs::time::rfc3339(std::time::SystemTime::now());
            out.finish(format_args!("{now} {} {}: {message}", record.level(), record.target()));
        })
        .level(log::LevelFilter::Warn)
        .level_for("marscope", log::LevelFilter::Info)
        .chain(fern::Output::call(|record| {
            note_dialog_error(record.target(), record.level(), &record.args().to_string());
        }));
    let (base, problem) = match file {
        Ok(file) => (base.chain(file), None),
        Err(reason) => (base.chain(std::io::stderr()), Some(reason)),
    };
    // A logger that is set already, as in tests, stays.
    drop(base.apply());
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        log::error!("{panic}");
        before(panic);
    }));
    problem.map_or(Ok(()), Err)
}

fn open(folder: &Path) -> Result<std::fs::File, String> {
    let path = folder.join("marscope.log");
    let failed =
        |error: std::io::Error| format!("the log file {} cannot be written: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    if std::fs::metadata(&path).is_ok_and(|file| file.len() > LARGEST) {
        std::fs::rename(&path, path.with_extension("old.log")).map_err(failed)?;
    }
    let file = fern::log_file(&path).map_err(failed)?;
    PATH.get_or_init(|| path.clone());
    Ok(file)
}

/// Where the log file is.
#[must_use]
pub fn path() -> Option<&'static Path> {
    PATH.get().map(PathBuf::as_path)
}

fn note_dialog_error(target: &str, level: log::Level, text: &str) {
    if target.starts_with("rfd") && level <= log::Level::Warn {
        let mut errors = DIALOG_ERRORS.lock().unwrap_or_else(PoisonError::into_inner);
        *errors = (errors.0 + 1, text.to_owned());
    }
}

/// How many errors file dialogs reported so far, and the last.
#[must_use]
pub fn dialog_errors() -> (usize, String) {
    DIALOG_ERRORS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_dialogs_are_counted_and_others_are_not() {
        let before = dialog_errors().0;
        note_dialog_error("wgpu_core", log::Level::Error, "no");
        note_dialog_error("rfd::backend", log::Level::Info, "no");
        note_dialog_error("rfd::backend::xdg_desktop_portal", log::Level::Error, "no portal");
        assert_eq!(dialog_errors(), (before + 1, "no portal".to_owned()));
    }

    #[test]
    fn a_large_log_is_begun_anew() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("marscope.log");
        std::fs::write(&path, vec![b'x'; LARGEST as usize + 1]).unwrap();
        drop(open(root.path()).unwrap());
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
        assert!(path.with_extension("old.log").exists());
        assert!(open(&path.join("below a file")).unwrap_err().contains("cannot be written"));
    }
}
