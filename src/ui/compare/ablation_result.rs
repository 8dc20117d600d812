//! The table of an ablation: a row a variant, each measure as mean and interval with its difference to the baseline.

use eframe::egui::{self, Color32, FontId, RichText, TextStyle, Ui};

use super::ablating::AblationTable;
use super::grid::{CAPTION, Grid, grid_ui, padded};
use super::number::{NOTHING, estimate};
use crate::runs::report::{Better, Measure, MeasureRow, VariantRow};
use crate::ui::theme::Theme;

/// The measures that have a column.
pub const MEASURES: [Measure; 8] = [
    Measure::FinalReward,
    Measure::Gain,
    Measure::FinalHeldOut,
    Measure::ImageDiversityKept,
    Measure::FinalKl,
    Measure::GradientNorm,
    Measure::GradientVariation,
    Measure::SecondsPerIteration,
];

/// Heading of a column, clear without the heading of the measure's group.
#[must_use]
pub const fn heading(measure: Measure) -> &'static str {
    match measure {
        Measure::FinalReward => "Final reward",
        Measure::Gain => "Gain",
        Measure::FinalHeldOut => "Held-out",
        Measure::ImageDiversityKept => "Diversity kept",
        Measure::FinalKl => "KL",
        Measure::GradientNorm => "Gradient norm",
        Measure::GradientVariation => "Its variation",
        Measure::SecondsPerIteration => "s / iteration",
        other => other.name(),
    }
}

/// What is known about `measure` of a variant.
#[must_use]
pub fn of(row: &VariantRow, measure: Measure) -> Option<&MeasureRow> {
    row.measures.iter().find(|of| of.measure == measure)
}

/// Mean with its interval.
#[must_use]
pub fn mean(of: &MeasureRow) -> String {
    of.estimate.mean.map_or_else(|| NOTHING.into(), |mean| estimate(mean, of.estimate.interval, false))
}

/// The difference to the baseline, with a star where its interval does not hold zero.
#[must_use]
pub fn difference(of: &MeasureRow) -> Option<String> {
    let difference = of.difference.as_ref()?;
    let text = estimate(difference.mean?, difference.interval, true);
    let clear = difference.interval.is_some_and(|interval| interval.excludes_zero());
    Some(format!("\u{394} {text}{}", if clear { " *" } else { "" }))
}

fn colour(theme: &Theme, of: &MeasureRow) -> Color32 {
    let Some(difference) = &of.difference else { return theme.faint };
    let clear = difference.interval.is_some_and(|interval| interval.excludes_zero());
    let up = difference.mean.is_some_and(|mean| mean > 0.0);
    match (clear, of.measure.better(), up) {
        (false, ..) | (true, Better::Neither, _) => theme.faint,
        (true, Better::Higher, true) | (true, Better::Lower, false) => theme.good,
        (true, ..) => theme.bad,
    }
}

/// How the cells are read.
#[must_use]
pub fn meaning(baseline: &str) -> String {
    format!(
        "Mean [95 % interval] over the finished runs; \u{394} is the difference to {baseline} in pairs of prompt and seed, with \
         a star where its interval does not hold zero."
    )
}

/// Draws the table and what makes the comparison doubtful.
pub fn result_ui(ui: &mut Ui, theme: &Theme, table: &AblationTable) {
    let font = TextStyle::Body.resolve(ui.style());
    let small = FontId::proportional(CAPTION);
    let wide =
        |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x;
    let narrow =
        |text: &str| ui.painter().layout_no_wrap(text.to_owned(), small.clone(), Color32::WHITE).size().x;
    let first = table
        .rows
        .iter()
        .map(|row| wide(&row.variant).max(narrow(&row.runs.words())))
        .fold(wide("Variant"), f32::max);
    let mut widths = vec![padded(first)];
    widths.extend(MEASURES.map(|measure| {
        let cells = table.rows.iter().filter_map(|row| of(row, measure));
        let widest = cells.map(|of| wide(&mean(of)).max(difference(of).map_or(0.0, |text| narrow(&text))));
        padded(widest.fold(wide(heading(measure)), f32::max))
    }));
    let grid = Grid {
        name: "ablation result",
        widths: &widths,
        head: 24.0,
        row: 40.0,
        rows: table.rows.len(),
        line: theme.line,
    };
    grid_ui(ui, grid, &mut |ui, place| match (place.row, place.column.checked_sub(1)) {
        (None, None) => drop(ui.strong("Variant")),
        (None, Some(column)) => {
            if let Some(measure) = MEASURES.get(column) {
                ui.strong(heading(*measure)).on_hover_text(measure.definition());
            }
        }
        (Some(row), column) => {
            let Some(row) = table.rows.get(row) else { return };
            match column {
                None => name_ui(ui, theme, row),
                Some(column) => {
                    if let Some(of) = MEASURES.get(column).and_then(|measure| of(row, *measure)) {
                        cell_ui(ui, theme, of, &table.baseline);
                    }
                }
            }
        }
    });
    ui.colored_label(theme.faint, meaning(&table.baseline));
    for remark in &table.remarks {
        ui.colored_label(theme.warning, remark);
    }
}

fn name_ui(ui: &mut Ui, theme: &Theme, row: &VariantRow) {
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        let name =
            if row.is_baseline { RichText::new(&row.variant).strong() } else { RichText::new(&row.variant) };
        ui.add(egui::Label::new(name).truncate());
        let lost = row.runs.finished < row.runs.all || row.not_finite > 0;
        let colour = if lost { theme.bad } else { theme.faint };
        let words = RichText::new(row.runs.words()).size(CAPTION).color(colour);
        ui.label(words).on_hover_text(format!(
            "Runs that finished; only these enter the means. Recorded values that are NaN or infinite: {}.",
            row.not_finite
        ));
    });
}

fn cell_ui(ui: &mut Ui, theme: &Theme, of: &MeasureRow, baseline: &str) {
    let response = ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.label(mean(of));
        if let Some(text) = difference(of) {
            ui.label(RichText::new(text).size(CAPTION).color(colour(theme, of)));
        }
    });
    response.response.on_hover_ui(|ui| {
        ui.label(of.measure.definition());
        let e = &of.estimate;
        ui.label(format!("n = {}, not finite {}, not recorded {}", e.n, e.not_finite, e.missing));
        if let Some(d) = &of.difference {
            let p = d.p.map_or_else(String::new, |p| format!(", p = {p:.3} (sign flips)"));
            ui.label(format!("{} pairs with {baseline}{p}", d.pairs));
        }
    });
}
