use eframe::egui::{Key, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use marscope::ui::compare::ab::{AbMode, AbView, ab_ui};

use super::runs::{Made, World, until, window};

fn ab(mode: AbMode, paths: &[std::path::PathBuf]) -> Harness<'static, World<AbView>> {
    let mut view = AbView::default();
    view.mode = mode;
    let mut harness = window([700.0, 600.0], World::new(paths, view), |ui, scene, view, _| {
        let drawn: Vec<_> = scene.runs.iter().map(|run| run.id).collect();
        ab_ui(ui, scene, view, &drawn);
    });
    until(&mut harness, |harness| harness.query_all_by_label_contains("is being read").count() == 0);
    harness
}

fn two(root: &std::path::Path) -> [std::path::PathBuf; 2] {
    [Made::new("first", &[1.0]).write(root), Made::new("second", &[0.9]).write(root)]
}

#[test]
fn the_difference_is_told_as_a_number() {
    let root = tempfile::tempdir().unwrap();
    let harness = ab(AbMode::Difference, &two(root.path()));
    harness.get_by_label_contains("Mean absolute difference 10.00 of 255");
}

#[test]
fn f_flips_and_the_zoom_stays() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = ab(AbMode::Flip, &two(root.path()));
    harness.state_mut().view.zoom.zoom_at(eframe::egui::pos2(0.5, 0.5), 2.0);
    harness.run_ok();
    let zoom = harness.state().view.zoom;
    assert!(harness.query_all_by_label_contains("A: first, iteration 0").count() > 0);
    harness.key_press(Key::F);
    harness.run_ok();
    assert!(harness.query_all_by_label_contains("B: second, iteration 0").count() > 0);
    assert_eq!(harness.query_all_by_label_contains("A: first").count(), 0);
    harness.get_by_label("Flip to A (F)").click();
    harness.run_ok();
    assert!(!harness.state().view.flipped);
    assert_eq!(harness.state().view.zoom, zoom);
}

#[test]
fn the_divider_is_dragged() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = ab(AbMode::Swipe, &two(root.path()));
    let rect = harness.get_by_label("A left of the divider, B right of it").rect();
    harness.drag_at(rect.center());
    harness.run_ok();
    harness.hover_at(rect.center() + Vec2::new(rect.width() * 0.25, 0.0));
    harness.run_ok();
    harness.drop_at(rect.center() + Vec2::new(rect.width() * 0.25, 0.0));
    harness.run_ok();
    let divider = harness.state().view.divider;
    assert!((divider - 0.75).abs() < 0.01, "{divider}");
}

#[test]
fn one_run_alone_is_compared_with_its_own_beginning() {
    let root = tempfile::tempdir().unwrap();
    let paths = [Made::new("alone", &[0.2, 0.7]).write(root.path())];
    let harness = ab(AbMode::SideBySide, &paths);
    let view = &harness.state().view;
    assert_eq!((view.a.unwrap().pinned, view.b.unwrap().pinned), (None, Some(0)));
    assert!(
        harness.query_all_by_label_contains("A: alone, iteration 1, picture 1, reward 0.700").count() > 0
    );
    assert!(
        harness.query_all_by_label_contains("B: alone, iteration 0, picture 1, reward 0.200").count() > 0
    );
}

#[test]
fn a_picture_that_is_not_there_is_explained() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = ab(AbMode::SideBySide, &two(root.path()));
    let mut side = harness.state().view.b.unwrap();
    side.run = harness.state().ids()[0];
    harness.state_mut().view.b = Some(side);
    let id = side.run;
    harness.state_mut().runs.close(id);
    harness.run_ok();
    // What was closed is replaced by what is open.
    let left = harness.state().ids()[0];
    assert_eq!(harness.state().view.b.unwrap().run, left);
}
