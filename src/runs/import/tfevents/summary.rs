//! The messages inside an event file.
//!
//! | message | fields read |
//! | --- | --- |
//! | `Event` | `double wall_time = 1`, `int64 step = 2`, `Summary summary = 5` |
//! | `Summary` | `repeated Value value = 1` |
//! | `Value` | `string tag = 1`, one of `float simple_value = 2`, `Image image = 4`, `TensorProto tensor = 8`, and `SummaryMetadata metadata = 9` |
//! | `SummaryMetadata` | `PluginData plugin_data = 1` with `string plugin_name = 1` |
//! | `Image` | `bytes encoded_image_string = 4` |
//! | `TensorProto` | `DataType dtype = 1`, `TensorShapeProto tensor_shape = 2`, `bytes tensor_content = 4`, the `*_val` lists 5 to 11 |

use super::super::protobuf::{Fields, Malformed, Wire, varint};

/// An `Event`.
#[derive(Debug, Default)]
pub(super) struct Logged<'a> {
    /// Seconds since 1970; 0 if there is none.
    pub wall_time: f64,
    /// As stored.
    pub step: i64,
    /// The values of its summary.
    pub values: Vec<Value<'a>>,
}

/// A `Summary.Value`.
#[derive(Debug, Default)]
pub(super) struct Value<'a> {
    /// Its name.
    pub tag: &'a str,
    /// Who shows it, where it is said.
    pub plugin: Option<&'a str>,
    /// What it holds.
    pub raw: Raw<'a>,
}

/// What a value holds, before it is known what for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Raw<'a> {
    Number(f32),
    /// An encoded picture.
    Image(&'a [u8]),
    /// A `TensorProto`.
    Tensor(&'a [u8]),
    /// A histogram, sound, or nothing.
    #[default]
    Other,
}

/// What a value means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content<'a> {
    Number(f64),
    /// Encoded.
    Pictures(Vec<&'a [u8]>),
    Other,
}

/// Reads an `Event`. Fields of a wrong type are a fault: some other message has them.
pub(super) fn read_event(message: &[u8]) -> Result<Logged<'_>, Malformed> {
    let mut event = Logged::default();
    for field in Fields::new(message) {
        match field? {
            (1, wire) => event.wall_time = wire.double().ok_or(Malformed)?,
            (2, wire) => event.step = wire.int().ok_or(Malformed)?,
            (5, wire) => {
                for field in Fields::new(wire.bytes().ok_or(Malformed)?) {
                    if let (1, wire) = field? {
                        event.values.push(read_value(wire.bytes().ok_or(Malformed)?)?);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(event)
}

fn read_value(message: &[u8]) -> Result<Value<'_>, Malformed> {
    let mut value = Value::default();
    for field in Fields::new(message) {
        match field? {
            (1, wire) => value.tag = wire.text().ok_or(Malformed)?,
            (2, wire) => value.raw = Raw::Number(wire.float().ok_or(Malformed)?),
            (4, wire) => {
                let picture = inner(wire.bytes().ok_or(Malformed)?, 4)?;
                value.raw = Raw::Image(picture.and_then(Wire::bytes).unwrap_or_default());
            }
            (8, wire) => value.raw = Raw::Tensor(wire.bytes().ok_or(Malformed)?),
            (9, wire) => {
                if let Some(data) = inner(wire.bytes().ok_or(Malformed)?, 1)? {
                    value.plugin = inner(data.bytes().ok_or(Malformed)?, 1)?.and_then(Wire::text);
                }
            }
            _ => {}
        }
    }
    Ok(value)
}

/// The last field `number` of a message.
fn inner(message: &[u8], number: u32) -> Result<Option<Wire<'_>>, Malformed> {
    let mut found = None;
    for field in Fields::new(message) {
        let (at, wire) = field?;
        if at == number {
            found = Some(wire);
        }
    }
    Ok(found)
}

impl<'a> Raw<'a> {
    /// What it means to `plugin`, "" if none is known.
    pub fn resolve(self, plugin: &str) -> Content<'a> {
        match self {
            Self::Number(number) => Content::Number(f64::from(number)),
            Self::Image(bytes) => Content::Pictures(vec![bytes]),
            Self::Tensor(message) => read_tensor(message).map_or(Content::Other, |tensor| match plugin {
                "scalars" | "" => tensor.number().map_or(Content::Other, Content::Number),
                "images" => tensor.pictures().map_or(Content::Other, Content::Pictures),
                _ => Content::Other,
            }),
            Self::Other => Content::Other,
        }
    }
}

/// A `TensorProto`, as far as numbers and pictures need it.
#[derive(Debug, Default)]
struct Tensor<'a> {
    /// `DataType`: 1 float, 2 double, 3 int32, 7 string, 9 int64, 10 bool.
    dtype: i64,
    /// Whether it holds a single element, whatever its rank.
    single: bool,
    /// Little-endian elements; if it is empty they are in a list.
    content: &'a [u8],
    /// The first element of a list of numbers.
    first: Option<f64>,
    /// The list of strings.
    strings: Vec<&'a [u8]>,
}

fn read_tensor(message: &[u8]) -> Result<Tensor<'_>, Malformed> {
    let mut tensor = Tensor { single: true, ..Tensor::default() };
    for field in Fields::new(message) {
        let (number, wire) = field?;
        match number {
            1 => tensor.dtype = wire.int().ok_or(Malformed)?,
            2 => tensor.single = is_single(wire.bytes().ok_or(Malformed)?)?,
            4 => tensor.content = wire.bytes().ok_or(Malformed)?,
            5 => tensor.push(wire, Wire::float, f32_at, f64::from),
            6 => tensor.push(wire, Wire::double, f64_at, |value| value),
            7 | 10 | 11 => tensor.push(wire, Wire::int, first_varint, |value| value as f64),
            8 => tensor.strings.push(wire.bytes().ok_or(Malformed)?),
            _ => {}
        }
    }
    Ok(tensor)
}

