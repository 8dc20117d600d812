//! The pictures of a group, with what each earned.

use super::sheet::{ScaleStrip, Sheet, Tile, magnification};
use super::tokens::of_tokens;
use super::{Format, Shown, group_of, source};
use crate::runs::event::PictureRecord;
use crate::ui::action::Content;
use crate::ui::data::group::LoadedGroup;
use crate::ui::live::number::signed;
use crate::ui::overlay::{LegendMark, compose};
use crate::ui::picture::{PictureStyle, overlay_of, plane_of};
use crate::ui::plot::reading;
use crate::ui::ranges::{colours, range};
use crate::ui::view::{Layer, OverlayView, ScaleScope};
use crate::world::image::Rgb8;

/// Least side of a picture of a sheet, pixels.
const SIDE: usize = 256;

pub(super) fn export(what: &Shown<'_>, format: Format) -> Result<Content, String> {
    let group = group_of(what)?;
    if format == Format::Csv {
        return of_tokens(what, group, 0..group.record.pictures.len()).content(format);
    }
    let count = group.record.pictures.len();
    let ar_step = what.scene.selection.ar_step.filter(|step| *step < group.record.ar_steps);
    let style = PictureStyle { ar_step, ..PictureStyle::of(what.overlay) };
    let tiles: Result<Vec<Tile>, String> =
        (0..count).map(|index| tile(what, (group, index), style, SIDE)).collect();
    let first = format!("{}, {count} pictures", source(what, group));
    let mut notes = vec![first];
    notes.extend(layer_notes(group, style));
    let sheet = Sheet {
        title: group.record.prompt.clone(),
        notes,
        tiles: tiles?,
        columns: (count as f64).sqrt().ceil() as usize,
        side: 180.0,
        scale: scale(what, (group, 0), style),
    };
    // The numbers were given above.
    sheet.content(format, || Err(super::not_as(format)))
}

/// Picture `index` of `group` with what lies over it, at least `side` pixels wide.
pub(super) fn tile(
    what: &Shown<'_>,
    (group, index): (&LoadedGroup, usize),
    style: PictureStyle<'_>,
    side: usize,
) -> Result<Tile, String> {
    let record = group.record.pictures.get(index);
    let mut captions = record.map(|record| captions(index, record)).unwrap_or_default();
    let picture = match group.pictures.get(index) {
        Some(Ok(picture)) => {
            let overlay = overlay_of(what.scene, (group, index), style).map_err(|error| error.to_string())?;
            let times = magnification(picture.image().width, side);
            compose(picture, &overlay, times).map_err(|error| error.to_string())?
        }
        Some(Err(why)) => {
            captions.push(format!("cannot be shown: {why}"));
            Rgb8::filled(side, side, [200; 3])
        }
        None => return Err(format!("Picture {} of the group was not recorded.", index + 1)),
    };
    Ok(Tile { picture, captions, marks: Vec::new() })
}

/// Number, reward and advantage, and the parts of the reward.
pub(super) fn captions(index: usize, record: &PictureRecord) -> Vec<String> {
    let (reward, advantage) = (reading(record.reward.0), signed(record.advantage.0));
    let mut lines = vec![format!("#{}  reward {reward}  advantage {advantage}", index + 1)];
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
    what: &Shown<'_>,
    (group, index): (&LoadedGroup, usize),
    style: PictureStyle<'_>,
) -> Option<ScaleStrip> {
    let view = style.overlay;
    let alike =
        view.scale != ScaleScope::Picture || group.record.pictures.len() == 1 || style.token.is_some();
    if view.layer.is_mask() || style.instead.is_some() || !alike {
        return None;
    }
    let summary = what.scene.ranges.summary(group, (index, plane_of(group, style.ar_step)), view)?;
    Some(ScaleStrip {
        name: view.layer.name().to_owned(),
        colours: colours(view),
        range: range(summary, view),
    })
}
