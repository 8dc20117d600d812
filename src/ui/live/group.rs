//! The group at the cursor: its prompt, its pictures with what they earned, and numbers of their tokens laid over them.

use std::sync::Arc;

use eframe::egui::{Align, Layout, RichText, ScrollArea, Ui};

use super::grid::{Order, grid_ui};
use super::overlay_bar_ui;
use super::steps::steps_ui;
use super::tour::{self, Press, tour_ui};
use crate::ui::action::Action;
use crate::ui::data::group::{LoadedGroup, group_at};
use crate::ui::data::media::Loaded;
use crate::ui::data::run::OpenRun;
use crate::ui::number::{counted, number};
use crate::ui::picture::{PictureStyle, layer_legend_ui, plane_of};
use crate::ui::ranges::range;
use crate::ui::scene::Scene;
use crate::ui::view::{Layer, OverlayView};

/// Groups that each get a button; more are chosen by number.
const BUTTONS: usize = 8;

/// Panels lower than this have the legend below the pictures.
const LOW: f32 = 460.0;
/// Room for the legend below the pictures, points.
const LEGEND: f32 = 40.0;

/// The group that the selected run shows at the cursor. `held` is the one that was read last: it stays while the next is
/// read, so that nothing flickers when the cursor moves.
pub fn group_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    view: &mut OverlayView,
    held: &mut Option<Arc<LoadedGroup>>,
    out: &mut Vec<Action>,
) {
    let Some(run) = scene.run() else {
        tour::no_run_ui(
            ui,
            scene.theme,
            "Here are the pictures of the current prompt with what each earned.",
            out,
        );
        return;
    };
    tour::problem_ui(ui, scene.theme, run.problem.as_deref());
    let reading = match group_at(run, scene.media, (scene.step(), scene.selection.group), held.as_ref()) {
        None => {
            *held = None;
            no_group_ui(ui, scene, run, out);
            return;
        }
        Some(Loaded::Failed(why)) => {
            ui.label(RichText::new(format!("The group cannot be shown: {why}")).color(scene.theme.bad));
            return;
        }
        Some(Loaded::Ready(group)) => {
            *held = Some(group);
            false
        }
        Some(Loaded::Waiting) => true,
    };
    // What stays while things are read is of the same run: another run's pictures would be taken for this one's.
    let Some(group) = held.as_ref().filter(|group| group.run == run.id) else {
        ui.label(RichText::new("Reading the pictures…").color(scene.theme.faint));
        return;
    };
    let height = ui.available_height();
    ScrollArea::vertical().id_salt("group").auto_shrink(false).show(ui, |ui| {
        let top = ui.cursor().top();
        let order = heading_ui(ui, scene, group, reading, out);
        let picture = scene.selection.picture.min(group.record.pictures.len().saturating_sub(1));
        let shown = (picture, plane_of(group, scene.selection.ar_step));
        // Without a finite number there is nothing to put a threshold into.
        let summary = scene.ranges.summary(group, shown, view).filter(|summary| summary.finite > 0);
        let ends = summary.map(|summary| range(summary, view)).map(|range| (range.low, range.high));
        overlay_bar_ui(ui, scene.theme, view, Some(group), ends);
        // In a low panel the pictures come first.
        if height >= LOW {
            legend_ui(ui, scene, (group, picture), view);
        }
        let below = if height < LOW { LEGEND } else { 0.0 };
        let left = height - (ui.cursor().top() - top) - below;
        grid_ui(ui, scene, (group, order), (view, left), out);
        steps_ui(ui, scene, group, view.layer, out);
        if height < LOW {
            legend_ui(ui, scene, (group, picture), view);
        }
    });
}

