//! The six task families, after the categories of `GenEval`.
//!
//! | family | prompt | `GenEval` | T2I-CompBench |
//! | --- | --- | --- | --- |
//! | single object | "a circle" | `single_object` | – |
//! | two objects | "a circle and a square" | `two_object` | – |
//! | counting | "three red stars" | `counting` | numeracy |
//! | colours | "a red circle" | `colors` | – |
//! | colour attribution | "a red circle and a blue square" | `color_attr` | colour binding, shape binding |
//! | position | "a red circle left of a blue square" | `position` | 2D spatial |
//!
//! Texture binding (T2I-CompBench) is left out: in 64 x 64 pixels with radii of 9 to 19 a stripe is 2 to 3
//! pixels wide; the eightfold autoencoder blurs it, and the verifier could not tell it from noise.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::near;
use super::prompt::{Caption, Link, ObjectSpec};
use super::scene::{Colour, Relation, Shape};
use crate::error::{Error, Result};

/// A kind of task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// One shape of any colour.
    SingleObject,
    /// Two different shapes of any colours.
    TwoObjects,
    /// Two to four equal shapes, with or without a colour.
    Counting,
    /// One shape of one colour.
    Colours,
    /// Two objects of two colours; the shapes may be equal.
    ColourAttribution,
    /// Two coloured objects, different in colour or shape or both, and where the first lies.
    Position,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 6] = [
        Self::SingleObject,
        Self::TwoObjects,
        Self::Counting,
        Self::Colours,
        Self::ColourAttribution,
        Self::Position,
    ];

    /// The name in settings, records and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["single_object", "two_objects", "counting", "colours", "colour_attribution", "position"]
            [self as usize]
    }

    /// The family a caption belongs to; captions that no family would draw ("a circle and a circle") go to
    /// the nearest.
    #[must_use]
    pub const fn of(caption: &Caption) -> Self {
        match caption {
            Caption::Pair { link: Link::Relation(_), .. } => Self::Position,
            Caption::Pair { .. } if caption.asks_colour() => Self::ColourAttribution,
            Caption::Pair { .. } => Self::TwoObjects,
            Caption::Count { count: 0 | 1, .. } if caption.asks_colour() => Self::Colours,
            Caption::Count { count: 0 | 1, .. } => Self::SingleObject,
            Caption::Count { .. } => Self::Counting,
        }
    }

    /// Every caption of the family, in a fixed order: 6, 30, 162, 48, 2,016 and 9,024 of them.
    #[must_use]
    pub fn captions(self) -> Vec<Caption> {
        let plain = Shape::ALL.map(|shape| ObjectSpec { colour: None, shape });
        let coloured = Shape::ALL
            .iter()
            .flat_map(|&shape| Colour::ALL.map(|colour| ObjectSpec { colour: Some(colour), shape }));
        let coloured: Vec<ObjectSpec> = coloured.collect();
        let count = |counts: std::ops::RangeInclusive<u8>, objects: &[ObjectSpec]| {
            let all = objects
                .iter()
                .flat_map(|&object| counts.clone().map(move |count| Caption::Count { count, object }));
            all.collect::<Vec<_>>()
        };
        match self {
            Self::SingleObject => count(1..=1, &plain),
            Self::Colours => count(1..=1, &coloured),
            Self::Counting => [count(2..=4, &plain), count(2..=4, &coloured)].concat(),
            Self::TwoObjects => pairs(&plain, &[Link::And], |a, b| a.shape != b.shape),
            Self::ColourAttribution => pairs(&coloured, &[Link::And], |a, b| a.colour != b.colour),
            Self::Position => pairs(&coloured, &Relation::ALL.map(Link::Relation), |a, b| a != b),
        }
    }
}

/// Every ordered pair that `differ` accepts, with every link.
fn pairs(objects: &[ObjectSpec], links: &[Link], differ: fn(ObjectSpec, ObjectSpec) -> bool) -> Vec<Caption> {
    let mut captions = Vec::new();
    for &first in objects {
        for &second in objects.iter().filter(|&&second| differ(first, second)) {
            captions.extend(links.iter().map(|&link| Caption::Pair { first, link, second }));
        }
    }
    captions
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Family {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let names = Self::ALL.map(Self::name);
        Self::ALL.into_iter().find(|family| family.name() == name).ok_or_else(|| {
            let near = near::suggestion(name, names);
            let near = if near.is_empty() { "." } else { &near };
            Error::Config(format!(
                "there is no task family {name:?}{near} The families are {}",
                names.join(", ")
            ))
        })
    }
}
