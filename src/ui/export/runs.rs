//! The table of runs.

use super::Shown;
use super::table::{Cell, Table};
use crate::ui::compare::columns::{Column, differing};
use crate::ui::compare::row::RunRow;
use crate::ui::data::run::RunId;

/// All columns of the runs that are listed, in the order of the table.
pub(super) fn table(what: &Shown<'_>) -> Result<Table, String> {
    let rows = what.runs.rows();
    if rows.is_empty() {
        return Err("No run is open, so the table of runs is empty.".to_owned());
    }
    let columns = Column::all(rows, &differing(rows));
    let names: Vec<&str> = columns.iter().map(Column::name).collect();
    let listed: Vec<RunId> = what.runs.listed();
    let mut table = Table::new("Runs", Vec::new(), &names);
    for id in listed {
        let Some(row) = rows.iter().find(|row| row.id == id) else { continue };
        table.rows.push(columns.iter().map(|column| cell(column, row)).collect());
    }
    Ok(table)
}

fn cell(column: &Column, row: &RunRow) -> Cell {
    match column {
        Column::Number(quantity) => Cell::number(row.number(*quantity)),
        Column::Iterations => Cell::Whole(row.iterations),
        // Seeds are names and may be larger than what a number holds exactly.
        Column::Seed => row.seed.map_or(Cell::Nothing, |seed| Cell::text(seed.to_string())),
        Column::Setting(path) if !row.settings.contains_key(path) => Cell::Nothing,
        _ => Cell::text(column.text(row)),
    }
}
