//! How cleanly a picture reads, whatever was asked.
//!
//! The share of the ink (pixels farther than 0.1 from the background) that belongs to components of one
//! palette colour and a known shape. Smears, fused objects, odd colours and specks lower it. Kept out of the
//! verifier's mean, which follows the prompt alone; alone, it can be raised by any tidy picture.

use crate::world::segment::{Component, Segmentation};

/// Ink-weighted mean over the components of (best colour probability x best shape probability), 0..1; ink
/// outside all components counts 0, a picture without ink scores 0.
#[must_use]
pub fn score(picture: &Segmentation) -> f32 {
    let best = |probabilities: &[f32]| probabilities.iter().copied().fold(0.0, f32::max);
    let read =
        |component: &Component| component.ink as f32 * best(&component.colour) * best(&component.shape);
    let total: f32 = picture.components.iter().map(read).sum();
    // The rim between two objects that nearly touch counts for both, hence the bound.
    (total / picture.ink.max(1) as f32).min(1.0)
}
