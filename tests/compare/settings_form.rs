use eframe::egui::Role;
use egui_kittest::kittest::{NodeT, Queryable};
use egui_kittest::{Harness, Node};
use marscope::rl::config::Frozen;
use marscope::session::settings::flatten;
use marscope::session::train::config::TrainConfig;
use marscope::ui::settings_form::field::fields;
use marscope::ui::settings_form::{changes, settings_form_ui};
use proptest::prelude::*;

use super::runs::{World, window};

#[derive(Default)]
struct Form {
    value: TrainConfig,
    base: TrainConfig,
    filter: String,
    changed: usize,
}

fn form() -> Harness<'static, World<Form>> {
    let mut harness = window([700.0, 2000.0], World::new(&[], Form::default()), |ui, scene, form, _| {
        let changed = settings_form_ui(ui, scene.theme, &mut form.value, &form.base, &mut form.filter);
        form.changed += usize::from(changed);
    });
    harness.run();
    harness
}

/// The control of a setting, not the name beside it.
fn control<'a>(harness: &'a Harness<'static, World<Form>>, path: &'a str) -> Node<'a> {
    let mut found =
        harness.query_all_by_label(path).filter(|node| node.accesskit_node().role() != Role::Label);
    let first = found.next().unwrap_or_else(|| panic!("{path} has no control"));
    assert!(found.next().is_none(), "{path} has two");
    first
}

#[test]
fn every_setting_has_a_control_and_drawing_changes_none() {
    let harness = form();
    for field in fields() {
        control(&harness, &field.path);
    }
    let form = &harness.state().view;
    assert_eq!((form.changed, &form.value), (0, &form.base));
}

#[test]
fn each_kind_of_setting_can_be_changed() {
    let mut harness = form();
    control(&harness, "rl.consistency.enabled").click();
    harness.run();
    control(&harness, "rl.frozen").click();
    harness.run();
    control(&harness, "transformer").click();
    harness.run();
    for (path, text) in [("iterations", "77"), ("rl.optim.head", "1e-5"), ("rl.optim.beta1", "0.5")] {
        control(&harness, path).click();
        harness.run();
        control(&harness, path).type_text(text);
        harness.run();
        harness.key_press(eframe::egui::Key::Enter);
        harness.run();
    }
    let value = &harness.state().view.value;
    assert_eq!((value.rl.consistency.enabled, value.rl.frozen), (false, Frozen::Transformer));
    assert_eq!((value.iterations, value.rl.optim.head, value.rl.optim.beta1), (77, 1e-5, 0.5));
    assert_eq!(harness.state().view.changed, 5);
}

#[test]
fn a_large_seed_keeps_every_digit_and_what_is_no_number_is_explained() {
    let mut harness = form();
    control(&harness, "seed").click();
    harness.run();
    control(&harness, "seed").type_text("9007199254740993");
    harness.run();
    let seed = harness.state().view.value.seed;
    assert!(seed == 90_071_992_547_409_930 || seed == 9_007_199_254_740_993, "{seed}");
    control(&harness, "seed").type_text("x");
    harness.run();
    harness.get_by_label_contains("a whole number from 0 on");
    assert_eq!(harness.state().view.value.seed, seed);
    harness.get_by_label("Undo seed").click();
    harness.run();
    assert_eq!(harness.state().view.value.seed, 0);
    assert!(harness.query_by_label_contains("a whole number from 0 on").is_none());
}

#[test]
fn an_empty_line_is_no_prompt_and_stays_while_it_is_typed() {
    let mut harness = form();
    harness.state_mut().view.filter = "probe.prompts".into();
    harness.run();
    control(&harness, "probe.prompts").click();
    harness.run();
    harness.key_press_modifiers(eframe::egui::Modifiers::COMMAND, eframe::egui::Key::A);
    harness.run();
    control(&harness, "probe.prompts").type_text("a ring\n\ntwo rings\n");
    harness.run();
    assert_eq!(harness.state().view.value.probe.prompts, ["a ring", "two rings"]);
}

#[test]
fn a_search_finds_by_path_and_by_description() {
    let mut harness = form();
    harness.state_mut().view.filter = "Trajectories".into();
    harness.run();
    control(&harness, "rl.mte.trajectories");
    assert!(harness.query_by_label("rl.optim.head").is_none());
    harness.state_mut().view.filter = "no such thing".into();
    harness.run();
    harness.get_by_label_contains("No setting has these letters");
}

proptest! {
    #[test]
    fn a_change_is_named_with_both_values(share in 0.01_f64..1.0, iterations in 1usize..1000) {
        let base = TrainConfig::default();
        let mut value = TrainConfig { iterations, ..base.clone() };
        value.rl.mte.share = share;
        let named = changes(&value, &base);
        let expected = flatten(&base).unwrap().iter().filter(|(path, old)| flatten(&value).unwrap()[*path] != **old).count();
        prop_assert_eq!(named.len(), expected);
        prop_assert!(share == 0.3 || named.iter().any(|text| text.starts_with("rl.mte.share 0.3 -> 0.")));
    }
}
