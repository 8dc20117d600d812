//! The bar that chooses which numbers of tokens are laid over pictures, and how.

use eframe::egui::{self, Checkbox, ComboBox, Id, Layout, RichText, Slider, SliderClamping, Ui, vec2};

use crate::ui::data::group::{LoadedGroup, Planes};
use crate::ui::number::number;
use crate::ui::overlay::ColourMap;
use crate::ui::ranges::colours;
use crate::ui::theme::Theme;
use crate::ui::view::{Layer, OverlayView, ScaleScope};

/// Chooses layer, opacity, colours, scale and threshold. `group` is what they are laid over, `range` that of its colours.
pub fn overlay_bar_ui(
    ui: &mut Ui,
    theme: &Theme,
    view: &mut OverlayView,
    group: Option<&LoadedGroup>,
    range: Option<(f32, f32)>,
) {
    let scaled = view.layer != Layer::None && !view.layer.is_mask();
    ui.horizontal_wrapped(|ui| {
        // Each part wraps as a whole: a name never stands in another row than what it names.
        part_ui(ui, 150.0, |ui| layer_ui(ui, theme, view, group));
        if scaled {
            // Masks are hatched, which hides nothing.
            part_ui(ui, 150.0, |ui| opacity_ui(ui, view));
            part_ui(ui, 100.0, |ui| colours_ui(ui, view));
            part_ui(ui, 175.0, |ui| scale_ui(ui, view));
            let width = if view.threshold.is_some() { 380.0 } else { 90.0 };
            part_ui(ui, width, |ui| threshold_ui(ui, theme, view, group, range));
        }
        part_ui(ui, 60.0, |ui| {
            ui.checkbox(&mut view.grid, "Grid").on_hover_text("Draw the borders of the tokens over the pictures.");
        });
        if scaled {
            part_ui(ui, 80.0, |ui| {
                ui.checkbox(&mut view.smooth, "Smooth").on_hover_text(
                    "Let colours run smoothly from token to token. Off, each token is one square: that is what was \
                     recorded.",
                );
            });
        }
    });
}

fn part_ui(ui: &mut Ui, width: f32, contents: impl FnOnce(&mut Ui)) {
    let size = vec2(width.min(ui.max_rect().width()), ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(egui::Align::Center), contents);
}

fn layer_ui(ui: &mut Ui, theme: &Theme, view: &mut OverlayView, group: Option<&LoadedGroup>) {
    let missing = group.and_then(|group| why_missing(view.layer, group));
    let mut shown = RichText::new(view.layer.name());
    if missing.is_some() {
        shown = RichText::new(format!("{} (not recorded)", view.layer.name())).color(theme.warning);
    }
    let menu = ComboBox::from_id_salt("overlay layer").width(140.0).selected_text(shown);
    let response = menu.show_ui(ui, |ui| {
        for layer in Layer::ALL {
            let why = group.and_then(|group| why_missing(layer, group));
            let item = egui::Button::selectable(view.layer == layer, layer.name());
            let item = ui.add_enabled(why.is_none(), item).on_hover_text(layer.meaning());
            let item = item.on_disabled_hover_text(why.unwrap_or_default());
            if item.clicked() && view.layer != layer {
                view.layer = layer;
                // A threshold is a number of one map and means nothing in another.
                view.threshold = None;
            }
        }
    });
    let tooltip = match missing {
        Some(why) => format!("{}\n\n{why}", view.layer.meaning()),
        None => view.layer.meaning().to_owned(),
    };
    response.response.accessible_name("Overlay layer").on_hover_text(tooltip);
}

fn opacity_ui(ui: &mut Ui, view: &mut OverlayView) {
    ui.spacing_mut().slider_width = 70.0;
    let percent = |value: f64, _| format!("{:.0} %", 100.0 * value);
    let parse = |text: &str| text.trim_end_matches(['%', ' ']).parse::<f64>().ok().map(|v| v / 100.0);
    let slider = Slider::new(&mut view.opacity, 0.0..=1.0).custom_formatter(percent).custom_parser(parse);
    ui.add(slider)
        .accessible_name("Overlay opacity")
        .on_hover_text("Opacity: how much of the picture the colours hide.");
}

fn colours_ui(ui: &mut Ui, view: &mut OverlayView) {
    ui.add_enabled_ui(!view.layer.is_signed(), |ui| {
        let menu = ComboBox::from_id_salt("overlay colours").width(84.0).selected_text(colours(view).name());
        let response = menu.show_ui(ui, |ui| {
            // Those of unsigned numbers; signed ones always have the diverging one.
            for map in ColourMap::ALL.into_iter().filter(|map| !map.is_diverging()) {
                ui.selectable_value(&mut view.colours, map, map.name()).on_hover_text(map.description());
            }
        });
        response
            .response
            .accessible_name("Colour map")
            .on_hover_text("Colour map, from low to high.")
            .on_disabled_hover_text("Signed numbers have a diverging colour map, centred at zero.");
    });
}

