//! The two pictures of A/B, drawn in each way of comparing them.

use std::sync::Arc;

use eframe::egui::{Align2, CursorIcon, FontId, Label, Rect, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2};

use super::ab::{AbMode, AbView};
use super::source::Held;
use crate::error::Result;
use crate::ui::data::group::LoadedGroup;
use crate::ui::number::signed;
use crate::ui::overlay::{
    ColourMap, Comparison, ImageResponse, ImageView, Overlay, Picture, ScaleBar, Second, ValueRange,
    ValueSummary, image_ui, scale_bar_ui,
};
use crate::ui::picture::{PictureStyle, layer_legend_ui, overlay_of, plane_of};
use crate::ui::ranges::{colours, range};
use crate::ui::scene::Scene;
use crate::ui::view::{Layer, OverlayView};

/// Least side of a picture, and the greatest.
const SIDES: (f32, f32) = (96.0, 720.0);
/// Captions stand beside a picture where that much room is left of a low panel, and below it elsewhere.
const BESIDE: f32 = 300.0;
/// Width of a colour scale.
const SCALE: f32 = 260.0;

/// One of the two pictures.
pub(super) struct Shown {
    /// Letter and caption.
    pub name: String,
    pub picture: Arc<Picture>,
    pub overlay: Overlay,
}

impl Shown {
    /// With its layers, as the second of a swipe.
    pub(super) fn second(&self) -> Second {
        let Overlay { map, mask, .. } = self.overlay.clone();
        Second { picture: Arc::clone(&self.picture), map, mask }
    }

    /// The picture alone, as the second of a difference.
    pub(super) fn bare(&self) -> Second {
        Second { picture: Arc::clone(&self.picture), map: None, mask: None }
    }

    /// Both pictures in one. They are the finished ones: the AR step of the second could not be shown.
    pub(super) fn with(&self, comparison: Comparison) -> Overlay {
        Overlay { comparison, built: None, ..self.overlay.clone() }
    }
}

/// The AR step that pictures of `group` are shown at.
fn ar_step(scene: Scene<'_>, group: &LoadedGroup) -> Option<usize> {
    scene.selection.ar_step.filter(|step| *step < group.record.ar_steps)
}

/// Count and extent of the numbers of the layer in both, so that the same colour is the same number.
pub(super) fn summary(scene: Scene<'_>, view: &OverlayView, both: [&Held; 2]) -> Option<ValueSummary> {
    let of = |held: &Held| {
        let group = held.group.as_deref()?;
        let at = (held.found.index, plane_of(group, ar_step(scene, group)));
        scene.ranges.summary(group, at, view)
    };
    both.into_iter().filter_map(of).reduce(ValueSummary::merge)
}

/// What lies over the two pictures, with one range of colours. Nothing lies over fixed prompts: they have no maps.
pub(super) fn layers(scene: Scene<'_>, view: &OverlayView, both: [&Held; 2]) -> Result<[Overlay; 2]> {
    let shared = summary(scene, view, both).map(|summary| range(summary, view));
    let of = |held: &Held| -> Result<Overlay> {
        let Some(group) = held.group.as_deref() else { return Ok(Overlay::none(0)) };
        let style = PictureStyle { ar_step: ar_step(scene, group), ..PictureStyle::of(view) };
        let overlay = overlay_of(scene.ranges, (group, held.found.index), style)?;
        Ok(Overlay { range: shared.unwrap_or(overlay.range), ..overlay })
    };
    let [a, b] = both;
    Ok([of(a)?, of(b)?])
}

/// What the colours and marks over the pictures mean, and those of a signed difference.
pub(super) fn colours_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    (ab, view): (&AbView, &OverlayView),
    both: [&Held; 2],
) {
    if ab.mode == AbMode::SignedDifference {
        let end = 255.0 / ab.factor as f32;
        let bar = ScaleBar {
            name: "the lightness of B less that of A",
            unit: "of 255",
            colours: ColourMap::Diverging,
            range: ValueRange { low: -end, high: end },
            threshold: None,
            non_finite: 0,
        };
        ui.horizontal_wrapped(|ui| {
            scale_bar_ui(ui, &bar, SCALE);
            let words =
                "Orange where B is lighter than A, blue where it is darker, white where they are alike.";
            ui.colored_label(scene.theme.faint, words);
        });
    }
    let groups = both.map(|held| held.group.as_deref().map(|group| (group, held.found.index)));
    if groups.iter().flatten().count() > 0 {
        layer_ui(ui, scene, (ab.mode, view), groups, summary(scene, view, both));
    }
}

