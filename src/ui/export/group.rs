//! The pictures of a group, with what each earned.

use std::sync::Arc;

use super::job::Job;
use super::sheet::{Row, ScaleStrip, Sheet};
use super::tile::{Pixels, Tile};
use super::tokens::of_tokens;
use super::{Format, Shown, group_of, source};
use crate::runs::event::PictureRecord;
use crate::ui::data::group::LoadedGroup;
use crate::ui::number::reading;
use crate::ui::number::signed;
use crate::ui::overlay::LegendMark;
use crate::ui::picture::{PictureStyle, overlay_of, plane_of};
use crate::ui::ranges::{Ranges, colours, range};
use crate::ui::view::{Layer, OverlayView, ScaleScope};

/// Least side of a picture of a sheet, pixels.
const SIDE: usize = 256;

pub(super) fn job(what: &Shown<'_>, format: Format) -> Result<Job, String> {
    let group = group_of(what)?;
    if format == Format::Csv {
        return Ok(of_tokens(what, group, 0..group.record.pictures.len()));
    }
    let count = group.record.pictures.len();
    let ar_step = what.scene.selection.ar_step.filter(|step| *step < group.record.ar_steps);
    let style = PictureStyle { ar_step, ..PictureStyle::of(what.overlay) };
    let ranges = what.scene.ranges;
    let tiles: Result<Vec<Tile>, String> =
        (0..count).map(|index| tile(ranges, (group, index), style, SIDE)).collect();
    let first = format!("{}, {count} pictures", source(what, group));
    let mut notes = vec![first];
    notes.extend(layer_notes(group, style));
    let sheet = Sheet {
        title: group.record.prompt.clone(),
        notes,
        rows: Row::of(tiles?, (count as f64).sqrt().ceil() as usize),
        side: 180.0,
        scales: scale(ranges, (group, 0), style).into_iter().collect(),
    };
    Ok(sheet.job(format))
}

/// Picture `index` of `group` with what lies over it, at least `side` pixels wide.
pub(super) fn tile(
    ranges: &Ranges,
    (group, index): (&LoadedGroup, usize),
    style: PictureStyle<'_>,
    side: usize,
) -> Result<Tile, String> {
    let record = group.record.pictures.get(index);
    let mut captions = record.map(|record| captions(index, record)).unwrap_or_default();
    let pixels = match group.pictures.get(index) {
        Some(Ok(picture)) => {
            let overlay = overlay_of(ranges, (group, index), style).map_err(|error| error.to_string())?;
            Pixels::Composed { picture: Arc::clone(picture), overlay: Box::new(overlay), side }
        }
        Some(Err(why)) => {
            captions.push(format!("cannot be shown: {why}"));
            Pixels::missing(side)
        }
        None => return Err(format!("Picture {} of the group was not recorded.", index + 1)),
    };
    Ok(Tile { pixels, captions, marks: Vec::new() })
}

/// Number, reward and advantage, and the parts of the reward.
pub(super) fn captions(index: usize, record: &PictureRecord) -> Vec<String> {
    let (reward, advantage) = (reading(record.reward.0), signed(record.advantage.0));
    let mut lines = vec![format!("#{}  reward {reward}", index + 1), format!("advantage {advantage}")];
    let part = |(name, part): (&String, &crate::runs::event::Scalar)| format!("{name} {}", reading(part.0));
    lines.extend(record.parts.iter().map(part));
    lines
}

/// What lies over the pictures, in words.
pub(super) fn layer_notes(group: &LoadedGroup, style: PictureStyle<'_>) -> Vec<String> {
    let view = style.overlay;
    let mut notes = Vec::new();
    if let Some(step) = style.ar_step {
        notes.push(format!(
            "at AR step {step}: outlined tokens are predicted at it, checkered ones are still masked"
        ));
    }
    let explained = |mark: LegendMark| format!("{}: {}", mark.name(), mark.explanation());
    let Some(name) = view.layer.map().filter(|_| style.instead.is_none()) else { return notes };
    let Some(planes) = group.map(name) else {
        notes.push(format!("{} was not recorded", view.layer.name()));
        return notes;
    };
    let trained = group.record.trained_ar_steps.get(plane_of(group, style.ar_step));
    let of = trained.filter(|_| planes.count > 1).map(|step| format!(" at AR step {step}"));
    let what = match view.layer {
        Layer::MteMask => format!(", hatched = {}", explained(LegendMark::Selected)),
        Layer::Consistency => format!(", hatched and dim = {}", explained(LegendMark::Dropped)),
        _ => {
            let own = view.scale == ScaleScope::Picture;
            threshold_note(view) + if own { ", each picture with a scale of its own" } else { "" }
        }
    };
    let note = format!("{}{}{what}", view.layer.name(), of.unwrap_or_default());
    // The scale of the colours has the name alone.
    if note != view.layer.name() {
        notes.push(note);
    }
    notes
}

fn threshold_note(view: &OverlayView) -> String {
    view.threshold.map_or_else(String::new, |from| format!(", coloured from {} on", reading(f64::from(from))))
}

/// What the colours mean; `None` where there are none, or each picture of several has others.
pub(super) fn scale(
    ranges: &Ranges,
    (group, index): (&LoadedGroup, usize),
    style: PictureStyle<'_>,
) -> Option<ScaleStrip> {
    let view = style.overlay;
    let alike =
        view.scale != ScaleScope::Picture || group.record.pictures.len() == 1 || style.token.is_some();
    if view.layer.is_mask() || style.instead.is_some() || !alike {
        return None;
    }
    let summary = ranges.summary(group, (index, plane_of(group, style.ar_step)), view)?;
    Some(ScaleStrip {
        name: view.layer.name().to_owned(),
        colours: colours(view),
        range: range(summary, view),
    })
}
