//! The control of one setting, by what may stand there.

use eframe::egui::{Checkbox, ComboBox, DragValue, Id, Response, Role, TextEdit, Ui, WidgetInfo};
use serde_json::Value;

use super::field::{Field, Kind};
use crate::ui::compare::number::{float, setting};
use crate::ui::theme::Theme;

/// Width of a text, points.
const TEXT_WIDTH: f32 = 260.0;

/// Draws the control of `field`; gives its new value if the user changed it. What is being typed and cannot be read yet
/// stays in the field and is explained below it.
pub fn control_ui(ui: &mut Ui, theme: &Theme, field: &Field, value: &Value) -> Option<Value> {
    if matches!(field.kind, Kind::Text | Kind::List | Kind::Whole) {
        ui.set_min_width(TEXT_WIDTH);
    }
    let (response, new) = match &field.kind {
        Kind::Switch => switch_ui(ui, field, value),
        Kind::Choice(words) => choice_ui(ui, field, words, value),
        Kind::Count => count_ui(ui, field, value),
        Kind::Number => number_ui(ui, field, value),
        Kind::Whole => typed_ui(ui, theme, field, value),
        Kind::Text => text_ui(ui, field, value),
        Kind::List => list_ui(ui, field, value),
    };
    response.on_hover_text(format!("{}\n{}", field.path, field.meaning));
    new.filter(|new| new != value)
}

fn switch_ui(ui: &mut Ui, field: &Field, value: &Value) -> (Response, Option<Value>) {
    let mut on = value.as_bool().unwrap_or_default();
    let response = ui.add(Checkbox::without_text(&mut on));
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, on, &field.path));
    (response, Some(Value::from(on)))
}

fn choice_ui(
    ui: &mut Ui,
    field: &Field,
    words: &[(String, String)],
    value: &Value,
) -> (Response, Option<Value>) {
    let mut chosen = value.as_str().unwrap_or_default().to_owned();
    let menu = ComboBox::from_id_salt(&field.path).selected_text(chosen.as_str()).show_ui(ui, |ui| {
        for (word, meaning) in words {
            ui.selectable_value(&mut chosen, word.clone(), word.as_str()).on_hover_text(meaning.as_str());
        }
    });
    menu.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, &field.path));
    (menu.response, Some(Value::from(chosen)))
}

fn count_ui(ui: &mut Ui, field: &Field, value: &Value) -> (Response, Option<Value>) {
    let mut count = value.as_u64().unwrap_or_default();
    // Below 2^53 every whole number is exact in egui's own.
    let speed = (count as f64 * 0.005).max(0.1);
    let response = ui.add(DragValue::new(&mut count).range(0..=(1_u64 << 53)).speed(speed));
    named(&response, field, count as f64);
    (response, Some(Value::from(count)))
}

fn number_ui(ui: &mut Ui, field: &Field, value: &Value) -> (Response, Option<Value>) {
    let before = value.as_f64().unwrap_or_default();
    let mut number = before;
    let drag = DragValue::new(&mut number)
        .speed((before.abs() * 0.01).max(1e-6))
        .custom_formatter(|value, _| float(value))
        .custom_parser(|text| text.trim().parse().ok().filter(|value: &f64| value.is_finite()));
    let response = ui.add(drag);
    named(&response, field, number);
    // Dragged numbers are rounded to what a person would write.
    let rounded = if response.dragged() { rounded(number) } else { number };
    // Without a change the value stays the very one it was, with all its digits.
    let new = (number != before).then(|| Value::from(rounded));
    (response, new)
}

/// To three significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn named(response: &Response, field: &Field, value: f64) {
    response.widget_info(|| {
        let info = WidgetInfo::drag_value(true, value);
        WidgetInfo { label: Some(field.path.clone()), ..info }
    });
}

/// What the user is typing, for as long as nobody else changes the setting.
fn typed(ui: &Ui, id: Id, value: &Value, shown: impl Fn() -> String) -> String {
    let held: Option<(String, Value)> = ui.data(|data| data.get_temp(id));
    held.filter(|(_, of)| of == value).map_or_else(shown, |(text, _)| text)
}

/// Keeps what is being typed, with the value that it gave.
fn keep(ui: &Ui, id: Id, text: String, value: Value) {
    ui.data_mut(|data| data.insert_temp(id, (text, value)));
}

fn typed_ui(ui: &mut Ui, theme: &Theme, field: &Field, value: &Value) -> (Response, Option<Value>) {
    let id = ui.scope_id().with(&field.path);
    // A text that is no number is kept too, to be mended.
    let mut text = typed(ui, id, value, || setting(value));
    let response = ui.add(TextEdit::singleline(&mut text).desired_width(TEXT_WIDTH).id(id.with("edit")));
    response.widget_info(|| {
        let info = WidgetInfo::labeled(Role::TextInput, true, &field.path);
        WidgetInfo { current_text_value: Some(text.clone()), ..info }
    });
    let found = text.trim().replace(['_', ','], "").parse::<u64>();
    if let Err(error) = &found {
        ui.colored_label(theme.bad, format!("{error}: a whole number from 0 on"));
    }
    let new = found.ok().map(Value::from);
    keep(ui, id, text, new.clone().unwrap_or_else(|| value.clone()));
    (response, new)
}

fn text_ui(ui: &mut Ui, field: &Field, value: &Value) -> (Response, Option<Value>) {
    let mut text = value.as_str().unwrap_or_default().to_owned();
    let response = ui.add(TextEdit::singleline(&mut text).desired_width(TEXT_WIDTH).id_salt(&field.path));
    response.widget_info(|| {
        let info = WidgetInfo::labeled(Role::TextInput, true, &field.path);
        WidgetInfo { current_text_value: Some(text.clone()), ..info }
    });
    (response, Some(Value::from(text)))
}

fn list_ui(ui: &mut Ui, field: &Field, value: &Value) -> (Response, Option<Value>) {
    let id = ui.scope_id().with(&field.path);
    let items: Vec<&str> = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // An empty line while typing is no item, and must not vanish under the cursor.
    let mut text = typed(ui, id, value, || items.join("\n"));
    let edit = TextEdit::multiline(&mut text).desired_width(TEXT_WIDTH).desired_rows(2).id(id.with("edit"));
    let response = ui.add(edit);
    response.widget_info(|| {
        let info = WidgetInfo::labeled(Role::MultilineTextInput, true, &field.path);
        WidgetInfo { current_text_value: Some(text.clone()), ..info }
    });
    let new = Value::from(lines(&text));
    keep(ui, id, text, new.clone());
    (response, Some(new))
}

/// One item a line, empty ones left out.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_dragged_number_changes_by_less_than_a_hundredth(value in 1e-9_f64..1e9) {
            prop_assert!((rounded(value) - value).abs() <= value * 0.006);
        }
    }
}
