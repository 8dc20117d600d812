//! Which pictures of a run are compared: those of a training group, or those of the fixed prompts.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::runs::event::MediaRef;
use crate::ui::data::group::{LoadedGroup, group_at};
use crate::ui::data::media::{Loaded, Media};
use crate::ui::data::run::OpenRun;
use crate::ui::overlay::Picture;

/// Which pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureSource {
    /// The group of the iteration.
    #[default]
    Training,
    /// The fixed prompts.
    Fixed,
}

impl PictureSource {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Training, Self::Fixed];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Training => "Training group",
            Self::Fixed => "Fixed prompts",
        }
    }

    /// What it is.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Training => {
                "The G pictures that were sampled for training in the iteration, with their rewards."
            }
            Self::Fixed => {
                "Pictures of prompts that are drawn again every few iterations with noise that is the same in every run \
                 and never changes."
            }
        }
    }
}

/// What is known of a picture without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The iteration it really is of, at or before the one asked for.
    pub step: usize,
    /// Which picture of the group, or which fixed prompt, from 0.
    pub index: usize,
    /// Its prompt.
    pub prompt: String,
    /// Reward in training, or the verifier's score of a fixed prompt.
    pub score: f64,
    /// Where it lies.
    pub png: MediaRef,
}

/// How many pictures `run` shows at `step`.
#[must_use]
pub fn count(run: &OpenRun, source: PictureSource, step: usize) -> usize {
    match source {
        PictureSource::Training => run.store.group_at(step).map_or(0, |(_, group)| group.pictures.len()),
        PictureSource::Fixed => run.store.probes_at(step).map_or(0, |(_, frames)| frames.len()),
    }
}

/// Picture `index` that `run` shows at `step`, of group `group` if the iteration has several.
#[must_use]
pub fn find(
    run: &OpenRun,
    source: PictureSource,
    (step, group): (usize, usize),
    index: usize,
) -> Option<Found> {
    match source {
        PictureSource::Training => {
            let (step, _) = run.store.group_at(step)?;
            let groups = run.store.groups();
            let of_step = groups
                .get(groups.partition_point(|g| g.0 < *step)..groups.partition_point(|g| g.0 <= *step))?;
            let (step, record) = of_step.get(group.min(of_step.len().checked_sub(1)?))?;
            let picture = record.pictures.get(index)?;
            let prompt = record.prompt.clone();
            Some(Found { step: *step, index, prompt, score: picture.reward.0, png: picture.png })
        }
        PictureSource::Fixed => {
            let (step, frames) = run.store.probes_at(step)?;
            let frame = frames.get(index)?;
            let prompt = frame.prompt.clone();
            Some(Found { step: *step, index, prompt, score: frame.score.0, png: frame.png })
        }
    }
}

/// A picture that was read, with what is known of it; the old one is held while the next is being read.
#[derive(Clone, Debug)]
pub struct Held {
    /// What is known.
    pub found: Found,
    /// The picture, or why it cannot be shown.
    pub picture: Result<Arc<Picture>, Arc<str>>,
    /// The group that it is of, with the maps of its tokens; none for a fixed prompt.
    pub group: Option<Arc<LoadedGroup>>,
}

/// Reads a picture that was found. Gives `held` back as long as it is still right or the next is not here yet.
#[must_use]
pub fn read(run: &OpenRun, media: &Media, found: Found, held: Option<Held>) -> Option<Held> {
    if held.as_ref().is_some_and(|held| held.found == found && held.picture.is_ok()) {
        return held;
    }
    match media.picture(run.store.path(), found.png) {
        Loaded::Waiting => held,
        Loaded::Ready(picture) => Some(Held { found, picture: Ok(picture), group: None }),
        Loaded::Failed(text) => Some(Held { found, picture: Err(text), group: None }),
    }
}

/// Reads the group of a picture that was found at `(step, group)`, for the maps of its tokens. Gives `held` back as long as
/// the group is not here yet.
#[must_use]
pub fn read_group(
    run: &OpenRun,
    media: &Media,
    at: (usize, usize),
    found: Found,
    held: Option<Held>,
) -> Option<Held> {
    let old = held.as_ref().and_then(|held| held.group.as_ref());
    match group_at(run, media, at, old)? {
        Loaded::Waiting => held,
        Loaded::Ready(group) => {
            let picture = group.pictures.get(found.index)?.clone();
            Some(Held { found, picture, group: Some(group) })
        }
        Loaded::Failed(text) => Some(Held { found, picture: Err(text), group: None }),
    }
}
