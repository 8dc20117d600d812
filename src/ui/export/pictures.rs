//! Pictures of several runs: a row a run, with the layer over all of them.

use std::path::PathBuf;
use std::sync::Arc;

use super::group::{layer_notes, scale, tile};
use super::job::Job;
use super::pictures_table::{of_frames, of_groups};
use super::sheet::{Row, Sheet};
use super::tile::{Pixels, Tile, magnification};
use super::{Format, Shown};
use crate::runs::event::{GroupRecord, ProbeFrame};
use crate::runs::list::REWARD;
use crate::runs::media::read_picture;
use crate::ui::compare::nothing_drawn::why_nothing_is_drawn;
use crate::ui::compare::sameness::sameness;
use crate::ui::compare::source::PictureSource;
use crate::ui::data::group::{FoundGroup, LoadedGroup};
use crate::ui::data::run::OpenRun;
use crate::ui::number::reading;
use crate::ui::picture::PictureStyle;
use crate::ui::ranges::Ranges;
use crate::ui::view::{OverlayView, ScaleScope};

/// Least side of a picture of a sheet if there are few, pixels.
const SIDE: usize = 256;
/// Pixels of all pictures together. Magnified by whole numbers they take at most four times as many, which a sheet may.
const MOST: usize = 15_000_000;
/// Width of a picture in a drawing.
const WIDTH: f64 = 150.0;

/// A run and what it shows.
pub(super) struct RunRow<T> {
    /// Its name, told apart from other runs.
    pub name: String,
    /// Its seed.
    pub seed: Option<u64>,
    /// Mean reward of the iteration.
    pub mean: Option<f64>,
    /// What it shows; none if nothing was recorded at or before the iteration.
    pub shown: Option<T>,
}

impl<T> RunRow<T> {
    fn of(run: &OpenRun, step_of: impl Fn(&T) -> usize, shown: Option<T>) -> Self {
        let rewards = run.store.series(REWARD).zip(shown.as_ref());
        Self {
            name: run.name.clone(),
            seed: run.store.header().seed,
            mean: rewards.and_then(|(rewards, shown)| rewards.at(step_of(shown))).map(|point| point.value),
            shown,
        }
    }

    fn with<U>(self, change: impl FnOnce(T) -> U) -> RunRow<U> {
        let Self { name, seed, mean, shown } = self;
        RunRow { name, seed, mean, shown: shown.map(change) }
    }
}

/// Pictures of fixed prompts.
pub(super) struct Strip {
    /// The iteration.
    pub step: usize,
    folder: PathBuf,
    /// One a prompt.
    pub pictures: Vec<ProbeFrame>,
}

/// A group of which only the record is needed if its numbers are saved. What is not in memory is read by the job: rows that
/// were never scrolled to are saved too.
pub(super) enum GroupOf {
    Held(Arc<LoadedGroup>),
    Unread(Box<FoundGroup>),
}

impl GroupOf {
    pub fn record(&self) -> &GroupRecord {
        match self {
            Self::Held(group) => &group.record,
            Self::Unread(group) => &group.record,
        }
    }

    /// The iteration, and which of its groups.
    pub fn place(&self) -> (usize, usize) {
        match self {
            Self::Held(group) => (group.step, group.index),
            Self::Unread(group) => (group.step, group.index),
        }
    }

    fn read(self) -> Arc<LoadedGroup> {
        match self {
            Self::Held(group) => group,
            Self::Unread(group) => Arc::new(group.read()),
        }
    }
}

pub(super) fn job(what: &Shown<'_>, format: Format) -> Result<Job, String> {
    let (scene, view) = (what.scene, what.compare.pictures);
    let runs: Vec<&OpenRun> = what.compare.drawn.iter().filter_map(|id| scene.runs.get(*id)).collect();
    if runs.is_empty() {
        return Err(why_nothing_is_drawn(scene.runs).to_owned());
    }
    let nothing = || Err("None of the runs has pictures at or before this iteration.".to_owned());
    let remark = sameness(scene, view.source, what.compare.drawn);
    if view.source == PictureSource::Fixed {
        let rows: Vec<RunRow<Strip>> = runs.into_iter().map(|run| frames(what, run)).collect();
        return match format {
            _ if rows.iter().all(|row| row.shown.is_none()) => nothing(),
            Format::Csv => Ok(Job::of_table(of_frames(&rows, &remark), format)),
            _ => Ok(Job::new(move || fixed_sheet(&rows, remark).content(format))),
        };
    }
    let rows: Vec<RunRow<GroupOf>> = runs.into_iter().map(|run| group(what, run)).collect();
    if rows.iter().all(|row| row.shown.is_none()) {
        return nothing();
    }
    if format == Format::Csv {
        return Ok(Job::of_table(of_groups(&rows, &remark), format));
    }
    let look = Look {
        overlay: what.overlay.clone(),
        ranges: scene.ranges.clone(),
        ar_step: scene.selection.ar_step,
        remark,
    };
    Ok(Job::new(move || trained_sheet(rows, look)?.content(format)))
}

fn group(what: &Shown<'_>, run: &OpenRun) -> RunRow<GroupOf> {
    let scene = what.scene;
    let found = FoundGroup::at(run, (scene.step_of(run), scene.selection.group));
    let held = what.compare.pictures.group(run.id);
    let shown = found.map(|found| match held.filter(|held| found.is(held)) {
        Some(held) => GroupOf::Held(Arc::clone(held)),
        None => GroupOf::Unread(Box::new(found)),
    });
    RunRow::of(run, |group| group.place().0, shown)
}

