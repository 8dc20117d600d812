//! One AR step replayed over all shards, side by side.

use super::shard::Shard;
use crate::error::Result;
use crate::model::Generator;
use crate::model::diffusion::Diffusion;
use crate::model::params::fork_leaves;
use crate::rl::config::RlConfig;
use crate::rl::decisions::{Normalisers, StepWeights};
use crate::rl::plan::StepPlan;
use crate::rl::replay::{ReplayInput, StepGradient, step_gradient};
use crate::session::generate::Poll;
use crate::session::threads::in_turn;

/// What replay needs besides the policy and the shards.
pub struct StepReplay<'a> {
    /// The policy that KL is measured against.
    pub reference: &'a Generator,
    /// Schedule of the head.
    pub diffusion: &'a Diffusion,
    /// Settings.
    pub config: &'a RlConfig,
    /// Trained steps.
    pub plan: &'a StepPlan,
    /// Advantages of all pictures, in order.
    pub advantages: &'a [f64],
    /// Threads that share the shards.
    pub threads: usize,
    /// Asked between blocks.
    pub poll: Poll<'a>,
}

impl StepReplay<'_> {
    /// The gradient of trained AR step `(index, ar_step)`, one result a shard; their sum is that of the iteration.
    ///
    /// # Errors
    /// Those of [`step_gradient`].
    pub fn run(
        &self,
        generator: &Generator,
        shards: &[Shard],
        step: (usize, usize),
    ) -> Result<Vec<StepGradient>> {
        let scope = self.config.objective.token_scope;
        let normalisers = Normalisers::count(shards.iter().flat_map(|s| &s.decisions), scope, step);
        let forks: Vec<Generator> = shards.iter().map(|_| fork_leaves(generator)).collect();
        in_turn(self.threads, shards.len(), &|i| {
            let shard = &shards[i];
            let first: usize = shards[..i].iter().map(|s| s.rollout.requests.len()).sum();
            let elements = shard.rollout.channels() * self.plan.diffusion_steps.len();
            let weights = StepWeights::new(
                &shard.decisions,
                &self.advantages[first..],
                scope,
                step,
                (normalisers, elements),
            );
            let input = ReplayInput {
                reference: self.reference,
                diffusion: self.diffusion,
                config: self.config,
                plan: self.plan,
                rollout: &shard.rollout,
                trajectories: shard.trajectories.as_ref(),
            };
            step_gradient(&forks[i], &input, &shard.rollout.steps[step.0], &weights, &mut || (self.poll)())
        })
    }
}
