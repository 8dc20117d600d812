//! Small multiples of an ablation under way: the reward of every run that began, by variant.

use eframe::egui::{Button, Color32, Label, Layout, RichText, ScrollArea, Sense, Ui, Vec2, vec2};

use super::ablating::{AblationProgress, BegunCell, EndedCell};
use super::grid::CAPTION;
use super::number::duration;
use crate::runs::list::REWARD;
use crate::runs::series::Series;
use crate::ui::action::Action;
use crate::ui::data::run::OpenRun;
use crate::ui::number::{counted, number};
use crate::ui::plot::{SparkRange, series_colour, sparkline_ui};
use crate::ui::scene::Scene;

/// Size of a curve, points.
const CURVE: Vec2 = vec2(168.0, 40.0);

/// Draws a small cell for each run that began, those of a variant together.
pub(super) fn multiples_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    progress: &AblationProgress,
    out: &mut Vec<Action>,
) {
    let range = shared_range(scene, progress);
    ui.colored_label(scene.theme.faint, range_words(range));
    ScrollArea::vertical().id_salt("small multiples").auto_shrink(false).show(ui, |ui| {
        for (place, (variant, cells)) in by_variant(&progress.begun).into_iter().enumerate() {
            ui.horizontal_wrapped(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(10.0, 14.0), Sense::hover());
                let square = eframe::egui::Rect::from_center_size(rect.center(), Vec2::splat(10.0));
                ui.painter().rect_filled(square, 2.0, series_colour(place, scene.theme.dark));
                ui.strong(variant);
                ui.colored_label(scene.theme.faint, mean_words(scene, &cells)).on_hover_text(
                    "Mean over the runs of the last mean reward of each (reward/mean). The runs are at different iterations \
                     until all ended.",
                );
            });
            ui.horizontal_wrapped(|ui| {
                for cell in cells {
                    cell_ui(ui, scene, (progress, cell), (place, range), out);
                }
            });
            ui.add_space(4.0);
        }
    });
}

/// The runs of each variant, in the order in which the variants began.
#[must_use]
pub fn by_variant(begun: &[BegunCell]) -> Vec<(&str, Vec<&BegunCell>)> {
    let mut variants: Vec<(&str, Vec<&BegunCell>)> = Vec::new();
    for cell in begun {
        match variants.iter_mut().find(|(variant, _)| *variant == cell.variant()) {
            Some((_, cells)) => cells.push(cell),
            None => variants.push((cell.variant(), vec![cell])),
        }
    }
    variants
}

/// All curves are drawn over the same iterations and rewards, so that they can be compared by eye.
fn shared_range(scene: Scene<'_>, progress: &AblationProgress) -> SparkRange {
    let ends = |cell: &BegunCell| {
        let all = open(scene, cell)?.store.series(REWARD)?.summary()?;
        Some([all.min?, all.max?])
    };
    let wider = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
    let y = progress.begun.iter().filter_map(ends).reduce(wider);
    SparkRange { x: Some([0.0, progress.iterations.saturating_sub(1) as f64]), y }
}

fn range_words(range: SparkRange) -> String {
    let iterations = range.x.map_or_else(String::new, |x| format!("iterations 0 to {}", x[1]));
    match range.y {
        Some([low, high]) => {
            format!(
                "Mean reward of each run, all over {iterations} and from {} to {}",
                number(low),
                number(high)
            )
        }
        None => format!("Mean reward of each run, all over {iterations}"),
    }
}

/// The run of `cell`, if it is open.
#[must_use]
pub fn open<'a>(scene: Scene<'a>, cell: &BegunCell) -> Option<&'a OpenRun> {
    scene.runs.iter().find(|run| run.store.path() == cell.folder)
}

fn mean_words(scene: Scene<'_>, cells: &[&BegunCell]) -> String {
    let last = |cell: &&BegunCell| Some(open(scene, cell)?.store.series(REWARD)?.last()?.value);
    let last: Vec<f64> = cells.iter().filter_map(last).collect();
    let runs = counted(cells.len(), "run");
    if last.is_empty() {
        return runs;
    }
    format!("{runs}, mean reward {}", number(last.iter().sum::<f64>() / last.len() as f64))
}

