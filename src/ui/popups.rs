//! Windows over the panels: palette, shortcuts, about, a typed path, messages.

use std::path::PathBuf;

use eframe::egui::{self, Align2, Context, Key, Modal, RichText, ScrollArea, TextEdit, Ui};

use super::action::Action;
use super::commands::{Command, GROUPS, Situation, commands, keys_text, matches};
use super::log_file;
use super::theme::Theme;

/// Which windows are open, and what was typed into them.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each window is open or not, whatever the others are")]
pub struct Popups {
    /// The command palette.
    pub palette: Option<Palette>,
    /// The list of shortcuts.
    pub shortcuts: bool,
    /// About the program.
    pub about: bool,
    /// The list of messages.
    pub messages: bool,
    /// A typed path.
    pub path: Option<PathField>,
    /// The form of all settings.
    pub settings: bool,
    /// What is searched in the form of all settings.
    pub settings_filter: String,
}

/// A path that is typed.
#[derive(Debug)]
pub struct PathField {
    text: String,
    meaning: &'static str,
    chosen: fn(PathBuf) -> Action,
}

impl PathField {
    /// Of something to open.
    #[must_use]
    pub const fn of_run() -> Self {
        let meaning = "Path of a run's folder, a file in it, or a foreign log";
        Self { text: String::new(), meaning, chosen: Action::Open }
    }

    /// Of the model that the next run starts from.
    #[must_use]
    pub const fn of_model() -> Self {
        let meaning = "Folder of a model, with manifest.json, as `marscope pretrain` writes it";
        Self { text: String::new(), meaning, chosen: |path| Action::Model(Some(path)) }
    }
}

/// The command palette.
#[derive(Debug, Default)]
pub struct Palette {
    text: String,
    chosen: usize,
}

impl Popups {
    /// Whether a window takes the keys.
    #[must_use]
    pub const fn takes_keys(&self) -> bool {
        self.palette.is_some() || self.path.is_some()
    }

    /// Draws those that are open.
    pub fn ui(
        &mut self,
        ctx: &Context,
        (theme, adapter): (&Theme, &str),
        situation: Situation,
        out: &mut Vec<Action>,
    ) {
        if let Some(palette) = &mut self.palette
            && palette_ui(ctx, theme, palette, situation, out)
        {
            self.palette = None;
        }
        if let Some(field) = &mut self.path
            && path_ui(ctx, field, out)
        {
            self.path = None;
        }
        egui::Window::new("Keyboard shortcuts")
            .open(&mut self.shortcuts)
            .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
            .collapsible(false)
            .resizable(false)
            .show(ctx, shortcuts_ui);
        egui::Window::new("About marscope")
            .open(&mut self.about)
            .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
            .collapsible(false)
            .resizable(false)
            .show(ctx, |ui| about_ui(ui, adapter));
    }
}

/// Says whether it is to be closed.
fn palette_ui(
    ctx: &Context,
    theme: &Theme,
    palette: &mut Palette,
    situation: Situation,
    out: &mut Vec<Action>,
) -> bool {
    let mut close = false;
    let modal = Modal::new(egui::Id::unique("palette")).show(ctx, |ui| {
        ui.set_width(460.0);
        let (up, down, enter) = ui.input_mut(|input| {
            let none = egui::Modifiers::NONE;
            (
                input.consume_key(none, Key::ArrowUp),
                input.consume_key(none, Key::ArrowDown),
                input.key_pressed(Key::Enter),
            )
        });
        let field =
            TextEdit::singleline(&mut palette.text).hint_text("Type a command").desired_width(f32::INFINITY);
        let response = ui.add(field);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Command"));
        response.request_focus();
        if response.changed() {
            palette.chosen = 0;
        }
        let found: Vec<&Command> = commands().filter(|command| matches(command, &palette.text)).collect();
        let last = found.len().saturating_sub(1);
        palette.chosen =
            if up { palette.chosen.saturating_sub(1) } else { palette.chosen + usize::from(down) }.min(last);
        if found.is_empty() {
            ui.label(RichText::new("No command has these words.").color(theme.faint));
        }
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            for (i, command) in found.iter().enumerate() {
                let missing = command.needs.missing(situation);
                let clicked = palette_row_ui(ui, theme, command, missing, i == palette.chosen);
                if (clicked || (enter && i == palette.chosen)) && missing.is_none() {
                    out.push((command.action)());
                    close = true;
                }
            }
        });
    });
    close || modal.should_close()
}

