//! Gradient noise: a chart of the traces, and all that was measured.

use super::job::Job;
use super::table::{Cell, Table};
use super::{Format, Shown, not_as};
use crate::runs::report::figure::{Axis, Figure, Line, Scale};
use crate::runs::store::RunStore;
use crate::ui::action::Content;
use crate::ui::live::NOISE_MODES;

pub(super) fn job(what: &Shown<'_>, format: Format) -> Result<Job, String> {
    let run = what.scene.run().ok_or_else(|| "No run is selected.".to_owned())?;
    let store = &run.store;
    let steps = measured(store);
    if steps.is_empty() {
        return Err(format!("The gradient noise of {} was not measured so far.", store.name()));
    }
    match format {
        Format::Svg => {
            let figure = figure(store);
            Ok(Job::new(move || Ok(Content::Svg(figure.svg()))))
        }
        Format::Csv => Ok(Job::of_table(table(store, &steps), format)),
        Format::Png => Err(not_as(format)),
    }
}

fn measured(store: &RunStore) -> Vec<usize> {
    let series = NOISE_MODES.iter().filter_map(|(name, ..)| store.series(name));
    let mut steps: Vec<usize> = series.flat_map(|series| series.columns().0.iter().copied()).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

fn table(store: &RunStore, steps: &[usize]) -> Table {
    let columns = ["iteration", "objective", "trace", "trace_of_single", "squared_mean", "ratio"];
    let mut table = Table::new("Gradient noise", Vec::new(), &columns);
    let value = |name: &str, step: usize| {
        store.series(name)?.at(step).filter(|point| point.step == step).map(|point| point.value)
    };
    for step in steps {
        let single = value("noise/single/trace", *step);
        for (name, title, _) in NOISE_MODES {
            let trace = value(&format!("{name}/trace"), *step);
            let numbers = [
                trace,
                trace.zip(single).map(|(trace, single)| trace / single),
                value(&format!("{name}/squared_mean"), *step),
                value(name, *step),
            ];
            if numbers.iter().all(Option::is_none) {
                continue;
            }
            let mut row = vec![Cell::Whole(*step), Cell::text(title)];
            row.extend(numbers.map(Cell::number));
            table.rows.push(row);
        }
    }
    table
}

fn figure(store: &RunStore) -> Figure {
    let line = |(number, (name, title, _)): (usize, (&str, &str, &str))| {
        let series = store.series(&format!("{name}/trace"))?;
        let points = series.iter().map(|point| [point.step as f64, point.value]).collect();
        Some(Line { name: title.to_owned(), points, style: number + 1, ..Line::default() })
    };
    Figure {
        title: format!("Gradient noise of {}", store.name()),
        x: Axis::new("iterations"),
        y: Axis { scale: Scale::Log, ..Axis::new("trace of the gradient's covariance") },
        series: NOISE_MODES.into_iter().enumerate().filter_map(line).collect(),
    }
}
