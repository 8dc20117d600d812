//! The film strips of the fixed prompts: a row a prompt, a column a frame.

use super::job::Job;
use super::sheet::{Row, Sheet};
use super::table::{Cell, Table};
use super::tile::{Pixels, Tile};
use super::{Format, Shown};
use crate::runs::event::ProbeFrame;
use crate::ui::data::run::OpenRun;
use crate::ui::number::reading;

/// Most frames on a sheet: of more, so many evenly spaced, the first and the last among them.
const MOST: usize = 24;
/// Least side of a picture, pixels.
const SIDE: usize = 128;

pub(super) fn job(what: &Shown<'_>, format: Format) -> Result<Job, String> {
    let run = what.scene.run().ok_or_else(|| "No run is selected.".to_owned())?;
    let frames = run.store.probes();
    if frames.is_empty() {
        return Err(format!("{} has no film strips so far.", run.store.name()));
    }
    if format == Format::Csv {
        return Ok(Job::of_table(table(run), format));
    }
    Ok(sheet(run, frames).job(format))
}

fn table(run: &OpenRun) -> Table {
    let mut table = Table::new("Probes", Vec::new(), &["iteration", "probe", "prompt", "score"]);
    for (step, frames) in run.store.probes() {
        for (number, frame) in frames.iter().enumerate() {
            let prompt = Cell::text(frame.prompt.as_str());
            table.rows.push(vec![
                Cell::Whole(*step),
                Cell::Whole(number + 1),
                prompt,
                Cell::Number(frame.score.0),
            ]);
        }
    }
    table
}

/// The pictures are read when the file is made.
fn sheet(run: &OpenRun, frames: &[(usize, Vec<ProbeFrame>)]) -> Sheet {
    let columns = frames.len().min(MOST);
    let chosen = |column: usize| column * (frames.len() - 1) / (columns - 1).max(1);
    let chosen: Vec<&(usize, Vec<ProbeFrame>)> =
        (0..columns).filter_map(|column| frames.get(chosen(column))).collect();
    let prompts = chosen.iter().map(|(_, frames)| frames.len()).max().unwrap_or(0);
    let mut rows = Vec::new();
    for prompt in 0..prompts {
        let named = chosen.iter().find_map(|(_, frames)| frames.get(prompt));
        let heading = named.map(|frame| frame.prompt.clone()).into_iter().collect();
        let mut tiles = Vec::new();
        for (step, frames) in &chosen {
            let Some(frame) = frames.get(prompt) else { continue };
            let folder = run.store.path().to_path_buf();
            let pixels = Pixels::Recorded { folder, at: frame.png, side: SIDE };
            let captions = vec![format!("{step}: {}", reading(frame.score.0))];
            tiles.push(Tile { pixels, captions, marks: Vec::new() });
        }
        rows.push(Row { heading, tiles, ..Row::default() });
    }
    let of = if chosen.len() < frames.len() {
        format!("{} of {} frames, evenly spaced", chosen.len(), frames.len())
    } else {
        format!("{} frames", frames.len())
    };
    let notes = vec![
        format!("{}, {of}; the noise of a prompt is the same in all frames", run.store.name()),
        "below each picture: iteration: verifier's score".to_owned(),
    ];
    Sheet { title: "Probes".to_owned(), notes, rows, side: 96.0, scales: Vec::new() }
}
