//! What a panel shows, as a file: pictures (PNG), drawings for papers (SVG), and plain numbers (CSV). All of it is made from
//! the data and not from the screen, so that a file holds what the panel had no room for.
//!
//! [`export`] only gathers what a file is made of; the [`Job`] that it gives reads, draws and encodes, and runs elsewhere.
//! [`Table`], [`Sheet`] and [`stacked`] are what files are made of; panels that are not listed in [`formats`] can use them.

mod ab;
mod ablation;
mod drawing;
mod group;
mod health;
mod histogram;
mod job;
mod noise;
mod picture;
mod pictures;
mod pictures_table;
mod probes;
mod runs;
mod sheet;
mod signs;
mod stack;
mod table;
mod tile;
mod token;
mod tokens;
mod what_if;

use std::sync::Arc;

use super::compare::ab::AbView;
use super::compare::ablating::{AblationProgress, AblationResult};
use super::compare::pictures::PicturesView;
use super::compare::table::TableView;
use super::data::group::LoadedGroup;
use super::data::run::RunId;
use super::inspect::{InspectView, Inspected};
use super::layout::Pane;
use super::plot::series_colour;
use super::scene::Scene;
use super::view::OverlayView;

pub use job::Job;
pub use sheet::{Row, ScaleStrip, Sheet};
pub use stack::{stacked, tiled};
pub use table::{Cell, Table};
pub use tile::{Mark, Pixels, Tile, magnification};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Pictures.
    Png,
    /// A drawing with text.
    Svg,
    /// Numbers.
    Csv,
}

impl Format {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Svg => "SVG",
            Self::Csv => "CSV",
        }
    }

    /// What it is good for.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Png => "The pictures alone, from the recorded pixels, magnified by a whole number.",
            Self::Svg => "A drawing with text for papers and slides.",
            Self::Csv => "The numbers with every digit, for spreadsheets and scripts.",
        }
    }
}

/// What panels show.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// What panels read.
    pub scene: Scene<'a>,
    /// What lies over pictures.
    pub overlay: &'a OverlayView,
    /// The group that Live and Inspect show.
    pub group: Option<&'a Arc<LoadedGroup>>,
    /// What was chosen in Inspect.
    pub inspect: &'a InspectView,
    /// The table of runs.
    pub runs: &'a TableView,
    /// What Compare shows beside it.
    pub compare: CompareShown<'a>,
}

/// What the panels of Compare show beside the table of runs.
#[derive(Clone, Copy)]
pub struct CompareShown<'a> {
    /// The runs that are drawn, from above.
    pub drawn: &'a [RunId],
    /// Pictures of several runs.
    pub pictures: &'a PicturesView,
    /// Two pictures against each other.
    pub ab: &'a AbView,
    /// How far the last ablation of this window is or was; none if there was none, or none of its runs began.
    pub progress: Option<&'a AblationProgress>,
    /// How it ended.
    pub result: Option<&'a AblationResult>,
}

/// What the panel can be saved as, beside a picture of the screen. Plots have a menu of their own.
#[must_use]
pub const fn formats(pane: Pane) -> &'static [Format] {
    match pane {
        Pane::Group | Pane::Probes | Pane::Picture | Pane::WhatIf | Pane::Pictures | Pane::Ab => {
            &[Format::Png, Format::Svg, Format::Csv]
        }
        Pane::Health
        | Pane::Noise
        | Pane::Table
        | Pane::Token
        | Pane::Tokens
        | Pane::Histogram
        | Pane::Ablation => &[Format::Svg, Format::Csv],
        Pane::Plot(_) => &[],
    }
}

/// What `pane` shows, as a file that is still to be made: this copies what the file needs, and neither reads nor draws.
///
/// # Errors
/// A sentence if there is nothing to be saved, or the panel has no such file.
pub fn export(pane: Pane, format: Format, what: &Shown<'_>) -> Result<Job, String> {
    match pane {
        _ if !formats(pane).contains(&format) => Err(not_as(format)),
        Pane::Group => group::job(what, format),
        Pane::Probes => probes::job(what, format),
        Pane::Health => Ok(Job::of_table(health::table(what)?, format)),
        Pane::Noise => noise::job(what, format),
        Pane::Table => Ok(Job::of_table(runs::table(what)?, format)),
        Pane::Pictures => pictures::job(what, format),
        Pane::Ab => ab::job(what, format),
        Pane::Ablation => ablation::job(what, format),
        Pane::Picture => inspected(what, |input| picture::job(what, input, format)),
        Pane::Token => inspected(what, |input| token::job(what, input, format)),
        Pane::Tokens => inspected(what, |input| Ok(Job::of_table(tokens::listed(what, input), format))),
        Pane::Histogram => inspected(what, |input| histogram::job(what, input, format)),
        Pane::WhatIf => inspected(what, |input| what_if::job(what, input, format)),
        Pane::Plot(_) => Err(not_as(format)),
    }
}

fn not_as(format: Format) -> String {
    format!("This panel cannot be saved as {}; choose another kind of file.", format.name())
}

/// `make` of the picture that Inspect shows.
fn inspected(
    what: &Shown<'_>,
    make: impl FnOnce(Inspected<'_>) -> Result<Job, String>,
) -> Result<Job, String> {
    let group = group_of(what)?;
    if group.record.pictures.is_empty() {
        return Err("This group was recorded without pictures, so there is nothing to be saved.".to_owned());
    }
    // Files are on white.
    let colour = |slot: usize| series_colour(slot, false);
    make(Inspected { scene: what.scene, group, overlay: what.overlay, colour: &colour })
}

fn group_of<'a>(what: &Shown<'a>) -> Result<&'a Arc<LoadedGroup>, String> {
    let nothing = "No group is shown: open a run, and move the cursor to an iteration with a recorded group.";
    what.group.filter(|group| Some(group.run) == what.scene.selection.run).ok_or_else(|| nothing.to_owned())
}

/// Where a group comes from, in words.
fn source(what: &Shown<'_>, group: &LoadedGroup) -> String {
    let run = what.scene.runs.get(group.run).map(|run| run.name.clone()).unwrap_or_default();
    let of = if group.count > 1 {
        format!(", group {} of {}", group.index + 1, group.count)
    } else {
        String::new()
    };
    format!("{run}, iteration {}{of}", group.step)
}
