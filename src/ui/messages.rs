//! What the user is told: the newest as a line that goes away, all of them in a list that stays.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use eframe::egui::{self, Align2, RichText, ScrollArea, Ui};

use super::icons::{Icon, icon_button, icon_ui};
use super::theme::Theme;

/// How long a line stays.
const SHOWN: Duration = Duration::from_secs(8);
/// Messages kept.
const KEPT: usize = 1000;

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Something was done.
    Done,
    /// Something went wrong.
    Problem,
}

/// One message.
#[derive(Clone, Debug)]
pub struct Message {
    /// How much it matters.
    pub weight: Weight,
    /// A sentence.
    pub text: String,
    /// How often it came in a row.
    pub times: usize,
    at: Instant,
    /// Dismissed, or seen in the list.
    seen: bool,
}

/// All messages, oldest first.
#[derive(Debug, Default)]
pub struct Messages {
    all: VecDeque<Message>,
}

impl Messages {
    /// Tells of a problem. It also goes to the log file.
    pub fn problem(&mut self, text: impl Into<String>) {
        let text = text.into();
        log::warn!("{text}");
        self.add(Weight::Problem, text);
    }

    /// Tells that something was done.
    pub fn done(&mut self, text: impl Into<String>) {
        let text = text.into();
        log::info!("{text}");
        self.add(Weight::Done, text);
    }

    fn add(&mut self, weight: Weight, text: String) {
        let at = Instant::now();
        if let Some(last) = self.all.back_mut().filter(|last| last.weight == weight && last.text == text) {
            (last.times, last.at, last.seen) = (last.times + 1, at, false);
            return;
        }
        self.all.push_back(Message { weight, text, times: 1, at, seen: false });
        if self.all.len() > KEPT {
            self.all.pop_front();
        }
    }

    /// All messages, oldest first.
    #[cfg(test)]
    fn iter(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.all.iter()
    }

    /// Problems that were not looked at.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.all.iter().filter(|message| message.weight == Weight::Problem && !message.seen).count()
    }

    /// Draws the newest lines at the foot of the window. A problem stays until it is dismissed or the list was opened.
    pub fn lines_ui(&mut self, ctx: &egui::Context, theme: &Theme) {
        let lines: Vec<usize> = (0..self.all.len())
            .rev()
            .filter(|&i| {
                let message = &self.all[i];
                let fresh = message.at.elapsed() < SHOWN;
                !message.seen && (fresh || message.weight == Weight::Problem)
            })
            .take(3)
            .collect();
        if lines.is_empty() {
            return;
        }
        egui::Area::new(egui::Id::unique("message lines")).anchor(Align2::RIGHT_BOTTOM, [-12.0, -12.0]).show(
            ctx,
            |ui| {
                for i in lines.into_iter().rev() {
                    let message = &mut self.all[i];
                    if line_ui(ui, theme, message) {
                        message.seen = true;
                    }
                }
            },
        );
        ctx.request_repaint_after(SHOWN);
    }

    /// Draws the list.
    pub fn list_ui(&mut self, ui: &mut Ui, theme: &Theme) {
        self.all.iter_mut().for_each(|message| message.seen = true);
        if self.all.is_empty() {
            ui.label("Nothing yet. Problems and what was done are listed here.");
        }
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for message in self.all.iter().rev() {
                let ago = super::run_bar::clock(message.at.elapsed());
                let text = format!("{} ago  {}{}", ago, message.text, times(message.times));
                let colour = if message.weight == Weight::Problem { theme.bad } else { theme.text };
                ui.label(RichText::new(text).color(colour));
            }
        });
    }
}

fn times(times: usize) -> String {
    if times > 1 { format!(" ({times} times)") } else { String::new() }
}

/// Says whether it was dismissed.
fn line_ui(ui: &mut Ui, theme: &Theme, message: &Message) -> bool {
    let mut dismissed = false;
    egui::Frame::popup(ui.style()).show(ui, |ui| {
        ui.set_max_width(520.0);
        ui.horizontal(|ui| {
            let (icon, colour) = match message.weight {
                Weight::Problem => (Icon::Warning, theme.bad),
                Weight::Done => (Icon::Check, theme.good),
            };
            icon_ui(ui, icon, colour);
            dismissed = icon_button(ui, Icon::Cross, "Dismiss message").clicked();
            ui.add(egui::Label::new(format!("{}{}", message.text, times(message.times))).wrap());
        });
    });
    dismissed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_message_again_is_counted_and_not_repeated() {
        let mut messages = Messages::default();
        messages.problem("the disk is full");
        messages.problem("the disk is full");
        messages.done("saved");
        let all: Vec<(usize, &str)> = messages.iter().map(|m| (m.times, m.text.as_str())).collect();
        assert_eq!(all, [(2, "the disk is full"), (1, "saved")]);
        assert_eq!(messages.unread(), 1);
        for i in 0..2 * KEPT {
            messages.done(i.to_string());
        }
        assert_eq!(messages.iter().count(), KEPT);
    }
}