type OfGroup<'a> = Option<(&'a LoadedGroup, usize)>;

fn layer_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    (mode, view): (AbMode, &OverlayView),
    groups: [OfGroup<'_>; 2],
    summary: Option<ValueSummary>,
) {
    let apart = matches!(mode, AbMode::SideBySide | AbMode::Flip);
    let has = |of: &OfGroup<'_>| {
        of.is_some_and(|(group, _)| view.layer.map().is_none_or(|map| group.map(map).is_some()))
    };
    let built = groups.iter().flatten().find(|(group, _)| ar_step(scene, group).is_some());
    ui.horizontal_wrapped(|ui| {
        let numbers = view.layer.map().is_some() && !view.layer.is_mask();
        if let (true, Some(summary)) = (numbers, summary) {
            let bar = ScaleBar {
                name: view.layer.name(),
                unit: "",
                colours: colours(view),
                range: range(summary, view),
                threshold: view.threshold,
                non_finite: summary.non_finite(),
            };
            scale_bar_ui(ui, &bar, SCALE);
        }
        // The scale of numbers was drawn for both; what is left are marks.
        let marks = if numbers { Layer::None } else { view.layer };
        let marks = OverlayView { layer: marks, ..view.clone() };
        if let Some((group, index)) = groups.iter().find(|of| has(of)).copied().flatten() {
            let ar_step = ar_step(scene, group).filter(|_| apart);
            layer_legend_ui(ui, scene, group, index, PictureStyle { ar_step, ..PictureStyle::of(&marks) });
        }
        let lacking = ["A", "B"].into_iter().zip(&groups).filter(|(_, of)| of.is_some() && !has(of));
        for (letter, _) in lacking {
            let words = format!("{} was not recorded for {letter}.", view.layer.name());
            ui.colored_label(scene.theme.warning, words);
        }
        if matches!(mode, AbMode::Difference | AbMode::SignedDifference)
            && groups.first().is_some_and(has)
            && view.layer != Layer::None
        {
            let words = format!("Over the difference lies {} of A.", view.layer.name().to_lowercase());
            ui.colored_label(scene.theme.faint, words)
                .on_hover_text("Choose no layer above the pictures of all runs to see the difference alone.");
        }
        if built.is_some() && !apart {
            let words = "Finished pictures: those of the AR step are shown side by side and flipped.";
            ui.colored_label(scene.theme.faint, words);
        }
    });
}

/// Draws the comparison in `height` points.
pub(super) fn compare_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut AbView, both: &[Shown; 2], height: f32) {
    let across = if view.mode == AbMode::SideBySide { 2.0 } else { 1.0 };
    let gap = ui.spacing().item_spacing.x;
    let beside = view.mode != AbMode::SideBySide && ui.available_width() - height > BESIDE;
    // Room for the captions below.
    let lines = match view.mode {
        _ if beside => 0.0,
        AbMode::Difference | AbMode::SignedDifference => 4.0,
        _ => 2.0,
    };
    let line = ui.text_style_height(&eframe::egui::TextStyle::Body) + ui.spacing().item_spacing.y;
    let high = height - lines * line - 4.0;
    let wide = (ui.available_width() - gap * (across - 1.0)) / across;
    let side = wide.min(high).clamp(SIDES.0, SIDES.1).floor();
    if beside {
        ui.horizontal_top(|ui| mode_ui(ui, scene, view, both, side));
    } else {
        mode_ui(ui, scene, view, both, side);
    }
}

