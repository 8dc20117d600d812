//! The table of runs: final and best numbers, and the settings in which the runs differ.

use std::collections::BTreeMap;

use eframe::egui::{
    self, Align, Button, Color32, ComboBox, Layout, Rect, Role, Sense, Shape, Stroke, TextEdit, TextStyle,
    Ui, Vec2, WidgetInfo, pos2, vec2,
};
use serde::{Deserialize, Serialize};

use super::columns::Column;
use super::filter::RunFilter;
use super::grid::{Grid, Place, grid_ui, padded};
use super::groups::{BY_VARIANT, RunGroup, colours, grouped, keys};
use super::row::{Rows, RunRow, Setting};
use crate::ui::action::Action;
use crate::ui::data::run::{RunId, Runs};
use crate::ui::scene::Scene;

/// Width beyond which text is cut; the whole is shown while the pointer rests on it.
const WIDEST: f32 = 260.0;
/// The same for names, which differ at their end.
const WIDEST_NAME: f32 = 320.0;
/// Room for the colour, the check and the cross beside the name.
const BESIDE_NAME: f32 = 88.0;
/// Settings listed while the pointer rests on a name.
const HOVERED: usize = 12;
/// Room for the arrow that shows the order.
const ARROW: f32 = 12.0;

/// How the table is looked at.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TableView {
    /// Which runs are listed and drawn.
    pub filter: RunFilter,
    /// What runs are coloured and grouped by; `None` is each for itself.
    pub group: Option<String>,
    /// Name of the column that the rows are sorted by; none is the order in which they were opened.
    pub sort: Option<String>,
    /// Whether the greatest comes first.
    pub descending: bool,
    #[serde(skip)]
    rows: Rows,
    #[serde(skip)]
    layout: Table,
}

/// The table laid out, for as long as nothing changes.
#[derive(Clone, Debug, Default)]
struct Table {
    of: (u64, String, Option<String>, bool, Option<String>),
    columns: Vec<Column>,
    widths: Vec<f32>,
    /// Places in [`Rows::all`].
    order: Vec<usize>,
    colours: BTreeMap<RunId, usize>,
}

/// The groups of the runs that are drawn: shown, and not hidden by the filter.
pub fn groups(view: &mut TableView, runs: &Runs) -> Vec<RunGroup> {
    view.update(runs);
    let shown =
        |row: &RunRow| runs.get(row.id).is_some_and(|run| run.shown) && view.filter.shows(&row.searched);
    grouped(view.rows.all(), view.group.as_deref(), shown)
}

impl TableView {
    /// Takes in what was recorded since; cheap if there was nothing.
    pub fn update(&mut self, runs: &Runs) {
        self.rows.update(runs);
        self.filter.update();
    }

    /// Colours and groups by variant, as an ablation is looked at.
    pub fn group_by_variant(&mut self) {
        self.group = Some(BY_VARIANT.to_owned());
    }

    /// The rows, in the order in which the runs were opened.
    #[must_use]
    pub fn rows(&self) -> &[RunRow] {
        self.rows.all()
    }

    /// The runs that are listed, in the order of the table.
    #[must_use]
    pub fn listed(&self) -> Vec<RunId> {
        self.layout.order.iter().filter_map(|place| Some(self.rows.all().get(*place)?.id)).collect()
    }

    /// The settings in which the open runs differ, as `row` has them.
    fn told_apart(&self, row: &RunRow) -> Vec<String> {
        let settings = self.rows.differing().iter();
        settings.filter_map(|path| Some(format!("{path} = {}", row.settings.get(path)?.text()))).collect()
    }

    fn lay_out(&mut self, ui: &Ui) {
        let of = (
            self.rows.generation(),
            self.filter.text.clone(),
            self.sort.clone(),
            self.descending,
            self.group.clone(),
        );
        if self.layout.of == of {
            return;
        }
        let rows = self.rows.all();
        let columns = Column::all(rows, self.rows.differing());
        let mut order: Vec<usize> = (0..rows.len())
            .filter(|place| rows.get(*place).is_some_and(|row| self.filter.shows(&row.searched)))
            .collect();
        if let Some(column) = columns.iter().find(|column| Some(column.name()) == self.sort.as_deref()) {
            order.sort_by(|a, b| match (rows.get(*a), rows.get(*b)) {
                (Some(a), Some(b)) => column.order(a, b, self.descending),
                _ => a.cmp(b),
            });
        }
        let widths = columns.iter().map(|column| width(ui, column, rows)).collect();
        let colours = colours(rows, self.group.as_deref());
        self.layout = Table { of, columns, widths, order, colours };
    }
}

