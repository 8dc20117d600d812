//! What an ablation found: variants x prompts x seeds as tables, figures and files.
//!
//! Every run becomes a [`Cell`] with one number a [`Measure`]; an [`Ablation`] makes means, intervals and paired
//! differences of them; [`write()`] puts them into a folder. Runs that failed or did not finish and numbers that are not
//! finite are shown and counted and enter no mean.

mod ablation;
mod base64;
mod cell;
pub mod csv;
pub mod figure;
mod format;
mod html;
mod json;
mod measure;
mod measures;
mod panels;
mod remarks;
mod settings;
pub mod stats;
mod summary;
mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

pub use ablation::{Ablation, BASELINE, MeasureRow, RunCounts, VariantRow};
pub use base64::base64;
pub use cell::{Cell, CellId, Outcome, Recorded};
pub use html::page;
pub use measure::{Better, Group, Measure};
pub use measures::{Curves, Measures};
pub use panels::{Chart, Panel, panels};
pub use remarks::remarks;
pub use settings::{SettingRow, differing};
pub use summary::summary;

use super::files::{create_folder, write_json, write_whole};
use super::time::rfc3339;
use crate::error::Result;

/// What the runs themselves do not say.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct About {
    /// Heading of the report.
    pub title: String,
    /// Where the tensors lived; empty if it is not known.
    pub device: String,
    /// Version of the program; empty if it is not known.
    pub version: String,
    /// How long it all took.
    #[serde(serialize_with = "stats::optional")]
    pub total_seconds: Option<f64>,
    /// When the report was written: UTC, RFC 3339.
    pub written: String,
    /// Further remarks for the reader.
    pub notes: Vec<String>,
}

impl About {
    /// From what the runs recorded: their devices and versions, and the sum of their times.
    #[must_use]
    pub fn of(title: &str, ablation: &Ablation) -> Self {
        let all = |text: fn(&Cell) -> &str| {
            let texts: BTreeSet<&str> = ablation.cells.iter().map(text).filter(|t| !t.is_empty()).collect();
            texts.into_iter().collect::<Vec<_>>().join(", ")
        };
        Self {
            title: title.to_owned(),
            device: all(|cell| &cell.recorded.device),
            version: all(|cell| &cell.recorded.version),
            total_seconds: Some(ablation.cells.iter().map(|cell| cell.recorded.seconds).sum()),
            written: rfc3339(SystemTime::now()),
            notes: Vec::new(),
        }
    }
}

/// Pictures side by side: before and after, or one a variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PictureStrip {
    /// Heading, which should say what each picture is.
    pub title: String,
    /// The pictures as PNG, from the left.
    pub png_bytes: Vec<Vec<u8>>,
}

/// Writes `report.html`, `cells.csv`, `variants.csv`, `report.json` and each figure as `figures/NN_title.svg` to `folder`,
/// each whole or not at all, and returns their paths, the figures last.
///
/// # Errors
/// [`crate::error::Error::Io`] naming the folder or file.
pub fn write(
    folder: &Path,
    ablation: &Ablation,
    about: &About,
    pictures: &[PictureStrip],
) -> Result<Vec<PathBuf>> {
    create_folder(folder)?;
    let [html, cells, variants, json] =
        ["report.html", "cells.csv", "variants.csv", "report.json"].map(|name| folder.join(name));
    write_whole(&html, page(ablation, about, pictures).as_bytes())?;
    write_whole(&cells, csv::cells(ablation).as_bytes())?;
    write_whole(&variants, csv::variants(ablation).as_bytes())?;
    write_json(&json, &json::Report::of(ablation, about))?;
    let figures = folder.join("figures");
    create_folder(&figures)?;
    let mut written = vec![html, cells, variants, json];
    for (number, panel) in panels(ablation).iter().enumerate() {
        let title: String =
            panel.chart.title().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let place = figures.join(format!("{:02}_{title}.svg", number + 1));
        write_whole(&place, panel.chart.svg().as_bytes())?;
        written.push(place);
    }
    Ok(written)
}
