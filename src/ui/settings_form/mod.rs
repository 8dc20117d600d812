//! All settings of a training run as a form: a typed control for each, those that differ from the base marked.

pub mod control;
pub mod field;

use std::collections::BTreeMap;

use eframe::egui::{Button, Grid, RichText, Role, TextEdit, Ui, WidgetInfo};
use serde_json::Value;

use control::control_ui;
use field::{Field, fields};

use crate::session::settings::{Difference, differences, flatten};
use crate::session::train::config::TrainConfig;
use crate::ui::compare::number::{THEN, setting};
use crate::ui::theme::Theme;

/// Draws the settings that match `filter`; says whether one was changed. `base` is what they are compared with and what a
/// single one is put back to.
pub fn settings_form_ui(
    ui: &mut Ui,
    theme: &Theme,
    value: &mut TrainConfig,
    base: &TrainConfig,
    filter: &mut String,
) -> bool {
    ui.horizontal(|ui| {
        let label = ui.label("Find a setting");
        ui.add(TextEdit::singleline(filter).desired_width(200.0).hint_text("mte, learning rate"))
            .labelled_by(label.id)
            .on_hover_text("Shows the settings with these letters in their path or their description.");
    });
    let (Ok(now), Ok(before)) = (flatten(value), flatten(base)) else { return false };
    let wanted: Vec<&Field> = fields().iter().filter(|field| field.matches(filter)).collect();
    if wanted.is_empty() {
        ui.colored_label(theme.faint, "No setting has these letters in its path or its description.");
    }
    let mut change = None;
    let mut rest = wanted.as_slice();
    while let Some(first) = rest.first() {
        let (table, after) =
            rest.split_at(rest.iter().take_while(|field| field.table() == first.table()).count());
        rest = after;
        let changed = table.iter().filter(|field| now.get(&field.path) != before.get(&field.path)).count();
        heading_ui(ui, theme, first.table(), changed);
        Grid::new(("settings", first.table())).num_columns(3).min_col_width(150.0).show(ui, |ui| {
            for field in table {
                if let Some(new) = field_ui(ui, theme, field, (&now, &before)) {
                    change = Some((field.path.clone(), new));
                }
                ui.end_row();
            }
        });
    }
    change.is_some_and(|(path, new)| put(value, &path, new))
}

fn heading_ui(ui: &mut Ui, theme: &Theme, table: &str, changed: usize) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.strong(if table.is_empty() { "run" } else { table });
        if changed > 0 {
            ui.colored_label(theme.change, format!("{changed} changed"));
        }
    });
}

type Leaves = BTreeMap<String, Value>;

fn field_ui(ui: &mut Ui, theme: &Theme, field: &Field, (now, before): (&Leaves, &Leaves)) -> Option<Value> {
    let value = now.get(&field.path)?;
    let old = before.get(&field.path).filter(|old| *old != value);
    let colour = if old.is_some() { theme.change } else { theme.text };
    ui.label(RichText::new(field.name()).color(colour))
        .on_hover_text(format!("{}\n{}", field.path, field.meaning));
    let mut new = ui.vertical(|ui| control_ui(ui, theme, field, value)).inner;
    ui.horizontal(|ui| {
        let Some(old) = old else { return };
        let back = ui.add(Button::new("Undo").small());
        back.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Undo {}", field.path)));
        if back.on_hover_text("Put it back to what it was.").clicked() {
            new = Some(old.clone());
        }
        ui.colored_label(theme.faint, format!("was {}", setting(old)));
    });
    new
}

/// Puts `new` at `path` of `config`; says whether it fits there.
pub(crate) fn put(config: &mut TrainConfig, path: &str, new: Value) -> bool {
    let Ok(mut tree) = serde_json::to_value(&*config) else { return false };
    let Some(place) = tree.pointer_mut(&format!("/{}", path.replace('.', "/"))) else { return false };
    *place = new;
    match serde_json::from_value(tree) {
        Ok(read) => {
            *config = read;
            true
        }
        Err(_) => false,
    }
}

/// The settings in which `value` differs from `base`, each in words: `rl.mte.share 0.3 -> 0.5`.
#[must_use]
pub fn changes(value: &TrainConfig, base: &TrainConfig) -> Vec<String> {
    let words = |d: &Difference| format!("{} {}{THEN}{}", d.setting, setting(&d.from), setting(&d.to));
    differences(base, value).unwrap_or_default().iter().map(words).collect()
}
