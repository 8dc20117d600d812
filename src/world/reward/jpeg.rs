//! File size as a reward, after DDPO (arXiv 2305.13301): compressibility and its opposite.
//!
//! Nothing is asked of the content, so a correct training loop raises it within a few steps.

use super::Reward;
use crate::world::image::Rgb8;
use crate::world::prompt::Caption;

/// JPEG quality of both rewards; the DDPO paper uses 95, the prototype of this world 75.
const QUALITY: u8 = 75;

/// `jpeg_small`: minus the size in kB (1,000 bytes); smooth pictures earn more.
pub const SMALL: JpegSize = JpegSize { name: "jpeg_small", sign: -1.0 };

/// `jpeg_large`: the size in kB; busy pictures earn more.
pub const LARGE: JpegSize = JpegSize { name: "jpeg_large", sign: 1.0 };

/// Size of the picture as a JPEG file; see [`SMALL`] and [`LARGE`].
#[derive(Clone, Copy, Debug)]
pub struct JpegSize {
    name: &'static str,
    sign: f32,
}

impl Reward for JpegSize {
    fn name(&self) -> &'static str {
        self.name
    }

    fn score(&self, image: &Rgb8, _: &Caption) -> f32 {
        self.sign * image.jpeg_bytes(QUALITY) as f32 / 1000.0
    }
}
