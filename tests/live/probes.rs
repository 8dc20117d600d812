use eframe::egui;
use eframe::egui::accesskit::Toggled;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use marscope::ui::action::Action;
use marscope::ui::live::probes_ui;

use crate::fixture::{Panel, World, settle, window};
use crate::more_on_disk::probe;
use crate::runs_on_disk::create;

const PANEL: Panel = |ui, scene, _, _, out| probes_ui(ui, scene, out);

fn strips(frames: usize) -> (tempfile::TempDir, World) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let mut run = create(&path);
    for frame in 0..frames {
        probe(&mut run, 5 * frame, &[("two red circles", 0.5), ("a blue ring", f64::NAN)]);
    }
    drop(run);
    let world = World::open(&path);
    (root, world)
}

fn shown(world: World, size: [f32; 2]) -> Harness<'static, World> {
    let mut harness = window(world, PANEL, size);
    settle(&mut harness);
    harness
}

#[test]
fn a_frame_says_prompt_iteration_and_score_and_moves_the_cursor() {
    let (_root, world) = strips(3);
    let mut harness = shown(world, [800.0, 400.0]);
    harness.get_by_label("Probe a blue ring at iteration 5, score NaN");
    harness.get_by_label("Probe two red circles at iteration 5, score 0.500").click();
    harness.run_ok();
    assert!(matches!(harness.state().out.as_slice(), [Action::Cursor(Some(5))]));
}

#[test]
fn the_column_at_the_cursor_is_the_last_drawn_up_to_it() {
    let (_root, mut world) = strips(3);
    world.selection.cursor = Some(9);
    let harness = shown(world, [800.0, 400.0]);
    let here = |step: usize| {
        let name = format!("Probe two red circles at iteration {step}, score 0.500");
        harness.get_by_label(&name).accesskit_node().toggled()
    };
    assert_eq!([0, 5, 10].map(here), [Some(Toggled::False), Some(Toggled::True), Some(Toggled::False)]);
}

#[test]
fn of_thousands_of_frames_only_those_in_sight_are_loaded() {
    let (_root, world) = strips(3000);
    let mut harness = shown(world, [800.0, 300.0]);
    let cells = harness.query_all_by_label_contains("Probe two red").count();
    assert!((5..20).contains(&cells), "{cells}");
    // Two prompts, 16 x 16 pixels of three bytes.
    assert_eq!(harness.state().media.bytes(), 2 * cells * 16 * 16 * 3);
    // The newest is in sight, and stays so.
    harness.get_by_label_contains("Probe two red circles at iteration 14995");
    let start = std::time::Instant::now();
    for _ in 0..100 {
        harness.step();
    }
    println!("{:.2} ms a frame of 3000 columns", start.elapsed().as_secs_f64() * 10.0);
}

#[test]
fn the_strip_follows_the_cursor_and_stays_where_it_was_scrolled() {
    let (_root, world) = strips(300);
    let mut harness = shown(world, [800.0, 300.0]);
    harness.state_mut().selection.cursor = Some(50);
    settle(&mut harness);
    harness.get_by_label_contains("Probe two red circles at iteration 50,");
    assert!(harness.query_by_label_contains("iteration 1495,").is_none());
    // Scrolled away, it is not pulled back.
    harness.hover_at(egui::pos2(400.0, 150.0));
    harness.step();
    let delta = egui::vec2(-2000.0, 0.0);
    harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta,
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: egui::Modifiers::NONE,
    });
    settle(&mut harness);
    assert!(harness.query_by_label_contains("Probe two red circles at iteration 50,").is_none());
}

#[test]
fn without_frames_it_is_said_why() {
    let (_root, world) = strips(0);
    shown(world, [500.0, 300.0]).get_by_label("No frame yet");
    shown(World::empty(), [500.0, 300.0]).get_by_label("No run is open");
}
