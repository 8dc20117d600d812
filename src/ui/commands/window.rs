//! Commands to the window.

use eframe::egui::Key;

use super::{Command, Needs, command, ctrl, ctrl_shift, key};
use crate::ui::action::{Action, Zoom};
use crate::ui::view::Tab;

pub(super) const COMMANDS: &[Command] = &[
    command("Live", "Watch training.", Some(ctrl(Key::Num1)), Needs::Nothing, || Action::Tab(Tab::Live)),
    command("Compare", "Runs side by side.", Some(ctrl(Key::Num2)), Needs::Nothing, || {
        Action::Tab(Tab::Compare)
    }),
    command("Inspect", "One picture, token by token.", Some(ctrl(Key::Num3)), Needs::Nothing, || {
        Action::Tab(Tab::Inspect)
    }),
    command(
        "All settings…",
        "Every setting of the next run, with its description.",
        Some(ctrl(Key::Comma)),
        Needs::Nothing,
        || Action::ToggleSettings,
    ),
    command("Messages", "What went wrong and what was done.", Some(ctrl(Key::M)), Needs::Nothing, || {
        Action::ToggleMessages
    }),
    command("Light or dark", "Switches the theme.", Some(ctrl(Key::T)), Needs::Nothing, || {
        Action::ToggleTheme
    }),
    command("Reset the layout", "Panels as they were at first.", None, Needs::Nothing, || {
        Action::ResetLayout
    }),
    command(
        "Undo the layout change",
        "Takes back the last change of the panels.",
        Some(ctrl(Key::Z)),
        Needs::Nothing,
        || Action::UndoLayout,
    ),
    command("Redo the layout change", "Makes it again.", Some(ctrl_shift(Key::Z)), Needs::Nothing, || {
        Action::RedoLayout
    }),
    command("Larger", "Text and controls.", Some(ctrl(Key::Plus)), Needs::Nothing, || Action::Zoom(Zoom::In)),
    command("Smaller", "Text and controls.", Some(ctrl(Key::Minus)), Needs::Nothing, || {
        Action::Zoom(Zoom::Out)
    }),
    command("Usual size", "Text and controls.", Some(ctrl(Key::Num0)), Needs::Nothing, || {
        Action::Zoom(Zoom::Reset)
    }),
    command("Command palette", "Finds a command by its name.", Some(ctrl(Key::P)), Needs::Nothing, || {
        Action::TogglePalette
    }),
    command("Keyboard shortcuts", "This list.", Some(key(Key::Questionmark)), Needs::Nothing, || {
        Action::ToggleShortcuts
    }),
    command("About marscope", "Version, device, and where the log file is.", None, Needs::Nothing, || {
        Action::ToggleAbout
    }),
    command(
        "Quit",
        "A run that is being trained is stopped with a checkpoint.",
        Some(ctrl(Key::Q)),
        Needs::Nothing,
        || Action::Quit,
    ),
    command(
        "Close a window over the panels",
        "Shortcuts, About, Messages, settings or a fork.",
        Some(key(Key::Escape)),
        Needs::Nothing,
        || Action::CloseFloating,
    ),
];
