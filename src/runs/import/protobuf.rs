//! The wire format of Protocol Buffers, read field by field: <https://protobuf.dev/programming-guides/encoding>.
//!
//! Only what `TensorBoard`'s messages need: no groups, which proto3 does not have.

/// A message that ends too early or is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire<'a> {
    /// int32, int64, bool, enum.
    Varint(u64),
    /// double.
    Fixed64(u64),
    /// string, bytes, an inner message, a packed list.
    Bytes(&'a [u8]),
    /// float.
    Fixed32(u32),
}

impl<'a> Wire<'a> {
    /// A 64-bit float, if it is one.
    pub fn double(self) -> Option<f64> {
        match self {
            Self::Fixed64(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// A 32-bit float, if it is one.
    pub fn float(self) -> Option<f32> {
        match self {
            Self::Fixed32(bits) => Some(f32::from_bits(bits)),
            _ => None,
        }
    }

    /// A whole number, if it is one.
    pub fn int(self) -> Option<i64> {
        match self {
            Self::Varint(bits) => Some(bits.cast_signed()),
            _ => None,
        }
    }

    /// Bytes, if it is any.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Text, if it is any and is UTF-8.
    pub fn text(self) -> Option<&'a str> {
        self.bytes().and_then(|bytes| std::str::from_utf8(bytes).ok())
    }
}

/// The fields of a message in their order, with their numbers. It ends after the first that is malformed.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of `message`.
    pub const fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    fn field(&mut self) -> Option<(u32, Wire<'a>)> {
        let key = varint(&mut self.rest)?;
        let number = u32::try_from(key >> 3).ok().filter(|number| (1..1 << 29).contains(number))?;
        let value = match key & 7 {
            0 => Wire::Varint(varint(&mut self.rest)?),
            1 => Wire::Fixed64(u64::from_le_bytes(array(&mut self.rest)?)),
            2 => {
                let length = usize::try_from(varint(&mut self.rest)?).ok()?;
                let (bytes, rest) = self.rest.split_at_checked(length)?;
                self.rest = rest;
                Wire::Bytes(bytes)
            }
            5 => Wire::Fixed32(u32::from_le_bytes(array(&mut self.rest)?)),
            _ => return None,
        };
        Some((number, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Wire<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field.ok_or(Malformed))
    }
}

/// A varint at the front of `rest`, which is left behind it.
pub(super) fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (i, byte) in rest.iter().take(10).enumerate() {
        // The tenth byte has room for one bit.
        if i == 9 && *byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7F) << (7 * i);
        if byte & 0x80 == 0 {
            *rest = &rest[i + 1..];
            return Some(value);
        }
    }
    None
}

fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

    use super::*;

    #[derive(Clone, Debug)]
    enum Value {
        Varint(u64),
        Fixed64(u64),
        Bytes(Vec<u8>),
        Fixed32(u32),
    }

    fn push_varint(mut value: u64, to: &mut Vec<u8>) {
        while value >= 0x80 {
            to.push(value as u8 | 0x80);
            value >>= 7;
        }
        to.push(value as u8);
    }

    fn encode(fields: &[(u32, Value)]) -> Vec<u8> {
        let mut to = Vec::new();
        for (number, value) in fields {
            let key = |wire: u64| u64::from(*number) << 3 | wire;
            match value {
                Value::Varint(v) => {
                    push_varint(key(0), &mut to);
                    push_varint(*v, &mut to);
                }
                Value::Fixed64(v) => {
                    push_varint(key(1), &mut to);
                    to.extend(v.to_le_bytes());
                }
                Value::Bytes(v) => {
                    push_varint(key(2), &mut to);
                    push_varint(v.len() as u64, &mut to);
                    to.extend(v);
                }
                Value::Fixed32(v) => {
                    push_varint(key(5), &mut to);
                    to.extend(v.to_le_bytes());
                }
            }
        }
        to
    }

    fn fields() -> impl Strategy<Value = Vec<(u32, Value)>> {
        let value = prop_oneof![
            prop_oneof![any::<u64>(), Just(u64::MAX), 0..300_u64].prop_map(Value::Varint),
            any::<u64>().prop_map(Value::Fixed64),
            prop::collection::vec(any::<u8>(), 0..200).prop_map(Value::Bytes),
            any::<u32>().prop_map(Value::Fixed32),
        ];
        prop::collection::vec((1..1_u32 << 29, value), 0..8)
    }

    proptest! {
        #[test]
        fn reads_back_what_was_written(fields in fields()) {
            let message = encode(&fields);
            let read: Vec<_> = Fields::new(&message).collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(read.len(), fields.len());
            for ((number, wire), (expected, value)) in read.into_iter().zip(&fields) {
                prop_assert_eq!(number, *expected);
                let same = match value {
                    Value::Varint(v) => wire == Wire::Varint(*v),
                    Value::Fixed64(v) => wire == Wire::Fixed64(*v),
                    Value::Bytes(v) => wire == Wire::Bytes(v),
                    Value::Fixed32(v) => wire == Wire::Fixed32(*v),
                };
                prop_assert!(same, "{:?} {:?}", wire, value);
            }
        }

        #[test]
        fn a_cut_message_keeps_its_whole_fields(fields in fields(), share in 0.0..1.0_f64) {
            let message = encode(&fields);
            let cut = (message.len() as f64 * share) as usize;
            let whole = (0..fields.len()).take_while(|n| encode(&fields[..=*n]).len() <= cut).count();
            let read: Vec<_> = Fields::new(&message[..cut]).collect();
            prop_assert_eq!(read.iter().filter(|field| field.is_ok()).count(), whole);
            let at_a_seam = encode(&fields[..whole]).len() == cut;
            prop_assert_eq!(read.iter().all(Result::is_ok), at_a_seam);
        }

        #[test]
        fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let read: Vec<_> = Fields::new(&bytes).collect();
            prop_assert!(read.len() <= bytes.len());
            let broken = read.iter().position(Result::is_err);
            prop_assert!(broken.is_none_or(|at| at + 1 == read.len()));
        }
    }
}
