//! Progress on a terminal; remarks as lines, there and elsewhere.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use crate::session::control::Progress;

/// A progress bar on standard error if that is a terminal, else nothing but remarks.
pub struct Bar {
    line: ProgressBar,
    part: &'static str,
    terminal: bool,
}

impl Bar {
    /// Not yet visible.
    pub fn new() -> Self {
        Self { line: ProgressBar::hidden(), part: "", terminal: std::io::stderr().is_terminal() }
    }

    /// Shows `progress`.
    pub fn show(&mut self, progress: Progress) {
        match progress {
            Progress::At { part, done, total, note } => {
                if self.terminal && self.part != part {
                    self.line.finish_and_clear();
                    self.line = ProgressBar::new(total as u64).with_style(style());
                    self.line.set_prefix(part);
                    self.part = part;
                }
                self.line.set_length(total as u64);
                self.line.set_position(done as u64);
                self.line.set_message(note);
            }
            Progress::Remark(text) => {
                if self.terminal {
                    self.line.suspend(|| eprintln!("{text}"));
                } else {
                    eprintln!("{text}");
                }
            }
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.line.finish_and_clear();
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} {msg} {per_sec}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
