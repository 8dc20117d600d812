//! The AR steps of a group: pictures as they were built, step by step.

use eframe::egui::{Rangef, Rect, RichText, Slider, Ui, Vec2, pos2};

use crate::ui::action::Action;
use crate::ui::data::group::LoadedGroup;
use crate::ui::icons::{Icon, icon_button};
use crate::ui::number::counted;
use crate::ui::picture::plane_of;
use crate::ui::scene::Scene;
use crate::ui::theme::Theme;
use crate::ui::view::Layer;

/// Seconds that a play of all AR steps takes at most, and between two steps.
const WHOLE_SECONDS: f64 = 8.0;
const STEP_SECONDS: f64 = 0.4;
/// Height of the marks under the slider.
const MARKS: f32 = 8.0;

/// Tokens of a picture at an AR step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Predicted at an earlier step: the transformer sees them.
    pub known: usize,
    /// Predicted at this step.
    pub now: usize,
    /// Still masked after it.
    pub masked: usize,
}

/// Tokens of `picture` that are known, predicted and masked at `ar_step`; `None` if their order was not recorded.
#[must_use]
pub fn token_counts(group: &LoadedGroup, picture: usize, ar_step: usize) -> Option<TokenCounts> {
    let order = group.map("order")?.plane(picture, 0)?;
    let step = ar_step as f32;
    Some(order.values().iter().fold(TokenCounts::default(), |counts, at| TokenCounts {
        known: counts.known + usize::from(*at < step),
        now: counts.now + usize::from(*at == step),
        masked: counts.masked + usize::from(*at > step || at.is_nan()),
    }))
}

/// Height of [`steps_ui`].
pub(super) fn height(ui: &Ui) -> f32 {
    ui.spacing().interact_size.y + MARKS + 18.0 + 2.0 * ui.spacing().item_spacing.y
}

/// Chooses the AR step that pictures are shown at, or plays them all.
pub fn steps_ui(ui: &mut Ui, scene: Scene<'_>, group: &LoadedGroup, layer: Layer, out: &mut Vec<Action>) {
    let last = group.record.ar_steps;
    if last == 0 {
        return;
    }
    let shown = scene.selection.ar_step.filter(|step| *step < last);
    ui.horizontal(|ui| {
        play_ui(ui, (shown, last), out);
        ui.spacing_mut().slider_width = (ui.available_width() - 78.0).clamp(60.0, 720.0);
        let mut value = shown.unwrap_or(last);
        let slider = Slider::new(&mut value, 0..=last).show_value(false).text("AR step");
        let response = ui.add(slider).on_hover_text(
            "The AR step at which pictures are shown: tokens known before it, predicted at it, still masked after it. The \
             right end is the finished picture. Dots mark the AR steps that were trained.",
        );
        marks(ui, scene.theme, group, (response.rect, shown));
        if response.changed() {
            out.push(Action::ArStep((value < last).then_some(value)));
        }
    });
    ui.add_space(MARKS);
    let picture = scene.selection.picture.min(group.record.pictures.len().saturating_sub(1));
    let words = step_words(group, picture, shown);
    // Said only where it is not the map of the step that is shown.
    let by_step = layer.map().and_then(|map| group.map(map)).is_some_and(|planes| planes.count > 1);
    let of = group.record.trained_ar_steps.get(plane_of(group, shown)).copied();
    let of = of.filter(|of| by_step && shown != Some(*of));
    let of = of.map_or_else(String::new, |of| format!("; the map is of AR step {of}"));
    ui.label(RichText::new(words + &of).color(scene.theme.faint)).on_hover_text(
        "Tokens of the selected picture. At each AR step the transformer sees the known tokens, and the diffusion head \
         predicts the next ones from its output.",
    );
}

/// A dot under each trained AR step, a short line under the others, an upright bar at the finished picture.
fn marks(ui: &Ui, theme: &Theme, group: &LoadedGroup, (rect, shown): (Rect, Option<usize>)) {
    let last = group.record.ar_steps;
    // As egui's slider places its handle.
    let handle = ui.spacing().interact_size.y.min(rect.height()) / 2.5;
    let rail = Rangef::new(rect.left(), rect.left() + ui.spacing().slider_width).shrink(handle);
    let y = rect.bottom() + 3.0;
    let painter = ui.painter();
    for step in 0..last {
        let x = rail.min + rail.span() * step as f32 / last as f32;
        let colour = if shown == Some(step) { theme.text } else { theme.faint };
        if group.trained_index(step).is_some() {
            let radius = (rail.span() / last as f32 / 3.0).clamp(0.5, 2.5);
            painter.circle_filled(
                pos2(x, y),
                radius,
                if shown == Some(step) { theme.text } else { theme.accent },
            );
        } else {
            painter.line_segment([pos2(x, y - 2.0), pos2(x, y + 2.0)], (1.0, colour));
        }
    }
    let end = Rect::from_center_size(pos2(rail.max, y), Vec2::new(3.0, 7.0));
    painter.rect_filled(end, 0.0, if shown.is_none() { theme.text } else { theme.faint });
}

/// The button that runs through the AR steps, and the running.
fn play_ui(ui: &mut Ui, (shown, last): (Option<usize>, usize), out: &mut Vec<Action>) {
    let id = ui.scope_id().with("play AR steps");
    let now = ui.input(|input| input.time);
    let due = ui.data(|data| data.get_temp::<f64>(id));
    let name =
        if due.is_some() { "Stop at this AR step" } else { "Play AR steps: how the pictures were built" };
    let button = icon_button(ui, if due.is_some() { Icon::Pause } else { Icon::Play }, name);
    let seconds = STEP_SECONDS.min(WHOLE_SECONDS / last as f64);
    if button.clicked() {
        if due.is_some() {
            ui.data_mut(|data| data.remove_temp::<f64>(id));
        } else {
            out.push(Action::ArStep(Some(shown.unwrap_or(0))));
            ui.data_mut(|data| data.insert_temp(id, now + seconds));
            ui.ctx().request_repaint();
        }
        return;
    }
    let Some(due) = due else { return };
    if now >= due {
        let next = shown.map(|step| step + 1).filter(|step| *step < last);
        out.push(Action::ArStep(next));
        ui.data_mut(|data| {
            if next.is_some() {
                // A slow frame delays the play and does not make it jump.
                data.insert_temp(id, now + seconds);
            } else {
                data.remove_temp::<f64>(id);
            }
        });
    }
    ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64((due - now).clamp(0.0, seconds)));
}

fn step_words(group: &LoadedGroup, picture: usize, shown: Option<usize>) -> String {
    let trained = group.record.trained_ar_steps.len();
    let Some(step) = shown else {
        return format!(
            "finished: all {} known, {trained} of {} AR steps trained",
            counted(group.tokens(), "token"),
            group.record.ar_steps
        );
    };
    let of = if group.trained_index(step).is_some() { "trained" } else { "not trained" };
    let counts = token_counts(group, picture, step).map_or_else(
        || "the order of tokens was not recorded".to_owned(),
        |counts| {
            format!(
                "{} known, {} predicted now, {} masked",
                counted(counts.known, "token"),
                counts.now,
                counts.masked
            )
        },
    );
    format!("AR step {step} ({of}): {counts}")
}
