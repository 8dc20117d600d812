//! The verifier: does the picture show what the caption asks?
//!
//! It segments the picture, matches components to asked objects, and scores up to four parts; the reward is
//! the plain mean of those that apply. Nothing is learned, so nothing can be fooled but the rules themselves.

use serde::{Deserialize, Serialize};

use super::matching::{Entry, Matching};
use super::{Reward, colour, count, legibility, relation, shape};
use crate::world::image::Rgb8;
use crate::world::prompt::Caption;
use crate::world::segment;

/// What the verifier found. A part is `None` where the caption does not ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Asked colours, 0..1.
    pub colour: Option<f32>,
    /// Asked shapes, 0..1.
    pub shape: Option<f32>,
    /// Asked number of such objects, 0..1.
    pub count: Option<f32>,
    /// Asked relation of such objects, 0..1.
    pub relation: Option<f32>,
    /// Share of the ink that reads as clean shapes, 0..1; not in the mean.
    pub legibility: f32,
    /// Mean of the parts that apply, 0..1.
    pub mean: f32,
    /// Whether every hard decision is right: number, colours, shapes, and `GenEval`'s verdict on the
    /// relation.
    pub exact: bool,
}

/// The reward `verifier`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verifier;

impl Verifier {
    /// Judges a picture of any size.
    #[must_use]
    pub fn verify(&self, image: &Rgb8, caption: &Caption) -> Verdict {
        let picture = segment::segment(image);
        let matching = Matching::new(&picture, caption);
        let asked = caption.relation();
        let parts = [
            colour::score(&matching),
            Some(shape::score(&matching)),
            Some(count::score(&matching, caption.count())),
            asked.map(|relation| relation::score(&matching, relation)),
        ];
        let applicable = parts.iter().flatten().count().max(1);
        let exact = matching.components == caption.count()
            && matching.entries.iter().all(Entry::is_right)
            && asked.is_none_or(|relation| relation::holds(&matching, relation));
        Verdict {
            colour: parts[0],
            shape: parts[1],
            count: parts[2],
            relation: parts[3],
            legibility: legibility::score(&picture),
            mean: parts.iter().flatten().sum::<f32>() / applicable as f32,
            exact,
        }
    }
}

impl Reward for Verifier {
    fn name(&self) -> &'static str {
        "verifier"
    }

    fn score(&self, image: &Rgb8, caption: &Caption) -> f32 {
        self.verify(image, caption).mean
    }
}

/// One part of the verdict as a reward of its own.
#[derive(Clone, Copy, Debug)]
pub struct VerifierPart {
    name: &'static str,
    part: fn(&Verdict) -> Option<f32>,
}

/// The parts that can be rewarded alone.
#[must_use]
pub const fn parts() -> [VerifierPart; 6] {
    [
        VerifierPart { name: "verifier.colour", part: |verdict| verdict.colour },
        VerifierPart { name: "verifier.shape", part: |verdict| verdict.shape },
        VerifierPart { name: "verifier.count", part: |verdict| verdict.count },
        VerifierPart { name: "verifier.relation", part: |verdict| verdict.relation },
        VerifierPart { name: "verifier.legibility", part: |verdict| Some(verdict.legibility) },
        VerifierPart { name: "verifier.exact", part: |verdict| Some(if verdict.exact { 1.0 } else { 0.0 }) },
    ]
}

impl Reward for VerifierPart {
    fn name(&self) -> &'static str {
        self.name
    }

    /// A part that the caption does not ask for scores 1: nothing was asked, so nothing is missing. Being the
    /// same for all pictures of a group, it makes no advantage.
    fn score(&self, image: &Rgb8, caption: &Caption) -> f32 {
        (self.part)(&Verifier.verify(image, caption)).unwrap_or(1.0)
    }
}
