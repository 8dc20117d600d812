//! Captions: what a prompt asks for, and its canonical wording.
//!
//! Two forms, after the prompts of `GenEval`: a number of equal objects ("two red circles"), and a pair of
//! single objects with a link ("a blue square left of a green ring"). A colour may be left out.
//! [`Caption::parse`] reads free wording, [`Display`](fmt::Display) writes the canonical one; the two are
//! inverse.

mod parse;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::scene::{Colour, Relation, Shape};
use crate::error::{Error, Result};

pub use parse::{EXAMPLE, MAX_CHARS};

/// The number words, from one.
pub const NUMBERS: [&str; 4] = ["one", "two", "three", "four"];

/// What is said about one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectSpec {
    /// Asked colour; `None` allows any.
    pub colour: Option<Colour>,
    /// Asked shape.
    pub shape: Shape,
}

/// How the two objects of a pair are tied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// Both are there, wherever.
    And,
    /// The first lies in this relation to the second.
    Relation(Relation),
}

impl Link {
    /// The words of the link.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Relation(relation) => relation.name(),
        }
    }
}

/// What a prompt asks for. Stored as its canonical wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Caption {
    /// Equal objects.
    Count {
        /// How many, 1 to 4.
        count: u8,
        /// What each of them is.
        object: ObjectSpec,
    },
    /// Two single objects.
    Pair {
        /// The object named first.
        first: ObjectSpec,
        /// How the two are tied.
        link: Link,
        /// The object named second.
        second: ObjectSpec,
    },
}

impl Caption {
    /// Reads a prompt, in canonical or free wording.
    ///
    /// # Errors
    /// One sentence that names the word that cannot be understood and what may have been meant, and an
    /// example.
    pub fn parse(prompt: &str) -> Result<Self> {
        parse::parse(prompt)
    }

    /// How many objects the picture should hold.
    #[must_use]
    pub const fn count(&self) -> usize {
        match self {
            Self::Count { count, .. } => *count as usize,
            Self::Pair { .. } => 2,
        }
    }

    /// One entry for each object asked for, in order of mention: "two red circles" gives two.
    #[must_use]
    pub fn objects_asked(&self) -> Vec<ObjectSpec> {
        match *self {
            Self::Count { count, object } => vec![object; usize::from(count)],
            Self::Pair { first, second, .. } => vec![first, second],
        }
    }

    /// The relation asked for, if one is.
    #[must_use]
    pub const fn relation(&self) -> Option<Relation> {
        match self {
            Self::Pair { link: Link::Relation(relation), .. } => Some(*relation),
            _ => None,
        }
    }

    /// Whether any object has an asked colour.
    #[must_use]
    pub const fn asks_colour(&self) -> bool {
        match self {
            Self::Count { object, .. } => object.colour.is_some(),
            Self::Pair { first, second, .. } => first.colour.is_some() || second.colour.is_some(),
        }
    }

    /// One wording for captions that the same pictures satisfy: "and" in a fixed order, and only "left of"
    /// and "above" ("a circle right of a star" becomes "a star left of a circle").
    #[must_use]
    pub fn canonical(&self) -> Self {
        let Self::Pair { first, link, second } = *self else { return *self };
        let swap = match link {
            Link::And => second < first,
            Link::Relation(relation) => matches!(relation, Relation::RightOf | Relation::Below),
        };
        if !swap {
            return *self;
        }
        let link = match link {
            Link::And => Link::And,
            Link::Relation(relation) => Link::Relation(relation.opposite()),
        };
        Self::Pair { first: second, link, second: first }
    }
}

impl fmt::Display for ObjectSpec {
    /// Colour and shape without article: "red circle".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(colour) = self.colour {
            write!(f, "{} ", colour.name())?;
        }
        f.write_str(self.shape.name())
    }
}

impl fmt::Display for Caption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { count: 1, object } => single(*object, f),
            Self::Count { count, object } => {
                match NUMBERS.get(usize::from(*count).wrapping_sub(1)) {
                    Some(word) => f.write_str(word)?,
                    None => write!(f, "{count}")?,
                }
                if let Some(colour) = object.colour {
                    write!(f, " {}", colour.name())?;
                }
                write!(f, " {}", object.shape.plural())
            }
            Self::Pair { first, link, second } => {
                single(*first, f)?;
                write!(f, " {} ", link.name())?;
                single(*second, f)
            }
        }
    }
}

/// One object with its article; of all colours and shapes only "orange" begins with a vowel.
fn single(object: ObjectSpec, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let article = if object.colour == Some(Colour::Orange) { "an" } else { "a" };
    write!(f, "{article} {object}")
}

impl FromStr for Caption {
    type Err = Error;

    fn from_str(prompt: &str) -> Result<Self> {
        Self::parse(prompt)
    }
}

impl TryFrom<String> for Caption {
    type Error = Error;

    fn try_from(prompt: String) -> Result<Self> {
        Self::parse(&prompt)
    }
}

impl From<Caption> for String {
    fn from(caption: Caption) -> Self {
        caption.to_string()
    }
}
