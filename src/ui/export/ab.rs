//! The two pictures of A/B and what is between them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::group::layer_notes;
use super::job::Job;
use super::sheet::{Row, ScaleStrip, Sheet};
use super::table::{Cell, Table};
use super::tile::{Pixels, Tile};
use super::{Format, Shown};
use crate::runs::event::PictureRecord;
use crate::ui::compare::ab::AbMode;
use crate::ui::compare::differences::{Apart, means};
use crate::ui::compare::pair::{Pair, PairSide};
use crate::ui::compare::source::PictureSource;
use crate::ui::number::reading;
use crate::ui::number::signed;
use crate::ui::overlay::{ColourMap, ValueRange};
use crate::ui::picture::PictureStyle;
use crate::ui::ranges::{colours, range};
use crate::ui::view::{Layer, OverlayView};

/// Least side of a picture, pixels.
const SIDE: usize = 384;
/// Width of a picture in a drawing.
const WIDTH: f64 = 300.0;

pub(super) fn job(what: &Shown<'_>, format: Format) -> Result<Job, String> {
    let pair = what.compare.ab.pair(what.scene, what.overlay)?;
    if format == Format::Csv {
        return Ok(Job::new(move || table(&pair).content(format)));
    }
    let (overlay, ar_step) = (what.overlay.clone(), what.scene.selection.ar_step);
    Ok(Job::new(move || sheet(&pair, &overlay, ar_step)?.content(format)))
}

/// What was recorded of a picture of a training group.
fn record(side: &PairSide) -> Option<&PictureRecord> {
    side.held.group.as_ref()?.record.pictures.get(side.held.found.index)
}

/// What the score of a picture is.
const fn score(pair: &Pair) -> &'static str {
    match pair.source {
        PictureSource::Training => "reward",
        PictureSource::Fixed => "score",
    }
}

const fn is_difference(mode: AbMode) -> bool {
    matches!(mode, AbMode::Difference | AbMode::SignedDifference)
}

fn sheet(pair: &Pair, overlay: &OverlayView, ar_step: Option<usize>) -> Result<Sheet, String> {
    let mut tiles: Vec<Tile> =
        pair.sides.iter().zip(["A", "B"]).map(|(side, letter)| tile(pair, side, letter)).collect();
    if let Some(both) = &pair.both {
        let [a, _] = &pair.sides;
        let pixels =
            Pixels::Composed { picture: Arc::clone(&a.picture), overlay: Box::new(both.clone()), side: SIDE };
        tiles.push(Tile { pixels, captions: between(pair)?, marks: Vec::new() });
    }
    let [prompt_a, prompt_b] = pair.sides.each_ref().map(|side| &side.held.found.prompt);
    let mut notes = Vec::new();
    let title = if prompt_a == prompt_b {
        format!("A and B: {prompt_a}")
    } else {
        notes.extend([format!("A: {prompt_a}"), format!("B: {prompt_b}")]);
        "A and B".to_owned()
    };
    notes.extend(layer_words(pair, overlay, ar_step));
    Ok(Sheet { title, notes, rows: Row::of(tiles, 3), side: WIDTH, scales: scales(pair, overlay) })
}

/// What lies over the pictures, in words.
fn layer_words(pair: &Pair, overlay: &OverlayView, ar_step: Option<usize>) -> Vec<String> {
    let Some(map) = overlay.layer.map() else { return Vec::new() };
    let groups = pair.sides.each_ref().map(|side| side.held.group.as_deref());
    let with = groups.iter().flatten().find(|group| group.map(map).is_some());
    let mut words = Vec::new();
    if let Some(group) = with {
        let ar_step = ar_step.filter(|step| *step < group.record.ar_steps);
        words.extend(layer_notes(group, PictureStyle { ar_step, ..PictureStyle::of(overlay) }));
    }
    for (letter, group) in ["A", "B"].into_iter().zip(groups) {
        if group.is_some_and(|group| group.map(map).is_none()) {
            words.push(format!("{} was not recorded for {letter}", overlay.layer.name()));
        }
    }
    let over_a = groups.first().copied().flatten().is_some_and(|group| group.map(map).is_some());
    if is_difference(pair.mode) && over_a {
        words.push(format!("over the difference lies {} of A", overlay.layer.name().to_lowercase()));
    }
    words
}

fn scales(pair: &Pair, overlay: &OverlayView) -> Vec<ScaleStrip> {
    let numbers = pair.numbers.filter(|_| overlay.layer != Layer::None && !overlay.layer.is_mask());
    let of_layer = numbers.map(|numbers| ScaleStrip {
        name: overlay.layer.name().to_owned(),
        colours: colours(overlay),
        range: range(numbers, overlay),
    });
    let end = 255.0 / pair.factor.max(1) as f32;
    let of_difference = (pair.mode == AbMode::SignedDifference).then(|| ScaleStrip {
        name: "the lightness of B less that of A, of 255".to_owned(),
        colours: ColourMap::Diverging,
        range: ValueRange { low: -end, high: end },
    });
    of_layer.into_iter().chain(of_difference).collect()
}

