//! Which component stands for which asked object.
//!
//! Count captions hold every component to the one description. Pairs take the ordered pair of components with
//! the best sum of matches; what else is in the picture only lowers the count.

use crate::world::prompt::{Caption, ObjectSpec};
use crate::world::scene::{Colour, Relation, Shape};
use crate::world::segment::{Component, Segmentation};
use crate::world::spatial;

/// Probability from which a colour or shape counts as recognised: `GenEval`'s threshold on box scores.
const RECOGNISED: f32 = 0.3;

/// An asked object and the component that stands for it, if any is left for it.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// What was asked.
    pub asked: ObjectSpec,
    /// What was found.
    pub found: Option<&'a Component>,
}

impl Entry<'_> {
    /// Probability of the asked colour; 0 without component, `None` if no colour is asked.
    #[must_use]
    pub fn colour(&self) -> Option<f32> {
        let colour = self.asked.colour?;
        Some(self.found.map_or(0.0, |component| component.colour[colour as usize]))
    }

    /// Probability of the asked shape; 0 without component.
    #[must_use]
    pub fn shape(&self) -> f32 {
        self.found.map_or(0.0, |component| component.shape[self.asked.shape as usize])
    }

    /// Mean of [`Self::colour`] and [`Self::shape`], or the shape alone if no colour is asked.
    #[must_use]
    pub fn quality(&self) -> f32 {
        self.colour().map_or(self.shape(), |colour| 0.5 * (colour + self.shape()))
    }

    /// The hard decision: colour and shape are each the most likely one, with a probability of at least 0.3.
    #[must_use]
    pub fn is_right(&self) -> bool {
        let Some(component) = self.found else { return false };
        let shape = decide(&component.shape).map(|i| Shape::ALL[i]);
        let colour = decide(&component.colour).map(|i| Colour::ALL[i]);
        shape == Some(self.asked.shape) && (self.asked.colour.is_none() || colour == self.asked.colour)
    }
}

/// The most likely entry, if it is likely enough.
fn decide(probabilities: &[f32]) -> Option<usize> {
    let best = probabilities.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    (*best.1 >= RECOGNISED).then_some(best.0)
}

/// A picture read in the light of a caption.
#[derive(Clone, Debug)]
pub struct Matching<'a> {
    /// Asked objects and what stands for them; never empty.
    pub entries: Vec<Entry<'a>>,
    /// Components in the picture, K.
    pub components: usize,
}

impl<'a> Matching<'a> {
    /// Matches the components of a picture to the objects of a caption.
    #[must_use]
    pub fn new(picture: &'a Segmentation, caption: &Caption) -> Self {
        let found = &picture.components;
        let entries = match caption {
            Caption::Count { object, .. } if found.is_empty() => vec![Entry { asked: *object, found: None }],
            Caption::Count { object, .. } => {
                found.iter().map(|component| Entry { asked: *object, found: Some(component) }).collect()
            }
            Caption::Pair { first, second, .. } => best_pair(found, *first, *second, caption.relation()),
        };
        Self { entries, components: found.len() }
    }

    /// Mean of a score over the entries.
    #[must_use]
    pub fn mean(&self, score: impl Fn(&Entry<'a>) -> f32) -> f32 {
        self.entries.iter().map(score).sum::<f32>() / self.entries.len().max(1) as f32
    }
}

/// The ordered pair with the best sum of qualities. Pairs as good as each other (two objects described alike)
/// are told apart by the asked relation. A single component stands for the object it suits better.
fn best_pair(
    found: &[Component],
    first: ObjectSpec,
    second: ObjectSpec,
    asked: Option<Relation>,
) -> Vec<Entry<'_>> {
    /// Weight of the relation between equally good pairs; far below what a visible difference in quality
    /// makes.
    const TIE: f32 = 1e-4;
    let quality = |asked: ObjectSpec| {
        found.iter().map(|component| Entry { asked, found: Some(component) }.quality()).collect::<Vec<_>>()
    };
    let (as_first, as_second) = (quality(first), quality(second));
    let entries = |a: Option<usize>, b: Option<usize>| {
        vec![
            Entry { asked: first, found: a.map(|i| &found[i]) },
            Entry { asked: second, found: b.map(|i| &found[i]) },
        ]
    };
    if found.len() < 2 {
        let only = (!found.is_empty()).then_some(0);
        let suits_first = only.is_some_and(|i| as_first[i] >= as_second[i]);
        return if suits_first { entries(only, None) } else { entries(None, only) };
    }
    let (mut best, mut chosen) = (f32::NEG_INFINITY, (0, 1));
    for (i, a) in found.iter().enumerate() {
        for (j, b) in found.iter().enumerate().filter(|&(j, _)| j != i) {
            let mut score = as_first[i] + as_second[j];
            // The relation costs more than all the rest and can matter only near the best.
            if let Some(relation) = asked.filter(|_| score + TIE >= best) {
                score +=
                    TIE * spatial::along(relation, spatial::relative_offset(&a.bounds, &b.bounds)) as f32;
            }
            if score > best {
                (best, chosen) = (score, (i, j));
            }
        }
    }
    entries(Some(chosen.0), Some(chosen.1))
}
