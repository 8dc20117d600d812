//! Tables of the report's page.

use std::fmt::Write;

use super::ablation::{Ablation, MeasureRow, VariantRow};
use super::figure::escape;
use super::format::{estimate, p_value};
use super::measure::{Group, Measure};
use super::panels::capitalised;
use super::settings::SettingRow;
use super::stats::{Difference, Estimate};

/// A table for each group of measures, over all prompts or one.
#[must_use]
pub(super) fn tables(ablation: &Ablation, prompt: Option<&str>) -> String {
    let rows = ablation.rows_of(prompt);
    Group::ALL.into_iter().map(|group| table(&rows, group)).collect()
}

fn table(rows: &[VariantRow], group: Group) -> String {
    let measures: Vec<Measure> = Measure::ALL.into_iter().filter(|m| m.group() == group).collect();
    let mut page = format!(
        "<div class=\"wide\"><table><caption>{}</caption>\n<thead><tr><th scope=\"col\">variant</th>\
         <th scope=\"col\">runs finished</th>",
        escape(group.title())
    );
    for measure in &measures {
        let unit = if measure.unit().is_empty() { String::new() } else { format!(" ({})", measure.unit()) };
        let _ = write!(page, "<th scope=\"col\">{}</th>", escape(&(capitalised(measure.name()) + &unit)));
    }
    page += "</tr></thead>\n<tbody>\n";
    for row in rows {
        let _ = write!(page, "<tr><th scope=\"row\">{}</th><td>{}", escape(&row.variant), row.runs.words());
        if row.not_finite > 0 {
            let _ = write!(page, "<small>values not finite: {}</small>", row.not_finite);
        }
        page += "</td>";
        for of in row.measures.iter().filter(|of| measures.contains(&of.measure)) {
            let _ = write!(page, "<td class=\"n\">{}</td>", cell(of));
        }
        page += "</tr>\n";
    }
    page + "</tbody></table></div>\n"
}

/// Mean; difference; numbers of runs and pairs.
fn cell(of: &MeasureRow) -> String {
    let mut page = match of.estimate.mean {
        Some(mean) => with_minus(&estimate(mean, of.estimate.interval, false)),
        None => "\u{2013}".to_owned(),
    };
    let mut notes = counts(&of.estimate);
    if let Some(difference) = &of.difference {
        if let Some(mean) = difference.mean {
            let words = with_minus(&estimate(mean, difference.interval, true));
            let clear = difference.interval.is_some_and(|interval| interval.excludes_zero());
            let _ = write!(page, "<small>\u{394} {words}{}</small>", if clear { " *" } else { "" });
        }
        notes.extend(pairs(difference));
    }
    let _ = write!(page, "<small>{}</small>", notes.join(", "));
    page
}

fn counts(of: &Estimate) -> Vec<String> {
    let mut notes = vec![format!("n = {}", of.n)];
    if of.n == 1 {
        notes.push("no interval".into());
    }
    for (what, count) in [("not finite", of.not_finite), ("not recorded", of.missing)] {
        if count > 0 {
            notes.push(format!("{what}: {count}"));
        }
    }
    notes
}

fn pairs(of: &Difference) -> Vec<String> {
    let mut notes = vec![match of.pairs {
        0 => "no pair".to_owned(),
        1 => "1 pair".to_owned(),
        pairs => format!("{pairs} pairs"),
    }];
    notes.extend(of.p.filter(|_| of.pairs > 1).map(|p| escape(&p_value(p))));
    notes
}

/// With the typographic minus.
fn with_minus(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

/// The settings that differ.
#[must_use]
pub(super) fn settings(rows: &[SettingRow]) -> String {
    let Some(first) = rows.first() else {
        return "<p>No recorded setting differs between the runs, apart from prompts and seeds.</p>\n"
            .to_owned();
    };
    let mut page = "<div class=\"wide\"><table><caption>Settings that differ between variants</caption>\n\
                    <thead><tr><th scope=\"col\">setting</th>"
        .to_owned();
    for (variant, _) in &first.values {
        let _ = write!(page, "<th scope=\"col\">{}</th>", escape(variant));
    }
    page += "</tr></thead>\n<tbody>\n";
    for row in rows {
        let _ = write!(page, "<tr><th scope=\"row\"><code>{}</code></th>", escape(&row.setting));
        for (_, values) in &row.values {
            let words = if values.is_empty() { "unknown".to_owned() } else { values.join(" | ") };
            let _ = write!(page, "<td>{}</td>", escape(&words));
        }
        page += "</tr>\n";
    }
    page + "</tbody></table></div>\n"
}
