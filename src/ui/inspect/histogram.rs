//! The histogram of uncertainty: a brush selects tokens, and is compared with k.

use eframe::egui::{self, Sense, Ui};
use egui_plot::{Bar, BarChart, LineStyle, Plot, Span, VLine};

use super::brush::{Brush, selected_by, share_of, threshold};
use super::curve::{axes, legend_ui};
use super::facts::values;
use super::inspected::Inspected;
use super::number::{per_cent, setting};
use super::state::InspectView;
use crate::rl::config::Selection;
use crate::ui::action::Action;
use crate::ui::number::counted;
use crate::ui::number::reading;
use crate::ui::overlay::brushed_colour;

/// Numbers sorted into bins of equal width.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    /// Least number.
    pub low: f64,
    /// Width of a bin.
    pub width: f64,
    /// Numbers in each.
    pub counts: Vec<usize>,
    /// Numbers that are not finite, in no bin.
    pub not_finite: usize,
}

impl Bins {
    /// Of `numbers`; as many bins as the square root of the numbers, 8 to 64.
    #[must_use]
    pub fn new(numbers: &[f32]) -> Self {
        let finite = || numbers.iter().copied().filter(|n| n.is_finite()).map(f64::from);
        let held = finite().count();
        let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), n| (l.min(n), h.max(n)));
        let (low, high) = if held == 0 { (0.0, 1.0) } else { (low, high) };
        let bins = (held.isqrt() * 2).clamp(8, 64);
        // All numbers equal: one bin holds them, whatever its width.
        let width = if high > low { (high - low) / bins as f64 } else { low.abs().max(1e-6) / bins as f64 };
        let mut counts = vec![0; bins];
        for number in finite() {
            if let Some(bin) = counts.get_mut((((number - low) / width) as usize).min(bins - 1)) {
                *bin += 1;
            }
        }
        Self { low, width, counts, not_finite: numbers.len() - held }
    }

    fn bars(&self, colour: egui::Color32) -> Vec<Bar> {
        let bar = |(place, count): (usize, &usize)| {
            let middle = self.low + (place as f64 + 0.5) * self.width;
            let bar = Bar::new(middle, *count as f64).width(0.92 * self.width).fill(colour);
            bar.stroke(egui::Stroke::NONE).name(format!("up to {}", reading(middle + 0.5 * self.width)))
        };
        self.counts.iter().enumerate().map(bar).collect()
    }

    /// The end of the last bin.
    #[must_use]
    pub const fn high(&self) -> f64 {
        self.low + self.width * self.counts.len() as f64
    }
}

/// What the panel goes by.
struct Shown {
    of_picture: Vec<f32>,
    all: Vec<f32>,
    selection: Selection,
    share: f64,
    edge: Option<f32>,
}

/// Draws the panel.
pub fn histogram_ui(ui: &mut Ui, input: Inspected<'_>, view: &mut InspectView) -> Vec<Action> {
    let Some(of_picture) = values(input.group, "uncertainty", input.picture()) else {
        ui.label(
            "Multi-trajectory expectation was off at this iteration, so no uncertainty was measured. It is the standard \
             deviation over the S trajectories.",
        );
        return Vec::new();
    };
    let settings = view.settings(&input);
    let pictures = 0..input.group.record.pictures.len();
    let all = if view.whole_group {
        pictures.filter_map(|p| values(input.group, "uncertainty", p)).flatten().copied().collect()
    } else {
        of_picture.to_vec()
    };
    let edge = threshold(of_picture, settings.selection, settings.share);
    let of_picture = of_picture.to_vec();
    let shown = Shown { of_picture, all, selection: settings.selection, share: settings.share, edge };
    let bins = Bins::new(&shown.all);
    controls_ui(ui, view, (&shown, &bins));
    egui::ScrollArea::vertical().id_salt("inspect histogram").auto_shrink(false).show(ui, |ui| {
        let height = (ui.available_height() - 110.0).clamp(110.0, 320.0);
        plot_ui(ui, (input, height), view, (&shown, &bins));
        if bins.not_finite > 0 {
            let text = format!(
                "{} without a finite uncertainty, in no bar; NaN counts as the largest.",
                counted(bins.not_finite, "token")
            );
            ui.colored_label(input.scene.theme.warning, text);
        }
        words_ui(ui, view, &shown);
    });
    Vec::new()
}

fn controls_ui(ui: &mut Ui, view: &mut InspectView, (shown, bins): (&Shown, &Bins)) {
    ui.horizontal_wrapped(|ui| {
        ui.checkbox(&mut view.whole_group, "All pictures of the group")
            .on_hover_text("Off: the tokens of the picture that is shown.");
        let Some(mut brush) = view.brush else {
            let button = ui.button("Brush from the threshold up").on_hover_text(
                "Brushes the tokens that k selects. Or drag over the histogram: brushed tokens are outlined in the picture \
                 and marked in the token list.",
            );
            if button.clicked() {
                let edge = shown.edge.map_or(bins.low, f64::from);
                view.brush = Some(match shown.selection {
                    Selection::Stable => Brush::between(bins.low, edge),
                    _ => Brush::between(edge, bins.high()),
                });
            }
            return;
        };
        let speed = bins.width * 0.1;
        let ends = [(&mut brush.low, "Brush from", "from "), (&mut brush.high, "Brush to", "to ")];
        let mut changed = false;
        for (end, name, prefix) in ends {
            let drag = egui::DragValue::new(end).speed(speed).prefix(prefix).max_decimals(4);
            let response = ui.add(drag).on_hover_text("An end of the brushed range of uncertainty. Drag, or click to type.");
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, name));
            changed |= response.changed();
        }
        if changed && brush.low.is_finite() && brush.high.is_finite() {
            view.brush = Some(Brush::between(brush.low, brush.high));
        }
        if ui.button("Clear brush").on_hover_text("No token is brushed any more.").clicked() {
            view.brush = None;
        }
    });
}

