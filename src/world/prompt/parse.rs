//! From words to a [`Caption`]: a small recursive-descent parser whose every failure is a sentence.

use super::{Caption, Link, NUMBERS, ObjectSpec};
use crate::error::{Error, Result};
use crate::world::near;
use crate::world::scene::{Colour, Relation, Shape};

/// Longest prompt that is read, in characters; the longest canonical prompt has 48.
pub const MAX_CHARS: usize = 200;

/// What every complaint ends with.
pub const EXAMPLE: &str = r#"A prompt looks like "two red circles" or "a blue square left of a green ring""#;

/// Words of the grammar that are neither number, colour nor shape.
const GLUE: [&str; 18] = [
    "a",
    "an",
    "the",
    "and",
    "to",
    "on",
    "of",
    "left",
    "right",
    "top",
    "above",
    "over",
    "below",
    "under",
    "beneath",
    "underneath",
    "photo",
    "picture",
];

/// Numbers that a person may well ask for and the world cannot hold.
const OTHER_NUMBERS: [&str; 11] =
    ["no", "zero", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "dozen"];

/// Reads `prompt`; see [`Caption::parse`].
pub(super) fn parse(prompt: &str) -> Result<Caption> {
    let length = prompt.chars().count();
    if length > MAX_CHARS {
        return Err(fault(prompt, &format!("it has {length} characters, at most {MAX_CHARS} are read")));
    }
    let lower = prompt.to_lowercase();
    let text = lower.trim().trim_end_matches('.');
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = match words.as_slice() {
        ["a" | "an" | "the", "photo" | "picture" | "image", "of", rest @ ..] => rest,
        all => all,
    };
    if words.is_empty() {
        return Err(fault(prompt, "it asks for nothing"));
    }
    for word in words {
        check_word(prompt, word)?;
    }
    Parser { prompt, words, at: 0 }.caption()
}

/// Fails on a word that no prompt may contain.
fn check_word(prompt: &str, word: &str) -> Result<()> {
    let digits = word.bytes().all(|b| b.is_ascii_digit());
    if number(word).is_none() && (digits || OTHER_NUMBERS.contains(&word)) {
        return Err(fault(
            prompt,
            &format!("{word:?} is not a count of this world; counts go from one to four"),
        ));
    }
    if number(word).is_some() || colour(word).is_some() || shape(word).is_some() || GLUE.contains(&word) {
        return Ok(());
    }
    let known = (NUMBERS.into_iter())
        .chain(Colour::ALL.map(Colour::name))
        .chain(Shape::ALL.map(Shape::name))
        .chain(Shape::ALL.map(Shape::plural))
        .chain(GLUE);
    let near = near::suggestion(word, known);
    let hint = if near.is_empty() {
        let list = |names: &[&str]| names.join(", ");
        format!(
            "; the shapes are {}, the colours {}",
            list(&Shape::ALL.map(Shape::name)),
            list(&Colour::ALL.map(Colour::name))
        )
    } else {
        near
    };
    Err(fault(prompt, &format!("{word:?} is not a known word{hint}")))
}

fn number(word: &str) -> Option<u8> {
    match word {
        "one" | "1" => Some(1),
        "two" | "2" => Some(2),
        "three" | "3" => Some(3),
        "four" | "4" => Some(4),
        _ => None,
    }
}

fn colour(word: &str) -> Option<Colour> {
    Colour::ALL.into_iter().find(|colour| colour.name() == word)
}

fn shape(word: &str) -> Option<Shape> {
    Shape::ALL.into_iter().find(|shape| shape.name() == word || shape.plural() == word)
}

/// The sentence for a prompt that cannot be understood. What is quoted stays short and on one line.
fn fault(prompt: &str, problem: &str) -> Error {
    let mut quoted: String = prompt.chars().take(60).collect();
    if quoted.len() < prompt.len() {
        quoted.push('…');
    }
    let stop = if problem.ends_with('?') { "" } else { "." };
    Error::Config(format!("the prompt {quoted:?}: {problem}{stop} {EXAMPLE}"))
}

/// How many were asked for and in what words.
#[derive(Clone, Copy, PartialEq)]
enum Amount {
    /// No number and no article.
    Unsaid,
    /// A number or an article.
    Said(u8),
}

