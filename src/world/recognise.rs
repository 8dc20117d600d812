//! What one component is: its colour and its shape, as probabilities.
//!
//! No network and nothing learned: a distance to the palette, and the overlap with six templates. Both are
//! smooth in the pixels, so that a nearly right object earns nearly full reward.

use std::sync::LazyLock;

use super::draw;
use super::scene::{Colour, Object, Shape};
use super::spatial::Bounds;

/// Side of the grid on which shapes are compared, in cells.
const GRID: usize = 20;

/// Distance in sRGB (0..1) at which a colour's probability falls to 1/e.
const COLOUR_WIDTH: f32 = 0.18;

/// Softmax temperature over overlaps.
const TEMPERATURE: f32 = 0.04;

/// Overlap below which a shape has probability 0, and the rise above it to full probability.
const OVERLAP_FLOOR: f32 = 0.45;
const OVERLAP_RISE: f32 = 0.35;

/// Mean distance of a component's core pixels from their median colour: a shape is a region of *one* colour,
/// so up to the first value it is recognised in full, from the second not at all. Uniform noise has about
/// 0.45, a picture decoded from latents below 0.1.
const SPREAD: [f32; 2] = [0.15, 0.30];

/// How much of each pixel of a small window a component covers.
#[derive(Clone, Debug)]
pub struct Mask {
    /// Column of the picture in which the window begins.
    pub left: usize,
    /// Row of the picture in which the window begins.
    pub top: usize,
    /// Columns of the window.
    pub width: usize,
    /// Rows of the window.
    pub height: usize,
    /// Coverage 0..1, row by row.
    pub alpha: Vec<f32>,
}

impl Mask {
    /// The component's box in pixels of the picture, to a fraction of a pixel.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let mut columns = vec![0.0_f32; self.width];
        let mut rows = vec![0.0_f32; self.height];
        for (row, line) in rows.iter_mut().zip(self.alpha.chunks_exact(self.width.max(1))) {
            for (column, &alpha) in columns.iter_mut().zip(line) {
                *column = column.max(alpha);
                *row = row.max(alpha);
            }
        }
        let [left, right] = edges(&columns);
        let [top, bottom] = edges(&rows);
        let (x, y) = (self.left as f64, self.top as f64);
        Bounds {
            x_min: x + f64::from(left),
            y_min: y + f64::from(top),
            x_max: x + f64::from(right),
            y_max: y + f64::from(bottom),
        }
    }

    /// Coverage at a point in window coordinates, interpolated between pixel centres; 0 outside.
    fn at(&self, x: f32, y: f32) -> f32 {
        let (x, y) = (x - 0.5, y - 0.5);
        let (column, row) = (x.floor(), y.floor());
        let (u, v) = (x - column, y - row);
        let pixel = |dx: i32, dy: i32| {
            let (column, row) = (column as i32 + dx, row as i32 + dy);
            let inside =
                column >= 0 && row >= 0 && (column as usize) < self.width && (row as usize) < self.height;
            if inside { self.alpha[row as usize * self.width + column as usize] } else { 0.0 }
        };
        let upper = pixel(0, 0) * (1.0 - u) + pixel(1, 0) * u;
        let lower = pixel(0, 1) * (1.0 - u) + pixel(1, 1) * u;
        upper * (1.0 - v) + lower * v
    }

    /// The mask on the common grid: its bounding square, four samples a cell.
    fn profile(&self) -> Profile {
        let bounds = self.bounds();
        let [width, height] = bounds.size();
        let [cx, cy] = bounds.centre();
        let side = width.max(height) as f32;
        let (left, top) =
            (cx as f32 - self.left as f32 - side / 2.0, cy as f32 - self.top as f32 - side / 2.0);
        let step = side / (2 * GRID) as f32;
        let mut profile = [0.0; GRID * GRID];
        for y in 0..2 * GRID {
            for x in 0..2 * GRID {
                let sample = self.at(left + (x as f32 + 0.5) * step, top + (y as f32 + 0.5) * step);
                profile[(y / 2) * GRID + x / 2] += 0.25 * sample;
            }
        }
        profile
    }
}

/// Coverage on the common grid.
type Profile = [f32; GRID * GRID];

