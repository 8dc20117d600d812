//! Held-out scores by task family, with intervals.

use serde::Serialize;

use super::control::{Progress, Report, StopSignal};
use super::generate::generate;
use crate::error::Result;
use crate::model::Model;
use crate::model::noise::{NoiseKey, Purpose};
use crate::model::sample::{Request, SampleConfig};
use crate::world::families::Family;
use crate::world::prompt::Caption;
use crate::world::reward::{Verdict, Verifier};
use crate::world::sampler::{Split, sample_caption};
use crate::world::tokenizer::encode;

/// What is evaluated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvaluateConfig {
    /// Captions of each family, one picture each, 1 to 10,000.
    pub captions: usize,
    /// Seed of captions and noise: the same seed compares two models on the same numbers.
    pub seed: u64,
    /// How pictures are generated.
    pub sample: SampleConfig,
}

/// Mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean.
    pub mean: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Mean of `values` with the normal interval `1.96 s / sqrt(n)`; `None` of no values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let half = 1.96 * (variance / n).sqrt();
        Some(Self { mean, low: mean - half, high: mean + half })
    }

    /// Share of `hits` in `n` with Wilson's interval.
    #[must_use]
    pub fn share(hits: usize, n: usize) -> Option<Self> {
        if n == 0 {
            return None;
        }
        let (p, n, z) = (hits as f64 / n as f64, n as f64, 1.96);
        let centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
        Some(Self { mean: p, low: centre - half, high: centre + half })
    }
}

/// Scores of one family, or of all.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// Family name, or "all".
    pub family: String,
    /// Pictures.
    pub pictures: usize,
    /// The verifier's mean.
    pub mean: Option<Estimate>,
    /// Share of pictures that are right in every respect.
    pub exact: Option<Estimate>,
    /// Part by part; `None` where no caption asks for it.
    pub colour: Option<Estimate>,
    /// See `colour`.
    pub shape: Option<Estimate>,
    /// See `colour`.
    pub count: Option<Estimate>,
    /// See `colour`.
    pub relation: Option<Estimate>,
    /// How cleanly the pictures read; not in the mean.
    pub legibility: Option<Estimate>,
}

impl Scores {
    /// Summary of `verdicts`.
    #[must_use]
    pub fn of(family: &str, verdicts: &[Verdict]) -> Self {
        let part = |get: fn(&Verdict) -> Option<f32>| {
            Estimate::of(&verdicts.iter().filter_map(get).map(f64::from).collect::<Vec<_>>())
        };
        Self {
            family: family.to_owned(),
            pictures: verdicts.len(),
            mean: part(|v| Some(v.mean)),
            exact: Estimate::share(verdicts.iter().filter(|v| v.exact).count(), verdicts.len()),
            colour: part(|v| v.colour),
            shape: part(|v| v.shape),
            count: part(|v| v.count),
            relation: part(|v| v.relation),
            legibility: part(|v| Some(v.legibility)),
        }
    }
}

/// `count` held-out captions of `family`, the same for every model.
#[must_use]
pub fn held_out_captions(family: Family, count: usize, seed: u64) -> Vec<Caption> {
    let mut rng = NoiseKey::new(seed, Purpose::World, family as u32).rng();
    (0..count).map(|_| sample_caption(&mut rng, family, Split::HeldOut)).collect()
}

/// Evaluates `model` on held-out captions of every family; the last entry, "all", weighs every family the same.
///
/// # Errors
/// Those of [`generate`].
pub fn evaluate(
    model: &Model,
    config: &EvaluateConfig,
    stop: &StopSignal,
    report: Report<'_>,
) -> Result<Vec<Scores>> {
    let verifier = Verifier;
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (number, family) in Family::ALL.into_iter().enumerate() {
        let captions = held_out_captions(family, config.captions, config.seed);
        let requests: Vec<Request> = captions
            .iter()
            .enumerate()
            .map(|(i, caption)| Request {
                caption: encode(caption),
                seed: config.seed,
                image: (number * 100_000 + i) as u32,
            })
            .collect();
        let total = Family::ALL.len() * 100;
        let images = generate(model, &requests, &config.sample, stop, &mut |progress| {
            if let Progress::At { done, total: of, .. } = progress {
                let done = number * 100 + 100 * done / of.max(1);
                report(Progress::At { part: "evaluate", done, total, note: family.name().to_owned() });
            }
        })?;
        let verdicts: Vec<Verdict> =
            images.iter().zip(&captions).map(|(image, caption)| verifier.verify(image, caption)).collect();
        rows.push(Scores::of(family.name(), &verdicts));
        all.extend(verdicts);
    }
    rows.push(Scores::of("all", &all));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_equal_hand_computed_ones() {
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!((estimate.mean - 2.5).abs() < 1e-12);
        assert!((estimate.high - estimate.mean - 1.96 * (5.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
        // Wilson, 8 of 10: 0.490 to 0.943.
        let share = Estimate::share(8, 10).unwrap();
        assert!((share.low - 0.4901).abs() < 1e-3 && (share.high - 0.9433).abs() < 1e-3, "{share:?}");
        assert_eq!((Estimate::of(&[]), Estimate::share(0, 0)), (None, None));
    }
}
