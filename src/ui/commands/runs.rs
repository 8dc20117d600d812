//! Commands that open, close and select runs.

use eframe::egui::Key;

use super::{Command, Needs, command, ctrl, ctrl_shift};
use crate::ui::action::Action;

pub(super) const COMMANDS: &[Command] = &[
    command(
        "Open a run's folder…",
        "A run of marscope, or a folder with a foreign log.",
        Some(ctrl(Key::O)),
        Needs::Nothing,
        || Action::AskOpenFolder,
    ),
    command(
        "Open a file…",
        "A TensorBoard event file, trainer_state.json, JSON lines, or a run's events.jsonl.",
        Some(ctrl_shift(Key::O)),
        Needs::Nothing,
        || Action::AskOpenFile,
    ),
    command(
        "Open a typed path…",
        "Where no dialog can be shown.",
        Some(ctrl(Key::L)),
        Needs::Nothing,
        || Action::AskPath,
    ),
    command("Close the selected run", "Its record is untouched.", Some(ctrl(Key::W)), Needs::Run, || {
        Action::CloseSelected
    }),
    command("Next run", "Selects another run.", Some(ctrl(Key::ArrowDown)), Needs::Run, || {
        Action::NextRun(1)
    }),
    command("Run before", "Selects another run.", Some(ctrl(Key::ArrowUp)), Needs::Run, || {
        Action::NextRun(-1)
    }),
];
