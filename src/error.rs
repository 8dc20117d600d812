//! The one error type of the library.
//!
//! Every variant renders as a full sentence for the person at the keyboard: what is wrong, where, and what to do.

use std::path::{Path, PathBuf};

/// Result of every fallible function of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong below the command line and the window.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused to read or write a file.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// What was tried, as a verb phrase: "read", "write", "create the folder".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file was read but does not hold what it should.
    #[error("{}: {problem}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        problem: String,
    },
    /// A setting, flag or prompt that cannot be honoured.
    #[error("{0}")]
    Config(String),
    /// A device that is not there or cannot be used.
    #[error("{0}")]
    Device(String),
    /// A number that must be finite is not: training stops here, with what was recorded intact.
    #[error("{what} became {value} at step {step}; the last checkpoint before it is intact")]
    Diverged {
        /// The quantity: "loss", "gradient norm".
        what: &'static str,
        /// Its value, NaN or infinite.
        value: f64,
        /// The training step, counted from 0.
        step: usize,
    },
    /// The user asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl Error {
    /// An [`Error::Io`] for `map_err`: `fs::read(p).map_err(Error::io("read", p))`.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }

    /// An [`Error::Format`] about `path`.
    pub fn format(path: &Path, problem: impl Into<String>) -> Self {
        Self::Format { path: path.to_path_buf(), problem: problem.into() }
    }
}

/// That the setting `name` lies in its documented range, ends included.
///
/// # Errors
/// [`Error::Config`] naming the setting, its value and the range.
pub fn in_range(name: &str, value: f64, low: f64, high: f64) -> Result<()> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(Error::Config(format!("{name} = {value}: choose between {low} and {high}")))
    }
}
