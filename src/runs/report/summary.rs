//! The report in a terminal.

use std::fmt::Write;

use super::ablation::{Ablation, VariantRow};
use super::format::{estimate, p_value};
use super::measure::Measure;
use super::remarks::remarks;
use super::stats::{Difference, Estimate};

/// Measures that have a column, a table each, narrow enough for a terminal.
const TABLES: [&[(Measure, &str)]; 2] = [
    &[(Measure::FinalReward, "final reward"), (Measure::Gain, "gain")],
    &[
        (Measure::HeldOutGain, "held-out gain"),
        (Measure::ImageDiversityKept, "diversity kept"),
        (Measure::GradientVariation, "gradient variation"),
        (Measure::SecondsPerIteration, "s/iteration"),
    ],
];

/// Tables with a row a variant, the runs that failed or did not finish, and the remarks.
#[must_use]
pub fn summary(ablation: &Ablation) -> String {
    let variants = ablation.rows();
    let mut text = String::new();
    for columns in TABLES {
        let mut rows = vec![head(columns, &ablation.baseline)];
        rows.extend(variants.iter().map(|row| fields(row, columns)));
        text += &aligned(&rows);
        text.push('\n');
    }
    text += "Mean [95 % interval] over the finished runs; differences in pairs of prompt and seed.\n";
    for cell in ablation.cells.iter().filter(|cell| !cell.finished()) {
        let _ = writeln!(text, "{}: {}, {}", cell.outcome.word(), cell.label(), cell.outcome.reason());
    }
    for remark in remarks(ablation) {
        let _ = writeln!(text, "note: {remark}");
    }
    text
}

fn head(columns: &[(Measure, &str)], baseline: &str) -> Vec<String> {
    let mut head = vec!["variant".to_owned(), "runs".to_owned()];
    for (measure, name) in columns {
        head.push((*name).to_owned());
        if *measure == Measure::Gain {
            head.push(format!("gain - that of {baseline}"));
        }
    }
    head
}

fn fields(row: &VariantRow, columns: &[(Measure, &str)]) -> Vec<String> {
    let mut fields = vec![row.variant.clone(), row.runs.words()];
    for of in columns.iter().filter_map(|(measure, _)| row.measures.iter().find(|of| of.measure == *measure))
    {
        fields.push(mean(&of.estimate));
        if of.measure == Measure::Gain {
            fields.push(of.difference.as_ref().map_or_else(|| "-".to_owned(), difference));
        }
    }
    fields
}

fn mean(of: &Estimate) -> String {
    let mut text = of.mean.map_or_else(|| "-".to_owned(), |mean| estimate(mean, of.interval, false));
    for (count, what) in [(of.not_finite, "not finite"), (of.missing, "not recorded")] {
        if count > 0 {
            let _ = write!(text, " ({count} {what})");
        }
    }
    text
}

fn difference(of: &Difference) -> String {
    let Some(mean) = of.mean else { return "-".to_owned() };
    let p = of.p.filter(|_| of.pairs > 1).map_or_else(String::new, |p| format!(", {}", p_value(p)));
    estimate(mean, of.interval, true) + &p
}

/// Columns two spaces apart, with a line under the first row.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|field| field.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (i, row) in rows.iter().enumerate() {
        let padded = row.iter().zip(&widths).map(|(field, width)| format!("{field:<width$}"));
        let line = padded.collect::<Vec<_>>().join("  ");
        text += line.trim_end();
        text.push('\n');
        if i == 0 {
            text += &"-".repeat(widths.iter().map(|width| width + 2).sum::<usize>().saturating_sub(2));
            text.push('\n');
        }
    }
    text
}
