//! The fragment shader on the CPU: function by function what `shaders/overlay.wgsl` does.

use super::colormap::{ColourMap, Rgb};
use super::layer::{BRUSHED, DROPPED, Picture, SELECTED, TokenMap, TokenMask};
use super::settings::Layers;
use super::uniforms::{
    BUILT, DIFFERENCE, GRID, MAP, MASK, SECOND_MAP, SECOND_MASK, SIGNED, SMOOTH_MAP, SMOOTH_PICTURE, SWIPE,
    THRESHOLD, Uniforms,
};

const WHITE: Rgb = [1.0; 3];
const BLACK: Rgb = [0.0; 3];
pub(super) const BRUSHED_INK: Rgb = [0.941, 0.894, 0.259];
pub(super) const NOW_INK: Rgb = [0.902, 0.624, 0.0];
pub(super) const CHECKER_LIGHT: Rgb = [0.60; 3];
pub(super) const CHECKER_DARK: Rgb = [0.44; 3];
pub(super) const NON_FINITE_LINE: Rgb = [1.0, 0.42, 0.71];
pub(super) const NON_FINITE_GROUND: Rgb = [0.22, 0.0, 0.11];
const DROPPED_DIM: f32 = 0.55;

/// A place or a size in two dimensions.
type Pair = [f32; 2];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Known,
    Now,
    StillMasked,
}

/// One draw.
pub(super) struct Shader<'a> {
    pub(super) draw: Uniforms,
    pub(super) layers: Layers<'a>,
}

/// A place on the magnified picture, in pixels, and the size of the whole of it.
#[derive(Clone, Copy)]
struct Spot {
    at: Pair,
    whole_px: Pair,
}

impl Spot {
    fn moved(self, x: f32, y: f32) -> Self {
        Self { at: [self.at[0] + x, self.at[1] + y], ..self }
    }

    fn is_outside(self) -> bool {
        self.at.iter().any(|v| *v < 0.0) || self.at[0] >= self.whole_px[0] || self.at[1] >= self.whole_px[1]
    }

    /// The cell of a grid of `size` cells here.
    fn cell(self, size: [usize; 2]) -> [usize; 2] {
        [0, 1].map(|i| {
            let place = (self.at[i] / self.whole_px[i] * size[i] as f32).floor();
            place.clamp(0.0, size[i] as f32 - 1.0) as usize
        })
    }

    /// Pixels to the nearest edge of the token.
    fn edge_px(self, side: usize) -> f32 {
        let distance = |i: usize| {
            let token_px = self.whole_px[i] / side as f32;
            let inside = fract(self.at[i] / token_px) * token_px;
            inside.min(token_px - inside)
        };
        distance(0).min(distance(1))
    }

    fn rising(self) -> f32 {
        (self.at[0] + self.at[1]) * 0.707_106_77
    }

    fn falling(self) -> f32 {
        (self.at[0] - self.at[1]) * 0.707_106_77
    }
}

fn fract(x: f32) -> f32 {
    x - x.floor()
}

fn mix(a: Rgb, b: Rgb, share: f32) -> Rgb {
    [0, 1, 2].map(|i| a[i] * (1.0 - share) + b[i] * share)
}

fn luma(colour: Rgb) -> f32 {
    colour[0] * 0.2126 + colour[1] * 0.7152 + colour[2] * 0.0722
}

fn dimmed(colour: Rgb, share: f32) -> Rgb {
    mix(colour, [0.5 * luma(colour); 3], share)
}

fn texel(picture: &Picture, cell: [usize; 2]) -> Rgb {
    picture.image().pixel(cell[0], cell[1]).map(|c| f32::from(c) / 255.0)
}

fn nearest_texel(picture: &Picture, spot: Spot) -> Rgb {
    let image = picture.image();
    texel(picture, spot.cell([image.width, image.height]))
}