/// What the colours and marks over the pictures mean; nothing of a layer that was not recorded.
fn legend_ui(ui: &mut Ui, scene: Scene<'_>, (group, picture): (&LoadedGroup, usize), view: &OverlayView) {
    let missing = view.layer.map().is_some_and(|map| group.map(map).is_none());
    let bare = OverlayView { layer: Layer::None, ..view.clone() };
    let ar_step = scene.selection.ar_step.filter(|step| *step < group.record.ar_steps);
    let style = PictureStyle { ar_step, ..PictureStyle::of(if missing { &bare } else { view }) };
    layer_legend_ui(ui, scene, group, picture, style);
}

/// Prompt, iteration, flags; gives back the order of the pictures.
fn heading_ui(
    ui: &mut Ui,
    scene: Scene<'_>,
    group: &LoadedGroup,
    reading: bool,
    out: &mut Vec<Action>,
) -> Order {
    let theme = scene.theme;
    ui.label(RichText::new(&group.record.prompt).strong().size(15.0).color(theme.text)).on_hover_text(
        "The prompt of the group: all its pictures were sampled from it, each with its own noise.",
    );
    let order = ui.horizontal_wrapped(|ui| {
        let (words, same) = iteration_words(scene, group);
        let colour = if same { theme.faint } else { theme.warning };
        ui.label(RichText::new(words).color(colour)).on_hover_text(
            "Groups are recorded every few iterations (record.groups_every); shown is the last one recorded at or before \
             the cursor.",
        );
        if reading {
            ui.label(RichText::new("reading…").color(theme.faint));
        }
        choose_group_ui(ui, group, out);
        // The buttons of the groups stand between, if there are any.
        let words = reward_words(group);
        let words = if group.count > 1 { words } else { format!("· {words}") };
        ui.label(RichText::new(words).color(theme.faint)).on_hover_text(
            "Mean of the group's rewards, their standard deviation (n − 1) and their range. The advantage of a picture \
             is its reward less the mean, over the deviation.",
        );
        let bad = group.record.pictures.iter().filter(|picture| !picture.reward.0.is_finite()).count();
        if bad > 0 {
            ui.label(RichText::new(format!("{} not finite", counted(bad, "reward"))).color(theme.bad)).on_hover_text(
                "A reward that is NaN or infinite makes every advantage of its group NaN, and ends the run.",
            );
        }
        order_ui(ui)
    });
    if group.record.zero_std {
        let text = "Zero-std group: every picture earned the same, all advantages are 0, and nothing is learned from it.";
        ui.label(RichText::new(text).color(theme.warning))
            .on_hover_text("Rewards without variance have no group-relative advantage, so this group has no policy gradient.");
    }
    for problem in &group.problems {
        ui.label(RichText::new(format!("A map cannot be shown: {problem}")).color(theme.bad));
    }
    order.inner
}

/// The iteration that is shown, and whether it is that of the cursor.
fn iteration_words(scene: Scene<'_>, group: &LoadedGroup) -> (String, bool) {
    let step = scene.step();
    if group.step == step {
        return (format!("iteration {step}"), true);
    }
    let words = match scene.selection.cursor {
        Some(cursor) => format!("recorded at iteration {}, the cursor is at {cursor}", group.step),
        None => format!("recorded at iteration {}, the newest is {step}", group.step),
    };
    // Following a run, the last group is what is wanted: no reason to look up.
    (words, scene.selection.cursor.is_none())
}

/// Chooses which group of the iteration is shown; nothing where there is one.
pub(in crate::ui) fn choose_group_ui(ui: &mut Ui, group: &LoadedGroup, out: &mut Vec<Action>) {
    if group.count < 2 {
        return;
    }
    let tooltip = "An iteration samples one group for each of its prompts; choose which is shown.";
    if group.count <= BUTTONS {
        for index in 0..group.count {
            let name = format!("group {}", index + 1);
            if ui.selectable_label(index == group.index, name).on_hover_text(tooltip).clicked() {
                out.push(Action::Group(index));
            }
        }
        return;
    }
    let mut number = group.index + 1;
    let drag = eframe::egui::DragValue::new(&mut number)
        .range(1..=group.count)
        .prefix("group ")
        .suffix(format!(" of {}", group.count));
    if ui.add(drag).accessible_name("Group of the iteration").on_hover_text(tooltip).changed() {
        out.push(Action::Group(number.saturating_sub(1)));
    }
}

