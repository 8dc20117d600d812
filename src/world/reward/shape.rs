//! The shape part: are the objects of the asked shapes?

use super::matching::{Entry, Matching};

/// Mean probability of the asked shape, 0..1.
#[must_use]
pub fn score(matching: &Matching<'_>) -> f32 {
    matching.mean(Entry::shape)
}
