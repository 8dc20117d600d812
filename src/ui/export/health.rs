//! What looks wrong in a run, as a table.

use super::Shown;
use super::table::{Cell, Table};
use crate::runs::event::Mark;
use crate::ui::live::signals::{not_finite, signals};

/// Signals at the cursor, series with numbers that are not finite, and the alerts of the whole run.
pub(super) fn table(what: &Shown<'_>) -> Result<Table, String> {
    let run = what.scene.run().ok_or_else(|| "No run is selected.".to_owned())?;
    let step = what.scene.step_of(run);
    let notes = vec![format!("{}, signals at iteration {step}", run.store.name())];
    let columns = ["kind", "name", "iteration", "verdict", "since", "number", "words"];
    let mut table = Table::new("Health", notes, &columns);
    for signal in signals(&run.store, step) {
        table.rows.push(vec![
            Cell::text("signal"),
            Cell::text(signal.name),
            Cell::whole(signal.step),
            Cell::text(signal.verdict.word()),
            signal.since.map_or(Cell::Nothing, |since| Cell::text(since.words())),
            Cell::text(signal.number),
            Cell::text(signal.words),
        ]);
    }
    for series in not_finite(&run.store) {
        table.rows.push(vec![
            Cell::text("not finite"),
            Cell::text(series.name),
            Cell::Whole(series.first),
            Cell::text("wrong"),
            Cell::text(series.first.to_string()),
            Cell::text((series.nan + series.infinite).to_string()),
            Cell::text(format!(
                "{} NaN and {} infinite of {} numbers",
                series.nan, series.infinite, series.of
            )),
        ]);
    }
    for mark in run.store.marks().iter().filter(|mark| mark.mark == Mark::Alert) {
        table.rows.push(vec![
            Cell::text("alert"),
            Cell::Nothing,
            Cell::Whole(mark.step),
            Cell::text("wrong"),
            Cell::text(mark.step.to_string()),
            Cell::Nothing,
            Cell::text(mark.text.as_str()),
        ]);
    }
    Ok(table)
}
