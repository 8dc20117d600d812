//! The bar over the plots of a tab.

use eframe::egui::{ComboBox, RichText, Role, Slider, Ui, WidgetInfo};

use super::curves::{CurveView, RewardBand};
use super::plot::XAxis;
use super::scene::Scene;

/// What all plots of a tab share: axis, smoothing, band.
pub fn curve_bar_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut CurveView) {
    ui.horizontal_wrapped(|ui| {
        let mut axis = view.linked.axis();
        let combo = ComboBox::from_id_salt("x axis").selected_text(axis.word()).show_ui(ui, |ui| {
            for other in XAxis::ALL {
                ui.selectable_value(&mut axis, other, other.word());
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Horizontal axis"));
        combo.response.on_hover_text(
            "Shared by all plots. Active time leaves pauses out, wall time does not; both are zero where a run began.",
        );
        view.linked.set_axis(axis);
        smoothing_ui(ui, view);
        let combo = ComboBox::from_id_salt("band").selected_text(view.band.name()).width(84.0).show_ui(ui, |ui| {
            for band in RewardBand::ALL {
                ui.selectable_value(&mut view.band, band, band.name());
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Reward band"));
        combo.response.on_hover_text("The band around the mean reward of a group.");
        let follows = view.linked.follows();
        let fit = ui.selectable_label(follows, "Fit all").on_hover_text(
            "Show everything and grow with the run. Zooming or panning a plot frees it; a double click fits again.",
        );
        if fit.clicked() {
            view.linked.follow();
        }
        axis_problem_ui(ui, scene, axis);
    });
}

fn smoothing_ui(ui: &mut Ui, view: &mut CurveView) {
    // The slider is even in how many points are averaged over, 1 / (1 - beta).
    let mut exponent = -(1.0 - view.smoothing).log10();
    let slider = Slider::new(&mut exponent, 0.0..=3.0)
        .custom_formatter(|e, _| format!("{:.3}", 1.0 - 10.0_f64.powf(-e)))
        .custom_parser(|text| text.parse::<f64>().ok().map(|beta| -(1.0 - beta.clamp(0.0, 0.999)).log10()))
        .text("smoothing");
    let response = ui.add(slider).on_hover_text(
        "Debiased exponential mean with this beta, computed on all points before they are thinned, so that it does not \
         depend on the zoom. The raw line stays behind.",
    );
    if response.changed() {
        view.smoothing = if exponent < 1e-6 { 0.0 } else { 1.0 - 10.0_f64.powf(-exponent) };
    }
}

/// Runs that say nothing of the chosen axis are named, and not drawn at a wrong place.
fn axis_problem_ui(ui: &mut Ui, scene: Scene<'_>, axis: XAxis) {
    let reason = match axis {
        XAxis::ImagesSeen => "without the settings of marscope do not tell how many images they saw",
        XAxis::WallTime => "of before 0.1 or of other tools do not tell their wall time",
        XAxis::Iteration | XAxis::ActiveTime => return,
    };
    ui.label(RichText::new("some runs may be left out").small().color(scene.theme.faint))
        .on_hover_text(format!("Runs {reason}; they are left out."));
}