fn plot_ui(
    ui: &mut Ui,
    (input, height): (Inspected<'_>, f32),
    view: &mut InspectView,
    (shown, bins): (&Shown, &Bins),
) {
    let (theme, brushed) = (input.scene.theme, brushed_colour());
    let (x, y) = axes("uncertainty (latent units)", "tokens");
    let threshold = format!("threshold of k = {}", setting(shown.share));
    let mut entries = vec![("tokens", (input.colour)(0))];
    if shown.edge.is_some() {
        entries.push((&threshold, theme.warning));
    }
    if view.brush.is_some() {
        entries.push(("brush", brushed));
    }
    legend_ui(ui, &entries);
    let plot = Plot::new("uncertainty histogram")
        .height(height)
        .custom_x_axes(x)
        .custom_y_axes(y)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .sense(Sense::click_and_drag())
        .grid_color(theme.line)
        .include_y(0.0);
    let drawn = plot.show(ui, |plot| {
        if let Some(brush) = view.brush {
            let span = Span::new("", brush.low..=brush.high).fill(brushed.gamma_multiply(0.4));
            // Yellow alone is not seen on white.
            plot.add(span.border_color(theme.text).border_width(1.0));
        }
        let bars = bins.bars((input.colour)(0));
        plot.add(BarChart::new("tokens", bars).color((input.colour)(0)));
        if let Some(edge) = shown.edge {
            let line = VLine::new(threshold.clone(), f64::from(edge)).color(theme.warning).width(2.0);
            plot.add(line.style(LineStyle::dashed_loose()));
        }
    });
    let response = &drawn.response;
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "Histogram of uncertainty"));
    let at = |pos: egui::Pos2| drawn.transform.value_from_position(pos).x;
    if response.drag_started() {
        view.brush_start = ui.input(|i| i.pointer.press_origin()).map(at);
    }
    if let (Some(start), Some(now), true) =
        (view.brush_start, response.interact_pointer_pos(), response.dragged())
    {
        view.brush = Some(Brush::between(start, at(now)));
    }
    if response.drag_stopped() {
        view.brush_start = None;
    }
}

/// The brush and k in words.
fn words_ui(ui: &mut Ui, view: &mut InspectView, shown: &Shown) {
    let tokens = shown.of_picture.len();
    let edge = shown.edge.map_or_else(
        || "This selection does not go by uncertainty, so k has no threshold.".into(),
        |edge| {
            let held = selected_by(&shown.of_picture, shown.selection, f64::from(edge));
            format!(
                "k = {} has its threshold at {} in this picture: {held} of {tokens} tokens.",
                setting(shown.share),
                reading(f64::from(edge))
            )
        },
    );
    ui.label(edge);
    let Some(brush) = view.brush else { return };
    let within = |numbers: &[f32]| numbers.iter().filter(|u| brush.holds(**u)).count();
    let (here, all) = (within(&shown.of_picture), within(&shown.all));
    let of_group = if view.whole_group {
        format!(", {all} of {} of the group ({})", shown.all.len(), per_cent(all, shown.all.len()))
    } else {
        String::new()
    };
    let of_picture = format!("{here} of {tokens} tokens of this picture ({})", per_cent(here, tokens));
    ui.label(format!("Brushed: {of_picture}{of_group}."));
    let (end, name) = match shown.selection {
        Selection::Stable => (brush.high, "upper"),
        _ => (brush.low, "lower"),
    };
    let selection =
        if shown.selection == Selection::Stable { Selection::Stable } else { Selection::Uncertain };
    let held = selected_by(&shown.of_picture, selection, end);
    let k = share_of(held, tokens);
    ui.horizontal_wrapped(|ui| {
        ui.label(format!(
            "Its {name} end, {}, as a threshold would select {held}: k = {}.",
            reading(end),
            setting((k * 1e4).round() / 1e4)
        ));
        let button = ui.add_enabled(held > 0, egui::Button::new("Try this k"));
        let button =
            button.on_hover_text("Shows what would change with this k in the panel What would change.");
        if button.on_disabled_hover_text("No token is selected, and k is at least one token.").clicked() {
            view.tried.share = Some(k);
            view.tried.selection = Some(selection);
        }
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bins_hold_every_finite_number_and_count_the_rest() {
        let bins = Bins::new(&[0.0, 1.0, 1.0, 8.0, f32::NAN, f32::INFINITY]);
        assert_eq!((bins.low, bins.width, bins.not_finite), (0.0, 1.0, 2));
        assert_eq!(bins.counts, [1, 2, 0, 0, 0, 0, 0, 1]);
        assert_eq!(Bins::new(&[0.5, 0.5]).counts, [2, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Bins::new(&[f32::NAN]).counts.iter().sum::<usize>(), 0);
    }

    proptest! {
        #[test]
        fn no_number_is_lost(numbers in prop::collection::vec(-1e3f32..1e3, 0..300)) {
            let bins = Bins::new(&numbers);
            prop_assert_eq!(bins.counts.iter().sum::<usize>() + bins.not_finite, numbers.len());
            prop_assert!(bins.width > 0.0);
        }
    }
}
