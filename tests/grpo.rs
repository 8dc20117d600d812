//! Properties of the objective on a small model: replay equals the rollout, variants that must coincide do, and the
//! gradient is the derivative.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use marscope::model::denoise::DenoisingStep;
use marscope::model::diffusion::Diffusion;
use marscope::model::noise::NoiseKey;
use marscope::model::params::{FlatParam, flatten, with_values};
use marscope::model::sample::{ArStep, Observer, Request, sample};
use marscope::model::{Generator, ModelConfig};
use marscope::rl::config::{Frozen, KlElement, RlConfig, Selection, StepWeight};
use marscope::rl::decisions::{LatentsOf, Normalisers, StepWeights, TokenDecisions, TokenWeight};
use marscope::rl::mte::Trajectories;
use marscope::rl::plan::StepPlan;
use marscope::rl::replay::{ReplayInput, StepGradient, step_gradient};
use marscope::rl::rollout::Rollout;
use marscope::session::train::policy::Policy;
use marscope::world::prompt::Caption;
use marscope::world::tokenizer::encode;

const PICTURES: usize = 3;

/// A small model that is not at its start: the head's output is zero there, and so would be many gradients.
fn generator(seed: u64) -> Generator {
    let mut config = ModelConfig::default();
    config.autoencoder.latent_channels = 4;
    config.mar.side = 4;
    config.mar.width = 16;
    config.mar.depth = 1;
    config.head.width = 16;
    config.head.depth = 2;
    let fresh = Generator::new(&config, seed, &Device::flex());
    let moved = flatten(&fresh)
        .into_iter()
        .enumerate()
        .map(|(i, param)| param.value.clone() + noise(seed + i as u64, &param).mul_scalar(0.15))
        .collect();
    with_values(fresh, moved)
}

fn noise(stream: u64, param: &FlatParam) -> Tensor<1> {
    let key = NoiseKey::new(stream, marscope::model::noise::Purpose::World, 0);
    let len = param.value.dims()[0];
    Tensor::from_data(TensorData::new(key.normal(len), [len]), &Device::flex())
}

fn config() -> RlConfig {
    let mut config = RlConfig { group: PICTURES, ..RlConfig::default() };
    config.rollout.ar_steps = 4;
    config.rollout.diffusion_steps = 4;
    config.mte.trajectories = 3;
    config
}

/// A rollout of [`PICTURES`] pictures with everything that replay needs.
struct Case {
    config: RlConfig,
    plan: StepPlan,
    diffusion: Diffusion,
    policy: Generator,
    reference: Generator,
    rollout: Rollout,
    trajectories: Option<Trajectories>,
    decisions: Vec<TokenDecisions>,
}

impl Case {
    fn new(config: RlConfig) -> Self {
        let (policy, reference) = (generator(1), generator(2));
        let model = ModelConfig::default();
        let diffusion = model.diffusion.schedule(config.rollout.diffusion_steps).unwrap();
        let plan = StepPlan::draw(&config, &diffusion, 16, 5, 0).unwrap();
        let caption = encode(&Caption::parse("a red circle left of a blue star").unwrap());
        let requests = (0..PICTURES as u32).map(|image| Request { caption, seed: 5, image }).collect();
        let rollout =
            Rollout::collect(&policy, &model.diffusion, requests, (&config, &plan), &mut |_| Ok(())).unwrap();
        let mut case = Self {
            trajectories: None,
            decisions: Vec::new(),
            config,
            plan,
            diffusion,
            policy,
            reference,
            rollout,
        };
        if case.config.mte.enabled {
            let drawn = Trajectories::draw(
                &case.policy.head,
                &case.diffusion,
                &case.rollout,
                &case.config,
                &mut || Ok(()),
            );
            case.trajectories = Some(drawn.unwrap());
        }
        case.decide();
        case
    }

