//! Tables of the report's page.

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
    Group::ALL.into_iter().map(|group| table(ablation, &rows, group)).collect()
}

fn table(ablation: &Ablation, rows: &[VariantRow], group: Group) -> String {
    let measures: Vec<Measure> = Measure::ALL.into_iter().filter(|m| m.group() == group).collect();
    let mut page = format!(
        "<div class=\"wide\"><table><caption>{}</caption>\n<thead><tr><th scope=\"col\">variant</th>\
         <th scope=\"col\">runs finished</th>",
        escape(group.title())
    );
    for measure in &measures {
        let unit = if measure.unit().is_empty() { String::new() } else { format!(" ({})", measure.unit()) };
        page += &format!("<th scope=\"col\">{}</th>", escape(&(capitalised(measure.name()) + &unit)));
    }
    page += "</tr></thead>\n<tbody>\n";
    for row in rows {
        page += &format!("<tr><th scope=\"row\">{}</th><td>{}", escape(&row.variant), row.runs.words());
        if row.not_finite > 0 {
            page += &format!("<small>{} values not finite</small>", row.not_finite);
        }
        page += "</td>";
        for of in row.measures.iter().filter(|of| measures.contains(&of.measure)) {
            page += &format!("<td class=\"n\">{}</td>", cell(of, &ablation.baseline));
        }
        page += "</tr>\n";
    }
    page + "</tbody></table></div>\n"
}

fn cell(of: &MeasureRow, baseline: &str) -> String {
    let mut page = mean(&of.estimate);
    if let Some(difference) = &of.difference {
        page += &format!("<small>{}</small>", escape_minus(&to_baseline(difference, baseline)));
    }
    page
}

fn mean(of: &Estimate) -> String {
    let mut page = match of.mean {
        Some(mean) => escape_minus(&estimate(mean, of.interval, false)),
        None => "\u{2013}".to_owned(),
    };
    let mut notes = vec![format!("n = {}", of.n)];
    if of.n == 1 {
        notes.push("no interval of one run".into());
    }
    for (count, what) in [(of.not_finite, "not finite"), (of.missing, "not recorded")] {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    }
    page += &format!("<small>{}</small>", notes.join(", "));
    page
}

/// Escaped, and with the typographic minus.
fn escape_minus(text: &str) -> String {
    escape(text).replace('-', "\u{2212}")
}

/// The difference in words.
fn to_baseline(of: &Difference, baseline: &str) -> String {
    // A hyphen of a name is no minus.
    let baseline = baseline.replace('-', "\u{2010}");
    let Some(mean) = of.mean else { return format!("no pair with {baseline}") };
    let mut words = format!("{} to {baseline}", estimate(mean, of.interval, true));
    let pairs = if of.pairs == 1 { "1 pair".to_owned() } else { format!("{} pairs", of.pairs) };
    words += &format!(", {pairs}");
    if let Some(p) = of.p.filter(|_| of.pairs > 1) {
        words += &format!(", {}", p_value(p));
    }
    if of.interval.is_some_and(|interval| interval.excludes_zero()) {
        words.push_str(" *");
    }
    words
}

/// The settings that differ.
#[must_use]
pub(super) fn settings(rows: &[SettingRow]) -> String {
    let Some(first) = rows.first() else {
        return "<p>No recorded setting differs between the runs, apart from prompts and seeds.</p>\n".to_owned();
    };
    let mut page = "<div class=\"wide\"><table><caption>Settings that differ between variants</caption>\n\
                    <thead><tr><th scope=\"col\">setting</th>"
        .to_owned();
    for (variant, _) in &first.values {
        page += &format!("<th scope=\"col\">{}</th>", escape(variant));
    }
    page += "</tr></thead>\n<tbody>\n";
    for row in rows {
        page += &format!("<tr><th scope=\"row\"><code>{}</code></th>", escape(&row.setting));
        for (_, values) in &row.values {
            let words = if values.is_empty() { "unknown".to_owned() } else { values.join(" | ") };
            page += &format!("<td>{}</td>", escape(&words));
        }
        page += "</tr>\n";
    }
    page + "</tbody></table></div>\n"
}
