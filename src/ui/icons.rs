//! Small marks drawn as shapes: the window's font has no symbols, and shapes stay sharp at every size.

use eframe::egui::{
    Color32, Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, WidgetInfo, pos2,
    vec2,
};

/// A mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// Play.
    Play,
    /// Pause.
    Pause,
    /// One step back.
    Back,
    /// One step forward.
    Forward,
    /// Light and dark.
    Theme,
    /// As it was at first.
    Reset,
    /// About.
    About,
    /// What keys there are.
    Help,
    /// Close, or dismiss.
    Cross,
    /// Something went wrong.
    Warning,
    /// Something was done.
    Check,
    /// Save.
    Save,
}

/// A button with a mark; `name` is its AccessKit name and its tooltip.
pub fn icon_button(ui: &mut Ui, icon: Icon, name: &str) -> Response {
    let height = ui.spacing().interact_size.y;
    let (rect, response) = ui.allocate_exact_size(vec2(height + 2.0, height), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    if ui.is_rect_visible(rect) {
        let look = ui.style().interact(&response);
        ui.painter().rect(rect, look.corner_radius, look.weak_bg_fill, look.bg_stroke, StrokeKind::Inside);
        paint(ui.painter(), icon, rect.shrink(5.0), look.fg_stroke.color);
    }
    response.on_hover_text(name)
}

/// A mark that cannot be pressed, as tall as a line of text.
pub fn icon_ui(ui: &mut Ui, icon: Icon, colour: Color32) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(14.0, 14.0), Sense::hover());
    paint(ui.painter(), icon, rect.shrink(1.5), colour);
    response
}

fn paint(painter: &Painter, icon: Icon, rect: Rect, colour: Color32) {
    let side = rect.width().min(rect.height());
    let rect = Rect::from_center_size(rect.center(), vec2(side, side));
    let stroke = Stroke::new((side / 8.0).max(1.3), colour);
    let at = |x: f32, y: f32| pos2(rect.left() + x * side, rect.top() + y * side);
    let triangle = |points: [Pos2; 3]| Shape::convex_polygon(points.to_vec(), colour, Stroke::NONE);
    match icon {
        Icon::Play => drop(painter.add(triangle([at(0.15, 0.0), at(1.0, 0.5), at(0.15, 1.0)]))),
        Icon::Pause => {
            for x in [0.15, 0.6] {
                painter.rect_filled(Rect::from_min_max(at(x, 0.05), at(x + 0.25, 0.95)), 0.0, colour);
            }
        }
        Icon::Back => drop(painter.line(vec![at(0.7, 0.05), at(0.25, 0.5), at(0.7, 0.95)], stroke)),
        Icon::Forward => drop(painter.line(vec![at(0.3, 0.05), at(0.75, 0.5), at(0.3, 0.95)], stroke)),
        Icon::Theme => {
            let centre = at(0.5, 0.5);
            painter.circle_stroke(centre, side * 0.48, stroke);
            let half: Vec<Pos2> = (0..=16)
                .map(|i| {
                    let angle = std::f32::consts::PI * (i as f32 / 16.0 - 0.5);
                    centre + vec2(angle.cos(), angle.sin()) * side * 0.48
                })
                .collect();
            painter.add(Shape::convex_polygon(half, colour, Stroke::NONE));
        }
        Icon::Reset => reset(painter, at(0.5, 0.5), side, stroke),
        Icon::About => letter(painter, rect, stroke, false),
        Icon::Help => letter(painter, rect, stroke, true),
        Icon::Cross => {
            painter.line_segment([at(0.1, 0.1), at(0.9, 0.9)], stroke);
            painter.line_segment([at(0.9, 0.1), at(0.1, 0.9)], stroke);
        }
        Icon::Warning => {
            painter.add(Shape::closed_line(vec![at(0.5, 0.05), at(1.0, 0.95), at(0.0, 0.95)], stroke));
            painter.line_segment([at(0.5, 0.4), at(0.5, 0.65)], stroke);
            painter.circle_filled(at(0.5, 0.8), stroke.width * 0.6, colour);
        }
        Icon::Check => drop(painter.line(vec![at(0.05, 0.55), at(0.4, 0.9), at(0.95, 0.15)], stroke)),
        Icon::Save => {
            painter.line_segment([at(0.5, 0.0), at(0.5, 0.65)], stroke);
            painter.line(vec![at(0.2, 0.38), at(0.5, 0.68), at(0.8, 0.38)], stroke);
            painter.line(vec![at(0.0, 0.65), at(0.0, 1.0), at(1.0, 1.0), at(1.0, 0.65)], stroke);
        }
    }
}

/// Most of a circle, ending in an arrow.
fn reset(painter: &Painter, centre: Pos2, side: f32, stroke: Stroke) {
    let on = |turn: f32| {
        let angle = turn * std::f32::consts::TAU;
        centre + vec2(angle.cos(), angle.sin()) * side * 0.45
    };
    painter.line((0..=20).map(|i| on(-0.15 + 0.78 * i as f32 / 20.0)).collect(), stroke);
    let tip = on(-0.15);
    painter
        .line(vec![tip + vec2(-side * 0.3, -side * 0.02), tip, tip + vec2(side * 0.05, -side * 0.3)], stroke);
}

/// An i, or a question mark, in a circle.
fn letter(painter: &Painter, rect: Rect, stroke: Stroke, question: bool) {
    let at = |x: f32, y: f32| pos2(rect.left() + x * rect.width(), rect.top() + y * rect.height());
    if question {
        let hook = [
            (0.25, 0.3),
            (0.3, 0.12),
            (0.5, 0.03),
            (0.7, 0.12),
            (0.75, 0.3),
            (0.65, 0.45),
            (0.5, 0.56),
            (0.5, 0.7),
        ];
        painter.line(hook.map(|(x, y)| at(x, y)).to_vec(), stroke);
        painter.circle_filled(at(0.5, 0.93), stroke.width * 0.75, stroke.color);
    } else {
        painter.line_segment([at(0.5, 0.4), at(0.5, 1.0)], stroke);
        painter.circle_filled(at(0.5, 0.13), stroke.width * 0.85, stroke.color);
    }
}
