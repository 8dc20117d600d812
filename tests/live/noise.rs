use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use marscope::runs::folder::RunFolder;
use marscope::ui::action::Action;
use marscope::ui::live::noise_ui;

use crate::fixture::{Panel, World, settle, window};
use crate::runs_on_disk::{create, record};

const PANEL: Panel = |ui, scene, _, _, out| noise_ui(ui, scene, out);

pub fn measure(run: &mut RunFolder, step: usize, (single, all, top): (f64, f64, f64)) {
    for (name, trace) in [("noise/single", single), ("noise/mte_all", all), ("noise/mte_top_k", top)] {
        record(run, step, &[(name, trace / 0.5)]);
        record(run, step, &[(&format!("{name}/trace"), trace), (&format!("{name}/squared_mean"), 0.5)]);
    }
}

fn open(fill: impl FnOnce(&mut RunFolder)) -> (tempfile::TempDir, World) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    fill(&mut create(&path));
    let world = World::open(&path);
    (root, world)
}

fn shown(world: World) -> Harness<'static, World> {
    let mut harness = window(world, PANEL, [700.0, 600.0]);
    settle(&mut harness);
    harness
}

#[test]
fn the_table_compares_the_traces_at_the_cursor() {
    let (_root, mut world) = open(|run| {
        measure(run, 3, (9.0, 2.25, 5.0));
        measure(run, 9, (1.0, 1.0, 1.0));
    });
    world.selection.cursor = Some(5);
    let mut harness = shown(world);
    harness.get_by_label("Measured at iteration 3, 8 redraws");
    harness.get_by_label("9.000");
    harness.get_by_label("0.250");
    // The squared mean of 0.5 is above 2.25 / 8 alone.
    assert_eq!(harness.query_all_by_label("no signal").count(), 2);
    harness.state_mut().selection.cursor = Some(2);
    harness.run_ok();
    harness.get_by_label("Nothing was measured up to iteration 2.");
}

#[test]
fn only_the_run_under_training_can_be_measured() {
    let (_root, world) = open(|run| measure(run, 0, (1.0, 1.0, 1.0)));
    let harness = shown(world);
    assert!(harness.get_by_label("Measure now").accesskit_node().is_disabled());
    let (_root, mut world) = open(|run| record(run, 0, &[("kl", 0.0)]));
    world.training = world.selection.run;
    let mut harness = shown(world);
    harness.get_by_label("No measurement yet");
    harness.get_by_label("Measure now").click();
    harness.run_ok();
    assert!(matches!(harness.state().out.as_slice(), [Action::ProbeNoise]));
}

#[test]
fn what_has_no_place_on_a_log_axis_is_counted() {
    let (_root, world) = open(|run| {
        measure(run, 0, (f64::NAN, 1.0, 1.0));
        measure(run, 1, (1.0, 0.0, 1.0));
    });
    let harness = shown(world);
    harness.get_by_label("2 numbers not positive or not finite: red lines instead of points.");
}

#[test]
fn a_click_in_the_plot_moves_the_cursor_to_the_nearest_measurement() {
    let (_root, world) = open(|run| {
        for step in [0, 10, 20] {
            measure(run, step, (9.0, 2.0 + step as f64, 5.0));
        }
    });
    let mut harness = shown(world);
    let rect = harness.get_by_label("Gradient noise over iterations").rect();
    for (x, step) in [(0.05, 0), (0.52, 10), (0.95, 20)] {
        let at = eframe::egui::pos2(rect.left() + x * rect.width(), rect.center().y);
        harness.hover_at(at);
        harness.run_steps(1);
        harness.drag_at(at);
        harness.drop_at(at);
        harness.run_steps(8);
        assert_eq!(harness.state().selection.cursor, Some(step));
    }
}
