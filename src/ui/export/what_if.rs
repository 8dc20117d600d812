//! The masks that other settings would have given: the picture with what changes, and both masks token by token.

use super::group::tile;
use super::job::Job;
use super::picture::{SIDE, WIDTH, about};
use super::sheet::{Row, Sheet};
use super::table::{Cell, Table};
use super::tile::Mark;
use super::tokens::recorded;
use super::{Format, Shown};
use crate::ui::inspect::facts::PictureFacts;
use crate::ui::inspect::inspected::place;
use crate::ui::inspect::marks::sign;
use crate::ui::inspect::number::setting;
use crate::ui::inspect::state::Mask;
use crate::ui::inspect::what_if::{Comparison, Fate, Outcome, Settings};
use crate::ui::inspect::{InspectView, Inspected};
use crate::ui::picture::PictureStyle;
use crate::ui::view::{Layer, OverlayView};

pub(super) fn job(what: &Shown<'_>, input: Inspected<'_>, format: Format) -> Result<Job, String> {
    let rl = recorded(what, input.group);
    let settings = what.inspect.tried.over(Settings::recorded(rl.as_ref()));
    let outcome = Outcome::new(input.group, input.picture(), settings);
    if format == Format::Csv {
        return Ok(Job::of_table(table(what, input, &outcome), format));
    }
    let plane = InspectView::consistency_plane(&input);
    let (name, comparison) = match what.inspect.mask {
        Mask::Multi => ("MTE mask".to_owned(), outcome.multi.as_ref()),
        Mask::Consistency => {
            let step = input.group.record.trained_ar_steps.get(plane).copied().unwrap_or(plane);
            (format!("consistency mask at AR step {step}"), outcome.steps.get(plane))
        }
    };
    let comparison = comparison.ok_or_else(|| {
        format!("The {name} cannot be computed: what it is computed from was not recorded at this iteration.")
    })?;
    let bare = OverlayView { layer: Layer::None, grid: !what.inspect.hide_grid, ..what.overlay.clone() };
    let mut tile = tile(what.scene.ranges, (input.group, input.picture()), PictureStyle::of(&bare), SIDE)?;
    tile.marks = marks(comparison, input.group.record.side);
    let mut notes = about(what, input);
    notes.extend(words(&name, settings, comparison));
    let title = format!("What would change: {}", input.group.record.prompt);
    let sheet = Sheet { title, notes, rows: Row::of(vec![tile], 1), side: WIDTH, scales: Vec::new() };
    Ok(sheet.job(format))
}

fn words(name: &str, settings: Settings, comparison: &Comparison) -> [String; 2] {
    let tally = comparison.tally;
    [
        format!("{name} with k = {}, tau = {}", setting(settings.share), setting(settings.tau)),
        format!(
            "of {} tokens {} recorded, {} would be: • in both, + {} gained, − {} lost",
            tally.of, tally.recorded, tally.tried, tally.gained, tally.lost
        ),
    ]
}

fn marks(comparison: &Comparison, side: usize) -> Vec<Mark> {
    let fates = comparison.fates.iter().enumerate();
    fates.filter_map(|(token, fate)| Some(Mark { token, side, sign: sign(*fate)? })).collect()
}

fn table(what: &Shown<'_>, input: Inspected<'_>, outcome: &Outcome) -> Table {
    let rl = recorded(what, input.group);
    let facts = PictureFacts::new(input.group, input.picture(), rl.as_ref());
    let trained = &input.group.record.trained_ar_steps;
    let mut columns: Vec<String> =
        ["token", "row", "column", "mte_mask", "mte_mask_would_be"].map(str::to_owned).into();
    for (step, _) in trained.iter().zip(&outcome.steps) {
        columns.extend(["kept", "kept_would_be"].map(|name| format!("{name}/ar_step_{step}")));
    }
    let mut rows = Vec::new();
    for token in &facts.tokens {
        let (row, column) = place(token.token, facts.side);
        let mut cells = vec![Cell::Whole(token.token), Cell::Whole(row), Cell::Whole(column)];
        cells.extend(both(outcome.multi.as_ref(), token.token));
        for (step, comparison) in token.steps.iter().zip(&outcome.steps) {
            cells.extend(both(Some(comparison).filter(|_| step.decision.in_loss()), token.token));
        }
        rows.push(cells);
    }
    Table { title: "What would change".to_owned(), notes: Vec::new(), columns, rows }
}

/// Whether a token is in the recorded mask, and in the one that is tried.
fn both(comparison: Option<&Comparison>, token: usize) -> [Cell; 2] {
    let fate = comparison.and_then(|comparison| comparison.fates.get(token));
    let (recorded, tried) = match fate {
        None => (None, None),
        Some(Fate::Neither) => (Some(false), Some(false)),
        Some(Fate::Both) => (Some(true), Some(true)),
        Some(Fate::Gained) => (Some(false), Some(true)),
        Some(Fate::Lost) => (Some(true), Some(false)),
    };
    [Cell::truth(recorded), Cell::truth(tried)]
}
