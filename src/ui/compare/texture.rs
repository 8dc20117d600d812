//! Pictures as textures: uploaded once, found again by the picture's number, forgotten when not drawn for a while.

use std::collections::BTreeMap;

use eframe::egui::{ColorImage, Context, TextureHandle, TextureId, TextureOptions};

use crate::ui::overlay::Picture;
use crate::world::image::Rgb8;

/// Textures kept that are not drawn.
const KEPT: usize = 256;

/// Textures by the number of their picture.
#[derive(Clone, Default)]
pub struct Textures {
    held: BTreeMap<u64, (TextureHandle, u64)>,
    clock: u64,
}

impl Textures {
    /// The texture of `picture`.
    pub fn of(&mut self, ctx: &Context, picture: &Picture) -> TextureId {
        self.clock += 1;
        let clock = self.clock;
        if let Some((texture, used)) = self.held.get_mut(&picture.id()) {
            *used = clock;
            return texture.id();
        }
        // Its pixels are to be seen, not smoothed away.
        let name = format!("picture {}", picture.id());
        let texture = ctx.load_texture(name, colours(picture.image()), TextureOptions::NEAREST);
        let id = texture.id();
        self.held.insert(picture.id(), (texture, clock));
        if self.held.len() > KEPT * 2 {
            let oldest = self.clock.saturating_sub(KEPT as u64);
            self.held.retain(|_, (_, used)| *used > oldest);
        }
        id
    }

    /// Textures held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether none is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

/// For egui.
#[must_use]
pub fn colours(image: &Rgb8) -> ColorImage {
    ColorImage::from_rgb([image.width, image.height], &image.pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_uploaded_once_and_memory_is_bounded() {
        let ctx = Context::default();
        let mut textures = Textures::default();
        let picture = |n: u32| Picture::new(Rgb8::filled(2, 2, [n as u8, (n >> 8) as u8, 0])).unwrap();
        let shown = picture(0);
        let first = textures.of(&ctx, &shown);
        assert_eq!(textures.of(&ctx, &shown), first);
        assert_eq!(textures.len(), 1);
        for number in 1..5000 {
            textures.of(&ctx, &picture(number));
        }
        assert!(textures.len() <= 2 * KEPT);
        assert!(!textures.held.contains_key(&shown.id()), "the oldest went");
    }
}
