//! Drawing a scene, anti-aliased by signed distance.
//!
//! A pixel is covered by `clip(0.5 - d, 0, 1)`, where `d` is the distance in pixels from its centre to the
//! outline, negative inside. No rotation, no texture, no noise: every picture is a smooth function of
//! positions and radii.

use super::image::Rgb8;
use super::scene::{MAX_REACH, Object, SIDE, Scene, Shape};

/// A scene as a 64 x 64 picture. Objects may reach over the edge; what lies outside is not drawn.
#[must_use]
pub fn draw(scene: &Scene) -> Rgb8 {
    let mut canvas = vec![scene.background; SIDE * SIDE];
    for object in &scene.objects {
        let [left, right] = span(object.x, object.radius);
        let [top, bottom] = span(object.y, object.radius);
        let paint = object.colour.rgb();
        for y in top..bottom {
            for x in left..right {
                let cover = coverage(object, x as f32 + 0.5, y as f32 + 0.5);
                if cover > 0.0 {
                    for (channel, paint) in canvas[y * SIDE + x].iter_mut().zip(paint) {
                        *channel += cover * (paint - *channel);
                    }
                }
            }
        }
    }
    let byte = |channel: f32| (255.0 * channel.clamp(0.0, 1.0)).round() as u8;
    Rgb8 { width: SIDE, height: SIDE, pixels: canvas.into_iter().flatten().map(byte).collect() }
}

/// The pixel columns (or rows) an object can touch. Casts saturate, so any position and radius is safe.
fn span(centre: f32, radius: f32) -> [usize; 2] {
    let reach = MAX_REACH * radius + 1.0;
    [(centre - reach).floor().max(0.0) as usize, ((centre + reach).ceil().max(0.0) as usize).min(SIDE)]
}

/// How much of the pixel centred on (`x`, `y`) the object covers, 0..1.
#[must_use]
pub fn coverage(object: &Object, x: f32, y: f32) -> f32 {
    (0.5 - signed_distance(object.shape, object.radius, x - object.x, y - object.y)).clamp(0.0, 1.0)
}

/// Distance in pixels from the point (`x`, `y`), measured from the centre, to the outline; negative inside.
fn signed_distance(shape: Shape, r: f32, x: f32, y: f32) -> f32 {
    match shape {
        Shape::Circle => x.hypot(y) - r,
        Shape::Square => to_box(x, y, 0.88 * r, 0.88 * r),
        Shape::Triangle => to_polygon(x, y, &TRIANGLE, r),
        Shape::Star => to_polygon(x, y, &STAR, r),
        Shape::Ring => (x.hypot(y) - 0.76 * r).abs() - 0.24 * r,
        Shape::Cross => to_box(x, y, r, 0.32 * r).min(to_box(x, y, 0.32 * r, r)),
    }
}

/// Signed distance to a box of half sides `a`, `b` about the origin.
fn to_box(x: f32, y: f32, a: f32, b: f32) -> f32 {
    let (dx, dy) = (x.abs() - a, y.abs() - b);
    dx.max(0.0).hypot(dy.max(0.0)) + dx.max(dy).min(0.0)
}

const TRIANGLE: [[f32; 2]; 3] = [[0.0, -1.0], [0.98, 0.8], [-0.98, 0.8]];

/// Outer radius 1.08, inner 0.44, a point up; vertices at multiples of 36 degrees, clockwise.
const STAR: [[f32; 2]; 10] = [
    [0.0, -1.08],
    [0.258_625, -0.355_967],
    [1.027_141, -0.333_738],
    [0.418_465, 0.135_967],
    [0.634_808, 0.873_738],
    [0.0, 0.44],
    [-0.634_808, 0.873_738],
    [-0.418_465, 0.135_967],
    [-1.027_141, -0.333_738],
    [-0.258_625, -0.355_967],
];

/// Signed distance to a simple polygon of unit size scaled by `r`: nearest edge, sign by the even-odd rule.
fn to_polygon(x: f32, y: f32, vertices: &[[f32; 2]], r: f32) -> f32 {
    let mut nearest = f32::INFINITY;
    let mut inside = false;
    let [mut px, mut py] = vertices[vertices.len() - 1].map(|v| v * r);
    for &vertex in vertices {
        let [qx, qy] = vertex.map(|v| v * r);
        let (ex, ey) = (px - qx, py - qy);
        let (wx, wy) = (x - qx, y - qy);
        // A polygon of no size has edges of no length; the tiny number keeps its distance finite.
        let t = ((wx * ex + wy * ey) / (ex * ex + ey * ey).max(1e-12)).clamp(0.0, 1.0);
        let (bx, by) = (wx - t * ex, wy - t * ey);
        nearest = nearest.min(bx * bx + by * by);
        if (qy > y) != (py > y) && x < qx + (y - qy) * ex / ey {
            inside = !inside;
        }
        (px, py) = (qx, qy);
    }
    if inside { -nearest.sqrt() } else { nearest.sqrt() }
}