    fn decide(&mut self) {
        let host = |tensor: Tensor<2>| tensor.try_into_vec_as::<f32>().unwrap();
        let size = 16 * 4;
        let last = host(self.rollout.latents.clone().reshape([PICTURES * 16, 4]));
        let ends: Vec<Vec<f32>> = self.trajectories.iter().flat_map(Trajectories::finals).map(host).collect();
        let denoised: BTreeMap<usize, Vec<f32>> =
            self.rollout.denoised.iter().map(|(k, x)| (*k, host(x.clone()))).collect();
        self.decisions = (0..PICTURES)
            .map(|picture| {
                let part = picture * size..(picture + 1) * size;
                let latents = LatentsOf {
                    channels: 4,
                    last: &last[part.clone()],
                    trajectories: ends.iter().map(|end| &end[part.clone()]).collect(),
                    denoised: &|k| denoised.get(&k).map(|all| &all[part.clone()]),
                };
                let key = NoiseKey::new(5, marscope::model::noise::Purpose::Training, picture as u32);
                let predicted_at = self.rollout.predicted_at[picture].clone();
                TokenDecisions::new(predicted_at, &latents, &self.config, &self.plan, key)
            })
            .collect();
    }

    fn input(&self) -> ReplayInput<'_> {
        ReplayInput {
            reference: &self.reference,
            diffusion: &self.diffusion,
            config: &self.config,
            plan: &self.plan,
            rollout: &self.rollout,
            trajectories: self.trajectories.as_ref(),
        }
    }

    fn weights(&self, index: usize, advantages: &[f64]) -> StepWeights {
        let step = (index, self.rollout.steps[index].ar_step);
        let scope = self.config.objective.token_scope;
        let normalisers = Normalisers::count(self.decisions.iter(), scope, step);
        let elements = 4 * self.plan.diffusion_steps.len();
        StepWeights::new(&self.decisions, advantages, scope, step, (normalisers, elements))
    }

    /// The gradient of trained AR step number `index`, ascending.
    fn gradient(&self, index: usize, weights: &StepWeights) -> StepGradient {
        let policy = Policy::new(self.policy.clone(), &self.config);
        step_gradient(&policy.generator, &self.input(), &self.rollout.steps[index], weights, &mut || Ok(()))
            .unwrap()
    }

    /// All gradients of all trained AR steps, as numbers.
    fn all_gradients(&self, advantages: &[f64]) -> Vec<Vec<f32>> {
        (0..self.rollout.steps.len())
            .map(|index| numbers(self.gradient(index, &self.weights(index, advantages))))
            .collect()
    }
}

fn numbers(gradient: StepGradient) -> Vec<f32> {
    gradient.gradients.into_iter().flatten().flat_map(|g| g.try_into_vec_as::<f32>().unwrap()).collect()
}

const ADVANTAGES: [f64; PICTURES] = [1.2, -0.3, -0.9];

/// Log-probabilities at the time of sampling, summed over channels: AR step, diffusion step -> rows.
#[derive(Default)]
struct LogProbs(BTreeMap<(usize, usize), Vec<f32>>);

impl Observer for LogProbs {
    fn wants_all_tokens(&self, _: usize) -> bool {
        true
    }
    fn denoising_step(&mut self, ar_step: usize, step: &DenoisingStep<'_>) -> marscope::error::Result<()> {
        let log_prob = step.transition.unwrap().log_prob(step.next.clone(), 1e-6).sum_dim(1);
        self.0.insert((ar_step, step.step), log_prob.try_into_vec_as::<f32>().unwrap());
        Ok(())
    }
    fn ar_step(&mut self, _: &ArStep<'_>) -> marscope::error::Result<()> {
        Ok(())
    }
}

#[test]
fn replayed_log_probabilities_equal_the_rollouts() {
    for guidance in [1.0, 2.5] {
        let mut config = config();
        config.rollout.guidance = guidance;
        config.mte.enabled = false;
        let case = Case::new(config);
        let mut seen = LogProbs::default();
        let sampler = case.config.rollout.sampler();
        let diffusion = ModelConfig::default().diffusion;
        sample(&case.policy, &diffusion, &case.rollout.requests, &sampler, &mut seen).unwrap();
        for (index, step) in case.rollout.steps.iter().enumerate() {
            for (picture, token) in [(0, 0), (1, 7), (2, 15)] {
                let one = TokenWeight { picture, token, policy: 1.0, kl: 1.0 };
                let weights = StepWeights { single: vec![one], multi: Vec::new() };
                let replayed = case.gradient(index, &weights).seen;
                let sampled: f64 = case
                    .plan
                    .diffusion_steps
                    .iter()
                    .map(|t| f64::from(seen.0[&(step.ar_step, *t)][picture * 16 + token]))
                    .sum();
                assert!(
                    (replayed.log_prob_sum - sampled).abs() < 1e-4 * replayed.elements as f64,
                    "guidance {guidance}, AR step {}: {} against {sampled}",
                    step.ar_step,
                    replayed.log_prob_sum
                );
                // A sum of ratios over elements: each is 1 at the first pass.
                let ratio = replayed.policy / replayed.elements as f64;
                assert!((ratio - 1.0).abs() < 1e-5, "ratio {ratio}");
            }
        }
    }
}

