//! The open runs at the side of the window: which one is looked at, which are compared, and how to open more.

use std::path::Path;

use eframe::egui::{self, Color32, Popup, RichText, Sense, Ui, vec2};

use super::action::Action;
use super::data::run::OpenRun;
use super::scene::Scene;
use crate::runs::list::{ListRow, REWARD};

/// Runs that the menu offers; the table in Compare has all.
const MOST: usize = 30;

/// Draws the list. `colour` gives the series colour of a run, `found` the runs that can be opened with a click.
pub fn runs_list_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    colour: &dyn Fn(usize) -> Color32,
    found: &[ListRow],
    out: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        ui.strong("Runs");
        let open = ui.button("Open…").on_hover_text("Open a run, a checkpoint's run, or a foreign log.");
        Popup::menu(&open).show(|ui| open_menu_ui(ui, scene, found, out));
    });
    if scene.runs.iter().len() == 0 {
        ui.label(
            RichText::new("No run yet. Press Start to train the shipped model, or open a recorded run.")
                .color(scene.theme.faint),
        );
    }
    for run in scene.runs.iter() {
        row_ui(ui, scene, run, colour(run.colour), out);
    }
}

fn open_menu_ui(ui: &mut Ui, scene: Scene<'_>, found: &[ListRow], out: &mut Vec<Action>) {
    for (label, action) in [
        ("Folder of a run…", Action::AskOpenFolder),
        ("File of a log…", Action::AskOpenFile),
        ("Typed path…", Action::AskPath),
    ] {
        if ui.button(label).clicked() {
            out.push(action);
            // A screen reader's click does not close it by itself.
            ui.close();
        }
    }
    let closed: Vec<&ListRow> = found.iter().filter(|row| !is_open(scene, &row.path)).take(MOST).collect();
    if closed.is_empty() {
        return;
    }
    ui.separator();
    ui.label(RichText::new("In the runs folder, the newest first").color(scene.theme.faint));
    egui::ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
        for row in closed {
            if ui.button(&row.name).on_hover_text(row.path.display().to_string()).clicked() {
                out.push(Action::Open(row.path.clone()));
                ui.close();
            }
        }
    });
}

fn is_open(scene: Scene<'_>, path: &Path) -> bool {
    scene.runs.iter().any(|run| run.store.path() == path)
}

fn row_ui(ui: &mut Ui, scene: Scene<'_>, run: &OpenRun, colour: Color32, out: &mut Vec<Action>) {
    let selected = scene.selection.run == Some(run.id);
    ui.horizontal(|ui| {
        let (rect, response) = ui.allocate_exact_size(vec2(14.0, 14.0), Sense::click());
        let painter = ui.painter();
        if run.shown {
            painter.rect_filled(rect, 3.0, colour);
        } else {
            painter.rect_stroke(rect, 3.0, egui::Stroke::new(1.5, colour), egui::StrokeKind::Inside);
        }
        let name = run.name.clone();
        response.widget_info(|| {
            egui::WidgetInfo::selected(egui::Role::CheckBox, true, run.shown, format!("Compare {name}"))
        });
        if response.on_hover_text("Whether the run is drawn in Compare.").clicked() {
            out.push(Action::Show(run.id, !run.shown));
        }
        let text = if scene.training == Some(run.id) { format!("{name} (training)") } else { name.clone() };
        let label = ui.add(egui::Button::selectable(selected, text).truncate());
        if label.clicked() {
            out.push(Action::Select(run.id));
        }
        label.on_hover_ui(|ui| drop(ui.label(summary(run)))).context_menu(|ui| {
            if ui.button("Fork…").clicked() {
                out.push(Action::AskFork(run.id));
                ui.close();
            }
            if ui.button("Close").on_hover_text("The record is untouched.").clicked() {
                out.push(Action::Close(run.id));
                ui.close();
            }
        });
    });
    if let Some(parent) = &run.store.header().parent {
        let of = Path::new(&parent.run)
            .file_name()
            .map_or_else(|| parent.run.clone(), |n| n.display().to_string());
        ui.label(
            RichText::new(format!("branch of {of} at {}", parent.step)).small().color(scene.theme.branch),
        );
    }
    if let Some(problem) = &run.problem {
        ui.label(RichText::new(problem).small().color(scene.theme.bad));
    } else if !run.complete {
        ui.label(RichText::new("reading …").small().color(scene.theme.faint));
    }
}

fn summary(run: &OpenRun) -> String {
    let header = run.store.header();
    let mut lines = vec![run.store.path().display().to_string(), format!("kind {}", header.kind)];
    if let Some(variant) = &header.variant {
        lines.push(format!("variant {variant}"));
    }
    if let Some(seed) = header.seed {
        lines.push(format!("seed {seed}"));
    }
    if let Some(parent) = &header.parent {
        lines.push(format!("branch of {} at iteration {}", parent.run, parent.step));
    }
    if let Some(point) = run.store.series(REWARD).and_then(crate::runs::series::Series::last) {
        lines.push(format!("reward {:.3} at iteration {}", point.value, point.step));
    }
    lines.extend(run.store.notes().iter().take(5).map(|note| format!("note: {}", note.text)));
    lines.push("right click for Fork and Close".into());
    lines.join("\n")
}