/// A or B with what is known of it.
fn tile(pair: &Pair, side: &PairSide, letter: &str) -> Tile {
    let found = &side.held.found;
    let mut captions = vec![
        format!("{letter}: {}", side.run),
        format!("iteration {}, picture {}", found.step, found.index + 1),
        format!("{} {}", score(pair), reading(found.score)),
    ];
    if let Some(record) = record(side) {
        captions.push(format!("advantage {}", signed(record.advantage.0)));
        captions.extend(record.parts.iter().map(|(name, part)| format!("{name} {}", reading(part.0))));
    }
    let (picture, overlay) = (Arc::clone(&side.picture), Box::new(side.overlay.clone()));
    Tile { pixels: Pixels::Composed { picture, overlay, side: SIDE }, captions, marks: Vec::new() }
}

/// What is said of both in one picture.
fn between(pair: &Pair) -> Result<Vec<String>, String> {
    if !is_difference(pair.mode) {
        return Ok(vec!["A left of the divider, B right of it".to_owned()]);
    }
    let [a, b] = &pair.sides;
    let apart = Apart::of(a.picture.image(), b.picture.image())?;
    let [red, green, blue] = apart.channels;
    let mean = format!("mean absolute difference {:.2} of 255", apart.absolute);
    let more = [
        format!("red {red:.2}, green {green:.2}, blue {blue:.2}"),
        format!("greatest {} of 255", apart.greatest),
        format!("mean difference of lightness {} of 255", signed(apart.lightness)),
    ];
    let title = if pair.mode == AbMode::SignedDifference {
        [
            format!("lightness of B less that of A, {} x", pair.factor),
            "orange where B is lighter, blue where it is darker".to_owned(),
        ]
    } else {
        [format!("|B less A|, {} x", pair.factor), "black where they are alike".to_owned()]
    };
    let own = if pair.factor == 1 { Vec::new() } else { vec!["the numbers are not amplified".to_owned()] };
    Ok(title.into_iter().chain([mean]).chain(more).chain(own).collect())
}

/// A row a number, with that of A, that of B, and what is between them.
fn table(pair: &Pair) -> Table {
    let mut table = Table::new("A and B", Vec::new(), &["quantity", "a", "b", "difference"]);
    let [a, b] = &pair.sides;
    let mut push = |name: &str, a: Cell, b: Cell, difference: Cell| {
        table.rows.push(vec![Cell::text(name), a, b, difference]);
    };
    let (in_a, in_b) = (&a.held.found, &b.held.found);
    push("run", Cell::text(a.run.as_str()), Cell::text(b.run.as_str()), Cell::Nothing);
    push("prompt", Cell::text(in_a.prompt.as_str()), Cell::text(in_b.prompt.as_str()), Cell::Nothing);
    push("iteration", Cell::Whole(in_a.step), Cell::Whole(in_b.step), Cell::Nothing);
    if let (Some(a), Some(b)) = (&a.held.group, &b.held.group) {
        push("group", Cell::Whole(a.index + 1), Cell::Whole(b.index + 1), Cell::Nothing);
    }
    push("picture", Cell::Whole(in_a.index + 1), Cell::Whole(in_b.index + 1), Cell::Nothing);
    let mut both = |name: &str, a: Option<f64>, b: Option<f64>| {
        let difference = a.zip(b).map(|(a, b)| b - a);
        push(name, Cell::number(a), Cell::number(b), Cell::number(difference));
    };
    both(score(pair), Some(in_a.score), Some(in_b.score));
    let (of_a, of_b) = (record(a), record(b));
    if of_a.or(of_b).is_some() {
        let advantage = |record: Option<&PictureRecord>| record.map(|record| record.advantage.0);
        both("advantage", advantage(of_a), advantage(of_b));
    }
    let parts: BTreeSet<&String> = [of_a, of_b].into_iter().flatten().flat_map(|r| r.parts.keys()).collect();
    for name in parts {
        let part = |record: Option<&PictureRecord>| record?.parts.get(name).map(|part| part.0);
        both(&format!("part/{name}"), part(of_a), part(of_b));
    }
    let (image_a, image_b) = (a.picture.image(), b.picture.image());
    let colours = ["mean_red", "mean_green", "mean_blue", "mean_lightness"];
    for (name, (a, b)) in colours.into_iter().zip(means(image_a).into_iter().zip(means(image_b))) {
        both(name, Some(a), Some(b));
    }
    // Pictures of two sizes have none.
    if let Ok(apart) = Apart::of(image_a, image_b) {
        let mut between = |name: &str, value| push(name, Cell::Nothing, Cell::Nothing, value);
        between("mean_absolute_difference", Cell::Number(apart.absolute));
        for (name, value) in ["red", "green", "blue"].into_iter().zip(apart.channels) {
            between(&format!("mean_absolute_difference/{name}"), Cell::Number(value));
        }
        between("greatest_absolute_difference", Cell::Whole(usize::from(apart.greatest)));
        between("mean_difference_of_lightness", Cell::Number(apart.lightness));
    }
    table
}