fn palette_row_ui(
    ui: &mut Ui,
    theme: &Theme,
    command: &Command,
    missing: Option<&str>,
    chosen: bool,
) -> bool {
    let keys = command.keys.map(|keys| keys_text(ui.ctx(), keys)).unwrap_or_default();
    let response = ui
        .scope(|ui| {
            ui.set_min_width(ui.available_width());
            let button = egui::Button::selectable(chosen, command.name).shortcut_text(keys);
            ui.add_enabled(missing.is_none(), button.min_size(egui::vec2(ui.available_width(), 0.0)))
        })
        .inner;
    if chosen {
        let text = missing.map_or_else(
            || command.meaning.to_owned(),
            |reason| format!("{} Not now: {reason}.", command.meaning),
        );
        ui.label(RichText::new(text).small().color(theme.faint));
        if ui.input(|input| input.key_pressed(Key::ArrowUp) || input.key_pressed(Key::ArrowDown)) {
            response.scroll_to_me(None);
        }
    }
    response.clicked()
}

/// Says whether it is to be closed.
fn path_ui(ctx: &Context, field: &mut PathField, out: &mut Vec<Action>) -> bool {
    let PathField { text, meaning, chosen } = field;
    let mut close = false;
    let modal = Modal::new(egui::Id::unique("typed path")).show(ctx, |ui| {
        ui.set_width(520.0);
        ui.label(*meaning);
        let response = ui.add(TextEdit::singleline(text).desired_width(f32::INFINITY));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Path"));
        let enter = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if !response.has_focus() && !enter {
            response.request_focus();
        }
        ui.horizontal(|ui| {
            let open = ui.add_enabled(!text.trim().is_empty(), egui::Button::new("Open path"));
            if (open.clicked() || enter) && !text.trim().is_empty() {
                out.push(chosen(PathBuf::from(text.trim())));
                close = true;
            }
            close |= ui.button("Cancel").clicked();
        });
    });
    close || modal.should_close()
}

fn shortcuts_ui(ui: &mut Ui) {
    let height = ui.ctx().content_rect().height() * 0.75;
    ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
        egui::Grid::new("shortcuts").num_columns(3).striped(true).show(ui, |ui| {
            for group in GROUPS {
                ui.label("");
                ui.strong(group.name);
                ui.end_row();
                for command in group.commands {
                    let Some(keys) = command.keys else { continue };
                    ui.monospace(keys_text(ui.ctx(), keys));
                    ui.label(command.name);
                    ui.label(command.meaning);
                    ui.end_row();
                }
            }
        });
        ui.label("In plots: click or drag moves the cursor, the wheel zooms, double click fits.");
        ui.label("Drop a run's folder or a log on the window to open it.");
    });
}

fn about_ui(ui: &mut Ui, adapter: &str) {
    ui.heading(format!("marscope {}", env!("CARGO_PKG_VERSION")));
    ui.label("Watch, switch and compare MAR-GRPO training of masked autoregressive image generators.");
    ui.hyperlink_to("The method: MAR-GRPO, arXiv 2604.06966", "https://arxiv.org/abs/2604.06966");
    ui.label("Licence: MIT or Apache-2.0");
    let log = log_file::path()
        .map_or_else(|| "no log file: it could not be written".to_owned(), |p| p.display().to_string());
    ui.horizontal(|ui| {
        ui.label(format!("Log file {log}"));
        if ui.button("Copy").on_hover_text("Copy the path of the log file.").clicked() {
            ui.ctx().copy_text(log);
        }
    });
    ui.label(format!("Drawn with {adapter}"));
    ui.label("Devices for training are listed by `marscope devices`.");
}
