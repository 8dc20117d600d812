//! The commands of the palette and the keyboard: one table, so that buttons, keys and the list of shortcuts agree.

mod pictures;
mod plots;
mod runs;
mod training;
mod window;

use eframe::egui::{Context, Key, KeyboardShortcut, Modifiers};

use super::action::Action;
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

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::SHIFT, key)
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

/// Commands that belong together.
pub struct Group {
    /// Heading in the list of shortcuts.
    pub name: &'static str,
    /// In the order of the list.
    pub commands: &'static [Command],
}

/// All groups, in the order of the list of shortcuts.
pub const GROUPS: &[Group] = &[
    Group { name: "Training", commands: training::COMMANDS },
    Group { name: "Runs", commands: runs::COMMANDS },
    Group { name: "Pictures and tokens", commands: pictures::COMMANDS },
    Group { name: "Iterations and plots", commands: plots::COMMANDS },
    Group { name: "Window", commands: window::COMMANDS },
];

/// All commands, in the order of the list of shortcuts.
pub fn commands() -> impl Iterator<Item = &'static Command> {
    GROUPS.iter().flat_map(|group| group.commands)
}

/// The keys as they stand on a keyboard: `Ctrl+P`, `]` and not `CloseBracket`.
#[must_use]
pub fn keys_text(ctx: &Context, keys: KeyboardShortcut) -> String {
    let (name, symbol) = (keys.logical_key.name(), keys.logical_key.symbol_or_name());
    let text = ctx.format_shortcut(&keys);
    let arrow = matches!(keys.logical_key, Key::ArrowDown | Key::ArrowLeft | Key::ArrowRight | Key::ArrowUp);
    match text.strip_suffix(name) {
        Some(modifiers) if !arrow && symbol != name => format!("{modifiers}{symbol}"),
        _ => text,
    }
}

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
        let all: Vec<&Command> = commands().collect();
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                assert_ne!(a.name, b.name);
                assert!(a.keys.is_none() || a.keys != b.keys, "{} and {}", a.name, b.name);
            }
        }
    }

    #[test]
    fn words_find_a_command_in_any_order() {
        let found = |text: &str| commands().filter(|c| matches(c, text)).map(|c| c.name).collect::<Vec<_>>();
        assert_eq!(found("noise GRADIENT"), ["Measure gradient noise"]);
        assert_eq!(found("").len(), commands().count());
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

    #[test]
    fn keys_are_written_as_on_a_keyboard() {
        let ctx = Context::default();
        let of = |keys: KeyboardShortcut| keys_text(&ctx, keys);
        let keys = [key(Key::CloseBracket), key(Key::Backslash), key(Key::Space), ctrl(Key::Comma)];
        assert_eq!(keys.map(of), ["]", "\\", "Space", "Ctrl+,"]);
    }
}
