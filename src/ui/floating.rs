//! The windows over the panels that show what the application holds: messages, settings of the next run, a fork.

use eframe::egui::{self, RichText};

use super::action::Action;
use super::app::App;
use super::commands::Situation;
use super::compare::fork::fork_ui;
use super::settings_form::settings_form_ui;
use super::theme::Theme;
use super::work::BUSY;
use crate::session::train::preset;

impl App {
    /// Draws the windows over the panels.
    pub(super) fn popups_ui(&mut self, theme: &Theme, situation: Situation, out: &mut Vec<Action>) {
        let ctx = self.ctx.clone();
        let adapter = self.graphics.adapter();
        self.popups.ui(&ctx, (theme, &adapter), situation, out);
        self.messages_ui(&ctx, theme);
        self.settings_window_ui(&ctx, theme, out);
        self.fork_ui(&ctx, theme, out);
    }

    fn settings_window_ui(&mut self, ctx: &egui::Context, theme: &Theme, out: &mut Vec<Action>) {
        let mut open = self.popups.settings;
        let window = floating(ctx, "Settings of the next run", [620.0, 560.0]);
        window.open(&mut open).show(ctx, |ui| {
            ui.label(RichText::new("Marked settings differ from the default preset.").color(theme.faint));
            let mut draft = self.work.draft.clone();
            let base = preset::config("default").unwrap_or_default();
            egui::ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                if settings_form_ui(ui, theme, &mut draft, &base, &mut self.popups.settings_filter) {
                    out.push(Action::Draft(Box::new(draft.clone())));
                }
            });
        });
        self.popups.settings = open;
    }

    fn fork_ui(&mut self, ctx: &egui::Context, theme: &Theme, out: &mut Vec<Action>) {
        let Some(mut view) = self.fork.take() else { return };
        let busy = self.work.is_busy().then_some(BUSY);
        let mut open = true;
        floating(ctx, "Fork a run", [620.0, 560.0]).open(&mut open).show(ctx, |ui| {
            fork_ui(ui, self.scene(theme), &mut view, busy, out);
        });
        self.fork = open.then_some(view);
    }

    fn messages_ui(&mut self, ctx: &egui::Context, theme: &Theme) {
        let mut open = self.popups.messages;
        floating(ctx, "Messages", [560.0, 320.0]).open(&mut open).show(ctx, |ui| {
            self.messages.list_ui(ui, theme);
        });
        self.popups.messages = open;
    }

    /// Whether a window lies over the panels.
    pub(super) const fn has_floating(&self) -> bool {
        let popups = &self.popups;
        self.fork.is_some() || popups.settings || popups.messages || popups.about || popups.shortcuts
    }

    /// Closes one window that lies over the panels.
    pub(super) fn close_floating(&mut self) {
        let popups = &mut self.popups;
        let windows = [&mut popups.shortcuts, &mut popups.about, &mut popups.messages, &mut popups.settings];
        match windows.into_iter().find(|open| **open) {
            Some(open) => *open = false,
            None => self.fork = None,
        }
    }
}

/// A window that can be moved, in the middle at first.
fn floating(ctx: &egui::Context, title: &'static str, size: [f32; 2]) -> egui::Window<'static> {
    let middle = ctx.content_rect().center();
    egui::Window::new(title)
        .collapsible(false)
        .pivot(egui::Align2::CENTER_CENTER)
        .default_pos(middle)
        .default_size(size)
}
