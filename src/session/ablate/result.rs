//! The report of an ablation, with its cells in the order of the plan.

use std::path::{Path, PathBuf};

use super::cell::outcome;
use super::plan::{Plan, Planned};
use crate::error::Result;
use crate::runs::report::{self, Ablation, About, Cell, CellId, PictureStrip};
use crate::runs::sheet::first_and_last;

impl Plan {
    /// Writes the report of what there is.
    pub(super) fn report(&self, cells: &[Planned]) -> Result<Ablation> {
        let read = |cell: &Planned| {
            let id = CellId { variant: cell.arm.name(), prompt: cell.prompt.clone(), seed: cell.seed };
            if cell.run.exists() {
                Cell::open(id, outcome(cell), &cell.run)
            } else {
                Cell::empty(id, &cell.run, outcome(cell))
            }
        };
        let ablation = Ablation::new(cells.iter().map(read).collect());
        let first = self.config.seed;
        let strips = cells.iter().filter(|cell| cell.seed == first).filter_map(strip).collect::<Vec<_>>();
        report::write(&self.out, &ablation, &About::of("Ablation of MAR-GRPO", &ablation), &strips)?;
        Ok(ablation)
    }
}

/// What the cell did to its pictures, if they were recorded.
fn strip(cell: &Planned) -> Option<PictureStrip> {
    let store = crate::runs::open(&cell.run).ok()?;
    let (first, last, sheet) = first_and_last(&store, 1).ok()?;
    let title = format!("{}: iteration {first} above, iteration {last} below", cell.name());
    Some(PictureStrip { title, png_bytes: vec![sheet.to_png().ok()?] })
}

/// Where the report is.
#[must_use]
pub fn report_path(out: &Path) -> PathBuf {
    out.join("report.html")
}
