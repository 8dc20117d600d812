//! What the panels of Inspect look at.

use std::sync::Arc;

use eframe::egui::Color32;

use crate::rl::config::RlConfig;
use crate::ui::data::group::LoadedGroup;
use crate::ui::data::run::OpenRun;
use crate::ui::scene::Scene;
use crate::ui::view::OverlayView;

/// What the panels of Inspect look at.
#[derive(Clone, Copy)]
pub struct Inspected<'a> {
    /// What a panel may read.
    pub scene: Scene<'a>,
    /// The group that is shown.
    pub group: &'a LoadedGroup,
    /// What lies over the picture.
    pub overlay: &'a OverlayView,
    /// Colours of series, colour-blind-safe.
    pub colour: &'a dyn Fn(usize) -> Color32,
}

/// Identity of what was computed for a picture of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureKey {
    run: u64,
    step: usize,
    group: usize,
    picture: usize,
    /// Number of one of its maps: another one if the group was read anew.
    map: u64,
    /// Settings that changed so far.
    changes: usize,
}

impl<'a> Inspected<'a> {
    /// Number of the picture: the selected one, or the last if the group has fewer.
    #[must_use]
    pub fn picture(&self) -> usize {
        self.scene.selection.picture.min(self.group.record.pictures.len().saturating_sub(1))
    }

    /// The pinned token, if the picture has it.
    #[must_use]
    pub fn token(&self) -> Option<usize> {
        self.scene.selection.token.filter(|token| *token < self.group.tokens())
    }

    /// The run that the group is of.
    #[must_use]
    pub fn run(&self) -> Option<&'a OpenRun> {
        self.scene.runs.get(self.group.run)
    }

    /// Number of the chosen AR step among the trained ones; `None` if none is chosen or it was not trained.
    #[must_use]
    pub fn plane(&self) -> Option<usize> {
        self.scene.selection.ar_step.and_then(|step| self.group.trained_index(step))
    }

    /// Settings of the method at the iteration of the group.
    #[must_use]
    pub fn settings(&self) -> Option<Arc<RlConfig>> {
        Some(Arc::new(self.run()?.config_at(self.group.step)?.rl))
    }

    /// Identity of what is computed for the picture.
    #[must_use]
    pub fn key(&self) -> PictureKey {
        let first = self.group.maps.values().find_map(|planes| planes.planes.first());
        PictureKey {
            run: self.group.run.0,
            step: self.group.step,
            group: self.group.index,
            picture: self.picture(),
            map: first.map_or(0, |map| map.id()),
            changes: self.run().map_or(0, |run| run.store.changes().len()),
        }
    }
}

/// Row and column of a token, from 1, as people count.
#[must_use]
pub const fn place(token: usize, side: usize) -> (usize, usize) {
    let side = if side == 0 { 1 } else { side };
    (token / side + 1, token % side + 1)
}
