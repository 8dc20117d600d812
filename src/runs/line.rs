//! One line of `events.jsonl`: an event as JSON, with a checksum as its last member.
//!
//! A flipped bit that leaves the line valid JSON changes a number and nothing else, so only a checksum finds it. Readers
//! that do not know the member pass over it, and lines without one, as earlier versions wrote them, are read too.

use std::path::Path;

use super::event::Event;
use crate::error::{Error, Result};

const MEMBER: &str = ",\"crc\":";

/// The line of `event` with its end; `path` is for the message.
pub(super) fn to_line(event: &Event, path: &Path) -> Result<String> {
    let mut text = serde_json::to_string(event)
        .map_err(|error| Error::format(path, format!("an event cannot be written: {error}")))?;
    let crc = crc32fast::hash(text.as_bytes());
    text.pop();
    text.push_str(MEMBER);
    text.push_str(&crc.to_string());
    text.push_str("}\n");
    Ok(text)
}

/// What the checksum of a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checksum {
    /// There is none.
    Missing,
    /// The line is as it was written.
    Right,
    /// The line is not as it was written.
    Wrong,
}

/// Compares a line, with or without its end, with its checksum.
pub(super) fn checksum(line: &[u8]) -> Checksum {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let Some(start) = line.windows(MEMBER.len()).rposition(|window| window == MEMBER.as_bytes()) else {
        return Checksum::Missing;
    };
    let digits = line[start + MEMBER.len()..].strip_suffix(b"}").and_then(|d| std::str::from_utf8(d).ok());
    let Some(digits) = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_digit())) else {
        return Checksum::Missing;
    };
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&line[..start]);
    hasher.update(b"}");
    if digits.parse() == Ok(hasher.finalize()) { Checksum::Right } else { Checksum::Wrong }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_passed_over_by_readers_and_finds_every_flipped_bit() {
        let event = Event::Note { step: 3, text: "say \"hello\",\"crc\":12}".into() };
        let line = to_line(&event, Path::new("events.jsonl")).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
        assert_eq!(checksum(line.as_bytes()), Checksum::Right);
        for bit in 0..8 * (line.len() - 1) {
            let mut flipped = line.clone().into_bytes();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&flipped), Checksum::Right, "bit {bit}");
        }
        let plain = serde_json::to_vec(&event).unwrap();
        assert_eq!(checksum(&plain), Checksum::Missing);
    }
}
