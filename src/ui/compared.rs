//! Which number a plot draws of every run of a comparison.

use eframe::egui::{ComboBox, Role, Ui, WidgetInfo};

use super::compare::groups::RunGroup;
use super::curves::{CurveView, names};
use super::layout::PlotId;
use super::scene::Scene;

/// The series that a comparison draws of every run, and all that could be: one plot never mixes two quantities.
///
/// # Errors
/// If the pattern of the plot of any series is no regular expression.
pub fn compared(
    scene: Scene<'_>,
    plot: PlotId,
    view: &CurveView,
    groups: &[RunGroup],
) -> Result<(Option<String>, Vec<String>), String> {
    let mut all: Vec<String> = Vec::new();
    for run in groups.iter().flat_map(|group| &group.runs).filter_map(|id| scene.runs.get(*id)) {
        for name in names(&run.store, plot, &view.pattern)? {
            if !all.contains(&name) {
                all.push(name);
            }
        }
    }
    let chosen = view.compared.get(&plot).filter(|name| all.contains(name)).or_else(|| all.first()).cloned();
    Ok((chosen, all))
}

/// Which series a plot of a comparison draws.
pub fn compared_ui(ui: &mut Ui, scene: Scene<'_>, plot: PlotId, view: &mut CurveView, groups: &[RunGroup]) {
    let Ok((Some(chosen), all)) = compared(scene, plot, view, groups) else { return };
    let mut now = chosen.clone();
    let combo = ComboBox::from_id_salt(("compared", plot)).selected_text(&chosen).width(130.0).truncate();
    let combo = combo.show_ui(ui, |ui| {
        for name in all {
            ui.selectable_value(&mut now, name.clone(), name);
        }
    });
    let name = format!("Series of {}", plot.title());
    combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, &name));
    combo.response.on_hover_text("The number that is drawn of every run.");
    if now != chosen {
        view.compared.insert(plot, now);
    }
}
