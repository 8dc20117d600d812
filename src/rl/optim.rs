//! Optimisers over flat parameter lists: `AdamW` for everything, Muon for the matrices inside blocks.
//!
//! The update rules are burn's. The list is ours because training needs the global gradient norm, the same state on
//! every device after a resume, and matrices orthogonalised side by side on several cores.

use std::collections::BTreeMap;

use burn::optim::decay::WeightDecayConfig;
use burn::optim::momentum::MomentumConfig;
use burn::optim::{AdamW, AdamWConfig, AdamWState, AdjustLrFn, Muon, MuonConfig, MuonState, Optimizer};
use burn::optim::{RecordState, StateSink, StateSource};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::params::FlatParam;

/// Settings of the optimiser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimConfig {
    /// Learning rate of `AdamW`, 0 to 1.
    pub learning_rate: f64,
    /// First `AdamW` beta, 0 to below 1.
    pub beta1: f32,
    /// Second `AdamW` beta, 0 to below 1.
    pub beta2: f32,
    /// Decoupled weight decay of `AdamW` on tensors of two or more dimensions, 0 to 1.
    pub weight_decay: f32,
    /// Learning rate of Muon on the matrices inside blocks; 0 leaves them to `AdamW`.
    pub muon_learning_rate: f64,
    /// Decoupled weight decay of Muon, 0 to 1.
    pub muon_weight_decay: f32,
    /// Global gradient norm above which gradients are scaled down; 0 is off.
    pub clip_norm: f64,
}

impl Default for OptimConfig {
    fn default() -> Self {
        Self {
            learning_rate: 1.5e-3,
            beta1: 0.9,
            beta2: 0.98,
            weight_decay: 0.02,
            muon_learning_rate: 0.009,
            muon_weight_decay: 0.02,
            clip_norm: 1.0,
        }
    }
}

#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "one for each parameter")]
enum State {
    AdamW(Option<AdamWState<1>>),
    Muon(Option<MuonState<2>>),
}

/// Optimiser state for one parameter list.
#[derive(Clone)]
pub struct ParamOptimizer {
    decayed: AdamW,
    plain: AdamW,
    muon: Muon,
    clip_norm: f64,
    rates: (f64, f64),
    states: BTreeMap<String, State>,
}

/// The parameters after a step, and what was seen on the way.
#[derive(Debug)]
pub struct OptimStep {
    /// New values in the order of the parameters.
    pub values: Vec<Tensor<1>>,
    /// Global gradient norm before clipping.
    pub gradient_norm: f64,
}

/// What one parameter needs for its step.
struct Job<'a> {
    param: &'a FlatParam,
    gradient: Tensor<1>,
    state: State,
}

impl ParamOptimizer {
    /// No state yet. `AdamW` epsilon is 1e-8 (PyTorch's).
    #[must_use]
    pub fn new(config: &OptimConfig) -> Self {
        let adamw = |weight_decay: f32| {
            AdamWConfig::new()
                .with_beta_1(config.beta1)
                .with_beta_2(config.beta2)
                .with_epsilon(1e-8)
                .with_weight_decay(weight_decay)
                .build()
        };
        Self {
            decayed: adamw(config.weight_decay),
            plain: adamw(0.0),
            muon: MuonConfig::new()
                .with_weight_decay(Some(WeightDecayConfig::new(config.muon_weight_decay)))
                .with_momentum(MomentumConfig { momentum: 0.95, dampening: 0.0, nesterov: true })
                // The symmetric rule, since burn's matrices are the transposes of PyTorch's.
                .with_adjust_lr_fn(AdjustLrFn::MatchRmsAdamW)
                .build(),
            clip_norm: config.clip_norm,
            rates: (config.learning_rate, config.muon_learning_rate),
            states: BTreeMap::new(),
        }
    }

    /// Takes up other settings and keeps the state.
    pub fn reconfigure(&mut self, config: &OptimConfig) {
        *self = Self { states: std::mem::take(&mut self.states), ..Self::new(config) };
    }

