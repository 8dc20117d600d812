//! The probe behind the paper's claim: for one rollout, how much does the update direction change when only the head's
//! noise is drawn anew, with a single trajectory, with multi-trajectory expectation on all tokens, and on the top k?

use std::collections::BTreeMap;

use super::iteration::{Iteration, Work};
use super::policy::Policy;
use super::replay::StepReplay;
use super::shard::{Shard, ShardInput, host};
use crate::error::Result;
use crate::model::Model;
use crate::model::params::flatten;
use crate::rl::config::{RlConfig, Selection};
use crate::rl::mte::Trajectories;
use crate::rl::noise::{GradientMoments, redraw};
use crate::rl::optim::add_gradients;
use crate::session::threads::in_turn;

const MODES: [(&str, Selection); 3] = [
    ("noise/single", Selection::None),
    ("noise/mte_all", Selection::All),
    ("noise/mte_top_k", Selection::Uncertain),
];

/// Names to values: trace of the covariance of the gradient over the squared norm of its mean, and each of the two. `policy`
/// is the one that sampled `iteration`; pictures, advantages and masks stay as they were.
///
/// With fixed advantages the mean of the single-trajectory policy gradient over fresh noise is zero, so that the ratio is near
/// the number of redraws by construction where KL pulls nowhere: compare the traces of the modes, and the ratio where the
/// mean is larger than `trace / redraws`.
///
/// # Errors
/// Those of replay.
pub fn measure(work: &Work<'_>, policy: &Policy, iteration: &Iteration) -> Result<BTreeMap<String, f64>> {
    let mut values = BTreeMap::new();
    for (name, selection) in MODES {
        let mut config = work.config.rl.clone();
        config.mte.enabled = true;
        config.mte.selection = selection;
        let moments = noise(work, policy, iteration, &config)?;
        values.insert(name.to_owned(), moments.noise_to_signal());
        values.insert(format!("{name}/trace"), moments.trace());
        values.insert(format!("{name}/squared_mean"), moments.squared_mean());
    }
    Ok(values)
}

fn noise(
    work: &Work<'_>,
    policy: &Policy,
    iteration: &Iteration,
    config: &RlConfig,
) -> Result<GradientMoments> {
    let model = Model { generator: policy.sampling(), ..work.fixed.reference.clone() };
    let diffusion = model.config.diffusion.schedule(config.rollout.diffusion_steps)?;
    let input = ShardInput { model: &model, config, plan: &iteration.plan, poll: work.poll };
    // The masks are decided once, on the pictures as they were sampled.
    let decided = in_turn(work.config.shards, iteration.shards.len(), &|i| {
        let shard = &iteration.shards[i];
        let mut again = Shard {
            rollout: shard.rollout.clone(),
            trajectories: None,
            decisions: Vec::new(),
            latents: shard.latents.clone(),
        };
        again.decide(input, &diffusion)?;
        Ok(again.decisions)
    })?;
    let replay = StepReplay {
        reference: &work.fixed.reference.generator,
        diffusion: &diffusion,
        config,
        plan: &iteration.plan,
        advantages: &iteration.advantages(),
        threads: work.config.shards,
        poll: work.poll,
    };
    let sizes: Vec<usize> = flatten(&policy.generator).iter().map(|p| p.value.dims()[0]).collect();
    let mut moments = GradientMoments::default();
    for number in 1..=work.config.probe.noise_redraws as u64 {
        let shards = in_turn(work.config.shards, iteration.shards.len(), &|i| {
            let shard = &iteration.shards[i];
            let rollout = redraw(
                &shard.rollout,
                &model.generator,
                &diffusion,
                config,
                (number, &mut || (work.poll)()),
            )?;
            let trajectories = if config.mte.selection == Selection::None {
                None
            } else {
                let head = &model.generator.head;
                Some(Trajectories::draw(head, &diffusion, &rollout, config, &mut || (work.poll)())?)
            };
            Ok(Shard { rollout, trajectories, decisions: decided[i].clone(), latents: Vec::new() })
        })?;
        let mut sums = Vec::new();
        for step in iteration.plan.ascending().into_iter().enumerate() {
            for result in replay.run(&policy.generator, &shards, step)? {
                sums = add_gradients(sums, result.gradients);
            }
        }
        let mut gradient: Vec<f32> = Vec::with_capacity(sizes.iter().sum());
        for (part, size) in sums.into_iter().zip(&sizes) {
            match part {
                Some(part) => gradient.extend(host(part)?),
                None => gradient.extend(std::iter::repeat_n(0.0, *size)),
            }
        }
        moments.add(&gradient);
    }
    Ok(moments)
}
