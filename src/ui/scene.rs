//! What a panel may read while it draws. Panels change nothing: they give back [`super::action::Action`]s.

use super::data::media::Media;
use super::data::run::{OpenRun, RunId, Runs};
use super::overlay::OverlayRenderer;
use super::ranges::Ranges;
use super::theme::Theme;
use super::view::Selection;

/// What a panel may read.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The runs that are open.
    pub runs: &'a Runs,
    /// Pictures and maps.
    pub media: &'a Media,
    /// What is selected.
    pub selection: &'a Selection,
    /// Colours.
    pub theme: &'a Theme,
    /// What the colours of layers range over.
    pub ranges: &'a Ranges,
    /// Draws pictures with their overlays; `None` without wgpu.
    pub renderer: Option<&'a OverlayRenderer>,
    /// The run that this window is training.
    pub training: Option<RunId>,
}

impl<'a> Scene<'a> {
    /// The run that Live and Inspect show.
    #[must_use]
    pub fn run(&self) -> Option<&'a OpenRun> {
        self.runs.get(self.selection.run?)
    }

    /// The iteration that everything shows: the cursor, or the newest of the selected run.
    #[must_use]
    pub fn step(&self) -> usize {
        self.selection.cursor.or_else(|| self.run()?.store.last_step()).unwrap_or(0)
    }

    /// The iteration that `run` shows: the cursor, or its own newest.
    #[must_use]
    pub fn step_of(&self, run: &OpenRun) -> usize {
        self.selection.cursor.or(run.store.last_step()).unwrap_or(0)
    }
}