fn smooth_texel(picture: &Picture, spot: Spot) -> Rgb {
    let size = [picture.image().width as f32, picture.image().height as f32];
    let place = [0, 1].map(|i| spot.at[i] / spot.whole_px[i] * size[i] - 0.5);
    let first = place.map(f32::floor);
    let share = [0, 1].map(|i| place[i] - first[i]);
    let low = [0, 1].map(|i| first[i].clamp(0.0, size[i] - 1.0) as usize);
    let high = [0, 1].map(|i| (first[i] + 1.0).clamp(0.0, size[i] - 1.0) as usize);
    let top = mix(texel(picture, low), texel(picture, [high[0], low[1]]), share[0]);
    let bottom = mix(texel(picture, [low[0], high[1]]), texel(picture, high), share[0]);
    mix(top, bottom, share[1])
}

fn stripe(along: f32, period_px: f32, width_px: f32) -> f32 {
    let distance = (fract(along / period_px) * period_px - 0.5 * period_px).abs();
    (0.5 + 0.5 * width_px - distance).clamp(0.0, 1.0)
}

fn value(map: &TokenMap, cell: [usize; 2]) -> f32 {
    map.values()[cell[1] * map.side() + cell[0]]
}

fn bits(mask: &TokenMask, spot: Spot) -> u8 {
    let cell = spot.cell([mask.side(); 2]);
    mask.bits()[cell[1] * mask.side() + cell[0]]
}

/// Pixels to the nearest token around that is not brushed, or to the border of the picture.
fn to_unbrushed_px(mask: &TokenMask, spot: Spot) -> f32 {
    let side = mask.side();
    let cell = spot.cell([side; 2]);
    let token_px = spot.whole_px.map(|px| px / side as f32);
    let inside = [0, 1].map(|i| fract(spot.at[i] / token_px[i]) * token_px[i]);
    let mut nearest = token_px[0] + token_px[1];
    for y in -1..=1 {
        for x in -1..=1 {
            let beside = [cell[0].checked_add_signed(x), cell[1].checked_add_signed(y)];
            let brushed = matches!(beside, [Some(x), Some(y)] if x < side && y < side
                && mask.bits()[y * side + x] & BRUSHED != 0);
            if !brushed {
                let away = |i: usize, step: isize| match step {
                    0 => 0.0,
                    1 => token_px[i] - inside[i],
                    _ => inside[i],
                };
                nearest = nearest.min(away(0, x).max(away(1, y)));
            }
        }
    }
    nearest
}

fn smooth_value(map: &TokenMap, spot: Spot) -> f32 {
    let size = map.side() as f32;
    let place = [0, 1].map(|i| spot.at[i] / spot.whole_px[i] * size - 0.5);
    let first = place.map(f32::floor);
    let share = [0, 1].map(|i| place[i] - first[i]);
    let (mut sum, mut weights) = (0.0, 0.0);
    for y in 0..2_u8 {
        for x in 0..2_u8 {
            let step = [f32::from(x), f32::from(y)];
            let cell = [0, 1].map(|i| (first[i] + step[i]).clamp(0.0, size - 1.0) as usize);
            let weight = if x == 1 { share[0] } else { 1.0 - share[0] }
                * if y == 1 { share[1] } else { 1.0 - share[1] };
            let value = value(map, cell);
            if value.is_finite() {
                sum += weight * value;
                weights += weight;
            }
        }
    }
    sum / weights
}

