//! A/B: two pictures side by side, swiped, flipped, or their difference.

use eframe::egui::{
    self, Color32, CursorIcon, Key, Pos2, Rect, Response, Role, Sense, Slider, Stroke, TextureId, Ui, Vec2,
    WidgetInfo, pos2,
};
use serde::{Deserialize, Serialize};

use super::differences::Differences;
use super::names::name;
use super::side::{Side, caption, side_ui};
use super::source::{Held, PictureSource};
use super::texture::Textures;
use super::zoom::Zoom;
use crate::ui::data::run::RunId;
use crate::ui::overlay::Picture;
use crate::ui::scene::Scene;

/// How two pictures are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbMode {
    /// One beside the other.
    #[default]
    SideBySide,
    /// A left of a divider, B right of it.
    Swipe,
    /// One in place of the other.
    Flip,
    /// The absolute difference.
    Difference,
}

impl AbMode {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::SideBySide, Self::Swipe, Self::Flip, Self::Difference];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SideBySide => "Side by side",
            Self::Swipe => "Swipe",
            Self::Flip => "Flip",
            Self::Difference => "Difference",
        }
    }

    const fn meaning(self) -> &'static str {
        match self {
            Self::SideBySide => "A on the left, B on the right, with the same zoom.",
            Self::Swipe => "A left of the divider, B right of it. Drag the divider.",
            Self::Flip => "A or B in the same place; F changes between them.",
            Self::Difference => "Absolute difference of the colours of A and B, amplified.",
        }
    }
}

/// How A/B is looked at.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct AbView {
    /// Which pictures.
    pub source: PictureSource,
    /// How they are compared.
    pub mode: AbMode,
    /// By how much a difference is amplified, 1 to 8.
    pub factor: u32,
    /// Place of the divider, 0 to 1.
    pub divider: f32,
    /// The first picture.
    #[serde(skip)]
    pub a: Option<Side>,
    /// The second picture.
    #[serde(skip)]
    pub b: Option<Side>,
    /// Whether B is shown while flipping.
    #[serde(skip)]
    pub flipped: bool,
    /// The part that is seen.
    #[serde(skip)]
    pub zoom: Zoom,
    #[serde(skip)]
    held: [Option<(RunId, Held)>; 2],
    #[serde(skip)]
    textures: Textures,
    #[serde(skip)]
    differences: Differences,
}

impl Default for AbView {
    fn default() -> Self {
        Self {
            source: PictureSource::default(),
            mode: AbMode::default(),
            factor: 4,
            divider: 0.5,
            a: None,
            b: None,
            flipped: false,
            zoom: Zoom::default(),
            held: [None, None],
            textures: Textures::default(),
            differences: Differences::default(),
        }
    }
}

impl AbView {
    /// Puts numbers that a file may hold into their ranges.
    pub fn validate(&mut self) {
        self.factor = self.factor.clamp(1, 8);
        if !(0.0..=1.0).contains(&self.divider) {
            self.divider = 0.5;
        }
    }

    /// Chooses the first runs where nothing is chosen, and forgets runs that were closed.
    fn fill(&mut self, scene: Scene<'_>, drawn: &[RunId]) {
        let open = |side: &Side| scene.runs.get(side.run).is_some();
        self.a = self.a.filter(open);
        self.b = self.b.filter(open);
        let side = |run: &RunId| Side { run: *run, pinned: None, picture: 0 };
        self.a = self.a.or_else(|| drawn.first().map(side));
        // One run alone is compared with its own beginning.
        let alone = || drawn.first().map(|run| Side { pinned: Some(0), ..side(run) });
        self.b = self.b.or_else(|| drawn.get(1).map(side).or_else(alone));
    }
}

