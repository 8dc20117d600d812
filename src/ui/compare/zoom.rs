//! The part of the pictures that is seen, one for all of them: zoomed at the pointer, dragged, reset by a double click.

use eframe::egui::{CursorIcon, Pos2, Rect, Response, Ui, Vec2, pos2};

use crate::ui::picture::WHOLE;

/// The smallest part, as a share of the side.
const SMALLEST: f32 = 1.0 / 16.0;
/// Scrolled points that double the size.
const DOUBLING: f32 = 160.0;

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

    /// How much larger than the whole it is.
    #[must_use]
    pub fn factor(&self) -> f32 {
        1.0 / self.uv.width().max(SMALLEST)
    }

    /// Larger by `factor` around `at`, a place within what is seen (0 to 1 in both directions).
    pub fn zoom_at(&mut self, at: Pos2, factor: f32) {
        if !(factor.is_finite() && factor > 0.0) {
            return;
        }
        let side = (self.uv.width() / factor).clamp(SMALLEST, 1.0);
        let fixed = self.place(at);
        self.uv = within(Rect::from_min_size(fixed - at.to_vec2() * side, Vec2::splat(side)));
    }

    /// Moves what is seen by `by`, in sides of what is seen.
    pub fn pan(&mut self, by: Vec2) {
        self.uv = within(self.uv.translate(-by * self.uv.width()));
    }

    /// The place of the whole picture that is at `at` of what is seen.
    #[must_use]
    pub fn place(&self, at: Pos2) -> Pos2 {
        self.uv.min + at.to_vec2() * self.uv.width()
    }

    /// Takes up what the user does on a picture drawn at the response's square.
    pub fn follow(&mut self, ui: &Ui, response: &Response) {
        let side = response.rect.width().max(1.0);
        if response.double_clicked() {
            *self = Self::default();
        } else if response.dragged() && !self.is_whole() {
            self.pan(response.drag_delta() / side);
        }
        if !self.is_whole() && response.hovered() {
            ui.ctx().set_cursor_icon(if response.dragged() {
                CursorIcon::Grabbing
            } else {
                CursorIcon::Grab
            });
        }
        let Some(pointer) = response.hover_pos() else { return };
        // Taken away, so that the panel around does not scroll as well.
        let (scrolled, pinched) = ui.input_mut(|input| {
            let scrolled = input.smooth_scroll_delta.y;
            input.smooth_scroll_delta.y = 0.0;
            (scrolled, input.zoom_delta())
        });
        let factor = pinched * (scrolled / DOUBLING).exp2();
        if factor != 1.0 {
            self.zoom_at(((pointer - response.rect.min) / side).to_pos2(), factor);
        }
    }
}

/// Moved so that it lies within the whole.
fn within(uv: Rect) -> Rect {
    let side = uv.width().min(1.0);
    let low = |v: f32| if v.is_finite() { v.clamp(0.0, 1.0 - side) } else { 0.0 };
    Rect::from_min_size(pos2(low(uv.min.x), low(uv.min.y)), Vec2::splat(side))
}

#[cfg(test)]
mod tests {
    use eframe::egui::vec2;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_seen_stays_within_the_picture(
            moves in prop::collection::vec((0.0_f32..1.0, 0.0_f32..1.0, 0.1_f32..10.0, -2.0_f32..2.0, -2.0_f32..2.0), 0..20),
        ) {
            let mut zoom = Zoom::default();
            for (x, y, factor, dx, dy) in moves {
                zoom.zoom_at(pos2(x, y), factor);
                zoom.pan(vec2(dx, dy));
                prop_assert!(zoom.uv.min.x >= 0.0 && zoom.uv.min.y >= 0.0);
                prop_assert!(zoom.uv.max.x <= 1.0 + 1e-5 && zoom.uv.max.y <= 1.0 + 1e-5);
                prop_assert!(zoom.uv.width() >= SMALLEST - 1e-5 && (zoom.uv.width() - zoom.uv.height()).abs() < 1e-5);
            }
        }

        #[test]
        fn the_place_under_the_pointer_stays_when_zooming_in(
            x in 0.0_f32..1.0, y in 0.0_f32..1.0, first in 1.0_f32..4.0, second in 1.0_f32..4.0,
        ) {
            let mut zoom = Zoom::default();
            zoom.zoom_at(pos2(0.3, 0.6), first);
            let before = zoom.place(pos2(x, y));
            zoom.zoom_at(pos2(x, y), second);
            prop_assert!((zoom.place(pos2(x, y)) - before).length() < 1e-4);
        }
    }

    #[test]
    fn zooming_out_as_far_as_in_shows_all_again() {
        let mut zoom = Zoom::default();
        zoom.zoom_at(pos2(1.0, 0.0), 4.0);
        assert_eq!(zoom.uv, Rect::from_min_max(pos2(0.75, 0.0), pos2(1.0, 0.25)));
        zoom.zoom_at(pos2(0.5, 0.5), 1e9);
        assert_eq!(zoom.uv.width(), SMALLEST);
        zoom.zoom_at(pos2(0.0, 1.0), 1e-9);
        assert!(zoom.is_whole());
    }
}
