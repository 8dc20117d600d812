//! A/B: two pictures side by side, swiped, flipped, or their difference.

use eframe::egui::{Key, ScrollArea, Slider, Ui};
use serde::{Deserialize, Serialize};

use super::ab_pictures::{Shown, colours_ui, compare_ui, layers};
use super::differences::Differences;
use super::nothing_drawn::why_nothing_is_drawn;
use super::side::{Side, caption, side_ui};
use super::source::{Held, PictureSource};
use super::zoom::Zoom;
use crate::ui::data::group::LoadedGroup;
use crate::ui::data::run::RunId;
use crate::ui::scene::Scene;
use crate::ui::view::OverlayView;

/// Panels wider than this have the choices of A and B in one row.
const WIDE: f32 = 1080.0;

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
    /// The absolute difference of the colours.
    Difference,
    /// The difference of the lightness with its sign.
    SignedDifference,
}

impl AbMode {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::SideBySide, Self::Swipe, Self::Flip, Self::Difference, Self::SignedDifference];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SideBySide => "Side by side",
            Self::Swipe => "Swipe",
            Self::Flip => "Flip",
            Self::Difference => "Difference",
            Self::SignedDifference => "Signed difference",
        }
    }

    const fn meaning(self) -> &'static str {
        match self {
            Self::SideBySide => "A on the left, B on the right, with the same zoom.",
            Self::Swipe => "A left of the divider, B right of it. Drag the divider.",
            Self::Flip => "A or B in the same place; F changes between them.",
            Self::Difference => {
                "Absolute difference of the colours of A and B, amplified: black where they are the same."
            }
            Self::SignedDifference => {
                "Lightness of B less that of A, amplified: orange where B is lighter, blue where it is darker."
            }
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
    /// The part that is seen, also of the pictures of all runs.
    #[serde(skip)]
    pub zoom: Zoom,
    #[serde(skip)]
    pub(super) held: [Option<(RunId, Held)>; 2],
    #[serde(skip)]
    pub(super) differences: Differences,
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
            differences: Differences::default(),
        }
    }
}

impl AbView {
    /// The groups that are held, for [`crate::ui::ranges::Ranges::see`]: the colours of a layer range over both.
    pub fn held(&self) -> impl Iterator<Item = &LoadedGroup> {
        self.held.iter().flatten().filter_map(|(_, held)| held.group.as_deref())
    }

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

/// Draws the choice of the two pictures and the comparison, with the layer of `overlay` over both. `drawn` are the runs from
/// which the first two are taken while nothing is chosen.
pub fn ab_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut AbView, overlay: &OverlayView, drawn: &[RunId]) {
    view.fill(scene, drawn);
    let (Some(a), Some(b)) = (view.a, view.b) else {
        ui.colored_label(scene.theme.faint, why_nothing_is_drawn(scene.runs));
        return;
    };
    let height = ui.available_height();
    ScrollArea::vertical().id_salt("a and b").auto_shrink(false).show(ui, |ui| {
        let top = ui.cursor().top();
        let sides = sides_ui(ui, scene, view, [a, b]);
        modes_ui(ui, view);
        let [a, b] = sides;
        let (source, [held_a, held_b]) = (view.source, &mut view.held);
        let found = [("A", a, a.show(scene, source, held_a)), ("B", b, b.show(scene, source, held_b))];
        let both = found.map(|(letter, side, found)| held_ui(ui, scene, (letter, side, source), found));
        let [Some((name_a, a)), Some((name_b, b))] = both else { return };
        let layers = match layers(scene, overlay, [&a, &b]) {
            Ok(layers) => layers,
            Err(error) => {
                ui.colored_label(scene.theme.bad, error.to_string());
                return;
            }
        };
        colours_ui(ui, scene, (view, overlay), [&a, &b]);
        let (Ok(picture_a), Ok(picture_b)) = (a.picture, b.picture) else { return };
        let [a, b] = layers;
        let shown = [
            Shown { name: name_a, picture: picture_a, overlay: a },
            Shown { name: name_b, picture: picture_b, overlay: b },
        ];
        let left = height - (ui.cursor().top() - top);
        compare_ui(ui, scene, view, &shown, left);
    });
}

fn sides_ui(ui: &mut Ui, scene: Scene<'_>, view: &mut AbView, [mut a, mut b]: [Side; 2]) -> [Side; 2] {
    ui.horizontal_wrapped(|ui| {
        for source in PictureSource::ALL {
            ui.selectable_value(&mut view.source, source, source.name()).on_hover_text(source.meaning());
        }
        ui.separator();
        if ui.button("Swap").on_hover_text("A becomes B and B becomes A.").clicked() {
            (a, b) = (b, a);
            view.held.swap(0, 1);
        }
        view.zoom.reset_ui(ui);
    });
    if ui.available_width() > WIDE {
        ui.horizontal(|ui| {
            side_ui(ui, scene, ("A", view.source), &mut a);
            ui.separator();
            side_ui(ui, scene, ("B", view.source), &mut b);
        });
    } else {
        ui.horizontal_wrapped(|ui| side_ui(ui, scene, ("A", view.source), &mut a));
        ui.horizontal_wrapped(|ui| side_ui(ui, scene, ("B", view.source), &mut b));
    }
    (view.a, view.b) = (Some(a), Some(b));
    [a, b]
}

/// What a side shows with its caption, or why it shows nothing.
fn held_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    (letter, side, source): (&str, Side, PictureSource),
    found: Result<Option<Held>, String>,
) -> Option<(String, Held)> {
    let (colour, reason) = match found {
        Ok(Some(held)) => match &held.picture {
            Ok(_) => {
                let name = scene.runs.get(side.run).map(|run| run.name.clone()).unwrap_or_default();
                return Some((format!("{letter}: {}", caption(&name, &held.found, source)), held));
            }
            Err(reason) => (scene.theme.bad, format!("{letter}: {reason}")),
        },
        Ok(None) => (scene.theme.faint, format!("{letter} is being read")),
        Err(reason) => (scene.theme.warning, format!("{letter}: {reason}")),
    };
    ui.colored_label(colour, reason);
    None
}

fn modes_ui(ui: &mut Ui, view: &mut AbView) {
    ui.horizontal_wrapped(|ui| {
        for mode in AbMode::ALL {
            ui.selectable_value(&mut view.mode, mode, mode.name()).on_hover_text(mode.meaning());
        }
        if view.mode != AbMode::SideBySide {
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
            AbMode::Difference | AbMode::SignedDifference => {
                let slider = Slider::new(&mut view.factor, 1..=8).suffix(" x").text("Amplified");
                ui.add(slider)
                    .on_hover_text("By how much the difference is amplified; the numbers below are not.");
            }
        }
    });
}
