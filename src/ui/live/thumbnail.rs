//! A small picture without anything over it, drawn from a texture that is uploaded once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui::{
    Color32, ColorImage, Context, Id, Painter, Rect, TextureFilter, TextureHandle, TextureOptions, pos2,
};

use crate::ui::overlay::Picture;

/// Textures kept; those that were not drawn for longest go first.
const KEPT: usize = 512;

#[derive(Default)]
struct Textures {
    held: BTreeMap<u64, (TextureHandle, u64)>,
    clock: u64,
}

type Shared = Arc<Mutex<Textures>>;

fn shared(ctx: &Context) -> Shared {
    ctx.data_mut(|data| data.get_temp_mut_or_default::<Shared>(Id::unique("thumbnails")).clone())
}

/// Draws `picture` over all of `rect`.
pub fn thumbnail(painter: &Painter, rect: Rect, picture: &Picture) {
    let shared = shared(painter.ctx());
    let mut textures = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let texture = textures.of(painter.ctx(), picture);
    let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    painter.image(texture, rect, whole, Color32::WHITE);
}

impl Textures {
    fn of(&mut self, ctx: &Context, picture: &Picture) -> eframe::egui::TextureId {
        self.clock += 1;
        if let Some((texture, used)) = self.held.get_mut(&picture.id()) {
            *used = self.clock;
            return texture.id();
        }
        if self.held.len() >= KEPT {
            self.drop_older_half();
        }
        let image = picture.image();
        let size = [image.width, image.height];
        let image = ColorImage::from_rgb(size, &image.pixels);
        // Pixels of a small picture are what is looked at: no smoothing when they are drawn larger.
        let options = TextureOptions { minification: TextureFilter::Linear, ..TextureOptions::NEAREST };
        let texture = ctx.load_texture("thumbnail", image, options);
        let id = texture.id();
        self.held.insert(picture.id(), (texture, self.clock));
        id
    }

    /// Half at once, so that a scan of all is rare.
    fn drop_older_half(&mut self) {
        let mut used: Vec<u64> = self.held.values().map(|(_, used)| *used).collect();
        used.sort_unstable();
        let Some(middle) = used.get(used.len() / 2).copied() else { return };
        self.held.retain(|_, (_, used)| *used >= middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::image::Rgb8;

    #[test]
    fn textures_are_reused_and_their_number_is_bounded() {
        let ctx = Context::default();
        let mut textures = Textures::default();
        let pictures: Vec<Picture> = (0..2 * KEPT)
            .map(|i| Picture::new(Rgb8::filled(2, 2, [(i % 256) as u8, (i / 256) as u8, 7])).unwrap())
            .collect();
        for picture in &pictures {
            let id = textures.of(&ctx, picture);
            assert_eq!(textures.of(&ctx, picture), id, "drawn again, it is not uploaded again");
            assert!(textures.held.len() <= KEPT);
        }
        let last = pictures.last().unwrap();
        assert!(textures.held.contains_key(&last.id()), "the newest stays");
    }
}
