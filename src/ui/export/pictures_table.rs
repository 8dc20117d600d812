//! What the pictures of several runs earned: a row a picture.

use std::collections::BTreeSet;

use super::pictures::{GroupOf, RunRow, Strip};
use super::table::{Cell, Table};

fn seed(seed: Option<u64>) -> Cell {
    // Seeds are names and may be larger than what a number holds exactly.
    seed.map_or(Cell::Nothing, |seed| Cell::text(seed.to_string()))
}

/// What is said of the noise of all pictures; nothing if there is one run alone.
fn remark(text: &str) -> Cell {
    if text.is_empty() { Cell::Nothing } else { Cell::text(text) }
}

/// Pictures of training groups.
pub(super) fn of_groups(rows: &[RunRow<GroupOf>], same: &str) -> Table {
    let shown = || rows.iter().filter_map(|row| Some((row, row.shown.as_ref()?)));
    let pictures = shown().flat_map(|(_, group)| &group.record().pictures);
    let parts: BTreeSet<&String> = pictures.flat_map(|picture| picture.parts.keys()).collect();
    let names = ["run", "seed", "iteration", "group", "picture", "prompt", "reward", "advantage"];
    let mut columns: Vec<String> = names.map(str::to_owned).into();
    columns.extend(parts.iter().map(|name| format!("part/{name}")));
    columns.push("noise".to_owned());
    let mut cells = Vec::new();
    for (row, group) in shown() {
        let (step, index) = group.place();
        for (picture, record) in group.record().pictures.iter().enumerate() {
            let mut of_picture = vec![
                Cell::text(row.name.as_str()),
                seed(row.seed),
                Cell::Whole(step),
                Cell::Whole(index + 1),
                Cell::Whole(picture + 1),
                Cell::text(group.record().prompt.as_str()),
                Cell::Number(record.reward.0),
                Cell::Number(record.advantage.0),
            ];
            let part = |name: &&String| Cell::number(record.parts.get(*name).map(|part| part.0));
            of_picture.extend(parts.iter().map(part));
            of_picture.push(remark(same));
            cells.push(of_picture);
        }
    }
    Table { title: "Pictures".to_owned(), notes: Vec::new(), columns, rows: cells }
}

/// Pictures of fixed prompts.
pub(super) fn of_frames(rows: &[RunRow<Strip>], same: &str) -> Table {
    let names = ["run", "seed", "iteration", "picture", "prompt", "score", "noise"];
    let mut table = Table::new("Fixed prompts", Vec::new(), &names);
    for row in rows {
        let Some(shown) = &row.shown else { continue };
        for (picture, frame) in shown.pictures.iter().enumerate() {
            table.rows.push(vec![
                Cell::text(row.name.as_str()),
                seed(row.seed),
                Cell::Whole(shown.step),
                Cell::Whole(picture + 1),
                Cell::text(frame.prompt.as_str()),
                Cell::Number(frame.score.0),
                remark(same),
            ]);
        }
    }
    table
}