/// Whether every dimension is 1: `TensorShapeProto` has `Dim dim = 2` with `int64 size = 1`, `bool unknown_rank = 3`.
fn is_single(shape: &[u8]) -> Result<bool, Malformed> {
    let mut single = true;
    for field in Fields::new(shape) {
        match field? {
            (2, wire) => {
                let size = inner(wire.bytes().ok_or(Malformed)?, 1)?.and_then(Wire::int);
                single &= size == Some(1);
            }
            (3, wire) => single &= wire.int() == Some(0),
            _ => {}
        }
    }
    Ok(single)
}

fn f32_at(bytes: &[u8]) -> Option<f32> {
    bytes.first_chunk().map(|bytes| f32::from_le_bytes(*bytes))
}

fn f64_at(bytes: &[u8]) -> Option<f64> {
    bytes.first_chunk().map(|bytes| f64::from_le_bytes(*bytes))
}

fn first_varint(mut bytes: &[u8]) -> Option<i64> {
    varint(&mut bytes).map(u64::cast_signed)
}

impl<'a> Tensor<'a> {
    /// Takes the first of a list of numbers, which may be packed or not.
    fn push<T>(
        &mut self,
        wire: Wire<'a>,
        alone: impl FnOnce(Wire<'a>) -> Option<T>,
        packed: impl FnOnce(&[u8]) -> Option<T>,
        number: impl FnOnce(T) -> f64,
    ) {
        if self.first.is_none() {
            self.first = wire.bytes().map_or_else(|| alone(wire), packed).map(number);
        }
    }

    /// The number, if it holds one.
    fn number(&self) -> Option<f64> {
        if !self.single || !matches!(self.dtype, 1 | 2 | 3 | 9 | 10) {
            return None;
        }
        if self.content.is_empty() {
            // TensorFlow leaves the lists of zeros empty.
            return Some(self.first.unwrap_or(0.0));
        }
        match self.dtype {
            1 => f32_at(self.content).map(f64::from),
            2 => f64_at(self.content),
            3 => self.content.first_chunk().map(|bytes| f64::from(i32::from_le_bytes(*bytes))),
            9 => self.content.first_chunk().map(|bytes| i64::from_le_bytes(*bytes) as f64),
            _ => self.content.first().map(|byte| f64::from(*byte)),
        }
    }

    /// The encoded pictures: the strings after width and height in decimal.
    fn pictures(&self) -> Option<Vec<&'a [u8]>> {
        (self.dtype == 7).then(|| self.strings.get(2..).map(<[_]>::to_vec)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(message: &[u8]) -> Content<'_> {
        Raw::Tensor(message).resolve("scalars")
    }

    #[test]
    fn numbers_of_every_form() {
        // dtype float, float_val packed and alone.
        assert_eq!(number(&[8, 1, 0x2A, 4, 0, 0, 0x20, 0x40]), Content::Number(2.5));
        assert_eq!(number(&[8, 1, 0x2D, 0, 0, 0x20, 0x40]), Content::Number(2.5));
        // float in tensor_content, with the shape [1, 1].
        let content = [8, 1, 0x12, 8, 0x12, 2, 8, 1, 0x12, 2, 8, 1, 0x22, 4, 0, 0, 0x20, 0x40];
        assert_eq!(number(&content), Content::Number(2.5));
        // double in double_val; -1 as int64_val; true as bool_val; 0 left out.
        assert_eq!(number(&[8, 2, 0x31, 0, 0, 0, 0, 0, 0, 4, 0x40]), Content::Number(2.5));
        let minus = [8, 9, 0x50, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert_eq!(number(&minus), Content::Number(-1.0));
        assert_eq!(number(&[8, 10, 0x5A, 1, 1]), Content::Number(1.0));
        assert_eq!(number(&[8, 1]), Content::Number(0.0));
    }

    #[test]
    fn what_is_not_one_number_is_left() {
        // Shape [2], unknown rank, a string, half precision, cut content, nonsense.
        let others: [&[u8]; 6] = [
            &[8, 1, 0x12, 4, 0x12, 2, 8, 2],
            &[8, 1, 0x12, 2, 0x18, 1],
            &[8, 7, 0x42, 1, 65],
            &[8, 19],
            &[8, 1, 0x22, 3, 0, 0, 0],
            &[8],
        ];
        for message in others {
            assert_eq!(number(message), Content::Other, "{message:?}");
        }
        assert_eq!(Raw::Tensor(&[8, 1]).resolve("pr_curves"), Content::Other);
        assert_eq!(Raw::Tensor(&[8, 7, 0x42, 1, 65]).resolve("images"), Content::Other);
    }
}
