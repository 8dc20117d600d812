//! Training on a terminal: a bar with reward, KL, speed and time left, and a line for everything worth one.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use crate::runs::event::{Event, Mark};
use crate::session::train::message::Message;
use crate::session::train::status::Status;

/// The bar; on something that is no terminal, a line every few iterations instead.
pub struct TrainBar {
    line: ProgressBar,
    terminal: bool,
    shown: bool,
    numbers: String,
}

impl TrainBar {
    /// `shown`: whether anything is to be seen at all.
    pub fn new(shown: bool) -> Self {
        let terminal = shown && std::io::stderr().is_terminal();
        let style = ProgressStyle::with_template("{prefix:10} {bar:24} {pos}/{len} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let line = if terminal { ProgressBar::new(0).with_style(style) } else { ProgressBar::hidden() };
        Self { line, terminal, shown, numbers: String::new() }
    }

    /// Shows what the session is doing.
    pub fn status(&mut self, status: &Status) {
        if !self.terminal {
            return;
        }
        self.line.set_length(status.iterations as u64);
        self.line.set_position(status.iteration as u64);
        self.line.set_prefix(status.activity.name());
        let speed = if status.iteration_seconds > 0.0 {
            let left = status.remaining().map_or(0, |left| left.as_secs());
            format!("  {:.2} it/s  {}:{:02} left", 1.0 / status.iteration_seconds, left / 60, left % 60)
        } else {
            String::new()
        };
        self.line.set_message(format!("{}{speed}", self.numbers));
    }

    /// Shows a fact.
    pub fn message(&mut self, message: &Message) {
        match message {
            Message::Event(event) => self.event(event),
            // Warnings go to standard error also where the numbers go to standard output as JSON.
            Message::Warning(text) | Message::RecordingFailed(text) => {
                self.line.suspend(|| eprintln!("warning: {text}"));
            }
            Message::Missed(count) => {
                self.line.suspend(|| eprintln!("warning: {count} recorded events are not shown here"));
            }
            Message::Checkpoint(_) | Message::Ended(_) => {}
        }
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Scalars { step, values, .. } => {
                let get = |name: &str| values.get(name).map(|v| v.0);
                if let Some(score) = get("evaluation/reward") {
                    let error = get("evaluation/reward/standard_error").unwrap_or(f64::NAN);
                    let held_out = get("held_out/verifier")
                        .map_or_else(String::new, |score| format!(", held-out verifier {score:.3}"));
                    self.say(&format!(
                        "after {step:>3} iterations: evaluation reward {score:.3} ± {error:.3}{held_out}"
                    ));
                }
                if let Some(reward) = get("reward/mean") {
                    let kl = get("kl").map_or_else(String::new, |kl| format!("  KL {kl:.2e}"));
                    self.numbers = format!("reward {reward:.3}{kl}");
                    if !self.terminal && step.is_multiple_of(5) {
                        let seconds = get("time/iteration").unwrap_or(f64::NAN);
                        self.say(&format!("iteration {step:>3}: {}  {seconds:.2} s", self.numbers));
                    }
                }
            }
            Event::Change { step, setting, from, to } => {
                self.say(&format!("from iteration {step} on: {setting} {from} -> {to}"));
            }
            Event::Note { text, .. }
            | Event::Mark { mark: Mark::Resume | Mark::Fork | Mark::Alert, text, .. } => self.say(text),
            Event::Mark { .. } | Event::Group { .. } | Event::Probes { .. } => {}
        }
    }

    fn say(&self, text: &str) {
        if self.terminal {
            self.line.suspend(|| eprintln!("{text}"));
        } else if self.shown {
            eprintln!("{text}");
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.line.finish_and_clear();
    }
}
