//! The histogram of uncertainty.

use super::drawing::{Drawing, LINE, MARGIN, RULE};
use super::job::Job;
use super::picture::about;
use super::table::{Cell, Table};
use super::tokens::recorded;
use super::{Format, Shown, not_as};
use crate::ui::action::Content;
use crate::ui::inspect::Inspected;
use crate::ui::inspect::brush::{Brush, threshold};
use crate::ui::inspect::facts::values;
use crate::ui::inspect::histogram::Bins;
use crate::ui::inspect::number::setting;
use crate::ui::inspect::what_if::Settings;
use crate::ui::number::reading;
use crate::ui::plot::{Scale, ticks};

/// Size of the area with the bars.
const PLOT: [f64; 2] = [540.0, 240.0];
/// Room for the numbers at the left.
const LEFT: f64 = 56.0;

pub(super) fn job(what: &Shown<'_>, input: Inspected<'_>, format: Format) -> Result<Job, String> {
    let Some(of_picture) = values(input.group, "uncertainty", input.picture()) else {
        return Err(
            "No uncertainty was measured at this iteration: multi-trajectory expectation was off.".to_owned()
        );
    };
    let all: Vec<f32> = if what.inspect.whole_group {
        let pictures = 0..input.group.record.pictures.len();
        pictures.filter_map(|p| values(input.group, "uncertainty", p)).flatten().copied().collect()
    } else {
        of_picture.to_vec()
    };
    let bins = Bins::new(&all);
    match format {
        Format::Csv => Ok(Job::of_table(table(&bins), format)),
        Format::Png => Err(not_as(format)),
        Format::Svg => {
            let settings = what.inspect.tried.over(Settings::recorded(recorded(what, input.group).as_ref()));
            let edge = threshold(of_picture, settings.selection, settings.share);
            let mut notes = about(what, input);
            if what.inspect.whole_group {
                notes.push("tokens of all pictures of the group".to_owned());
            }
            if let Some(edge) = edge {
                let edge = reading(f64::from(edge));
                notes.push(format!(
                    "dashed: threshold of k = {} in this picture, {edge}",
                    setting(settings.share)
                ));
            }
            if let Some(brush) = what.inspect.brush {
                let held = all.iter().filter(|u| brush.holds(**u)).count();
                let (low, high) = (reading(brush.low), reading(brush.high));
                notes.push(format!("brushed: {low} to {high}, {held} of {} tokens", all.len()));
            }
            if bins.not_finite > 0 {
                notes.push(format!("{} without a finite uncertainty, in no bar", bins.not_finite));
            }
            let brush = what.inspect.brush;
            Ok(Job::new(move || Ok(Content::Svg(chart(&bins, (edge, brush), &notes)))))
        }
    }
}

fn table(bins: &Bins) -> Table {
    let mut table = Table::new("Uncertainty histogram", Vec::new(), &["from", "to", "tokens"]);
    for (place, count) in bins.counts.iter().enumerate() {
        let from = bins.low + place as f64 * bins.width;
        table.rows.push(vec![Cell::Number(from), Cell::Number(from + bins.width), Cell::Whole(*count)]);
    }
    if bins.not_finite > 0 {
        // What is not finite is in no bin, and not forgotten.
        table.rows.push(vec![Cell::Number(f64::NAN), Cell::Number(f64::NAN), Cell::Whole(bins.not_finite)]);
    }
    table
}

fn chart(bins: &Bins, (edge, brush): (Option<f32>, Option<Brush>), notes: &[String]) -> String {
    let title = "Uncertainty histogram";
    let mut drawing = Drawing::default();
    let top = drawing.heading(title, notes);
    let bottom = top + PLOT[1];
    let most = bins.counts.iter().copied().max().unwrap_or(0).max(1) as f64 * 1.05;
    let (low, high) = (bins.low, bins.high());
    let x = |value: f64| MARGIN + LEFT + ((value - low) / (high - low)).clamp(0.0, 1.0) * PLOT[0];
    let y = |count: f64| bottom - count / most * PLOT[1];
    for tick in ticks(Scale::Linear, 0.0, most, 6) {
        drawing.line([x(low), y(tick.at)], [x(high), y(tick.at)], RULE);
        drawing.placed([x(low) - 7.0, y(tick.at) + 4.0], "end", "font-size=\"11\"", &tick.label);
    }
    if let Some(brush) = brush {
        let (from, to) = (x(brush.low), x(brush.high));
        let fill = "fill=\"#F0E442\" fill-opacity=\"0.5\" stroke=\"#1a1a1a\" stroke-width=\"0.8\"";
        drawing.area([from, top], [to - from, PLOT[1]], fill);
    }
    for (place, count) in bins.counts.iter().enumerate() {
        let from = x(low + place as f64 * bins.width);
        let width = 0.92 * PLOT[0] / bins.counts.len().max(1) as f64;
        let height = *count as f64 / most * PLOT[1];
        drawing.area([from, bottom - height], [width, height], "fill=\"#0072B2\"");
    }
    for tick in ticks(Scale::Linear, low, high, 8) {
        drawing.line([x(tick.at), bottom], [x(tick.at), bottom + 4.0], "stroke=\"#1a1a1a\"");
        drawing.placed([x(tick.at), bottom + 17.0], "middle", "font-size=\"11\"", &tick.label);
    }
    if let Some(edge) = edge.filter(|edge| edge.is_finite()) {
        let at = x(f64::from(edge));
        drawing.line(
            [at, top],
            [at, bottom],
            "stroke=\"#D55E00\" stroke-width=\"1.6\" stroke-dasharray=\"6 4\"",
        );
    }
    drawing.line([x(low), bottom], [x(high), bottom], "stroke=\"#1a1a1a\"");
    let below = bottom + 17.0 + LINE;
    drawing.placed([x(f64::midpoint(low, high)), below], "middle", "", "uncertainty (latent units)");
    drawing.size = [drawing.size[0] + 10.0, below];
    let turned = format!("text-anchor=\"middle\" transform=\"rotate(-90 22 {:.1})\"", bottom - PLOT[1] / 2.0);
    drawing.text([22.0, bottom - PLOT[1] / 2.0], 11.0, &turned, "tokens");
    drawing.finish(title)
}
