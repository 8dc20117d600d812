//! Film strips: pictures of fixed prompts with fixed noise over the iterations. What changes from frame to frame is the
//! policy and nothing else, so that drift and collapse are seen at a glance.

use std::ops::Range;

use eframe::egui::{
    Align2, FontId, Rect, Response, RichText, Role, ScrollArea, Sense, Stroke, StrokeKind, TextWrapMode, Ui,
    WidgetInfo, WidgetText, pos2, vec2,
};

use super::thumbnail::thumbnail;
use super::tour::{self, Press, tour_ui};
use crate::runs::event::ProbeFrame;
use crate::ui::action::Action;
use crate::ui::data::media::Loaded;
use crate::ui::data::run::OpenRun;
use crate::ui::number::{counted, number};
use crate::ui::scene::Scene;
use crate::ui::theme::Theme;

/// Height of a prompt over its strip, and of the line under a picture.
const LINE: f32 = 16.0;
/// Between two pictures.
const BETWEEN: f32 = 6.0;
/// Sides of a picture.
const SIDES: (f32, f32) = (56.0, 160.0);

/// The film strips of the selected run. A click moves the cursor.
pub fn probes_ui(ui: &mut Ui, scene: Scene<'_>, out: &mut Vec<Action>) {
    let Some(run) = scene.run() else {
        let what = "Here are pictures of fixed prompts with fixed noise, one frame every few iterations.";
        tour::no_run_ui(ui, scene.theme, what, out);
        return;
    };
    let Some((newest, frames)) = run.store.probes().last() else {
        no_probes_ui(ui, scene, run, out);
        return;
    };
    let count = run.store.probes().len();
    let words = format!(
        "{} with the same noise in {}, the newest of iteration {newest}",
        counted(frames.len(), "prompt"),
        counted(count, "frame")
    );
    ui.label(RichText::new(words).color(scene.theme.faint)).on_hover_text(
        "Each strip is one prompt whose noise never changes: what differs from frame to frame is the policy. The number is \
         the verifier's score. A click moves the cursor of the window to the frame's iteration.",
    );
    let strip = Strip::new(scene, run, ui.available_height());
    let (first, moved) = cursor_moved(ui, strip.column);
    let mut area = ScrollArea::both().id_salt("probes").auto_shrink(false).stick_to_right(true);
    if first {
        // Or the oldest frames would be read before the newest are shown.
        area = area.horizontal_scroll_offset((strip.size().x - ui.available_width()).max(0.0));
    }
    area.show_viewport(ui, |ui, viewport| {
        let size = strip.size().max(vec2(1.0, 1.0));
        let (content, _) = ui.allocate_exact_size(size, Sense::hover());
        let columns = visible(viewport.x_range(), strip.side + BETWEEN, count);
        let rows = visible(viewport.y_range(), strip.row(), strip.rows);
        strip.highlight(ui, content);
        for row in rows {
            strip.row_ui(ui, content, (row, columns.clone()), out);
        }
        if let Some(column) = moved {
            // In height everything stays where it is.
            let left = content.left() + strip.left(column);
            let visible = content.top() + viewport.min.y..=content.top() + viewport.max.y;
            ui.scroll_to_rect(Rect::from_x_y_ranges(left..=left + strip.side, visible), None);
        }
    });
}

/// The places of `count` pieces of length `pitch` that are in `range`.
fn visible(range: eframe::egui::Rangef, pitch: f32, count: usize) -> Range<usize> {
    let first = (range.min / pitch).floor().max(0.0) as usize;
    let end = (range.max / pitch).ceil().max(0.0) as usize;
    first.min(count)..end.min(count)
}

/// Whether this is drawn for the first time, and the column at the cursor if it is another than in the frame before.
fn cursor_moved(ui: &Ui, column: Option<usize>) -> (bool, Option<usize>) {
    let id = ui.scope_id().with("column at the cursor");
    let before = ui.data_mut(|data| {
        let before = data.get_temp::<Option<usize>>(id);
        data.insert_temp(id, column);
        before
    });
    (before.is_none(), column.filter(|_| before.is_some_and(|before| before != column)))
}

/// Geometry and contents of all strips.
struct Strip<'a> {
    scene: Scene<'a>,
    run: &'a OpenRun,
    rows: usize,
    side: f32,
    /// Column at the cursor.
    column: Option<usize>,
}

impl<'a> Strip<'a> {
    fn new(scene: Scene<'a>, run: &'a OpenRun, height: f32) -> Self {
        let probes = run.store.probes();
        let rows = probes.last().map_or(0, |probe| probe.1.len());
        let step = scene.step_of(run);
        let column = probes.partition_point(|probe| probe.0 <= step).checked_sub(1);
        let room = (height - 14.0) / rows.max(1) as f32 - 2.0 * LINE - BETWEEN;
        Self { scene, run, rows, side: room.clamp(SIDES.0, SIDES.1).floor(), column }
    }

    fn row(&self) -> f32 {
        self.side + 2.0 * LINE + BETWEEN
    }

    fn left(&self, column: usize) -> f32 {
        column as f32 * (self.side + BETWEEN) + BETWEEN / 2.0
    }

    fn size(&self) -> eframe::egui::Vec2 {
        vec2(self.left(self.run.store.probes().len()), self.rows as f32 * self.row())
    }

    /// The band behind the column at the cursor.
    fn highlight(&self, ui: &Ui, content: Rect) {
        let Some(column) = self.column else { return };
        let left = content.left() + self.left(column) - BETWEEN / 2.0;
        let band = Rect::from_x_y_ranges(left..=left + self.side + BETWEEN, content.y_range());
        ui.painter().rect_filled(band, 3.0, self.scene.theme.line.gamma_multiply(0.6));
    }

