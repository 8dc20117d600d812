//! Where a training thread meets its user: asked between AR steps, so that Pause, Step, Stop and Checkpoint are answered
//! within one of them, whatever the trainer is doing.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::status::{Activity, Status};
use crate::error::{Error, Result};
use crate::rl::config::RlConfig;
use crate::session::slot::Slot;

/// Whether the trainer goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Running,
    /// To the end of the iteration, then wait.
    OneStep,
    Paused,
}

/// What the user asked for.
#[derive(Clone, Debug, Default)]
struct Orders {
    stop: bool,
    mode: Mode,
    checkpoint: bool,
    settings: Option<RlConfig>,
    noise_probe: bool,
    /// When the trainer began to wait and what it did then.
    waiting: Option<(Instant, Activity)>,
    /// How long it waited before.
    waited: Duration,
}

/// Shared between a session's handle and its thread.
#[derive(Debug, Default)]
pub struct Gate {
    orders: Mutex<Orders>,
    changed: Condvar,
    /// What the trainer is doing.
    pub status: Slot<Status>,
}

impl Gate {
    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn order(&self, change: impl FnOnce(&mut Orders)) {
        change(&mut self.orders());
        self.changed.notify_all();
    }

    /// Asks the trainer to wait.
    pub fn pause(&self) {
        self.order(|orders| orders.mode = Mode::Paused);
    }

    /// Lets it go on.
    pub fn resume(&self) {
        self.order(|orders| orders.mode = Mode::Running);
    }

    /// Lets it finish one iteration (the one under way, if there is one), then wait.
    pub fn step(&self) {
        self.order(|orders| orders.mode = Mode::OneStep);
    }

    /// Asks it to end; the iteration under way is dropped.
    pub fn stop(&self) {
        self.order(|orders| orders.stop = true);
    }

    /// Asks for a checkpoint.
    pub fn checkpoint(&self) {
        self.order(|orders| orders.checkpoint = true);
    }

    /// Asks for other settings from the next iteration on.
    pub fn change(&self, settings: RlConfig) {
        self.order(|orders| orders.settings = Some(settings));
    }

    /// Asks for a measurement of the gradient noise after this iteration.
    pub fn probe_noise(&self) {
        self.order(|orders| orders.noise_probe = true);
    }

    /// Settings that wait for the next iteration.
    #[must_use]
    pub fn pending(&self) -> Option<RlConfig> {
        self.orders().settings.clone()
    }

    /// Takes them.
    pub(super) fn take_settings(&self) -> Option<RlConfig> {
        self.orders().settings.take()
    }

    /// Takes the order for a measurement of the gradient noise.
    pub(super) fn take_noise_probe(&self) -> bool {
        std::mem::take(&mut self.orders().noise_probe)
    }

    /// An iteration is done: a single step is used up.
    pub(super) fn iteration_done(&self) {
        let mut orders = self.orders();
        if orders.mode == Mode::OneStep {
            orders.mode = Mode::Paused;
        }
    }

    /// Time spent waiting.
    pub(super) fn waited(&self) -> Duration {
        let orders = self.orders();
        orders.waited + orders.waiting.map_or(Duration::ZERO, |(since, _)| since.elapsed())
    }

    /// Says what the trainer does now.
    pub(super) fn set(&self, activity: Activity) {
        self.update(|status| {
            if status.activity != activity {
                (status.activity, status.since) = (activity, Instant::now());
            }
        });
    }

    /// Changes the status.
    pub(super) fn update(&self, change: impl FnOnce(&mut Status)) {
        self.status.update(|status| {
            let mut status = status.cloned().unwrap_or_default();
            change(&mut status);
            status
        });
    }

    /// Asked by the trainer between AR steps, on any of its threads. Has a checkpoint written if one is wanted, and waits
    /// while paused; `idle` is called now and then while it waits.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once the user wants it to stop.
    pub(super) fn poll(&self, checkpoint: &(dyn Fn() + Sync), idle: &(dyn Fn() + Sync)) -> Result<()> {
        let mut orders = self.orders();
        loop {
            if std::mem::take(&mut orders.checkpoint) {
                drop(orders);
                checkpoint();
                orders = self.orders();
                continue;
            }
            if orders.stop || orders.mode != Mode::Paused {
                break;
            }
            if orders.waiting.is_none() {
                let activity = self.status.newest().map_or(Activity::Idle, |status| status.activity);
                orders.waiting = Some((Instant::now(), activity));
                self.set(Activity::Paused);
            }
            let waited = self.changed.wait_timeout(orders, Duration::from_millis(100));
            orders = waited.unwrap_or_else(PoisonError::into_inner).0;
            idle();
        }
        // The first thread to go on says so, before another pause can be ordered.
        if let Some((since, activity)) = orders.waiting.take() {
            orders.waited += since.elapsed();
            self.set(activity);
        }
        if orders.stop { Err(Error::Cancelled) } else { Ok(()) }
    }
}
