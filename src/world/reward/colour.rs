//! The colour part: are the objects of the asked colours?

use super::matching::{Entry, Matching};

/// Mean probability of the asked colour over the objects that have one, 0..1; `None` if none has.
#[must_use]
pub fn score(matching: &Matching<'_>) -> Option<f32> {
    let asked: Vec<f32> = matching.entries.iter().filter_map(Entry::colour).collect();
    (!asked.is_empty()).then(|| asked.iter().sum::<f32>() / asked.len() as f32)
}
