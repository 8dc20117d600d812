//! Where the pictures of a group stand: as large as they can be so that all are seen, or scrolled where they would be tiny.

use eframe::egui::{Rect, ScrollArea, Sense, Ui, Vec2, vec2};

use super::card::{Card, MARGIN, card_ui};
use super::steps;
use crate::runs::event::PictureRecord;
use crate::ui::action::Action;
use crate::ui::data::group::LoadedGroup;
use crate::ui::scene::Scene;
use crate::ui::view::OverlayView;

/// Pictures smaller than this tell nothing; then the grid scrolls.
pub const LEAST_SIDE: f32 = 72.0;
/// From this side on there is room for the parts of the reward.
const PARTS_SIDE: f32 = 112.0;
/// Larger than this, pixels are only blown up.
const MOST_SIDE: f32 = 512.0;
/// Side where the grid scrolls.
const SCROLLED_SIDE: f32 = 96.0;
/// Between two cards.
const BETWEEN: f32 = 4.0;
/// Height of a line under a picture.
pub const LINE: f32 = 15.0;
/// The grid is never lower than this, however low the panel.
const LEAST_HEIGHT: f32 = LEAST_SIDE + 2.0 * MARGIN + LINE;

/// The order of the pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// As they were sampled.
    #[default]
    Number,
    /// By reward.
    Reward,
    /// By advantage.
    Advantage,
}

impl Order {
    /// Places of `pictures` in this order.
    pub fn of(self, pictures: &[PictureRecord]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..pictures.len()).collect();
        let key = |index: &usize| {
            let picture = pictures.get(*index);
            let value =
                picture.map_or(f64::NAN, |p| if self == Self::Reward { p.reward.0 } else { p.advantage.0 });
            // What is not finite comes first: it is what has to be seen.
            if value.is_finite() { -value } else { f64::NEG_INFINITY }
        };
        if self != Self::Number {
            order.sort_by(|a, b| key(a).total_cmp(&key(b)));
        }
        order
    }
}

/// Columns and size of a grid of cards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridShape {
    /// Cards in a row.
    pub columns: usize,
    /// Side of a picture, points.
    pub side: f32,
    /// Lines under a picture: 2 with the parts of the reward.
    pub lines: usize,
}

impl GridShape {
    /// For `count` pictures in `size` points: the largest at which all fit, or as many columns as fit of pictures that
    /// have to be scrolled.
    #[must_use]
    pub fn of(count: usize, size: Vec2) -> Self {
        let fits = |lines: usize, most: f32| {
            (1..=count.max(1))
                .map(|columns| {
                    let rows = count.max(1).div_ceil(columns);
                    let room = |length: f32, cards: usize| {
                        (length + BETWEEN) / cards as f32 - BETWEEN - 2.0 * MARGIN
                    };
                    let side = room(size.x, columns).min(room(size.y, rows) - lines as f32 * LINE).min(most);
                    Self { columns, side: side.floor(), lines }
                })
                // Of equal sides the first, which has the fewest columns.
                .reduce(|best, next| if next.side > best.side { next } else { best })
        };
        let with_parts = fits(2, MOST_SIDE).filter(|shape| shape.side >= PARTS_SIDE);
        let small = || fits(1, PARTS_SIDE - 1.0).filter(|shape| shape.side >= LEAST_SIDE);
        with_parts.or_else(small).unwrap_or_else(|| {
            let columns = ((size.x + BETWEEN) / (SCROLLED_SIDE + 2.0 * MARGIN + BETWEEN)).floor().max(1.0);
            let side = (size.x + BETWEEN) / columns - BETWEEN - 2.0 * MARGIN;
            let side = side.clamp(LEAST_SIDE / 2.0, PARTS_SIDE - 1.0).floor();
            Self { columns: (columns as usize).min(count.max(1)), side, lines: 1 }
        })
    }

    /// Width and height of a card.
    #[must_use]
    pub fn card(self) -> Vec2 {
        Vec2::splat(self.side + 2.0 * MARGIN) + vec2(0.0, self.lines as f32 * LINE)
    }

