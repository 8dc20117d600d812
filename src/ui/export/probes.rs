//! The film strips of the fixed prompts: a row a prompt, a column a frame.

use super::sheet::{Sheet, Tile, magnification};
use super::table::{Cell, Table};
use super::{Format, Shown};
use crate::runs::event::ProbeFrame;
use crate::runs::media::read_picture;
use crate::ui::action::Content;
use crate::ui::data::run::OpenRun;
use crate::ui::plot::reading;
use crate::world::image::Rgb8;

/// Most frames on a sheet: of more, so many evenly spaced, the first and the last among them.
const MOST: usize = 24;
/// Least side of a picture, pixels.
const SIDE: usize = 128;

pub(super) fn export(what: &Shown<'_>, format: Format) -> Result<Content, String> {
    let run = what.scene.run().ok_or_else(|| "No run is selected.".to_owned())?;
    let frames = run.store.probes();
    if frames.is_empty() {
        return Err(format!("{} has no film strips so far.", run.store.name()));
    }
    if format == Format::Csv {
        return table(run).content(format);
    }
    sheet(run, frames)?.content(format, || Err(super::not_as(format)))
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

fn sheet(run: &OpenRun, frames: &[(usize, Vec<ProbeFrame>)]) -> Result<Sheet, String> {
    let columns = frames.len().min(MOST);
    let chosen = |column: usize| column * (frames.len() - 1) / (columns - 1).max(1);
    let chosen: Vec<&(usize, Vec<ProbeFrame>)> =
        (0..columns).filter_map(|column| frames.get(chosen(column))).collect();
    let prompts = chosen.iter().map(|(_, frames)| frames.len()).max().unwrap_or(0);
    let (mut tiles, mut rows) = (Vec::new(), Vec::new());
    for prompt in 0..prompts {
        let named = chosen.iter().find_map(|(_, frames)| frames.get(prompt));
        rows.extend(named.map(|frame| format!("row {}: {}", prompt + 1, frame.prompt)));
        for (step, frames) in &chosen {
            let Some(frame) = frames.get(prompt) else { continue };
            let read = read_picture(run.store.path(), frame.png).map_err(|error| error.to_string())?;
            let captions = vec![format!("{step}: {}", reading(frame.score.0))];
            let picture: Rgb8 = read.upscaled(magnification(read.width, SIDE));
            tiles.push(Tile { picture, captions, marks: Vec::new() });
        }
    }
    let of = if chosen.len() < frames.len() {
        format!("{} of {} frames, evenly spaced", chosen.len(), frames.len())
    } else {
        format!("{} frames", frames.len())
    };
    let mut notes = vec![
        format!("{}, {of}; the noise of a prompt is the same in all frames", run.store.name()),
        "below each picture: iteration: verifier's score".to_owned(),
    ];
    notes.extend(rows);
    Ok(Sheet { title: "Probes".to_owned(), notes, tiles, columns, side: 96.0, scale: None })
}
