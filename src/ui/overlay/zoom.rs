//! Zooming and panning a picture, as a new part of it to show.

use eframe::egui::{InputState, Pos2, Rect, Ui, Vec2};

use super::view::{ImageResponse, ImageView, WHOLE, to_picture};

/// The smallest part that is shown, along a side.
const LEAST_PART: f32 = 1.0 / 64.0;

/// The part of the picture to show after what the user did to it: the wheel with Ctrl held or a pinch zooms about the
/// pointer, dragging pans, a double click shows all of it. `None` if nothing changed. Give the answer to every picture
/// that should zoom along.
#[must_use]
pub fn zoomed(ui: &Ui, image: &ImageResponse, view: ImageView) -> Option<Rect> {
    let response = &image.response;
    let uv = if response.double_clicked() {
        WHOLE
    } else {
        let zoom = if response.contains_pointer() { ui.input(InputState::zoom_delta) } else { 1.0 };
        let about =
            response.hover_pos().map_or(view.uv.center(), |at| to_picture(at, response.rect, view.uv));
        panned(scaled(view.uv, about, zoom), response.drag_delta() / response.rect.size())
    };
    (uv != view.uv).then_some(uv)
}

/// `uv` shown `zoom` times as large, with the place `about` staying where it is.
fn scaled(uv: Rect, about: Pos2, zoom: f32) -> Rect {
    if zoom == 1.0 || !zoom.is_finite() || zoom <= 0.0 {
        return uv;
    }
    let longest = uv.width().max(uv.height());
    let factor = (1.0 / zoom).clamp(LEAST_PART / longest, 1.0 / longest);
    inside(Rect::from_min_max(about + (uv.min - about) * factor, about + (uv.max - about) * factor))
}

/// `uv` after the picture was dragged by a share of the widget.
fn panned(uv: Rect, dragged: Vec2) -> Rect {
    if dragged == Vec2::ZERO || !dragged.is_finite() {
        return uv;
    }
    inside(uv.translate(-dragged * uv.size()))
}

/// `uv` moved so that as little as possible of it lies outside the picture.
fn inside(uv: Rect) -> Rect {
    let shift = |low: f32, high: f32| {
        if high - low >= 1.0 { 0.5 - 0.5 * (low + high) } else { (-low).max(0.0) + (1.0 - high).min(0.0) }
    };
    uv.translate(Vec2::new(shift(uv.min.x, uv.max.x), shift(uv.min.y, uv.max.y)))
}

#[cfg(test)]
mod tests {
    use eframe::egui::{pos2, vec2};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn zooming_keeps_the_place_under_the_pointer() {
        let about = pos2(0.25, 0.75);
        let uv = scaled(WHOLE, about, 4.0);
        assert_eq!(uv, Rect::from_min_max(pos2(0.1875, 0.5625), pos2(0.4375, 0.8125)));
        assert_eq!(scaled(uv, about, 1e-6), WHOLE);
        assert_eq!(scaled(WHOLE, about, f32::NAN), WHOLE);
    }

    #[test]
    fn dragging_by_the_widget_moves_by_the_part_shown() {
        let uv = Rect::from_min_max(pos2(0.5, 0.5), pos2(0.75, 0.75));
        assert_eq!(panned(uv, vec2(1.0, -0.5)), Rect::from_min_max(pos2(0.25, 0.625), pos2(0.5, 0.875)));
        assert_eq!(panned(uv, vec2(100.0, 0.0)).min.x, 0.0);
    }

    proptest! {
        #[test]
        fn what_is_shown_never_leaves_the_picture(
            steps in proptest::collection::vec((0.0_f32..1.0, 0.0_f32..1.0, 0.1_f32..10.0, -2.0_f32..2.0), 1..30)
        ) {
            let mut uv = WHOLE;
            for (x, y, zoom, drag) in steps {
                uv = panned(scaled(uv, pos2(uv.min.x + x * uv.width(), uv.min.y + y * uv.height()), zoom), vec2(drag, -drag));
                prop_assert!(uv.min.x > -1e-4 && uv.min.y > -1e-4 && uv.max.x < 1.0001 && uv.max.y < 1.0001, "{uv:?}");
                prop_assert!(uv.width() > 0.9 * LEAST_PART);
            }
        }
    }
}