fn width(ui: &Ui, column: &Column, rows: &[RunRow]) -> f32 {
    let font = TextStyle::Body.resolve(ui.style());
    let of = |text: String| ui.painter().layout_no_wrap(text, font.clone(), Color32::WHITE).size().x;
    // The arrow of the order needs room too.
    let head = of(column.name().to_owned()) * 1.1 + 2.0 * ui.spacing().button_padding.x + ARROW;
    let widest = rows.iter().map(|row| of(column.text(row))).fold(head, f32::max);
    padded(if *column == Column::Name { widest.min(WIDEST_NAME) + BESIDE_NAME } else { widest.min(WIDEST) })
}

/// Draws the filter, the grouping and the table.
pub fn table_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    view: &mut TableView,
    colour: &dyn Fn(usize) -> Color32,
    out: &mut Vec<Action>,
) {
    view.update(scene.runs);
    controls_ui(ui, scene, view);
    if view.rows.all().is_empty() {
        ui.label("No run is open. Open one below, or drop a run's folder on the window.");
        return;
    }
    view.lay_out(ui);
    if view.layout.order.is_empty() {
        ui.colored_label(scene.theme.warning, "The filter hides every run. Change it, or clear it.");
    }
    let height = ui.spacing().interact_size.y + 4.0;
    let grid = Grid {
        name: "runs",
        widths: &view.layout.widths,
        head: height,
        row: height,
        rows: view.layout.order.len(),
        line: scene.theme.line,
    };
    let mut sorted = None;
    grid_ui(ui, grid, &mut |ui, place| match (place.row, view.layout.columns.get(place.column)) {
        (None, Some(column)) => {
            let clicked = head_ui(ui, column, view);
            sorted = clicked.then(|| column.name().to_owned()).or(sorted.take());
        }
        (Some(_), Some(column)) => {
            if let Some(row) = row_at(view, place) {
                let swatch = colour(view.layout.colours.get(&row.id).copied().unwrap_or(row.colour));
                cell_ui(ui, (scene, view), (row, column), swatch, out);
            }
        }
        _ => {}
    });
    if let Some(column) = sorted {
        sort_by(view, column);
    }
}

fn row_at(view: &TableView, place: Place) -> Option<&RunRow> {
    view.rows.all().get(*view.layout.order.get(place.row?)?)
}

/// Ascending, descending, as opened.
fn sort_by(view: &mut TableView, column: String) {
    if view.sort.as_deref() != Some(&column) {
        (view.sort, view.descending) = (Some(column), false);
    } else if view.descending {
        (view.sort, view.descending) = (None, false);
    } else {
        view.descending = true;
    }
}

fn controls_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut TableView) {
    ui.horizontal_wrapped(|ui| {
        let label = ui.label("Filter");
        ui.add(TextEdit::singleline(&mut view.filter.text).desired_width(220.0).hint_text("mar_grpo|share=0\\.5"))
            .labelled_by(label.id)
            .on_hover_text(
                "A regular expression over name, variant, kind, prompts and every setting as path=value, one a line. Runs \
                 that it does not find are neither listed nor drawn.",
            );
        let keys = keys(view.rows.differing());
        let name = |key: &str| keys.iter().find(|(k, _)| k == key).map_or(key.to_owned(), |(_, name)| name.clone());
        let label = ui.label("Colour and group by");
        let chosen = view.group.as_deref().map_or_else(|| "each run".to_owned(), name);
        let menu = ComboBox::from_id_salt("group by").selected_text(chosen).show_ui(ui, |ui| {
            ui.selectable_value(&mut view.group, None, "each run");
            for (key, name) in &keys {
                ui.selectable_value(&mut view.group, Some(key.clone()), name);
            }
        });
        menu.response.labelled_by(label.id).on_hover_text(
            "Runs with the same value share a colour; curves show their mean with a band, over seeds for example.",
        );
        let all = view.rows.all().len();
        let listed = view.rows.all().iter().filter(|row| view.filter.shows(&row.searched)).count();
        let words = if listed == all { format!("{all} runs") } else { format!("{listed} of {all} runs") };
        ui.colored_label(scene.theme.faint, words);
    });
    view.filter.update();
    if let Some(problem) = view.filter.problem() {
        ui.colored_label(scene.theme.bad, problem);
    }
}

/// Says whether it was clicked.
fn head_ui(ui: &mut Ui, column: &Column, view: &TableView) -> bool {
    let sorted = view.sort.as_deref() == Some(column.name());
    ui.spacing_mut().button_padding.x = 0.0;
    let layout = if column.is_number() { Layout::right_to_left(Align::Center) } else { *ui.layout() };
    ui.with_layout(layout, |ui| head_button_ui(ui, column, (sorted, view.descending))).inner
}