/// Draws the choice of the two pictures and the comparison. `drawn` are the runs from which the first two are taken while
/// nothing is chosen.
pub fn ab_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut AbView, drawn: &[RunId]) {
    view.fill(scene, drawn);
    let (Some(mut a), Some(mut b)) = (view.a, view.b) else {
        ui.colored_label(scene.theme.faint, "No run is drawn: check one in the table of runs.");
        return;
    };
    ui.horizontal_wrapped(|ui| {
        for source in PictureSource::ALL {
            ui.selectable_value(&mut view.source, source, source.name()).on_hover_text(source.meaning());
        }
        ui.separator();
        if ui.button("Swap").on_hover_text("A becomes B and B becomes A.").clicked() {
            (a, b) = (b, a);
            view.held.swap(0, 1);
        }
    });
    ui.horizontal_wrapped(|ui| side_ui(ui, scene, ("A", view.source), &mut a));
    ui.horizontal_wrapped(|ui| side_ui(ui, scene, ("B", view.source), &mut b));
    (view.a, view.b) = (Some(a), Some(b));
    modes_ui(ui, view);
    let source = view.source;
    let shown = [a, b].map(|side| side.run);
    let [held_a, held_b] = &mut view.held;
    let found = [a.show(scene, source, held_a), b.show(scene, source, held_b)];
    let mut sides = Vec::new();
    for ((found, side), (letter, run)) in found.into_iter().zip([a, b]).zip(["A", "B"].into_iter().zip(shown))
    {
        let name = scene.runs.get(run).map(|run| name(scene.runs, run)).unwrap_or_default();
        match found {
            Ok(Some(held)) => match held.picture {
                Ok(picture) => {
                    sides
                        .push((format!("{letter}: {}", caption(&name, &side, &held.found, source)), picture));
                }
                Err(reason) => drop(ui.colored_label(scene.theme.bad, format!("{letter}: {reason}"))),
            },
            Ok(None) => drop(ui.colored_label(scene.theme.faint, format!("{letter} is being read"))),
            Err(reason) => drop(ui.colored_label(scene.theme.warning, format!("{letter}: {reason}"))),
        }
    }
    if let [(name_a, picture_a), (name_b, picture_b)] = sides.as_slice() {
        compare_ui(ui, scene, view, [(name_a, picture_a), (name_b, picture_b)]);
    }
}

fn modes_ui(ui: &mut Ui, view: &mut AbView) {
    ui.horizontal_wrapped(|ui| {
        for mode in AbMode::ALL {
            ui.selectable_value(&mut view.mode, mode, mode.name()).on_hover_text(mode.meaning());
        }
        if view.mode != AbMode::SideBySide || !view.zoom.is_whole() {
            ui.separator();
        }
        match view.mode {
            AbMode::SideBySide => {}
            AbMode::Swipe => {
                let slider = Slider::new(&mut view.divider, 0.0..=1.0).show_value(false).text("Divider");
                ui.add(slider).on_hover_text("How much of A is shown.");
            }
            AbMode::Flip => {
                let words = if view.flipped { "Flip to A (F)" } else { "Flip to B (F)" };
                let pressed = ui.input(|i| i.key_pressed(Key::F) && i.modifiers.is_none());
                let typing = ui.memory(|memory| memory.focused().is_some());
                if ui.button(words).on_hover_text("Show the other picture in the same place.").clicked()
                    || (pressed && !typing)
                {
                    view.flipped = !view.flipped;
                }
            }
            AbMode::Difference => {
                let slider = Slider::new(&mut view.factor, 1..=8).suffix(" x").text("Amplified");
                ui.add(slider)
                    .on_hover_text("By how much the difference is amplified; the number beside it is not.");
            }
        }
        if !view.zoom.is_whole() {
            let words = format!("Reset zoom ({:.1} x)", view.zoom.factor());
            if ui.button(words).on_hover_text("Show whole pictures again.").clicked() {
                view.zoom = Zoom::default();
            }
        }
    });
}