/// The words of a prompt, all of them known, and the one to read next.
struct Parser<'a> {
    prompt: &'a str,
    words: &'a [&'a str],
    at: usize,
}

impl Parser<'_> {
    fn fault(&self, problem: &str) -> Error {
        fault(self.prompt, problem)
    }

    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).copied()
    }

    /// Reads the next word if it is one of `words`.
    fn accept(&mut self, words: &[&str]) -> bool {
        let found = self.peek().is_some_and(|word| words.contains(&word));
        self.at += usize::from(found);
        found
    }

    fn caption(&mut self) -> Result<Caption> {
        let (count, first) = self.object()?;
        let Some(word) = self.peek().map(str::to_owned) else {
            return Ok(Caption::Count { count, object: first });
        };
        let Some(link) = self.link()? else {
            return Err(self.fault(&format!(
                "{word:?} cannot follow {:?}; two objects are joined by {}",
                first.shape.name(),
                near::alternatives(&["and", "left of", "right of", "above", "below"])
            )));
        };
        let (second_count, second) = self.object()?;
        if count.max(second_count) > 1 {
            return Err(self.fault("two kinds of object can be asked for only one of each"));
        }
        match self.peek() {
            None => Ok(Caption::Pair { first, link, second }),
            Some(extra) => {
                Err(self
                    .fault(&format!("{extra:?} is one thing too many; a prompt names at most two objects")))
            }
        }
    }

    /// A number or article, a colour, a shape; only the shape is needed.
    fn object(&mut self) -> Result<(u8, ObjectSpec)> {
        let amount = self.amount();
        let colour = self.peek().and_then(colour);
        self.at += usize::from(colour.is_some());
        let Some(word) = self.peek() else {
            let names = near::alternatives(&Shape::ALL.map(Shape::name));
            return Err(self.fault(&format!("it ends where a shape should be named: {names}")));
        };
        let Some(shape) = shape(word) else {
            return Err(self.fault(&match (colour, self::colour(word)) {
                (Some(first), Some(_)) => {
                    format!("{:?} and {word:?} are two colours; an object has one", first.name())
                }
                _ => format!("{word:?} stands where a colour or a shape should be"),
            }));
        };
        let bare_plural = amount == Amount::Unsaid && word == shape.plural();
        self.at += 1;
        if bare_plural {
            let example = format!("two {}", shape.plural());
            return Err(self.fault(&format!("it does not say how many; write {example:?} or up to \"four\"")));
        }
        if let Some(colour) = self.peek().and_then(self::colour) {
            let (colour, shape) = (colour.name(), shape.name());
            return Err(self.fault(&format!("{colour:?} must stand before {shape:?}, not after it")));
        }
        let count = if let Amount::Said(count) = amount { count } else { 1 };
        Ok((count, ObjectSpec { colour, shape }))
    }

    fn amount(&mut self) -> Amount {
        if self.accept(&["a", "an", "the"]) {
            return Amount::Said(1);
        }
        let Some(count) = self.peek().and_then(number) else { return Amount::Unsaid };
        self.at += 1;
        Amount::Said(count)
    }

    /// The words between two objects, or `None` (and nothing read) when the next word cannot begin them.
    fn link(&mut self) -> Result<Option<Link>> {
        let relation = if self.accept(&["and"]) {
            return Ok(Some(Link::And));
        } else if self.accept(&["above", "over"]) {
            Relation::Above
        } else if self.accept(&["below", "under", "beneath", "underneath"]) {
            Relation::Below
        } else {
            let start = self.at;
            let led = self.accept(&["to", "on"]);
            if led {
                self.accept(&["the"]);
            }
            let relation = if self.accept(&["left"]) {
                Relation::LeftOf
            } else if self.accept(&["right"]) {
                Relation::RightOf
            } else if led && self.accept(&["top"]) {
                Relation::Above
            } else {
                self.at = start;
                return Ok(None);
            };
            if !self.accept(&["of"]) {
                let before = self.words[self.at - 1];
                return Err(self.fault(&format!("{before:?} needs \"of\" after it")));
            }
            relation
        };
        Ok(Some(Link::Relation(relation)))
    }
}
