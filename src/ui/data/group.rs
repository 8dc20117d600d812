//! A recorded group, put together for drawing: its pictures, and each of its maps as one token map a picture and plane.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::media::{Loaded, Media};
use super::run::{OpenRun, RunId};
use crate::runs::event::{GroupRecord, MapRecord, PictureRecord};
use crate::runs::media::{read_map, read_picture};
use crate::ui::overlay::{Picture, TokenMap, ValueSummary};

/// Maps that are large and read only where trajectories are looked at.
pub const LARGE_MAPS: [&str; 4] =
    ["trajectories", "sampled_trajectory", "kl_by_diffusion_step", "log_prob_by_diffusion_step"];

/// One group, ready to draw.
#[derive(Debug)]
pub struct LoadedGroup {
    /// The run.
    pub run: RunId,
    /// Its folder.
    pub folder: PathBuf,
    /// The iteration it is of.
    pub step: usize,
    /// Which of the groups of that iteration, from 0.
    pub index: usize,
    /// Groups of that iteration.
    pub count: usize,
    /// What was recorded.
    pub record: GroupRecord,
    /// The pictures; `Err` says why one cannot be shown.
    pub pictures: Vec<Result<Arc<Picture>, Arc<str>>>,
    /// Maps by name.
    pub maps: BTreeMap<String, Planes>,
    /// What could not be read.
    pub problems: Vec<String>,
}

/// A map with one plane a picture, or one a picture and trained AR step.
#[derive(Debug)]
pub struct Planes {
    /// Planes of each picture: 1, or the number of trained AR steps.
    pub count: usize,
    /// Picture-major: plane `p` of picture `i` is at `i * count + p`.
    pub planes: Vec<Arc<TokenMap>>,
    /// Count and extent of all numbers.
    pub summary: ValueSummary,
}

impl Planes {
    /// The tokens of `picture` at `plane`; the last plane if there are fewer.
    #[must_use]
    pub fn plane(&self, picture: usize, plane: usize) -> Option<&Arc<TokenMap>> {
        let last = self.count.checked_sub(1)?;
        self.planes.get(picture * self.count + plane.min(last))
    }
}

impl LoadedGroup {
    /// Tokens of a picture.
    #[must_use]
    pub const fn tokens(&self) -> usize {
        self.record.side * self.record.side
    }

    /// Whether it is the group at that place, as recorded, and all of it could be read.
    fn is(&self, place: (RunId, usize, usize, usize), record: &GroupRecord) -> bool {
        (self.run, self.step, self.index, self.count) == place
            && self.record == *record
            && self.pictures.iter().all(Result::is_ok)
            && self.problems.is_empty()
    }

    /// The map of that name.
    #[must_use]
    pub fn map(&self, name: &str) -> Option<&Planes> {
        self.maps.get(name)
    }

    /// Place of AR step `step` among the trained ones; `None` if it was not trained.
    #[must_use]
    pub fn trained_index(&self, step: usize) -> Option<usize> {
        self.record.trained_ar_steps.iter().position(|s| *s == step)
    }

    /// The AR step at which `token` of `picture` was predicted.
    #[must_use]
    pub fn predicted_at(&self, picture: usize, token: usize) -> Option<usize> {
        let value = *self.map("order")?.plane(picture, 0)?.values().get(token)?;
        (value.is_finite() && value >= 0.0).then_some(value as usize)
    }
}

/// Where a group stands in its run, and what was recorded of it.
#[derive(Clone, Debug)]
pub struct FoundGroup {
    /// The run.
    pub run: RunId,
    /// Its folder.
    pub folder: PathBuf,
    /// The iteration it is of.
    pub step: usize,
    /// Which of the groups of that iteration, from 0.
    pub index: usize,
    /// Groups of that iteration.
    pub count: usize,
    /// What was recorded.
    pub record: GroupRecord,
}

impl FoundGroup {
    /// Group `index` that `run` shows at iteration `step`, as [`group_at`] finds it, without asking for anything of it.
    #[must_use]
    pub fn at(run: &OpenRun, at: (usize, usize)) -> Option<Self> {
        let (step, index, count, record) = located(run, at)?;
        let folder = run.store.path().to_path_buf();
        Some(Self { run: run.id, folder, step, index, count, record: record.clone() })
    }

    /// Whether `held` is this group, whole.
    #[must_use]
    pub fn is(&self, held: &LoadedGroup) -> bool {
        held.is((self.run, self.step, self.index, self.count), &self.record)
    }