    /// Width and height of all cards.
    #[must_use]
    pub fn all(self, count: usize) -> Vec2 {
        let rows = count.div_ceil(self.columns.max(1));
        (self.card() + Vec2::splat(BETWEEN)) * vec2(self.columns as f32, rows as f32) - Vec2::splat(BETWEEN)
    }

    fn place(self, index: usize) -> Vec2 {
        let columns = self.columns.max(1);
        (self.card() + Vec2::splat(BETWEEN)) * vec2((index % columns) as f32, (index / columns) as f32)
    }
}

/// Draws all pictures of `group` in `order`. `height` is what is left for them and the AR steps below.
pub(super) fn grid_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    (group, order): (&LoadedGroup, Order),
    (view, height): (&OverlayView, f32),
    out: &mut Vec<Action>,
) {
    let count = group.record.pictures.len();
    let height = (height - steps::height(ui) - ui.spacing().item_spacing.y).max(LEAST_HEIGHT);
    let mut size = vec2(ui.available_width(), height);
    let mut shape = GridShape::of(count, size);
    if shape.all(count).y > height {
        size.x -= ui.spacing().scroll.allocated_width();
        shape = GridShape::of(count, size);
    }
    let all = shape.all(count).max(vec2(1.0, 1.0));
    let largest = group.record.pictures.iter().map(|picture| picture.advantage.0.abs());
    let largest = largest.filter(|size| size.is_finite()).fold(0.0, f64::max);
    ScrollArea::vertical().id_salt("pictures").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        let (area, _) = ui.allocate_exact_size(all, Sense::hover());
        for (place, index) in order.of(&group.record.pictures).into_iter().enumerate() {
            let rect = Rect::from_min_size(area.min + shape.place(place), shape.card());
            if ui.is_rect_visible(rect) {
                let card = Card { scene, group, index, shape, largest };
                card_ui(ui, &card, view, rect, out);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::runs::event::{MediaRef, Scalar};

    proptest! {
        #[test]
        fn all_pictures_are_seen_at_once_or_scrolled_at_a_readable_size(
            count in 1_usize..130, width in 90.0_f32..2000.0, height in 40.0_f32..1500.0
        ) {
            let shape = GridShape::of(count, vec2(width, height));
            let all = shape.all(count);
            prop_assert!(all.x <= width + 0.5, "{shape:?}");
            prop_assert!(shape.side >= 36.0);
            prop_assert!(all.y <= height + 0.5 || shape.lines == 1, "{shape:?}");
            if all.y > height + 0.5 {
                // It scrolls only where no arrangement could have shown all at 72 points.
                let could = (1..=count).any(|columns| {
                    let tight = GridShape { columns, side: LEAST_SIDE, lines: 1 };
                    tight.all(count).x <= width && tight.all(count).y <= height
                });
                prop_assert!(!could, "{shape:?}");
            }
        }
    }

    #[test]
    fn one_picture_takes_the_room_there_is() {
        assert_eq!(
            GridShape::of(1, vec2(400.0, 300.0)).side,
            (300.0_f32 - 2.0 * MARGIN - 2.0 * LINE).floor()
        );
        assert_eq!(GridShape::of(1, vec2(4000.0, 3000.0)).side, MOST_SIDE);
    }

    #[test]
    fn what_is_not_finite_comes_first_and_the_rest_from_the_highest() {
        let picture = |reward: f64, advantage: f64| PictureRecord {
            reward: Scalar(reward),
            parts: BTreeMap::new(),
            advantage: Scalar(advantage),
            png: MediaRef { offset: 0, length: 0, crc: 0 },
        };
        let pictures = [picture(0.2, 3.0), picture(f64::NAN, 1.0), picture(0.9, 2.0)];
        assert_eq!(Order::Reward.of(&pictures), [1, 2, 0]);
        assert_eq!(Order::Advantage.of(&pictures), [0, 2, 1]);
        assert_eq!(Order::Number.of(&pictures), [0, 1, 2]);
    }
}
