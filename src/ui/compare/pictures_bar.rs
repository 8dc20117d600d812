//! What stands above the pictures of several runs: which pictures, how large, the layer over them, and the AR step.

use eframe::egui::{Slider, Ui};

use super::pictures::PicturesView;
use super::source::PictureSource;
use super::zoom::Zoom;
use crate::ui::action::Action;
use crate::ui::data::group::LoadedGroup;
use crate::ui::live::{overlay_bar_ui, steps_ui};
use crate::ui::picture::{PictureStyle, layer_legend_ui, plane_of};
use crate::ui::ranges::range;
use crate::ui::scene::Scene;
use crate::ui::view::{OverlayView, ScaleScope};

/// Panels wider than this have the meaning of the colours beside the AR steps.
const WIDE: f32 = 680.0;
/// Width of the meaning of the colours there.
const LEGEND: f32 = 290.0;

/// Chooses which pictures are shown, how large, and shows whole ones again.
pub(super) fn source_ui(ui: &mut Ui, view: &mut PicturesView, zoom: &mut Zoom) {
    ui.horizontal_wrapped(|ui| {
        for source in PictureSource::ALL {
            ui.selectable_value(&mut view.source, source, source.name()).on_hover_text(source.meaning());
        }
        ui.separator();
        let slider = Slider::new(&mut view.side, 48.0..=320.0).step_by(8.0).show_value(false).text("Size");
        ui.add(slider).on_hover_text(
            "Side of the pictures. Scroll with Ctrl over one to zoom into all of them, drag to move.",
        );
        zoom.reset_ui(ui);
    });
}

/// Chooses the layer over the pictures and the AR step that they are shown at. `held` are the groups of the rows that were
/// read, in their order; the choices are about that of the selected run, or the first.
pub(super) fn layer_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    view: &mut OverlayView,
    held: &[&LoadedGroup],
    out: &mut Vec<Action>,
) {
    let selected = held.iter().find(|group| Some(group.run) == scene.selection.run);
    let group = selected.or(held.first()).copied();
    let ends = group.and_then(|group| {
        let at = (picture(scene, group), plane_of(group, scene.selection.ar_step));
        // Without a finite number there is nothing to put a threshold into.
        let summary = scene.ranges.summary(group, at, view).filter(|summary| summary.finite > 0)?;
        let range = range(summary, view);
        Some((range.low, range.high))
    });
    overlay_bar_ui(ui, scene.theme, view, group, ends);
    let Some(group) = group else { return };
    let has = |group: &LoadedGroup| view.layer.map().is_none_or(|map| group.map(map).is_some());
    let legend_of =
        if has(group) { group } else { held.iter().find(|group| has(group)).copied().unwrap_or(group) };
    if ui.available_width() < WIDE {
        steps_ui(ui, scene, group, view.layer, out);
        legend_ui(ui, scene, (legend_of, held.len()), view);
        return;
    }
    ui.horizontal_top(|ui| {
        let width = ui.available_width() - LEGEND - ui.spacing().item_spacing.x;
        ui.vertical(|ui| {
            ui.set_width(width);
            steps_ui(ui, scene, group, view.layer, out);
        });
        ui.vertical(|ui| legend_ui(ui, scene, (legend_of, held.len()), view));
    });
}

/// The picture whose numbers the choices are about.
fn picture(scene: Scene<'_>, group: &LoadedGroup) -> usize {
    scene.selection.picture.min(group.record.pictures.len().saturating_sub(1))
}

/// What the colours and marks over the pictures mean, and of which run the scale is if each has its own.
fn legend_ui(ui: &mut Ui, scene: Scene<'_>, (group, groups): (&LoadedGroup, usize), view: &OverlayView) {
    let ar_step = scene.selection.ar_step.filter(|step| *step < group.record.ar_steps);
    let picture = picture(scene, group);
    let style = PictureStyle { ar_step, ..PictureStyle::of(view) };
    let scale = layer_legend_ui(ui, scene, group, picture, style);
    if scale.is_none() || view.scale == ScaleScope::Run {
        return;
    }
    let run = scene.runs.get(group.run).map(|run| run.name.clone()).unwrap_or_default();
    let words = match view.scale {
        ScaleScope::Picture => {
            format!("Scale of picture {} of {run}; each picture has its own.", picture + 1)
        }
        _ if groups > 1 => format!("Scale of {run}; each run has its own."),
        _ => return,
    };
    ui.colored_label(scene.theme.faint, words)
        .on_hover_text("Choose the scale over all iterations seen to compare colours between runs.");
}
