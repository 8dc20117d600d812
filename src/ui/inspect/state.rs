//! What the user chose in the panels of Inspect, and what was computed for the picture they show.

use std::sync::Arc;

use eframe::egui::Rect;
use serde::{Deserialize, Serialize};

use super::brush::Brush;
use super::facts::{PictureFacts, values};
use super::inspected::{Inspected, PictureKey};
use super::steps::Sorting;
use super::trajectories_panel::TokenStates;
use super::what_if::{Outcome, Settings};
use crate::rl::config::{RlConfig, Selection};
use crate::ui::overlay::TokenMap;

/// What the trajectories of a token are drawn over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Projection {
    /// The first two principal components of all its states.
    #[default]
    Components,
    /// One channel over the diffusion steps.
    Channel,
}

/// A mask that a change of settings is shown for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mask {
    /// Multi-trajectory expectation.
    #[default]
    Multi,
    /// Consistency, at the chosen AR step.
    Consistency,
}

/// Settings that are tried in place of the recorded ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tried {
    /// Share of tokens under MTE (k).
    pub share: Option<f64>,
    /// Selection.
    pub selection: Option<Selection>,
    /// Threshold of consistency (tau).
    pub tau: Option<f64>,
}

impl Tried {
    /// The recorded settings where nothing else was chosen.
    #[must_use]
    pub fn over(self, recorded: Settings) -> Settings {
        Settings {
            selection: self.selection.unwrap_or(recorded.selection),
            share: self.share.unwrap_or(recorded.share),
            tau: self.tau.unwrap_or(recorded.tau),
            scope: recorded.scope,
        }
    }
}

/// What the user chose in the panels of Inspect.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct InspectView {
    /// Order of the token list.
    pub sorting: Sorting,
    /// Whether the token list shows brushed tokens only.
    pub brushed_only: bool,
    /// Whether the histogram is of all pictures of the group.
    pub whole_group: bool,
    /// How trajectories are drawn.
    pub projection: Projection,
    /// The channel, from 0.
    pub channel: usize,
    /// Trained AR step, by its number among them, of the curves over diffusion steps; the token's own if there is none.
    #[serde(skip)]
    pub curve_plane: Option<usize>,
    /// Whether the picture shows what would change.
    pub show_changes: bool,
    /// Of which mask.
    pub mask: Mask,
    /// Whether the borders of the tokens are left out over the picture.
    pub hide_grid: bool,
    /// The part of the picture that is shown, 0 to 1 in both directions; `None` is all of it.
    #[serde(skip)]
    pub part: Option<Rect>,
    /// Height of the legend below the picture when it was drawn last, points.
    #[serde(skip)]
    pub(super) legend_height: f32,
    /// Settings that are tried.
    #[serde(skip)]
    pub tried: Tried,
    /// Brushed range of uncertainty.
    #[serde(skip)]
    pub brush: Option<Brush>,
    /// Where a brush began that is being drawn.
    #[serde(skip)]
    pub brush_start: Option<f64>,
    /// Token under the pointer in the list.
    #[serde(skip)]
    pub hovered: Option<usize>,
    #[serde(skip)]
    cache: Cache,
}

#[derive(Clone, Debug, Default)]
struct Cache {
    picture: Option<(PictureKey, Picture)>,
    outcome: Option<(PictureKey, Settings, Arc<Outcome>)>,
    map: Option<(MapKey, Arc<TokenMap>)>,
    states: Option<(PictureKey, usize, Arc<TokenStates>)>,
}

#[derive(Clone, Debug)]
struct Picture {
    settings: Option<Arc<RlConfig>>,
    facts: Arc<PictureFacts>,
}

type MapKey = (PictureKey, Settings, Mask, usize);

impl InspectView {
    /// Puts what a file may hold into its ranges.
    pub fn validate(&mut self) {
        // More channels than any autoencoder has; the panel stays within those of the latents it shows.
        if self.channel > 4096 {
            self.channel = 0;
        }
    }