    /// One step with both learning rates multiplied by what `rate` says for a parameter. Parameters without a gradient
    /// stay as they are.
    ///
    /// # Errors
    /// [`Error::Diverged`] if the gradient norm is not finite; the state is then unchanged.
    pub fn step(
        &mut self,
        step: usize,
        params: &[FlatParam],
        gradients: Vec<Option<Tensor<1>>>,
        rate: &(dyn Fn(&FlatParam) -> f64 + Sync),
    ) -> Result<OptimStep> {
        let gradient_norm = global_norm(&gradients);
        if !gradient_norm.is_finite() {
            return Err(Error::Diverged { what: "gradient norm", value: gradient_norm, step });
        }
        let scale = if self.clip_norm > 0.0 { (self.clip_norm / gradient_norm).min(1.0) } else { 1.0 };
        let mut jobs = Vec::new();
        let mut values: Vec<Tensor<1>> = params.iter().map(|p| p.value.clone()).collect();
        let mut places = Vec::new();
        for (place, (param, gradient)) in params.iter().zip(gradients).enumerate() {
            let Some(gradient) = gradient else { continue };
            let state = self.states.remove(&param.path).unwrap_or_else(|| self.fresh_state(param));
            jobs.push(Job { param, gradient: gradient.mul_scalar(scale), state });
            places.push(place);
        }
        let results = side_by_side(jobs, |job| {
            let rate = rate(job.param);
            self.update(job, rate)
        });
        for (place, (value, state)) in places.into_iter().zip(results) {
            values[place] = value;
            self.states.insert(params[place].path.clone(), state);
        }
        Ok(OptimStep { values, gradient_norm })
    }

    fn fresh_state(&self, param: &FlatParam) -> State {
        if self.rates.1 > 0.0 && is_block_matrix(param) { State::Muon(None) } else { State::AdamW(None) }
    }

    fn update(&self, job: Job<'_>, schedule: f64) -> (Tensor<1>, State) {
        let Job { param, gradient, state } = job;
        let (adamw_rate, muon_rate) = (self.rates.0 * schedule, self.rates.1 * schedule);
        match state {
            State::AdamW(state) => {
                let rule = if param.shape.len() > 1 { &self.decayed } else { &self.plain };
                let (value, state) = rule.step(adamw_rate, param.value.clone(), gradient, state);
                (value, State::AdamW(state))
            }
            State::Muon(state) => {
                let shape = [param.shape[0], param.shape[1]];
                let (value, state) = self.muon.step(
                    muon_rate,
                    param.value.clone().reshape(shape),
                    gradient.reshape(shape),
                    state,
                );
                (value.flatten(0, 1), State::Muon(state))
            }
        }
    }

    /// The state, for a checkpoint.
    #[must_use]
    pub fn record(&self) -> OptimRecord {
        let mut sink = StateSink::default();
        for (path, state) in &self.states {
            match state {
                State::AdamW(Some(state)) => state.state_flatten(&format!("adamw:{path}"), &mut sink),
                State::Muon(Some(state)) => state.state_flatten(&format!("muon:{path}"), &mut sink),
                State::AdamW(None) | State::Muon(None) => {}
            }
        }
        let scalars = sink.scalars.into_iter().filter_map(|(name, v)| Some((name, i64::try_from(v).ok()?)));
        OptimRecord { tensors: sink.tensors, scalars: scalars.collect() }
    }