impl Shader<'_> {
    fn picture_at(&self, picture: &Picture, spot: Spot) -> Rgb {
        let size = [picture.image().width as f32, picture.image().height as f32];
        let places = [0, 1].map(|i| (size[i] / spot.whole_px[i] - 0.001).ceil().clamp(1.0, 8.0));
        if places == [1.0; 2] {
            let smooth = self.draw.has(SMOOTH_PICTURE);
            return if smooth { smooth_texel(picture, spot) } else { nearest_texel(picture, spot) };
        }
        let mut sum = [0.0; 3];
        for y in 0..places[1] as u8 {
            for x in 0..places[0] as u8 {
                let offset = |k: u8, n: f32| (f32::from(k) + 0.5) / n - 0.5;
                let here = nearest_texel(picture, spot.moved(offset(x, places[0]), offset(y, places[1])));
                sum = [0, 1, 2].map(|i| sum[i] + here[i]);
            }
        }
        sum.map(|c| c / (places[0] * places[1]))
    }

    fn base_colour(&self, spot: Spot, on_second: bool) -> Rgb {
        let second = self.layers.second_picture;
        match second {
            Some(second) if on_second => return self.picture_at(second, spot),
            _ => {}
        }
        let first = self.picture_at(self.layers.picture, spot);
        let Some(second) = second.filter(|_| self.draw.has(DIFFERENCE)) else { return first };
        let second = self.picture_at(second, spot);
        let gain = self.draw.looks[2];
        if self.draw.has(SIGNED) {
            return ColourMap::Diverging.colour(0.5 + 0.5 * gain * (luma(second) - luma(first)));
        }
        [0, 1, 2].map(|i| ((second[i] - first[i]).abs() * gain).clamp(0.0, 1.0))
    }

    fn hatched(&self, colour: Rgb, along: f32, ink: Rgb) -> Rgb {
        let [thin, _, _, period] = self.draw.pixels;
        let bordered = mix(colour, ink.map(|c| 1.0 - c), 0.5 * stripe(along, period, 3.0 * thin));
        mix(bordered, ink, 0.9 * stripe(along, period, 1.25 * thin))
    }

    fn non_finite_pattern(&self, spot: Spot) -> Rgb {
        let width = 1.25 * self.draw.pixels[0];
        let period = self.draw.pixels[3];
        let cover = stripe(spot.rising(), period, width).max(stripe(spot.falling(), period, width));
        mix(NON_FINITE_GROUND, NON_FINITE_LINE, cover)
    }

    fn checker(&self, spot: Spot) -> Rgb {
        let square = spot.at.map(|v| (v / (0.5 * self.draw.pixels[3])).floor());
        let odd = fract((square[0] + square[1]) * 0.5) > 0.25;
        if odd { CHECKER_DARK } else { CHECKER_LIGHT }
    }

    fn with_map(&self, map: &TokenMap, under: Rgb, spot: Spot) -> Rgb {
        let [low, high, threshold, opacity] = self.draw.range;
        let here = value(map, spot.cell([map.side(); 2]));
        if !here.is_finite() {
            return mix(under, self.non_finite_pattern(spot), opacity);
        }
        if self.draw.has(THRESHOLD) && here < threshold {
            return dimmed(under, self.draw.looks[0]);
        }
        let shown = if self.draw.has(SMOOTH_MAP) { smooth_value(map, spot) } else { here };
        let fraction = if high > low { ((shown - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
        let colours = ColourMap::ALL.get(self.draw.ids[2] as usize).copied().unwrap_or_default();
        mix(under, colours.colour(fraction), opacity)
    }

    fn with_mask(&self, mask: &TokenMask, under: Rgb, spot: Spot) -> Rgb {
        let bits = bits(mask, spot);
        let mut colour = under;
        if bits & DROPPED != 0 {
            colour = self.hatched(dimmed(colour, DROPPED_DIM), spot.falling(), BLACK);
        }
        if bits & SELECTED != 0 {
            colour = self.hatched(colour, spot.rising(), WHITE);
        }
        colour
    }

    fn with_brush(&self, mask: &TokenMask, under: Rgb, spot: Spot) -> Rgb {
        if bits(mask, spot) & BRUSHED == 0 {
            return under;
        }
        self.outlined(under, to_unbrushed_px(mask, spot), BRUSHED_INK)
    }

    fn outlined(&self, under: Rgb, edge: f32, ink: Rgb) -> Rgb {
        let [thin, _, width, _] = self.draw.pixels;
        if edge < width {
            return ink;
        }
        if edge < width + thin { BLACK } else { under }
    }

    fn with_grid(&self, under: Rgb, spot: Spot) -> Rgb {
        let side = self.draw.ids[0] as usize;
        let thin = self.draw.pixels[0];
        if spot.cell([side; 2]) == spot.moved(-thin, -thin).cell([side; 2]) {
            return under;
        }
        mix(under, if luma(under) > 0.5 { BLACK } else { WHITE }, 0.4)
    }

    fn with_selection(&self, under: Rgb, spot: Spot) -> Rgb {
        let side = self.draw.ids[0] as usize;
        let cell = spot.cell([side; 2]);
        if (cell[1] * side + cell[0]) as u32 != self.draw.ids[1] {
            return under;
        }
        self.outlined(under, spot.edge_px(side), WHITE)
    }

    fn stage_at(&self, order: &TokenMap, spot: Spot) -> Stage {
        let predicted_at = value(order, spot.cell([order.side(); 2]));
        let ar_step = self.draw.looks[3];
        if !predicted_at.is_finite() || predicted_at > ar_step {
            return Stage::StillMasked;
        }
        if predicted_at == ar_step { Stage::Now } else { Stage::Known }
    }

    fn with_swipe_line(&self, under: Rgb, distance: f32) -> Rgb {
        let thin = self.draw.pixels[0];
        if distance < thin {
            return WHITE;
        }
        if distance < 2.0 * thin { BLACK } else { under }
    }

    fn all_layers(&self, spot: Spot, on_second: bool) -> Rgb {
        let layers = &self.layers;
        let (map, mask) = if on_second {
            (
                layers.second_map.filter(|_| self.draw.has(SECOND_MAP)),
                layers.second_mask.filter(|_| self.draw.has(SECOND_MASK)),
            )
        } else {
            (layers.map.filter(|_| self.draw.has(MAP)), layers.mask.filter(|_| self.draw.has(MASK)))
        };
        let mut colour = self.base_colour(spot, on_second);
        if let Some(map) = map {
            colour = self.with_map(map, colour, spot);
        }
        if let Some(mask) = mask {
            colour = self.with_mask(mask, colour, spot);
        }
        colour
    }

    /// The colour of the pixel whose centre is `position`; none outside the picture.
    pub(super) fn shade(&self, position: Pair) -> Option<Rgb> {
        let draw = &self.draw;
        let at = [position[0] - draw.rect_px[0], position[1] - draw.rect_px[1]];
        let whole_px = [draw.rect_px[2] / draw.uv[2], draw.rect_px[3] / draw.uv[3]];
        let spot = Spot { at: [0, 1].map(|i| at[i] + draw.uv[i] * whole_px[i]), whole_px };
        if spot.is_outside() {
            return None;
        }
        let from_split = at[0] - draw.looks[1] * draw.rect_px[2];
        let on_second = draw.has(SWIPE) && from_split >= 0.0;
        let order = self.layers.order.filter(|_| draw.has(BUILT) && !on_second);
        let stage = order.map_or(Stage::Known, |order| self.stage_at(order, spot));
        let mut colour =
            if stage == Stage::StillMasked { self.checker(spot) } else { self.all_layers(spot, on_second) };
        if draw.has(GRID) {
            colour = self.with_grid(colour, spot);
        }
        if let Some(order) = order.filter(|_| stage == Stage::Now) {
            colour = self.outlined(colour, spot.edge_px(order.side()), NOW_INK);
        }
        if let Some(mask) = self.layers.mask.filter(|_| !on_second) {
            colour = self.with_brush(mask, colour, spot);
        }
        if draw.ids[0] > 0 {
            colour = self.with_selection(colour, spot);
        }
        if draw.has(SWIPE) {
            colour = self.with_swipe_line(colour, from_split.abs());
        }
        Some(colour)
    }
}
