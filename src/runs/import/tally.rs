//! Counts of what could not be read, told once a kind and not once a case: a log of a week may have thousands.

use std::collections::BTreeMap;

/// A kind of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    BadRecord,
    NotAnEvent,
    OtherValue,
    BadPicture,
    TooManyPictures,
    BadStep,
    BadLine,
    LongLine,
    NotAnObject,
    NoStep,
    NoTime,
    Backwards,
    Null,
    Text,
    List,
    LongName,
}

impl Trouble {
    /// What follows "1 " and what follows "2 ".
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::BadRecord => (
                "record has a wrong checksum and was left out",
                "records have a wrong checksum and were left out",
            ),
            Self::NotAnEvent => (
                "record is not an event of TensorBoard and was left out",
                "records are not events of TensorBoard and were left out",
            ),
            Self::OtherValue => (
                "value is neither a number nor a picture and was left out",
                "values are neither numbers nor pictures and were left out",
            ),
            Self::BadPicture => (
                "picture is not a PNG or JPEG of a sane size and was left out",
                "pictures are not PNG or JPEG of a sane size and were left out",
            ),
            Self::TooManyPictures => (
                "picture was left out because the others fill the memory set aside for them",
                "pictures were left out because the others fill the memory set aside for them",
            ),
            Self::BadStep => (
                "record has a step that is negative or beyond 2^53 and was left out",
                "records have a step that is negative or beyond 2^53 and were left out",
            ),
            Self::BadLine => ("line is not JSON and was left out", "lines are not JSON and were left out"),
            Self::LongLine => (
                "line is longer than 16 MiB and was left out",
                "lines are longer than 16 MiB and were left out",
            ),
            Self::NotAnObject => (
                "entry is not an object with names and was left out",
                "entries are not objects with names and were left out",
            ),
            Self::NoStep => (
                "entry has no step and was given its number in the file instead",
                "entries have no step and were given their numbers in the file instead",
            ),
            Self::NoTime => (
                "entry has no time and was given that of the one before",
                "entries have no time and were given that of the one before",
            ),
            Self::Backwards => (
                "time the step goes back, as after a restart; both stretches were kept",
                "times the step goes back, as after a restart; all stretches were kept",
            ),
            Self::Null => (
                "value is null, as some loggers write NaN, and was left out",
                "values are null, as some loggers write NaN, and were left out",
            ),
            Self::Text => ("value is text and was left out", "values are text and were left out"),
            Self::List => ("value is a list and was left out", "values are lists and were left out"),
            Self::LongName => (
                "value has a name of more than 256 bytes and was left out",
                "values have a name of more than 256 bytes and were left out",
            ),
        }
    }
}

/// How often there was trouble, and where first.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(BTreeMap<Trouble, (usize, String)>);

impl Tally {
    /// Counts a case; `place` ("line 3") is asked for only the first time.
    pub fn add(&mut self, trouble: Trouble, place: impl FnOnce() -> String) {
        self.0.entry(trouble).or_insert_with(|| (0, place())).0 += 1;
    }

    /// How often there was this.
    pub fn count(&self, trouble: Trouble) -> usize {
        self.0.get(&trouble).map_or(0, |(count, _)| *count)
    }

    /// A sentence a kind.
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |(trouble, (count, first)): (&Trouble, &(usize, String))| match count {
            1 => format!("1 {} ({first})", trouble.words().0),
            _ => format!("{count} {} (first: {first})", trouble.words().1),
        };
        self.0.iter().map(sentence).collect()
    }
}

/// A name out of a file, quoted and short enough for a sentence.
pub(super) fn quoted(name: &str) -> String {
    let short: String = name.chars().take(48).collect();
    if short.len() < name.len() { format!("{short:?}..") } else { format!("{short:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_keeps_the_first_place() {
        let mut tally = Tally::default();
        tally.add(Trouble::Text, || "line 1".into());
        tally.add(Trouble::BadLine, || "line 2".into());
        tally.add(Trouble::BadLine, || "line 3".into());
        assert_eq!(
            tally.sentences(),
            [
                "2 lines are not JSON and were left out (first: line 2)",
                "1 value is text and was left out (line 1)"
            ]
        );
    }
}
