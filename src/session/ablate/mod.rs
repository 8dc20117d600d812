//! Ablation: variants x prompts x seeds from the same base with the same noise, on one device or several, and a report.

mod arm;
mod cell;
mod plan;
mod result;
mod under_way;
mod workers;

use std::fs;
use std::path::Path;

pub use arm::Arm;
pub use plan::Plan;
pub use result::report_path;
pub use under_way::{UnderWay, Watching};

use super::control::StopSignal;
use crate::error::{Error, Result};
use crate::runs::report::Ablation;
use under_way::Tally;
use workers::Workers;

impl Plan {
    /// Runs what is not finished yet and writes the report. Each device trains one cell after the other, taking the next of
    /// the plan that nobody has taken; a device that is listed twice trains two at a time. The noise of a cell is the same
    /// wherever and whenever it is trained, and on the CPU so is every number. A cell that diverges is reported as failed.
    ///
    /// `watch` is called on the thread that called this.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if stopped (the report is written of what there is), [`Error::Device`] if a device cannot be used,
    /// [`Error::Io`] if files cannot be written. What is under way then ends with a checkpoint.
    pub fn run(&self, stop: &StopSignal, watch: &mut dyn FnMut(&Watching<'_>)) -> Result<Ablation> {
        self.validate()?;
        let cells = self.cells();
        let waiting = self.unfinished(&cells)?;
        if !waiting.is_empty() {
            // Before anything is trained: else one that is not there is found out when others are in the midst of a run.
            self.devices.iter().try_for_each(|device| device.open().map(drop))?;
        }
        let mut tally = Tally::new(self, &cells, cells.len() - waiting.len());
        let trained = Workers::new(self, &cells, waiting, stop).train(&mut |told| {
            tally.take(&told);
            watch(&tally.watching(&told));
        });
        match trained {
            Ok(()) => self.report(&cells),
            Err(Error::Cancelled) => self.report(&cells).and(Err(Error::Cancelled)),
            Err(error) => Err(error),
        }
    }
}

/// Whether `out` holds something that is no ablation and would be mixed up with it.
///
/// # Errors
/// [`Error::Config`] if it is a run.
pub fn check_folder(out: &Path) -> Result<()> {
    if fs::metadata(out.join("run.json")).is_ok() {
        return Err(Error::Config(format!("{} is a run; choose another --out", out.display())));
    }
    Ok(())
}