fn compare_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    view: &mut AbView,
    sides: [(&String, &std::sync::Arc<Picture>); 2],
) {
    let [(name_a, a), (name_b, b)] = sides;
    let textures = [view.textures.of(ui.ctx(), a), view.textures.of(ui.ctx(), b)];
    let across = if view.mode == AbMode::SideBySide { 2.0 } else { 1.0 };
    let gap = ui.spacing().item_spacing.x;
    // Room for two captions below.
    let high = ui.available_height() - 48.0;
    let side = ((ui.available_width() - gap * (across - 1.0)) / across).min(high).clamp(96.0, 720.0);
    match view.mode {
        AbMode::SideBySide => {
            ui.horizontal(|ui| {
                for (texture, name) in textures.into_iter().zip([name_a, name_b]) {
                    ui.vertical(|ui| {
                        ui.set_width(side);
                        square_ui(ui, view, texture, side, name);
                        ui.add(egui::Label::new(name.as_str()).wrap());
                    });
                }
            });
        }
        AbMode::Swipe => {
            swipe_ui(ui, scene, view, textures, side);
            ui.label(format!("Left {name_a}"));
            ui.label(format!("Right {name_b}"));
        }
        AbMode::Flip => {
            let place = usize::from(view.flipped);
            let name = if view.flipped { name_b } else { name_a };
            if let Some(texture) = textures.get(place) {
                let response = square_ui(ui, view, *texture, side, name);
                letter_ui(ui, scene, response.rect, if view.flipped { "B" } else { "A" });
            }
            ui.label(name);
        }
        AbMode::Difference => match view.differences.of(ui.ctx(), (a, b), view.factor) {
            Ok((texture, mean)) => {
                let share = mean / 255.0 * 100.0;
                square_ui(ui, view, texture, side, "Difference of A and B");
                ui.label(format!("Mean absolute difference {mean:.2} of 255 ({share:.2} %)"));
                ui.colored_label(scene.theme.faint, format!("{name_a}\n{name_b}"));
            }
            Err(reason) => drop(ui.colored_label(scene.theme.bad, reason)),
        },
    }
}

/// A picture with the zoom.
fn square_ui(ui: &mut Ui, view: &mut AbView, texture: TextureId, side: f32, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    view.zoom.follow(ui, &response);
    ui.painter().image(texture, rect, view.zoom.uv, Color32::WHITE);
    response
}

fn letter_ui(ui: &Ui, scene: Scene<'_>, rect: Rect, letter: &str) {
    let plate = Rect::from_min_size(rect.min + Vec2::splat(6.0), Vec2::splat(24.0));
    ui.painter().rect_filled(plate, 4.0, scene.theme.panel);
    let font = egui::FontId::proportional(18.0);
    ui.painter().text(plate.center(), egui::Align2::CENTER_CENTER, letter, font, scene.theme.text);
}

fn swipe_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut AbView, [a, b]: [TextureId; 2], side: f32) {
    let response = square_ui(ui, view, a, side, "A left of the divider, B right of it");
    let rect = response.rect;
    let x = rect.left() + side * view.divider;
    let handle = Rect::from_center_size(pos2(x, rect.center().y), Vec2::new(14.0, side));
    let drag = ui.interact(handle, response.id.with("divider"), Sense::drag());
    drag.widget_info(|| WidgetInfo::slider(true, f64::from(view.divider), "Drag the divider"));
    if let Some(pointer) = drag.interact_pointer_pos().filter(|_| drag.dragged()) {
        view.divider = ((pointer.x - rect.left()) / side).clamp(0.0, 1.0);
    }
    if drag.hovered() || drag.dragged() {
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    let x = rect.left() + side * view.divider;
    let right = Rect::from_min_max(pos2(x, rect.top()), rect.max);
    let uv = part(view.zoom.uv, view.divider);
    ui.painter().image(b, right, uv, Color32::WHITE);
    let colour = if drag.hovered() || drag.dragged() { scene.theme.accent } else { scene.theme.text };
    ui.painter().vline(x, rect.y_range(), Stroke::new(4.0, scene.theme.panel));
    ui.painter().vline(x, rect.y_range(), Stroke::new(2.0, colour));
    let grip: Pos2 = pos2(x, rect.center().y);
    ui.painter().circle(grip, 7.0, scene.theme.panel, Stroke::new(2.0, colour));
    drag.on_hover_text("Drag: A is left of it, B right of it.");
}

/// The part of `uv` right of the divider.
fn part(uv: Rect, divider: f32) -> Rect {
    Rect::from_min_max(pos2(uv.left() + uv.width() * divider, uv.top()), uv.max)
}
