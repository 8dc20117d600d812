//! Supervised training as a job: shards side by side, an average of weights, a record, checkpoints, held-out scores.

pub mod autoencoder;
mod checkpoint;
pub mod mar;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::config::LoopConfig;
use super::control::{Progress, Report, StopSignal};
use super::device::DeviceChoice;
use super::threads::on_threads;
use crate::error::{Error, Result};
use crate::model::noise::{NoiseKey, Purpose};
use crate::model::params::{flat_gradients, flatten, fork_leaves, with_values};
use crate::rl::ema::Ema;
use crate::rl::optim::{ParamOptimizer, add_gradients};
use crate::runs::event::Event;
use crate::runs::folder::{RunFolder, RunHeader, read_header};

/// Where a job writes and whether it continues what is there.
#[derive(Clone, Debug)]
pub struct Place {
    /// The run's folder.
    pub out: PathBuf,
    /// Continue from the last checkpoint in it.
    pub resume: bool,
    /// Where tensors live.
    pub device: DeviceChoice,
}

/// One kind of supervised training.
trait Task: Sync {
    /// What is trained.
    type Module: Module + Send + Sync + 'static;

    /// `kind` in the run's header.
    const KIND: &'static str;

    /// The loss of one shard's batch, drawn from `key` onto the plain `device`.
    fn loss(&self, module: &Self::Module, key: NoiseKey, device: &Device) -> Result<Tensor<1>>;

    /// Held-out scores of the averaged weights, and a few words about them.
    fn evaluate(
        &self,
        module: Self::Module,
        captions: usize,
        stop: &StopSignal,
    ) -> Result<(BTreeMap<String, f64>, String)>;
}

/// Everything that changes from step to step.
pub struct State<M> {
    module: M,
    average: Ema,
    optimizer: ParamOptimizer,
    step: usize,
    seconds: f64,
}

/// What one step saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Mean loss over the shards.
    pub loss: f64,
    /// Global gradient norm before clipping.
    pub gradient_norm: f64,
}

/// Trains `task` and returns the averaged weights on the plain device, with the seconds spent.
fn train<T: Task>(
    task: &T,
    fresh: T::Module,
    config: &LoopConfig,
    (place, header_config): (&Place, serde_json::Value),
    stop: &StopSignal,
    report: Report<'_>,
) -> Result<(T::Module, f64)> {
    let plain = place.device.open()?;
    let header = RunHeader {
        seed: Some(config.seed),
        ..RunHeader::new(T::KIND, header_config, &place.device.to_string())
    };
    let (mut run, mut state) = open(fresh, config, place, &header, &plain)?;
    if state.step > 0 {
        report(Progress::Remark(format!("continuing at step {}", state.step)));
    }
    let started = Instant::now();
    let before = state.seconds;
    let mut recent = Recent::default();
    while state.step < config.steps {
        if let Err(cancelled) = stop.check() {
            checkpoint::write(&state, run.path())?;
            report(Progress::Remark(format!(
                "stopped at step {}; the checkpoint is in {}",
                state.step,
                run.path().display()
            )));
            return Err(cancelled);
        }
        let key = NoiseKey::new(config.seed, Purpose::Pretraining, state.step as u32);
        let step = state.advance(config, &|module, shard| {
            task.loss(module, NoiseKey { trajectory: shard as u8, ..key }, &plain)
        })?;
        state.seconds = before + started.elapsed().as_secs_f64();
        recent.add(step);
        let done = state.step;
        let note = format!("loss {:.4}", recent.loss());
        report(Progress::At { part: "train", done, total: config.steps, note });
        if done.is_multiple_of(config.log_every) || done == config.steps {
            run.scalars(done - 1, state.seconds, &recent.take())?;
        }
        if done.is_multiple_of(config.evaluate_every) || done == config.steps {
            let averaged = state.average.apply(state.module.clone()).valid();
            let scored = task.evaluate(averaged, config.evaluate_captions, stop);
            if scored.is_err() {
                checkpoint::write(&state, run.path())?;
            }
            let (scores, words) = scored?;
            run.scalars(done - 1, state.seconds, &scores)?;
            report(Progress::Remark(format!("step {done}, {:.0} s: {words}", state.seconds)));
        }
        if done.is_multiple_of(config.checkpoint_every) || done == config.steps {
            checkpoint::write(&state, run.path())?;
            run.record(&Event::Note { step: done - 1, text: "checkpoint".into() })?;
        }
    }
    Ok((state.average.apply(state.module).valid(), state.seconds))
}

