//! What the window tells of itself to whoever holds it: the program that opened it, and tests.

use super::app::App;
use super::capture::Capture;
use super::compare::ablation_plan::AblationForm;
use super::data::run::Runs;
use super::layout::Panels;
use super::view::{OverlayView, Selection, Tab};
use crate::session::train::config::TrainConfig;
use crate::session::train::status::Status;

impl App {
    /// The runs that are open.
    #[must_use]
    pub const fn runs(&self) -> &Runs {
        &self.runs
    }

    /// What is selected.
    #[must_use]
    pub const fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The tab that is shown.
    #[must_use]
    pub const fn tab(&self) -> Tab {
        self.tab
    }

    /// What the run that is or was trained is doing.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.work.training.as_ref().map(super::training::Training::status)
    }

    /// Settings of the next run.
    #[must_use]
    pub const fn draft(&self) -> &TrainConfig {
        &self.work.draft
    }

    /// The panels of the tab.
    #[must_use]
    pub fn panels(&self) -> &Panels {
        &self.saved.panels[&self.tab]
    }

    /// Whether everything that is shown was read.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.runs.iter().all(|run| run.complete) && !self.media.is_busy()
    }

    /// What lies over pictures.
    #[must_use]
    pub const fn overlay(&self) -> &OverlayView {
        &self.saved.overlay
    }

    /// Smoothing of the curves.
    #[must_use]
    pub const fn smoothing(&self) -> f64 {
        self.saved.curves.smoothing
    }

    /// Moves the cursor, as the timeline does.
    pub fn look_at(&mut self, step: usize) {
        self.selection.cursor = Some(step);
    }

    /// The form of an ablation.
    pub const fn ablation_form(&mut self) -> &mut AblationForm {
        &mut self.saved.compare.ablation
    }

    /// What went wrong with the graphics, or with the picture that was to be taken, if anything did.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.graphics.lost().or_else(|| self.capture.as_ref().and_then(Capture::failure))
    }
}
