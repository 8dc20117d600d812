//! How red a picture is: the easiest reward, and the first smoke test of a training loop.

use super::Reward;
use crate::world::image::Rgb8;
use crate::world::prompt::Caption;

/// `redness`: mean of R - (G + B) / 2 over the pixels, -1..1; 0 for a picture without pixels.
#[derive(Clone, Copy, Debug)]
pub struct Redness;

impl Reward for Redness {
    fn name(&self) -> &'static str {
        "redness"
    }

    fn score(&self, image: &Rgb8, _: &Caption) -> f32 {
        let doubled = |p: &[u8]| 2 * i64::from(p[0]) - i64::from(p[1]) - i64::from(p[2]);
        let sum: i64 = image.pixels.chunks_exact(3).map(doubled).sum();
        (sum as f64 / (510.0 * (image.pixels.len() / 3).max(1) as f64)) as f32
    }
}
