//! What looks wrong in a run, in plain words with the number and the iteration it began: each rule by the numbers that a
//! training run records.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::event::Scalar;

/// Iterations that count as the recent past.
pub const WINDOW: usize = 20;
/// Iterations that must be known before a number is called unusual.
pub const ENOUGH: usize = 8;
/// Iterations whose diversity is the start's.
pub const START: usize = 5;
/// Iterations in a row without variance in any group.
pub const FLAT: usize = 3;
/// Times its recent median, from which a gradient norm is a spike and a KL has grown.
pub const SPIKE: f64 = 5.0;
/// Share of the start's diversity below which pictures have become alike.
pub const ALIKE: f64 = 0.5;
/// Standard errors of a difference from which it counts.
pub const ERRORS: f64 = 2.0;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symptom {
    /// A recorded number is NaN or infinite.
    NotFinite,
    /// Every picture of every group earns the same, several iterations in a row.
    NoVariance,
    /// The gradient norm is far above its recent median.
    GradientSpike,
    /// KL is far above its recent median.
    KlGrowth,
    /// The pictures of a group have become alike.
    DiversityFall,
    /// The reward of the training prompts has risen and the score of held-out prompts has fallen.
    RewardHacking,
}

/// Something that began to look wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule.
    pub symptom: Symptom,
    /// The iteration it began.
    pub since: usize,
    /// In words, with the number.
    pub text: String,
}

/// Watches the numbers of a run as they come. A symptom is reported when it begins, and again only after it was gone.
#[derive(Clone, Debug, Default)]
pub struct Health {
    recent: BTreeMap<&'static str, VecDeque<f64>>,
    start_diversity: Vec<f64>,
    flat_since: Option<(usize, usize)>,
    first_scores: Option<Scores>,
    present: BTreeSet<Symptom>,
}

/// Scores of one evaluation with their standard errors.
#[derive(Clone, Copy, Debug)]
struct Scores {
    reward: (f64, f64),
    held_out: (f64, f64),
}

impl Health {
    /// Takes in the numbers recorded at `step` and returns what begins to look wrong with them.
    pub fn observe(&mut self, step: usize, values: &BTreeMap<String, Scalar>) -> Vec<Finding> {
        let get = |name: &str| values.get(name).map(|value| value.0);
        let mut seen = Vec::new();
        let bad: Vec<&String> =
            values.iter().filter(|(_, v)| !v.0.is_finite()).map(|(name, _)| name).collect();
        let names = bad.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        seen.push((Symptom::NotFinite, !bad.is_empty(), format!("not finite: {names}"), step));
        if let Some(share) = get("group/zero_std_share") {
            seen.push(self.variance(step, share));
        }
        for (name, symptom, words) in [
            ("gradient_norm/whole", Symptom::GradientSpike, "the gradient norm"),
            ("kl", Symptom::KlGrowth, "KL"),
        ] {
            if let Some(value) = get(name).filter(|value| value.is_finite()) {
                seen.push(self.spike(step, (name, value), symptom, words));
            }
        }
        if let Some(diversity) = get("diversity/images").filter(|value| value.is_finite()) {
            seen.extend(self.diversity(step, diversity));
        }
        let score = |name: &str| Some((get(name)?, get(&format!("{name}/standard_error"))?));
        if let (Some(reward), Some(held_out)) = (score("evaluation/reward"), score("held_out/verifier")) {
            seen.extend(self.hacking(step, Scores { reward, held_out }));
        }
        seen.into_iter()
            .filter_map(|(symptom, present, text, since)| {
                let began =
                    if present { self.present.insert(symptom) } else { self.present.remove(&symptom) };
                (present && began).then_some(Finding { symptom, since, text })
            })
            .collect()
    }

    fn variance(&mut self, step: usize, share: f64) -> (Symptom, bool, String, usize) {
        self.flat_since = match (share >= 1.0, self.flat_since) {
            (false, _) => None,
            (true, None) => Some((step, 1)),
            (true, Some((since, count))) => Some((since, count + 1)),
        };
        let (since, count) = self.flat_since.unwrap_or((step, 0));
        let text =
            format!("every picture of a group earned the same in {count} iterations: nothing can be learned");
        (Symptom::NoVariance, count >= FLAT, text, since)
    }

