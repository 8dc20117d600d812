//! The large maps, which are recorded only now and then.

use std::sync::Arc;

use super::inspected::Inspected;
use crate::runs::event::MapRecord;
use crate::runs::store::RunStore;
use crate::ui::data::media::Loaded;

/// A large map of the group that is shown.
pub enum Large<'a> {
    /// It was not recorded at this iteration.
    Absent,
    /// It is being read.
    Waiting,
    /// It cannot be read, and why.
    Failed(Arc<str>),
    /// Its shape and its numbers.
    Ready(&'a MapRecord, Arc<Vec<f32>>),
}

/// The large map of that name.
#[must_use]
pub fn large<'a>(input: &Inspected<'a>, name: &str) -> Large<'a> {
    let Some(map) = input.group.record.maps.iter().find(|map| map.name == name) else { return Large::Absent };
    match input.scene.media.map(&input.group.folder, map) {
        Loaded::Waiting => Large::Waiting,
        Loaded::Failed(text) => Large::Failed(text),
        Loaded::Ready(values) => Large::Ready(map, values),
    }
}

/// The iteration nearest to `step` with a map of that name: the last before it, or else the first after it.
#[must_use]
pub fn nearest_with(store: &RunStore, step: usize, name: &str) -> Option<usize> {
    let groups = store.groups();
    let (before, after) = groups.split_at(groups.partition_point(|(at, _)| *at < step));
    let has = |(at, group): &(usize, crate::runs::event::GroupRecord)| {
        (*at != step && group.maps.iter().any(|map| map.name == name)).then_some(*at)
    };
    before.iter().rev().find_map(has).or_else(|| after.iter().find_map(has))
}
