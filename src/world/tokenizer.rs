//! Captions as six ids from a closed vocabulary.
//!
//! Every caption fills the slots `[count, colour 1, shape 1, link, colour 2, shape 2]`. An absent slot holds
//! id 0: the last three of a count caption, and the count of a pair, which is one of each by grammar. Six
//! zeros are the unconditional input of classifier-free guidance, so no caption may encode to that; none
//! does, as each has a shape. A colour left out has an id of its own ("any colour"), so that it differs from
//! an absent object.

use super::prompt::{Caption, Link, ObjectSpec};
use super::scene::{Colour, Relation, Shape};

/// Ids in a caption.
pub const SLOTS: usize = 6;

/// Number of ids: the null id, 4 counts, 8 colours and "any colour", 6 shapes, 5 links.
pub const VOCAB: usize = WORDS.len();

/// The six null ids that stand for "no caption".
pub const UNCONDITIONAL: [u8; SLOTS] = [0; SLOTS];

/// What each id means; the null id has an empty name.
pub const WORDS: [&str; 25] = [
    "",
    "one",
    "two",
    "three",
    "four",
    "red",
    "orange",
    "yellow",
    "green",
    "cyan",
    "blue",
    "purple",
    "white",
    "any colour",
    "circle",
    "square",
    "triangle",
    "star",
    "ring",
    "cross",
    "and",
    "left of",
    "right of",
    "above",
    "below",
];

const COUNT: u8 = 1;
const COLOUR: u8 = COUNT + 4;
const ANY_COLOUR: u8 = COLOUR + Colour::ALL.len() as u8;
const SHAPE: u8 = ANY_COLOUR + 1;
const AND: u8 = SHAPE + Shape::ALL.len() as u8;
const RELATION: u8 = AND + 1;

/// The ids of a caption. A count outside 1..=4, which no parsed caption has, is moved to the nearer end.
#[must_use]
pub fn encode(caption: &Caption) -> [u8; SLOTS] {
    let colour = |object: &ObjectSpec| object.colour.map_or(ANY_COLOUR, |colour| COLOUR + colour as u8);
    let shape = |object: &ObjectSpec| SHAPE + object.shape as u8;
    match caption {
        Caption::Count { count, object } => {
            [COUNT + count.clamp(&1, &4) - 1, colour(object), shape(object), 0, 0, 0]
        }
        Caption::Pair { first, link, second } => {
            let link = match *link {
                Link::And => AND,
                Link::Relation(relation) => RELATION + relation as u8,
            };
            [0, colour(first), shape(first), link, colour(second), shape(second)]
        }
    }
}

/// The caption that [`encode`] turns into `ids`, or `None` if there is none ([`UNCONDITIONAL`] among others).
#[must_use]
pub fn decode(ids: [u8; SLOTS]) -> Option<Caption> {
    match ids {
        [count @ COUNT..COLOUR, colour, shape, 0, 0, 0] => {
            Some(Caption::Count { count: count - COUNT + 1, object: object(colour, shape)? })
        }
        [0, colour1, shape1, link, colour2, shape2] => Some(Caption::Pair {
            first: object(colour1, shape1)?,
            link: if link == AND {
                Link::And
            } else {
                Link::Relation(entry(&Relation::ALL, link, RELATION)?)
            },
            second: object(colour2, shape2)?,
        }),
        _ => None,
    }
}

fn object(colour: u8, shape: u8) -> Option<ObjectSpec> {
    let colour = if colour == ANY_COLOUR { None } else { Some(entry(&Colour::ALL, colour, COLOUR)?) };
    Some(ObjectSpec { colour, shape: entry(&Shape::ALL, shape, SHAPE)? })
}

/// The entry of `all` whose first id is `base`.
fn entry<T: Copy>(all: &[T], id: u8, base: u8) -> Option<T> {
    all.get(usize::from(id.checked_sub(base)?)).copied()
}
