//! The part of the pictures that is seen, one for the pictures of all runs and for A/B.

use eframe::egui::{CursorIcon, Rect, Ui};

use crate::ui::overlay::{ImageResponse, ImageView, WHOLE, zoomed};

/// The part that is seen, 0 to 1 in both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zoom {
    /// The part.
    pub uv: Rect,
}

impl Default for Zoom {
    fn default() -> Self {
        Self { uv: WHOLE }
    }
}

impl Zoom {
    /// Whether all is seen.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.uv == WHOLE
    }

    /// Takes up what the user did to a picture that was drawn with `view`.
    pub fn follow(&mut self, ui: &Ui, image: &ImageResponse, view: ImageView) {
        if let Some(uv) = zoomed(ui, image, view) {
            self.uv = uv;
        }
        if !self.is_whole() && image.response.hovered() {
            let dragged = image.response.dragged();
            ui.ctx().set_cursor_icon(if dragged { CursorIcon::Grabbing } else { CursorIcon::Grab });
        }
    }

    /// A button that shows whole pictures again; there only while they are not.
    pub fn reset_ui(&mut self, ui: &mut Ui) {
        if self.is_whole() {
            return;
        }
        let words = format!("Reset zoom ({:.1} x)", 1.0 / self.uv.width());
        let meaning =
            "Show whole pictures again, here and wherever runs are compared; a double click does so too.";
        if ui.button(words).on_hover_text(meaning).clicked() {
            *self = Self::default();
        }
    }
}
