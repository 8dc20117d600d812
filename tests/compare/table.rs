use egui_kittest::kittest::{NodeT, Queryable};
use marscope::rl::config::Advantages;
use marscope::ui::action::Action;
use marscope::ui::compare::nothing_drawn::why_nothing_is_drawn;
use marscope::ui::compare::table::{TableView, groups, table_ui};
use proptest::prelude::*;
use serde_json::json;

use super::runs::{Made, World, colour, window};

fn table(world: World<TableView>, size: [f32; 2]) -> egui_kittest::Harness<'static, World<TableView>> {
    window(size, world, |ui, scene, view, out| table_ui(ui, scene, view, &colour, out))
}

fn two(root: &std::path::Path) -> World<TableView> {
    let first = Made::new("first", &[0.1, 0.9, 0.5]).write(root);
    let second = Made::new("second", &[0.2, 0.3]).with(|config| config.rl.mte.share = 0.5).write(root);
    World::new(&[first, second], TableView::default())
}

/// Names of the runs that are listed, from the top.
fn listed(harness: &egui_kittest::Harness<'static, World<TableView>>) -> Vec<String> {
    let crosses = harness.query_all_by_label_contains("Close ");
    let mut found: Vec<(f32, String)> = crosses
        .filter_map(|cross| {
            let name = cross.accesskit_node().label()?.strip_prefix("Close ")?.to_owned();
            Some((cross.rect().top(), name))
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, name)| name).collect()
}

#[test]
fn only_settings_in_which_the_runs_differ_have_a_column() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = table(two(root.path()), [1400.0, 200.0]);
    harness.run();
    harness.get_by_label("Sort by mte.share");
    assert!(harness.query_by_label_contains("Sort by mte.trajectories").is_none());
    assert!(harness.query_by_label_contains("Problem").is_none());
    harness.get_by_label("0.5");
    harness.get_by_label("2 runs");
}

#[test]
fn a_setting_that_changed_while_the_run_went_on_shows_both_values() {
    let root = tempfile::tempdir().unwrap();
    let mut made = Made::new("changed", &[0.1, 0.2]);
    made.changes.push((1, "rl.mte.share", json!(0.3), json!(0.7)));
    let plain = Made::new("plain", &[0.1]).write(root.path());
    let mut harness =
        table(World::new(&[made.write(root.path()), plain], TableView::default()), [1600.0, 200.0]);
    harness.run();
    harness.get_by_label("0.3 -> 0.7");
    harness.get_by_label("mar_grpo -> custom");
}

#[test]
fn a_name_selects_a_check_hides_and_a_cross_closes() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = table(two(root.path()), [1400.0, 200.0]);
    harness.run();
    let ids = harness.state().ids();
    harness.get_by_label("second").click();
    harness.run();
    harness.get_by_label("Show first").click();
    harness.run();
    harness.get_by_label("Close second").click();
    harness.run();
    let out = format!("{:?}", harness.state().out);
    let expected = [Action::Select(ids[1]), Action::Show(ids[0], false), Action::Close(ids[1])];
    assert_eq!(out, format!("{expected:?}"));
}

#[test]
fn a_broken_filter_says_why_and_hides_nothing() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = table(two(root.path()), [1400.0, 220.0]);
    harness.run();
    harness.get_by_label("Filter").click();
    harness.run();
    harness.get_by_label("Filter").type_text("share=0(");
    harness.run();
    harness.get_by_label_contains("unclosed group");
    assert_eq!(listed(&harness).len(), 2);
    harness.state_mut().view.filter.text = "^rl.mte.share=0\\.5$".into();
    harness.run();
    harness.get_by_label("1 of 2 runs");
    assert_eq!(listed(&harness), ["second"]);
    let world = harness.state_mut();
    let ids = world.ids();
    let drawn = groups(&mut world.view, &world.runs);
    assert_eq!(drawn.iter().flat_map(|group| group.runs.clone()).collect::<Vec<_>>(), [ids[1]]);
}

#[test]
fn a_filter_that_hides_every_run_is_said() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = table(two(root.path()), [1400.0, 220.0]);
    harness.state_mut().view.filter.text = "no such run".into();
    harness.run();
    harness.get_by_label("0 of 2 runs");
    harness.get_by_label_contains("The filter hides every run");
    let world = harness.state_mut();
    assert!(groups(&mut world.view, &world.runs).is_empty());
    assert!(why_nothing_is_drawn(&world.runs).starts_with("The filter of the table"));
    for id in world.ids() {
        world.runs.get_mut(id).unwrap().shown = false;
    }
    assert!(why_nothing_is_drawn(&world.runs).contains("check one"));
    for id in world.ids() {
        world.runs.close(id);
    }
    assert!(why_nothing_is_drawn(&world.runs).starts_with("No run is open"));
}

#[test]
fn the_pointer_on_a_name_tells_what_the_run_differs_in() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = table(two(root.path()), [1400.0, 400.0]);
    harness.run();
    harness.get_by_label("second").hover();
    harness.run();
    harness.run_ok();
    harness.get_by_label("rl.mte.share = 0.5");
    assert!(harness.query_by_label_contains("rl.mte.trajectories =").is_none());
}

