//! Runs found below a folder, to be opened with one click.

use std::path::Path;

use eframe::egui::{self, Align, Button, Layout, Role, Ui, WidgetInfo};

use super::grid::{Grid, grid_ui};
use super::number::{NOTHING, number_or_nothing};
use crate::runs::list::ListRow;
use crate::ui::action::Action;
use crate::ui::data::names::common;
use crate::ui::scene::Scene;

const HEADS: [(&str, &str); 5] = [
    ("Run", "A run on disk. Click opens it."),
    ("Variant", "Variant of the algorithm, or the kind of run."),
    ("Seed", "Seed of everything random in the run."),
    ("Reward", "Mean reward of the groups of the last iteration (reward/mean)."),
    ("Started", "When it started, UTC."),
];
const WIDTHS: [f32; 5] = [300.0, 120.0, 60.0, 70.0, 170.0];

/// Draws the runs of `found` that are not open yet.
pub fn found_ui(ui: &mut Ui, scene: Scene<'_>, found: &[ListRow], out: &mut Vec<Action>) {
    let open = |row: &&ListRow| scene.runs.iter().any(|run| run.store.path().ends_with(&row.path));
    let rows: Vec<&ListRow> = found.iter().filter(|row| !open(row)).collect();
    if rows.is_empty() {
        let words = if found.is_empty() { "No run was found." } else { "All runs that were found are open." };
        ui.colored_label(scene.theme.faint, words);
        return;
    }
    let folder = common(found.iter().map(|row| row.path.as_path()));
    let height = ui.spacing().interact_size.y + 2.0;
    let grid = Grid {
        name: "found runs",
        widths: &WIDTHS,
        head: height,
        row: height,
        rows: rows.len(),
        line: scene.theme.line,
    };
    grid_ui(ui, grid, &mut |ui, place| match place.row.and_then(|row| rows.get(row)) {
        None => {
            if let Some((name, meaning)) = HEADS.get(place.column) {
                ui.strong(*name).on_hover_text(*meaning);
            }
        }
        Some(row) if place.column == 0 => open_ui(ui, scene, (row, folder), out),
        Some(row) => cell_ui(ui, (row, place.column)),
    });
}

fn cell_ui(ui: &mut Ui, (row, column): (&ListRow, usize)) {
    let nothing = || NOTHING.to_owned();
    let text = match column {
        1 => row.variant.clone().unwrap_or_else(|| row.kind.clone()),
        2 => row.seed.map_or_else(nothing, |seed| seed.to_string()),
        3 => number_or_nothing(row.reward_last.map(|reward| reward.0)),
        _ => row
            .started
            .clone()
            .map_or_else(nothing, |at| at.replace('T', " ").trim_end_matches('Z').to_owned()),
    };
    let add = |ui: &mut Ui| {
        ui.add(egui::Label::new(text).truncate());
    };
    if matches!(column, 2 | 3) {
        ui.with_layout(Layout::right_to_left(Align::Center), add);
    } else {
        add(ui);
    }
}

/// Named by its place below the folder that all were found in, and by what the user calls it.
fn named(row: &ListRow, folder: Option<&Path>) -> String {
    let place = folder
        .and_then(|folder| row.path.strip_prefix(folder).ok())
        .unwrap_or(&row.path)
        .display()
        .to_string();
    if place.ends_with(&row.name) { place } else { format!("{} ({place})", row.name) }
}

fn open_ui(ui: &mut Ui, scene: Scene<'_>, (row, folder): (&ListRow, Option<&Path>), out: &mut Vec<Action>) {
    let name = named(row, folder);
    let mut text = egui::RichText::new(name.as_str());
    if row.problem.is_some() {
        text = text.color(scene.theme.bad);
    }
    let response = ui.add(Button::new(text).frame_when_inactive(false).truncate());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Open {name}")));
    let response = response.on_hover_ui(|ui| {
        ui.label(row.path.display().to_string());
        if let Some(step) = row.last_step {
            ui.label(format!("Recorded up to iteration {step}."));
        }
        if let Some(problem) = &row.problem {
            ui.colored_label(scene.theme.bad, problem);
        }
    });
    if response.clicked() {
        out.push(Action::Open(row.path.clone()));
    }
}
