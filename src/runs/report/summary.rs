//! The report in a terminal.

use super::ablation::{Ablation, VariantRow};
use super::format::{estimate, p_value};
use super::measure::Measure;
use super::remarks::remarks;

/// Measures that have a column.
const COLUMNS: [(Measure, &str); 6] = [
    (Measure::FinalReward, "final reward"),
    (Measure::Gain, "gain"),
    (Measure::HeldOutGain, "held-out gain"),
    (Measure::ImageDiversityKept, "diversity kept"),
    (Measure::GradientVariation, "gradient variation"),
    (Measure::SecondsPerIteration, "s/iteration"),
];

/// A table with a row a variant, the runs that failed or did not finish, and the remarks.
#[must_use]
pub fn summary(ablation: &Ablation) -> String {
    let mut head = vec!["variant".to_owned(), "runs".to_owned()];
    for (measure, name) in COLUMNS {
        head.push(name.to_owned());
        if measure == Measure::Gain {
            head.push(format!("gain - that of {}", ablation.baseline));
        }
    }
    let mut rows = vec![head];
    rows.extend(ablation.rows().iter().map(fields));
    let mut text = aligned(&rows);
    text += "\nMean [95 % interval] over finished runs; difference in pairs of prompt and seed.\n";
    for cell in ablation.cells.iter().filter(|cell| !cell.finished()) {
        text += &format!("{}: {}, {}\n", cell.outcome.word(), cell.label(), cell.outcome.reason());
    }
    for remark in remarks(ablation) {
        text += &format!("note: {remark}\n");
    }
    text
}

fn fields(row: &VariantRow) -> Vec<String> {
    let mut fields = vec![row.variant.clone(), row.runs.words()];
    for (measure, _) in COLUMNS {
        let Some(of) = row.measures.iter().find(|of| of.measure == measure) else { continue };
        let mut text = of
            .estimate
            .mean
            .map_or_else(|| "-".to_owned(), |mean| estimate(mean, of.estimate.interval, false));
        for (count, what) in [(of.estimate.not_finite, "not finite"), (of.estimate.missing, "missing")] {
            if count > 0 {
                text += &format!(" ({count} {what})");
            }
        }
        fields.push(text);
        if measure == Measure::Gain {
            fields.push(match of.difference.as_ref().and_then(|d| d.mean.map(|mean| (d, mean))) {
                Some((difference, mean)) => {
                    let p = difference.p.filter(|_| difference.pairs > 1);
                    let p = p.map_or_else(String::new, |p| format!(", {}", p_value(p)));
                    format!("{}{p}", estimate(mean, difference.interval, true))
                }
                None => "-".to_owned(),
            });
        }
    }
    fields
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
        let line: String =
            row.iter().zip(&widths).map(|(field, width)| format!("{field:<width$}  ")).collect();
        text += line.trim_end();
        text.push('\n');
        if i == 0 {
            text += &"-".repeat(widths.iter().map(|width| width + 2).sum::<usize>().saturating_sub(2));
            text.push('\n');
        }
    }
    text
}