#[test]
fn guidance_left_out_of_replay_is_another_policy() {
    let mut config = config();
    config.rollout.guidance = 2.5;
    config.mte.enabled = false;
    let matched = Case::new(config.clone()).all_gradients(&ADVANTAGES);
    config.objective.replay_guidance = marscope::rl::config::ReplayGuidance::Conditional;
    assert_ne!(Case::new(config).all_gradients(&ADVANTAGES), matched);
}

#[test]
fn one_trajectory_on_the_same_noise_is_the_plain_objective() {
    let mut config = config();
    config.mte.trajectories = 1;
    config.mte.selection = Selection::All;
    let mut case = Case::new(config.clone());
    config.mte.enabled = false;
    let plain = Case::new(config);
    for index in 0..case.rollout.steps.len() {
        // The extra trajectory takes the place of the sampled one, step by step.
        case.trajectories = Some(Trajectories { states: vec![case.rollout.steps[index].states.clone()] });
        let multi = case.weights(index, &ADVANTAGES);
        assert!(multi.single.is_empty() && !multi.multi.is_empty());
        let single = plain.weights(index, &ADVANTAGES);
        let (multi, single) = (case.gradient(index, &multi), plain.gradient(index, &single));
        assert!((multi.seen.kl - single.seen.kl).abs() < 1e-7);
        assert_eq!(numbers(multi), numbers(single), "AR step number {index}");
    }
}

#[test]
fn selecting_no_token_is_the_plain_objective() {
    let mut config = config();
    config.mte.selection = Selection::None;
    let none = Case::new(config.clone());
    assert!(none.decisions.iter().all(|d| !d.uncertainty.is_empty()), "uncertainty is still measured");
    config.mte.enabled = false;
    assert_eq!(none.all_gradients(&ADVANTAGES), Case::new(config).all_gradients(&ADVANTAGES));
}

#[test]
fn a_consistency_mask_of_ones_is_no_mask() {
    let mut config = config();
    config.consistency.tau = -2.0;
    let ones = Case::new(config.clone());
    assert!(ones.decisions.iter().flat_map(|d| &d.kept).flatten().all(|kept| *kept));
    config.consistency.enabled = false;
    let without = Case::new(config.clone());
    assert_eq!(ones.all_gradients(&ADVANTAGES), without.all_gradients(&ADVANTAGES));
    config.consistency.enabled = true;
    config.consistency.tau = 0.0;
    assert_ne!(Case::new(config).all_gradients(&ADVANTAGES), without.all_gradients(&ADVANTAGES));
}

#[test]
fn consistency_masks_the_policy_and_never_kl() {
    let mut config = config();
    config.consistency.tau = 2.0;
    let strict = Case::new(config.clone());
    config.consistency.enabled = false;
    let without = Case::new(config);
    for index in 0..strict.rollout.steps.len() {
        let kl = |case: &Case| case.gradient(index, &case.weights(index, &ADVANTAGES)).seen.kl;
        assert!((kl(&strict) - kl(&without)).abs() < 1e-9);
    }
}

#[test]
fn equal_rewards_give_a_gradient_of_exactly_zero() {
    let mut config = config();
    config.objective.beta = 0.0;
    let case = Case::new(config);
    for gradient in case.all_gradients(&[0.0; PICTURES]) {
        assert!(!gradient.is_empty() && gradient.iter().all(|g| *g == 0.0));
    }
}

