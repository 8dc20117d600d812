//! What an ablation found, or how far it is: the table of variants, and the reward of every run that began.

use super::job::Job;
use super::stack::tiled;
use super::table::{Cell, Table};
use super::{Format, Shown, not_as};
use crate::runs::list::REWARD;
use crate::runs::report::VariantRow;
use crate::runs::report::figure::{Axis, Figure, Line};
use crate::runs::report::stats::Interval;
use crate::ui::action::Content;
use crate::ui::compare::ablating::{AblationProgress, AblationTable, BegunCell};
use crate::ui::compare::ablation_result::{MEASURES, difference, heading, mean, meaning, of};
use crate::ui::compare::multiples::{by_variant, open, state_words};

/// Figures beside one another.
const COLUMNS: usize = 2;

pub(super) fn job(what: &Shown<'_>, format: Format) -> Result<Job, String> {
    let (progress, result) = (what.compare.progress, what.compare.result);
    let begun = progress.filter(|progress| !progress.begun.is_empty());
    if let Some(Err(reason)) = result.map(|result| &result.table) {
        return Err(format!("The ablation has no result: {reason}"));
    }
    let table = result.and_then(|result| result.table.as_ref().ok());
    match (table, begun, format) {
        (None, None, _) => {
            Err("There is no result yet: no ablation of this window has begun a run. Start one here."
                .to_owned())
        }
        (.., Format::Png) => Err(not_as(format)),
        (Some(table), _, Format::Csv) => Ok(Job::of_table(measured(table), format)),
        (None, Some(progress), Format::Csv) => Ok(Job::of_table(so_far(what, progress), format)),
        (_, _, Format::Svg) => {
            let stopped = result.is_some_and(|result| result.stopped);
            let mut notes = notes(table, begun, stopped);
            let figures = begun.map(|progress| figures(what, progress)).unwrap_or_default();
            let table = table.map(drawn);
            if !figures.is_empty() {
                notes.push("Below: mean reward of each iteration of every run that is open.".to_owned());
            }
            Ok(Job::new(move || Ok(Content::Svg(drawing(table.as_ref(), &notes, &figures)))))
        }
    }
}

fn drawing(table: Option<&Table>, notes: &[String], figures: &[Figure]) -> String {
    let table: Vec<String> = table.iter().map(|table| table.to_svg()).collect();
    let figures: Vec<String> = figures.iter().map(Figure::inline_svg).collect();
    tiled("Ablation", notes, table.chunks(1).chain(figures.chunks(COLUMNS)))
}

fn notes(table: Option<&AblationTable>, begun: Option<&AblationProgress>, stopped: bool) -> Vec<String> {
    let mut notes = Vec::new();
    match (table, begun) {
        (Some(table), _) => {
            if stopped {
                notes.push("Stopped: the table is of the runs that there are.".to_owned());
            }
            notes.push(meaning(&table.baseline));
            notes.extend(table.remarks.iter().flat_map(|remark| lines(remark)));
        }
        (None, Some(progress)) => {
            notes.push(format!("No result yet: {}.", progress.words()));
            notes.extend(progress.under_way.iter().map(|cell| {
                format!("{}: iteration {} of {}", cell.name, cell.status.iteration, progress.iterations)
            }));
        }
        (None, None) => {}
    }
    notes
}

/// A long text in lines of about so many characters as the table is wide.
fn lines(text: &str) -> Vec<String> {
    const WIDE: usize = 150;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.chars().count() + word.chars().count() < WIDE) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The table as the panel shows it: of each variant a line with means, and one with the differences to the baseline.
fn drawn(table: &AblationTable) -> Table {
    let mut columns = vec!["Variant".to_owned(), "Runs finished".to_owned()];
    columns.extend(MEASURES.map(|measure| heading(measure).to_owned()));
    let mut rows = Vec::new();
    for row in &table.rows {
        let mut means = vec![Cell::text(row.variant.as_str()), Cell::text(row.runs.words())];
        means.extend(
            MEASURES.map(|measure| of(row, measure).map_or(Cell::Nothing, |of| Cell::text(mean(of)))),
        );
        rows.push(means);
        let odd = if row.not_finite > 0 { format!("{} not finite", row.not_finite) } else { String::new() };
        let mut differences = vec![Cell::text(""), Cell::text(odd)];
        let cell = |measure| of(row, measure).and_then(difference).unwrap_or_default();
        differences.extend(MEASURES.map(|measure| Cell::text(cell(measure))));
        if differences.iter().any(|cell| *cell != Cell::text("")) {
            rows.push(differences);
        }
    }
    Table { title: "Variants".to_owned(), notes: Vec::new(), columns, rows }
}

