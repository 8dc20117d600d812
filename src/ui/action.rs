//! Everything the user can do, as a value: buttons, keys and the command palette all give one, and [`super::app`] carries it
//! out after the frame was drawn.

use std::path::PathBuf;

use super::data::run::RunId;
use super::look::Look;
use super::view::{Layer, Tab};
use crate::rl::config::RlConfig;
use crate::session::ablate::Plan;
use crate::session::train::config::TrainConfig;

/// Something the user did.
#[derive(Clone, Debug)]
pub enum Action {
    /// Train in a new run folder with the settings of the form.
    Start,
    /// Pause, or go on.
    TogglePause,
    /// One iteration, then wait.
    Step,
    /// End the run with a checkpoint.
    Stop,
    /// Write a checkpoint that is kept.
    Checkpoint,
    /// Measure the gradient noise in the next iteration.
    ProbeNoise,
    /// Continue the selected run from its last checkpoint, to this many iterations in all if given.
    Resume(Option<usize>),
    /// Settings of the method, from the next iteration on.
    Change(Box<RlConfig>),
    /// Settings of the next run.
    Draft(Box<TrainConfig>),
    /// Open the form for a branch of the run.
    AskFork(RunId),
    /// Branch off.
    Fork(Box<Fork>),
    /// Run an ablation.
    Ablate(Box<Plan>),
    /// Stop the ablation; its report is written of what there is.
    StopAblation,
    /// Open a run, a file in it, or a foreign log.
    Open(PathBuf),
    /// Choose a run's folder to open.
    AskOpenFolder,
    /// Choose a file to open.
    AskOpenFile,
    /// Open the field for a typed path.
    AskPath,
    /// Choose the folder of the model that the next run starts from.
    AskModelFolder,
    /// Open the field for the path of that folder.
    AskModelPath,
    /// The next run starts from the model in this folder; `None` is the shipped one.
    Model(Option<PathBuf>),
    /// Close a run. Its record is untouched.
    Close(RunId),
    /// Show the run in Live and Inspect.
    Select(RunId),
    /// Draw the run in comparisons, or not.
    Show(RunId, bool),
    /// Another way of using the window.
    Tab(Tab),
    /// Everything shows this iteration; `None` follows the newest.
    Cursor(Option<usize>),
    /// The cursor moves by this many recorded iterations.
    MoveCursor(isize),
    /// The cursor goes to the first recorded iteration.
    FirstStep,
    /// The cursor runs through the iterations, or stops.
    TogglePlay,
    /// Another group of the iteration.
    Group(usize),
    /// Another picture of the group.
    Picture(usize),
    /// Show pictures at an AR step; `None` shows them finished.
    ArStep(Option<usize>),
    /// Pin a token, or none.
    Token(Option<usize>),
    /// Lay other numbers over pictures.
    Layer(Layer),
    /// Draw things in another way.
    Look(Look),
    /// Switch a part of the method: of the run that is being trained and selected, or of the next run.
    Switch(Switch),
    /// Describe a branch of the selected run.
    AskForkSelected,
    /// Close the selected run.
    CloseSelected,
    /// Another run is selected: the next, or the one before.
    NextRun(isize),
    /// Another picture of the group: the next, or the one before.
    NextPicture(isize),
    /// Another AR step: the next, or the one before.
    NextArStep(isize),
    /// Show the selected picture in Inspect.
    InspectSelected,
    /// Show this picture in Inspect.
    Inspect {
        /// The run.
        run: RunId,
        /// The iteration.
        step: usize,
        /// Which group.
        group: usize,
        /// Which picture.
        picture: usize,
    },
    /// Save what a panel shows.
    Export(Box<Export>),
    /// Panels as they were at first.
    ResetLayout,
    /// Take back the last change of the panels.
    UndoLayout,
    /// Make the change again.
    RedoLayout,
    /// Light, dark, or as the system has it.
    ToggleTheme,
    /// Larger or smaller.
    Zoom(Zoom),
    /// Open or close the command palette.
    TogglePalette,
    /// Open or close the list of shortcuts.
    ToggleShortcuts,
    /// Open or close what is said about the program.
    ToggleAbout,
    /// Open or close the form of all settings.
    ToggleSettings,
    /// Open or close the list of messages.
    ToggleMessages,
    /// Close a window that lies over the panels.
    CloseFloating,
    /// Tell the user something that went wrong.
    Complain(String),
    /// Close the window.
    Quit,
}

/// A part of the method that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Frozen head.
    FrozenHead,
    /// Multi-trajectory expectation.
    Mte,
    /// Consistency-aware selection.
    Consistency,
}

/// Larger or smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zoom {
    /// Larger.
    In,
    /// Smaller.
    Out,
    /// As it was.
    Reset,
}

/// A branch of a run.
#[derive(Clone, Debug)]
pub struct Fork {
    /// The checkpoint.
    pub checkpoint: PathBuf,
    /// Settings of the branch.
    pub config: TrainConfig,
}

/// Something to be saved.
#[derive(Clone, Debug)]
pub struct Export {
    /// Name that the dialog proposes, without its ending.
    pub name: String,
    /// What goes into the file.
    pub content: Content,
}

/// What goes into a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// A drawing.
    Svg(String),
    /// A table.
    Csv(String),
    /// A picture, as the bytes of a PNG file.
    Png(Vec<u8>),
    /// What the window shows in this rectangle (points), taken from the next frame.
    Screen(eframe::egui::Rect),
}

impl Content {
    /// Ending of the file's name.
    #[must_use]
    pub const fn ending(&self) -> &'static str {
        match self {
            Self::Svg(_) => "svg",
            Self::Csv(_) => "csv",
            Self::Png(_) | Self::Screen(_) => "png",
        }
    }
}