fn reward_words(group: &LoadedGroup) -> String {
    let rewards: Vec<f64> = group.record.pictures.iter().map(|picture| picture.reward.0).collect();
    let finite: Vec<f64> = rewards.iter().copied().filter(|reward| reward.is_finite()).collect();
    let mean = crate::rl::advantage::mean(&finite);
    let std = crate::rl::advantage::deviation(&finite);
    let least = finite.iter().copied().fold(f64::INFINITY, f64::min);
    let most = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let pictures = counted(rewards.len(), "picture");
    if finite.is_empty() {
        return pictures;
    }
    let range = format!("{} to {}", number(least), number(most));
    let range = if least == most { String::new() } else { format!(" ({range})") };
    format!("{pictures}, reward {} ± {}{range}", number(mean), number(std))
}

fn order_ui(ui: &mut Ui) -> Order {
    let id = ui.scope_id().with("order of pictures");
    let mut order = ui.data(|data| data.get_temp::<Order>(id)).unwrap_or_default();
    let before = order;
    // Together, so that they wrap as one.
    let size = eframe::egui::vec2(250.0, ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.label("Sort by");
        for (value, name) in
            [(Order::Number, "number"), (Order::Reward, "reward"), (Order::Advantage, "advantage")]
        {
            ui.selectable_value(&mut order, value, name).on_hover_text(match value {
                Order::Number => "In the order in which they were sampled.",
                Order::Reward => "By reward, the highest first; those that are not finite before all.",
                Order::Advantage => "By advantage, the highest first; those that are not finite before all.",
            });
        }
    });
    if order != before {
        ui.data_mut(|data| data.insert_temp(id, order));
    }
    order
}

/// Why the run shows no group at the cursor, and what to press.
fn no_group_ui(ui: &mut Ui, scene: Scene<'_>, run: &OpenRun, out: &mut Vec<Action>) {
    let first = run.store.groups().first().map(|group| group.0);
    if let Some(first) = first {
        let text = format!(
            "The first group of this run was recorded at iteration {first}, after the cursor (iteration {}).",
            scene.step()
        );
        let tooltip = "Move the cursor of the window to the first recorded group.";
        let press = Press::new("Go to the first group", tooltip, Action::Cursor(Some(first)));
        tour_ui(ui, scene.theme, ("No group here yet", &text), vec![press], out);
        return;
    }
    if !run.complete {
        ui.label(RichText::new("Reading the run…").color(scene.theme.faint));
        return;
    }
    let config = run.config();
    let settings =
        || Press::new("Settings…", "All settings, among them record.groups_every.", Action::ToggleSettings);
    let (title, text, presses) = if !run.is_training() {
        let text = "Groups are recorded by training runs of marscope; this run is of another kind. Its numbers are in the \
                    curves.";
        ("This run has no pictures", text, Vec::new())
    } else if config.is_some_and(|config| config.record.groups_every == 0) {
        let text = "record.groups_every is 0 in this run, so that no group is written. Set it to 1 or more for the next run.";
        ("The record of groups is off", text, vec![settings()])
    } else if scene.training == Some(run.id) {
        let text = "The first group appears here when the rewards of the first iteration are known. Nothing to press.";
        ("No group yet", text, Vec::new())
    } else {
        let text = "If another program is training this run, its first group appears here by itself. If it ended, Resume \
                    continues it from its last checkpoint.";
        let tooltip = "Continue the selected run from its last checkpoint.";
        let resume = Press::new("Resume", tooltip, Action::Resume(None));
        ("No group is recorded yet", text, if run.checkpoints.is_empty() { Vec::new() } else { vec![resume] })
    };
    tour_ui(ui, scene.theme, (title, text), presses, out);
}
