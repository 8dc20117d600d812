//! One iteration: collect, reward, decide, replay, update.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use super::config::TrainConfig;
use super::gate::Gate;
use super::group::{Group, PictureTokens, TokenSeen, shuffle_key};
use super::policy::{Policy, UpdateSeen};
use super::replay::StepReplay;
use super::shard::{Shard, ShardInput};
use super::status::Activity;
use crate::error::{Error, Result};
use crate::model::diffusion::Diffusion;
use crate::model::noise::NoiseKey;
use crate::model::sample::Request;
use crate::model::{Generator, Model};
use crate::rl::config::UpdateMode;
use crate::rl::decisions::TokenDecisions;
use crate::rl::optim::add_gradients;
use crate::rl::plan::StepPlan;
use crate::rl::replay::StepSeen;
use crate::session::generate::Poll;
use crate::session::threads::in_turn;
use crate::world::prompt::Caption;
use crate::world::reward::RewardSet;
use crate::world::tokenizer::encode;

/// Tokens of a shard at most: what is sampled, decoded and replayed in one piece. Bounds memory whatever G and L are; what
/// grows with them is the recorded trajectories alone.
const SHARD_TOKENS: usize = 4096;

/// What stays the same over a run.
pub struct Fixed {
    /// Autoencoder and sizes, with the reference policy's weights: the policy that KL is measured against, the start of
    /// the run.
    pub reference: Model,
    /// The training prompts.
    pub captions: Vec<Caption>,
}

/// What one iteration saw.
pub struct Iteration {
    /// Its number.
    pub number: usize,
    /// Trained steps.
    pub plan: StepPlan,
    /// The prompts with their pictures.
    pub groups: Vec<Group>,
    /// Rollouts, trajectories and latents, shard by shard.
    pub shards: Vec<Shard>,
    /// Tokens of every picture, in order.
    pub tokens: Vec<PictureTokens>,
    /// Sums over trained AR steps and shards.
    pub seen: StepSeen,
    /// The updates: one, or one a trained AR step.
    pub updates: Vec<UpdateSeen>,
    /// Seconds of each part.
    pub times: BTreeMap<&'static str, f64>,
    /// Why the policy was not updated, if it was not.
    pub failure: Option<Error>,
}

/// Everything an iteration works with.
pub struct Work<'a> {
    /// Constants of the run.
    pub fixed: &'a Fixed,
    /// Settings.
    pub config: &'a TrainConfig,
    /// Where the user is heard.
    pub gate: &'a Gate,
    /// Asked between AR steps.
    pub poll: Poll<'a>,
}