fn scale_ui(ui: &mut Ui, view: &mut OverlayView) {
    ui.label("Scale");
    let menu = ComboBox::from_id_salt("overlay scale").width(126.0).selected_text(view.scale.name());
    let response = menu.show_ui(ui, |ui| {
        for scope in ScaleScope::ALL {
            ui.selectable_value(&mut view.scale, scope, scope.name()).on_hover_text(match scope {
                ScaleScope::Picture => "Each picture has its own range: what stands out within it.",
                ScaleScope::Group => "One range for all pictures of the group: colours can be compared across them.",
                ScaleScope::Run => {
                    "One range for all pictures and iterations looked at so far: colours can be compared over time."
                }
            });
        }
    });
    response
        .response
        .accessible_name("Colour scale")
        .on_hover_text("Over what the range of colours is taken: equal colours are equal numbers within it.");
}

fn threshold_ui(
    ui: &mut Ui,
    theme: &Theme,
    view: &mut OverlayView,
    group: Option<&LoadedGroup>,
    range: Option<(f32, f32)>,
) {
    let range = range.filter(|(low, high)| low < high);
    let mut on = view.threshold.is_some();
    let toggle = ui
        .add_enabled(on || range.is_some(), Checkbox::new(&mut on, "Threshold"))
        .on_hover_text("Colour only tokens at or above a number of the map.")
        .on_disabled_hover_text("The map has no two different numbers to put a threshold between.");
    if toggle.changed() {
        view.threshold = range.filter(|_| on).map(|(low, high)| f32::midpoint(low, high));
    }
    let (Some(threshold), Some((low, high))) = (view.threshold.as_mut(), range) else { return };
    ui.spacing_mut().slider_width = 90.0;
    let slider = Slider::new(threshold, low..=high)
        .clamping(SliderClamping::Never)
        .custom_formatter(|value, _| number(value));
    ui.add(slider)
        .accessible_name("Threshold of the map")
        .on_hover_text("Threshold, in the range of the map. Compare it with the top k that MTE selects.");
    let at = *threshold;
    if let Some(planes) = group.zip(view.layer.map()).and_then(|(group, map)| group.map(map)) {
        let counts = counts_of(ui, planes, at);
        ui.label(RichText::new(counts.words()).color(theme.faint))
            .on_hover_text(counts.tooltip(planes.count));
    }
}

/// Tokens on either side of a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    above: usize,
    all: usize,
    /// Tokens without a number there.
    nan: usize,
}

impl Counts {
    fn of(planes: &Planes, threshold: f32) -> Self {
        let values = planes.planes.iter().flat_map(|plane| plane.values());
        values.fold(Self::default(), |counts, value| Self {
            above: counts.above + usize::from(*value >= threshold),
            all: counts.all + 1,
            nan: counts.nan + usize::from(value.is_nan()),
        })
    }

    fn words(self) -> String {
        format!("{} of {} tokens", self.above, self.all)
    }

    fn tooltip(self, planes: usize) -> String {
        let what = if planes > 1 {
            format!("tokens of the group at or above the threshold, over all {planes} trained AR steps")
        } else {
            "tokens of the group at or above the threshold".to_owned()
        };
        let nan = if self.nan == 0 { String::new() } else { format!("; {} have no number there", self.nan) };
        format!("{} of {} {what}{nan}.", self.above, self.all)
    }
}

/// Counted anew only when the map or the threshold changed.
fn counts_of(ui: &Ui, planes: &Planes, threshold: f32) -> Counts {
    type Kept = ((u64, usize, u32), Counts);
    let id = Id::unique("tokens at or above the threshold");
    let key = (planes.planes.first().map_or(0, |plane| plane.id()), planes.planes.len(), threshold.to_bits());
    if let Some((_, counts)) = ui.data(|data| data.get_temp::<Kept>(id)).filter(|(kept, _)| *kept == key) {
        return counts;
    }
    let counts = Counts::of(planes, threshold);
    ui.data_mut(|data| data.insert_temp::<Kept>(id, (key, counts)));
    counts
}

/// Why `layer` cannot be shown over `group`; `None` if it can.
fn why_missing(layer: Layer, group: &LoadedGroup) -> Option<String> {
    let map = layer.map()?;
    if group.map(map).is_some() {
        return None;
    }
    if group.record.maps.iter().any(|record| record.name == map) {
        return Some(format!("It was recorded and cannot be read: {}.", group.problems.join("; ")));
    }
    Some(match layer {
        Layer::Uncertainty | Layer::MteMask => {
            "Multi-trajectory expectation (MTE) was off at this iteration: without trajectories there is no uncertainty."
        }
        Layer::CosineGain | Layer::Consistency => {
            "Consistency-aware selection was off at this iteration, so that no token was compared with its final latent."
        }
        Layer::LossShare | Layer::Kl => "This iteration has no update, so that no loss was computed for its tokens.",
        Layer::Order | Layer::None => "The order of tokens was not recorded.",
    }.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ui::overlay::{TokenMap, ValueSummary};

    #[test]
    fn tokens_at_the_threshold_count_and_those_without_a_number_do_not() {
        let values = vec![0.0, 0.5, f32::NAN, f32::INFINITY];
        let summary = ValueSummary::of(&values);
        let map = TokenMap::new(2, values).unwrap();
        let planes = Planes { count: 1, planes: vec![Arc::new(map)], summary };
        assert_eq!(Counts::of(&planes, 0.5), Counts { above: 2, all: 4, nan: 1 });
        assert!(Counts::of(&planes, 0.5).tooltip(1).ends_with("; 1 have no number there."));
    }
}
