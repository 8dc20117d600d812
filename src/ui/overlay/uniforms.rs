//! The numbers of one draw, as the shader reads them and as the CPU computes with them.

use eframe::egui::Rect;

use super::settings::{Comparison, Overlay};

/// Words of 32 bits in `Draw` of `overlay.wgsl`.
pub(super) const WORDS: usize = 24;

pub(super) const MAP: u32 = 1;
pub(super) const THRESHOLD: u32 = 2;
pub(super) const MASK: u32 = 4;
pub(super) const BUILT: u32 = 8;
pub(super) const GRID: u32 = 16;
pub(super) const SMOOTH_MAP: u32 = 32;
pub(super) const SMOOTH_PICTURE: u32 = 64;
pub(super) const SWIPE: u32 = 128;
pub(super) const DIFFERENCE: u32 = 256;
pub(super) const SIGNED: u32 = 512;
pub(super) const SECOND_MAP: u32 = 1024;
pub(super) const SECOND_MASK: u32 = 2048;

/// Where a draw lands, and how dense the screen is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    /// The widget in the frame buffer, in pixels.
    pub(super) rect_px: Rect,
    /// The part of the picture that fills it.
    pub(super) uv: Rect,
    /// Physical pixels a point.
    pub(super) pixels_per_point: f32,
    /// Opacity of all.
    pub(super) alpha: f32,
}

/// `Draw` of `overlay.wgsl`, field by field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Uniforms {
    pub(super) rect_px: [f32; 4],
    pub(super) uv: [f32; 4],
    pub(super) range: [f32; 4],
    pub(super) looks: [f32; 4],
    pub(super) pixels: [f32; 4],
    pub(super) ids: [u32; 4],
}

impl Uniforms {
    pub(super) fn new(overlay: &Overlay, place: &Placement) -> Self {
        let (split, gain) = match overlay.comparison {
            Comparison::Swipe { split, .. } => (split, 0.0),
            Comparison::Difference { gain, .. } | Comparison::SignedDifference { gain, .. } => (0.0, gain),
            Comparison::None => (0.0, 0.0),
        };
        let ar_step = overlay.built.as_ref().map_or(0.0, |built| built.ar_step as f32);
        let selected = overlay.selected.and_then(|token| u32::try_from(token).ok()).unwrap_or(u32::MAX);
        let range = overlay.range;
        Self {
            rect_px: corner_and_size(place.rect_px),
            uv: corner_and_size(place.uv),
            range: [range.low, range.high, overlay.threshold.unwrap_or(0.0), unit(overlay.opacity)],
            looks: [unit(overlay.dim), split, gain, ar_step],
            pixels: line_widths(overlay.side, place),
            ids: [overlay.side as u32, selected, overlay.colours.id(), flags(overlay)],
        }
    }

    pub(super) const fn has(&self, flag: u32) -> bool {
        self.ids[3] & flag != 0
    }

    /// As the uniform buffer holds it.
    pub(super) fn words(&self) -> [u32; WORDS] {
        let floats = [self.rect_px, self.uv, self.range, self.looks, self.pixels];
        let mut words = [0; WORDS];
        for (word, value) in words.iter_mut().zip(floats.iter().flatten()) {
            *word = value.to_bits();
        }
        for (word, id) in words[WORDS - 4..].iter_mut().zip(self.ids) {
            *word = id;
        }
        words
    }
}

/// A share of 0 to 1; what is not a number counts as 0.
fn unit(share: f32) -> f32 {
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

fn corner_and_size(rect: Rect) -> [f32; 4] {
    [rect.min.x, rect.min.y, rect.width(), rect.height()]
}

/// Widths that keep patterns readable, whether a token is 6 or 600 pixels wide. Whole pixels, so that lines are crisp.
fn line_widths(side: usize, place: &Placement) -> [f32; 4] {
    let scale = place.pixels_per_point;
    let thin = scale.round().max(1.0);
    let whole = place.rect_px.size() / place.uv.size();
    let token = if side == 0 { f32::INFINITY } else { whole.min_elem() / side as f32 };
    let outline = (0.1 * token).clamp(scale, 2.5 * scale).round().max(1.0);
    // Even, since the checkered squares are half a period.
    let period = 2.0 * (0.25 * token).clamp(2.0 * scale, 4.0 * scale).round().max(1.0);
    [thin, place.alpha, outline, period]
}

fn flags(overlay: &Overlay) -> u32 {
    let second = overlay.comparison.second();
    let swipe = matches!(overlay.comparison, Comparison::Swipe { .. });
    let signed = matches!(overlay.comparison, Comparison::SignedDifference { .. });
    let difference = signed || matches!(overlay.comparison, Comparison::Difference { .. });
    [
        (overlay.map.is_some(), MAP),
        (overlay.threshold.is_some(), THRESHOLD),
        (overlay.mask.is_some(), MASK),
        (overlay.built.is_some(), BUILT),
        (overlay.grid && overlay.side > 0, GRID),
        (overlay.smooth_map, SMOOTH_MAP),
        (overlay.smooth_picture, SMOOTH_PICTURE),
        (swipe, SWIPE),
        (difference, DIFFERENCE),
        (signed, SIGNED),
        (swipe && second.is_some_and(|s| s.map.is_some()), SECOND_MAP),
        (swipe && second.is_some_and(|s| s.mask.is_some()), SECOND_MASK),
    ]
    .into_iter()
    .filter_map(|(on, flag)| on.then_some(flag))
    .sum()
}
