//! One picture of a group with the chosen layer over it, the same in Live, Compare and Inspect.

use std::sync::Arc;

use eframe::egui::{Align2, CornerRadius, Rect, Response, RichText, Sense, TextStyle, Ui, Vec2};

use super::data::group::{LoadedGroup, Planes};
use super::overlay::{
    Built, Comparison, ImageResponse, ImageView, LegendMark, Overlay, ScaleBar, TokenMap, TokenMask,
    ValueRange, image_ui, legend_ui, scale_bar_ui,
};
use super::ranges::{Ranges, colours, range};
use super::scene::Scene;
use super::view::{Layer, OverlayView};
use crate::error::Result;

pub use super::overlay::{WHOLE, zoomed};

/// What to draw over a picture and how.
#[derive(Clone, Copy, Debug)]
pub struct PictureStyle<'a> {
    /// The layer.
    pub overlay: &'a OverlayView,
    /// The AR step shown; `None` is the finished picture.
    pub ar_step: Option<usize>,
    /// Part of the picture that is shown, 0 to 1 in both directions.
    pub uv: Rect,
    /// The pinned token, outlined.
    pub token: Option<usize>,
    /// Tokens that are brushed, outlined thinly; empty if none.
    pub brushed: &'a [bool],
    /// Numbers and their range to be shown in place of the layer's.
    pub instead: Option<(&'a Arc<TokenMap>, ValueRange)>,
}

impl<'a> PictureStyle<'a> {
    /// The finished picture, all of it, with the layer over it.
    #[must_use]
    pub const fn of(overlay: &'a OverlayView) -> Self {
        Self { overlay, ar_step: None, uv: WHOLE, token: None, brushed: &[], instead: None }
    }
}

/// The plane of maps with one for each trained AR step: that of `ar_step`, or of the last trained one before it; the last
/// of all for the finished picture.
#[must_use]
pub fn plane_of(group: &LoadedGroup, ar_step: Option<usize>) -> usize {
    let trained = &group.record.trained_ar_steps;
    let last = trained.len().saturating_sub(1);
    ar_step.map_or(last, |step| trained.partition_point(|s| *s <= step).saturating_sub(1))
}

/// What the overlay of picture `index` of `group` is, with colours that range over what `ranges` saw.
///
/// # Errors
/// If a mask does not fit the picture.
pub fn overlay_of(
    ranges: &Ranges,
    (group, index): (&LoadedGroup, usize),
    style: PictureStyle<'_>,
) -> Result<Overlay> {
    let side = group.record.side;
    let plane = plane_of(group, style.ar_step);
    let view = style.overlay;
    let summary = ranges.summary(group, (index, plane), view);
    let planes = view.layer.map().and_then(|name| group.map(name));
    let of_layer = planes.filter(|_| !view.layer.is_mask()).and_then(|planes| planes.plane(index, plane));
    let map = style.instead.map(|(map, _)| map).or(of_layer).cloned();
    let range = style.instead.map(|(_, range)| range).or_else(|| summary.map(|s| range(s, view)));
    let built = style
        .ar_step
        .and_then(|ar_step| Some(Built { order: Arc::clone(group.map("order")?.plane(index, 0)?), ar_step }));
    Ok(Overlay {
        map,
        colours: colours(view),
        range: range.unwrap_or(ValueRange { low: 0.0, high: 1.0 }),
        opacity: view.opacity,
        threshold: view.threshold.filter(|_| !view.layer.is_mask()),
        mask: mask(view.layer, planes, (index, plane), (side, style.brushed))?.map(Arc::new),
        built,
        selected: style.token,
        grid: view.grid,
        smooth_map: view.smooth,
        comparison: Comparison::None,
        ..Overlay::none(side)
    })
}

fn mask(
    layer: Layer,
    planes: Option<&Planes>,
    (index, plane): (usize, usize),
    (side, brushed): (usize, &[bool]),
) -> Result<Option<TokenMask>> {
    let truths = planes
        .filter(|_| layer.is_mask())
        .and_then(|planes| planes.plane(index, plane))
        .map(|map| truths(map));
    if truths.is_none() && brushed.is_empty() {
        return Ok(None);
    }
    let mut mask = TokenMask::new(side)?;
    if let Some(truths) = &truths {
        mask =
            if layer == Layer::Consistency { mask.with_kept(truths)? } else { mask.with_selected(truths)? };
    }
    if !brushed.is_empty() {
        mask = mask.with_brushed(brushed)?;
    }
    Ok(Some(mask))
}

fn truths(map: &TokenMap) -> Vec<bool> {
    map.values().iter().map(|value| *value > 0.5).collect()
}

/// Draws picture `index` of `group` in a square of `side` points; `name` is its AccessKit name.
pub fn picture_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    (group, index): (&LoadedGroup, usize),
    side: f32,
    style: PictureStyle<'_>,
    name: &str,
) -> ImageResponse {
    let view = ImageView { size: Vec2::splat(side), uv: style.uv };
    let overlay = overlay_of(scene.ranges, (group, index), style);
    match (group.pictures.get(index), overlay) {
        (Some(Ok(picture)), Ok(overlay)) => image_ui(ui, scene.renderer, picture, &overlay, view, name),
        (Some(Err(reason)), _) => missing_ui(ui, scene, side, reason),
        (None, _) => missing_ui(ui, scene, side, "this group has no such picture"),
        (_, Err(error)) => missing_ui(ui, scene, side, &error.to_string()),
    }
}

/// Why there is no picture, in its place.
fn missing_ui(ui: &mut Ui, scene: Scene<'_>, side: f32, reason: &str) -> ImageResponse {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::click());
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_filled(rect, CornerRadius::ZERO, scene.theme.background);
    let font = TextStyle::Small.resolve(ui.style());
    let galley = painter.layout(reason.to_owned(), font, scene.theme.bad, rect.width() - 8.0);
    painter.galley(
        Align2::CENTER_CENTER.anchor_size(rect.center(), galley.size()).min,
        galley,
        scene.theme.bad,
    );
    let response = response.on_hover_text(reason);
    ImageResponse { response, hovered_token: None, clicked_token: None, pointer_uv: None }
}

/// Scale or legend of the layer, `width` points wide.
pub fn layer_legend_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    group: &LoadedGroup,
    index: usize,
    style: PictureStyle<'_>,
) -> Option<Response> {
    let view = style.overlay;
    if style.ar_step.is_some() {
        legend_ui(ui, &[LegendMark::Known, LegendMark::PredictedNow, LegendMark::StillMasked]);
    }
    match view.layer {
        Layer::None => None,
        Layer::MteMask => {
            legend_ui(ui, &[LegendMark::Selected]);
            None
        }
        Layer::Consistency => {
            legend_ui(ui, &[LegendMark::Kept, LegendMark::Dropped]);
            None
        }
        layer => {
            let plane = plane_of(group, style.ar_step);
            let Some(summary) = scene.ranges.summary(group, (index, plane), view) else {
                ui.label(
                    RichText::new(format!("{} was not recorded", layer.name())).color(scene.theme.faint),
                );
                return None;
            };
            let bar = ScaleBar {
                name: layer.name(),
                unit: "",
                colours: colours(view),
                range: range(summary, view),
                threshold: view.threshold,
                non_finite: summary.nan + summary.infinite,
            };
            Some(scale_bar_ui(ui, &bar, ui.available_width().min(260.0)))
        }
    }
}
