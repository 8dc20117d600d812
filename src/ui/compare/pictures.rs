//! Pictures of several runs side by side: a row a run, a column a picture, one zoom and one layer for all.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::{
    self, Button, Color32, Pos2, Rect, Response, Role, Sense, Slider, Ui, Vec2, WidgetInfo, vec2,
};
use serde::{Deserialize, Serialize};

use super::ab::AbView;
use super::grid::{CAPTION, Grid, Place, grid_ui, padded};
use super::groups::RunGroup;
use super::names::name;
use super::number::number;
use super::sameness::sameness;
use super::side::{Side, caption};
use super::source::{self, Held, PictureSource};
use super::texture::Textures;
use super::zoom::Zoom;
use crate::runs::list::REWARD;
use crate::ui::action::Action;
use crate::ui::data::group::{LoadedGroup, group_at};
use crate::ui::data::media::Loaded;
use crate::ui::data::run::{OpenRun, RunId};
use crate::ui::picture::{PictureStyle, picture_ui};
use crate::ui::scene::Scene;
use crate::ui::view::OverlayView;

/// Width of what is said of a run, points.
const RUN_WIDTH: f32 = 190.0;
/// Height of what is said of a picture, points.
const BELOW: f32 = 20.0;

/// How the pictures are looked at.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct PicturesView {
    /// Which pictures.
    pub source: PictureSource,
    /// Their side, points.
    pub side: f32,
    /// The part that is seen, of all of them.
    #[serde(skip)]
    pub zoom: Zoom,
    #[serde(skip)]
    groups: BTreeMap<RunId, Arc<LoadedGroup>>,
    #[serde(skip)]
    frames: BTreeMap<(RunId, usize), Held>,
    #[serde(skip)]
    textures: Textures,
}

impl Default for PicturesView {
    fn default() -> Self {
        Self {
            source: PictureSource::default(),
            side: 96.0,
            zoom: Zoom::default(),
            groups: BTreeMap::new(),
            frames: BTreeMap::new(),
            textures: Textures::default(),
        }
    }
}

impl PicturesView {
    /// The groups that are held, for [`crate::ui::ranges::Ranges::see`]: the colours of a layer range over all runs.
    pub fn held(&self) -> impl Iterator<Item = &LoadedGroup> {
        self.groups.values().map(Arc::as_ref)
    }

    /// Puts numbers that a file may hold into their ranges.
    pub fn validate(&mut self) {
        if !(32.0..=512.0).contains(&self.side) {
            self.side = Self::default().side;
        }
    }
}

/// What is drawn.
#[derive(Clone, Copy)]
pub struct PicturesInput<'a> {
    /// The runs, see [`super::table::groups`].
    pub groups: &'a [RunGroup],
    /// The layer over all pictures.
    pub overlay: &'a OverlayView,
    /// Colours of the series palette.
    pub colour: &'a dyn Fn(usize) -> Color32,
}

/// Draws the pictures of all runs. A click makes a picture A of A/B, a click with Shift makes it B.
pub fn pictures_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    view: &mut PicturesView,
    input: PicturesInput<'_>,
    ab: &mut AbView,
    out: &mut Vec<Action>,
) {
    let rows: Vec<(RunId, Color32)> = input
        .groups
        .iter()
        .flat_map(|group| group.runs.iter().map(|run| (*run, (input.colour)(group.colour))))
        .collect();
    let drawn: Vec<RunId> = rows.iter().map(|(run, _)| *run).collect();
    controls_ui(ui, view);
    if drawn.is_empty() {
        ui.colored_label(scene.theme.faint, "No run is drawn: check one in the table of runs.");
        return;
    }
    ui.colored_label(scene.theme.faint, sameness(scene, view.source, &drawn));
    view.groups.retain(|run, _| drawn.contains(run));
    view.frames.retain(|(run, _), _| drawn.contains(run));
    let of =
        |id: &RunId| scene.runs.get(*id).map_or(0, |run| source::count(run, view.source, scene.step_of(run)));
    let columns = drawn.iter().map(of).max().unwrap_or(0);
    let mut widths = vec![RUN_WIDTH];
    widths.resize(columns + 1, padded(view.side));
    let line = scene.theme.line;
    let row = (view.side + BELOW + 6.0).max(84.0);
    let grid = Grid { name: "pictures", widths: &widths, head: 22.0, row, rows: rows.len(), line };
    let mut panel = Panel { scene, view, overlay: input.overlay, ab, out };
    grid_ui(ui, grid, &mut |ui, place| panel.cell(ui, place, &rows));
}

