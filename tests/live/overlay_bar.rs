use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use marscope::ui::live::group_ui;
use marscope::ui::view::Layer;

use crate::fixture::{World, settle, window};
use crate::runs_on_disk::{create, record_group};

fn shown(layer: Layer, width: f32) -> (tempfile::TempDir, Harness<'static, World>) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    record_group(&mut create(&path), 0, "a red circle", &[(0.25, -1.0), (0.75, 1.0)]);
    let mut world = World::open(&path);
    world.view.layer = layer;
    let mut harness = window(world, group_ui, [width, 600.0]);
    settle(&mut harness);
    (root, harness)
}

#[test]
fn only_recorded_layers_can_be_chosen() {
    let (_root, mut harness) = shown(Layer::None, 900.0);
    harness.get_by_label("Overlay layer").click();
    harness.run_ok();
    let disabled = |name: &str| harness.get_by_label(name).accesskit_node().is_disabled();
    for name in ["Uncertainty", "Generation order", "KL"] {
        assert!(!disabled(name), "{name}");
    }
    for name in ["MTE mask", "Consistency", "Cosine gain", "Share of loss"] {
        assert!(disabled(name), "{name}");
    }
    harness.get_by_label("KL").click();
    harness.run_ok();
    assert_eq!(harness.state().view.layer, Layer::Kl);
}

#[test]
fn the_tooltip_of_a_layer_that_is_not_there_says_why() {
    let (_root, mut harness) = shown(Layer::None, 900.0);
    harness.get_by_label("Overlay layer").click();
    harness.run_ok();
    harness.get_by_label("MTE mask").hover();
    for _ in 0..20 {
        harness.step();
    }
    assert!(harness.query_by_label_contains("Multi-trajectory expectation (MTE) was off").is_some());
}

#[test]
fn the_threshold_says_how_many_tokens_are_at_or_above_it() {
    let (_root, mut harness) = shown(Layer::Uncertainty, 900.0);
    harness.get_by_label("Threshold").click();
    harness.run_ok();
    // 0 to 15 in each of the two pictures: the middle is 7.5, and 8 tokens of each are above.
    assert_eq!(harness.state().view.threshold, Some(7.5));
    harness.get_by_label("16 of 32 tokens");
    harness.get_by_label("Threshold of the map").set_value_accesskit(15.0);
    harness.run_ok();
    harness.get_by_label("2 of 32 tokens");
    harness.get_by_label("Overlay layer").click();
    harness.run_ok();
    harness.get_by_label("KL").click();
    harness.run_ok();
    assert_eq!(harness.state().view.threshold, None, "a threshold belongs to one map");
}

#[test]
fn no_control_leaves_a_panel_of_400_points() {
    let (_root, mut harness) = shown(Layer::Uncertainty, 400.0);
    harness.get_by_label("Threshold").click();
    harness.run_ok();
    let names = ["Overlay layer", "Overlay opacity", "Colour map", "Colour scale", "Threshold of the map"];
    for name in names.into_iter().chain(["16 of 32 tokens", "Grid", "Smooth"]) {
        let rect = harness.get_all_by_label(name).next().unwrap().rect();
        assert!(rect.left() >= 0.0 && rect.right() <= 400.0, "{name}: {rect:?}");
    }
}
