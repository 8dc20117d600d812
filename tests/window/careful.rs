//! What must not happen: settings that leak from one run to another, keys that reach what they were not meant for, a cursor that
//! stops following.

use eframe::egui::{Event, Key, Modifiers, PointerButton};
use egui_kittest::kittest::Queryable;
use marscope::rl::config::RlConfig;
use marscope::runs::folder::{RunFolder, RunHeader};
use marscope::session::train::config::TrainConfig;

use crate::runs_on_disk::{create, record};
use crate::stage::Stage;

fn run(path: &std::path::Path) {
    let mut run = create(path);
    for step in 0..20 {
        record(&mut run, step, &[("reward/mean", 0.05 * step as f64)]);
    }
}

#[test]
fn what_is_typed_for_the_next_run_is_not_shown_for_another() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    run(&path);
    let mut stage = Stage::of(&[&path]);
    stage.click("Next run");
    let before = stage.harness.state().draft().clone();
    stage.harness.get_by_label("Reward and weights").focus();
    stage.harness.run_steps(2);
    stage.harness.get_by_label("Reward and weights").type_text("x");
    stage.harness.run_steps(2);
    stage.click("This run");
    let shown = stage.harness.get_by_label("Reward and weights").value();
    assert_eq!(shown.as_deref(), Some("verifier"));
    assert_eq!(*stage.harness.state().draft(), before, "what cannot be read is not taken");
}

#[test]
fn looking_at_settings_out_of_the_sliders_range_changes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let mut rl = RlConfig::default();
    rl.mte.share = 5e-4;
    let config = TrainConfig { rl, ..TrainConfig::default() };
    let header = RunHeader::new("train", serde_json::to_value(&config).unwrap(), "cpu");
    record(&mut RunFolder::create(&path, &header).unwrap(), 0, &[("reward/mean", 0.1)]);
    let mut stage = Stage::of(&[&path]);
    stage.harness.run_steps(5);
    assert!(!stage.says("nothing is being trained"), "no change was asked for");
    stage.click("Use for the next run");
    stage.click("Next run");
    stage.harness.run_steps(5);
    assert_eq!(stage.harness.state().draft().rl.mte.share, 5e-4);
}

#[test]
fn undo_in_a_text_field_is_that_of_the_field() {
    let mut stage = Stage::with(|_| ());
    stage.click("Reset the layout");
    let before = stage.harness.state().panels().clone();
    stage.harness.get_by_label("Reward and weights").focus();
    stage.harness.run_steps(2);
    stage.key(Modifiers::COMMAND, Key::Z);
    assert!(stage.harness.state().panels() == &before);
    assert_eq!(stage.harness.state().tab(), marscope::ui::Tab::Live);
}

#[test]
fn a_double_click_on_a_plot_fits_and_goes_on_following() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    run(&path);
    let mut stage = Stage::of(&[&path]);
    let place = stage.harness.get_by_label("Plot of Reward").rect().center();
    stage.harness.hover_at(place);
    for pressed in [true, false, true, false] {
        stage.harness.event(Event::PointerButton {
            pos: place,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    stage.harness.run_steps(3);
    assert_eq!(stage.harness.state().selection().cursor, None);
}

#[test]
fn a_plain_key_does_not_reach_the_window_while_typing() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    run(&path);
    let mut stage = Stage::of(&[&path]);
    stage.click("Next run");
    stage.harness.get_by_label("Reward and weights").focus();
    stage.harness.run_steps(2);
    stage.key(Modifiers::NONE, Key::Home);
    assert_eq!(stage.harness.state().selection().cursor, None);
}

#[test]
fn a_checkpoint_opens_its_run_at_that_iteration() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    run(&path);
    let checkpoint = path.join("checkpoints").join("000010");
    std::fs::create_dir_all(&checkpoint).unwrap();
    let mut stage = Stage::with(|options| options.open = vec![checkpoint]);
    stage.until("it is read", |app| app.runs().iter().all(|run| run.complete));
    assert_eq!(stage.harness.state().selection().cursor, Some(10));
    assert!(stage.says("Fork… branches off"));
}

#[test]
fn a_short_run_after_a_long_one_keeps_the_cursor_on_the_timeline() {
    let root = tempfile::tempdir().unwrap();
    let (long, short) = (root.path().join("long"), root.path().join("short"));
    run(&long);
    record(&mut create(&short), 0, &[("reward/mean", 0.5)]);
    let mut stage = Stage::of(&[&long, &short]);
    stage.harness.state_mut().look_at(15);
    stage.key(Modifiers::COMMAND, Key::ArrowDown);
    stage.harness.run_steps(3);
    assert!(stage.says("at 15"));
    let timeline = stage.harness.get_by_label("Timeline").rect();
    assert!(timeline.width() > 100.0);
}
