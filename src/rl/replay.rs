//! The gradient of one AR step's loss on one shard: the rollout scored again with the current weights, by the code that
//! sampled it.

use std::time::{Duration, Instant};

use burn::tensor::{Gradients, Tensor, TensorData};

use super::config::{Frozen, RlConfig};
use super::decisions::{StepWeights, TokenWeight};
use super::mte::Trajectories;
use super::objective::StepTerms;
use super::optim::add_gradients;
use super::plan::StepPlan;
use super::rollout::{Rollout, TrainedStep};
use crate::error::{Error, Result};
use crate::model::Generator;
use crate::model::ar_step::{condition, flat_rows, transformer_output};
use crate::model::diffusion::Diffusion;
use crate::model::params::flat_gradients;
use crate::world::tokenizer::SLOTS;

/// Rows of the head (tokens times diffusion steps) whose graph is held at once: bounds memory whatever G, L, S and T are.
const HEAD_ROWS: usize = 4096;

/// What replay works on.
#[derive(Clone, Copy)]
pub struct ReplayInput<'a> {
    /// The policy that KL is measured against, outside autodiff.
    pub reference: &'a Generator,
    /// Schedule of the head.
    pub diffusion: &'a Diffusion,
    /// Settings.
    pub config: &'a RlConfig,
    /// Trained steps.
    pub plan: &'a StepPlan,
    /// The shard's pictures.
    pub rollout: &'a Rollout,
    /// Their extra trajectories, if multi-trajectory expectation is on.
    pub trajectories: Option<&'a Trajectories>,
}

/// What one AR step of one shard gives.
#[derive(Debug, Default)]
pub struct StepGradient {
    /// In the order of [`crate::model::params::flatten`].
    pub gradients: Vec<Option<Tensor<1>>>,
    /// What was seen on the way.
    pub seen: StepSeen,
}

/// Numbers of one AR step of one shard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepSeen {
    /// The shard's part of P(k).
    pub policy: f64,
    /// The shard's part of KL(k).
    pub kl: f64,
    /// Elements scored, their summed log-probability and its square.
    pub elements: usize,
    /// See `elements`.
    pub log_prob_sum: f64,
    /// See `elements`.
    pub log_prob_squares: f64,
    /// `[pictures * tokens]`: the policy term's gradient with respect to the mean, absolute, weighted, summed.
    pub loss_share: Vec<f32>,
    /// `[pictures * tokens, trained diffusion steps]`: KL, mean over channels (and trajectories).
    pub kl_by_step: Vec<f32>,
    /// The same of the log-probability.
    pub log_prob_by_step: Vec<f32>,
    /// Time of forward passes.
    pub replay_time: Duration,
    /// Time of backward passes.
    pub backward_time: Duration,
}

/// Gradient of `-(P(k) - beta · KL(k))` with respect to the weights of `policy`, whose leaves must not be shared with
/// another thread's. `poll` is asked between blocks.
///
/// # Errors
/// Whatever `poll` returns, [`Error::Device`] if numbers cannot be read back.
pub fn step_gradient(
    policy: &Generator,
    input: &ReplayInput<'_>,
    step: &TrainedStep,
    weights: &StepWeights,
    poll: &mut dyn FnMut() -> Result<()>,
) -> Result<StepGradient> {
    let started = Instant::now();
    let rollout = input.rollout;
    let captions: Vec<[u8; SLOTS]> = rollout.requests.iter().map(|r| r.caption).collect();
    let known = rollout.known_before(step.ar_step);
    let guidance = input.config.replay_guidance();
    let output = |generator: &Generator| {
        transformer_output(generator, &captions, step.before.clone(), known.clone(), guidance)
    };
    let z = output(policy);
    let reference_z = output(input.reference);
    let elements = rollout.requests.len() * rollout.tokens();
    let mut replay = StepReplay {
        policy,
        input,
        step,
        // A leaf of its own: the head's blocks are differentiated one by one, and the transformer once at the end.
        z: z.clone().detach().require_grad(),
        reference_z,
        z_gradient: None,
        result: StepGradient::default(),
    };
    replay.result.seen.loss_share = vec![0.0; elements];
    let steps = input.plan.diffusion_steps.len();
    replay.result.seen.kl_by_step = vec![0.0; elements * steps];
    replay.result.seen.log_prob_by_step = vec![0.0; elements * steps];
    replay.result.seen.replay_time = started.elapsed();

    let single = (HEAD_ROWS / input.plan.diffusion_steps.len()).max(1);
    for block in weights.single.chunks(single) {
        poll()?;
        replay.block(block, &[&step.states], false)?;
    }
    if let Some(trajectories) = input.trajectories {
        let states: Vec<&Vec<Tensor<2>>> = trajectories.states.iter().collect();
        for block in weights.multi.chunks((single / states.len()).max(1)) {
            poll()?;
            replay.block(block, &states, true)?;
        }
    }
    Ok(replay.finish(z))
}