    fn row_ui(&self, ui: &Ui, content: Rect, (row, columns): (usize, Range<usize>), out: &mut Vec<Action>) {
        let top = content.top() + row as f32 * self.row();
        let probes = self.run.store.probes();
        for column in columns {
            let Some((step, frames)) = probes.get(column) else { continue };
            let Some(frame) = frames.get(row) else { continue };
            let min = pos2(content.left() + self.left(column), top + LINE);
            let rect = Rect::from_min_size(min, vec2(self.side, self.side + LINE));
            let response = ui.interact(rect, ui.scope_id().with(("probe", row, column)), Sense::click());
            if self.cell_ui(ui, &response, (*step, frame), self.column == Some(column)).clicked() {
                out.push(Action::Cursor(Some(*step)));
            }
        }
        // The prompt stays at the left edge of what is seen, however far the strip is scrolled.
        let Some(prompt) = probes.last().and_then(|probe| probe.1.get(row)).map(|frame| &frame.prompt) else {
            return;
        };
        let left = content.left().max(ui.clip_rect().left()) + BETWEEN / 2.0;
        let width = ui.clip_rect().right() - left;
        let font = FontId::proportional(12.5);
        let text = WidgetText::from(RichText::new(prompt).size(font.size).strong());
        let galley = text.into_galley(ui, Some(TextWrapMode::Truncate), width, font);
        ui.painter().galley(pos2(left, top), galley, self.scene.theme.text);
    }

    fn cell_ui(
        &self,
        ui: &Ui,
        response: &Response,
        (step, frame): (usize, &ProbeFrame),
        here: bool,
    ) -> Response {
        let theme = self.scene.theme;
        let image = Rect::from_min_size(response.rect.min, eframe::egui::Vec2::splat(self.side));
        let why = match self.scene.media.picture(self.run.store.path(), frame.png) {
            Loaded::Ready(picture) => {
                thumbnail(ui.painter(), image, &picture);
                None
            }
            Loaded::Waiting => {
                ui.painter().rect_filled(image, 0.0, theme.background);
                None
            }
            Loaded::Failed(why) => {
                ui.painter().rect_filled(image, 0.0, theme.background);
                let font = FontId::proportional(11.0);
                ui.painter().text(image.center(), Align2::CENTER_CENTER, "unreadable", font, theme.bad);
                Some(why)
            }
        };
        let outline = match (response.hovered() || response.has_focus(), here) {
            (true, _) => Stroke::new(2.0, theme.accent),
            (false, true) => Stroke::new(2.0, theme.text),
            (false, false) => Stroke::new(1.0, theme.line),
        };
        ui.painter().rect_stroke(image, 0.0, outline, StrokeKind::Outside);
        caption(ui, theme, response.rect, (step, frame.score.0), here);
        let score = number(frame.score.0);
        let name = format!("Probe {} at iteration {step}, score {score}", frame.prompt);
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, here, &name));
        response.clone().on_hover_ui(|ui| {
            ui.label(RichText::new(&frame.prompt).strong());
            ui.label(format!("iteration {step}, verifier's score {score}"));
            match &why {
                Some(why) => {
                    ui.label(RichText::new(format!("The picture cannot be shown: {why}")).color(theme.bad))
                }
                None => ui.label(RichText::new("A click moves the cursor here.").color(theme.faint)),
            };
        })
    }
}

/// Iteration on the left, score on the right.
fn caption(ui: &Ui, theme: &Theme, rect: Rect, (step, score): (usize, f64), here: bool) {
    let font = FontId::proportional(11.0);
    let score_text = if score.is_finite() { format!("{score:.2}") } else { number(score) };
    let colour = if score.is_finite() { theme.text } else { theme.bad };
    let painter = ui.painter();
    painter.text(
        rect.left_bottom(),
        Align2::LEFT_BOTTOM,
        step.to_string(),
        font.clone(),
        if here { theme.text } else { theme.faint },
    );
    painter.text(rect.right_bottom(), Align2::RIGHT_BOTTOM, score_text, font, colour);
}

fn no_probes_ui(ui: &mut Ui, scene: Scene<'_>, run: &OpenRun, out: &mut Vec<Action>) {
    tour::problem_ui(ui, scene.theme, run.problem.as_deref());
    if !run.complete {
        ui.label(RichText::new("Reading the run…").color(scene.theme.faint));
        return;
    }
    let config = run.config();
    let (title, text, presses) = if !run.is_training() {
        (
            "This run has no film strips",
            "They are drawn by training runs of marscope; this run is of another kind.",
            vec![],
        )
    } else if config.is_some_and(|config| config.probe.every == 0) {
        let tooltip = "All settings, among them probe.every.";
        let text =
            "probe.every is 0 in this run, so that no frame is drawn. Set it to 5 or so for the next run.";
        ("The film strips are off", text, vec![Press::new("Settings…", tooltip, Action::ToggleSettings)])
    } else {
        let text = "The first frame is drawn before the first iteration. Nothing to press while the run is under way.";
        ("No frame yet", text, vec![])
    };
    tour_ui(ui, scene.theme, (title, text), presses, out);
}

#[cfg(test)]
mod tests {
    use eframe::egui::Rangef;

    use super::*;

    #[test]
    fn only_pieces_in_sight_are_touched() {
        assert_eq!(visible(Rangef::new(0.0, 100.0), 10.0, 5000), 0..10);
        assert_eq!(visible(Rangef::new(995.0, 1011.0), 10.0, 5000), 99..102);
        assert_eq!(visible(Rangef::new(40.0, 200.0), 10.0, 3), 3..3);
        assert_eq!(visible(Rangef::new(-20.0, 15.0), 10.0, 3), 0..2);
    }
}
