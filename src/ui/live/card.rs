//! One picture of a group with what it earned.

use eframe::egui::{
    Color32, CornerRadius, FontId, Grid, Rect, Response, RichText, Role, Sense, Stroke, StrokeKind,
    TextWrapMode, Ui, UiBuilder, Vec2, WidgetInfo, WidgetText, pos2, vec2,
};

use super::grid::{GridShape, LINE};
use crate::runs::event::PictureRecord;
use crate::ui::action::Action;
use crate::ui::data::group::LoadedGroup;
use crate::ui::number::{number, signed};
use crate::ui::picture::{PictureStyle, picture_ui, plane_of};
use crate::ui::scene::Scene;
use crate::ui::theme::Theme;
use crate::ui::view::OverlayView;

/// Around a picture: room for its border and for the outline of the selected one.
pub(super) const MARGIN: f32 = 8.0;
/// Border of the greatest advantage.
const THICKEST: f32 = 5.0;

/// A picture of a group.
pub(super) struct Card<'a> {
    pub scene: Scene<'a>,
    pub group: &'a LoadedGroup,
    pub index: usize,
    pub shape: GridShape,
    /// Greatest size of an advantage in the group.
    pub largest: f64,
}

/// Draws the card into `rect`.
pub(super) fn card_ui(ui: &mut Ui, card: &Card<'_>, view: &OverlayView, rect: Rect, out: &mut Vec<Action>) {
    let Some(record) = card.group.record.pictures.get(card.index) else { return };
    let theme = card.scene.theme;
    let image = Rect::from_min_size(rect.min + Vec2::splat(MARGIN), Vec2::splat(card.shape.side));
    let selected = card.scene.selection.picture.min(card.group.record.pictures.len() - 1) == card.index;
    if selected {
        ui.painter().rect(
            rect,
            CornerRadius::same(4),
            // Half of it, so that the numbers stay readable.
            theme.line.gamma_multiply(0.5),
            Stroke::new(1.5, theme.text),
            StrokeKind::Inside,
        );
    }
    border(ui, theme, image, record.advantage.0, card.largest);
    let name = format!(
        "Picture {}, reward {}, advantage {}",
        card.index + 1,
        number(record.reward.0),
        signed(record.advantage.0)
    );
    let builder = UiBuilder::new().max_rect(image).id_salt(("picture", card.index));
    let (response, token) = ui.scope_builder(builder, |ui| image_ui(ui, card, view, image, &name)).inner;
    caption(ui, theme, rect, record, card);
    if response.double_clicked() {
        let (run, step) = (card.group.run, card.group.step);
        out.push(Action::Inspect { run, step, group: card.group.index, picture: card.index });
    } else if response.clicked() {
        out.push(Action::Picture(card.index));
    }
    response.on_hover_ui(|ui| tooltip_ui(ui, card, record, view, token));
}

/// The picture, or why it cannot be shown; and the token under the pointer.
fn image_ui(
    ui: &mut Ui,
    card: &Card<'_>,
    view: &OverlayView,
    image: Rect,
    name: &str,
) -> (Response, Option<usize>) {
    let why = match card.group.pictures.get(card.index) {
        Some(Ok(_)) => {
            let selection = card.scene.selection;
            let ar_step = selection.ar_step.filter(|step| *step < card.group.record.ar_steps);
            let style = PictureStyle { ar_step, ..PictureStyle::of(view) };
            let drawn = picture_ui(ui, card.scene, (card.group, card.index), card.shape.side, style, name);
            return (drawn.response, drawn.hovered_token);
        }
        Some(Err(why)) => why.as_ref(),
        None => "it was not recorded",
    };
    let theme = card.scene.theme;
    let response = ui.allocate_rect(image, Sense::click());
    let name = format!("{name}, cannot be shown: {why}");
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    ui.painter().rect_filled(image, 0.0, theme.background);
    let text = RichText::new(format!("Cannot be shown: {why}")).size(11.0);
    let galley = WidgetText::from(text).into_galley(
        ui,
        Some(TextWrapMode::Wrap),
        image.width() - 8.0,
        FontId::proportional(11.0),
    );
    ui.painter().with_clip_rect(image.intersect(ui.clip_rect())).galley(
        image.min + Vec2::splat(4.0),
        galley,
        theme.bad,
    );
    (response, None)
}

/// Colour by sign, thickness by size: the number below says the same.
fn border(ui: &Ui, theme: &Theme, image: Rect, advantage: f64, largest: f64) {
    let share = if largest > 0.0 { (advantage.abs() / largest).min(1.0) as f32 } else { 0.0 };
    let (width, colour) = match advantage {
        a if !a.is_finite() => (THICKEST, theme.bad),
        a if a > 0.0 => (1.0 + (THICKEST - 1.0) * share, theme.positive),
        a if a < 0.0 => (1.0 + (THICKEST - 1.0) * share, theme.negative),
        _ => (1.0, theme.line),
    };
    ui.painter().rect_stroke(image, CornerRadius::same(2), Stroke::new(width, colour), StrokeKind::Outside);
}