fn head_button_ui(ui: &mut Ui, column: &Column, (sorted, descending): (bool, bool)) -> bool {
    let text = egui::RichText::new(column.name()).strong();
    let response = ui.add(Button::new(text).frame_when_inactive(false).truncate());
    if sorted {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(ARROW - 4.0), Sense::hover());
        let (tip, base) = if descending { (rect.bottom(), rect.top()) } else { (rect.top(), rect.bottom()) };
        let corners = vec![pos2(rect.center().x, tip), pos2(rect.left(), base), pos2(rect.right(), base)];
        ui.painter().add(Shape::convex_polygon(corners, ui.visuals().text_color(), Stroke::NONE));
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Sort by {}", column.name())));
    let meaning = format!("{}\nClick sorts ascending, then descending, then as opened.", column.meaning());
    response.on_hover_text(meaning).clicked()
}

fn cell_ui(
    ui: &mut Ui,
    (scene, view): (Scene<'_>, &TableView),
    (row, column): (&RunRow, &Column),
    swatch: Color32,
    out: &mut Vec<Action>,
) {
    if *column == Column::Name {
        return name_ui(ui, (scene, view), row, swatch, out);
    }
    let text = column.text(row);
    let changed =
        matches!(column, Column::Setting(path) if row.settings.get(path).is_some_and(Setting::changed));
    let colour = match column {
        Column::Problem => scene.theme.bad,
        Column::Number(quantity) if row.number(*quantity).is_some_and(|value| !value.is_finite()) => {
            scene.theme.bad
        }
        _ if changed => scene.theme.change,
        _ => scene.theme.text,
    };
    let add = |ui: &mut Ui| {
        ui.add(egui::Label::new(egui::RichText::new(text).color(colour)).truncate());
    };
    if column.is_number() {
        ui.with_layout(Layout::right_to_left(Align::Center), add);
    } else {
        add(ui);
    }
}

fn name_ui(
    ui: &mut Ui,
    (scene, view): (Scene<'_>, &TableView),
    row: &RunRow,
    swatch: Color32,
    out: &mut Vec<Action>,
) {
    let Some(run) = scene.runs.get(row.id) else { return };
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 14.0), Sense::hover());
    let fill = if run.shown { swatch } else { swatch.gamma_multiply(0.35) };
    ui.painter().rect_filled(Rect::from_center_size(rect.center(), vec2(10.0, 10.0)), 2.0, fill);
    let mut shown = run.shown;
    let check = ui.checkbox(&mut shown, "");
    let name = format!("Show {}", row.name);
    check.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, run.shown, &name));
    if check.on_hover_text("Draw the run in curves, pictures and means of Compare.").changed() {
        out.push(Action::Show(row.id, shown));
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let close = ui.add(Button::new("\u{d7}").frame_when_inactive(false).small());
        close.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Close {}", row.name)));
        if close.on_hover_text("Close the run. Its record stays as it is.").clicked() {
            out.push(Action::Close(row.id));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let selected = scene.selection.run == Some(row.id);
            let mut text = egui::RichText::new(row.name.as_str());
            if row.problem.is_some() {
                text = text.color(scene.theme.bad);
            }
            let response = ui.add(Button::selectable(selected, text).truncate());
            if response.on_hover_ui(|ui| hover_ui(ui, (scene, view), row)).clicked() {
                out.push(Action::Select(row.id));
            }
        });
    });
}

/// What the run is: where it lies and what it differs in.
fn hover_ui(ui: &mut Ui, (scene, view): (Scene<'_>, &TableView), row: &RunRow) {
    let Some(run) = scene.runs.get(row.id) else { return };
    ui.label("Click shows the run in Live and Inspect.");
    ui.colored_label(scene.theme.faint, run.store.path().display().to_string());
    ui.label(format!("{} · {} · prompts {}", row.kind, row.variant, row.prompts()));
    let apart = view.told_apart(row);
    if !apart.is_empty() {
        ui.colored_label(scene.theme.faint, "Settings in which the open runs differ");
        for setting in apart.iter().take(HOVERED) {
            ui.label(setting);
        }
        if let Some(more) = apart.len().checked_sub(HOVERED).filter(|more| *more > 0) {
            ui.colored_label(scene.theme.faint, format!("and {more} more, in the columns of the table"));
        }
    }
    if !run.complete {
        ui.colored_label(scene.theme.warning, "It is still being read.");
    }
    if let Some(parent) = &run.store.header().parent {
        ui.label(format!("Branched off {} after {} iterations.", parent.run, parent.step));
    }
    if let Some(problem) = &row.problem {
        ui.colored_label(scene.theme.bad, problem);
    }
}