    fn picture(&mut self, input: &Inspected<'_>) -> &Picture {
        let key = input.key();
        if self.cache.picture.as_ref().is_none_or(|(held, _)| *held != key) {
            self.cache.picture = None;
        }
        let (_, picture) = self.cache.picture.get_or_insert_with(|| {
            let settings = input.settings();
            let facts = Arc::new(PictureFacts::new(input.group, input.picture(), settings.as_deref()));
            (key, Picture { settings, facts })
        });
        picture
    }

    /// Facts of the picture that is shown.
    pub fn facts(&mut self, input: &Inspected<'_>) -> Arc<PictureFacts> {
        Arc::clone(&self.picture(input).facts)
    }

    /// Settings with which the group was recorded, if known.
    pub fn recorded(&mut self, input: &Inspected<'_>) -> Option<Arc<RlConfig>> {
        self.picture(input).settings.clone()
    }

    /// Settings that are tried, the recorded ones where nothing else was chosen; those of the paper where nothing is known.
    pub fn settings(&mut self, input: &Inspected<'_>) -> Settings {
        let recorded = Settings::recorded(self.recorded(input).as_deref());
        self.tried.over(recorded)
    }

    /// What would change.
    pub fn outcome(&mut self, input: &Inspected<'_>) -> Arc<Outcome> {
        let (key, settings) = (input.key(), self.settings(input));
        if let Some((held, with, outcome)) = &self.cache.outcome
            && (*held, *with) == (key, settings)
        {
            return Arc::clone(outcome);
        }
        let outcome = Arc::new(Outcome::new(input.group, input.picture(), settings));
        self.cache.outcome = Some((key, settings, Arc::clone(&outcome)));
        outcome
    }

    /// Number among the trained AR steps of the one whose consistency mask is looked at: the chosen one, or the last.
    #[must_use]
    pub fn consistency_plane(input: &Inspected<'_>) -> usize {
        input.plane().unwrap_or_else(|| input.group.record.trained_ar_steps.len().saturating_sub(1))
    }

    /// The map of what would change, if the picture shows it and there is one.
    pub fn changes(&mut self, input: &Inspected<'_>) -> Option<Arc<TokenMap>> {
        if !self.show_changes {
            return None;
        }
        let (outcome, settings) = (self.outcome(input), self.settings(input));
        let plane = Self::consistency_plane(input);
        let comparison = match self.mask {
            Mask::Multi => outcome.multi.as_ref(),
            Mask::Consistency => outcome.steps.get(plane),
        }?;
        let key = (input.key(), settings, self.mask, plane);
        if let Some((held, map)) = &self.cache.map
            && *held == key
        {
            return Some(Arc::clone(map));
        }
        let map = comparison.map(input.group.record.side)?;
        self.cache.map = Some((key, Arc::clone(&map)));
        Some(map)
    }

    /// The brushed tokens of the picture; empty if there is no brush or no uncertainty.
    #[must_use]
    pub fn brushed(&self, input: &Inspected<'_>) -> Vec<bool> {
        let uncertainty = values(input.group, "uncertainty", input.picture());
        self.brush.zip(uncertainty).map(|(brush, uncertainty)| brush.mask(uncertainty)).unwrap_or_default()
    }

    /// States of a token, made with `make` if they are not those of last time. What is still being read is not kept.
    pub(super) fn states(
        &mut self,
        key: (PictureKey, usize),
        make: impl FnOnce() -> (TokenStates, bool),
    ) -> Arc<TokenStates> {
        if let Some((picture, token, states)) = &self.cache.states
            && (*picture, *token) == key
        {
            return Arc::clone(states);
        }
        let (states, complete) = make();
        let states = Arc::new(states);
        self.cache.states = complete.then(|| (key.0, key.1, Arc::clone(&states)));
        states
    }
}