/// Reward on the left, advantage on the right; the parts of the reward below if there is room.
fn caption(ui: &Ui, theme: &Theme, rect: Rect, record: &PictureRecord, card: &Card<'_>) {
    let font = FontId::proportional(12.0);
    let top = rect.top() + 2.0 * MARGIN + card.shape.side - 2.0;
    let (left, right) = (rect.left() + MARGIN, rect.right() - MARGIN);
    let paint = |x: f32, line: usize, text: String, colour: Color32, width: f32, from_right: bool| {
        let text = WidgetText::from(RichText::new(text).size(font.size));
        let galley = text.into_galley(ui, Some(TextWrapMode::Truncate), width, font.clone());
        let x = if from_right { x - galley.size().x } else { x };
        ui.painter().galley(pos2(x, top + line as f32 * LINE), galley, colour);
    };
    let value = |value: f64, colour: Color32| if value.is_finite() { colour } else { theme.bad };
    let advantage = record.advantage.0;
    let sign = if advantage < 0.0 { theme.negative } else { theme.positive };
    let sign = if advantage == 0.0 { theme.faint } else { sign };
    let reward = number(record.reward.0);
    let reward = if card.shape.side >= 100.0 { format!("{}  {reward}", place(card.index)) } else { reward };
    let half = (right - left) / 2.0;
    paint(left, 0, reward, value(record.reward.0, theme.text), half + 8.0, false);
    paint(right, 0, signed(advantage), value(advantage, sign), half, true);
    if card.shape.lines > 1 {
        let bad = record.parts.values().any(|part| !part.0.is_finite());
        paint(left, 1, parts_line(record), if bad { theme.bad } else { theme.faint }, right - left, false);
    }
}

fn place(index: usize) -> String {
    format!("#{}", index + 1)
}

/// Parts of the reward in one line, those without a point in their name first: they are the rewards themselves.
fn parts_line(record: &PictureRecord) -> String {
    let (inner, outer): (Vec<_>, Vec<_>) = record.parts.iter().partition(|(name, _)| name.contains('.'));
    // One reward alone is the number above.
    let outer = if outer.len() > 1 { outer } else { Vec::new() };
    let words = outer.into_iter().chain(inner).map(|(name, part)| {
        let short = name.rsplit('.').next().unwrap_or(name);
        let value = if part.0.is_finite() { format!("{:.2}", part.0) } else { number(part.0) };
        format!("{short} {value}")
    });
    words.collect::<Vec<_>>().join(" · ")
}

fn tooltip_ui(
    ui: &mut Ui,
    card: &Card<'_>,
    record: &PictureRecord,
    view: &OverlayView,
    token: Option<usize>,
) {
    let theme = card.scene.theme;
    let title = format!("Picture {} of {}", card.index + 1, card.group.record.pictures.len());
    ui.label(RichText::new(title).strong());
    Grid::new("what a picture earned").num_columns(2).spacing(vec2(12.0, 2.0)).show(ui, |ui| {
        let mut row = |name: &str, value: f64, text: String| {
            ui.label(RichText::new(name).color(theme.faint));
            let colour = if value.is_finite() { theme.text } else { theme.bad };
            ui.label(RichText::new(text).color(colour));
            ui.end_row();
        };
        row("reward", record.reward.0, number(record.reward.0));
        row("advantage", record.advantage.0, signed(record.advantage.0));
        for (name, part) in &record.parts {
            row(name, part.0, number(part.0));
        }
    });
    if let Some(words) = token.and_then(|token| token_words(card, view, token)) {
        ui.label(words);
    }
    ui.label(RichText::new("Click selects, double click opens it in Inspect.").color(theme.faint));
}

fn token_words(card: &Card<'_>, view: &OverlayView, token: usize) -> Option<String> {
    let group = card.group;
    let step = group.predicted_at(card.index, token);
    let words = step.map_or_else(String::new, |step| format!(", predicted at AR step {step}"));
    let planes = group.map(view.layer.map()?)?;
    let plane = plane_of(group, card.scene.selection.ar_step);
    let value = planes.plane(card.index, plane)?.values().get(token)?;
    Some(format!("token {token}{words}, {} {}", view.layer.name().to_lowercase(), number(f64::from(*value))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::runs::event::{MediaRef, Scalar};

    #[test]
    fn rewards_come_before_the_parts_of_the_verifier() {
        let parts = [("verifier", 0.5), ("verifier.colour", 1.0), ("warmth", f64::NAN)];
        let parts = parts.into_iter().map(|(name, value)| (name.to_owned(), Scalar(value)));
        let mut record = PictureRecord {
            reward: Scalar(0.5),
            parts: parts.collect::<BTreeMap<_, _>>(),
            advantage: Scalar(0.0),
            png: MediaRef { offset: 0, length: 0, crc: 0 },
        };
        assert_eq!(parts_line(&record), "verifier 0.50 · warmth NaN · colour 1.00");
        record.parts.remove("warmth");
        assert_eq!(parts_line(&record), "colour 1.00");
    }
}
