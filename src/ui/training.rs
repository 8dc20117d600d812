//! The run that this window is training.

use std::path::PathBuf;

use super::data::run::RunId;
use crate::error::{Error, Result};
use crate::rl::config::RlConfig;
use crate::session::device::DeviceChoice;
use crate::session::train::handle::{Job, Session};
use crate::session::train::message::{End, Message};
use crate::session::train::origin::Origin;
use crate::session::train::status::{Activity, Status};

/// A session and what it told so far.
pub struct Training {
    session: Session,
    /// Its run's folder.
    pub folder: PathBuf,
    /// The open run, once its folder is there.
    pub run: Option<RunId>,
    /// Where it trains.
    pub device: DeviceChoice,
    /// How it ended, once it did.
    pub ended: Option<End>,
    /// Whether its folder could not be opened as a run.
    pub not_opened: bool,
    /// Whether the user was told how it ended.
    pub told: bool,
    /// Why recording failed; it waits until the user lets it go on.
    pub recording_failed: Option<String>,
}

/// Something the user should be told.
pub enum News {
    /// Something went wrong.
    Problem(String),
    /// Something was done.
    Done(String),
}

impl Training {
    /// Starts training in `folder`.
    ///
    /// # Errors
    /// Those of [`Session::start`].
    pub fn start(folder: PathBuf, origin: Origin, device: DeviceChoice) -> Result<Self> {
        let session = Session::start(Job { run: folder.clone(), origin, device })?;
        Ok(Self {
            session,
            folder,
            run: None,
            device,
            not_opened: false,
            ended: None,
            told: false,
            recording_failed: None,
        })
    }

    /// What it is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        self.session.status()
    }

    /// Whether nothing more will come.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether it waits for the user.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.status().activity == Activity::Paused
    }

    /// The session.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Pause, or go on. Going on also tries again to record what could not be.
    pub fn toggle_pause(&mut self) {
        if self.is_paused() || self.recording_failed.is_some() {
            self.recording_failed = None;
            self.session.resume();
        } else {
            self.session.pause();
        }
    }

    /// Changes settings from the next iteration on.
    ///
    /// # Errors
    /// [`Error::Config`] if it is over, or naming the setting that is out of range.
    pub fn change(&self, config: RlConfig) -> Result<()> {
        if self.is_over() {
            return Err(Error::Config(
                "the run is over; resume it or start another to change settings".into(),
            ));
        }
        self.session.change(config)
    }

    /// Takes in what the session told. Recorded events are read from the run's folder and are not taken from here.
    pub fn drain(&mut self) -> Vec<News> {
        let mut news = Vec::new();
        for message in self.session.messages.try_iter() {
            match message {
                Message::Event(_) | Message::Missed(_) => {}
                Message::Warning(text) => news.push(News::Problem(text)),
                Message::RecordingFailed(text) => {
                    news.push(News::Problem(text.clone()));
                    self.recording_failed = Some(text);
                }
                Message::Checkpoint(path) => {
                    news.push(News::Done(format!("checkpoint written: {}", path.display())));
                }
                Message::Ended(end) => self.ended = Some(end),
            }
        }
        news
    }
}
