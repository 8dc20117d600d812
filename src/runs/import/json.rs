//! A reader of JSON that takes what Python writes: bare `NaN`, `Infinity` and `-Infinity` (as `json.dumps` does by
//! default) and lone surrogates in strings.
//!
//! It is pulled: the caller asks for the next value and nothing is built that nobody wants, so that a list of a million
//! numbers costs no memory and what came before a fault is kept. Format: RFC 8259 with the words above.

use std::borrow::Cow;

/// Values may be nested this deep; deeper ones could exhaust the stack.
const DEEPEST: usize = 64;

/// Why reading stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// Bytes before the fault.
    pub at: usize,
    /// What is wrong there, to follow "at byte 12: ".
    pub what: &'static str,
    /// Whether the text just ends too early.
    pub cut: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    List,
    String,
    Number,
    Bool,
    Null,
}

/// A place in a JSON text. Every method reads one value and leaves the place behind it.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// At the beginning of `bytes`; a byte-order mark is passed over.
    pub fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Self { bytes, at, depth: 0 }
    }

    /// Bytes read.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// A fault at this place.
    pub fn broken(&self, what: &'static str) -> Broken {
        let cut = self.at >= self.bytes.len();
        Broken { at: self.at, what: if cut { "the text ends too early" } else { what }, cut }
    }

    /// The next byte that is no space, not consumed.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// What the next value is.
    pub fn kind(&mut self) -> Result<Kind, Broken> {
        match self.peek() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::List),
            Some(b'"') => Ok(Kind::String),
            Some(b'-' | b'0'..=b'9' | b'N' | b'I') => Ok(Kind::Number),
            Some(b't' | b'f') => Ok(Kind::Bool),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(self.broken("a value is missing")),
        }
    }

    /// That nothing but space is left.
    pub fn end(&mut self) -> Result<(), Broken> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.broken("there is something after the value")),
        }
    }

    /// An object. `member` is given each name and must read the value.
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.nested(b'{', b'}', &mut |reader| {
            if reader.peek() != Some(b'"') {
                return Err(reader.broken("a name in quotation marks is missing"));
            }
            let name = reader.string()?;
            if !reader.take(b':') {
                return Err(reader.broken("a colon is missing"));
            }
            member(reader, &name)
        })
    }

    /// A list. `item` must read the value.
    pub fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Broken>) -> Result<(), Broken> {
        self.nested(b'[', b']', &mut item)
    }

    fn nested(
        &mut self,
        open: u8,
        close: u8,
        item: &mut dyn FnMut(&mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        if !self.take(open) {
            return Err(self.broken("an object or a list is missing"));
        }
        if self.depth == DEEPEST {
            return Err(self.broken("values are nested too deep"));
        }
        self.depth += 1;
        let mut first = true;
        while !(first && self.take(close)) {
            item(self)?;
            first = false;
            if self.take(close) {
                break;
            }
            if !self.take(b',') {
                return Err(self.broken("a comma or a closing bracket is missing"));
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// A string, borrowed if it has no escapes.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Broken> {
        if !self.take(b'"') {
            return Err(self.broken("a string is missing"));
        }
        let mut owned: Option<String> = None;
        loop {
            let plain = self.plain()?;
            let ended = self.bytes[self.at] == b'"';
            self.at += 1;
            match (&mut owned, ended) {
                (None, true) => return Ok(Cow::Borrowed(plain)),
                (None, false) => owned = Some(plain.to_owned()),
                (Some(text), _) => text.push_str(plain),
            }
            let text = owned.get_or_insert_default();
            if ended {
                return Ok(Cow::Owned(std::mem::take(text)));
            }
            text.push(self.escape()?);
        }
    }

    /// Text up to a quotation mark or a backslash, one of which is next.
    fn plain(&mut self) -> Result<&'a str, Broken> {
        let start = self.at;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'"' | b'\\' => {
                    return std::str::from_utf8(&self.bytes[start..self.at]).map_err(|error| Broken {
                        at: start + error.valid_up_to(),
                        what: "a string is not UTF-8",
                        cut: false,
                    });
                }
                0..=0x1F => return Err(self.broken("a control character stands in a string")),
                _ => self.at += 1,
            }
        }
        Err(self.broken("a string does not end"))
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<char, Broken> {
        let Some(byte) = self.bytes.get(self.at) else { return Err(self.broken("a string does not end")) };
        let simple = match byte {
            b'"' | b'\\' | b'/' => char::from(*byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.broken("a backslash is followed by an unknown letter")),
        };
        self.at += 1;
        Ok(simple)
    }

    /// What follows `\u`. Half a surrogate pair becomes the replacement character.
    fn unicode(&mut self) -> Result<char, Broken> {
        let high = self.hex()?;
        if (0xD800..0xDC00).contains(&high) && self.bytes[self.at..].starts_with(b"\\u") {
            let before = self.at;
            self.at += 2;
            let low = self.hex()?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Result<u32, Broken> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.bytes.get(self.at).and_then(|byte| char::from(*byte).to_digit(16));
            let Some(digit) = digit else { return Err(self.broken("four hexadecimal digits are missing")) };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    /// A number, NaN and infinities included. One too large for a float is infinite, as in Python.
    pub fn number(&mut self) -> Result<f64, Broken> {
        let negative = self.take(b'-');
        let sign = if negative { -1.0 } else { 1.0 };
        match self.bytes.get(self.at) {
            Some(b'N') if !negative => self.word("NaN").map(|()| f64::NAN),
            Some(b'I') => self.word("Infinity").map(|()| sign * f64::INFINITY),
            _ => {
                let start = self.at;
                self.digits()?;
                if self.at > start + 1 && self.bytes[start] == b'0' {
                    return Err(Broken {
                        at: start,
                        what: "a number begins with a zero too many",
                        cut: false,
                    });
                }
                if self.bytes.get(self.at) == Some(&b'.') {
                    self.at += 1;
                    self.digits()?;
                }
                if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
                    self.at += 1;
                    self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
                    self.digits()?;
                }
                let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
                text.parse::<f64>().map(|value| sign * value).map_err(|_error| self.broken("not a number"))
            }
        }
    }

    fn digits(&mut self) -> Result<(), Broken> {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.broken("a digit is missing")) } else { Ok(()) }
    }

    /// Exactly `word`.
    fn word(&mut self, word: &'static str) -> Result<(), Broken> {
        for expected in word.bytes() {
            if self.bytes.get(self.at) != Some(&expected) {
                return Err(self.broken("an unknown word stands where a value should"));
            }
            self.at += 1;
        }
        Ok(())
    }

    /// `true` or `false`.
    pub fn boolean(&mut self) -> Result<bool, Broken> {
        let value = self.peek() == Some(b't');
        self.word(if value { "true" } else { "false" }).map(|()| value)
    }

    /// Reads a value and forgets it.
    pub fn skip(&mut self) -> Result<(), Broken> {
        match self.kind()? {
            Kind::Object => self.object(|reader, _| reader.skip()),
            Kind::List => self.list(Self::skip),
            Kind::String => self.string().map(|_| ()),
            Kind::Number => self.number().map(|_| ()),
            Kind::Bool => self.boolean().map(|_| ()),
            Kind::Null => self.word("null"),
        }
    }
}

#[cfg(test)]
mod tests;
