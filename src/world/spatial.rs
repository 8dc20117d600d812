//! Where one box lies as seen from another: the rules of `GenEval` and of T2I-CompBench, number for number.
//!
//! Each function follows one original: `relative_position` and `compute_iou` of `GenEval`'s
//! `evaluate_images.py`; `determine_position` of T2I-CompBench's `2D_spatial_eval.py` and
//! `3D_spatial_eval.py`, `calculate_iou` of `numeracy_eval.py`. All rows grow downward.

use super::scene::Relation;

/// A box in pixels; `x_max` and `y_max` are edges, not indices of last pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Left edge.
    pub x_min: f64,
    /// Top edge.
    pub y_min: f64,
    /// Right edge.
    pub x_max: f64,
    /// Bottom edge.
    pub y_max: f64,
}

impl Bounds {
    /// A box from `[x_min, y_min, x_max, y_max]`, the order of both benchmarks.
    #[must_use]
    pub const fn new([x_min, y_min, x_max, y_max]: [f64; 4]) -> Self {
        Self { x_min, y_min, x_max, y_max }
    }

    /// Its middle.
    #[must_use]
    pub const fn centre(&self) -> [f64; 2] {
        [f64::midpoint(self.x_min, self.x_max), f64::midpoint(self.y_min, self.y_max)]
    }

    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> [f64; 2] {
        [(self.x_max - self.x_min).abs(), (self.y_max - self.y_min).abs()]
    }

    /// Area with `pixel` added to each side: 1 counts the last pixel in, 0 takes the edges as they are.
    fn area(&self, pixel: f64) -> f64 {
        (self.x_max - self.x_min + pixel).max(0.0) * (self.y_max - self.y_min + pixel).max(0.0)
    }

    fn intersection(&self, other: &Self) -> Self {
        Self {
            x_min: self.x_min.max(other.x_min),
            y_min: self.y_min.max(other.y_min),
            x_max: self.x_max.min(other.x_max),
            y_max: self.y_max.min(other.y_max),
        }
    }

    fn iou(&self, other: &Self, pixel: f64) -> f64 {
        let shared = self.intersection(other).area(pixel);
        let union = self.area(pixel) + other.area(pixel) - shared;
        if union > 0.0 { shared / union } else { 0.0 }
    }
}

/// `GenEval`: how far A lies from B along x and y, in -1..1.
///
/// The offset of the centres, each axis shortened towards zero by a tenth of the summed sizes, over the
/// length of the *unshortened* offset, so that overlapping boxes often have no relation. Zero when both
/// shortened axes are.
#[must_use]
pub fn relative_offset(a: &Bounds, b: &Bounds) -> [f64; 2] {
    let axis = |i: usize| a.centre()[i] - b.centre()[i];
    let offset = [axis(0), axis(1)];
    let shortened = [0, 1].map(|i| {
        let slack = 0.1 * (a.size()[i] + b.size()[i]);
        (offset[i].abs() - slack).max(0.0).copysign(offset[i])
    });
    if shortened.iter().all(|o| o.abs() < 1e-3) {
        return [0.0; 2];
    }
    let length = offset[0].hypot(offset[1]);
    shortened.map(|o| o / length)
}

/// The component of a relative offset along a relation's direction.
#[must_use]
pub fn along(relation: Relation, [dx, dy]: [f64; 2]) -> f64 {
    let [x, y] = relation.direction();
    dx * f64::from(x) + dy * f64::from(y)
}

/// `GenEval`: which relations A has to B: those along which [`relative_offset`] exceeds 0.5; none, one or
/// two.
#[must_use]
pub fn relative_position(a: &Bounds, b: &Bounds) -> Vec<Relation> {
    let offset = relative_offset(a, b);
    Relation::ALL.into_iter().filter(|&relation| along(relation, offset) > 0.5).collect()
}

/// `GenEval`: intersection over union of boxes whose last pixel counts (+1 on both sides).
#[must_use]
pub fn compute_iou(a: &Bounds, b: &Bounds) -> f64 {
    a.iou(b, 1.0)
}

