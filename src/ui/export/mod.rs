//! What a panel shows, as a file: pictures (PNG), drawings for papers (SVG), and plain numbers (CSV). All of it is made from
//! the data and not from the screen, so that a file holds what the panel had no room for.
//!
//! [`Table`], [`Sheet`] and [`stacked`] are what files are made of; panels that are not listed in [`formats`] can use them.

mod drawing;
mod group;
mod health;
mod histogram;
mod noise;
mod picture;
mod probes;
mod runs;
mod sheet;
mod signs;
mod stack;
mod table;
mod token;
mod tokens;
mod what_if;

use super::action::Content;
use super::compare::table::TableView;
use super::data::group::LoadedGroup;
use super::inspect::{InspectView, Inspected};
use super::layout::Pane;
use super::plot::series_colour;
use super::scene::Scene;
use super::view::OverlayView;

pub use sheet::{Mark, ScaleStrip, Sheet, Tile, magnification};
pub use stack::stacked;
pub use table::{Cell, Table};

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
    pub group: Option<&'a LoadedGroup>,
    /// What was chosen in Inspect.
    pub inspect: &'a InspectView,
    /// The table of runs.
    pub runs: &'a TableView,
}

/// What the panel can be saved as, beside a picture of the screen. Plots have a menu of their own.
#[must_use]
pub const fn formats(pane: Pane) -> &'static [Format] {
    match pane {
        Pane::Group | Pane::Probes | Pane::Picture | Pane::WhatIf => &[Format::Png, Format::Svg, Format::Csv],
        Pane::Health | Pane::Noise | Pane::Table | Pane::Token | Pane::Tokens | Pane::Histogram => {
            &[Format::Svg, Format::Csv]
        }
        Pane::Plot(_) | Pane::Pictures | Pane::Ab | Pane::Ablation => &[],
    }
}

/// What `pane` shows, as a file. The film strips are read from disk: call this after the frame was drawn.
///
/// # Errors
/// A sentence if there is nothing to be saved, or the panel has no such file.
pub fn export(pane: Pane, format: Format, what: &Shown<'_>) -> Result<Content, String> {
    match pane {
        Pane::Group => group::export(what, format),
        Pane::Probes => probes::export(what, format),
        Pane::Health => health::table(what).and_then(|table| table.content(format)),
        Pane::Noise => noise::export(what, format),
        Pane::Table => runs::table(what).and_then(|table| table.content(format)),
        Pane::Picture => inspected(what, |input| picture::export(what, input, format)),
        Pane::Token => inspected(what, |input| token::export(what, input, format)),
        Pane::Tokens => inspected(what, |input| tokens::listed(what, input).content(format)),
        Pane::Histogram => inspected(what, |input| histogram::export(what, input, format)),
        Pane::WhatIf => inspected(what, |input| what_if::export(what, input, format)),
        Pane::Plot(_) | Pane::Pictures | Pane::Ab | Pane::Ablation => Err(not_as(format)),
    }
}

fn not_as(format: Format) -> String {
    format!("This panel cannot be saved as {}; choose another kind of file.", format.name())
}

/// `make` of the picture that Inspect shows.
fn inspected(
    what: &Shown<'_>,
    make: impl FnOnce(Inspected<'_>) -> Result<Content, String>,
) -> Result<Content, String> {
    let group = group_of(what)?;
    if group.record.pictures.is_empty() {
        return Err("This group was recorded without pictures, so there is nothing to be saved.".to_owned());
    }
    // Files are on white.
    let colour = |slot: usize| series_colour(slot, false);
    make(Inspected { scene: what.scene, group, overlay: what.overlay, colour: &colour })
}

fn group_of<'a>(what: &Shown<'a>) -> Result<&'a LoadedGroup, String> {
    let nothing = "No group is shown: open a run, and move the cursor to an iteration with a recorded group.";
    what.group.filter(|group| Some(group.run) == what.scene.selection.run).ok_or_else(|| nothing.to_owned())
}

/// Where a group comes from, in words.
fn source(what: &Shown<'_>, group: &LoadedGroup) -> String {
    let run = what.scene.runs.get(group.run).map(|run| run.store.name()).unwrap_or_default();
    let of = if group.count > 1 {
        format!(", group {} of {}", group.index + 1, group.count)
    } else {
        String::new()
    };
    format!("{run}, iteration {}{of}", group.step)
}