    /// Reads its pictures and maps from disk, which blocks: not for a thread that draws. What cannot be read is told in the
    /// place of the picture, or as a problem.
    #[must_use]
    pub fn read(self) -> LoadedGroup {
        let Self { run, folder, step, index, count, record } = self;
        let picture = |recorded: &PictureRecord| -> Result<Arc<Picture>, Arc<str>> {
            let read = read_picture(&folder, recorded.png).and_then(Picture::new);
            read.map(Arc::new).map_err(|error| Arc::from(error.to_string()))
        };
        let pictures = record.pictures.iter().map(picture).collect();
        let (mut maps, mut problems) = (BTreeMap::new(), Vec::new());
        for map in record.maps.iter().filter(|map| !LARGE_MAPS.contains(&map.name.as_str())) {
            let values = read_map(&folder, map).map_err(|error| error.to_string());
            match values.and_then(|values| planes(map, &record, &values)) {
                Ok(planes) => {
                    maps.insert(map.name.clone(), planes);
                }
                Err(text) => problems.push(text),
            }
        }
        LoadedGroup { run, folder, step, index, count, record, pictures, maps, problems }
    }
}

/// Iteration, place in it, groups of it, and record of the group that `run` shows.
fn located(run: &OpenRun, (step, index): (usize, usize)) -> Option<(usize, usize, usize, &GroupRecord)> {
    let (step, _) = run.store.group_at(step)?;
    let groups = run.store.groups();
    let end = groups.partition_point(|g| g.0 <= *step);
    let start = groups.partition_point(|g| g.0 < *step);
    let of_step = groups.get(start..end)?;
    let index = index.min(of_step.len().checked_sub(1)?);
    Some((*step, index, of_step.len(), &of_step.get(index)?.1))
}

/// Group `index` that `run` shows at iteration `step`: the last recorded at or before it. [`Loaded::Waiting`] until all its
/// pictures and maps are read; `held` is given back as long as it is still right.
#[must_use]
pub fn group_at(
    run: &OpenRun,
    media: &Media,
    at: (usize, usize),
    held: Option<&Arc<LoadedGroup>>,
) -> Option<Loaded<Arc<LoadedGroup>>> {
    let (step, index, count, record) = located(run, at)?;
    if let Some(held) = held
        && held.is((run.id, step, index, count), record)
    {
        return Some(Loaded::Ready(Arc::clone(held)));
    }
    Some(match load(run, media, record) {
        None => Loaded::Waiting,
        Some((pictures, maps, problems)) => Loaded::Ready(Arc::new(LoadedGroup {
            run: run.id,
            folder: run.store.path().to_path_buf(),
            step,
            index,
            count,
            record: record.clone(),
            pictures,
            maps,
            problems,
        })),
    })
}

type Parts = (Vec<Result<Arc<Picture>, Arc<str>>>, BTreeMap<String, Planes>, Vec<String>);

/// `None` while something is still being read; everything is asked for.
fn load(run: &OpenRun, media: &Media, record: &GroupRecord) -> Option<Parts> {
    let folder = run.store.path();
    let mut waiting = false;
    let mut pictures = Vec::with_capacity(record.pictures.len());
    for picture in &record.pictures {
        match media.picture(folder, picture.png) {
            Loaded::Waiting => waiting = true,
            Loaded::Ready(picture) => pictures.push(Ok(picture)),
            Loaded::Failed(text) => pictures.push(Err(text)),
        }
    }
    let (mut maps, mut problems) = (BTreeMap::new(), Vec::new());
    for map in record.maps.iter().filter(|map| !LARGE_MAPS.contains(&map.name.as_str())) {
        match media.map(folder, map) {
            Loaded::Waiting => waiting = true,
            Loaded::Ready(values) if !waiting => match planes(map, record, &values) {
                Ok(planes) => {
                    maps.insert(map.name.clone(), planes);
                }
                Err(text) => problems.push(text),
            },
            Loaded::Ready(_) => {}
            Loaded::Failed(text) => problems.push(text.to_string()),
        }
    }
    (!waiting).then_some((pictures, maps, problems))
}

fn planes(map: &MapRecord, record: &GroupRecord, values: &[f32]) -> Result<Planes, String> {
    let (pictures, tokens) = (record.pictures.len(), record.side * record.side);
    let count = match map.shape.as_slice() {
        [p, t] if (*p, *t) == (pictures, tokens) => 1,
        [p, planes, t] if (*p, *t) == (pictures, tokens) => *planes,
        shape => {
            return Err(format!(
                "map {} has shape {shape:?}, which does not fit {pictures} pictures of {tokens} tokens",
                map.name
            ));
        }
    };
    let planes: Result<Vec<_>, String> = values
        .chunks(tokens.max(1))
        .map(|plane| {
            TokenMap::new(record.side, plane.to_vec()).map(Arc::new).map_err(|error| error.to_string())
        })
        .collect();
    Ok(Planes { count, planes: planes?, summary: ValueSummary::of(values) })
}
