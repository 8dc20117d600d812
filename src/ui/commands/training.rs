//! Commands to training.

use eframe::egui::Key;

use super::{Command, Needs, command, ctrl, key};
use crate::ui::action::{Action, Switch};

pub(super) const COMMANDS: &[Command] = &[
    command(
        "Start training",
        "Trains with the settings under Next run, in a new run folder.",
        Some(ctrl(Key::Enter)),
        Needs::Idle,
        || Action::Start,
    ),
    command("Pause or go on", "Answers within one AR step.", Some(key(Key::Space)), Needs::Training, || {
        Action::TogglePause
    }),
    command(
        "Step one iteration",
        "One iteration, then it waits.",
        Some(key(Key::Period)),
        Needs::Training,
        || Action::Step,
    ),
    command(
        "Stop training",
        "Ends the run with a checkpoint; it can be resumed.",
        None,
        Needs::Training,
        || Action::Stop,
    ),
    command(
        "Write a checkpoint",
        "It is kept until you remove it.",
        Some(ctrl(Key::S)),
        Needs::Training,
        || Action::Checkpoint,
    ),
    command(
        "Measure gradient noise",
        "Redraws the head's noise of the next rollout several times, with and without multi-trajectory expectation.",
        None,
        Needs::Training,
        || Action::ProbeNoise,
    ),
    command(
        "Resume the selected run",
        "Continues from its last checkpoint.",
        Some(ctrl(Key::R)),
        Needs::Resumable,
        || Action::Resume(None),
    ),
    command("Stop the ablation", "Its report is written of what there is.", None, Needs::Ablation, || {
        Action::StopAblation
    }),
    command(
        "Fork the selected run…",
        "A branch from a checkpoint, with other settings and the same noise.",
        Some(ctrl(Key::F)),
        Needs::Run,
        || Action::AskForkSelected,
    ),
    command(
        "Model of the next run…",
        "The folder of a pretrained model, in place of the one that ships with the program.",
        None,
        Needs::Nothing,
        || Action::AskModelFolder,
    ),
    command(
        "Shipped model for the next run",
        "The one that ships with the program.",
        None,
        Needs::Nothing,
        || Action::Model(None),
    ),
    command(
        "Switch frozen head",
        "Of the run that is being trained, or of the next one.",
        None,
        Needs::Nothing,
        || Action::Switch(Switch::FrozenHead),
    ),
    command(
        "Switch multi-trajectory expectation",
        "Of the run that is being trained, or of the next one.",
        None,
        Needs::Nothing,
        || Action::Switch(Switch::Mte),
    ),
    command(
        "Switch consistency selection",
        "Of the run that is being trained, or of the next one.",
        None,
        Needs::Nothing,
        || Action::Switch(Switch::Consistency),
    ),
];
