//! The loop: settings, scores, an iteration, its record, a checkpoint.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use burn::tensor::Device;

use super::checkpoint;
use super::config::TrainConfig;
use super::evaluation::Evaluator;
use super::gate::Gate;
use super::iteration::{Fixed, Iteration, Work};
use super::message::{Message, Outbox, REFUSED};
use super::noise;
use super::origin::{ENDED, Opened};
use super::policy::Policy;
use super::recorder::Recorder;
use super::scalars;
use super::status::Activity;
use crate::error::{Error, Result};
use crate::rl::config::Frozen;
use crate::rl::plan::StepPlan;
use crate::runs::event::{Event, Mark, Scalar};
use crate::runs::health::Health;
use crate::session::settings::differences;

/// Iterations over which speed is averaged.
const SPEED_WINDOW: usize = 10;

/// A run under training.
pub struct Trainer<'a> {
    fixed: Fixed,
    policy: Policy,
    config: TrainConfig,
    recorder: Recorder,
    outbox: Outbox,
    gate: &'a Gate,
    recent: VecDeque<f64>,
    /// Checkpoints that were written while an iteration was under way and whose marks are not recorded yet. Held while
    /// one is written: two threads may be asked at once.
    unmarked: Mutex<usize>,
    /// Score at the start although no evaluation is due: one that was recorded there was dropped by a resume.
    look_again: bool,
    /// Iterations of the newest checkpoint of the present settings.
    saved: Option<usize>,
    health: Health,
}

impl<'a> Trainer<'a> {
    /// Ready to run.
    #[must_use]
    pub fn new(opened: Opened, outbox: Outbox, gate: &'a Gate) -> Self {
        let Opened { fixed, policy, config, folder, look_again, health, .. } = opened;
        gate.update(|status| {
            status.iteration = policy.iteration;
            status.iterations = config.iterations;
        });
        Self {
            recorder: Recorder::new(folder, outbox.clone()),
            fixed,
            policy,
            config,
            outbox,
            gate,
            recent: VecDeque::new(),
            unmarked: Mutex::new(0),
            look_again,
            saved: None,
            health,
        }
    }

    /// Runs to the last iteration. `first` is recorded before anything else.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if stopped, [`Error::Diverged`] if a reward or gradient is not finite (recorded, and the policy
    /// is the one before it), [`Error::Device`] if the device fails.
    pub fn run(&mut self, first: Vec<Event>) -> Result<()> {
        for event in first {
            self.record(&event)?;
        }
        self.warm_up()?;
        loop {
            self.poll()?;
            self.take_up_settings()?;
            self.look()?;
            if self.policy.iteration >= self.config.iterations {
                break;
            }
            self.iterate()?;
            self.gate.iteration_done();
        }
        if self.saved == Some(self.policy.iteration) { Ok(()) } else { self.checkpoint(false) }
    }

    /// Records why the run ended, unless the user stopped it, and writes a last checkpoint.
    pub fn save(&mut self, reason: &Error) {
        if !matches!(reason, Error::Cancelled) {
            let (step, text) = (self.policy.iteration, format!("{ENDED}{reason}"));
            // If this cannot be written the front end is told all the same.
            drop(self.recorder.mark(step, Mark::Alert, text));
        }
        // What was ordered and not yet done is not lost: it is in the checkpoint, and recorded.
        let orders = self.take_up_settings().and_then(|()| self.mark_asked_for());
        if orders.is_ok() && self.saved == Some(self.policy.iteration) {
            return;
        }
        // Tried once: whoever stopped a run whose disk is full does not wait for room.
        let run = self.recorder.path();
        if let Err(error) = checkpoint::write(&self.policy, &self.config, run, false) {
            self.outbox.send(Message::Warning(format!("the last checkpoint could not be written: {error}")));
        }
    }

    /// On a GPU the first picture takes long, while kernels are compiled and tried out: that is said, and not counted.
    fn warm_up(&self) -> Result<()> {
        if self.fixed.reference.autoencoder.device() == Device::flex() {
            return Ok(());
        }
        self.gate.set(Activity::Autotuning);
        let poll = || self.poll();
        let evaluator = Evaluator { fixed: &self.fixed, config: &self.config, poll: &poll };
        evaluator.probes(&self.policy.sampling()).map(drop)
    }

    fn poll(&self) -> Result<()> {
        self.gate.poll(&|| self.checkpoint_now(), &|| self.outbox.flush())
    }

    /// Writes a checkpoint of the policy before the iteration under way.
    fn checkpoint_now(&self) {
        let mut unmarked = self.unmarked.lock().unwrap_or_else(PoisonError::into_inner);
        match checkpoint::write(&self.policy, &self.config, self.recorder.path(), true) {
            Ok(path) => {
                *unmarked += 1;
                self.outbox.send(Message::Checkpoint(path));
            }
            Err(error) => {
                self.outbox.send(Message::Warning(format!("the checkpoint could not be written: {error}")));
            }
        }
    }