impl Work<'_> {
    /// Runs iteration number `policy.iteration` and returns the policy after it. A reward or gradient that is not finite is
    /// in the result, with the policy as it was.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if stopped, [`Error::Device`] if the device fails.
    pub fn iterate(&self, policy: &Policy) -> Result<(Policy, Iteration)> {
        let rl = &self.config.rl;
        let model = Model { generator: policy.sampling(), ..self.fixed.reference.clone() };
        let diffusion = model.config.diffusion.schedule(rl.rollout.diffusion_steps)?;
        let tokens = model.generator.mar.tokens();
        let seed = self.config.seed;
        let plan = StepPlan::draw(rl, &diffusion, tokens, seed, policy.iteration as u32)?;
        let input = ShardInput { model: &model, config: rl, plan: &plan, poll: self.poll };
        let mut times = BTreeMap::new();
        let mut clock = Clock::start(self.gate);

        self.gate.set(Activity::Sampling);
        let requests = self.requests(policy)?;
        let threads = self.config.shards;
        let parts = split(requests.len(), threads.max((requests.len() * tokens).div_ceil(SHARD_TOKENS)));
        let mut shards =
            in_turn(threads, parts.len(), &|i| Shard::collect(input, requests[parts[i].clone()].to_vec()))?;
        times.insert("collect", clock.lap());

        self.gate.set(Activity::Rewarding);
        let groups = self.judge(&model, &shards, policy.iteration)?;
        times.insert("reward", clock.lap());

        self.gate.set(Activity::Sampling);
        shards = decide(shards, threads, input, &diffusion)?;
        times.insert("mte", clock.lap());

        self.gate.set(Activity::Updating);
        let mut iteration = Iteration {
            number: policy.iteration,
            plan,
            groups,
            tokens: Vec::new(),
            shards,
            seen: StepSeen::default(),
            updates: Vec::new(),
            times,
            failure: None,
        };
        let mut next = policy.clone();
        let outcome = match iteration.not_finite() {
            Some(error) => Err(error),
            None => Update { work: self, diffusion: &diffusion, iteration: &mut iteration }.run(&mut next),
        };
        let update_seconds = clock.lap();
        let share = 1.0 / threads.min(iteration.shards.len()) as f64;
        let replay = iteration.seen.replay_time.as_secs_f64() * share;
        let backward = iteration.seen.backward_time.as_secs_f64() * share;
        iteration.times.insert("replay", replay);
        iteration.times.insert("backward", backward);
        iteration.times.insert("update", (update_seconds - replay - backward).max(0.0));
        match outcome {
            Ok(()) => {
                next.iteration += 1;
                next.pictures += self.config.pictures();
            }
            Err(error @ Error::Diverged { .. }) => {
                next = policy.clone();
                iteration.failure = Some(error);
            }
            Err(error) => return Err(error),
        }
        Ok((next, iteration))
    }

    /// The pictures of an iteration, group after group. Their numbers are never used twice in a run, and never by
    /// evaluations, which have a seed of their own.
    fn requests(&self, policy: &Policy) -> Result<Vec<Request>> {
        let rl = &self.config.rl;
        let pictures = self.config.pictures();
        if policy.pictures + pictures >= NoiseKey::IMAGES {
            return Err(Error::Config(format!(
                "{} pictures were sampled, and a run numbers at most {}; branch off with another seed",
                policy.pictures,
                NoiseKey::IMAGES
            )));
        }
        Ok((0..pictures)
            .map(|i| Request {
                caption: encode(self.caption(policy.iteration, i / rl.group)),
                seed: self.config.seed,
                image: (policy.pictures + i) as u32,
            })
            .collect())
    }

    fn caption(&self, iteration: usize, group: usize) -> &Caption {
        let captions = &self.fixed.captions;
        &captions[(iteration * self.config.rl.groups + group) % captions.len()]
    }

    fn judge(&self, model: &Model, shards: &[Shard], iteration: usize) -> Result<Vec<Group>> {
        let rl = &self.config.rl;
        let rewards: RewardSet = rl.reward.parse()?;
        let images = in_turn(self.config.shards, shards.len(), &|i| shards[i].decode(model))?;
        let mut images = images.into_iter().flatten();
        Ok((0..rl.groups)
            .map(|group| {
                let pictures = images.by_ref().take(rl.group).collect();
                let caption = *self.caption(iteration, group);
                let key = shuffle_key(self.config.seed, iteration, group);
                Group::judge(caption, pictures, (&rewards, rl), key)
            })
            .collect())
    }
}

/// Consecutive ranges of `of` items, as equal as possible, none empty.
fn split(of: usize, shards: usize) -> Vec<std::ops::Range<usize>> {
    let shards = shards.min(of);
    (0..shards).map(|i| of * i / shards..of * (i + 1) / shards).collect()
}

/// Trajectories and decisions, shards side by side.
fn decide(
    shards: Vec<Shard>,
    threads: usize,
    input: ShardInput<'_>,
    diffusion: &Diffusion,
) -> Result<Vec<Shard>> {
    let slots: Vec<std::sync::Mutex<Option<Shard>>> =
        shards.into_iter().map(|shard| std::sync::Mutex::new(Some(shard))).collect();
    in_turn(threads, slots.len(), &|i| {
        let taken = slots[i].lock().ok().and_then(|mut slot| slot.take());
        let mut shard =
            taken.ok_or_else(|| Error::Device("a training thread failed while deciding".into()))?;
        shard.decide(input, diffusion)?;
        Ok(shard)
    })
}

impl Iteration {
    /// Advantages of all pictures, in order.
    #[must_use]
    pub fn advantages(&self) -> Vec<f64> {
        self.groups.iter().flat_map(|group| group.advantages.iter().copied()).collect()
    }

    /// Decisions about all pictures, in order.
    fn decisions(&self) -> Vec<TokenDecisions> {
        self.shards.iter().flat_map(|shard| shard.decisions.iter().cloned()).collect()
    }

    /// A reward or a latent that is not finite. A picture of such latents looks black and may even earn something.
    fn not_finite(&self) -> Option<Error> {
        let mut latents = self.shards.iter().flat_map(|shard| &shard.latents);
        if let Some(value) = latents.find(|x| !x.is_finite()) {
            return Some(Error::Diverged { what: "latent", value: f64::from(*value), step: self.number });
        }
        let mut rewards = self.groups.iter().flat_map(Group::rewards);
        rewards.find(|reward| !reward.is_finite()).map(|value| Error::Diverged {
            what: "reward",
            value,
            step: self.number,
        })
    }
}

