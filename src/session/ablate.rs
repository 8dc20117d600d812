//! Ablation: variants x prompts x seeds from the same base with the same noise, and a report.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::control::StopSignal;
use super::device::DeviceChoice;
use super::settings::differences;
use super::train::checkpoint;
use super::train::config::TrainConfig;
use super::train::handle::{Job, Session};
use super::train::message::{End, Message};
use super::train::origin::Origin;
use super::train::status::Status;
use crate::error::{Error, Result};
use crate::rl::config::Advantages;
use crate::rl::variant::Variant;
use crate::runs::files::{read_json, write_json};
use crate::runs::folder::read_header;
use crate::runs::report::{self, Ablation, About, Cell, CellId, Outcome, PictureStrip};
use crate::runs::sheet::first_and_last;

/// One row of an ablation: a variant, perhaps with shuffled advantages as a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The variant.
    pub variant: Variant,
    /// Whether advantages are shuffled within the group: what remains is not the reward's doing.
    pub shuffled: bool,
}

const SHUFFLED: &str = "+shuffled";

impl Arm {
    /// Its name: `mar_grpo`, `mar_grpo+shuffled`.
    #[must_use]
    pub fn name(self) -> String {
        format!("{}{}", self.variant.name(), if self.shuffled { SHUFFLED } else { "" })
    }
}

impl FromStr for Arm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (variant, shuffled) =
            text.strip_suffix(SHUFFLED).map_or((text, false), |variant| (variant, true));
        Ok(Self { variant: variant.parse()?, shuffled })
    }
}

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
    /// Where tensors live.
    pub device: DeviceChoice,
}

/// How a cell ended, kept in its folder so that a finished one is not run again.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
enum Ended {
    Finished,
    Failed { reason: String },
}

const ENDED: &str = "outcome.json";

/// One run of the plan.
#[derive(Clone, Debug)]
struct Planned {
    arm: Arm,
    prompt: String,
    seed: u64,
    run: PathBuf,
}

/// What a front end is told while an ablation runs.
pub struct Watching<'a> {
    /// Cell under way, from 1, and cells in all.
    pub cell: (usize, usize),
    /// Its name.
    pub name: &'a str,
    /// Its folder, which may not be there yet.
    pub run: &'a Path,
    /// What it is doing.
    pub status: &'a Status,
    /// A fact, if there is one.
    pub message: Option<&'a Message>,
}

impl Plan {
    /// Checks the plan.
    ///
    /// # Errors
    /// [`Error::Config`] if there is nothing to compare, or for settings out of range.
    pub fn validate(&self) -> Result<()> {
        if self.arms.is_empty() || self.prompts.is_empty() || !(1..=1000).contains(&self.seeds) {
            return Err(Error::Config(
                "an ablation needs at least one variant, one prompt, and 1 to 1000 seeds".into(),
            ));
        }
        let cells = self.cells();
        let folders: BTreeSet<&PathBuf> = cells.iter().map(|cell| &cell.run).collect();
        if folders.len() < cells.len() {
            return Err(Error::Config("a variant or a prompt is named twice; name each once".into()));
        }
        cells.iter().try_for_each(|cell| self.settings(cell).validate())
    }