    /// Records `event`. If that fails the run waits, the user is told, and it is tried again: nothing is left out.
    fn record(&mut self, event: &Event) -> Result<()> {
        self.persist(|recorder| recorder.event(event.clone()))
    }

    fn persist<T>(&mut self, write: impl Fn(&mut Recorder) -> Result<T>) -> Result<T> {
        loop {
            match write(&mut self.recorder) {
                Ok(value) => return Ok(value),
                Err(error @ Error::Io { .. }) => {
                    self.gate.pause();
                    self.outbox.send(Message::RecordingFailed(format!(
                        "{error}; the run waits: make room and let it go on where it is"
                    )));
                    self.poll()?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes up settings that the user changed, and records each change.
    fn take_up_settings(&mut self) -> Result<()> {
        let Some(rl) = self.gate.take_settings() else { return Ok(()) };
        let config = TrainConfig { rl, ..self.config.clone() };
        let step = self.policy.iteration;
        if let Err(error) = self.allowed(&config) {
            self.outbox.send(Message::Warning(format!("{REFUSED}{error}")));
            return Ok(());
        }
        for change in differences(&self.config, &config)? {
            self.record(&Event::Change { step, setting: change.setting, from: change.from, to: change.to })?;
        }
        self.policy.configure(&config.rl);
        self.config = config;
        // Or a crash before the next checkpoint would undo the change, though it is recorded.
        self.checkpoint(false)
    }

    /// Whether the next iteration could be run with `config`.
    fn allowed(&self, config: &TrainConfig) -> Result<()> {
        config.validate()?;
        let model = &self.fixed.reference;
        let diffusion = model.config.diffusion.schedule(config.rl.rollout.diffusion_steps)?;
        StepPlan::draw(&config.rl, &diffusion, model.generator.mar.tokens(), config.seed, 0).map(drop)
    }

    /// Scores and film strips that are due.
    fn look(&mut self) -> Result<()> {
        let step = self.policy.iteration;
        let last = step >= self.config.iterations;
        let due = |every: usize| every > 0 && step.is_multiple_of(every);
        let again = std::mem::take(&mut self.look_again);
        let scores_due = step == 0 || last || again || due(self.config.evaluate.every);
        let probes_due = self.config.probe.every > 0 && (last || again || due(self.config.probe.every));
        if !scores_due && !probes_due {
            return Ok(());
        }
        self.gate.set(Activity::Evaluating);
        let started = Instant::now();
        let shown = self.policy.shown();
        let poll = || self.poll();
        let evaluator = Evaluator { fixed: &self.fixed, config: &self.config, poll: &poll };
        let mut scores = if scores_due { evaluator.scores(&shown)? } else { BTreeMap::new() };
        let drawn = if probes_due { Some(evaluator.probes(&shown)?) } else { None };
        if !scores.is_empty() {
            scores.insert("time/evaluate".into(), started.elapsed().as_secs_f64());
            self.scalars(step, scores.clone())?;
            if let Some(score) = scores.get("evaluation/reward") {
                let text = format!("evaluation {score:.3}");
                self.record(&Event::Mark { step, mark: Mark::Evaluation, text })?;
            }
        }
        if let Some(drawn) = drawn {
            let event = self.persist(|recorder| recorder.probes(step, &drawn))?;
            self.record(&event)?;
        }
        Ok(())
    }

    fn scalars(&mut self, step: usize, values: BTreeMap<String, f64>) -> Result<()> {
        let values = values.into_iter().map(|(name, value)| (name, Scalar(value))).collect();
        let findings = self.health.observe(step, &values);
        self.record(&Event::Scalars { step, seconds: self.policy.seconds, values })?;
        for finding in findings {
            self.record(&Event::Mark { step: finding.since, mark: Mark::Alert, text: finding.text })?;
        }
        Ok(())
    }

    /// One iteration and its record.
    fn iterate(&mut self) -> Result<()> {
        let (started, waited) = (Instant::now(), self.gate.waited());
        let poll = || self.poll();
        let work = Work { fixed: &self.fixed, config: &self.config, gate: self.gate, poll: &poll };
        let (next, iteration) = work.iterate(&self.policy)?;
        let publishing = Instant::now();
        self.publish(&iteration)?;
        let mut values = scalars::of(&iteration, &self.config.rl);
        let measured = Instant::now();
        if iteration.failure.is_none() && (self.gate.take_noise_probe() || self.noise_due()) {
            values.extend(self.measure_noise(&iteration)?);
        }
        let aside = measured.elapsed() + self.gate.waited().saturating_sub(waited);
        let active = started.elapsed().saturating_sub(aside);
        self.displacement(&next, &mut values);
        values.insert("time/publish".into(), publishing.elapsed().saturating_sub(aside).as_secs_f64());
        values.insert("time/iteration".into(), active.as_secs_f64());
        // The clock, so that plots can show pauses and compare runs by wall time.
        let clock =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(f64::NAN, |since| since.as_secs_f64());
        values.insert("time/unix_seconds".into(), clock);
        if let Some(peak) = crate::session::memory::peak_mib() {
            values.insert("memory/peak_mib".into(), peak);
        }
        values.insert("pictures_per_second".into(), self.config.pictures() as f64 / active.as_secs_f64());
        self.policy.seconds += active.as_secs_f64();
        let seconds = self.policy.seconds;
        self.scalars(iteration.number, values)?;
        if let Some(error) = iteration.failure {
            return Err(error);
        }
        self.policy = Policy { seconds, ..next };
        self.show_speed(active);
        if self.policy.iteration.is_multiple_of(self.config.record.checkpoint_every) {
            self.checkpoint(false)?;
        }
        self.mark_asked_for()
    }

    fn noise_due(&self) -> bool {
        let every = self.config.probe.noise_every;
        every > 0 && self.policy.iteration.is_multiple_of(every)
    }

    fn measure_noise(&mut self, iteration: &Iteration) -> Result<BTreeMap<String, f64>> {
        let poll = || self.poll();
        let work = Work { fixed: &self.fixed, config: &self.config, gate: self.gate, poll: &poll };
        let values = noise::measure(&work, &self.policy, iteration)?;
        let text = "gradient noise measured".to_owned();
        self.record(&Event::Mark { step: iteration.number, mark: Mark::Probe, text })?;
        Ok(values)
    }

    /// How far the weights are from where they started, against a random walk and a straight line of the same steps.
    fn displacement(&self, next: &Policy, values: &mut BTreeMap<String, f64>) {
        let start = &self.fixed.reference;
        let moved = next.displacement(&start.generator, &start.autoencoder.device());
        values.insert("displacement/mean".into(), moved);
        let optim = &self.config.rl.optim;
        let rate = if self.config.rl.frozen == Frozen::Transformer { optim.head } else { optim.transformer };
        if rate > 0.0 && next.updates > 0 {
            let steps = next.updates as f64;
            values.insert("displacement/over_lr".into(), moved / rate);
            values.insert("displacement/of_random_walk".into(), moved / rate / steps.sqrt());
            values.insert("displacement/of_straight_line".into(), moved / rate / steps);
        }
    }

    fn publish(&mut self, iteration: &Iteration) -> Result<()> {
        let every = self.config.record.groups_every;
        let due = every > 0 && iteration.number.is_multiple_of(every);
        // A rollout that stopped the run is always kept: it is the one to look at.
        if due || iteration.failure.is_some() {
            let config = self.config.clone();
            for event in self.persist(|recorder| recorder.groups(iteration, &config))? {
                self.record(&event)?;
            }
        }
        Ok(())
    }

    fn show_speed(&mut self, active: Duration) {
        self.recent.push_back(active.as_secs_f64());
        if self.recent.len() > SPEED_WINDOW {
            self.recent.pop_front();
        }
        let mean = self.recent.iter().sum::<f64>() / self.recent.len() as f64;
        let (iteration, seconds) = (self.policy.iteration, self.policy.seconds);
        let pictures = self.config.pictures() as f64;
        self.gate.update(|status| {
            status.iteration = iteration;
            status.active = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            status.iteration_seconds = mean;
            status.pictures_per_second = pictures / mean;
        });
        self.outbox.flush();
    }

    fn checkpoint(&mut self, asked_for: bool) -> Result<()> {
        let path = self.persist_checkpoint(asked_for)?;
        let step = self.policy.iteration.saturating_sub(1);
        let text = format!("checkpoint after {} iterations", self.policy.iteration);
        self.record(&Event::Mark { step, mark: Mark::Checkpoint, text })?;
        self.outbox.send(Message::Checkpoint(path));
        self.saved = Some(self.policy.iteration);
        if let Err(error) = checkpoint::prune(self.recorder.path(), self.config.record.checkpoints_kept) {
            self.outbox.send(Message::Warning(format!("an old checkpoint stays: {error}")));
        }
        Ok(())
    }

    fn persist_checkpoint(&mut self, asked_for: bool) -> Result<std::path::PathBuf> {
        let (policy, config) = (self.policy.clone(), self.config.clone());
        self.persist(|recorder| checkpoint::write(&policy, &config, recorder.path(), asked_for))
    }

    fn mark_asked_for(&mut self) -> Result<()> {
        let written = std::mem::take(&mut *self.unmarked.lock().unwrap_or_else(PoisonError::into_inner));
        if written == 0 {
            return Ok(());
        }
        let step = self.policy.iteration.saturating_sub(1);
        self.record(&Event::Mark { step, mark: Mark::Checkpoint, text: "checkpoint on request".into() })
    }
}
