//! What part of the vertical axis a panel shows.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::curve::Curve;
use super::memory::{Memory, Part};
use super::scale::Scale;

/// Room above and below the curves, as a share of their height.
const ROOM: f64 = 0.05;

/// Values at most that percentiles are taken of.
const SAMPLE: usize = 8192;

/// A part of the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct YExtent {
    /// Coordinates of its ends.
    pub y: [f64; 2],
    /// Points of the raw curves in view that lie beyond.
    pub outside: usize,
}

/// An extent and a hash of what it was computed of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KnownExtent(Option<(u64, YExtent)>);

/// What decides about an extent besides the curves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct YChoice {
    pub scale: Scale,
    /// Whether the outermost hundredth on both sides is left out.
    pub ignore_outliers: bool,
    /// Chosen by the reader.
    pub chosen: Option<[f64; 2]>,
}

impl KnownExtent {
    /// The extent, computed anew only if a curve or the choice changed.
    pub fn of(&mut self, curves: &[&Curve<'_>], memory: &Memory, choice: &YChoice) -> YExtent {
        let basis = basis(curves, memory, choice);
        match self.0 {
            Some((known, extent)) if known == basis => extent,
            _ => {
                let extent = extent(curves, memory, choice);
                self.0 = Some((basis, extent));
                extent
            }
        }
    }
}

fn basis(curves: &[&Curve<'_>], memory: &Memory, choice: &YChoice) -> u64 {
    let mut hasher = DefaultHasher::new();
    choice.ignore_outliers.hash(&mut hasher);
    choice.chosen.map(|y| y.map(f64::to_bits)).hash(&mut hasher);
    choice.scale.word().hash(&mut hasher);
    if let Scale::Symlog { threshold } = choice.scale {
        threshold.to_bits().hash(&mut hasher);
    }
    for curve in curves {
        for part in [Part::Raw, Part::Smooth, Part::Low, Part::High] {
            (curve.id, memory.revision(curve.id, part)).hash(&mut hasher);
        }
    }
    hasher.finish()
}

fn extent(curves: &[&Curve<'_>], memory: &Memory, choice: &YChoice) -> YExtent {
    let whole = whole(curves, memory, choice.scale);
    let y = if let Some(chosen) = choice.chosen {
        chosen
    } else if choice.ignore_outliers {
        let inner = inner(curves, memory, choice.scale).unwrap_or(whole);
        [inner[0].max(whole[0]), inner[1].min(whole[1])]
    } else {
        whole
    };
    YExtent { y, outside: outside(curves, memory, choice.scale, y) }
}

/// From the least to the greatest coordinate in view, with some room; 0 to 1 if there is nothing.
fn whole(curves: &[&Curve<'_>], memory: &Memory, scale: Scale) -> [f64; 2] {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for curve in curves {
        for part in [Part::Raw, Part::Smooth, Part::Low, Part::High] {
            for column in memory.inside(curve.id, part).iter().filter(|column| column.has_place()) {
                (low, high) = (low.min(column.low), high.max(column.high));
            }
        }
    }
    if low > high {
        // Zoomed in between two points: the line between them is in view.
        for column in curves.iter().flat_map(|curve| memory.columns(curve.id, Part::Raw)) {
            (low, high) = (low.min(column.low), high.max(column.high));
        }
    }
    if low > high { [0.0, 1.0] } else { roomy([scale.bend(low), scale.bend(high)], ROOM) }
}

/// Wider on both sides; never empty.
fn roomy([low, high]: [f64; 2], share: f64) -> [f64; 2] {
    let span = (high / 2.0 - low / 2.0) * 2.0;
    let least = low.abs().max(high.abs()) * 1e-9;
    let room = if span > least { span * share } else { (low.abs() * 0.1).max(1e-12) };
    let room = if low == high && low == 0.0 { 1.0 } else { room };
    [(low - room).max(-1e300), (high + room).min(1e300)]
}

/// From the 1st to the 99th percentile of the points in view, with some room.
fn inner(curves: &[&Curve<'_>], memory: &Memory, scale: Scale) -> Option<[f64; 2]> {
    let mut ranges = Vec::new();
    for curve in curves {
        let inside = memory.inside(curve.id, Part::Raw);
        let (Some(first), Some(last)) = (inside.first(), inside.last()) else { continue };
        ranges.push((curve.series.columns().2, first.from..last.to));
    }
    let points: usize = ranges.iter().map(|(_, range)| range.len()).sum();
    let every = points.div_ceil(SAMPLE).max(1);
    let mut sample = Vec::with_capacity(points / every + ranges.len());
    for (values, range) in ranges {
        // On a grid of its own, so that panning keeps the same points.
        let first = range.start.next_multiple_of(every);
        let values = values.get(first..range.end).unwrap_or(&[]).iter().step_by(every);
        sample.extend(values.filter_map(|value| scale.place(*value)));
    }
    let last = sample.len().checked_sub(1)?;
    let mut percentile = |hundredth: usize| {
        let (_, value, _) = sample.select_nth_unstable_by(last * hundredth / 100, f64::total_cmp);
        *value
    };
    Some(roomy([percentile(1), percentile(99)], 2.0 * ROOM))
}

/// Points of the raw curves in view whose coordinates lie beyond `y`: all of them are counted.
fn outside(curves: &[&Curve<'_>], memory: &Memory, scale: Scale, y: [f64; 2]) -> usize {
    let beyond = |value: &&f64| scale.place(**value).is_some_and(|at| at < y[0] || at > y[1]);
    let mut count = 0;
    for curve in curves {
        let values = curve.series.columns().2;
        for column in memory.inside(curve.id, Part::Raw).iter().filter(|column| column.has_place()) {
            if scale.bend(column.low) < y[0] || scale.bend(column.high) > y[1] {
                count += values.get(column.from..column.to).unwrap_or(&[]).iter().filter(beyond).count();
            }
        }
    }
    count
}