fn cell_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    (progress, cell): (&AblationProgress, &BegunCell),
    look: (usize, SparkRange),
    out: &mut Vec<Action>,
) {
    let line = ui.spacing().interact_size.y;
    let size = vec2(CURVE.x, CURVE.y + line + ui.spacing().item_spacing.y);
    ui.allocate_ui_with_layout(size, Layout::top_down(eframe::egui::Align::Min), |ui| {
        ui.set_min_size(size);
        let ended = progress.ended.iter().find(|ended| ended.name == cell.name);
        let run = open(scene, cell);
        if let Some(series) = run.and_then(|run| run.store.series(REWARD)) {
            curve_ui(ui, (cell, series), look);
        } else {
            let words = if run.is_some() { "no reward yet" } else { "the run was closed" };
            let (rect, _) = ui.allocate_exact_size(CURVE, Sense::hover());
            let font = eframe::egui::FontId::proportional(CAPTION);
            let align = eframe::egui::Align2::CENTER_CENTER;
            ui.painter().text(rect.center(), align, words, font, scene.theme.faint);
        }
        ui.horizontal(|ui| {
            let under_way = ended.is_none() && progress.is_under_way(&cell.name);
            name_ui(ui, scene, (cell, run), (ended, under_way), out);
        });
    });
}

fn curve_ui(ui: &mut Ui, (cell, series): (&BegunCell, &Series), look: (usize, SparkRange)) {
    let response = sparkline_ui(ui, &format!("Reward of {}", cell.name), series, look, CURVE);
    let ends = series.summary().and_then(|all| Some((all.min?, all.max?)));
    response.on_hover_text(ends.map_or_else(String::new, |(min, max)| {
        format!(
            "Mean reward of each iteration, from {} to {}; all curves have the same scale.",
            number(min),
            number(max)
        )
    }));
}

/// Name and last number; how it ended while the pointer rests on the name.
fn name_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    (cell, run): (&BegunCell, Option<&OpenRun>),
    (ended, under_way): (Option<&EndedCell>, bool),
    out: &mut Vec<Action>,
) {
    let theme = scene.theme;
    let failed = ended.is_some_and(|ended| ended.problem.is_some());
    let colour = if failed {
        theme.bad
    } else if under_way {
        theme.accent
    } else {
        theme.text
    };
    let last = run.and_then(|run| run.store.series(REWARD)).and_then(Series::last);
    let of_number = |value: f64| if value.is_finite() { theme.text } else { theme.bad };
    let text = |words: String, colour: Color32| RichText::new(words).size(CAPTION).color(colour);
    ui.with_layout(Layout::right_to_left(eframe::egui::Align::Center), |ui| {
        if let Some(last) = last {
            ui.label(text(number(last.value), of_number(last.value)));
        }
        ui.with_layout(Layout::left_to_right(eframe::egui::Align::Center), |ui| {
            let words = text(cell.rest().to_owned(), colour);
            let state = state_words(ended, under_way);
            let Some(run) = run else {
                ui.add(Label::new(words).truncate()).on_hover_text(state);
                return;
            };
            ui.spacing_mut().button_padding.x = 0.0;
            let response = ui.add(Button::new(words).frame_when_inactive(false).truncate());
            let meaning = format!("{}: {state}\nClick shows the run in Live and Inspect.", cell.name);
            if response.on_hover_text(meaning).clicked() {
                out.push(Action::Select(run.id));
            }
        });
    });
}

/// How a run ended, or that it goes on.
#[must_use]
pub fn state_words(ended: Option<&EndedCell>, under_way: bool) -> String {
    match ended {
        Some(EndedCell { problem: Some(problem), .. }) => problem.clone(),
        Some(ended) => format!("finished in {}", duration(ended.seconds)),
        None if under_way => "under way".into(),
        None => "ended".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_a_variant_stand_together_whatever_the_order_in_which_they_began() {
        let names = ["grpo, a ring, seed 0", "mar_grpo, a ring, seed 0", "grpo, a ring, seed 1"];
        let begun: Vec<BegunCell> =
            names.iter().map(|name| BegunCell { name: (*name).into(), folder: "x".into() }).collect();
        let found = by_variant(&begun);
        let found: Vec<(&str, Vec<&str>)> = found
            .into_iter()
            .map(|(variant, cells)| (variant, cells.iter().map(|cell| cell.rest()).collect()))
            .collect();
        let expected =
            [("grpo", vec!["a ring, seed 0", "a ring, seed 1"]), ("mar_grpo", vec!["a ring, seed 0"])];
        assert_eq!(found, expected);
    }
}
