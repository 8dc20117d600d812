//! What hatching, outlines and checkers mean.

use std::f32::consts::FRAC_1_SQRT_2;

use eframe::egui::{
    Color32, Painter, Rect, Response, Role, Sense, Stroke, StrokeKind, TextStyle, Ui, WidgetInfo, pos2, vec2,
};

use super::colormap::{Rgb, colour32};
use super::shade::{BRUSHED_INK, CHECKER_DARK, CHECKER_LIGHT, NON_FINITE_GROUND, NON_FINITE_LINE, NOW_INK};

/// A mark that overlays draw on tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LegendMark {
    /// Hatched upwards: selected by the mask of multi-trajectory expectation.
    Selected,
    /// Dimmed and hatched downwards: dropped by the consistency mask.
    Dropped,
    /// Left as it is: kept by the consistency mask.
    Kept,
    /// One outline around brushed tokens.
    Brushed,
    /// White outline: the token that was clicked.
    Pinned,
    /// Checkered: not predicted yet at this AR step.
    StillMasked,
    /// Orange outline: predicted at this AR step.
    PredictedNow,
    /// Left as it is: predicted at an earlier AR step.
    Known,
    /// Crossed lines on dark: the value is NaN or infinite.
    NonFinite,
}

impl LegendMark {
    /// The name under which it is explained.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Selected => "multi-trajectory",
            Self::Dropped => "dropped",
            Self::Kept => "kept",
            Self::Brushed => "brushed",
            Self::Pinned => "pinned",
            Self::StillMasked => "still masked",
            Self::PredictedNow => "predicted now",
            Self::Known => "known",
            Self::NonFinite => "not finite",
        }
    }

    /// What it says of a token.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Selected => "MTE mask: the objective averages several trajectories of this token",
            Self::Dropped => "Consistency mask: the policy term of this token is left out",
            Self::Kept => "Consistency mask: the policy term of this token is kept",
            Self::Brushed => "Tokens chosen in the histogram",
            Self::Pinned => "The token whose trajectories are shown",
            Self::StillMasked => "The token is not predicted yet at this AR step",
            Self::PredictedNow => "The token is predicted at this AR step",
            Self::Known => "The token was predicted at an earlier AR step",
            Self::NonFinite => "The value of the token is NaN or infinite",
        }
    }
}

/// The colour of brushed tokens, wherever they are shown.
#[must_use]
pub fn brushed_colour() -> Color32 {
    colour32(BRUSHED_INK)
}

/// Draws each mark with its name, in a row that wraps.
pub fn legend_ui(ui: &mut Ui, marks: &[LegendMark]) {
    ui.horizontal_wrapped(|ui| {
        for mark in marks {
            mark_ui(ui, *mark);
        }
    });
}

fn mark_ui(ui: &mut Ui, mark: LegendMark) -> Response {
    let font = TextStyle::Small.resolve(ui.style());
    let galley = ui.painter().layout_no_wrap(mark.name().to_owned(), font, ui.visuals().text_color());
    let square = 16.0;
    let size = vec2(square + 5.0 + galley.size().x, square.max(galley.size().y));
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), mark.name()));
    if ui.is_rect_visible(rect) {
        let side =
            Rect::from_center_size(pos2(rect.min.x + 0.5 * square, rect.center().y), vec2(square, square));
        swatch(ui.painter(), mark, side);
        let at = pos2(side.max.x + 5.0, rect.center().y - 0.5 * galley.size().y);
        ui.painter().galley(at, galley, Color32::PLACEHOLDER);
    }
    response.on_hover_text(mark.explanation())
}

/// A token that carries the mark.
pub(super) fn swatch(painter: &Painter, mark: LegendMark, square: Rect) {
    let painter = painter.with_clip_rect(square.intersect(painter.clip_rect()));
    let ground = match mark {
        LegendMark::Dropped => grey(0.26),
        LegendMark::NonFinite => colour32(NON_FINITE_GROUND),
        LegendMark::StillMasked => colour32(CHECKER_LIGHT),
        _ => grey(0.55),
    };
    painter.rect_filled(square, 0.0, ground);
    match mark {
        LegendMark::Selected => {
            hatch(&painter, square, Slope::Rising, Stroke::new(3.0, grey(0.27)));
            hatch(&painter, square, Slope::Rising, Stroke::new(1.25, Color32::WHITE));
        }
        LegendMark::Dropped => {
            hatch(&painter, square, Slope::Falling, Stroke::new(3.0, grey(0.63)));
            hatch(&painter, square, Slope::Falling, Stroke::new(1.25, Color32::BLACK));
        }
        LegendMark::NonFinite => {
            let stroke = Stroke::new(1.25, colour32(NON_FINITE_LINE));
            hatch(&painter, square, Slope::Rising, stroke);
            hatch(&painter, square, Slope::Falling, stroke);
        }
        LegendMark::StillMasked => checkers(&painter, square),
        LegendMark::Brushed => outline(&painter, square, colour32(BRUSHED_INK)),
        LegendMark::PredictedNow => outline(&painter, square, colour32(NOW_INK)),
        LegendMark::Pinned => outline(&painter, square, Color32::WHITE),
        LegendMark::Kept | LegendMark::Known => {}
    }
}

fn grey(level: f32) -> Color32 {
    let level: Rgb = [level; 3];
    colour32(level)
}

fn outline(painter: &Painter, square: Rect, ink: Color32) {
    // With some ground around it: white on a light window would not be seen.
    let square = square.shrink(1.5);
    painter.rect_stroke(square, 0.0, Stroke::new(3.0, Color32::BLACK), StrokeKind::Inside);
    painter.rect_stroke(square, 0.0, Stroke::new(2.0, ink), StrokeKind::Inside);
}

fn checkers(painter: &Painter, square: Rect) {
    let cell = 0.25 * square.width();
    for row in 0..4_u8 {
        for column in (0..4_u8).filter(|column| (row + column) % 2 == 1) {
            let corner = square.min + vec2(f32::from(column), f32::from(row)) * cell;
            painter.rect_filled(Rect::from_min_size(corner, vec2(cell, cell)), 0.0, colour32(CHECKER_DARK));
        }
    }
}

#[derive(Clone, Copy)]
enum Slope {
    Rising,
    Falling,
}

fn hatch(painter: &Painter, square: Rect, slope: Slope, stroke: Stroke) {
    let side = square.width();
    let period = 0.5 * side / FRAC_1_SQRT_2;
    let mut offset = -side + 0.25 * period;
    while offset < side {
        let (left, right) = (square.min.x + offset, square.min.x + offset + side);
        let ends = match slope {
            Slope::Rising => [pos2(left, square.max.y), pos2(right, square.min.y)],
            Slope::Falling => [pos2(left, square.min.y), pos2(right, square.max.y)],
        };
        painter.line_segment(ends, stroke);
        offset += period;
    }
}