fn mode_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut AbView, both: &[Shown; 2], side: f32) {
    let [a, b] = both;
    match view.mode {
        AbMode::SideBySide => {
            ui.horizontal(|ui| {
                for shown in both {
                    ui.vertical(|ui| {
                        ui.set_width(side);
                        square_ui(ui, scene, view, (&shown.picture, &shown.overlay, side), &shown.name);
                        ui.add(Label::new(&shown.name).wrap());
                    });
                }
            });
        }
        AbMode::Swipe => {
            swipe_ui(ui, scene, view, both, side);
            ui.vertical(|ui| {
                ui.label(format!("Left {}", a.name));
                ui.label(format!("Right {}", b.name));
            });
        }
        AbMode::Flip => {
            let (shown, letter) = if view.flipped { (b, "B") } else { (a, "A") };
            let image = square_ui(ui, scene, view, (&shown.picture, &shown.overlay, side), &shown.name);
            letter_ui(ui, scene, image.response.rect, letter);
            ui.vertical(|ui| ui.label(&shown.name));
        }
        AbMode::Difference | AbMode::SignedDifference => difference_ui(ui, scene, view, both, side),
    }
}

fn difference_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut AbView, [a, b]: &[Shown; 2], side: f32) {
    let apart = match view.differences.of(&a.picture, &b.picture) {
        Ok(apart) => apart,
        Err(reason) => {
            ui.colored_label(scene.theme.bad, reason);
            return;
        }
    };
    let (second, gain) = (b.bare(), view.factor as f32);
    let (comparison, name) = if view.mode == AbMode::Difference {
        (Comparison::Difference { second, gain }, "Difference of A and B")
    } else {
        (Comparison::SignedDifference { second, gain }, "Signed difference of A and B")
    };
    square_ui(ui, scene, view, (&a.picture, &a.with(comparison), side), name);
    let (mean, share) = (apart.absolute, apart.absolute / 255.0 * 100.0);
    ui.vertical(|ui| {
        ui.label(format!("Mean absolute difference {mean:.2} of 255 ({share:.2} %)"))
            .on_hover_text("Of all pixels and colours, not amplified.");
        if view.mode == AbMode::SignedDifference {
            ui.label(format!("Mean difference of lightness {} of 255", signed(apart.lightness)))
                .on_hover_text("Lightness of B less that of A, mean of all pixels, not amplified.");
        }
        ui.colored_label(scene.theme.faint, format!("{}\n{}", a.name, b.name));
    });
}

/// A picture with the zoom.
fn square_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    view: &mut AbView,
    (picture, overlay, side): (&Arc<Picture>, &Overlay, f32),
    name: &str,
) -> ImageResponse {
    let seen = ImageView { size: Vec2::splat(side), uv: view.zoom.uv };
    let image = image_ui(ui, scene.renderer, picture, overlay, seen, name);
    view.zoom.follow(ui, &image, seen);
    image
}

fn letter_ui(ui: &Ui, scene: Scene<'_>, rect: Rect, letter: &str) {
    let plate = Rect::from_min_size(rect.min + Vec2::splat(6.0), Vec2::splat(24.0));
    ui.painter().rect_filled(plate, 4.0, scene.theme.panel);
    let font = FontId::proportional(18.0);
    ui.painter().text(plate.center(), Align2::CENTER_CENTER, letter, font, scene.theme.text);
}

fn swipe_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut AbView, [a, b]: &[Shown; 2], side: f32) {
    let overlay = a.with(Comparison::Swipe { second: b.second(), split: view.divider });
    let name = "A left of the divider, B right of it";
    let image = square_ui(ui, scene, view, (&a.picture, &overlay, side), name);
    let rect = image.response.rect;
    let handle = Rect::from_center_size(
        pos2(rect.left() + side * view.divider, rect.center().y),
        Vec2::new(14.0, side),
    );
    let drag = ui.interact(handle, image.response.id.with("divider"), Sense::drag());
    drag.widget_info(|| WidgetInfo::slider(true, f64::from(view.divider), "Drag the divider"));
    if let Some(pointer) = drag.interact_pointer_pos().filter(|_| drag.dragged()) {
        view.divider = ((pointer.x - rect.left()) / side).clamp(0.0, 1.0);
    }
    let held = drag.hovered() || drag.dragged();
    if held {
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    // The line itself is drawn with the pictures.
    let colour = if held { scene.theme.accent } else { scene.theme.text };
    let grip = pos2(rect.left() + side * view.divider, rect.center().y);
    ui.painter().circle(grip, 7.0, scene.theme.panel, Stroke::new(2.0, colour));
    drag.on_hover_text("Drag: A is left of it, B right of it.");
}
