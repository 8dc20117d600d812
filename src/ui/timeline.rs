//! All recorded iterations of the selected run, with its marks and the window's one cursor.

use eframe::egui::{self, Color32, Pos2, Rect, RichText, Sense, Shape, Stroke, Ui, pos2, vec2};

use super::action::Action;
use super::data::run::{OpenRun, Runs};
use super::icons::{Icon, icon_button};
use super::scene::Scene;
use super::theme::Theme;
use crate::runs::event::Mark;

/// What happened at an iteration, for drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A checkpoint.
    Checkpoint,
    /// An evaluation or a noise probe.
    Probe,
    /// Training went on after it had ended.
    Resume,
    /// A fork.
    Branch,
    /// A setting changed.
    Change,
    /// Something looks wrong.
    Alert,
}

/// Something to be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// Iteration.
    pub step: usize,
    /// What it is.
    pub kind: Kind,
    /// In words.
    pub text: String,
}

impl Kind {
    /// Of a recorded mark.
    #[must_use]
    pub const fn of(mark: Mark) -> Self {
        match mark {
            Mark::Checkpoint => Self::Checkpoint,
            Mark::Evaluation | Mark::Probe => Self::Probe,
            Mark::Resume => Self::Resume,
            Mark::Fork => Self::Branch,
            Mark::Alert => Self::Alert,
        }
    }

    /// Its colour.
    #[must_use]
    pub const fn colour(self, theme: &Theme) -> Color32 {
        match self {
            Self::Checkpoint => theme.checkpoint,
            Self::Probe => theme.probe,
            Self::Resume | Self::Branch => theme.branch,
            Self::Change => theme.change,
            Self::Alert => theme.bad,
        }
    }
}

/// A changed setting in words: `mte.share 0.3 to 0.5`.
#[must_use]
pub fn change_text(change: &crate::runs::store::ChangeEntry) -> String {
    let setting = change.setting.strip_prefix("rl.").unwrap_or(&change.setting);
    format!("{setting} {} to {}", plain(&change.from), plain(&change.to))
}

fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Changes, marks, film strips and open branches of a run, by iteration.
#[must_use]
pub fn happenings(run: &OpenRun, runs: &Runs) -> Vec<Happening> {
    let changes = run.store.changes().iter().map(|change| Happening {
        step: change.step,
        kind: Kind::Change,
        text: change_text(change),
    });
    let marks = run.store.marks().iter().map(|mark| Happening {
        step: mark.step,
        kind: Kind::of(mark.mark),
        text: mark.text.clone(),
    });
    let strips = run.store.probes().iter().map(|(step, _)| Happening {
        step: *step,
        kind: Kind::Probe,
        text: "pictures of the fixed prompts".into(),
    });
    let branches = runs.iter().filter_map(|branch| {
        let (parent, step) = runs.parent(branch)?;
        let text = format!("{} branches off", branch.name);
        (parent.id == run.id).then_some(Happening { step, kind: Kind::Branch, text })
    });
    let mut all: Vec<Happening> = changes.chain(marks).chain(strips).chain(branches).collect();
    all.sort_by_key(|happening| (happening.step, happening.kind));
    all
}

/// Iterations along the strip.
struct Scale {
    rect: Rect,
    last: usize,
}

impl Scale {
    fn x(&self, step: usize) -> f32 {
        // A cursor of a longer run stands at the end.
        egui::remap_clamp(step as f32, 0.0..=self.last.max(1) as f32, self.rect.x_range())
    }

    fn step(&self, x: f32) -> usize {
        let last = self.last.max(1) as f32;
        egui::remap_clamp(x, self.rect.x_range(), 0.0..=last).round() as usize
    }
}

/// Draws the timeline. `happened` are the selected run's [`happenings`], `planned` its iterations in all.
pub fn timeline_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    (happened, planned): (&[Happening], Option<usize>),
    playing: bool,
    out: &mut Vec<Action>,
) {
    let Some(run) = scene.run() else {
        ui.label(
            RichText::new("The timeline shows every recorded iteration of the selected run.")
                .color(scene.theme.faint),
        );
        return;
    };
    ui.horizontal(|ui| {
        buttons_ui(ui, scene, playing, out);
        let width = (ui.available_width() - 96.0).max(60.0);
        let (rect, response) = ui.allocate_exact_size(vec2(width, 34.0), Sense::click_and_drag());
        let newest = run.store.last_step().unwrap_or(0);
        let scale = Scale { rect: rect.shrink2(vec2(8.0, 0.0)), last: newest.max(planned.unwrap_or(0)) };
        let step = scene.step();
        response.widget_info(|| egui::WidgetInfo::slider(true, step as f64, "Timeline"));
        paint(ui, scene, &scale, happened, newest);
        if let Some(pos) = response.interact_pointer_pos()
            && (response.clicked() || response.dragged())
        {
            let target = scale.step(pos.x).min(newest);
            // At the right end of what is recorded the cursor follows again.
            out.push(Action::Cursor((target < newest).then_some(target)));
        }
        if let Some(pos) = response.hover_pos() {
            hover_ui(response, &scale, happened, pos);
        }
        let text =
            if scene.selection.cursor.is_some() { format!("at {step}") } else { format!("newest, {step}") };
        ui.label(RichText::new(text).color(scene.theme.text))
            .on_hover_text("The iteration that everything shows.");
    });
}

