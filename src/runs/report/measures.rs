//! The measures of one run, computed from its curves.

use std::collections::BTreeMap;

use super::measure::Measure;
use super::stats::{deviation, mean, median};

/// The measures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures(BTreeMap<Measure, f64>);

impl Measures {
    /// A measure: `None` if it was not recorded or does not exist, NaN or infinite if what it is made of is.
    #[must_use]
    pub fn get(&self, measure: Measure) -> Option<f64> {
        self.0.get(&measure).copied()
    }

    /// Those there are, in the order of the report.
    pub fn iter(&self) -> impl Iterator<Item = (Measure, f64)> + '_ {
        self.0.iter().map(|(measure, value)| (*measure, *value))
    }

    /// From the numbers of a run that did `iterations`.
    #[must_use]
    pub(super) fn of(curves: &Curves, iterations: usize) -> Self {
        let mut measures = Self::default();
        measures.evaluations(curves, iterations);
        measures.diversity(curves, iterations);
        measures.stability(curves, iterations);
        measures
    }

    fn put(&mut self, measure: Measure, value: Option<f64>) {
        if let Some(value) = value {
            self.0.insert(measure, value);
        }
    }

    fn put_gain(&mut self, gain: Measure, start: Option<f64>, end: Option<f64>) {
        if let (Some(start), Some(end)) = (start, end) {
            self.0.insert(gain, end - start);
        }
    }

    fn evaluations(&mut self, curves: &Curves, iterations: usize) {
        let start = |name: &str| curves.at(name, 0);
        let end = |name: &str| curves.at(name, iterations).filter(|_| iterations > 0);
        let (reward, held_out) = ("evaluation/reward", "held_out/verifier");
        self.put(Measure::StartReward, start(reward));
        self.put(Measure::FinalReward, end(reward));
        self.put_gain(Measure::Gain, start(reward), end(reward));
        self.put(Measure::RewardArea, mean_height(curves.get(reward), iterations));
        self.put(Measure::FinalRewardError, end("evaluation/reward/standard_error"));
        self.put(Measure::FinalVerifier, end("evaluation/verifier"));
        self.put(Measure::FinalExact, end("evaluation/exact"));
        self.put(Measure::StartHeldOut, start(held_out));
        self.put(Measure::FinalHeldOut, end(held_out));
        self.put_gain(Measure::HeldOutGain, start(held_out), end(held_out));
        self.put(Measure::FinalHeldOutExact, end("held_out/exact"));
    }

    fn diversity(&mut self, curves: &Curves, iterations: usize) {
        for (name, last, kept) in [
            ("diversity/images", Measure::ImageDiversity, Measure::ImageDiversityKept),
            ("diversity/latents", Measure::LatentDiversity, Measure::LatentDiversityKept),
        ] {
            let end = mean(&curves.finite(name, iterations - fifth(iterations)..iterations));
            let begin = mean(&curves.finite(name, 0..fifth(iterations).min(10)));
            self.put(last, end);
            // Pictures that were all the same from the start have no diversity to keep.
            if let (Some(end), Some(begin)) = (end, begin.filter(|begin| *begin > 0.0)) {
                self.0.insert(kept, end / begin);
            }
        }
    }

    fn stability(&mut self, curves: &Curves, iterations: usize) {
        let all = 0..iterations;
        let last = iterations - fifth(iterations)..iterations;
        self.put(Measure::FinalKl, mean(&curves.finite("kl", last)));
        let norms = curves.finite("gradient_norm/whole", all.clone());
        let average = mean(&norms);
        self.put(Measure::GradientNorm, average);
        let relative = |spread: f64| average.filter(|average| *average > 0.0).map(|average| spread / average);
        self.put(Measure::GradientVariation, deviation(&norms).and_then(relative));
        self.put(Measure::GradientSpike, spike(curves.get("gradient_norm/whole"), &norms));
        self.put(Measure::SecondsPerIteration, median(&curves.finite("time/iteration", all)));
    }
}

/// Iterations of a fifth, rounded up; of nothing nothing.
const fn fifth(iterations: usize) -> usize {
    iterations.div_ceil(5)
}

/// The greatest over the median; infinite if any is.
fn spike(points: &[(usize, f64)], finite: &[f64]) -> Option<f64> {
    if points.iter().any(|(_, value)| value.is_infinite()) {
        return Some(f64::INFINITY);
    }
    let greatest = finite.iter().copied().max_by(f64::total_cmp)?;
    let middle = median(finite)?;
    (greatest > 0.0).then_some(greatest / middle)
}

/// The mean height of a curve from step 0 to `iterations`; none if it does not reach from one to the other.
fn mean_height(points: &[(usize, f64)], iterations: usize) -> Option<f64> {
    let (first, last) = (points.first()?.0, points.last()?.0);
    if first != 0 || last != iterations || iterations == 0 {
        return None;
    }
    let area: f64 = points.windows(2).map(|w| (w[1].0 - w[0].0) as f64 * f64::midpoint(w[0].1, w[1].1)).sum();
    Some(area / iterations as f64)
}

/// Numbers of a run by name: one a step, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves(pub(super) BTreeMap<String, Vec<(usize, f64)>>);

impl Curves {
    /// Steps and values, which may be NaN or infinite; empty if there is no such curve.
    #[must_use]
    pub fn get(&self, name: &str) -> &[(usize, f64)] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// The value at exactly that step.
    #[must_use]
    pub fn at(&self, name: &str, step: usize) -> Option<f64> {
        let points = self.get(name);
        points.binary_search_by_key(&step, |point| point.0).ok().map(|at| points[at].1)
    }

    /// Finite values within `steps`.
    fn finite(&self, name: &str, steps: std::ops::Range<usize>) -> Vec<f64> {
        let inside = self.get(name).iter().filter(|(step, _)| steps.contains(step));
        inside.map(|(_, value)| *value).filter(|value| value.is_finite()).collect()
    }
}
