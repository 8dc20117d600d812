//! One picture with what lies over it, and its tokens.

use super::group::{layer_notes, scale, tile};
use super::job::Job;
use super::sheet::{Row, Sheet};
use super::tokens::of_tokens;
use super::{Format, Shown, group_of, source};
use crate::ui::inspect::Inspected;
use crate::ui::inspect::facts_table::title;
use crate::ui::picture::PictureStyle;
use crate::ui::view::OverlayView;

/// Least side of the picture, pixels.
pub(super) const SIDE: usize = 768;
/// Its width in a drawing.
pub(super) const WIDTH: f64 = 480.0;

pub(super) fn job(what: &Shown<'_>, input: Inspected<'_>, format: Format) -> Result<Job, String> {
    let (group, index) = (input.group, input.picture());
    if format == Format::Csv {
        return Ok(of_tokens(what, group_of(what)?, index..index + 1));
    }
    let brushed = what.inspect.brushed(&input);
    let overlay = OverlayView { grid: !what.inspect.hide_grid, ..what.overlay.clone() };
    let style = PictureStyle {
        ar_step: what.scene.selection.ar_step,
        token: input.token(),
        brushed: &brushed,
        ..PictureStyle::of(&overlay)
    };
    let mut notes = about(what, input);
    notes.extend(layer_notes(group, style));
    if let Some(token) = input.token() {
        notes.push(format!("white outline: {}", title(token, group.record.side)));
    }
    if let Some(brush) = what.inspect.brush.filter(|_| !brushed.is_empty()) {
        notes.push(format!("yellow outline: uncertainty {} to {}", brush.low, brush.high));
    }
    let ranges = what.scene.ranges;
    let sheet = Sheet {
        title: group.record.prompt.clone(),
        notes,
        rows: Row::of(vec![tile(ranges, (group, index), style, SIDE)?], 1),
        side: WIDTH,
        scales: scale(ranges, (group, index), style).into_iter().collect(),
    };
    Ok(sheet.job(format))
}

/// Where the picture comes from.
pub(super) fn about(what: &Shown<'_>, input: Inspected<'_>) -> Vec<String> {
    let count = input.group.record.pictures.len();
    vec![format!("{}, picture {} of {count}", source(what, input.group), input.picture() + 1)]
}
