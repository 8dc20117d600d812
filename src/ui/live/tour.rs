//! What stands where there is nothing to show yet: why, and what to press.

use eframe::egui::{RichText, Ui};

use crate::ui::action::Action;
use crate::ui::theme::Theme;

/// A button of a tour.
pub(super) struct Press {
    /// Its text.
    pub name: &'static str,
    /// What it does.
    pub tooltip: String,
    /// What it gives.
    pub action: Action,
}

impl Press {
    /// A button.
    pub fn new(name: &'static str, tooltip: impl Into<String>, action: Action) -> Self {
        Self { name, tooltip: tooltip.into(), action }
    }
}

/// A title, a short text, and the buttons that lead on.
pub(super) fn tour_ui(
    ui: &mut Ui,
    theme: &Theme,
    (title, text): (&str, &str),
    presses: Vec<Press>,
    out: &mut Vec<Action>,
) {
    ui.vertical(|ui| {
        ui.set_max_width(ui.available_width().min(460.0));
        ui.add_space(8.0);
        ui.label(RichText::new(title).strong().color(theme.text));
        ui.label(RichText::new(text).color(theme.faint));
        if presses.is_empty() {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            for press in presses {
                if ui.button(press.name).on_hover_text(press.tooltip).clicked() {
                    out.push(press.action);
                }
            }
        });
    });
}

/// When no run is open.
pub(super) fn no_run_ui(ui: &mut Ui, theme: &Theme, what: &str, out: &mut Vec<Action>) {
    let text = format!(
        "{what} Press Start to train a run with the settings of the form, or open one that was recorded: choose its \
         folder, or drop it onto the window."
    );
    let presses = vec![
        Press::new("Start a run", "Train in a new run folder with the settings of the form.", Action::Start),
        Press::new("Open run…", "Choose the folder of a recorded run.", Action::AskOpenFolder),
        Press::new(
            "Open file…",
            "Choose a log: a record of marscope, or a foreign one.",
            Action::AskOpenFile,
        ),
    ];
    tour_ui(ui, theme, ("No run is open", &text), presses, out);
}

/// Why the record of a run cannot be read on.
pub(super) fn problem_ui(ui: &mut Ui, theme: &Theme, problem: Option<&str>) {
    if let Some(problem) = problem {
        ui.label(RichText::new(format!("The run cannot be read on: {problem}")).color(theme.bad));
    }
}
