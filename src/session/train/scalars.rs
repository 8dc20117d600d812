//! The numbers that an iteration records.

use std::collections::BTreeMap;

use super::group::{Group, mean_pairwise_distance};
use super::iteration::Iteration;
use crate::rl::advantage::{deviation, mean};
use crate::rl::config::RlConfig;

/// Names to values of one iteration. A number that does not exist (uncertainty with multi-trajectory expectation off) is
/// left out and not made up.
#[must_use]
pub fn of(iteration: &Iteration, config: &RlConfig) -> BTreeMap<String, f64> {
    let mut values = BTreeMap::new();
    rewards(iteration, &mut values);
    diversity(iteration, &mut values);
    tokens(iteration, &mut values);
    objective(iteration, config, &mut values);
    for (part, seconds) in &iteration.times {
        values.insert(format!("time/{part}"), *seconds);
    }
    values
}

type Values = BTreeMap<String, f64>;

fn rewards(iteration: &Iteration, values: &mut Values) {
    let groups = &iteration.groups;
    let all: Vec<f64> = groups.iter().flat_map(Group::rewards).collect();
    values.insert("reward/mean".into(), mean(&all));
    values.insert("reward/std".into(), deviation(&all));
    // Not f64::min, which passes over NaN.
    let least = all.iter().copied().min_by(f64::total_cmp);
    let most = all.iter().copied().max_by(f64::total_cmp);
    values.insert("reward/min".into(), least.unwrap_or(f64::NAN));
    values.insert("reward/max".into(), most.unwrap_or(f64::NAN));
    let mut parts: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for part in groups.iter().flat_map(|g| &g.breakdowns).flat_map(|b| &b.parts) {
        parts.entry(format!("reward/part/{}", part.name)).or_default().push(f64::from(part.score));
    }
    for verdict in groups.iter().flat_map(|g| &g.verdicts) {
        let scores = [
            ("colour", verdict.colour),
            ("shape", verdict.shape),
            ("count", verdict.count),
            ("relation", verdict.relation),
            ("mean", Some(verdict.mean)),
            ("exact", Some(f32::from(u8::from(verdict.exact)))),
        ];
        for (name, score) in scores {
            if let Some(score) = score {
                parts.entry(format!("verifier/{name}")).or_default().push(f64::from(score));
            }
        }
    }
    values.extend(parts.into_iter().map(|(name, scores)| (name, mean(&scores))));
    values.insert("advantage/std".into(), deviation(&iteration.advantages()));
    let flat = groups.iter().filter(|g| g.std == 0.0).count();
    values.insert("group/zero_std_share".into(), flat as f64 / groups.len().max(1) as f64);
    values.insert("group/std".into(), mean(&groups.iter().map(|g| g.std).collect::<Vec<_>>()));
}

fn diversity(iteration: &Iteration, values: &mut Values) {
    let pictures: usize = iteration.groups.iter().map(|g| g.images.len()).sum();
    let latents: Vec<f32> = iteration.shards.iter().flat_map(|shard| shard.latents.iter().copied()).collect();
    let size = latents.len() / pictures.max(1);
    let mut first = 0;
    let (mut of_latents, mut of_images) = (Vec::new(), Vec::new());
    for group in &iteration.groups {
        let own = &latents[first * size..(first + group.images.len()) * size];
        of_latents.push(mean_pairwise_distance(&own.chunks(size.max(1)).collect::<Vec<_>>()));
        let images: Vec<Vec<f32>> = group
            .images
            .iter()
            .map(|image| image.pixels.iter().map(|p| f32::from(*p) / 255.0).collect())
            .collect();
        of_images.push(mean_pairwise_distance(&images.iter().map(Vec::as_slice).collect::<Vec<_>>()));
        first += group.images.len();
    }
    values.insert("diversity/latents".into(), mean(&of_latents));
    values.insert("diversity/images".into(), mean(&of_images));
}

fn tokens(iteration: &Iteration, values: &mut Values) {
    let decisions: Vec<_> = iteration.shards.iter().flat_map(|shard| &shard.decisions).collect();
    let tokens: usize = decisions.iter().map(|d| d.predicted_at.len()).sum();
    let multi = decisions.iter().flat_map(|d| &d.multi).filter(|m| **m).count();
    values.insert("mte/share".into(), multi as f64 / tokens.max(1) as f64);
    let (mut all, mut selected, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for picture in &decisions {
        for (value, chosen) in picture.uncertainty.iter().zip(&picture.multi) {
            all.push(f64::from(*value));
            if *chosen { selected.push(f64::from(*value)) } else { rest.push(f64::from(*value)) }
        }
    }
    for (name, list) in [("mean", all), ("selected", selected), ("rest", rest)] {
        if !list.is_empty() {
            values.insert(format!("uncertainty/{name}"), mean(&list));
        }
    }
    let mut shares = Vec::new();
    for (index, step) in iteration.plan.ascending().into_iter().enumerate() {
        let (mut kept, mut unknown) = (0usize, 0usize);
        for picture in decisions.iter().filter(|d| d.gains.iter().any(|g| !g.is_empty())) {
            for (token, at) in picture.predicted_at.iter().enumerate().filter(|(_, at)| **at >= step) {
                unknown += 1;
                kept += usize::from(picture.kept[index][token] || *at == step);
            }
        }
        if unknown > 0 {
            shares.push(kept as f64 / unknown as f64);
            values.insert(format!("consistency/kept/ar_step_{step:03}"), kept as f64 / unknown as f64);
        }
    }
    if !shares.is_empty() {
        values.insert("consistency/kept".into(), mean(&shares));
    }
}

fn objective(iteration: &Iteration, config: &RlConfig, values: &mut Values) {
    let seen = &iteration.seen;
    if seen.elements > 0 {
        let steps = iteration.plan.trained_ar_steps.len() as f64;
        let (policy, kl) = (seen.policy / steps, seen.kl / steps);
        values.insert("loss/policy".into(), -policy);
        values.insert("kl".into(), kl);
        values.insert("loss/total".into(), -(policy - config.objective.beta * kl));
        let n = seen.elements as f64;
        let average = seen.log_prob_sum / n;
        values.insert("log_prob/mean".into(), average);
        let variance = seen.log_prob_squares / n - average * average;
        // Rounding may leave a hair below zero; NaN stays NaN.
        values.insert("log_prob/std".into(), if variance < 0.0 { 0.0 } else { variance.sqrt() });
        let channels = iteration.shards.first().map_or(1, |shard| shard.rollout.channels());
        let per_step = n / (iteration.plan.diffusion_steps.len() * channels) as f64;
        values.insert("transitions/skipped".into(), per_step * iteration.plan.skipped.len() as f64);
    }
    if !iteration.updates.is_empty() {
        let norms: Vec<f64> = iteration.updates.iter().map(|u| u.whole).collect();
        values.insert("gradient_norm/whole".into(), mean(&norms));
        if let (true, Some(most)) = (norms.len() > 1, norms.iter().copied().max_by(f64::total_cmp)) {
            values.insert("gradient_norm/whole_max".into(), most);
        }
        for part in iteration.updates.iter().flat_map(|u| u.parts.keys()) {
            let norms: Vec<f64> =
                iteration.updates.iter().filter_map(|u| u.parts.get(part).copied()).collect();
            values.insert(format!("gradient_norm/{part}"), mean(&norms));
        }
    }
    values.insert("learning_rate/transformer".into(), config.optim.transformer);
    values.insert("learning_rate/head".into(), config.optim.head);
    values.insert("learning_rate/text".into(), config.optim.text);
}
