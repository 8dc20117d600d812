//! One cursor for curves, pictures, maps and numbers; tabs, themes and panels.

use std::path::Path;

use eframe::egui::{Key, Modifiers};
use marscope::runs::event::Event;
use marscope::runs::folder::RunFolder;
use marscope::ui::Tab;

use crate::runs_on_disk::{create, record, record_group};
use crate::stage::Stage;

fn run(path: &Path) -> RunFolder {
    let mut run = create(path);
    for step in 0..5 {
        record(&mut run, step, &[("reward/mean", 0.1 * step as f64), ("kl", 0.01)]);
        record_group(&mut run, step, "a red circle", &[(0.1 * step as f64, -1.0), (0.5, 1.0)]);
    }
    run
}

#[test]
fn the_cursor_moves_curves_pictures_and_numbers_together() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    drop(run(&path));
    let mut stage = Stage::of(&[&path]);
    stage.until_said("iteration 4");
    stage.until_said("Picture 1, reward 0.400");
    assert!(stage.says("newest, 4"));
    stage.key(Modifiers::NONE, Key::ArrowLeft);
    stage.key(Modifiers::NONE, Key::ArrowLeft);
    stage.until_said("Picture 1, reward 0.200");
    assert_eq!(stage.harness.state().selection().cursor, Some(2));
    assert!(stage.says("at 2"));
    stage.key(Modifiers::NONE, Key::Home);
    stage.until_said("Picture 1, reward 0, ");
    stage.key(Modifiers::NONE, Key::End);
    stage.until_said("Picture 1, reward 0.400");
    assert_eq!(stage.harness.state().selection().cursor, None, "it follows the newest again");
}

#[test]
fn following_shows_what_another_process_records() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let mut writing = run(&path);
    let mut stage = Stage::of(&[&path]);
    stage.until_said("newest, 4");
    record(&mut writing, 5, &[("reward/mean", 0.9)]);
    stage.until_said("newest, 5");
    writing.record(&Event::Note { step: 6, text: "a remark".into() }).unwrap();
    stage.until_said("newest, 6");
}

#[test]
fn tabs_themes_and_popups_are_reached_by_keys_and_by_the_palette() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    drop(run(&path));
    let mut stage = Stage::of(&[&path]);
    stage.key(Modifiers::COMMAND, Key::Num3);
    assert_eq!(stage.harness.state().tab(), Tab::Inspect);
    let dark = |stage: &Stage| stage.harness.ctx.global_style().visuals.dark_mode;
    assert!(dark(&stage));
    stage.click("Light or dark");
    assert!(!dark(&stage));
    stage.key(Modifiers::NONE, Key::Questionmark);
    assert!(stage.says("Keyboard shortcuts"));
    stage.key(Modifiers::COMMAND, Key::P);
    stage.harness.get_by_label("Command").type_text("compare");
    stage.harness.run_steps(3);
    stage.harness.key_press(Key::Enter);
    stage.harness.run_steps(3);
    assert_eq!(stage.harness.state().tab(), Tab::Compare);
}

#[test]
fn the_layout_is_reset_undone_and_kept() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("window.json");
    let mut stage = Stage::with(|options| options.saved = Some(file.clone()));
    stage.click("Reset the layout");
    stage.until_said("as at first");
    stage.key(Modifiers::COMMAND, Key::Z);
    stage.harness.state_mut().keep();
    assert!(std::fs::read_to_string(&file).unwrap().contains("panels"));
    std::fs::write(&file, "{ not json").unwrap();
    let stage = Stage::with(|options| options.saved = Some(file));
    assert!(stage.says("is damaged"), "a damaged file is said, and the window opens");
}

use egui_kittest::kittest::Queryable;
