//! How a front end stops a job and hears from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// A stop signal shared between a job and its front end.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// Asks the job to stop at its next step.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// [`Error::Cancelled`] once a stop was asked for.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// What a job tells while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// `done` of `total` units of the part called `part`; `note` holds the newest numbers in words.
    At {
        /// Name of the part: "encode", "train", "evaluate".
        part: &'static str,
        /// Units done.
        done: usize,
        /// Units in all.
        total: usize,
        /// Newest numbers.
        note: String,
    },
    /// A remark worth a line of its own.
    Remark(String),
}

/// Where progress goes.
pub type Report<'a> = &'a mut dyn FnMut(Progress);
