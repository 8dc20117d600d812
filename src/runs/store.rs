//! Everything a panel reads about a run, ours or imported: built from events, queried by step.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::event::{Event, GroupRecord, Mark, ProbeFrame, Scalar};
use super::folder::RunHeader;
use super::reader::RunReader;
use super::series::{Point, Series};
use crate::error::Result;

/// What is known about one run. Pictures and maps stay in `media.bin`, see [`super::media`].
#[derive(Clone, Debug)]
pub struct RunStore {
    path: PathBuf,
    header: RunHeader,
    series: BTreeMap<String, Series>,
    changes: Vec<ChangeEntry>,
    marks: Vec<MarkEntry>,
    notes: Vec<NoteEntry>,
    groups: Vec<(usize, GroupRecord)>,
    probes: Vec<(usize, Vec<ProbeFrame>)>,
    last_step: Option<usize>,
}

/// A setting that changed between two iterations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeEntry {
    /// First training step with the new value.
    pub step: usize,
    /// Path of the setting, as in the configuration file.
    pub setting: String,
    /// Value before.
    pub from: serde_json::Value,
    /// Value from `step` on.
    pub to: serde_json::Value,
}

/// Something to be seen on the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MarkEntry {
    /// Training step it belongs to.
    pub step: usize,
    /// What it is.
    pub mark: Mark,
    /// In words.
    pub text: String,
}

/// A remark for the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoteEntry {
    /// Training step it belongs to.
    pub step: usize,
    /// The remark.
    pub text: String,
}

impl RunStore {
    /// A store of the run at `path` (its folder, or the file it is imported from) without events.
    #[must_use]
    pub fn new(path: &Path, header: RunHeader) -> Self {
        Self {
            path: path.to_path_buf(),
            header,
            series: BTreeMap::new(),
            changes: Vec::new(),
            marks: Vec::new(),
            notes: Vec::new(),
            groups: Vec::new(),
            probes: Vec::new(),
            last_step: None,
        }
    }

    /// Adds an event. Events may come in any order: each finds its place behind all others of its step and of earlier
    /// ones. In ascending order they cost least.
    pub fn add(&mut self, event: Event) {
        let step = event.step();
        self.last_step = self.last_step.max(Some(step));
        match event {
            Event::Scalars { seconds, values, .. } => self.add_scalars(step, seconds, values),
            Event::Note { text, .. } => insert(&mut self.notes, NoteEntry { step, text }, |e| e.step),
            Event::Change { setting, from, to, .. } => {
                insert(&mut self.changes, ChangeEntry { step, setting, from, to }, |e| e.step);
            }
            Event::Mark { mark, text, .. } => {
                insert(&mut self.marks, MarkEntry { step, mark, text }, |e| e.step);
            }
            Event::Group { group, .. } => insert(&mut self.groups, (step, group), |e| e.0),
            Event::Probes { frames, .. } => insert(&mut self.probes, (step, frames), |e| e.0),
        }
    }

    fn add_scalars(&mut self, step: usize, seconds: f64, values: BTreeMap<String, Scalar>) {
        for (name, Scalar(value)) in values {
            let point = Point { step, seconds, value };
            match self.series.get_mut(&name) {
                Some(series) => series.push(point),
                None => self.series.entry(name).or_default().push(point),
            }
        }
    }

    /// Forgets all events, as when the run was rewritten.
    pub fn clear(&mut self) {
        *self = Self::new(&self.path, self.header.clone());
    }

    /// Adds what `reader` finds next, forgetting all before if the run was rewritten. Says whether there is more to be
    /// had at once.
    ///
    /// # Errors
    /// Those of [`RunReader::follow`]; what was added before stays.
    pub fn update(&mut self, reader: &mut RunReader) -> Result<bool> {
        let followed = reader.follow()?;
        if followed.restarted {
            self.clear();
        }
        self.extend(followed.events);
        Ok(followed.more)
    }

    /// The run's folder, or the file it was imported from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the user calls the run, or the name of its folder or file.
    #[must_use]
    pub fn name(&self) -> String {
        run_name(&self.header, &self.path)
    }

    /// What the run is.
    #[must_use]
    pub const fn header(&self) -> &RunHeader {
        &self.header
    }

    /// The greatest step of any event.
    #[must_use]
    pub const fn last_step(&self) -> Option<usize> {
        self.last_step
    }

    /// Names of all series, sorted.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.series.keys().map(String::as_str)
    }

    /// The series of that name.
    #[must_use]
    pub fn series(&self, name: &str) -> Option<&Series> {
        self.series.get(name)
    }

    /// The series with the most points.
    #[must_use]
    pub fn longest(&self) -> Option<&Series> {
        self.series.values().max_by_key(|series| series.len())
    }

    /// All series, sorted by name.
    #[must_use]
    pub fn all_series(&self) -> impl ExactSizeIterator<Item = (&str, &Series)> {
        self.series.iter().map(|(name, series)| (name.as_str(), series))
    }

    /// Settings that changed, by step.
    #[must_use]
    pub fn changes(&self) -> &[ChangeEntry] {
        &self.changes
    }

    /// Marks of the timeline, by step.
    #[must_use]
    pub fn marks(&self) -> &[MarkEntry] {
        &self.marks
    }

    /// Remarks, by step.
    #[must_use]
    pub fn notes(&self) -> &[NoteEntry] {
        &self.notes
    }

    /// Recorded groups with their steps, by step.
    #[must_use]
    pub fn groups(&self) -> &[(usize, GroupRecord)] {
        &self.groups
    }

    /// The last group recorded at or before `step`, with the step it really is of.
    #[must_use]
    pub fn group_at(&self, step: usize) -> Option<&(usize, GroupRecord)> {
        self.groups[..self.groups.partition_point(|e| e.0 <= step)].last()
    }

    /// Pictures of the fixed prompts with their steps, by step.
    #[must_use]
    pub fn probes(&self) -> &[(usize, Vec<ProbeFrame>)] {
        &self.probes
    }

    /// The last pictures of the fixed prompts drawn at or before `step`, with the step they really are of.
    #[must_use]
    pub fn probes_at(&self, step: usize) -> Option<&(usize, Vec<ProbeFrame>)> {
        self.probes[..self.probes.partition_point(|e| e.0 <= step)].last()
    }
}

impl Extend<Event> for RunStore {
    /// Adds events in any order; they are sorted first, so that a log that is written backwards costs no more.
    fn extend<I: IntoIterator<Item = Event>>(&mut self, events: I) {
        let mut events: Vec<Event> = events.into_iter().collect();
        events.sort_by_key(Event::step);
        for event in events {
            self.add(event);
        }
    }
}

/// What the user calls a run, or the name of its folder or file.
pub(super) fn run_name(header: &RunHeader, path: &Path) -> String {
    let of_path = || path.file_name().map_or_else(|| path.display().to_string(), |n| n.display().to_string());
    header.name.clone().unwrap_or_else(of_path)
}

/// Puts `entry` behind all others of its step and of earlier ones.
fn insert<T>(entries: &mut Vec<T>, entry: T, step: impl Fn(&T) -> usize) {
    let at = match entries.last() {
        Some(last) if step(last) > step(&entry) => entries.partition_point(|e| step(e) <= step(&entry)),
        _ => entries.len(),
    };
    entries.insert(at, entry);
}
