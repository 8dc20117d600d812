//! `marscope` on its own, and `marscope window`.

#![expect(clippy::doc_markdown, reason = "help is read on a terminal, where backticks are noise")]

use std::path::PathBuf;

use super::config_arguments::ConfigArguments;
use crate::error::{Error, Result};
use crate::session::control::StopSignal;
use crate::session::prompts;
use crate::ui::{Options, Selection, Tab, ThemeChoice, default_saved_file, open, window::SIZE};

/// Arguments of `window`.
#[derive(Debug, clap::Args)]
pub struct WindowArguments {
    /// Runs, files in them, or logs of other tools (TensorBoard, trainer_state.json, JSON lines) to open.
    #[arg(value_name = "PATH")]
    open: Vec<PathBuf>,
    /// Folder in which new runs are made.
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// What the next run trains on: a file with one prompt a line, a task family, or a prompt.
    #[arg(long, value_name = "FILE|FAMILY|PROMPT")]
    prompts: Option<String>,
    /// Folder of the model that the next run starts from; the shipped one if left out.
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Where the next run trains: auto, cpu, wgpu, wgpu:N, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: String,
    /// Light or dark.
    #[arg(long, value_name = "THEME", value_parser = ["light", "dark", "system"])]
    theme: Option<String>,
    /// The tab to begin with.
    #[arg(long, value_name = "TAB", default_value = "live", value_parser = ["live", "compare", "inspect"])]
    tab: String,
    /// Size of the window in points.
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    size: Option<String>,
    /// Start training at once.
    #[arg(long)]
    start: bool,
    /// Use no file dialogs of the system: paths are typed, and exports go to exports/ in the runs folder.
    #[arg(long)]
    no_dialogs: bool,
    /// Begin with the panels as they were at first, and keep no changes of them.
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    shown: ShownArguments,
    #[command(flatten)]
    settings: ConfigArguments,
}

/// What is looked at first.
#[derive(Debug, clap::Args)]
struct ShownArguments {
    /// The iteration that everything shows; the newest if left out.
    #[arg(long, value_name = "N")]
    iteration: Option<usize>,
    /// The picture of the group that is selected, from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    picture: usize,
    /// The token that is pinned, row by row from 0.
    #[arg(long, value_name = "N")]
    token: Option<usize>,
    /// Write a picture of the window to this PNG file once everything is drawn, and close it.
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
}

pub fn run(arguments: &WindowArguments, stop: &StopSignal) -> Result<()> {
    let mut draft = arguments.settings.config(None, None)?;
    if let Some(source) = &arguments.prompts {
        draft.prompts = prompts::resolve(source, draft.seed)?;
    }
    draft.validate()?;
    let shown = &arguments.shown;
    let options = Options {
        open: arguments.open.clone(),
        folder: arguments.runs.clone(),
        draft,
        model: arguments.model.clone(),
        device: arguments.device.parse()?,
        saved: if arguments.fresh || shown.screenshot.is_some() { None } else { default_saved_file() },
        theme: arguments.theme.as_deref().map(theme),
        tab: tab(&arguments.tab),
        selection: Selection {
            cursor: shown.iteration,
            picture: shown.picture,
            token: shown.token,
            ..Selection::default()
        },
        capture: shown.screenshot.clone(),
        start: arguments.start,
        dialogs: !arguments.no_dialogs,
        stop: stop.clone(),
    };
    open(options, arguments.size.as_deref().map_or(Ok(SIZE), size)?)
}

fn theme(name: &str) -> ThemeChoice {
    match name {
        "light" => ThemeChoice::Light,
        "dark" => ThemeChoice::Dark,
        _ => ThemeChoice::System,
    }
}

fn tab(name: &str) -> Tab {
    Tab::ALL.into_iter().find(|tab| tab.name().eq_ignore_ascii_case(name)).unwrap_or_default()
}

fn size(text: &str) -> Result<[f32; 2]> {
    let side = |text: &str| text.trim().parse::<f32>().ok().filter(|side| (320.0..=16_384.0).contains(side));
    let sides = text.split_once(['x', 'X']).and_then(|(width, height)| Some([side(width)?, side(height)?]));
    sides.ok_or_else(|| {
        Error::Config(format!(
            "--size {text:?} is no size of a window: write 1600x1000, each 320 to 16384 points"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_wrong_ones_refused() {
        assert_eq!(size("1600x1000").unwrap(), [1600.0, 1000.0]);
        for wrong in ["", "1600", "0x100", "1600xNaN", "1e9x5", "axb"] {
            assert!(size(wrong).unwrap_err().to_string().contains("1600x1000"), "{wrong}");
        }
    }
}