/// A row a variant and measure, all of them, with every digit.
fn measured(table: &AblationTable) -> Table {
    let columns = [
        "variant",
        "runs",
        "finished",
        "measure",
        "unit",
        "mean",
        "low",
        "high",
        "deviation",
        "n",
        "not_finite",
        "missing",
        "baseline",
        "difference",
        "difference_low",
        "difference_high",
        "pairs",
        "p",
    ];
    let mut all = Table::new("Ablation", Vec::new(), &columns);
    for row in &table.rows {
        all.rows.extend(of_variant(row, &table.baseline));
    }
    all
}

fn of_variant(row: &VariantRow, baseline: &str) -> Vec<Vec<Cell>> {
    let ends = |interval: Option<Interval>| {
        [interval.map(|interval| interval.low), interval.map(|interval| interval.high)].map(Cell::number)
    };
    let mut rows = Vec::new();
    for of in &row.measures {
        let (estimate, difference) = (&of.estimate, of.difference.as_ref());
        let mut cells = vec![
            Cell::text(row.variant.as_str()),
            Cell::Whole(row.runs.all),
            Cell::Whole(row.runs.finished),
            Cell::text(of.measure.key()),
            Cell::text(of.measure.unit()),
            Cell::number(estimate.mean),
        ];
        cells.extend(ends(estimate.interval));
        cells.push(Cell::number(estimate.deviation));
        cells.extend([estimate.n, estimate.not_finite, estimate.missing].map(Cell::Whole));
        cells.push(Cell::text(baseline));
        cells.push(Cell::number(difference.and_then(|of| of.mean)));
        cells.extend(ends(difference.and_then(|of| of.interval)));
        cells.push(Cell::whole(difference.map(|of| of.pairs)));
        cells.push(Cell::number(difference.and_then(|of| of.p)));
        rows.push(cells);
    }
    rows
}

fn state(progress: &AblationProgress, cell: &BegunCell) -> String {
    let ended = progress.ended.iter().find(|ended| ended.name == cell.name);
    state_words(ended, ended.is_none() && progress.is_under_way(&cell.name))
}

/// The reward of every iteration of the runs that began.
fn so_far(what: &Shown<'_>, progress: &AblationProgress) -> Table {
    let columns = ["variant", "run", "state", "iteration", "reward"];
    let mut table = Table::new("Ablation so far", Vec::new(), &columns);
    for cell in &progress.begun {
        let series = open(what.scene, cell).and_then(|run| run.store.series(REWARD));
        let state = state(progress, cell);
        let about = || [cell.variant(), cell.rest(), &state].map(Cell::text).to_vec();
        let Some(series) = series else {
            table.rows.push([about(), vec![Cell::Nothing; 2]].concat());
            continue;
        };
        let points =
            series.iter().map(|p| [about(), vec![Cell::Whole(p.step), Cell::Number(p.value)]].concat());
        table.rows.extend(points);
    }
    table
}

/// A chart a variant with a line a run, of the runs that are open.
fn figures(what: &Shown<'_>, progress: &AblationProgress) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (variant, cells) in by_variant(&progress.begun) {
        let mut series = Vec::new();
        for (number, cell) in cells.into_iter().enumerate() {
            let Some(rewards) = open(what.scene, cell).and_then(|run| run.store.series(REWARD)) else {
                continue;
            };
            let points = rewards.iter().map(|point| [point.step as f64, point.value]).collect();
            let ended = progress.ended.iter().any(|ended| ended.name == cell.name && ended.problem.is_none());
            let state = if ended { String::new() } else { format!(", {}", state(progress, cell)) };
            series.push(Line {
                name: format!("{}{state}", cell.rest()),
                points,
                style: number,
                ..Line::default()
            });
        }
        if !series.is_empty() {
            figures.push(Figure {
                title: variant.to_owned(),
                x: Axis::new("iterations"),
                y: Axis::new("mean reward"),
                series,
            });
        }
    }
    figures
}