#[test]
fn an_ablation_is_looked_at_by_variant() {
    let root = tempfile::tempdir().unwrap();
    let mut world = two(root.path());
    world.view.group_by_variant();
    let groups = groups(&mut world.view, &world.runs);
    assert_eq!(
        groups.iter().map(|group| (group.name.as_str(), group.runs.len())).collect::<Vec<_>>(),
        [("mar_grpo", 2)]
    );
}

#[test]
fn a_heading_sorts_up_then_down_then_as_opened() {
    let root = tempfile::tempdir().unwrap();
    let mut harness = table(two(root.path()), [1400.0, 200.0]);
    harness.run();
    for expected in [["second", "first"], ["first", "second"], ["first", "second"]] {
        harness.get_by_label("Sort by Final reward").click();
        harness.run();
        assert_eq!(listed(&harness), expected);
    }
    assert_eq!(harness.state().view.sort, None);
}

#[test]
fn what_is_not_a_number_or_not_there_is_last_up_and_down() {
    let root = tempfile::tempdir().unwrap();
    let runs = [("nothing", &[][..]), ("nan", &[f64::NAN]), ("low", &[0.1]), ("high", &[f64::INFINITY])];
    let paths = runs.map(|(name, rewards)| Made::new(name, rewards).write(root.path()));
    let mut harness = table(World::new(&paths, TableView::default()), [1400.0, 200.0]);
    harness.run();
    for expected in [["low", "high", "nan", "nothing"], ["high", "low", "nan", "nothing"]] {
        harness.get_by_label("Sort by Final reward").click();
        harness.run();
        assert_eq!(listed(&harness), expected);
    }
}

#[test]
fn numbers_that_are_not_finite_are_shown() {
    let root = tempfile::tempdir().unwrap();
    let paths = [Made::new("nan", &[0.25, f64::NAN]).write(root.path())];
    let mut harness = table(World::new(&paths, TableView::default()), [1400.0, 200.0]);
    harness.run();
    harness.get_by_label("NaN");
    harness.get_by_label("0.250");
}

#[test]
fn runs_of_the_same_name_are_told_apart_by_their_folders() {
    let root = tempfile::tempdir().unwrap();
    let paths = ["grpo", "mte_all"].map(|name| Made::new("seed-0", &[0.1]).write(&root.path().join(name)));
    let mut harness = table(World::new(&paths, TableView::default()), [1400.0, 200.0]);
    harness.run();
    harness.get_by_label("Show grpo/seed-0");
    harness.get_by_label("Show mte_all/seed-0");
}

#[test]
fn a_control_is_no_run_of_its_variant() {
    let root = tempfile::tempdir().unwrap();
    let own = Made::new("own", &[0.1]).write(root.path());
    let shuffled = Made::new("control", &[0.1]).with(|config| config.rl.advantages = Advantages::Shuffled);
    let mut world = World::new(&[own, shuffled.write(root.path())], TableView::default());
    world.view.group = Some("variant".into());
    let names: Vec<String> =
        groups(&mut world.view, &world.runs).into_iter().map(|group| group.name).collect();
    assert_eq!(names, ["mar_grpo", "mar_grpo+shuffled"]);
}

#[test]
fn a_hundred_runs_cost_no_more_than_those_that_are_seen() {
    let root = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..100).map(|number| format!("run-{number}")).collect();
    let paths: Vec<_> = names.iter().map(|name| Made::new(name, &[0.1]).write(root.path())).collect();
    let mut harness = table(World::new(&paths, TableView::default()), [900.0, 300.0]);
    harness.run();
    let drawn = harness.query_all_by_label_contains("Close run-").count();
    assert!((5..25).contains(&drawn), "{drawn} rows drawn");
    harness.get_by_label("100 runs");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn every_run_that_is_shown_is_in_one_group_and_hiding_changes_no_colour(
        shares in prop::collection::vec(0usize..3, 1..5), hidden in any::<u8>(),
    ) {
        let root = tempfile::tempdir().unwrap();
        let share = |place: usize| [0.1, 0.2, 0.3][place];
        let paths: Vec<_> = shares.iter().enumerate().map(|(number, place)| {
            let name = format!("run-{number}");
            Made::new(&name, &[0.1]).with(|config| config.rl.mte.share = share(*place)).write(root.path())
        }).collect();
        let mut world = World::new(&paths, TableView::default());
        world.view.group = Some("rl.mte.share".into());
        let all = groups(&mut world.view, &world.runs);
        let ids = world.ids();
        for (number, id) in ids.iter().enumerate() {
            world.runs.get_mut(*id).unwrap().shown = hidden >> number & 1 == 0;
        }
        let some = groups(&mut world.view, &world.runs);
        for (number, id) in ids.iter().enumerate() {
            let with: Vec<_> = some.iter().filter(|group| group.runs.contains(id)).collect();
            prop_assert_eq!(with.len(), usize::from(hidden >> number & 1 == 0));
            for group in with {
                prop_assert_eq!(&group.name, &format!("share = {}", share(shares[number])));
                let before = all.iter().find(|other| other.name == group.name).unwrap();
                prop_assert_eq!(before.colour, group.colour);
            }
        }
    }
}
