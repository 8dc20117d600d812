//! One cursor for curves, pictures, maps and numbers; tabs, themes and panels.

use std::path::Path;

use eframe::egui::{Event, Key, Modifiers, PointerButton, pos2};
use marscope::runs::event::Event as Recorded;
use marscope::runs::folder::RunFolder;
use marscope::ui::Tab;
use marscope::ui::overlay::ColourMap;

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
    writing.record(&Recorded::Note { step: 6, text: "a remark".into() }).unwrap();
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
    assert!(stage.says("Drop a run's folder or a log on the window to open it."));
    stage.key(Modifiers::COMMAND, Key::P);
    stage.harness.get_by_label("Command").type_text("compare");
    stage.harness.run_steps(3);
    stage.harness.key_press(Key::Enter);
    stage.harness.run_steps(3);
    assert_eq!(stage.harness.state().tab(), Tab::Compare);
    stage.key(Modifiers::NONE, Key::Escape);
    assert!(
        !stage.says("Drop a run's folder or a log on the window to open it."),
        "Escape closes what lies over the panels"
    );
}

#[test]
fn how_things_are_drawn_is_reached_by_keys_and_by_the_palette() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    drop(run(&path));
    let mut stage = Stage::of(&[&path]);
    stage.key(Modifiers::COMMAND, Key::P);
    stage.harness.get_by_label("Command").type_text("colour magma");
    stage.harness.run_steps(3);
    stage.harness.key_press(Key::Enter);
    stage.harness.run_steps(3);
    assert_eq!(stage.harness.state().overlay().colours, ColourMap::Magma);
    let opacity = stage.harness.state().overlay().opacity;
    stage.key(Modifiers::NONE, Key::Minus);
    assert!((stage.harness.state().overlay().opacity - (opacity - 0.1)).abs() < 1e-6);
    stage.key(Modifiers::NONE, Key::S);
    stage.key(Modifiers::NONE, Key::S);
    stage.key(Modifiers::SHIFT, Key::S);
    let smoothing = stage.harness.state().smoothing();
    assert!((smoothing - 0.5).abs() < 1e-9, "twice and back: {smoothing}");
}

#[test]
fn the_layout_is_reset_undone_and_kept() {
    let root = tempfile::tempdir().unwrap();
    let (file, path) = (root.path().join("window.json"), root.path().join("run"));
    drop(run(&path));
    let mut stage = Stage::with(|options| (options.saved, options.open) = (Some(file.clone()), vec![path]));
    stage.until("it is read", marscope::ui::App::is_settled);
    let first = stage.harness.state().panels().clone();
    // A panel is dragged to be narrower: many frames, one step of undo.
    let border = stage.harness.get_by_label("Plot of Reward").rect().right() + 8.0;
    let drag = |stage: &mut Stage, x: f32| {
        stage.harness.hover_at(pos2(x, 300.0));
        stage.harness.step();
    };
    let found = (0..24).map(|i| border + i as f32 - 8.0).find(|x| {
        drag(&mut stage, *x);
        press(&mut stage, *x, true);
        for by in 1..6 {
            drag(&mut stage, x - 8.0 * by as f32);
        }
        press(&mut stage, x - 40.0, false);
        stage.harness.state().panels() != &first
    });
    assert!(found.is_some(), "no border was found to drag");
    stage.key(Modifiers::COMMAND, Key::Z);
    assert!(stage.harness.state().panels() == &first, "one step takes the whole drag back");
    stage.key(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
    assert!(stage.harness.state().panels() != &first);
    stage.harness.state_mut().keep();
    let kept = Stage::with(|options| options.saved = Some(file.clone()));
    assert!(kept.harness.state().panels() != &first, "the change is kept");
    stage.click("Reset the layout");
    stage.until_said("as at first");
    assert!(stage.harness.state().panels().tiles.len() == first.tiles.len());
    std::fs::write(&file, "{ not json").unwrap();
    let stage = Stage::with(|options| options.saved = Some(file));
    assert!(stage.says("is damaged"), "a damaged file is said, and the window opens");
}

fn press(stage: &mut Stage, x: f32, pressed: bool) {
    stage.harness.event(Event::PointerButton {
        pos: pos2(x, 300.0),
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    });
    stage.harness.step();
}

use egui_kittest::kittest::Queryable;
