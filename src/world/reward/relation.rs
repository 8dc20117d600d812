//! The relation part: does the first object lie where it should, seen from the second?
//!
//! `GenEval`'s own offset ([`spatial::relative_offset`]) decides; the soft score only replaces its step at
//! 0.5 by a ramp from 0.2 to 0.7, so that there is something to climb.

use super::matching::{Entry, Matching};
use crate::world::scene::Relation;
use crate::world::spatial;

/// `clip((d - 0.2) / 0.5, 0, 1)` of the offset `d` along the asked direction, times the geometric mean of the
/// two qualities, so that a correct layout of wrong objects earns little. 0 with an object missing.
#[must_use]
pub fn score(matching: &Matching<'_>, asked: Relation) -> f32 {
    let Some(d) = offset_along(matching, asked) else { return 0.0 };
    let quality: f32 = matching.entries.iter().map(Entry::quality).product();
    ((d as f32 - 0.2) / 0.5).clamp(0.0, 1.0) * quality.sqrt()
}

/// `GenEval`'s verdict: the offset along the asked direction exceeds 0.5.
#[must_use]
pub fn holds(matching: &Matching<'_>, asked: Relation) -> bool {
    offset_along(matching, asked).is_some_and(|d| d > 0.5)
}

fn offset_along(matching: &Matching<'_>, asked: Relation) -> Option<f64> {
    let [first, second] = matching.entries.as_slice() else { return None };
    let (first, second) = (first.found?, second.found?);
    Some(spatial::along(asked, spatial::relative_offset(&first.bounds, &second.bounds)))
}
