use eframe::egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, Pos2, Role, TouchPhase, Ui, Vec2,
};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use marscope::ui::action::Action;
use marscope::ui::compare::ab::AbView;
use marscope::ui::compare::found::found_ui;
use marscope::ui::compare::pictures::{PicturesInput, PicturesView, pictures_ui};
use marscope::ui::compare::source::PictureSource;
use marscope::ui::compare::table::{TableView, groups};
use marscope::ui::scene::Scene;
use marscope::ui::view::{Layer, OverlayView, ScaleScope};

use super::runs::{Made, World, colour, until, window};

type Views = (TableView, PicturesView, AbView, OverlayView);

fn draw(ui: &mut Ui, scene: Scene<'_>, (table, view, ab, overlay): &mut Views, out: &mut Vec<Action>) {
    let groups = groups(table, scene.runs);
    let input = PicturesInput { groups: &groups, overlay, colour: &colour };
    pictures_ui(ui, scene, view, input, ab, out);
}

fn pictures(world: World<Views>) -> Harness<'static, World<Views>> {
    let mut harness = window([700.0, 500.0], world, draw);
    until(&mut harness, |harness| {
        harness.query_all_by_label_contains("picture 1").count() > 0
            && harness.query_all_by_label_contains("reading").count() == 0
    });
    // The choice of the AR step is there once a group was read, and moves the pictures down.
    harness.run_ok();
    harness
}

fn wheel(harness: &mut Harness<'static, World<Views>>, by: f32, modifiers: Modifiers) {
    harness.event(Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        source: MouseWheelSource::Wheel,
        delta: Vec2::new(0.0, by),
        phase: TouchPhase::Move,
        modifiers,
    });
}

fn world(root: &std::path::Path, seed: u64) -> World<Views> {
    let first = Made::new("first", &[0.5, 1.0]).write(root);
    let second = Made::new("second", &[0.25]).with(|config| config.seed = seed).write(root);
    World::new(&[first, second], Views::default())
}

#[test]
fn each_run_shows_its_last_group_at_or_before_the_cursor() {
    let root = tempfile::tempdir().unwrap();
    let mut made = world(root.path(), 0);
    made.selection.cursor = Some(7);
    let harness = pictures(made);
    harness.get_by_label("first, iteration 1, picture 1, reward 1.000");
    harness.get_by_label("second, iteration 0, picture 2, reward 0.125");
    harness.get_by_label_contains("The rows differ in iteration:");
}

#[test]
fn it_is_said_whether_the_noise_is_the_same() {
    let root = tempfile::tempdir().unwrap();
    let mut made = world(root.path(), 3);
    made.selection.cursor = Some(0);
    let mut harness = pictures(made);
    harness.get_by_label_contains("The rows differ in seed:");
    harness.get_by_label("Fixed prompts").click();
    harness.run_ok();
    harness.get_by_label_contains("The pictures of a column have the same noise in every run; where");
    let root = tempfile::tempdir().unwrap();
    let mut made = world(root.path(), 0);
    made.selection.cursor = Some(0);
    pictures(made).get_by_label_contains("and so the same noise: what differs is the policy");
}

#[test]
fn a_click_makes_a_picture_a_and_shift_makes_it_b() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = pictures(world(root.path(), 0));
    let ids = harness.state().ids();
    harness.get_by_label_contains("first, iteration 1, picture 2").click();
    harness.run_ok();
    harness.get_by_label_contains("second, iteration 0, picture 1").click_modifiers(Modifiers::SHIFT);
    harness.run_ok();
    let ab = &harness.state().view.2;
    let (a, b) = (ab.a.unwrap(), ab.b.unwrap());
    assert_eq!((a.run, a.picture, b.run, b.picture), (ids[0], 1, ids[1], 0));
    assert_eq!(ab.source, PictureSource::Training);
}

#[test]
fn scrolling_over_one_picture_zooms_all_and_the_button_shows_all_again() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = pictures(world(root.path(), 0));
    let rect = harness.get_by_label_contains("first, iteration 1, picture 1").rect();
    harness.hover_at(rect.min + Vec2::splat(4.0));
    harness.run_ok();
    wheel(&mut harness, 200.0, Modifiers::CTRL | Modifiers::COMMAND);
    harness.run_ok();
    let uv = harness.state().view.2.zoom.uv;
    assert!(uv.width() < 0.6 && uv.min.x < 0.1, "{uv:?}");
    harness.get_by_label_contains("Reset zoom").click();
    harness.run_ok();
    assert!(harness.state().view.2.zoom.is_whole());
}

