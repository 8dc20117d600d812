//! Dialogs of the system for files, each on a thread of its own, and what to do where there are none.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};

use eframe::egui;

use super::action::Export;
use super::log_file;

/// What a dialog was opened for.
#[derive(Debug)]
pub enum Purpose {
    /// Open what is chosen.
    Open,
    /// The next run starts from the model that is chosen.
    Model,
    /// Save this.
    Save(Box<Export>),
}

/// How a dialog ended.
#[derive(Debug)]
pub enum Answer {
    /// This was chosen.
    Chosen(PathBuf),
    /// The user cancelled.
    Cancelled,
    /// No dialog could be shown, and why.
    Unavailable(String),
}

struct Waiting {
    purpose: Purpose,
    answer: Receiver<Answer>,
}

/// Dialogs that are open.
pub struct Dialogs {
    /// Whether the system's dialogs are used.
    system: bool,
    waiting: Vec<Waiting>,
}

impl Dialogs {
    /// None are open; `system` says whether there are any to be shown.
    #[must_use]
    pub const fn new(system: bool) -> Self {
        Self { system, waiting: Vec::new() }
    }

    /// Asks for a folder to open.
    pub fn open_folder(&mut self, ctx: &egui::Context) {
        self.ask(ctx, Purpose::Open, || {
            rfd::FileDialog::new().set_title("Open a run's folder").pick_folder()
        });
    }

    /// Asks for the folder of a model.
    pub fn model_folder(&mut self, ctx: &egui::Context) {
        self.ask(ctx, Purpose::Model, || rfd::FileDialog::new().set_title("Folder of a model").pick_folder());
    }

    /// Asks for a file to open.
    pub fn open_file(&mut self, ctx: &egui::Context) {
        self.ask(ctx, Purpose::Open, || rfd::FileDialog::new().set_title("Open a log").pick_file());
    }

    /// Asks where to save `export`.
    pub fn save(&mut self, ctx: &egui::Context, export: Box<Export>) {
        let (name, ending) = (export.name.clone(), export.content.ending());
        self.ask(ctx, Purpose::Save(export), move || {
            rfd::FileDialog::new()
                .set_title("Save")
                .add_filter(ending, &[ending])
                .set_file_name(format!("{name}.{ending}"))
                .save_file()
        });
    }

    fn ask(
        &mut self,
        ctx: &egui::Context,
        purpose: Purpose,
        dialog: impl FnOnce() -> Option<PathBuf> + Send + 'static,
    ) {
        let (send, answer) = channel();
        let (repaint, system) = (ctx.clone(), self.system);
        let started = std::thread::Builder::new().name("dialog".into()).spawn(move || {
            let before = log_file::dialog_errors().0;
            let dialog = || if system { dialog() } else { None };
            let chosen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(dialog));
            // A missing portal is reported in the log only; the dialog itself just gives nothing.
            let (errors, last) = log_file::dialog_errors();
            let answer = match chosen {
                Ok(Some(path)) => Answer::Chosen(path),
                Ok(None) if !system => Answer::Unavailable("dialogs are switched off".into()),
                Ok(None) if errors > before => Answer::Unavailable(last),
                Ok(None) => Answer::Cancelled,
                Err(_) => Answer::Unavailable("the dialog failed".into()),
            };
            // The window may be closed by now.
            drop(send.send(answer));
            repaint.request_repaint();
        });
        if let Err(error) = started {
            log::error!("the thread of a dialog could not be started: {error}");
            return;
        }
        self.waiting.push(Waiting { purpose, answer });
    }

    /// Dialogs that ended since.
    pub fn ended(&mut self) -> Vec<(Purpose, Answer)> {
        let mut ended = Vec::new();
        let mut open = Vec::new();
        for waiting in self.waiting.drain(..) {
            match waiting.answer.try_recv() {
                Ok(answer) => ended.push((waiting.purpose, answer)),
                Err(std::sync::mpsc::TryRecvError::Empty) => open.push(waiting),
                Err(std::sync::mpsc::TryRecvError::Disconnected) => {
                    ended.push((waiting.purpose, Answer::Cancelled));
                }
            }
        }
        self.waiting = open;
        ended
    }
}
