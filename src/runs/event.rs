//! What a run records, one JSON object a line.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number that may be NaN or infinite. JSON has no such numbers, and turning them into `null` would hide them: they
/// are written as the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalar(pub f64);

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            v if v.is_nan() => serializer.serialize_str("NaN"),
            v if v == f64::INFINITY => serializer.serialize_str("Infinity"),
            v if v == f64::NEG_INFINITY => serializer.serialize_str("-Infinity"),
            v => serializer.serialize_f64(v),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Raw {
            Number(f64),
            Word(String),
        }
        match Raw::deserialize(deserializer)? {
            Raw::Number(v) => Ok(Self(v)),
            Raw::Word(word) => match word.as_str() {
                "NaN" => Ok(Self(f64::NAN)),
                "Infinity" => Ok(Self(f64::INFINITY)),
                "-Infinity" => Ok(Self(f64::NEG_INFINITY)),
                _ => Err(serde::de::Error::custom(format!("{word:?} is not a number"))),
            },
        }
    }
}

/// One line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// Numbers of one training step.
    Scalars {
        /// Training step, counted from 0.
        step: usize,
        /// Seconds of training so far, resumed parts included.
        seconds: f64,
        /// Name to value.
        values: BTreeMap<String, Scalar>,
    },
    /// A remark for the reader: a resume, a checkpoint, a warning.
    Note {
        /// Training step it belongs to.
        step: usize,
        /// The remark.
        text: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_finite_numbers_survive_the_file() {
        let values = [("a", f64::NAN), ("b", f64::INFINITY), ("c", f64::NEG_INFINITY), ("d", 0.1)];
        let values = values.into_iter().map(|(k, v)| (k.to_owned(), Scalar(v))).collect();
        let line = serde_json::to_string(&Event::Scalars { step: 3, seconds: 1.5, values }).unwrap();
        let Event::Scalars { values, .. } = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
        assert!(values["a"].0.is_nan());
        assert_eq!((values["b"].0, values["c"].0, values["d"].0), (f64::INFINITY, f64::NEG_INFINITY, 0.1));
    }
}
