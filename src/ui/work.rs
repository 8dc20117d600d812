//! What this window computes: a run being trained or an ablation, never both, and the settings of the next.

use std::path::PathBuf;

use super::commands::Situation;
use super::compare::ablating::Ablating;
use super::data::run::Runs;
use super::training::{News, Training};
use super::view::Selection;
use crate::error::{Error, Result};
use crate::rl::config::RlConfig;
use crate::session::ablate::Plan;
use crate::session::device::DeviceChoice;
use crate::session::train::config::TrainConfig;
use crate::session::train::message::REFUSED;
use crate::session::train::origin::{Origin, free_folder};

/// What is computed, and what would be next.
pub struct Work {
    /// The run that is or was being trained.
    pub training: Option<Training>,
    /// The ablation that is or was running.
    pub ablating: Option<Ablating>,
    /// Settings of the next run.
    pub draft: TrainConfig,
    /// Where the next run trains.
    pub device: DeviceChoice,
    /// Folder of the model that the next run starts from; the shipped one if there is none.
    pub model: Option<PathBuf>,
    /// Folder in which runs are made.
    pub folder: PathBuf,
    /// Settings sent to the run that are not in force yet.
    pub wanted: Option<RlConfig>,
}

impl Work {
    /// Nothing yet; the next run has the settings `draft`.
    #[must_use]
    pub const fn new(draft: TrainConfig, folder: PathBuf) -> Self {
        Self {
            training: None,
            ablating: None,
            draft,
            device: DeviceChoice::Auto,
            model: None,
            folder,
            wanted: None,
        }
    }

    /// The run that is being trained, if it is not over.
    #[must_use]
    pub fn active(&self) -> Option<&Training> {
        self.training.as_ref().filter(|training| !training.is_over())
    }

    /// Whether something is computed.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.active().is_some() || self.ablating.as_ref().is_some_and(|ablating| !ablating.is_over())
    }

    /// What there is, against which commands are enabled.
    #[must_use]
    pub fn situation(&self, runs: &Runs, selection: &Selection) -> Situation {
        let run = selection.run.and_then(|id| runs.get(id));
        Situation {
            busy: self.is_busy(),
            training: self.active().is_some(),
            ablation: self.ablating.as_ref().is_some_and(|ablating| !ablating.is_over()),
            run: run.is_some(),
            resumable: run.is_some_and(|run| run.is_training() && !run.checkpoints.is_empty()),
        }
    }

    /// Trains the next run.
    ///
    /// # Errors
    /// [`Error::Config`] for settings out of range or if something is computed already.
    pub fn start(&mut self) -> Result<()> {
        self.draft.validate()?;
        let origin = Origin::New { model: self.model.clone(), config: Box::new(self.draft.clone()) };
        let folder = free_folder(&self.folder)?;
        self.train(folder, origin)
    }

    /// Branches off.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn fork(&mut self, checkpoint: PathBuf, config: TrainConfig) -> Result<()> {
        config.validate()?;
        let folder = free_folder(&self.folder)?;
        self.train(folder, Origin::Fork { checkpoint, config: Box::new(config) })
    }

    /// Runs an ablation; `repaint` is called when there is something new to be drawn.
    ///
    /// # Errors
    /// As [`start`](Self::start), and for a folder that cannot be used.
    pub fn ablate(&mut self, plan: Plan, repaint: impl Fn() + Send + 'static) -> Result<()> {
        if self.is_busy() {
            return Err(busy());
        }
        self.ablating = Some(Ablating::start(plan, repaint)?);
        Ok(())
    }

    /// Continues the run in `folder`.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn resume(&mut self, folder: PathBuf, iterations: Option<usize>) -> Result<()> {
        self.train(folder, Origin::Resume { iterations })
    }

    fn train(&mut self, folder: PathBuf, origin: Origin) -> Result<()> {
        if self.is_busy() {
            return Err(busy());
        }
        self.wanted = None;
        self.training = Some(Training::start(folder, origin, self.device)?);
        Ok(())
    }

    /// Changes settings of the run from the next iteration on.
    ///
    /// # Errors
    /// [`Error::Config`] if nothing is being trained, or naming the setting that is out of range.
    pub fn change(&mut self, config: RlConfig) -> Result<()> {
        let training =
            self.active().ok_or_else(|| Error::Config("nothing is being trained; press Start".into()))?;
        training.change(config.clone())?;
        self.wanted = Some(config);
        Ok(())
    }

    /// Takes in what was told since. `applied` are the settings in force in the record.
    pub fn update(&mut self, applied: Option<&RlConfig>) -> Vec<News> {
        let Some(training) = &mut self.training else { return Vec::new() };
        let news = training.drain();
        let refused = news.iter().any(|n| matches!(n, News::Problem(text) if text.starts_with(REFUSED)));
        if refused || training.is_over() || self.wanted.as_ref() == applied {
            self.wanted = None;
        }
        news
    }
}

/// Why nothing can be started now.
pub const BUSY: &str = "something is being trained already; stop it first";

fn busy() -> Error {
    Error::Config(BUSY.into())
}
