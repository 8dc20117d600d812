//! The difference of two pictures, computed once for a pair.

use eframe::egui::{Color32, ColorImage, Context, TextureHandle, TextureId, TextureOptions};

use crate::ui::overlay::Picture;
use crate::world::image::Rgb8;

/// The difference of a pair of pictures, as a texture.
#[derive(Clone, Default)]
pub struct Differences {
    held: Option<Held>,
}

#[derive(Clone)]
struct Held {
    /// Numbers of the pictures and the factor.
    of: (u64, u64, u32),
    mean: f64,
    texture: TextureHandle,
}

impl Differences {
    /// The texture of |a - b| times `factor`, and the mean of |a - b| over all pixels and colours, 0 to 255.
    ///
    /// # Errors
    /// A sentence if the pictures differ in size.
    pub fn of(
        &mut self,
        ctx: &Context,
        (a, b): (&Picture, &Picture),
        factor: u32,
    ) -> Result<(TextureId, f64), String> {
        let of = (a.id(), b.id(), factor);
        if let Some(held) = self.held.as_ref().filter(|held| held.of == of) {
            return Ok((held.texture.id(), held.mean));
        }
        let (image, mean) = difference(a.image(), b.image(), factor)?;
        let texture = ctx.load_texture("difference", image, TextureOptions::NEAREST);
        let id = texture.id();
        self.held = Some(Held { of, mean, texture });
        Ok((id, mean))
    }
}

/// |a - b| times `factor`, cut at white, and the mean of |a - b|, 0 to 255.
///
/// # Errors
/// A sentence if the pictures differ in size.
pub fn difference(a: &Rgb8, b: &Rgb8, factor: u32) -> Result<(ColorImage, f64), String> {
    if (a.width, a.height) != (b.width, b.height) {
        return Err(format!(
            "A has {} x {} pixels and B has {} x {}: they have no difference.",
            a.width, a.height, b.width, b.height
        ));
    }
    let apart: Vec<u8> = a.pixels.iter().zip(&b.pixels).map(|(a, b)| a.abs_diff(*b)).collect();
    let sum: u64 = apart.iter().copied().map(u64::from).sum();
    let louder = |v: u8| u8::try_from(u32::from(v).saturating_mul(factor)).unwrap_or(u8::MAX);
    let colour = |c: &[u8]| match c {
        [r, g, b] => Color32::from_rgb(louder(*r), louder(*g), louder(*b)),
        _ => Color32::BLACK,
    };
    let image = ColorImage::new([a.width, a.height], apart.chunks(3).map(colour).collect());
    Ok((image, sum as f64 / apart.len().max(1) as f64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_difference_is_amplified_but_its_mean_is_not() {
        let (a, b) = (Rgb8::filled(2, 2, [10, 20, 30]), Rgb8::filled(2, 2, [13, 10, 30]));
        let (image, mean) = difference(&a, &b, 8).unwrap();
        assert_eq!(image.pixels, [Color32::from_rgb(24, 80, 0); 4]);
        assert!((mean - 13.0 / 3.0).abs() < 1e-12);
        assert!(difference(&a, &Rgb8::filled(3, 2, [0; 3]), 1).unwrap_err().contains("3 x 2"));
    }

    proptest! {
        #[test]
        fn the_difference_has_no_direction(a in prop::collection::vec(0u8.., 12), b in prop::collection::vec(0u8.., 12)) {
            let (a, b) = (Rgb8::new(2, 2, a).unwrap(), Rgb8::new(2, 2, b).unwrap());
            prop_assert_eq!(difference(&a, &b, 3), difference(&b, &a, 3));
            prop_assert_eq!(difference(&a, &a, 3).unwrap().1, 0.0);
        }
    }
}
