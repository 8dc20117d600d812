//! Marks that Inspect paints over the picture: the token under the pointer in the list, and what would change.

use eframe::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2, vec2};

use super::what_if::Fate;
use crate::ui::overlay::TokenMap;

/// Where a token lies on a picture whose part `uv` fills the rectangle.
#[must_use]
pub fn token_rect((picture, uv): (Rect, Rect), side: usize, token: usize) -> Rect {
    let side = side.max(1);
    let whole = picture.size() / uv.size();
    let cell = whole / side as f32;
    let place = vec2((token % side) as f32, (token / side) as f32);
    Rect::from_min_size(picture.min - uv.min.to_vec2() * whole + place * cell, cell)
}

/// Outlines a token so that it is seen on any picture.
pub fn outline(painter: &Painter, cell: Rect) {
    painter.rect_stroke(cell, 0.0, Stroke::new(3.0, Color32::BLACK), StrokeKind::Outside);
    painter.rect_stroke(cell, 0.0, Stroke::new(1.5, Color32::WHITE), StrokeKind::Outside);
}

/// The sign of a fate: what would change must be told without colours.
#[must_use]
pub const fn sign(fate: Fate) -> Option<&'static str> {
    match fate {
        Fate::Neither => None,
        Fate::Both => Some("•"),
        Fate::Gained => Some("+"),
        Fate::Lost => Some("−"),
    }
}

/// Paints the signs of a map of fates.
pub fn signs(painter: &Painter, picture: (Rect, Rect), map: &TokenMap) {
    for (token, value) in map.values().iter().enumerate() {
        let fate = [Fate::Both, Fate::Gained, Fate::Lost].into_iter().find(|fate| fate.value() == *value);
        let Some(sign) = fate.and_then(sign) else { continue };
        let cell = token_rect(picture, map.side(), token);
        let font = FontId::monospace((cell.height() * 0.6).clamp(7.0, 22.0));
        shadowed(painter, cell.center(), sign, &font);
    }
}

fn shadowed(painter: &Painter, at: Pos2, text: &str, font: &FontId) {
    for offset in [vec2(1.0, 0.0), vec2(-1.0, 0.0), vec2(0.0, 1.0), vec2(0.0, -1.0), Vec2::ZERO] {
        let colour = if offset == Vec2::ZERO { Color32::WHITE } else { Color32::BLACK };
        painter.text(at + offset, Align2::CENTER_CENTER, text, font.clone(), colour);
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::pos2;

    use super::*;
    use crate::ui::overlay::WHOLE;

    #[test]
    fn tokens_lie_row_by_row() {
        let picture = Rect::from_min_size(pos2(10.0, 20.0), Vec2::splat(80.0));
        let whole = (picture, WHOLE);
        assert_eq!(token_rect(whole, 8, 10), Rect::from_min_size(pos2(30.0, 30.0), Vec2::splat(10.0)));
        let quarter = (picture, Rect::from_min_max(pos2(0.25, 0.0), pos2(0.75, 0.5)));
        assert_eq!(token_rect(quarter, 8, 10), Rect::from_min_size(pos2(10.0, 40.0), Vec2::splat(20.0)));
    }
}
