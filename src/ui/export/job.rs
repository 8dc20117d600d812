//! A file in the making: all that the window must give was gathered, the drawing and encoding can be done elsewhere.

use super::Format;
use super::table::Table;
use crate::ui::action::Content;

/// What is left to be done for a file. It needs nothing of the window any more, so that no frame has to wait for it.
pub struct Job(Box<dyn FnOnce() -> Result<Content, String> + Send>);

impl Job {
    /// What `make` does.
    #[must_use]
    pub fn new(make: impl FnOnce() -> Result<Content, String> + Send + 'static) -> Self {
        Self(Box::new(make))
    }

    /// `table` as a file.
    pub(super) fn of_table(table: Table, format: Format) -> Self {
        Self::new(move || table.content(format))
    }

    /// Does it, which may take seconds.
    ///
    /// # Errors
    /// A sentence if there is nothing to be saved, the panel has no such file, or pictures cannot be read.
    pub fn run(self) -> Result<Content, String> {
        (self.0)()
    }
}
