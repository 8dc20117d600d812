//! The commands of the palette and the keyboard: one table, so that buttons, keys and the list of shortcuts agree.

use eframe::egui::{Key, KeyboardShortcut, Modifiers};

use super::action::{Action, Switch, Zoom};
use super::view::{Layer, Tab};
use super::work::BUSY;

/// What a command needs before it can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// Nothing is being trained.
    Idle,
    /// A run is being trained.
    Training,
    /// An ablation is running.
    Ablation,
    /// A run is selected.
    Run,
    /// A training run of ours is selected and nothing is being trained.
    Resumable,
}

/// A command.
pub struct Command {
    /// Its name in the palette.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
    /// Its keys.
    pub keys: Option<KeyboardShortcut>,
    /// What it needs.
    pub needs: Needs,
    /// What it gives; the run is the selected one.
    pub action: fn() -> Action,
}

const fn key(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn ctrl_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

const fn command(
    name: &'static str,
    meaning: &'static str,
    keys: Option<KeyboardShortcut>,
    needs: Needs,
    action: fn() -> Action,
) -> Command {
    Command { name, meaning, keys, needs, action }
}

/// All commands, in the order of the list of shortcuts.
pub const COMMANDS: &[Command] = &[
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
    command("Close the selected run", "Its record is untouched.", Some(ctrl(Key::W)), Needs::Run, || {
        Action::CloseSelected
    }),
    command("Next run", "Selects another run.", Some(ctrl(Key::ArrowDown)), Needs::Run, || {
        Action::NextRun(1)
    }),
    command("Run before", "Selects another run.", Some(ctrl(Key::ArrowUp)), Needs::Run, || {
        Action::NextRun(-1)
    }),
    command("Inspect the selected picture", "Token by token.", Some(key(Key::Enter)), Needs::Run, || {
        Action::InspectSelected
    }),
    command("Next picture", "Of the group.", Some(key(Key::PageDown)), Needs::Run, || Action::NextPicture(1)),
    command("Picture before", "Of the group.", Some(key(Key::PageUp)), Needs::Run, || {
        Action::NextPicture(-1)
    }),
    command(
        "Next AR step",
        "Shows pictures as they were built.",
        Some(key(Key::CloseBracket)),
        Needs::Run,
        || Action::NextArStep(1),
    ),
    command(
        "AR step before",
        "Shows pictures as they were built.",
        Some(key(Key::OpenBracket)),
        Needs::Run,
        || Action::NextArStep(-1),
    ),
    command("Finished pictures", "Not as they were built.", Some(key(Key::Backslash)), Needs::Run, || {
        Action::ArStep(None)
    }),
    command("Unpin the token", "No token is pinned any more.", None, Needs::Run, || Action::Token(None)),
    command("Lay over: nothing", "The pictures alone.", Some(key(Key::Num0)), Needs::Nothing, || {
        Action::Layer(Layer::None)
    }),
    command("Lay over: uncertainty", "Over the pictures.", Some(key(Key::Num1)), Needs::Nothing, || {
        Action::Layer(Layer::Uncertainty)
    }),
    command("Lay over: MTE mask", "Over the pictures.", Some(key(Key::Num2)), Needs::Nothing, || {
        Action::Layer(Layer::MteMask)
    }),
    command("Lay over: consistency", "Over the pictures.", Some(key(Key::Num3)), Needs::Nothing, || {
        Action::Layer(Layer::Consistency)
    }),
    command("Lay over: cosine gain", "Over the pictures.", Some(key(Key::Num4)), Needs::Nothing, || {
        Action::Layer(Layer::CosineGain)
    }),
    command("Lay over: generation order", "Over the pictures.", Some(key(Key::Num5)), Needs::Nothing, || {
        Action::Layer(Layer::Order)
    }),
    command("Lay over: share of loss", "Over the pictures.", Some(key(Key::Num6)), Needs::Nothing, || {
        Action::Layer(Layer::LossShare)
    }),
    command("Lay over: KL", "Over the pictures.", Some(key(Key::Num7)), Needs::Nothing, || {
        Action::Layer(Layer::Kl)
    }),
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
    command("Live", "Watch training.", Some(ctrl(Key::Num1)), Needs::Nothing, || Action::Tab(Tab::Live)),
    command("Compare", "Runs side by side.", Some(ctrl(Key::Num2)), Needs::Nothing, || {
        Action::Tab(Tab::Compare)
    }),
    command("Inspect", "One picture, token by token.", Some(ctrl(Key::Num3)), Needs::Nothing, || {
        Action::Tab(Tab::Inspect)
    }),
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
];

/// What there is, against which commands are enabled.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and any of them may hold with any other"
)]
pub struct Situation {
    /// A run or an ablation is being trained.
    pub busy: bool,
    /// A run is being trained that obeys Pause and the like.
    pub training: bool,
    /// An ablation is running.
    pub ablation: bool,
    /// A run is selected.
    pub run: bool,
    /// The selected run is a training run of ours.
    pub resumable: bool,
}

impl Needs {
    /// Why the command cannot be given; `None` if it can.
    #[must_use]
    pub const fn missing(self, now: Situation) -> Option<&'static str> {
        match self {
            Self::Idle | Self::Resumable if now.busy => Some(BUSY),
            Self::Training if !now.training => Some("nothing is being trained; press Start"),
            Self::Ablation if !now.ablation => Some("no ablation is running"),
            Self::Run if !now.run => Some("no run is open; press Start or open one"),
            Self::Resumable if !now.resumable => Some("select a training run of marscope first"),
            _ => None,
        }
    }
}

/// Whether every word of `text` occurs in the command's name or meaning, whatever its case.
#[must_use]
pub fn matches(command: &Command, text: &str) -> bool {
    let all = format!("{} {}", command.name, command.meaning).to_lowercase();
    text.to_lowercase().split_whitespace().all(|word| all.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_commands_share_keys_or_a_name() {
        for (i, a) in COMMANDS.iter().enumerate() {
            for b in &COMMANDS[i + 1..] {
                assert_ne!(a.name, b.name);
                assert!(a.keys.is_none() || a.keys != b.keys, "{} and {}", a.name, b.name);
            }
        }
    }

    #[test]
    fn words_find_a_command_in_any_order() {
        let found =
            |text: &str| COMMANDS.iter().filter(|c| matches(c, text)).map(|c| c.name).collect::<Vec<_>>();
        assert_eq!(found("noise GRADIENT"), ["Measure gradient noise"]);
        assert_eq!(found("").len(), COMMANDS.len());
        assert!(found("no such thing").is_empty());
    }

    #[test]
    fn a_command_that_cannot_be_given_says_why() {
        let nothing = Situation::default();
        assert!(Needs::Idle.missing(nothing).is_none());
        assert!(Needs::Training.missing(nothing).is_some_and(|text| text.contains("Start")));
        let busy = Situation { busy: true, training: true, ablation: false, run: true, resumable: true };
        assert!(Needs::Training.missing(busy).is_none());
        assert!(Needs::Resumable.missing(busy).is_some());
    }
}
