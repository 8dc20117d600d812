//! The threads of an ablation, one a listed device: each takes the next cell until none is left.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use super::cell::Front;
use super::plan::{Plan, Planned};
use crate::error::{Error, Result};
use crate::session::control::StopSignal;
use crate::session::device::DeviceChoice;
use crate::session::panic;
use crate::session::train::message::Message;
use crate::session::train::status::Status;

/// Facts that wait for the front end. The training threads never wait for it: their own queues are long.
const QUEUE: usize = 64;

/// What a worker tells of its cell.
pub(super) struct Told {
    /// The cell's place in the plan, from 0.
    pub place: usize,
    /// Where it is trained.
    pub device: DeviceChoice,
    /// What it does.
    pub status: Status,
    /// A fact, if there is one.
    pub message: Option<Message>,
}

/// What the threads share.
pub(super) struct Workers<'a> {
    plan: &'a Plan,
    cells: &'a [Planned],
    waiting: Mutex<VecDeque<usize>>,
    /// The user's.
    stop: &'a StopSignal,
    /// Ours, once one failed or nobody listens.
    halt: StopSignal,
}

impl<'a> Workers<'a> {
    /// Those of `cells` at the places `waiting` are to be trained, in that order.
    pub fn new(plan: &'a Plan, cells: &'a [Planned], waiting: Vec<usize>, stop: &'a StopSignal) -> Self {
        Self { plan, cells, waiting: Mutex::new(waiting.into()), stop, halt: StopSignal::default() }
    }

    /// Trains them on all devices of the plan; `listen` is called on this thread.
    ///
    /// # Errors
    /// The first that is not [`Error::Cancelled`], in the order of the devices; else [`Error::Cancelled`] if a cell was stopped
    /// or left.
    pub fn train(&self, listen: &mut dyn FnMut(Told)) -> Result<()> {
        std::thread::scope(|scope| {
            let (sender, told) = sync_channel(QUEUE);
            let started = self.start(scope, &sender);
            drop(sender);
            heard(told, listen);
            started
                .into_iter()
                .map(|thread| {
                    thread.and_then(|thread| thread.join().unwrap_or_else(|caught| Err(fault(&*caught))))
                })
                .fold(Ok(()), graver)
        })
    }

    fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        sender: &SyncSender<Told>,
    ) -> Vec<Result<ScopedJoinHandle<'scope, Result<()>>>> {
        let devices = self.plan.devices.iter().enumerate();
        let start = |(place, device): (usize, &DeviceChoice)| {
            let (device, sender) = (*device, sender.clone());
            let thread = Builder::new().name(format!("ablation-{place}"));
            thread.spawn_scoped(scope, move || self.work(device, &sender)).map_err(|error| {
                self.halt.stop();
                Error::Device(format!("a thread of the ablation could not be started: {error}"))
            })
        };
        devices.map(start).collect()
    }

    /// Whatever goes wrong here, the others end too: what is left to them is done when this is mended.
    fn work(&self, device: DeviceChoice, sender: &SyncSender<Told>) -> Result<()> {
        let trained = catch_unwind(AssertUnwindSafe(|| self.in_turn(device, sender)));
        let trained = trained.unwrap_or_else(|caught| Err(fault(&*caught)));
        if trained.is_err() {
            self.halt.stop();
        }
        trained
    }

    fn in_turn(&self, device: DeviceChoice, sender: &SyncSender<Told>) -> Result<()> {
        let stopped = || self.stop.check().is_err() || self.halt.check().is_err();
        while let Some(place) = self.next() {
            if stopped() {
                return Err(Error::Cancelled);
            }
            let mut tell = |status, message| {
                if sender.send(Told { place, device, status, message }).is_err() {
                    self.halt.stop();
                }
            };
            let mut front = Front { stopped: &stopped, tell: &mut tell };
            self.plan.train(&self.cells[place], device, &mut front)?;
        }
        Ok(())
    }

    fn next(&self) -> Option<usize> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// Until all workers ended. If `listen` panics, the receiver is gone before the threads are waited for, and they stop.
fn heard(told: Receiver<Told>, listen: &mut dyn FnMut(Told)) {
    told.into_iter().for_each(listen);
}

fn graver(first: Result<()>, second: Result<()>) -> Result<()> {
    match (first, second) {
        (Ok(()), second) => second,
        (Err(Error::Cancelled), Err(second)) => Err(second),
        (first, _) => first,
    }
}

fn fault(caught: &(dyn std::any::Any + Send)) -> Error {
    Error::Device(format!("a thread of the ablation failed: {}", panic::text(caught)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_outweighs_that_the_others_were_stopped_for_it() {
        let failed = || Err(Error::Config("the disk is full".into()));
        let cancelled = || Err(Error::Cancelled);
        for results in [[cancelled(), failed(), Ok(())], [failed(), cancelled(), cancelled()]] {
            let all = results.into_iter().fold(Ok(()), graver);
            assert!(all.unwrap_err().to_string().contains("full"));
        }
        assert!([Ok(()), Ok(())].into_iter().fold(Ok(()), graver).is_ok());
        assert!(matches!([cancelled(), Ok(())].into_iter().fold(Ok(()), graver), Err(Error::Cancelled)));
    }
}
