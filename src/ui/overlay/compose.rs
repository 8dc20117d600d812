//! A picture with its overlay as a picture, on the CPU: for export, and to check the shader against.

use eframe::egui::{Pos2, Rect, Vec2};

use super::colormap::bytes;
use super::layer::Picture;
use super::settings::Overlay;
use super::shade::Shader;
use super::uniforms::{Placement, Uniforms};
use super::view::WHOLE;
use crate::error::{Error, Result};
use crate::world::image::{MAX_PIXELS, Rgb8};

/// The whole of `picture` with `overlay` over it, magnified `magnification` times. It is the picture that the window
/// shows at that size on a screen with one pixel a point.
///
/// # Errors
/// For a magnification of 0, or one that makes more than [`MAX_PIXELS`].
pub fn compose(picture: &Picture, overlay: &Overlay, magnification: usize) -> Result<Rgb8> {
    let image = picture.image();
    let (width, height) =
        (image.width.saturating_mul(magnification), image.height.saturating_mul(magnification));
    let pixels = (width as u64).saturating_mul(height as u64);
    if pixels == 0 || pixels > MAX_PIXELS {
        return Err(Error::Config(format!(
            "a picture of {} x {} pixels cannot be written {magnification} times as large: at least once, and at most \
             64 megapixels",
            image.width, image.height
        )));
    }
    let place = Placement {
        rect_px: Rect::from_min_size(Pos2::ZERO, Vec2::new(width as f32, height as f32)),
        uv: WHOLE,
        pixels_per_point: 1.0,
        alpha: 1.0,
    };
    let shader = Shader { draw: Uniforms::new(overlay, &place), layers: overlay.layers(picture) };
    let mut composed = Vec::with_capacity(3 * width * height);
    for y in 0..height {
        for x in 0..width {
            // Nothing of the whole picture is outside it.
            let colour = shader.shade([x as f32 + 0.5, y as f32 + 0.5]).unwrap_or_default();
            composed.extend(bytes(colour));
        }
    }
    Rgb8::new(width, height, composed)
}
