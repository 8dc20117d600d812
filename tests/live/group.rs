use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use marscope::session::train::config::TrainConfig;
use marscope::ui::action::Action;
use marscope::ui::live::{TokenCounts, group_ui, token_counts};
use marscope::ui::view::Layer;

use crate::fixture::{World, settle, window};
use crate::more_on_disk::{alert, create_with};
use crate::runs_on_disk::{create, record, record_group};

const EARNED: [(f64, f64); 3] = [(0.25, -1.0), (0.75, 1.0), (0.5, 0.0)];

fn open(fill: impl FnOnce(&mut marscope::runs::folder::RunFolder)) -> (tempfile::TempDir, World) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    fill(&mut create(&path));
    let world = World::open(&path);
    (root, world)
}

fn shown(world: World) -> Harness<'static, World> {
    let mut harness = window(world, group_ui, [900.0, 600.0]);
    settle(&mut harness);
    harness
}

fn says(harness: &Harness<'_, World>, text: &str) -> bool {
    harness.query_all_by_label_contains(text).next().is_some()
}

#[test]
fn every_picture_says_what_it_earned_with_its_sign() {
    let (_root, world) = open(|run| record_group(run, 0, "a red circle", &EARNED));
    let harness = shown(world);
    harness.get_by_label("a red circle");
    harness.get_by_label("Picture 1, reward 0.250, advantage −1.00");
    harness.get_by_label("Picture 2, reward 0.750, advantage +1.00");
    harness.get_by_label("Picture 3, reward 0.500, advantage 0");
    assert!(says(&harness, "3 pictures, reward 0.500 ± 0.250 (0.250 to 0.750)"));
}

#[test]
fn a_click_selects_and_a_double_click_opens_inspect() {
    let (_root, world) = open(|run| record_group(run, 4, "a red circle", &EARNED));
    let run = world.selection.run.unwrap();
    let mut harness = shown(world);
    let place = harness.get_by_label_contains("Picture 2").rect().center();
    harness.get_by_label_contains("Picture 2").click();
    harness.run_ok();
    assert!(matches!(harness.state().out.as_slice(), [Action::Picture(1)]));
    assert_eq!(harness.state().selection.picture, 1);
    for pressed in [true, false, true, false] {
        let button = eframe::egui::PointerButton::Primary;
        let modifiers = eframe::egui::Modifiers::NONE;
        harness.event(eframe::egui::Event::PointerButton { pos: place, button, pressed, modifiers });
    }
    harness.run_ok();
    let inspected = harness.state().out.iter().any(
        |action| matches!(action, Action::Inspect { run: of, step: 4, group: 0, picture: 1 } if *of == run),
    );
    assert!(inspected, "{:?}", harness.state().out);
}

#[test]
fn pictures_are_sorted_by_what_they_earned() {
    let (_root, world) = open(|run| record_group(run, 0, "a red circle", &EARNED));
    let mut harness = shown(world);
    harness.get_by_label("reward").click();
    harness.run_ok();
    let left = |picture: &str| harness.get_by_label_contains(picture).rect().left();
    assert!(left("Picture 2") < left("Picture 3") && left("Picture 3") < left("Picture 1"));
}

#[test]
fn a_group_without_variance_is_said_in_words() {
    let (_root, world) = open(|run| record_group(run, 0, "a red circle", &[(0.5, 0.0); 3]));
    assert!(says(&shown(world), "Zero-std group: every picture earned the same"));
    let (_root, world) = open(|run| record_group(run, 0, "a red circle", &EARNED));
    assert!(!says(&shown(world), "Zero-std"));
}

#[test]
fn a_reward_that_is_no_number_is_shown_as_one() {
    let (_root, world) = open(|run| record_group(run, 0, "p", &[(0.5, f64::NAN), (f64::NAN, f64::NAN)]));
    let harness = shown(world);
    harness.get_by_label("Picture 2, reward NaN, advantage NaN");
    assert!(says(&harness, "reward 0.500 ± 0"));
    harness.get_by_label("1 reward not finite");
}

#[test]
fn the_iteration_that_is_shown_is_the_recorded_one() {
    let (_root, mut world) = open(|run| {
        record_group(run, 2, "a red circle", &EARNED);
        record_group(run, 6, "a blue ring", &EARNED);
        record(run, 9, &[("kl", 0.1)]);
    });
    world.selection.cursor = Some(5);
    let mut harness = shown(world);
    assert!(says(&harness, "recorded at iteration 2, the cursor is at 5"));
    harness.get_by_label("a red circle");
    harness.state_mut().selection.cursor = Some(6);
    settle(&mut harness);
    harness.get_by_label("a blue ring");
    assert!(says(&harness, "iteration 6") && !says(&harness, "the cursor is at"));
    harness.state_mut().selection.cursor = None;
    harness.run_ok();
    assert!(says(&harness, "recorded at iteration 6, the newest is 9"));
}

#[test]
fn one_of_several_groups_of_an_iteration_is_chosen() {
    let (_root, world) = open(|run| {
        record_group(run, 0, "a red circle", &EARNED);
        record_group(run, 0, "a blue ring", &EARNED);
    });
    let mut harness = shown(world);
    harness.get_by_label("a red circle");
    harness.get_by_label("group 2").click();
    settle(&mut harness);
    assert!(matches!(harness.state().out.as_slice(), [Action::Group(1)]));
    harness.get_by_label("a blue ring");
}

