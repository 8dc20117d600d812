//! The count part: are there as many objects as asked, and are they the asked ones?

use super::matching::{Entry, Matching};

/// `exp(-1.5 |K - n|)` times the mean quality of the objects, 0..1, with K components where n were asked.
///
/// The quality factor keeps noise (often one large component) from earning for "one"; the first prototype's
/// `1 - |K - n| / n` gave noise 0.5. A missing object of a pair has quality 0.
#[must_use]
pub fn score(matching: &Matching<'_>, asked: usize) -> f32 {
    let error = matching.components.abs_diff(asked);
    (-1.5 * error as f32).exp() * matching.mean(Entry::quality)
}
