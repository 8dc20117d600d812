//! Pictures of several runs side by side: a row a run, a column a picture, one zoom and one layer for all.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::{
    self, Align, Color32, Layout, Pos2, Rect, Role, ScrollArea, Sense, Ui, Vec2, WidgetInfo, vec2,
};
use serde::{Deserialize, Serialize};

use super::ab::AbView;
use super::grid::{CAPTION, Grid, Place, grid_ui, padded};
use super::groups::RunGroup;
use super::nothing_drawn::why_nothing_is_drawn;
use super::pictures_bar::{layer_ui, source_ui};
use super::sameness::sameness;
use super::side::{Side, caption};
use super::source::{self, Held, PictureSource};
use crate::runs::list::REWARD;
use crate::ui::action::Action;
use crate::ui::data::group::{LoadedGroup, group_at};
use crate::ui::data::media::Loaded;
use crate::ui::data::run::{OpenRun, RunId};
use crate::ui::number::number;
use crate::ui::overlay::{ImageResponse, ImageView, Overlay, image_ui};
use crate::ui::picture::{PictureStyle, picture_ui};
use crate::ui::scene::Scene;
use crate::ui::view::OverlayView;

/// Width of what is said of a run, points.
const RUN_WIDTH: f32 = 190.0;
/// Height of what is said of a picture, points.
const BELOW: f32 = 20.0;
/// Height of the heading, points.
const HEAD: f32 = 22.0;

/// How the pictures are looked at.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct PicturesView {
    /// Which pictures.
    pub source: PictureSource,
    /// Their side, points.
    pub side: f32,
    #[serde(skip)]
    groups: BTreeMap<RunId, Arc<LoadedGroup>>,
    #[serde(skip)]
    frames: BTreeMap<(RunId, usize), Held>,
}

impl Default for PicturesView {
    fn default() -> Self {
        Self {
            source: PictureSource::default(),
            side: 96.0,
            groups: BTreeMap::new(),
            frames: BTreeMap::new(),
        }
    }
}

impl PicturesView {
    /// The groups that are held, for [`crate::ui::ranges::Ranges::see`]: the colours of a layer range over all runs.
    pub fn held(&self) -> impl Iterator<Item = &LoadedGroup> {
        self.groups.values().map(Arc::as_ref)
    }

    /// The group of `run` that is held, which may be that of another iteration while the next is being read.
    #[must_use]
    pub fn group(&self, run: RunId) -> Option<&Arc<LoadedGroup>> {
        self.groups.get(&run)
    }

    /// Puts numbers that a file may hold into their ranges.
    pub fn validate(&mut self) {
        if !(32.0..=512.0).contains(&self.side) {
            self.side = Self::default().side;
        }
    }
}

/// What is drawn.
pub struct PicturesInput<'a> {
    /// The runs, see [`super::table::groups`].
    pub groups: &'a [RunGroup],
    /// The layer over all pictures, the same in Live and Inspect.
    pub overlay: &'a mut OverlayView,
    /// Colours of the series palette.
    pub colour: &'a dyn Fn(usize) -> Color32,
}

/// Draws the pictures of all runs with the choice of the layer over them. A click makes a picture A of A/B, a click with
/// Shift makes it B.
pub fn pictures_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    view: &mut PicturesView,
    input: PicturesInput<'_>,
    ab: &mut AbView,
    out: &mut Vec<Action>,
) {
    let PicturesInput { groups, overlay, colour } = input;
    let rows: Vec<(RunId, Color32)> =
        groups.iter().flat_map(|group| group.runs.iter().map(|run| (*run, colour(group.colour)))).collect();
    if rows.is_empty() {
        ui.colored_label(scene.theme.faint, why_nothing_is_drawn(scene.runs));
        return;
    }
    let drawn: Vec<RunId> = rows.iter().map(|(run, _)| *run).collect();
    view.groups.retain(|run, _| drawn.contains(run));
    view.frames.retain(|(run, _), _| drawn.contains(run));
    let height = ui.available_height();
    let least = HEAD + row_height(view.side) + ui.spacing().scroll.allocated_width();
    // In a low panel all of it scrolls, so that a whole row of pictures is seen.
    ScrollArea::vertical().id_salt("pictures of runs").auto_shrink(false).show(ui, |ui| {
        let top = ui.cursor().top();
        source_ui(ui, view, &mut ab.zoom);
        if view.source == PictureSource::Training {
            let held: Vec<&LoadedGroup> =
                drawn.iter().filter_map(|run| view.groups.get(run).map(Arc::as_ref)).collect();
            layer_ui(ui, scene, overlay, &held, out);
        }
        let same = sameness(scene, view.source, &drawn);
        if !same.is_empty() {
            ui.colored_label(scene.theme.faint, same);
        }
        let left = (height - (ui.cursor().top() - top)).max(least);
        let size = vec2(ui.available_width(), left);
        ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
            Panel { scene, view, overlay, ab, out }.grid_ui(ui, &rows);
        });
    });
}

