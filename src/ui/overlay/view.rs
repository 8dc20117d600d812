//! The widget: a picture with its overlay.

use std::sync::Arc;

use eframe::egui::emath::GuiRounding as _;
use eframe::egui::{
    Align2, Color32, CornerRadius, CursorIcon, Key, Pos2, Rect, Response, Role, Sense, StrokeKind, TextStyle,
    Ui, Vec2, WidgetInfo, pos2,
};
use eframe::egui_wgpu;

use super::callback::OverlayCallback;
use super::layer::Picture;
use super::pipeline::OverlayRenderer;
use super::settings::Overlay;

/// The part of a picture that is all of it.
pub const WHOLE: Rect = Rect { min: Pos2::ZERO, max: pos2(1.0, 1.0) };

/// How large a picture is drawn, and which part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageView {
    /// Size of the widget in points.
    pub size: Vec2,
    /// The part of the picture that fills it, 0 to 1 in both directions. Pictures that share it zoom together.
    pub uv: Rect,
}

impl ImageView {
    /// All of a picture in a square.
    #[must_use]
    pub fn square(side_points: f32) -> Self {
        Self { size: Vec2::splat(side_points), uv: WHOLE }
    }
}

/// What the user did to a picture.
#[derive(Debug)]
pub struct ImageResponse {
    /// For tooltips and context menus.
    pub response: Response,
    /// The token under the pointer.
    pub hovered_token: Option<usize>,
    /// The token that was clicked, or reached with the arrow keys while the picture has the focus.
    pub clicked_token: Option<usize>,
    /// Where on the picture the pointer is.
    pub pointer_uv: Option<Pos2>,
}

/// Draws `picture` with `overlay` over it. `name` is read out by screen readers and names the picture to tests.
///
/// Without a renderer a sentence takes the place of the picture.
pub fn image_ui(
    ui: &mut Ui,
    renderer: Option<&OverlayRenderer>,
    picture: &Arc<Picture>,
    overlay: &Overlay,
    view: ImageView,
    name: &str,
) -> ImageResponse {
    let (rect, response) = ui.allocate_exact_size(view.size, Sense::click_and_drag());
    // Whole pixels: lines are crisp, and two pictures in a row do not differ by a rounding.
    let rect = rect.round_to_pixels(ui.pixels_per_point());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, ui.is_enabled(), name));
    if ui.is_rect_visible(rect) {
        if renderer.is_some() {
            let alpha = ui.opacity();
            let callback = OverlayCallback::new(Arc::clone(picture), overlay.clone(), rect, view.uv, alpha);
            ui.painter().add(egui_wgpu::Callback::new_paint_callback(rect, callback));
        } else {
            missing_renderer_ui(ui, rect);
        }
        if response.has_focus() {
            let stroke = ui.visuals().selection.stroke;
            ui.painter().rect_stroke(rect, CornerRadius::ZERO, stroke, StrokeKind::Outside);
        }
    }
    let response = if overlay.side > 0 { response.on_hover_cursor(CursorIcon::Crosshair) } else { response };
    let pointer_uv = response.hover_pos().map(|pointer| to_picture(pointer, rect, view.uv));
    let hovered_token = pointer_uv.and_then(|at| token_at(at, overlay.side));
    let clicked = response.clicked().then_some(hovered_token).flatten();
    let clicked_token = clicked.or_else(|| token_by_key(ui, &response, overlay));
    ImageResponse { response, hovered_token, clicked_token, pointer_uv }
}

fn missing_renderer_ui(ui: &Ui, rect: Rect) {
    let visuals = ui.visuals();
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    painter.rect_filled(rect, CornerRadius::ZERO, visuals.extreme_bg_color);
    let text = "This picture cannot be drawn: the window was opened without wgpu. Start marscope on a display with \
                Vulkan, Metal, DirectX 12 or OpenGL.";
    let font = TextStyle::Small.resolve(ui.style());
    let galley = painter.layout(text.to_owned(), font, visuals.warn_fg_color, rect.width() - 8.0);
    let at = Align2::CENTER_CENTER.anchor_size(rect.center(), galley.size()).min;
    painter.galley(at, galley, Color32::PLACEHOLDER);
}

/// The place on the picture, 0 to 1, that is drawn at `pointer`.
pub(super) fn to_picture(pointer: Pos2, rect: Rect, uv: Rect) -> Pos2 {
    uv.min + (pointer - rect.min) / rect.size() * uv.size()
}

fn token_at(at: Pos2, side: usize) -> Option<usize> {
    if side == 0 || !(0.0..1.0).contains(&at.x) || !(0.0..1.0).contains(&at.y) {
        return None;
    }
    let cell = |v: f32| ((v * side as f32) as usize).min(side - 1);
    Some(cell(at.y) * side + cell(at.x))
}

/// The token that an arrow key moves the selection to.
fn token_by_key(ui: &Ui, response: &Response, overlay: &Overlay) -> Option<usize> {
    if !response.has_focus() || overlay.side == 0 {
        return None;
    }
    lock_arrow_keys(ui, response);
    let steps =
        [(Key::ArrowLeft, -1, 0), (Key::ArrowRight, 1, 0), (Key::ArrowUp, 0, -1), (Key::ArrowDown, 0, 1)];
    let (_, x, y) = steps.into_iter().find(|(key, ..)| ui.input(|input| input.key_pressed(*key)))?;
    Some(overlay.selected.map_or(0, |token| neighbour(token, overlay.side, x, y)))
}

/// Keeps egui from moving the focus to another widget when an arrow key is pressed.
fn lock_arrow_keys(ui: &Ui, response: &Response) {
    let filter = eframe::egui::EventFilter {
        horizontal_arrows: true,
        vertical_arrows: true,
        ..eframe::egui::EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
}

fn neighbour(token: usize, side: usize, x: isize, y: isize) -> usize {
    let moved = |at: usize, by: isize| at.saturating_add_signed(by).min(side - 1);
    moved(token / side, y) * side + moved(token % side, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_under_the_pointer_is_that_of_the_part_shown() {
        let rect = Rect::from_min_size(pos2(100.0, 50.0), Vec2::splat(80.0));
        let token = |x, y, uv| token_at(to_picture(pos2(x, y), rect, uv), 8);
        assert_eq!(token(100.0, 50.0, WHOLE), Some(0));
        assert_eq!(token(179.0, 129.0, WHOLE), Some(63));
        assert_eq!(token(115.0, 50.0, WHOLE), Some(1));
        let quarter = Rect::from_min_max(pos2(0.5, 0.5), pos2(1.0, 1.0));
        assert_eq!(token(100.0, 50.0, quarter), Some(36));
        let beyond = Rect::from_min_max(pos2(0.5, 0.5), pos2(1.5, 1.5));
        assert_eq!(token(179.0, 129.0, beyond), None);
    }

    #[test]
    fn arrow_keys_stop_at_the_border() {
        assert_eq!(neighbour(0, 8, -1, 0), 0);
        assert_eq!(neighbour(0, 8, 0, 1), 8);
        assert_eq!(neighbour(63, 8, 1, 0), 63);
        assert_eq!(neighbour(usize::MAX, 8, 1, 0) / 8, 7);
    }
}