    /// Takes up the state of a checkpoint for `params`. A parameter that the record does not name has not been updated yet
    /// and starts afresh.
    ///
    /// # Errors
    /// [`Error::Config`] if the record's state does not fit the parameters or the settings.
    pub fn restore(&mut self, record: OptimRecord, params: &[FlatParam], device: &Device) -> Result<()> {
        let names = record.tensors.iter().filter_map(|(name, _)| name.split_once(':'));
        let recorded: Vec<String> = names.map(|(rule, rest)| format!("{rule}:{rest}")).collect();
        let mut source = StateSource::new(record.scalars.into_iter().map(|(k, v)| (k, v.into())).collect());
        for (name, data) in record.tensors {
            source.insert_tensor(name, data);
        }
        for param in params {
            let prefix = |rule: &str| format!("{rule}:{}", param.path);
            if !recorded.iter().any(|name| is_state_of(name, &param.path)) {
                continue;
            }
            let state = match self.fresh_state(param) {
                State::AdamW(_) => AdamWState::state_unflatten(&prefix("adamw"), &mut source, device)
                    .map(|s| State::AdamW(Some(s))),
                State::Muon(_) => MuonState::state_unflatten(&prefix("muon"), &mut source, device)
                    .map(|s| State::Muon(Some(s))),
            };
            let state = state.ok_or_else(|| {
                Error::Config(format!(
                    "the checkpoint's optimiser state for {} is of another kind; it was made with other settings",
                    param.path
                ))
            })?;
            self.states.insert(param.path.clone(), state);
        }
        let stranger = recorded.iter().find(|name| !self.states.keys().any(|path| is_state_of(name, path)));
        match stranger {
            None => Ok(()),
            Some(name) => Err(Error::Config(format!(
                "the checkpoint has an optimiser state {name} that belongs to no parameter; it was made with another model"
            ))),
        }
    }
}

/// Whether the recorded tensor `name`, `rule:path.moment`, belongs to the parameter at `path`.
fn is_state_of(name: &str, path: &str) -> bool {
    name.split_once(':')
        .and_then(|(_, rest)| rest.strip_prefix(path))
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// Optimiser state as named tensors and whole numbers.
#[derive(Clone, Debug, Default)]
pub struct OptimRecord {
    /// Moments, by rule and parameter path.
    pub tensors: Vec<(String, TensorData)>,
    /// Step counts.
    pub scalars: Vec<(String, i64)>,
}

/// Whether Muon updates this parameter: matrices inside transformer and head blocks, and the head's condition. Not
/// embeddings, input and output projections, or the first time layer.
fn is_block_matrix(param: &FlatParam) -> bool {
    param.shape.len() == 2
        && (param.path.contains("blocks.")
            || param.path.ends_with("condition.weight")
            || param.path.ends_with("final_modulation.weight")
            || param.path.ends_with("time.fc2.weight"))
}

/// Square root of the sum of squares over all gradients, with one read from the device.
#[must_use]
pub fn global_norm(gradients: &[Option<Tensor<1>>]) -> f64 {
    let sums: Vec<Tensor<1>> = gradients.iter().flatten().map(|g| g.clone().square().sum()).collect();
    if sums.is_empty() {
        return 0.0;
    }
    f64::from(Tensor::cat(sums, 0).sum().into_scalar::<f32>()).sqrt()
}

/// Gradients of two parts of one loss.
#[must_use]
pub fn add_gradients(a: Vec<Option<Tensor<1>>>, b: Vec<Option<Tensor<1>>>) -> Vec<Option<Tensor<1>>> {
    if a.is_empty() {
        return b;
    }
    a.into_iter()
        .zip(b)
        .map(|pair| match pair {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        })
        .collect()
}

/// Maps `jobs` on two threads, keeping the order. Each result depends on its job only.
fn side_by_side<J: Send, R: Send>(jobs: Vec<J>, work: impl Fn(J) -> R + Sync) -> Vec<R> {
    let mut halves: [Vec<(usize, J)>; 2] = Default::default();
    for (index, job) in jobs.into_iter().enumerate() {
        halves[index % 2].push((index, job));
    }
    let [first, second] = halves;
    let run = |half: Vec<(usize, J)>| half.into_iter().map(|(i, job)| (i, work(job))).collect::<Vec<_>>();
    let mut results = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(second));
        let mut mine = run(first);
        match other.join() {
            Ok(theirs) => mine.extend(theirs),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        mine
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
