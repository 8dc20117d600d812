//! How far an ablation is, with several cells under way at once.

use std::path::Path;

use super::plan::{Plan, Planned};
use super::workers::Told;
use crate::session::device::DeviceChoice;
use crate::session::train::message::{End, Message};
use crate::session::train::status::Status;

/// A cell that began and is not over.
#[derive(Clone, Debug, PartialEq)]
pub struct UnderWay {
    /// Its place in the plan, from 1.
    pub number: usize,
    /// Variant, prompt and seed.
    pub name: String,
    /// Where it is trained.
    pub device: DeviceChoice,
    /// What it is doing.
    pub status: Status,
}

/// What a front end is told while an ablation runs.
pub struct Watching<'a> {
    /// The cell that this is about, its place in the plan from 1, and cells in all.
    pub cell: (usize, usize),
    /// Its name.
    pub name: &'a str,
    /// Its folder, which may not be there yet.
    pub run: &'a Path,
    /// Where it is trained.
    pub device: DeviceChoice,
    /// What it is doing.
    pub status: &'a Status,
    /// A fact, if there is one.
    pub message: Option<&'a Message>,
    /// Cells that are over, finished or failed, now or when the ablation was run before.
    pub done: usize,
    /// Cells under way, in the order of the plan. One that was stopped stays among them: it is not over.
    pub under_way: &'a [UnderWay],
    /// Iterations of a cell.
    pub iterations: usize,
}

impl Watching<'_> {
    /// Iterations done, and those of all cells.
    #[must_use]
    pub fn all_iterations(&self) -> (usize, usize) {
        let under_way = self.under_way.iter().map(|cell| cell.status.iteration.min(self.iterations));
        (self.done * self.iterations + under_way.sum::<usize>(), self.cell.1 * self.iterations)
    }
}

/// Counts what the workers tell.
pub(super) struct Tally<'a> {
    cells: &'a [Planned],
    names: Vec<String>,
    iterations: usize,
    done: usize,
    under_way: Vec<UnderWay>,
}

impl<'a> Tally<'a> {
    /// Of these `cells`, `done` are over already.
    pub fn new(plan: &Plan, cells: &'a [Planned], done: usize) -> Self {
        let names = cells.iter().map(Planned::name).collect();
        Self { cells, names, iterations: plan.config.iterations, done, under_way: Vec::new() }
    }

    /// Takes in what was told.
    pub fn take(&mut self, told: &Told) {
        let number = told.place + 1;
        let at = self.under_way.partition_point(|cell| cell.number < number);
        let known = self.under_way.get(at).is_some_and(|cell| cell.number == number);
        if matches!(told.message, Some(Message::Ended(End::Finished | End::Diverged(_)))) {
            self.done += 1;
            if known {
                self.under_way.remove(at);
            }
        } else if known {
            self.under_way[at].status.clone_from(&told.status);
        } else {
            let (name, status) = (self.names[told.place].clone(), told.status.clone());
            self.under_way.insert(at, UnderWay { number, name, device: told.device, status });
        }
    }

    /// The same for a front end.
    pub fn watching<'t>(&'t self, told: &'t Told) -> Watching<'t> {
        Watching {
            cell: (told.place + 1, self.cells.len()),
            name: &self.names[told.place],
            run: &self.cells[told.place].run,
            device: told.device,
            status: &told.status,
            message: told.message.as_ref(),
            done: self.done,
            under_way: &self.under_way,
            iterations: self.iterations,
        }
    }
}
