//! What the reader does in a plot.

use eframe::egui::{Context, PointerButton, Pos2, Rect, Response, Vec2};

use super::curve::Curve;
use super::linked::LinkedX;
use super::mesh::View;
use super::panel::{Panel, PanelState, PlotAction};

/// How to use a plot, for its tooltip.
pub const USE: &str = "Click or drag: move the cursor.\nScroll or pinch: zoom. Drag with the right button: pan.\n\
                       Drag with Shift or the middle button: zoom to a box.\nDouble click: show everything.";

/// What the reader is about to do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hands {
    /// The cursor before each of the last two presses.
    cursors: [Option<usize>; 2],
    /// Where a box was begun.
    pub corner: Option<Pos2>,
}

/// Zoom for a point of scrolling, as an exponent.
const SCROLL: f64 = 1.0 / 200.0;

/// A box has to be so large to mean something.
const LEAST_BOX: f32 = 5.0;

/// Changes range and choice as the reader wants it; says what was done.
pub(super) fn interact(
    ctx: &Context,
    response: &Response,
    panel: &Panel<'_>,
    state: &mut PanelState,
    linked: &mut LinkedX,
    actions: &mut Vec<PlotAction>,
) {
    let Some(view) = state.view.map(|view| View { rect: response.rect, ..view }) else { return };
    if ctx.input(|input| input.pointer.primary_pressed()) && response.contains_pointer() {
        state.hands.cursors = [state.hands.cursors[1], panel.cursor];
    }
    if response.double_clicked() {
        linked.follow();
        state.choice.y = None;
        state.hands.corner = None;
        actions.push(PlotAction::Fitted { cursor: state.hands.cursors[0] });
        return;
    }
    let before = linked.range();
    let y_before = state.choice.y;
    if response.contains_pointer() {
        wheel(ctx, &view, linked);
    }
    if response.dragged_by(PointerButton::Secondary) {
        pan(response.drag_delta(), &view, state, linked);
    }
    draw_box(ctx, response, &view, state, linked);
    if linked.range() != before || state.choice.y != y_before {
        actions.push(PlotAction::RangeChanged);
    }
    if state.hands.corner.is_none() {
        actions.extend(move_cursor(ctx, response, panel, state, &view));
    }
}

fn wheel(ctx: &Context, view: &View, linked: &mut LinkedX) {
    let (scroll, pinch, at) = ctx.input(|i| (i.smooth_scroll_delta, i.zoom_delta(), i.pointer.hover_pos()));
    let Some(at) = at else { return };
    let factor = f64::from(pinch) * (f64::from(scroll.y) * SCROLL).exp();
    if factor != 1.0 {
        linked.zoom(factor, view.x_at(at.x));
    }
    if scroll.x != 0.0 {
        linked.pan(-f64::from(scroll.x) * units_a_point(view)[0]);
    }
    if scroll != Vec2::ZERO {
        // What surrounds the plot must not scroll as well.
        ctx.input_mut(|input| input.smooth_scroll_delta = Vec2::ZERO);
    }
}

fn units_a_point(view: &View) -> [f64; 2] {
    let along = |range: [f64; 2], points: f32| (range[1] - range[0]) / f64::from(points.max(1.0));
    [along(view.x, view.rect.width()), along(view.y, view.rect.height())]
}

fn pan(by: Vec2, view: &View, state: &mut PanelState, linked: &mut LinkedX) {
    let [x, y] = units_a_point(view);
    if by.x != 0.0 {
        linked.pan(-f64::from(by.x) * x);
    }
    if let Some(ends) = &mut state.choice.y {
        *ends = ends.map(|end| end + f64::from(by.y) * y);
    }
}

fn draw_box(ctx: &Context, response: &Response, view: &View, state: &mut PanelState, linked: &mut LinkedX) {
    let (shift, origin) = ctx.input(|input| (input.modifiers.shift, input.pointer.press_origin()));
    let begun = response.drag_started_by(PointerButton::Middle)
        || (shift && response.drag_started_by(PointerButton::Primary));
    if begun {
        state.hands.corner = origin;
    }
    let Some(corner) = state.hands.corner else { return };
    if response.drag_stopped()
        && let Some(end) = response.interact_pointer_pos()
    {
        let zoomed = Rect::from_two_pos(corner, end).intersect(view.rect);
        if zoomed.width() >= LEAST_BOX {
            linked.show([view.x_at(zoomed.left()), view.x_at(zoomed.right())]);
        }
        if zoomed.height() >= LEAST_BOX {
            state.choice.y = Some([view.y_at(zoomed.bottom()), view.y_at(zoomed.top())]);
        }
    }
    if !response.dragged() {
        state.hands.corner = None;
    }
}

fn move_cursor(
    ctx: &Context,
    response: &Response,
    panel: &Panel<'_>,
    state: &PanelState,
    view: &View,
) -> Option<PlotAction> {
    let (down, shift) = ctx.input(|input| (input.pointer.primary_down(), input.modifiers.shift));
    let held = (down && response.is_pointer_button_down_on()) || response.clicked();
    if shift || !held {
        return None;
    }
    let shown = panel.shown(&state.choice);
    let curve = shown.first()?;
    let step = curve.step_at(view.x_at(response.interact_pointer_pos()?.x))?;
    let clock = |curve: &&Curve<'_>| curve.clock.unwrap_or(curve.series).last();
    let last = shown.iter().filter_map(clock).map(|point| point.step).max()?;
    let step = step.min(last);
    (Some(step) != panel.cursor).then_some(PlotAction::CursorMoved(step))
}