/// T2I-CompBench 2D: how well A stands in a relation to B, 0..1. Wordings the original does not know give 0,
/// among them "above" and "on top of" (it knows "on the top of").
#[must_use]
pub fn determine_position(locality: &str, a: &Bounds, b: &Bounds) -> f64 {
    const NEAR_PIXELS: f64 = 150.0;
    let [dx, dy] = [0, 1].map(|i| b.centre()[i] - a.centre()[i]);
    let holds = match locality {
        "next to" | "on side of" | "near" => {
            let close = dx.abs() < NEAR_PIXELS || dy.abs() < NEAR_PIXELS;
            return if close { 1.0 } else { NEAR_PIXELS / dx.abs().max(dy.abs()) };
        }
        "on the right of" => dx < 0.0 && dx.abs() > dy.abs(),
        "on the left of" => dx > 0.0 && dx.abs() > dy.abs(),
        "on the bottom of" => dy < 0.0 && dy.abs() > dx.abs(),
        "on the top of" => dy > 0.0 && dy.abs() > dx.abs(),
        _ => return 0.0,
    };
    let iou = a.iou(b, 0.0);
    match (holds, iou < 0.1) {
        (false, _) => 0.0,
        (true, true) => 1.0,
        (true, false) => 0.1 / iou,
    }
}

/// T2I-CompBench 2D: score of one image from the detector's scores of the two objects (`None`: not found) and
/// [`determine_position`]: a quarter for each score, half for the position, and anything below 0.5 counts 0.
#[must_use]
pub fn image_score(score_a: Option<f64>, score_b: Option<f64>, position: f64) -> f64 {
    let found = 0.25 * score_a.unwrap_or(0.0) + 0.25 * score_b.unwrap_or(0.0);
    let both = score_a.is_some() && score_b.is_some();
    let score = if both { found + 0.5 * position } else { found };
    if score < 0.5 { 0.0 } else { score }
}

/// Depths of an image (larger is nearer), row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct DepthMap {
    /// Rows: the length of the first axis.
    pub rows: usize,
    /// Columns: the length of the second axis.
    pub columns: usize,
    /// `rows * columns` depths.
    pub values: Vec<f64>,
}

impl DepthMap {
    /// Mean over a box the way the original slices it: `[x_min..x_max, y_min..y_max]`, that is with x along
    /// the *rows*, ends cut at the map. An empty slice has no mean.
    fn mean(&self, of: &Bounds) -> Option<f64> {
        let rows = of.x_min as usize..(of.x_max as usize).min(self.rows);
        let columns = of.y_min as usize..(of.y_max as usize).min(self.columns);
        let cells = rows.len() * columns.len();
        let sum: f64 = rows
            .flat_map(|row| columns.clone().map(move |column| row * self.columns + column))
            .filter_map(|i| self.values.get(i))
            .sum();
        (cells > 0).then(|| sum / cells as f64)
    }
}

/// T2I-CompBench 3D: how well A stands in front of, behind or hidden by B, 0..1: the boxes must overlap (full
/// score above an overlap of 0.5, in proportion below, and 0 at exactly 0.5 as in the original) and A be
/// nearer or farther on average.
#[must_use]
pub fn determine_depth_position(locality: &str, a: &Bounds, b: &Bounds, depth: &DepthMap) -> f64 {
    let Some(difference) = depth.mean(a).zip(depth.mean(b)).map(|(a, b)| a - b) else { return 0.0 };
    let holds = match locality {
        "in front of" => difference > 0.0,
        "behind" | "hidden" => difference < 0.0,
        _ => false,
    };
    let iou = a.iou(b, 0.0);
    if !holds {
        0.0
    } else if iou > 0.5 {
        1.0
    } else if iou < 0.5 {
        iou / 0.5
    } else {
        0.0
    }
}

/// T2I-CompBench numeracy: whether two boxes count as one object: an overlap above 0.9, or either contained
/// to more than 0.9 in the other (last pixels count).
#[must_use]
pub fn is_duplicate(a: &Bounds, b: &Bounds) -> bool {
    let shared = a.intersection(b).area(1.0);
    a.iou(b, 1.0) > 0.9 || shared / a.area(1.0) > 0.9 || shared / b.area(1.0) > 0.9
}
