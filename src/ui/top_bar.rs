//! The tabs, and what concerns the whole window.

use eframe::egui::{Align, Layout, RichText, Ui};

use super::action::Action;
use super::icons::{Icon, icon_button};
use super::messages::Messages;
use super::view::Tab;

/// Mark, name and what it gives.
type Button = (Icon, &'static str, fn() -> Action);

/// The buttons at the right end, from the right.
const BUTTONS: [Button; 4] = [
    (Icon::Help, "Keyboard shortcuts", || Action::ToggleShortcuts),
    (Icon::About, "About marscope", || Action::ToggleAbout),
    (Icon::Theme, "Light or dark", || Action::ToggleTheme),
    (Icon::Reset, "Reset the layout", || Action::ResetLayout),
];

/// Draws the bar.
pub fn top_bar_ui(ui: &mut Ui, tab: Tab, messages: &Messages, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("marscope").strong());
        for other in Tab::ALL {
            let text = match other {
                Tab::Live => "Watch training (Ctrl+1).",
                Tab::Compare => "Runs side by side, ablations (Ctrl+2).",
                Tab::Inspect => "One picture, token by token (Ctrl+3).",
            };
            if ui.selectable_label(tab == other, other.name()).on_hover_text(text).clicked() {
                out.push(Action::Tab(other));
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for (icon, name, action) in BUTTONS {
                if icon_button(ui, icon, name).clicked() {
                    out.push(action());
                }
            }
            let unread = messages.unread();
            let text = if unread > 0 { format!("Messages ({unread})") } else { "Messages".to_owned() };
            if ui.button(text).on_hover_text("Problems and what was done (Ctrl+M).").clicked() {
                out.push(Action::ToggleMessages);
            }
            if ui.button("Settings…").on_hover_text("Every setting of the next run (Ctrl+,).").clicked() {
                out.push(Action::ToggleSettings);
            }
            if ui.button("Commands").on_hover_text("Find a command by its name (Ctrl+P).").clicked() {
                out.push(Action::TogglePalette);
            }
        });
    });
}
