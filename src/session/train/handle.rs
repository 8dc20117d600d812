//! What a front end holds of a training run: orders in, facts and pictures out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;

use super::gate::Gate;
use super::message::{End, Message, Outbox, outbox};
use super::origin::Origin;
use super::status::{Activity, Status};
use super::trainer::Trainer;
use crate::error::{Error, Result};
use crate::rl::config::RlConfig;
use crate::session::device::DeviceChoice;
use crate::session::panic;

/// A training run on a thread of its own. Dropping it stops the run, with a checkpoint.
pub struct Session {
    gate: Arc<Gate>,
    /// Facts, in order.
    pub messages: Receiver<Message>,
    thread: Option<JoinHandle<()>>,
}

/// What is to be trained, and where.
#[derive(Clone, Debug)]
pub struct Job {
    /// The run's folder.
    pub run: PathBuf,
    /// How it begins.
    pub origin: Origin,
    /// Where tensors live.
    pub device: DeviceChoice,
}

impl Session {
    /// Starts `job`. Everything that can go wrong from here on comes as a message.
    ///
    /// # Errors
    /// [`Error::Device`] if the thread cannot be started.
    pub fn start(job: Job) -> Result<Self> {
        let gate = Arc::new(Gate::default());
        gate.set(Activity::Loading);
        let (outbox, messages) = outbox();
        let theirs = Arc::clone(&gate);
        let thread = std::thread::Builder::new()
            .name("trainer".into())
            .spawn(move || work(&job, &theirs, &outbox))
            .map_err(|error| Error::Device(format!("the training thread could not be started: {error}")))?;
        Ok(Self { gate, messages, thread: Some(thread) })
    }

    /// What it is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        self.gate.status.newest().map(|status| (*status).clone()).unwrap_or_default()
    }

    /// Lets it wait; answered within one AR step.
    pub fn pause(&self) {
        self.gate.pause();
    }

    /// Lets it go on.
    pub fn resume(&self) {
        self.gate.resume();
    }

    /// One iteration, then wait.
    pub fn step(&self) {
        self.gate.step();
    }

    /// Ends it with a checkpoint; answered within one AR step.
    pub fn stop(&self) {
        self.gate.stop();
    }

    /// Writes a checkpoint that is kept; answered within one AR step. It holds the policy before the iteration under way.
    pub fn checkpoint(&self) {
        self.gate.checkpoint();
    }

    /// Measures the gradient noise in the next iteration.
    pub fn probe_noise(&self) {
        self.gate.probe_noise();
    }

    /// Changes settings from the next iteration on.
    ///
    /// # Errors
    /// [`Error::Config`] naming the first setting that is out of range; nothing is changed then.
    pub fn change(&self, settings: RlConfig) -> Result<()> {
        settings.validate()?;
        self.gate.change(settings);
        Ok(())
    }

    /// Settings that wait for the next iteration.
    #[must_use]
    pub fn pending(&self) -> Option<RlConfig> {
        self.gate.pending()
    }

    /// Waits until the run is over.
    pub fn join(mut self) {
        self.wait();
    }

    fn wait(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Nobody reads any more, and the thread must not wait for room.
            while !thread.is_finished() {
                self.messages.try_iter().for_each(drop);
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            // The thread catches its own panics; there is nothing to learn from this one.
            drop(thread.join());
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.gate.stop();
        self.wait();
    }
}

fn work(job: &Job, gate: &Gate, outbox: &Outbox) {
    let outcome = catch_unwind(AssertUnwindSafe(|| train(job, gate, outbox)));
    let outcome = outcome.unwrap_or_else(|caught| {
        Err(Error::Device(format!(
            "the training thread failed: {}; the checkpoints of {} are intact, and --resume continues from the last",
            panic::text(&*caught),
            job.run.display()
        )))
    });
    let (activity, end) = match outcome {
        Ok(()) => (Activity::Finished, End::Finished),
        Err(Error::Cancelled) => (Activity::Stopped, End::Stopped),
        Err(error @ Error::Diverged { .. }) => (Activity::Failed, End::Diverged(error.to_string())),
        Err(error) => (Activity::Failed, End::Failed(error.to_string())),
    };
    gate.set(activity);
    outbox.send(Message::Ended(end));
    // The queue may be full; the front end is told in the end, if it still listens.
    while !outbox.is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
        outbox.flush();
    }
}

fn train(job: &Job, gate: &Gate, outbox: &Outbox) -> Result<()> {
    let mut opened = job.origin.open(&job.run, job.device)?;
    for warning in std::mem::take(&mut opened.warnings) {
        outbox.send(Message::Warning(warning));
    }
    let first = std::mem::take(&mut opened.events);
    let mut trainer = Trainer::new(opened, outbox.clone(), gate);
    let outcome = trainer.run(first);
    if let Err(reason) = &outcome {
        trainer.save(reason);
    }
    outcome
}