#[test]
fn the_next_group_is_read_while_the_last_one_stays() {
    let (_root, mut world) = open(|run| {
        record_group(run, 0, "a red circle", &EARNED);
        record_group(run, 1, "a blue ring", &EARNED);
    });
    world.selection.cursor = Some(0);
    let mut harness = shown(world);
    harness.state_mut().selection.cursor = Some(1);
    harness.step();
    // Whether it was read within this frame or not, there are pictures.
    harness.get_by_label_contains("Picture 3");
    settle(&mut harness);
    harness.get_by_label("a blue ring");
}

#[test]
fn ar_steps_count_what_is_known_predicted_and_masked() {
    let (_root, world) = open(|run| record_group(run, 0, "a red circle", &EARNED));
    let mut harness = shown(world);
    assert!(says(&harness, "finished: all 16 tokens known, 2 of 4 AR steps trained"));
    let group = harness.state().held.clone().unwrap();
    assert_eq!(token_counts(&group, 2, 3), Some(TokenCounts { known: 12, now: 4, masked: 0 }));
    harness.state_mut().selection.ar_step = Some(1);
    harness.run_ok();
    assert!(says(&harness, "AR step 1 (trained): 4 tokens known, 4 predicted now, 8 masked"));
    harness.state_mut().selection.ar_step = Some(2);
    harness.run_ok();
    assert!(says(&harness, "AR step 2 (not trained): 8 tokens known, 4 predicted now, 4 masked"));
    harness.state_mut().view.layer = Layer::Kl;
    harness.run_ok();
    assert!(says(&harness, "4 masked; the map is of AR step 1"));
    harness.get_by_label("AR step").set_value_accesskit(4.0);
    harness.run_ok();
    assert_eq!(harness.state().selection.ar_step, None, "the right end is the finished picture");
    harness.get_by_label("AR step").set_value_accesskit(0.0);
    harness.run_ok();
    assert_eq!(harness.state().selection.ar_step, Some(0));
}

#[test]
fn playing_runs_through_all_ar_steps_once() {
    let (_root, world) = open(|run| record_group(run, 0, "a red circle", &EARNED));
    let mut harness = shown(world);
    harness.get_by_label("Play AR steps: how the pictures were built").click();
    for _ in 0..60 {
        harness.step();
    }
    let steps: Vec<Option<usize>> = harness
        .state()
        .out
        .iter()
        .filter_map(|action| if let Action::ArStep(step) = action { Some(*step) } else { None })
        .collect();
    assert_eq!(steps, [Some(0), Some(1), Some(2), Some(3), None]);
    harness.get_by_label("Play AR steps: how the pictures were built");
}

#[test]
fn a_picture_that_cannot_be_read_says_why() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    record_group(&mut create(&path), 0, "a red circle", &EARNED);
    let media = path.join("media.bin");
    let mut bytes = std::fs::read(&media).unwrap();
    bytes[20] ^= 0xff;
    std::fs::write(&media, bytes).unwrap();
    let harness = shown(World::open(&path));
    let name = harness.get_by_label_contains("Picture 1").accesskit_node().label().unwrap();
    assert!(name.contains("cannot be shown") && name.contains("media.bin"), "{name}");
    harness.get_by_label("Picture 2, reward 0.750, advantage +1.00");
}

#[test]
fn where_there_is_no_group_it_is_said_why_and_what_to_press() {
    let mut harness = shown(World::empty());
    harness.get_by_label("Start a run").click();
    harness.run_ok();
    assert!(matches!(harness.state().out.as_slice(), [Action::Start]));

    let (_root, mut world) = open(|run| record_group(run, 7, "a red circle", &EARNED));
    world.selection.cursor = Some(3);
    let mut harness = shown(world);
    harness.get_by_label("Go to the first group").click();
    settle(&mut harness);
    assert_eq!(harness.state().selection.cursor, Some(7));
    harness.get_by_label("a red circle");

    let root = tempfile::tempdir().unwrap();
    let mut config = TrainConfig::default();
    config.record.groups_every = 0;
    alert(&mut create_with(&root.path().join("off"), &config), 0, "x");
    assert!(says(&shown(World::open(&root.path().join("off"))), "record.groups_every is 0"));

    let (_root, mut world) = open(|run| record(run, 0, &[("kl", 0.0)]));
    world.training = world.selection.run;
    assert!(says(&shown(world), "No group yet"));
    let (_root, world) = open(|run| record(run, 0, &[("kl", 0.0)]));
    let harness = shown(world);
    harness.get_by_label("No group is recorded yet");
    assert!(harness.query_by_label("Resume").is_none(), "there is no checkpoint to go on from");

    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    record(&mut create(&path), 0, &[("kl", 0.0)]);
    std::fs::create_dir_all(path.join("checkpoints/000010")).unwrap();
    let mut harness = shown(World::open(&path));
    harness.get_by_label("Resume").click();
    harness.run_ok();
    assert!(matches!(harness.state().out.as_slice(), [Action::Resume(None)]));
}