/// The update of one iteration.
struct Update<'a> {
    work: &'a Work<'a>,
    diffusion: &'a Diffusion,
    iteration: &'a mut Iteration,
}

impl Update<'_> {
    /// Replays every trained AR step and updates `policy`.
    fn run(&mut self, policy: &mut Policy) -> Result<()> {
        let rl = &self.work.config.rl;
        let decisions = self.iteration.decisions();
        let ascending = self.iteration.plan.ascending();
        let mut seen_tokens = vec![TokenSeen::empty(ascending.len()); decisions.len()];
        let mut sums = Vec::new();
        let mut outcome = Ok(());
        for ar_step in self.iteration.plan.trained_ar_steps.clone() {
            let index = ascending.iter().position(|k| *k == ar_step).unwrap_or_default();
            let gradients = self.replay(&policy.generator, (index, ar_step), &mut seen_tokens)?;
            match rl.update {
                UpdateMode::PerRollout => sums = add_gradients(sums, gradients),
                UpdateMode::PerArStep => outcome = self.step(policy, gradients),
            }
            if outcome.is_err() {
                break;
            }
        }
        if rl.update == UpdateMode::PerRollout {
            let share = 1.0 / ascending.len() as f64;
            let mean = sums.into_iter().map(|g| g.map(|g| g.mul_scalar(share))).collect();
            outcome = self.step(policy, mean);
        }
        self.iteration.tokens = decisions
            .into_iter()
            .zip(seen_tokens)
            .map(|(decisions, seen)| PictureTokens { decisions, seen })
            .collect();
        outcome
    }

    fn step(&mut self, policy: &mut Policy, gradients: Vec<Option<Tensor<1>>>) -> Result<()> {
        let optim = &self.work.config.rl.optim;
        match policy.update(gradients, optim) {
            Ok(seen) => {
                self.iteration.updates.push(seen);
                Ok(())
            }
            Err(error) => {
                if let Error::Diverged { value, .. } = error {
                    self.iteration.updates.push(UpdateSeen { whole: value, parts: BTreeMap::new() });
                }
                Err(error)
            }
        }
    }

    /// The gradient of one AR step over all shards.
    fn replay(
        &mut self,
        generator: &Generator,
        step: (usize, usize),
        seen_tokens: &mut [TokenSeen],
    ) -> Result<Vec<Option<Tensor<1>>>> {
        let iteration = &self.iteration;
        let replay = StepReplay {
            reference: &self.work.fixed.reference.generator,
            diffusion: self.diffusion,
            config: &self.work.config.rl,
            plan: &iteration.plan,
            advantages: &iteration.advantages(),
            threads: self.work.config.shards,
            poll: self.work.poll,
        };
        let results = replay.run(generator, &iteration.shards, step)?;
        let tokens = iteration.shards.first().map_or(1, |shard| shard.rollout.tokens());
        let steps = iteration.plan.diffusion_steps.len();
        let mut gradients = Vec::new();
        let mut first = 0;
        for result in results {
            let maps = result.seen.loss_share.chunks(tokens).enumerate();
            for (picture, (number, share)) in seen_tokens[first..].iter_mut().zip(maps) {
                let own = number * tokens * steps..(number + 1) * tokens * steps;
                let kl = &result.seen.kl_by_step[own.clone()];
                let mean = |of: &[f32]| of.iter().sum::<f32>() / steps as f32;
                picture.loss_share[step.0] = share.to_vec();
                picture.kl[step.0] = kl.chunks(steps).map(mean).collect();
                picture.kl_by_step[step.0] = kl.to_vec();
                picture.log_prob_by_step[step.0] = result.seen.log_prob_by_step[own].to_vec();
            }
            first += result.seen.loss_share.len() / tokens;
            self.iteration.seen.add(&result.seen);
            gradients = add_gradients(gradients, result.gradients);
        }
        Ok(gradients)
    }
}

/// Seconds since the last lap.
struct Clock<'a> {
    gate: &'a Gate,
    since: Instant,
    waited: Duration,
}

impl<'a> Clock<'a> {
    fn start(gate: &'a Gate) -> Self {
        Self { gate, since: Instant::now(), waited: gate.waited() }
    }

    /// Seconds since the last lap, pauses not counted.
    fn lap(&mut self) -> f64 {
        let (now, waited) = (Instant::now(), self.gate.waited());
        let seconds = (now - self.since).saturating_sub(waited.saturating_sub(self.waited));
        (self.since, self.waited) = (now, waited);
        seconds.as_secs_f64()
    }
}
