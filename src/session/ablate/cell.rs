//! One cell of an ablation: begun or continued, trained to its end, and known as finished afterwards.

use std::fs;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::plan::{Plan, Planned};
use crate::error::{Error, Result};
use crate::runs::files::{read_json, write_json};
use crate::runs::folder::read_header;
use crate::runs::report::Outcome;
use crate::session::device::DeviceChoice;
use crate::session::settings::differences;
use crate::session::train::checkpoint;
use crate::session::train::config::TrainConfig;
use crate::session::train::handle::{Job, Session};
use crate::session::train::message::{End, Message};
use crate::session::train::origin::Origin;
use crate::session::train::status::Status;

/// How a cell ended, kept in its folder so that a finished one is not run again.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
enum Ended {
    Finished,
    Failed { reason: String },
}

const ENDED: &str = "outcome.json";

/// What it is asked and told while a cell is trained.
pub(super) struct Front<'a> {
    /// Whether it must end.
    pub stopped: &'a dyn Fn() -> bool,
    /// Told what it does, and every fact.
    pub tell: &'a mut dyn FnMut(Status, Option<Message>),
}

impl Plan {
    /// Places of the cells that are not over. Those that are must have the settings of this plan.
    pub(super) fn unfinished(&self, cells: &[Planned]) -> Result<Vec<usize>> {
        let mut places = Vec::new();
        for (place, cell) in cells.iter().enumerate() {
            if cell.run.join(ENDED).exists() {
                same_settings(cell, &self.settings(cell))?;
            } else {
                places.push(place);
            }
        }
        Ok(places)
    }

    /// Trains a cell to its end.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if it was stopped, and whatever is not the variant's doing: mended and started again, the ablation
    /// goes on here.
    pub(super) fn train(&self, cell: &Planned, device: DeviceChoice, front: &mut Front<'_>) -> Result<()> {
        let config = self.settings(cell);
        let origin = if begun(cell, &config)? {
            Origin::Resume { iterations: Some(config.iterations) }
        } else {
            Origin::New { model: self.model.clone(), config: Box::new(config) }
        };
        let session = Session::start(Job { run: cell.run.clone(), origin, device })?;
        let ended = end_of(&session, cell, front)?;
        // Only once nothing more is written there.
        drop(session);
        write_json(&cell.run.join(ENDED), &ended)
    }
}

fn end_of(session: &Session, cell: &Planned, front: &mut Front<'_>) -> Result<Ended> {
    loop {
        if (front.stopped)() {
            session.stop();
        }
        let message = session.messages.recv_timeout(Duration::from_millis(200)).ok();
        (front.tell)(session.status(), message.clone());
        match message {
            Some(Message::Ended(End::Finished)) => return Ok(Ended::Finished),
            Some(Message::Ended(End::Stopped)) => return Err(Error::Cancelled),
            Some(Message::Ended(End::Diverged(reason))) => return Ok(Ended::Failed { reason }),
            Some(Message::Ended(End::Failed(reason))) => {
                return Err(Error::Config(format!("{}: {reason}", cell.run.display())));
            }
            Some(Message::RecordingFailed(text)) => return Err(Error::Config(text)),
            _ => {}
        }
    }
}

/// Whether the cell can be continued. One that was killed before its first checkpoint begins anew.
fn begun(cell: &Planned, config: &TrainConfig) -> Result<bool> {
    if !cell.run.exists() {
        return Ok(false);
    }
    if checkpoint::list(&cell.run).is_empty() {
        fs::remove_dir_all(&cell.run).map_err(Error::io("remove", &cell.run))?;
        return Ok(false);
    }
    same_settings(cell, config).map(|()| true)
}

/// That what is there was run with the settings of this ablation: two kinds must not end in one table.
fn same_settings(cell: &Planned, config: &TrainConfig) -> Result<()> {
    let found: TrainConfig = serde_json::from_value(read_header(&cell.run)?.config)
        .map_err(|error| Error::format(&cell.run, format!("the settings cannot be read: {error}")))?;
    let differences = differences(&found, config)?;
    match differences.first() {
        None => Ok(()),
        Some(first) => Err(Error::Config(format!(
            "{} was run with other settings ({} {} and not {}): give the same ones, or another --out",
            cell.run.display(),
            first.setting,
            first.from,
            first.to
        ))),
    }
}

/// How the cell ended, as its folder has it.
pub(super) fn outcome(cell: &Planned) -> Outcome {
    match read_json::<Ended>(&cell.run.join(ENDED)) {
        Ok(Ended::Finished) => Outcome::Finished,
        Ok(Ended::Failed { reason }) => Outcome::Failed(reason),
        Err(_) => Outcome::Unfinished { iterations: 0 },
    }
}