fn controls_ui(ui: &mut Ui, view: &mut PicturesView) {
    ui.horizontal_wrapped(|ui| {
        for source in PictureSource::ALL {
            ui.selectable_value(&mut view.source, source, source.name()).on_hover_text(source.meaning());
        }
        ui.separator();
        let slider = Slider::new(&mut view.side, 48.0..=320.0).step_by(8.0).show_value(false).text("Size");
        ui.add(slider)
            .on_hover_text("Side of the pictures. Scroll over one to zoom into all of them, drag to move.");
        let words = format!("Reset zoom ({:.1} x)", view.zoom.factor());
        let reset = ui.add_enabled(!view.zoom.is_whole(), Button::new(words));
        if reset.on_hover_text("Show whole pictures again; a double click does so too.").clicked() {
            view.zoom = Zoom::default();
        }
    });
}

struct Panel<'a> {
    scene: Scene<'a>,
    view: &'a mut PicturesView,
    overlay: &'a OverlayView,
    ab: &'a mut AbView,
    out: &'a mut Vec<Action>,
}

impl Panel<'_> {
    fn cell(&mut self, ui: &mut Ui, place: Place, rows: &[(RunId, Color32)]) {
        let faint = self.scene.theme.faint;
        match (place.row, place.column) {
            (None, 0) => drop(ui.colored_label(faint, "Run")),
            (None, column) => drop(ui.colored_label(faint, column.to_string())),
            (Some(row), column) => {
                let Some((run, colour)) = rows.get(row).copied() else { return };
                let Some(run) = self.scene.runs.get(run) else { return };
                match column.checked_sub(1) {
                    None => self.run_ui(ui, run, colour),
                    Some(index) => self.picture_ui(ui, run, index),
                }
            }
        }
    }

    fn run_ui(&mut self, ui: &mut Ui, run: &OpenRun, colour: Color32) {
        let step = self.scene.step_of(run);
        let first = source::find(run, self.view.source, (step, self.scene.selection.group), 0);
        let rewards = run.store.series(REWARD);
        let mean =
            first.as_ref().zip(rewards).and_then(|(found, rewards)| rewards.at(found.step)).map(|p| p.value);
        ui.vertical(|ui| {
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(10.0, 14.0), Sense::hover());
                ui.painter().rect_filled(
                    Rect::from_center_size(rect.center(), vec2(10.0, 10.0)),
                    2.0,
                    colour,
                );
                let label = ui.add(
                    egui::Label::new(egui::RichText::new(name(self.scene.runs, run)).strong()).truncate(),
                );
                label.on_hover_text(run.store.path().display().to_string());
            });
            let faint = self.scene.theme.faint;
            let line = |ui: &mut Ui, text: String| {
                ui.add(egui::Label::new(egui::RichText::new(text).color(faint).size(CAPTION)).truncate());
            };
            match first {
                Some(found) => {
                    let waits = if self.waits(run, found.step) { ", reading" } else { "" };
                    line(ui, format!("iteration {}{waits}", found.step));
                    if let Some(mean) = mean.filter(|_| self.view.source == PictureSource::Training) {
                        line(ui, format!("mean reward {}", number(mean)));
                    }
                    if self.view.source == PictureSource::Training {
                        line(ui, found.prompt);
                    }
                }
                None => line(ui, "no pictures at or before this iteration".into()),
            }
        });
    }

    /// Whether another iteration is still drawn.
    fn waits(&self, run: &OpenRun, step: usize) -> bool {
        self.view.source == PictureSource::Training
            && self.view.groups.get(&run.id).is_none_or(|g| g.step != step)
    }

    fn picture_ui(&mut self, ui: &mut Ui, run: &OpenRun, index: usize) {
        let at = (self.scene.step_of(run), self.scene.selection.group);
        let Some(found) = source::find(run, self.view.source, at, index) else { return };
        let side = Side { run: run.id, pinned: None, picture: index };
        let name = caption(&name(self.scene.runs, run), &side, &found, self.view.source);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            let response = match self.view.source {
                PictureSource::Training => self.trained_ui(ui, run, index, &name),
                PictureSource::Fixed => self.fixed_ui(ui, (run, &found), index, &name),
            };
            self.act(ui, (run, side), &response, &found.prompt);
            let mark = self.marks(run, index);
            let text = match self.view.source {
                PictureSource::Training => format!("{mark}{}", number(found.score)),
                PictureSource::Fixed => format!("{mark}{}  {}", number(found.score), found.prompt),
            };
            ui.add(egui::Label::new(egui::RichText::new(text).size(CAPTION)).truncate());
        });
    }

    fn trained_ui(&mut self, ui: &mut Ui, run: &OpenRun, index: usize, name: &str) -> Response {
        let at = (self.scene.step_of(run), self.scene.selection.group);
        let held = self.view.groups.get(&run.id);
        if let Some(Loaded::Ready(group)) = group_at(run, self.scene.media, at, held) {
            self.view.groups.insert(run.id, group);
        }
        let Some(group) = self.view.groups.get(&run.id).cloned() else {
            return empty_ui(ui, self.scene, self.view.side, name, "reading");
        };
        if let Some(Err(reason)) = group.pictures.get(index) {
            return empty_ui(ui, self.scene, self.view.side, name, reason);
        }
        let style = PictureStyle {
            ar_step: self.scene.selection.ar_step,
            uv: self.view.zoom.uv,
            ..PictureStyle::of(self.overlay)
        };
        picture_ui(ui, self.scene, (&group, index), self.view.side, style, name).response
    }

    fn fixed_ui(
        &mut self,
        ui: &mut Ui,
        (run, found): (&OpenRun, &source::Found),
        index: usize,
        name: &str,
    ) -> Response {
        let key = (run.id, index);
        let held = source::read(run, self.scene.media, found.clone(), self.view.frames.remove(&key));
        let Some(held) = held else { return empty_ui(ui, self.scene, self.view.side, name, "reading") };
        self.view.frames.insert(key, held.clone());
        match held.picture {
            Ok(picture) => {
                let texture = self.view.textures.of(ui.ctx(), &picture);
                let (rect, response) = ui.allocate_exact_size(Vec2::splat(self.view.side), Sense::click());
                response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
                ui.painter().image(texture, rect, self.view.zoom.uv, Color32::WHITE);
                response
            }
            Err(reason) => empty_ui(ui, self.scene, self.view.side, name, &reason),
        }
    }

    /// A and B where they are.
    fn marks(&self, run: &OpenRun, index: usize) -> String {
        let of = |side: &Option<Side>| side.is_some_and(|side| side.run == run.id && side.picture == index);
        let same = self.ab.source == self.view.source;
        let letters = [("A ", of(&self.ab.a)), ("B ", of(&self.ab.b))];
        letters.iter().filter(|(_, is)| *is && same).map(|(letter, _)| *letter).collect()
    }

    fn act(&mut self, ui: &Ui, (run, side): (&OpenRun, Side), response: &Response, prompt: &str) {
        let response = response.interact(Sense::click_and_drag());
        self.view.zoom.follow(ui, &response);
        let shift = ui.input(|input| input.modifiers.shift);
        if response.clicked() {
            self.choose(side, shift);
        }
        let step = self.scene.step_of(run);
        response.context_menu(|ui| {
            for (second, words) in [(false, "Show as A"), (true, "Show as B")] {
                if ui.button(words).on_hover_text("Compare it with another in A/B.").clicked() {
                    self.choose(side, second);
                    ui.close();
                }
            }
            if self.view.source == PictureSource::Training
                && ui.button("Inspect").on_hover_text("Show it token by token.").clicked()
            {
                let (group, picture) = (self.scene.selection.group, side.picture);
                self.out.push(Action::Inspect { run: run.id, step, group, picture });
                ui.close();
            }
        });
        response.on_hover_text(format!(
            "{prompt}\nClick makes it A of A/B, Shift and click B. Scroll zooms all pictures, a drag moves them, a double click \
             shows all."
        ));
    }

    fn choose(&mut self, side: Side, second: bool) {
        self.ab.source = self.view.source;
        *(if second { &mut self.ab.b } else { &mut self.ab.a }) = Some(side);
    }
}

/// A square without a picture, and why.
fn empty_ui(ui: &mut Ui, scene: Scene<'_>, side: f32, name: &str, reason: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("{name}: {reason}")));
    ui.painter().rect_filled(rect, 2.0, scene.theme.background);
    let font = egui::TextStyle::Small.resolve(ui.style());
    let galley = ui.painter().layout(reason.to_owned(), font, scene.theme.faint, side - 8.0);
    let at: Pos2 = rect.center() - galley.size() / 2.0;
    ui.painter().with_clip_rect(rect.intersect(ui.clip_rect())).galley(at, galley, scene.theme.faint);
    response
}