fn open<M: Module + Send + Sync + 'static>(
    fresh: M,
    config: &LoopConfig,
    place: &Place,
    header: &RunHeader,
    device: &Device,
) -> Result<(RunFolder, State<M>)> {
    if place.resume {
        let found = read_header(&place.out)?;
        if found.kind != header.kind || found.config != header.config {
            return Err(Error::Config(format!(
                "{} was started as {} with other settings; a resumed run keeps its settings, so give the same ones",
                place.out.display(),
                found.kind
            )));
        }
        let state = checkpoint::read(fresh.train(), &place.out, config, device)?;
        let run = RunFolder::resume(&place.out, state.step)?;
        return Ok((run, state));
    }
    let run = RunFolder::create(&place.out, header)?;
    Ok((run, State::new(fresh, config)))
}

impl<M: Module + Send + Sync + 'static> State<M> {
    /// The start of a run.
    pub fn new(fresh: M, config: &LoopConfig) -> Self {
        let module = fresh.train();
        let average = Ema::from_module(config.ema_decay, &module);
        let optimizer = ParamOptimizer::new(&config.optim);
        Self { module, average, optimizer, step: 0, seconds: 0.0 }
    }

    /// Gradients of `loss(module, shard)` over all shards, side by side and averaged, and one optimiser step.
    ///
    /// # Errors
    /// [`Error::Diverged`] if the loss or the gradient norm is not finite, and whatever `loss` returns.
    pub fn advance(
        &mut self,
        config: &LoopConfig,
        loss: &(impl Fn(&M, usize) -> Result<Tensor<1>> + Sync),
    ) -> Result<Step> {
        let step = self.step;
        let shards = (0..config.shards).map(|_| fork_leaves(&self.module)).collect::<Vec<M>>();
        let mut results = on_threads(config.shards, &|shard| -> Result<(f64, Vec<Option<Tensor<1>>>)> {
            let module = &shards[shard];
            let loss = loss(module, shard)?;
            let gradients = flat_gradients(module, loss.backward());
            Ok((f64::from(loss.into_scalar::<f32>()), gradients))
        })?
        .into_iter();
        let (mut loss, mut gradients) = results.next().unwrap_or_default();
        for (other, more) in results {
            loss += other;
            gradients = add_gradients(gradients, more);
        }
        let share = 1.0 / config.shards as f64;
        loss *= share;
        if !loss.is_finite() {
            return Err(Error::Diverged { what: "loss", value: loss, step });
        }
        let gradients = gradients.into_iter().map(|g| g.map(|g| g.mul_scalar(share))).collect();
        let rate = config.schedule.at(step, config.steps);
        let update = self.optimizer.step(step, &flatten(&self.module), gradients, &|_| rate)?;
        self.average.update(step, &update.values);
        self.module = with_values(self.module.clone(), update.values);
        self.step += 1;
        Ok(Step { loss, gradient_norm: update.gradient_norm })
    }
}

/// Means since the last recorded line.
#[derive(Default)]
struct Recent {
    losses: Vec<f64>,
    norms: Vec<f64>,
}

impl Recent {
    fn add(&mut self, step: Step) {
        self.losses.push(step.loss);
        self.norms.push(step.gradient_norm);
    }

    fn loss(&self) -> f64 {
        mean(&self.losses)
    }

    fn take(&mut self) -> BTreeMap<String, f64> {
        let largest = self.norms.iter().copied().fold(0.0, f64::max);
        let values = BTreeMap::from([
            ("loss".to_owned(), mean(&self.losses)),
            ("gradient_norm".to_owned(), mean(&self.norms)),
            ("gradient_norm_max".to_owned(), largest),
        ]);
        *self = Self::default();
        values
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Where the finished model goes within the run's folder.
#[must_use]
pub fn model_folder(out: &Path) -> PathBuf {
    out.join("model")
}