fn row_height(side: f32) -> f32 {
    (side + BELOW + 6.0).max(84.0)
}

struct Panel<'a> {
    scene: Scene<'a>,
    view: &'a mut PicturesView,
    overlay: &'a OverlayView,
    ab: &'a mut AbView,
    out: &'a mut Vec<Action>,
}

impl Panel<'_> {
    fn grid_ui(&mut self, ui: &mut Ui, rows: &[(RunId, Color32)]) {
        let of = |(id, _): &(RunId, Color32)| {
            let run = self.scene.runs.get(*id);
            run.map_or(0, |run| source::count(run, self.view.source, self.scene.step_of(run)))
        };
        let columns = rows.iter().map(of).max().unwrap_or(0);
        let mut widths = vec![RUN_WIDTH];
        widths.resize(columns + 1, padded(self.view.side));
        let (row, line) = (row_height(self.view.side), self.scene.theme.line);
        let grid = Grid { name: "pictures", widths: &widths, head: HEAD, row, rows: rows.len(), line };
        grid_ui(ui, grid, &mut |ui, place| self.cell(ui, place, rows));
    }

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
                let label = ui.add(egui::Label::new(egui::RichText::new(&run.name).strong()).truncate());
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
        let name = caption(&run.name, &found, self.view.source);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            let image = match self.view.source {
                PictureSource::Training => self.trained_ui(ui, run, index, &name),
                PictureSource::Fixed => self.fixed_ui(ui, (run, &found), index, &name),
            };
            self.act(ui, (run, side), image, &found.prompt);
            let mark = self.marks(run, index);
            let text = match self.view.source {
                PictureSource::Training => format!("{mark}{}", number(found.score)),
                PictureSource::Fixed => format!("{mark}{}  {}", number(found.score), found.prompt),
            };
            ui.add(egui::Label::new(egui::RichText::new(text).size(CAPTION)).truncate());
        });
    }

    fn trained_ui(&mut self, ui: &mut Ui, run: &OpenRun, index: usize, name: &str) -> ImageResponse {
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
            ar_step: self.scene.selection.ar_step.filter(|step| *step < group.record.ar_steps),
            uv: self.ab.zoom.uv,
            ..PictureStyle::of(self.overlay)
        };
        picture_ui(ui, self.scene, (&group, index), self.view.side, style, name)
    }

    fn fixed_ui(
        &mut self,
        ui: &mut Ui,
        (run, found): (&OpenRun, &source::Found),
        index: usize,
        name: &str,
    ) -> ImageResponse {
        let key = (run.id, index);
        let held = source::read(run, self.scene.media, found.clone(), self.view.frames.remove(&key));
        let Some(held) = held else { return empty_ui(ui, self.scene, self.view.side, name, "reading") };
        self.view.frames.insert(key, held.clone());
        match held.picture {
            Ok(picture) => {
                let seen = ImageView { size: Vec2::splat(self.view.side), uv: self.ab.zoom.uv };
                // Fixed prompts are recorded without maps of their tokens.
                image_ui(ui, self.scene.renderer, &picture, &Overlay::none(0), seen, name)
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

    fn act(&mut self, ui: &Ui, (run, side): (&OpenRun, Side), image: ImageResponse, prompt: &str) {
        let seen = ImageView { size: Vec2::splat(self.view.side), uv: self.ab.zoom.uv };
        self.ab.zoom.follow(ui, &image, seen);
        let response = image.response;
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
            "{prompt}\nClick makes it A of A/B, Shift and click B. Scrolling with Ctrl or a pinch zooms all pictures, a drag moves \
             them, a double click shows all."
        ));
    }

    fn choose(&mut self, side: Side, second: bool) {
        self.ab.source = self.view.source;
        *(if second { &mut self.ab.b } else { &mut self.ab.a }) = Some(side);
    }
}

/// A square without a picture, and why.
fn empty_ui(ui: &mut Ui, scene: Scene<'_>, side: f32, name: &str, reason: &str) -> ImageResponse {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("{name}: {reason}")));
    ui.painter().rect_filled(rect, 2.0, scene.theme.background);
    let font = egui::TextStyle::Small.resolve(ui.style());
    let galley = ui.painter().layout(reason.to_owned(), font, scene.theme.faint, side - 8.0);
    let at: Pos2 = rect.center() - galley.size() / 2.0;
    ui.painter().with_clip_rect(rect.intersect(ui.clip_rect())).galley(at, galley, scene.theme.faint);
    ImageResponse { response, hovered_token: None, clicked_token: None, pointer_uv: None }
}