fn frames(what: &Shown<'_>, run: &OpenRun) -> RunRow<Strip> {
    let found = run.store.probes_at(what.scene.step_of(run));
    let folder = run.store.path();
    let shown = found.map(|(step, frames)| Strip {
        step: *step,
        folder: folder.to_path_buf(),
        pictures: frames.clone(),
    });
    RunRow::of(run, |frames| frames.step, shown)
}

/// How the pictures of groups are looked at.
struct Look {
    overlay: OverlayView,
    ranges: Ranges,
    ar_step: Option<usize>,
    remark: String,
}

impl Look {
    fn style(&self, group: &LoadedGroup) -> PictureStyle<'_> {
        let ar_step = self.ar_step.filter(|step| *step < group.record.ar_steps);
        PictureStyle { ar_step, ..PictureStyle::of(&self.overlay) }
    }

    fn has(&self, group: &LoadedGroup) -> bool {
        self.overlay.layer.map().is_none_or(|map| group.map(map).is_some())
    }
}

fn least_side(pictures: usize) -> usize {
    (MOST / pictures.max(1)).isqrt().clamp(1, SIDE)
}

fn trained_sheet(rows: Vec<RunRow<GroupOf>>, mut look: Look) -> Result<Sheet, String> {
    let rows: Vec<RunRow<Arc<LoadedGroup>>> = rows.into_iter().map(|row| row.with(GroupOf::read)).collect();
    let groups: Vec<&LoadedGroup> = rows.iter().filter_map(|row| row.shown.as_deref()).collect();
    // One range of colours for all rows, also those that the window did not read so far.
    for group in &groups {
        look.ranges.see(group);
    }
    let side = least_side(groups.iter().map(|group| group.record.pictures.len()).sum());
    let first = groups.iter().find(|group| look.has(group)).or(groups.first()).copied();
    let mut notes: Vec<String> = (!look.remark.is_empty()).then(|| look.remark.clone()).into_iter().collect();
    notes.extend(first.iter().flat_map(|group| layer_notes(group, look.style(group))));
    let prompt = groups.first().map(|group| group.record.prompt.clone());
    let prompt = prompt.filter(|prompt| groups.iter().all(|group| group.record.prompt == *prompt));
    let own = look.overlay.scale == ScaleScope::Group && groups.len() > 1;
    let of_first =
        first.filter(|_| !own).and_then(|group| scale(&look.ranges, (group, 0), look.style(group)));
    let rows: Result<Vec<Row>, String> =
        rows.iter().map(|row| trained_row(row, &look, (side, own, prompt.is_some()))).collect();
    Ok(Sheet {
        title: prompt.unwrap_or_else(|| "Pictures of several runs".to_owned()),
        notes,
        rows: rows?,
        side: WIDTH,
        scales: of_first.into_iter().collect(),
    })
}

/// `own` says whether each row has colours of its own, `titled` whether the heading of all names the prompt.
fn trained_row(
    row: &RunRow<Arc<LoadedGroup>>,
    look: &Look,
    (side, own, titled): (usize, bool, bool),
) -> Result<Row, String> {
    let mut heading = vec![row.name.clone()];
    let Some(group) = &row.shown else {
        heading.push("no pictures at or before this iteration".to_owned());
        return Ok(Row { heading, ..Row::default() });
    };
    let mut place = vec![format!("iteration {}", group.step)];
    place.extend((group.count > 1).then(|| format!("group {} of {}", group.index + 1, group.count)));
    place.extend(row.mean.map(|mean| format!("mean reward {}", reading(mean))));
    heading.push(place.join(", "));
    heading.extend((!titled).then(|| group.record.prompt.clone()));
    if !look.has(group) {
        heading.push(format!("{} was not recorded", look.overlay.layer.name()));
    }
    heading.extend(group.problems.iter().cloned());
    let style = look.style(group);
    let pictures = 0..group.record.pictures.len();
    let tiles: Result<Vec<Tile>, String> =
        pictures.map(|index| tile(&look.ranges, (group, index), style, side)).collect();
    let scale = if own { scale(&look.ranges, (group, 0), style) } else { None };
    Ok(Row { heading, scale, tiles: tiles? })
}

fn fixed_sheet(rows: &[RunRow<Strip>], remark: String) -> Sheet {
    let count = rows.iter().filter_map(|row| row.shown.as_ref()).map(|shown| shown.pictures.len()).sum();
    let side = least_side(count);
    let row = |row: &RunRow<Strip>| {
        let Some(shown) = &row.shown else {
            let nothing = "no pictures at or before this iteration".to_owned();
            return Row { heading: vec![row.name.clone(), nothing], ..Row::default() };
        };
        let heading = vec![row.name.clone(), format!("iteration {}", shown.step)];
        let tile = |(index, frame)| fixed_tile(shown, (index, frame), side);
        let tiles = shown.pictures.iter().enumerate().map(tile).collect();
        Row { heading, scale: None, tiles }
    };
    Sheet {
        title: "Fixed prompts".to_owned(),
        notes: if remark.is_empty() { Vec::new() } else { vec![remark] },
        rows: rows.iter().map(row).collect(),
        side: WIDTH,
        scales: Vec::new(),
    }
}

fn fixed_tile(shown: &Strip, (index, frame): (usize, &ProbeFrame), side: usize) -> Tile {
    let score = format!("#{}  score {}", index + 1, reading(frame.score.0));
    let mut captions = vec![score, frame.prompt.clone()];
    let pixels = match read_picture(&shown.folder, frame.png) {
        Ok(picture) => Pixels::Ready(picture.upscaled(magnification(picture.width, side))),
        Err(error) => {
            captions.push(format!("cannot be shown: {error}"));
            Pixels::missing(side)
        }
    };
    Tile { pixels, captions, marks: Vec::new() }
}
