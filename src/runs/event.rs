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
        /// Seconds of training so far, resumed parts included, pauses not.
        seconds: f64,
        /// Name to value.
        values: BTreeMap<String, Scalar>,
    },
    /// A remark for the reader: a warning, what a resume did.
    Note {
        /// Training step it belongs to.
        step: usize,
        /// The remark.
        text: String,
    },
    /// A setting that changed between two iterations.
    Change {
        /// First training step with the new value.
        step: usize,
        /// Path of the setting, as in the configuration file: `mte.share`.
        setting: String,
        /// Value before.
        from: serde_json::Value,
        /// Value from `step` on.
        to: serde_json::Value,
    },
    /// Something to be seen on the timeline.
    Mark {
        /// Training step it belongs to.
        step: usize,
        /// What it is.
        mark: Mark,
        /// In words, with the number that matters.
        text: String,
    },
    /// The pictures of one rollout, with what was decided about each token.
    Group {
        /// Training step.
        step: usize,
        /// Pictures and maps.
        group: GroupRecord,
    },
    /// Pictures of prompts whose noise never changes.
    Probes {
        /// Training step after which they were drawn.
        step: usize,
        /// One for each prompt, in the same order throughout the run.
        frames: Vec<ProbeFrame>,
    },
}

impl Event {
    /// The training step it belongs to.
    #[must_use]
    pub const fn step(&self) -> usize {
        match self {
            Self::Scalars { step, .. }
            | Self::Note { step, .. }
            | Self::Change { step, .. }
            | Self::Mark { step, .. }
            | Self::Group { step, .. }
            | Self::Probes { step, .. } => *step,
        }
    }
}

/// What a mark on the timeline stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// State was written from which the run can be resumed or forked.
    Checkpoint,
    /// The run was continued from a checkpoint; what was recorded after it had been lost or was dropped.
    Resume,
    /// The run began as a branch of another.
    Fork,
    /// Held-out prompts were scored.
    Evaluation,
    /// The gradient noise was measured.
    Probe,
    /// Something looks wrong.
    Alert,
}

/// Where a picture or a map lies in `media.bin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaRef {
    /// Bytes before it.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u32,
    /// CRC-32 of its bytes.
    pub crc: u32,
}

/// The pictures of one rollout: one prompt, G pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRecord {
    /// The prompt.
    pub prompt: String,
    /// Tokens along the side of a picture.
    pub side: usize,
    /// AR steps of the rollout.
    pub ar_steps: usize,
    /// The AR steps that were trained, ascending. Maps with one plane an AR step have theirs in this order.
    pub trained_ar_steps: Vec<usize>,
    /// The diffusion steps that were trained, ascending. Maps with one plane a diffusion step have theirs in this order.
    #[serde(default)]
    pub trained_diffusion_steps: Vec<usize>,
    /// Whether every picture earned the same, so that the group teaches nothing.
    pub zero_std: bool,
    /// The pictures.
    pub pictures: Vec<PictureRecord>,
    /// Numbers a token.
    pub maps: Vec<MapRecord>,
}

/// One picture of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureRecord {
    /// What it earned.
    pub reward: Scalar,
    /// What it earned by reward, before weighting, and the verifier's parts.
    pub parts: BTreeMap<String, Scalar>,
    /// Its advantage.
    pub advantage: Scalar,
    /// The picture as PNG.
    pub png: MediaRef,
}

/// Numbers for each token of each picture of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapRecord {
    /// Name: `uncertainty`, `mte_mask`, `order`, `cosine_gain`, `consistency_mask`, `loss_share`, `kl`, and now and then
    /// `trajectories`, `sampled_trajectory`, `kl_by_diffusion_step`, `log_prob_by_diffusion_step`.
    pub name: String,
    /// Outermost first. `[pictures, tokens]`, `[pictures, trained AR steps, tokens]`, or for `trajectories`
    /// `[pictures, trajectories, diffusion steps + 1, tokens, channels]`, from pure noise to the finished latents
    /// (`sampled_trajectory` without the second), or `[pictures, trained AR steps, tokens, trained diffusion steps]`.
    pub shape: Vec<usize>,
    /// How a number is stored.
    pub element: Element,
    /// The numbers, little-endian.
    pub at: MediaRef,
}

/// How a number of a map is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Element {
    /// A byte: masks (0 or 1) and AR steps.
    U8,
    /// IEEE half precision.
    F16,
    /// IEEE single precision.
    F32,
}

/// A picture of a fixed prompt with fixed noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeFrame {
    /// The prompt.
    pub prompt: String,
    /// The verifier's mean.
    pub score: Scalar,
    /// The picture as PNG.
    pub png: MediaRef,
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