fn buttons_ui(ui: &mut Ui, scene: Scene<'_>, playing: bool, out: &mut Vec<Action>) {
    let following = scene.selection.cursor.is_none();
    let live = ui.selectable_label(following, "Live").on_hover_text("Follow the newest iteration (End).");
    if live.clicked() {
        out.push(Action::Cursor(None));
    }
    let play = if playing { Icon::Pause } else { Icon::Play };
    if icon_button(ui, play, "Play iterations").clicked() {
        out.push(Action::TogglePlay);
    }
    if icon_button(ui, Icon::Back, "Iteration before").clicked() {
        out.push(Action::MoveCursor(-1));
    }
    if icon_button(ui, Icon::Forward, "Iteration after").clicked() {
        out.push(Action::MoveCursor(1));
    }
}

fn paint(ui: &Ui, scene: Scene<'_>, scale: &Scale, happened: &[Happening], newest: usize) {
    let (theme, painter, rect) = (scene.theme, ui.painter(), scale.rect);
    let track = Rect::from_min_max(
        pos2(rect.left(), rect.center().y - 3.0),
        pos2(rect.right(), rect.center().y + 3.0),
    );
    painter.rect_filled(track, 3.0, theme.line);
    let done = Rect::from_min_max(track.min, pos2(scale.x(newest), track.max.y));
    painter.rect_filled(done, 3.0, theme.accent.gamma_multiply(0.45));
    let mut last = [i32::MIN; 6];
    for happening in happened {
        let x = scale.x(happening.step);
        // One mark a pixel and kind: a hundred thousand cost what the strip is wide.
        let place = x.round() as i32;
        if std::mem::replace(&mut last[happening.kind as usize], place) == place {
            continue;
        }
        paint_mark(painter, happening.kind, x, rect, theme);
    }
    let x = scale.x(scene.step());
    painter.line_segment([pos2(x, rect.top()), pos2(x, rect.bottom())], Stroke::new(2.0, theme.accent));
    painter.circle_filled(pos2(x, rect.center().y), 6.0, theme.accent);
    painter.circle_stroke(pos2(x, rect.center().y), 6.0, Stroke::new(1.5, theme.panel));
}

/// Each kind has a shape of its own, so that none is told by colour alone.
fn paint_mark(painter: &egui::Painter, kind: Kind, x: f32, rect: Rect, theme: &Theme) {
    let colour = kind.colour(theme);
    let (top, middle, bottom) = (rect.top() + 5.0, rect.center().y, rect.bottom() - 5.0);
    match kind {
        Kind::Checkpoint => {
            painter.rect_filled(Rect::from_center_size(pos2(x, bottom), vec2(4.0, 7.0)), 0.0, colour);
        }
        Kind::Probe => {
            painter.circle_filled(pos2(x, bottom), 2.5, colour);
        }
        Kind::Resume => {
            painter.line_segment([pos2(x, top), pos2(x, bottom)], Stroke::new(1.5, colour));
            let square = Rect::from_center_size(pos2(x, middle), vec2(7.0, 7.0));
            painter.rect_filled(square, 0.0, colour);
        }
        Kind::Branch => {
            painter.line_segment([pos2(x, top), pos2(x, bottom)], Stroke::new(1.5, colour));
            painter.circle_stroke(pos2(x, middle), 4.0, Stroke::new(1.5, colour));
        }
        Kind::Change => {
            painter.add(diamond(pos2(x, top), 4.5, colour));
            painter.line_segment([pos2(x, top), pos2(x, middle)], Stroke::new(1.0, colour));
        }
        Kind::Alert => {
            let points = vec![pos2(x, top - 5.0), pos2(x - 5.0, top + 4.0), pos2(x + 5.0, top + 4.0)];
            painter.add(Shape::convex_polygon(points, colour, Stroke::NONE));
        }
    }
}

fn diamond(at: Pos2, size: f32, colour: Color32) -> Shape {
    let points =
        vec![at + vec2(0.0, -size), at + vec2(size, 0.0), at + vec2(0.0, size), at + vec2(-size, 0.0)];
    Shape::convex_polygon(points, colour, Stroke::NONE)
}

/// What happened near the pointer.
fn hover_ui(response: egui::Response, scale: &Scale, happened: &[Happening], pos: Pos2) {
    const MOST: usize = 8;
    let near: Vec<&Happening> = happened.iter().filter(|h| (scale.x(h.step) - pos.x).abs() <= 5.0).collect();
    let mut lines = vec![format!("iteration {}", scale.step(pos.x))];
    lines.extend(near.iter().take(MOST).map(|happening| format!("{}: {}", happening.step, happening.text)));
    if near.len() > MOST {
        lines.push(format!("and {} more", near.len() - MOST));
    }
    response.on_hover_text_at_pointer(lines.join("\n"));
}
