use eframe::egui::{Key, Rect, Role, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use marscope::ui::compare::ab::{AbMode, AbView, ab_ui};
use marscope::ui::compare::side::Side;
use marscope::ui::data::run::RunId;
use marscope::ui::overlay::ColourMap;
use marscope::ui::scene::Scene;
use marscope::ui::view::{Layer, OverlayView};

use super::runs::{Made, World, painted, until, window};

fn drawn(scene: Scene<'_>) -> Vec<RunId> {
    scene.runs.iter().map(|run| run.id).collect()
}

/// The colour in the middle of the first token of the picture of that name, which is drawn.
fn colour_of(
    mode: AbMode,
    overlay: &OverlayView,
    change: impl Fn(&mut World<AbView>),
    (name, share): (&str, f32),
    paths: &[std::path::PathBuf],
) -> [u8; 3] {
    let mut view = AbView::default();
    (view.mode, view.factor) = (mode, 4);
    let mut world = World::new(paths, view);
    change(&mut world);
    let mut harness = painted([700.0, 600.0], world, |ui, scene, view, _| {
        ab_ui(ui, scene, view, overlay, &drawn(scene));
    });
    until(&mut harness, |harness| harness.query_all_by_label_contains("is being read").count() == 0);
    harness.run_ok();
    let rect = harness.get_by_role_and_label(Role::Image, name).rect();
    // Not on the grip of the divider, nor on a border of two tokens.
    let at = rect.min + rect.size() * Vec2::new(share, 0.3);
    let frame = harness.render().unwrap();
    let [r, g, b, _] = frame.get_pixel(at.x as u32, at.y as u32).0;
    [r, g, b]
}

fn ab(mode: AbMode, paths: &[std::path::PathBuf]) -> Harness<'static, World<AbView>> {
    let mut view = AbView::default();
    view.mode = mode;
    let mut harness = window([700.0, 600.0], World::new(paths, view), |ui, scene, view, _| {
        ab_ui(ui, scene, view, &OverlayView::default(), &drawn(scene));
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
    let quarter = Rect::from_min_max(eframe::egui::pos2(0.25, 0.25), eframe::egui::pos2(0.75, 0.75));
    harness.state_mut().view.zoom.uv = quarter;
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

#[test]
fn differences_are_drawn_amplified_and_with_their_sign() {
    let root = tempfile::tempdir().unwrap();
    // Grey of 100 and of 90.
    let paths = two(root.path());
    let bare = OverlayView { layer: Layer::None, ..OverlayView::default() };
    let at = |mode, name| colour_of(mode, &bare, |_| {}, (name, 0.3), &paths);
    assert_eq!(at(AbMode::Difference, "Difference of A and B"), [40; 3]);
    let darker =
        ColourMap::Diverging.colour(0.5 - 0.5 * 4.0 * 10.0 / 255.0).map(|c| (c * 255.0).round() as u8);
    let found = at(AbMode::SignedDifference, "Signed difference of A and B");
    assert!(found.iter().zip(darker).all(|(a, b)| a.abs_diff(b) <= 1), "{found:?}, not {darker:?}");
    let harness = ab(AbMode::SignedDifference, &paths);
    harness.get_by_label("Mean difference of lightness \u{2212}10.00 of 255");
    harness.get_by_label_contains(
        "Colour scale of the lightness of B less that of A from \u{2212}63.75 to 63.75",
    );
}

#[test]
fn the_layer_lies_over_both_and_a_swipe_shows_each_with_its_own() {
    let root = tempfile::tempdir().unwrap();
    let paths = two(root.path());
    let opaque = OverlayView { layer: Layer::Uncertainty, opacity: 1.0, ..OverlayView::default() };
    let bare = OverlayView { layer: Layer::None, ..OverlayView::default() };
    let swipe = "A left of the divider, B right of it";
    // Picture 2 in B: its numbers are others, on the range of both.
    let second = |world: &mut World<AbView>| {
        let ids = world.ids();
        let side = |run, picture| Some(Side { run, pinned: None, picture });
        (world.view.a, world.view.b) = (side(ids[0], 0), side(ids[1], 1));
    };
    let map = |value: f32| ColourMap::default().colour(value / 0.7).map(|c| (c * 255.0).round() as u8);
    let near = |found: [u8; 3], expected: [u8; 3]| {
        assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 1), "{found:?}, not {expected:?}");
    };
    near(colour_of(AbMode::Swipe, &opaque, second, (swipe, 0.3), &paths), map(0.0));
    near(colour_of(AbMode::Swipe, &opaque, second, (swipe, 0.8), &paths), map(0.5));
    let b = "B: second, iteration 0, picture 2, reward 0.450";
    near(colour_of(AbMode::SideBySide, &opaque, second, (b, 0.3), &paths), map(0.4));
    near(colour_of(AbMode::SideBySide, &bare, second, (b, 0.3), &paths), [45; 3]);
}

#[test]
fn an_ar_step_is_shown_side_by_side_and_said_to_be_left_out_of_a_swipe() {
    let root = tempfile::tempdir().unwrap();
    let paths = two(root.path());
    let mut harness = ab(AbMode::SideBySide, &paths);
    harness.state_mut().selection.ar_step = Some(0);
    harness.run_ok();
    harness.get_by_label("still masked");
    assert!(harness.query_by_label_contains("Finished pictures").is_none());
    harness.get_by_label("Swipe").click();
    harness.run_ok();
    harness.get_by_label_contains("Finished pictures");
    assert!(harness.query_by_label("still masked").is_none());
}