    /// Every run, seeds outermost: an ablation that is cut short is balanced.
    fn cells(&self) -> Vec<Planned> {
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

    fn settings(&self, cell: &Planned) -> TrainConfig {
        let mut config = self.config.clone();
        config.seed = cell.seed;
        config.prompts = vec![cell.prompt.clone()];
        cell.arm.variant.apply(&mut config.rl);
        config.rl.advantages = if cell.arm.shuffled { Advantages::Shuffled } else { Advantages::Group };
        config
    }

    /// Runs what is not finished yet, one after the other, and writes the report. A run that fails is reported as failed.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if stopped (the report is written of what there is), [`Error::Io`] if files cannot be written.
    pub fn run(&self, stop: &StopSignal, watch: &mut dyn FnMut(&Watching<'_>)) -> Result<Ablation> {
        self.validate()?;
        let cells = self.cells();
        let mut cancelled = false;
        for (number, cell) in cells.iter().enumerate() {
            if cell.run.join(ENDED).exists() {
                same_settings(cell, &self.settings(cell))?;
                continue;
            }
            if cancelled {
                continue;
            }
            let name = format!("{}, {}, seed {}", cell.arm.name(), cell.prompt, cell.seed);
            let mut tell = |status: &Status, message: Option<&Message>| {
                watch(&Watching {
                    cell: (number + 1, cells.len()),
                    name: &name,
                    run: &cell.run,
                    status,
                    message,
                });
            };
            match self.train(cell, stop, &mut tell) {
                Ok(ended) => write_json(&cell.run.join(ENDED), &ended)?,
                Err(Error::Cancelled) => cancelled = true,
                Err(error) => return Err(error),
            }
        }
        let ablation = self.report(&cells)?;
        if cancelled { Err(Error::Cancelled) } else { Ok(ablation) }
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

    fn train(
        &self,
        cell: &Planned,
        stop: &StopSignal,
        tell: &mut dyn FnMut(&Status, Option<&Message>),
    ) -> Result<Ended> {
        let config = self.settings(cell);
        let origin = if Self::begun(cell, &config)? {
            Origin::Resume { iterations: Some(config.iterations) }
        } else {
            Origin::New { model: self.model.clone(), config: Box::new(config) }
        };
        let session = Session::start(Job { run: cell.run.clone(), origin, device: self.device })?;
        loop {
            if stop.check().is_err() {
                session.stop();
            }
            let message = session.messages.recv_timeout(Duration::from_millis(200)).ok();
            tell(&session.status(), message.as_ref());
            match message {
                Some(Message::Ended(End::Finished)) => return Ok(Ended::Finished),
                Some(Message::Ended(End::Stopped)) => return Err(Error::Cancelled),
                Some(Message::Ended(End::Diverged(reason))) => return Ok(Ended::Failed { reason }),
                // Not the variant's doing: mended and started again, the ablation goes on here.
                Some(Message::Ended(End::Failed(reason))) => {
                    return Err(Error::Config(format!("{}: {reason}", cell.run.display())));
                }
                Some(Message::RecordingFailed(text)) => return Err(Error::Config(text)),
                _ => {}
            }
        }
    }

    fn report(&self, cells: &[Planned]) -> Result<Ablation> {
        let read = |cell: &Planned| {
            let id = CellId { variant: cell.arm.name(), prompt: cell.prompt.clone(), seed: cell.seed };
            let ended = read_json::<Ended>(&cell.run.join(ENDED));
            let outcome = match ended {
                Ok(Ended::Finished) => Outcome::Finished,
                Ok(Ended::Failed { reason }) => Outcome::Failed(reason),
                Err(_) => Outcome::Unfinished { iterations: 0 },
            };
            if cell.run.exists() {
                Cell::open(id, outcome, &cell.run)
            } else {
                Cell::empty(id, &cell.run, outcome)
            }
        };
        let ablation = Ablation::new(cells.iter().map(read).collect());
        let first = self.config.seed;
        let strips = cells.iter().filter(|cell| cell.seed == first).filter_map(strip).collect::<Vec<_>>();
        report::write(&self.out, &ablation, &About::of("Ablation of MAR-GRPO", &ablation), &strips)?;
        Ok(ablation)
    }
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

/// What the cell did to its pictures, if they were recorded.
fn strip(cell: &Planned) -> Option<PictureStrip> {
    let store = crate::runs::open(&cell.run).ok()?;
    let (first, last, sheet) = first_and_last(&store, 1).ok()?;
    let title = format!(
        "{}, {}, seed {}: iteration {first} above, iteration {last} below",
        cell.arm.name(),
        cell.prompt,
        cell.seed
    );
    Some(PictureStrip { title, png_bytes: vec![sheet.to_png().ok()?] })
}

/// Where the report is.
#[must_use]
pub fn report_path(out: &Path) -> PathBuf {
    out.join("report.html")
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