/// One AR step under replay.
struct StepReplay<'a> {
    policy: &'a Generator,
    input: &'a ReplayInput<'a>,
    step: &'a TrainedStep,
    z: Tensor<3>,
    reference_z: Tensor<3>,
    z_gradient: Option<Tensor<3>>,
    result: StepGradient,
}

/// The transitions of one trajectory over all trained diffusion steps.
struct Scored {
    policy: Tensor<1>,
    kl: Tensor<1>,
    /// `[trained diffusion steps * rows]`, outside the graph: KL and log-probability summed over channels.
    kl_rows: Tensor<1>,
    log_prob_rows: Tensor<1>,
    /// `[rows, 1]`, outside the graph.
    share_rows: Tensor<2>,
    /// `[1]`: sum of the squares of log-probabilities.
    squares: Tensor<1>,
}

impl StepReplay<'_> {
    /// Scores some tokens along each of `trajectories` and adds the gradient. `all_tokens`: whether the rows of the states
    /// are all tokens, or those of `step.tokens`.
    fn block(
        &mut self,
        tokens: &[TokenWeight],
        trajectories: &[&Vec<Tensor<2>>],
        all_tokens: bool,
    ) -> Result<()> {
        let started = Instant::now();
        let rollout = self.input.rollout;
        let device = rollout.device();
        let pictures = rollout.requests.len();
        let mut chosen = vec![Vec::new(); pictures];
        for weight in tokens {
            chosen[weight.picture].push(weight.token);
        }
        let rows = flat_rows(&chosen, rollout.tokens(), &device);
        let places = if all_tokens { rows.clone() } else { self.rows_of_step(&chosen) };
        let guidance = self.input.config.replay_guidance();
        let times: Vec<f32> =
            self.input.plan.diffusion_steps.iter().map(|step| self.input.diffusion.time(*step)).collect();
        let heads = (&self.policy.head, &self.input.reference.head);
        let policy =
            condition(&self.z, pictures, rows.clone(), guidance).project(heads.0).at(heads.0, &times);
        let reference =
            condition(&self.reference_z, pictures, rows, guidance).project(heads.1).at(heads.1, &times);

        let share = 1.0 / trajectories.len() as f32;
        let column = |get: fn(&TokenWeight) -> f32| -> Tensor<2> {
            let values: Vec<f32> = tokens.iter().map(|w| get(w) * share).collect();
            Tensor::from_data(TensorData::new(values, [tokens.len(), 1]), &device)
        };
        let (policy_weight, kl_weight) = (column(|w| w.policy), column(|w| w.kl));
        let mut scored = Vec::with_capacity(trajectories.len());
        for states in trajectories {
            let x: Vec<Tensor<2>> = self
                .input
                .plan
                .diffusion_steps
                .iter()
                .map(|step| states[*step].clone().select(0, places.clone()))
                .collect();
            let stacked = Tensor::cat(x.clone(), 0);
            let outputs = (policy.output(heads.0, &stacked), reference.output(heads.1, &stacked));
            let next = |step: usize| states[step + 1].clone().select(0, places.clone());
            scored.push(self.score(x, outputs, &next, (&policy_weight, &kl_weight)));
        }
        let scored = Scored::sum(scored);
        self.result.seen.replay_time += started.elapsed();
        self.differentiate(&scored);
        self.note(tokens, &scored, trajectories.len())
    }

    /// Rows of `step.states` for the chosen tokens.
    fn rows_of_step(&self, chosen: &[Vec<usize>]) -> Tensor<1, burn::tensor::Int> {
        let mut rows: Vec<i64> = Vec::new();
        let mut first = 0;
        for (chosen, held) in chosen.iter().zip(&self.step.tokens) {
            rows.extend(chosen.iter().filter_map(|token| {
                held.iter().position(|held| held == token).map(|place| (first + place) as i64)
            }));
            first += held.len();
        }
        let count = rows.len();
        Tensor::from_data(TensorData::new(rows, [count]), &self.input.rollout.device())
    }

    fn score(
        &self,
        x: Vec<Tensor<2>>,
        (output, reference): (Tensor<2>, Tensor<2>),
        next: &dyn Fn(usize) -> Tensor<2>,
        (policy_weight, kl_weight): (&Tensor<2>, &Tensor<2>),
    ) -> Scored {
        let plan = self.input.plan;
        let objective = &self.input.config.objective;
        let mut scored = Vec::with_capacity(x.len());
        let (mut kl_rows, mut log_prob_rows) = (Vec::new(), Vec::new());
        for (index, (x, step)) in x.into_iter().zip(&plan.diffusion_steps).enumerate() {
            let rows = x.dims()[0];
            let of = |outputs: &Tensor<2>| outputs.clone().narrow(0, index * rows, rows);
            let diffusion = self.input.diffusion;
            let reference_mean = diffusion.transition(*step, x.clone(), of(&reference)).mean;
            let transition = diffusion.transition(*step, x, of(&output));
            let terms = StepTerms::new(transition, reference_mean, next(*step));
            let weight = policy_weight.clone().mul_scalar(plan.weights[index]);
            let kl = terms.kl_elements(objective.kl);
            let log_prob = terms.log_prob().detach();
            kl_rows.push(kl.clone().detach().sum_dim(1).reshape([rows]));
            log_prob_rows.push(log_prob.clone().sum_dim(1).reshape([rows]));
            scored.push(Part {
                share_rows: terms.score_size() * weight.clone().abs(),
                policy: terms.policy(weight, objective.min_std),
                kl: (kl * kl_weight.clone()).sum(),
                squares: log_prob.square().sum(),
            });
        }
        let Part { policy, kl, share_rows, squares } = Part::sum(scored);
        let (kl_rows, log_prob_rows) = (Tensor::cat(kl_rows, 0), Tensor::cat(log_prob_rows, 0));
        Scored { policy, kl, kl_rows, log_prob_rows, share_rows, squares }
    }

    fn differentiate(&mut self, scored: &Scored) {
        let started = Instant::now();
        let beta = self.input.config.objective.beta;
        let loss = (scored.policy.clone() - scored.kl.clone().mul_scalar(beta)).neg();
        let mut gradients = loss.backward();
        if self.input.config.frozen != Frozen::Transformer
            && let Some(gradient) = self.z.grad_remove(&mut gradients)
        {
            self.z_gradient = Some(match self.z_gradient.take() {
                None => gradient,
                Some(sum) => sum + gradient,
            });
        }
        self.add(gradients);
        self.result.seen.backward_time += started.elapsed();
    }

    fn add(&mut self, gradients: Gradients) {
        let found = flat_gradients(self.policy, gradients);
        let sums = std::mem::take(&mut self.result.gradients);
        self.result.gradients = add_gradients(sums, found);
    }

    /// Reads the block's numbers back, in one go.
    fn note(&mut self, tokens: &[TokenWeight], scored: &Scored, trajectories: usize) -> Result<()> {
        let channels = self.input.rollout.channels();
        let (rows, steps) = (tokens.len(), self.input.plan.diffusion_steps.len());
        let all = Tensor::cat(
            vec![
                scored.policy.clone().detach(),
                scored.kl.clone().detach(),
                scored.squares.clone(),
                scored.share_rows.clone().reshape([rows]),
                scored.kl_rows.clone(),
                scored.log_prob_rows.clone(),
            ],
            0,
        );
        let values = all.try_into_vec_as::<f32>().map_err(|error| {
            Error::Device(format!("the replay's numbers could not be read back: {error}"))
        })?;
        let seen = &mut self.result.seen;
        seen.policy += f64::from(values[0]);
        seen.kl += f64::from(values[1]);
        seen.log_prob_squares += f64::from(values[2]);
        seen.elements += rows * steps * channels * trajectories;
        let (shares, by_step) = values[3..].split_at(rows);
        let (kl, log_prob) = by_step.split_at(rows * steps);
        seen.log_prob_sum += log_prob.iter().map(|sum| f64::from(*sum)).sum::<f64>();
        let per_element = 1.0 / (channels * trajectories) as f32;
        for (row, weight) in tokens.iter().enumerate() {
            let place = weight.picture * self.input.rollout.tokens() + weight.token;
            seen.loss_share[place] = shares[row];
            for step in 0..steps {
                seen.kl_by_step[place * steps + step] = kl[step * rows + row] * per_element;
                seen.log_prob_by_step[place * steps + step] = log_prob[step * rows + row] * per_element;
            }
        }
        Ok(())
    }

    /// Sends the gradient that arrived at Z through the transformer.
    fn finish(mut self, z: Tensor<3>) -> StepGradient {
        if let Some(gradient) = self.z_gradient.take() {
            let started = Instant::now();
            let gradients = (z * gradient.autodiff().detach()).sum().backward();
            self.add(gradients);
            self.result.seen.backward_time += started.elapsed();
        }
        self.result
    }
}

