//! What is compared, and the runs that this takes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::arm::Arm;
use crate::error::{Error, Result};
use crate::rl::config::Advantages;
use crate::session::device::DeviceChoice;
use crate::session::train::config::TrainConfig;

/// Cells that can be under way at a time.
const MOST_DEVICES: usize = 64;

/// What is compared.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rows.
    pub arms: Vec<Arm>,
    /// Prompts; each is a run of its own.
    pub prompts: Vec<String>,
    /// Number of seeds, from that of `config`.
    pub seeds: u64,
    /// Settings that all share.
    pub config: TrainConfig,
    /// Folder of the runs and of the report.
    pub out: PathBuf,
    /// Folder of the base model; the shipped one if there is none.
    pub model: Option<PathBuf>,
    /// Where tensors live: each trains one cell at a time, and one that is listed twice two.
    pub devices: Vec<DeviceChoice>,
}

/// One run of the plan.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub arm: Arm,
    pub prompt: String,
    pub seed: u64,
    pub run: PathBuf,
}

impl Planned {
    /// Variant, prompt and seed.
    pub fn name(&self) -> String {
        format!("{}, {}, seed {}", self.arm.name(), self.prompt, self.seed)
    }
}

impl Plan {
    /// Checks the plan.
    ///
    /// # Errors
    /// [`Error::Config`] if there is nothing to compare or nothing to train it on, or for settings out of range.
    pub fn validate(&self) -> Result<()> {
        if self.arms.is_empty() || self.prompts.is_empty() || !(1..=1000).contains(&self.seeds) {
            return Err(Error::Config(
                "an ablation needs at least one variant, one prompt, and 1 to 1000 seeds".into(),
            ));
        }
        if !(1..=MOST_DEVICES).contains(&self.devices.len()) {
            return Err(Error::Config(format!(
                "an ablation needs 1 to {MOST_DEVICES} devices to train on, and has {}; name them as in cuda:0,cuda:1",
                self.devices.len()
            )));
        }
        let cells = self.cells();
        let folders: BTreeSet<&PathBuf> = cells.iter().map(|cell| &cell.run).collect();
        if folders.len() < cells.len() {
            return Err(Error::Config("a variant or a prompt is named twice; name each once".into()));
        }
        cells.iter().try_for_each(|cell| self.settings(cell).validate())
    }

    /// Every run, seeds outermost: an ablation that is cut short is balanced.
    pub(super) fn cells(&self) -> Vec<Planned> {
        let mut cells = Vec::new();
        for seed in (0..self.seeds).map(|i| self.config.seed.saturating_add(i)) {
            for prompt in &self.prompts {
                for arm in &self.arms {
                    let slug: String =
                        prompt.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
                    let run = self.out.join(slug).join(arm.name()).join(format!("seed-{seed}"));
                    cells.push(Planned { arm: *arm, prompt: prompt.clone(), seed, run });
                }
            }
        }
        cells
    }

    /// Settings of a cell.
    pub(super) fn settings(&self, cell: &Planned) -> TrainConfig {
        let mut config = self.config.clone();
        config.seed = cell.seed;
        config.prompts = vec![cell.prompt.clone()];
        cell.arm.variant.apply(&mut config.rl);
        config.rl.advantages = if cell.arm.shuffled { Advantages::Shuffled } else { Advantages::Group };
        config
    }
}
