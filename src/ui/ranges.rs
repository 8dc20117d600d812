//! Over what the colours of a layer range, so that pictures, iterations and runs can be compared.

use std::collections::{BTreeMap, BTreeSet};

use super::data::group::LoadedGroup;
use super::data::run::{RunId, Runs};
use super::overlay::{ColourMap, ValueRange, ValueSummary};
use super::view::{Layer, OverlayView, ScaleScope};

/// Numbers of all groups looked at so far, by run and layer.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    runs: BTreeMap<RunId, Seen>,
}

/// Numbers of one run.
#[derive(Clone, Debug, Default)]
struct Seen {
    maps: BTreeMap<&'static str, ValueSummary>,
    groups: BTreeSet<(usize, usize)>,
}

impl Ranges {
    /// Takes note of the numbers of `group`, once.
    pub fn see(&mut self, group: &LoadedGroup) {
        let seen = self.runs.entry(group.run).or_default();
        if !seen.groups.insert((group.step, group.index)) {
            return;
        }
        for layer in Layer::ALL {
            if let Some((name, planes)) = layer.map().and_then(|name| Some((name, group.map(name)?))) {
                let summary = seen.maps.entry(name).or_insert(ValueSummary::EMPTY);
                *summary = summary.merge(planes.summary);
            }
        }
    }

    /// Forgets runs that were closed: their numbers must not dull the colours of others.
    pub fn keep(&mut self, runs: &Runs) {
        self.runs.retain(|id, _| runs.get(*id).is_some());
    }

    /// Count and extent of the numbers that the colours of picture `index` range over. `plane` is the trained AR step.
    #[must_use]
    pub fn summary(
        &self,
        group: &LoadedGroup,
        (index, plane): (usize, usize),
        overlay: &OverlayView,
    ) -> Option<ValueSummary> {
        let name = overlay.layer.map()?;
        let planes = group.map(name)?;
        Some(match overlay.scale {
            ScaleScope::Picture => ValueSummary::of(planes.plane(index, plane)?.values()),
            ScaleScope::Group => planes.summary,
            // Before it is noted the group itself is all there is.
            ScaleScope::Run => {
                let seen = self.runs.values().filter_map(|run| run.maps.get(name));
                seen.fold(planes.summary, |sum, of_run| sum.merge(*of_run))
            }
        })
    }
}

/// The colour map of a layer: signed numbers have the diverging one, whatever was chosen.
#[must_use]
pub const fn colours(overlay: &OverlayView) -> ColourMap {
    if overlay.layer.is_signed() { ColourMap::Diverging } else { overlay.colours }
}

/// The ends of the colour scale.
#[must_use]
pub fn range(summary: ValueSummary, overlay: &OverlayView) -> ValueRange {
    summary.range(colours(overlay))
}
