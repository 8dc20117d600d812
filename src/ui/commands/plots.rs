//! Commands on the cursor and the plots.

use eframe::egui::Key;

use super::{Command, Needs, command, key, shift};
use crate::ui::action::Action;
use crate::ui::curves::RewardBand;
use crate::ui::look::{Look, Smoothing};
use crate::ui::plot::XAxis;

pub(super) const COMMANDS: &[Command] = &[
    command("Iteration before", "Moves the cursor.", Some(key(Key::ArrowLeft)), Needs::Run, || {
        Action::MoveCursor(-1)
    }),
    command("Iteration after", "Moves the cursor.", Some(key(Key::ArrowRight)), Needs::Run, || {
        Action::MoveCursor(1)
    }),
    command("First iteration", "Moves the cursor.", Some(key(Key::Home)), Needs::Run, || Action::FirstStep),
    command(
        "Follow the newest iteration",
        "The cursor goes along with training.",
        Some(key(Key::End)),
        Needs::Run,
        || Action::Cursor(None),
    ),
    command("Play through the iterations", "Or stop playing.", Some(key(Key::P)), Needs::Run, || {
        Action::TogglePlay
    }),
    command("Axis: iteration", "Of all plots.", None, Needs::Nothing, || {
        Action::Look(Look::Axis(XAxis::Iteration))
    }),
    command("Axis: wall time", "Of all plots; pauses count.", None, Needs::Nothing, || {
        Action::Look(Look::Axis(XAxis::WallTime))
    }),
    command("Axis: active time", "Of all plots; pauses do not count.", None, Needs::Nothing, || {
        Action::Look(Look::Axis(XAxis::ActiveTime))
    }),
    command("Axis: images seen", "Of all plots.", None, Needs::Nothing, || {
        Action::Look(Look::Axis(XAxis::ImagesSeen))
    }),
    command(
        "Smoother curves",
        "Averages over twice as many points.",
        Some(key(Key::S)),
        Needs::Nothing,
        || Action::Look(Look::Smoothing(Smoothing::More)),
    ),
    command(
        "Less smooth curves",
        "Averages over half as many points.",
        Some(shift(Key::S)),
        Needs::Nothing,
        || Action::Look(Look::Smoothing(Smoothing::Less)),
    ),
    command("No smoothing", "Curves as they were recorded.", None, Needs::Nothing, || {
        Action::Look(Look::Smoothing(Smoothing::None))
    }),
    command(
        "Fit all plots",
        "Shows everything and grows with the run.",
        Some(key(Key::A)),
        Needs::Nothing,
        || Action::Look(Look::Fit),
    ),
    command("Reward band: min to max", "Around the mean reward of a group.", None, Needs::Nothing, || {
        Action::Look(Look::Band(RewardBand::MinMax))
    }),
    command("Reward band: std", "Around the mean reward of a group.", None, Needs::Nothing, || {
        Action::Look(Look::Band(RewardBand::Std))
    }),
    command("Reward band: none", "The mean reward alone.", None, Needs::Nothing, || {
        Action::Look(Look::Band(RewardBand::None))
    }),
];