impl Scored {
    /// Sums over trajectories.
    fn sum(list: Vec<Self>) -> Self {
        sum(list, |a, b| Self {
            policy: a.policy + b.policy,
            kl: a.kl + b.kl,
            kl_rows: a.kl_rows + b.kl_rows,
            log_prob_rows: a.log_prob_rows + b.log_prob_rows,
            share_rows: a.share_rows + b.share_rows,
            squares: a.squares + b.squares,
        })
    }
}

/// The transitions of one trajectory at one diffusion step, as in [`Scored`].
struct Part {
    policy: Tensor<1>,
    kl: Tensor<1>,
    share_rows: Tensor<2>,
    squares: Tensor<1>,
}

impl Part {
    /// Sums over diffusion steps.
    fn sum(list: Vec<Self>) -> Self {
        sum(list, |a, b| Self {
            policy: a.policy + b.policy,
            kl: a.kl + b.kl,
            share_rows: a.share_rows + b.share_rows,
            squares: a.squares + b.squares,
        })
    }
}

fn sum<T>(list: Vec<T>, add: impl Fn(T, T) -> T) -> T {
    #[expect(clippy::expect_used, reason = "a plan has a step and a block a trajectory; both are checked")]
    list.into_iter().reduce(add).expect("at least one")
}

impl StepSeen {
    /// Adds what another block, shard or AR step saw; maps stay apart.
    pub fn add(&mut self, other: &Self) {
        self.policy += other.policy;
        self.kl += other.kl;
        self.elements += other.elements;
        self.log_prob_sum += other.log_prob_sum;
        self.log_prob_squares += other.log_prob_squares;
        self.replay_time += other.replay_time;
        self.backward_time += other.backward_time;
    }
}