/// Where a row of maximal coverages begins and ends. Anti-aliasing stores the fraction: an edge at 10.3
/// leaves 0.7 in pixel 10, one at 10.7 leaves 0.3 there and 1 in the next. The first pixel at least half
/// covered and the one before it hold the edge between them.
fn edges(cover: &[f32]) -> [f32; 2] {
    let edge = |first: usize, before: Option<&f32>| cover[first] + before.unwrap_or(&0.0);
    let Some(first) = cover.iter().position(|&c| c >= 0.5) else { return [0.0, cover.len() as f32] };
    let last = cover.iter().rposition(|&c| c >= 0.5).unwrap_or(first);
    let low = (first + 1) as f32 - edge(first, first.checked_sub(1).and_then(|i| cover.get(i)));
    let high = last as f32 + edge(last, cover.get(last + 1));
    [low.min(high), high.max(low)]
}

/// Probability of each palette colour for the given core pixels (sRGB, 0..1): `exp(-(d / 0.18)^2)` of the
/// median distance `d`, scaled down only where they sum to more than 1, so that a colour off the palette
/// scores low everywhere.
#[must_use]
pub fn colour_probabilities(core: &[[f32; 3]]) -> [f32; 8] {
    let mut distances = vec![0.0_f32; core.len()];
    let mut probabilities = Colour::ALL.map(|colour| {
        for (distance, pixel) in distances.iter_mut().zip(core) {
            *distance = length(minus(*pixel, colour.rgb()));
        }
        median(&mut distances).map_or(0.0, |d| (-(d / COLOUR_WIDTH).powi(2)).exp())
    });
    let sum: f32 = probabilities.iter().sum();
    if sum > 1.0 {
        probabilities = probabilities.map(|p| p / sum);
    }
    probabilities
}

/// How far the core pixels are of one colour, 0..1; 1 for a mean distance from
/// their median of at most 0.15, 0 from 0.30.
#[must_use]
pub fn uniformity(core: &[[f32; 3]]) -> f32 {
    let middle = [0, 1, 2].map(|channel| {
        let mut values: Vec<f32> = core.iter().map(|pixel| pixel[channel]).collect();
        median(&mut values).unwrap_or(0.0)
    });
    let sum: f32 = core.iter().map(|&pixel| length(minus(pixel, middle))).sum();
    let spread = sum / core.len().max(1) as f32;
    ((SPREAD[1] - spread) / (SPREAD[1] - SPREAD[0])).clamp(0.0, 1.0)
}

/// Probability of each shape: softmax of the overlaps with the templates at a temperature of 0.04, each times
/// `clip((overlap - 0.45) / 0.35, 0, 1)`, so that what looks like nothing known scores low everywhere.
#[must_use]
pub fn shape_probabilities(mask: &Mask) -> [f32; 6] {
    let profile = mask.profile();
    let overlaps = TEMPLATES.each_ref().map(|template| overlap(&profile, template));
    let best = overlaps.iter().copied().fold(0.0, f32::max);
    let weights = overlaps.map(|overlap| ((overlap - best) / TEMPERATURE).exp());
    let sum: f32 = weights.iter().sum();
    std::array::from_fn(|i| weights[i] / sum * ((overlaps[i] - OVERLAP_FLOOR) / OVERLAP_RISE).clamp(0.0, 1.0))
}

/// Soft intersection over union.
fn overlap(a: &Profile, b: &Profile) -> f32 {
    let (mut shared, mut union) = (0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        shared += a.min(*b);
        union += a.max(*b);
    }
    if union > 0.0 { shared / union } else { 0.0 }
}

/// The six shapes at a radius of 12 pixels, in the middle of the world's range, seen the same way as
/// components.
static TEMPLATES: LazyLock<[Profile; 6]> = LazyLock::new(|| {
    const WINDOW: usize = 32;
    Shape::ALL.map(|shape| {
        let middle = WINDOW as f32 / 2.0;
        let object = Object { shape, colour: Colour::White, x: middle, y: middle, radius: 12.0 };
        let alpha = (0..WINDOW * WINDOW)
            .map(|i| draw::coverage(&object, (i % WINDOW) as f32 + 0.5, (i / WINDOW) as f32 + 0.5))
            .collect();
        Mask { left: 0, top: 0, width: WINDOW, height: WINDOW, alpha }.profile()
    })
});

/// The upper median, or `None` of nothing.
pub(super) fn median(values: &mut [f32]) -> Option<f32> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f32::total_cmp).1)
}

/// Difference of two colours.
pub(super) fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Euclidean length of a difference.
pub(super) fn length([x, y, z]: [f32; 3]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}