#[test]
fn a_frozen_head_gets_no_gradient_and_lets_it_through() {
    let mut config = config();
    config.frozen = Frozen::Head;
    let case = Case::new(config.clone());
    let names: Vec<String> = flatten(&case.policy).into_iter().map(|p| p.path).collect();
    let norms = |case: &Case| -> Vec<f64> {
        let gradient = case.gradient(1, &case.weights(1, &ADVANTAGES)).gradients;
        let norm = |g: Tensor<1>| f64::from(g.square().sum().into_scalar::<f32>()).sqrt();
        gradient.into_iter().map(|g| g.map_or(0.0, norm)).collect()
    };
    let frozen = norms(&case);
    let (mut head, mut rest) = (0.0, 0.0);
    for (name, norm) in names.iter().zip(&frozen) {
        if name.starts_with("head.") { head += norm } else { rest += norm }
    }
    assert_eq!(head, 0.0);
    assert!(rest > 0.0);
    // The transformer's gradient does not depend on whether the head is trained beside it.
    config.frozen = Frozen::None;
    let free = norms(&Case::new(config.clone()));
    for ((name, frozen), free) in names.iter().zip(&frozen).zip(&free) {
        if !name.starts_with("head.") {
            assert!((frozen - free).abs() <= 1e-6 * free.max(1e-9), "{name}: {frozen} against {free}");
        }
    }
    config.frozen = Frozen::Transformer;
    let head_only = norms(&Case::new(config));
    for (name, norm) in names.iter().zip(&head_only) {
        assert_eq!(name.starts_with("head."), *norm > 0.0, "{name}: {norm}");
    }
}

/// The loss as a function of the weights: `-(sum(weight · logp) - beta · KL)` has the gradient of the objective.
#[test]
fn the_gradient_is_the_derivative_of_the_loss() {
    for (guidance, selection) in [(1.0, Selection::Uncertain), (2.0, Selection::All)] {
        let mut config = config();
        config.frozen = Frozen::None;
        config.rollout.guidance = guidance;
        config.mte.selection = selection;
        config.objective.beta = 3.0;
        config.objective.kl = KlElement::Gaussian;
        config.objective.step_weight = StepWeight::None;
        let case = Case::new(config);
        let index = 2;
        // Equal weights, so that the weighted sum of log-probabilities is the sum that replay reports.
        let mut weights = case.weights(index, &[1.0; PICTURES]);
        let share = 1e-2;
        weights.single.iter_mut().for_each(|w| w.policy = share);
        weights.multi.iter_mut().for_each(|w| w.policy = share * 3.0);
        let gradient = case.gradient(index, &weights).gradients;
        let params = flatten(&case.policy);
        for stream in 0..3 {
            let along: Vec<Tensor<1>> = params
                .iter()
                .enumerate()
                .map(|(i, p)| noise(1000 + 100 * stream + i as u64, p).mul_scalar(1e-3))
                .collect();
            let loss = |sign: f64| {
                let moved =
                    params.iter().zip(&along).map(|(p, d)| p.value.clone() + d.clone().mul_scalar(sign));
                let policy = with_values(case.policy.clone(), moved.collect());
                let moved = Case { policy, ..Case::new(case.config.clone()) };
                let seen = moved.gradient(index, &weights).seen;
                -(f64::from(share) * seen.log_prob_sum - 3.0 * seen.kl)
            };
            let measured = (loss(1.0) - loss(-1.0)) / 2.0;
            let predicted: f64 = gradient
                .iter()
                .zip(&along)
                .filter_map(|(g, d)| g.as_ref().map(|g| (g.clone() * d.clone()).sum().into_scalar::<f32>()))
                .map(f64::from)
                .sum();
            let size = predicted.abs().max(1e-3);
            assert!(
                (measured - predicted).abs() < 0.02 * size,
                "guidance {guidance}, {selection:?}: {measured} against {predicted}"
            );
        }
    }
}

/// The policy's weights in autodiff and plain form must be the same numbers.
#[test]
fn a_policy_samples_with_the_weights_that_it_trains() {
    let policy = Policy::new(generator(1), &config());
    let numbers = |generator: &Generator| -> Vec<f32> {
        flatten(generator).into_iter().flat_map(|p| p.value.try_into_vec_as::<f32>().unwrap()).collect()
    };
    assert_eq!(numbers(&policy.sampling()), numbers(&policy.generator.valid()));
}