#[test]
fn an_ar_step_chosen_elsewhere_is_seen_and_the_finished_pictures_are_asked_for_here() {
    let root = tempfile::tempdir().unwrap();
    let mut made = world(root.path(), 0);
    made.selection.ar_step = Some(7);
    let mut harness = pictures(made);
    harness.run_ok();
    harness.get_by_label_contains("AR step 7 (not trained)");
    harness.get_by_role_and_label(Role::Slider, "AR step").focus();
    harness.run_ok();
    harness.key_press(Key::ArrowRight);
    harness.run_ok();
    assert!(matches!(harness.state().out.as_slice(), [Action::ArStep(None)]), "{:?}", harness.state().out);
    harness.get_by_label("Fixed prompts").click();
    harness.run_ok();
    assert!(
        harness.query_by_role_and_label(Role::Slider, "AR step").is_none(),
        "fixed prompts have no AR steps"
    );
}

#[test]
fn the_layer_is_chosen_here_with_its_scale() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = pictures(world(root.path(), 0));
    harness.run_ok();
    harness.get_by_label("Overlay layer").click();
    harness.run_ok();
    harness.get_by_role_and_label(Role::Button, "Uncertainty").click();
    harness.run_ok();
    assert_eq!(harness.state().view.3.layer, Layer::Uncertainty);
    harness.get_by_label_contains("Colour scale of Uncertainty from 0 to 0.7");
    harness.state_mut().view.3.scale = ScaleScope::Picture;
    harness.run_ok();
    harness.get_by_label_contains("Scale of picture 1 of first; each picture has its own");
}

#[test]
fn in_a_low_panel_a_whole_row_of_pictures_is_seen_by_scrolling() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = window([500.0, 160.0], world(root.path(), 0), draw);
    until(&mut harness, |harness| harness.query_by_role_and_label(Role::Slider, "AR step").is_some());
    harness.hover_at(Pos2::new(30.0, 10.0));
    harness.run_ok();
    // No further than the panel: what is left would scroll the pictures below the pointer.
    wheel(&mut harness, -170.0, Modifiers::NONE);
    until(&mut harness, |harness| {
        harness.query_all_by_label_contains("first, iteration 1, picture 1").count() > 0
    });
    harness.run_ok();
    let rect = harness.get_by_label_contains("first, iteration 1, picture 1").rect();
    assert!(rect.top() >= 0.0 && rect.bottom() <= 160.0, "{rect:?}");
    assert_eq!(rect.height(), 96.0);
}

#[test]
fn a_filter_that_hides_all_is_said() {
    let root = tempfile::tempdir().unwrap();
    let mut made = world(root.path(), 0);
    made.view.0.filter.text = "no such run".into();
    let mut harness = window([700.0, 300.0], made, draw);
    harness.run_ok();
    harness.get_by_label_contains("The filter of the table of runs hides every run");
}

#[test]
fn runs_that_were_found_open_with_one_click_and_open_ones_are_not_listed() {
    let root = tempfile::tempdir().unwrap();
    let world = world(root.path(), 0);
    Made::new("third", &[0.4]).write(root.path());
    let found = marscope::runs::list::list_runs(root.path()).unwrap();
    assert_eq!(found.len(), 3);
    let mut harness =
        window([700.0, 300.0], world, move |ui, scene, _, out| found_ui(ui, scene, &found, out));
    harness.run();
    assert!(harness.query_by_label("Open first").is_none());
    harness.get_by_label("Open third").click();
    harness.run();
    let out = format!("{:?}", harness.state().out);
    assert!(out.starts_with("[Open(") && out.contains("third"), "{out}");
}

#[test]
fn a_change_of_the_sampling_while_a_run_went_on_is_seen() {
    let root = tempfile::tempdir().unwrap();
    let first = Made::new("first", &[0.5, 0.5]).write(root.path());
    let mut changed = Made::new("second", &[0.5, 0.5]);
    changed.changes.push((1, "rl.rollout.guidance", 1.0.into(), 3.0.into()));
    let world = World::new(&[first, changed.write(root.path())], Views::default());
    let mut harness = pictures(world);
    harness.get_by_label_contains("The rows differ in AR steps, diffusion steps or guidance:");
    harness.state_mut().selection.cursor = Some(0);
    harness.run_ok();
    harness.get_by_label_contains("and so the same noise");
}