    fn spike(
        &mut self,
        step: usize,
        (name, value): (&'static str, f64),
        symptom: Symptom,
        words: &str,
    ) -> (Symptom, bool, String, usize) {
        let recent = self.recent.entry(name).or_default();
        let median = median(recent);
        let enough = recent.len() >= ENOUGH && median > 0.0;
        recent.push_back(value);
        if recent.len() > WINDOW {
            recent.pop_front();
        }
        let times = value / median;
        let text = format!("{words} is {value:.3e}, {times:.1} times its median of the last iterations");
        (symptom, enough && times >= SPIKE, text, step)
    }

    fn diversity(&mut self, step: usize, diversity: f64) -> Option<(Symptom, bool, String, usize)> {
        if self.start_diversity.len() < START {
            self.start_diversity.push(diversity);
            return None;
        }
        let start = self.start_diversity.iter().sum::<f64>() / START as f64;
        let share = diversity / start;
        let text = format!(
            "the pictures of a group have become alike: {:.0} % of the distance at the start",
            100.0 * share
        );
        Some((Symptom::DiversityFall, share < ALIKE, text, step))
    }

    fn hacking(&mut self, step: usize, now: Scores) -> Option<(Symptom, bool, String, usize)> {
        let Some(first) = self.first_scores else {
            self.first_scores = Some(now);
            return None;
        };
        let change = |now: (f64, f64), then: (f64, f64)| (now.0 - then.0) / now.1.hypot(then.1);
        let (up, down) = (change(now.reward, first.reward), change(now.held_out, first.held_out));
        let text = format!(
            "the reward rose from {:.3} to {:.3} while the held-out score fell from {:.3} to {:.3}",
            first.reward.0, now.reward.0, first.held_out.0, now.held_out.0
        );
        Some((Symptom::RewardHacking, up > ERRORS && down < -ERRORS, text, step))
    }
}

/// The middle value; NaN of none.
fn median(values: &VecDeque<f64>) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, f64)]) -> BTreeMap<String, Scalar> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), Scalar(*value))).collect()
    }

    fn symptoms(findings: Vec<Finding>) -> Vec<(Symptom, usize)> {
        findings.into_iter().map(|f| (f.symptom, f.since)).collect()
    }

    #[test]
    fn a_healthy_run_has_no_findings() {
        let mut health = Health::default();
        for step in 0..100 {
            let wobble = 1.0 + 0.3 * f64::from(step % 7);
            let found = health.observe(
                step as usize,
                &values(&[
                    ("gradient_norm/whole", 0.01 * wobble),
                    ("kl", 0.001 * wobble),
                    ("diversity/images", 0.3 / wobble.sqrt()),
                    ("group/zero_std_share", 0.0),
                ]),
            );
            assert!(found.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn a_spike_is_reported_once_and_again_after_it_was_gone() {
        let mut health = Health::default();
        let norms = [0.01; 10].into_iter().chain([0.2, 0.2, 0.01, 0.3]);
        let found: Vec<(Symptom, usize)> = norms
            .enumerate()
            .flat_map(|(step, norm)| {
                symptoms(health.observe(step, &values(&[("gradient_norm/whole", norm)])))
            })
            .collect();
        assert_eq!(found, [(Symptom::GradientSpike, 10), (Symptom::GradientSpike, 13)]);
    }

    #[test]
    fn groups_without_variance_are_dated_to_the_first() {
        let mut health = Health::default();
        let shares = [0.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0];
        let found: Vec<(Symptom, usize)> = shares
            .into_iter()
            .enumerate()
            .flat_map(|(step, share)| {
                symptoms(health.observe(step, &values(&[("group/zero_std_share", share)])))
            })
            .collect();
        assert_eq!(found, [(Symptom::NoVariance, 3)]);
    }

    #[test]
    fn pictures_that_become_alike_and_numbers_that_are_none_are_found() {
        let mut health = Health::default();
        for step in 0..6 {
            assert!(health.observe(step, &values(&[("diversity/images", 0.4)])).is_empty());
        }
        let found = symptoms(health.observe(6, &values(&[("diversity/images", 0.1), ("kl", f64::NAN)])));
        assert_eq!(found, [(Symptom::NotFinite, 6), (Symptom::DiversityFall, 6)]);
    }

    #[test]
    fn a_reward_that_rises_at_the_cost_of_held_out_prompts_is_found() {
        let mut health = Health::default();
        let scores = |reward: f64, held_out: f64| {
            values(&[
                ("evaluation/reward", reward),
                ("evaluation/reward/standard_error", 0.02),
                ("held_out/verifier", held_out),
                ("held_out/verifier/standard_error", 0.02),
            ])
        };
        assert!(health.observe(0, &scores(0.3, 0.6)).is_empty());
        assert!(health.observe(10, &scores(0.5, 0.59)).is_empty());
        assert_eq!(symptoms(health.observe(20, &scores(0.7, 0.4))), [(Symptom::RewardHacking, 20)]);
    }
}
