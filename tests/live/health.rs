use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use marscope::runs::folder::RunFolder;
use marscope::ui::action::Action;
use marscope::ui::live::health_ui;
use marscope::ui::live::signals::Verdict::{self, Fine, Look, Unknown, Wrong};
use marscope::ui::live::signals::{not_finite, signals};

use crate::fixture::{Panel, World, settle, window};
use crate::more_on_disk::alert;
use crate::runs_on_disk::{create, record};

const PANEL: Panel = |ui, scene, _, _, out| health_ui(ui, scene, out);

fn open(fill: impl FnOnce(&mut RunFolder)) -> (tempfile::TempDir, World) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    fill(&mut create(&path));
    let world = World::open(&path);
    (root, world)
}

fn shown(world: World) -> Harness<'static, World> {
    let mut harness = window(world, PANEL, [600.0, 700.0]);
    settle(&mut harness);
    harness
}

fn healthy(run: &mut RunFolder, iterations: usize) {
    for step in 0..iterations {
        let wobble = 1.0 + 0.1 * (step % 7) as f64;
        record(
            run,
            step,
            &[
                ("group/std", 0.2),
                ("group/zero_std_share", 0.0),
                ("gradient_norm/whole", 0.01 * wobble),
                ("kl", 0.001 * wobble),
                ("diversity/images", 0.3),
            ],
        );
    }
}

fn verdicts(world: &World, step: usize) -> [Verdict; 6] {
    let store = &world.runs.get(world.selection.run.unwrap()).unwrap().store;
    signals(store, step).map(|signal| signal.verdict)
}

#[test]
fn a_healthy_run_says_so_with_how_much_was_watched() {
    let (_root, world) = open(|run| healthy(run, 30));
    assert_eq!(verdicts(&world, 29), [Fine, Fine, Fine, Fine, Fine, Unknown]);
    // The spike rule needs eight numbers before one, diversity five.
    assert_eq!(verdicts(&world, 7), [Fine, Fine, Unknown, Unknown, Fine, Unknown]);
    let harness = shown(world);
    harness.get_by_label("Nothing looks wrong in 30 iterations watched (5 of 6 signals could be judged).");
    harness.get_by_label("No alerts");
}

#[test]
fn a_run_without_watched_numbers_is_not_called_healthy() {
    let (_root, world) = open(|run| record(run, 0, &[("loss", 1.0)]));
    let harness = shown(world);
    assert!(harness.query_by_label_contains("Nothing looks wrong").is_none());
    harness.get_by_label_contains("None of the watched numbers was recorded");
}

#[test]
fn one_iteration_is_judged_as_far_as_it_goes() {
    let (_root, world) = open(|run| healthy(run, 1));
    assert_eq!(verdicts(&world, 0), [Fine, Fine, Unknown, Unknown, Unknown, Unknown]);
    shown(world).get_by_label("Nothing looks wrong in 1 iteration watched (2 of 6 signals could be judged).");
}

#[test]
fn numbers_that_are_not_finite_are_counted_over_the_whole_run() {
    let (_root, world) = open(|run| {
        healthy(run, 30);
        record(run, 30, &[("kl", f64::NAN), ("group/std", 0.2)]);
        record(run, 31, &[("kl", f64::INFINITY)]);
        record(run, 32, &[("kl", 0.001)]);
    });
    let store = &world.runs.get(world.selection.run.unwrap()).unwrap().store;
    let found = not_finite(store);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].name.as_str(), found[0].nan, found[0].infinite), ("kl", 1, 1));
    assert_eq!((found[0].of, found[0].first), (33, 30));
    let mut harness = shown(world);
    assert!(harness.query_by_label_contains("Nothing looks wrong").is_none());
    harness.get_by_label("kl: 1 NaN and 1 infinite of 33 numbers, first at iteration 30").click();
    harness.run_ok();
    assert!(matches!(harness.state().out.as_slice(), [Action::Cursor(Some(30))]));
    harness.get_by_label_contains("1 signal wrong at the cursor");
}

#[test]
fn the_signals_judge_as_the_alerts_do() {
    let (_root, world) = open(|run| {
        healthy(run, 20);
        let wrong =
            [("gradient_norm/whole", 0.2), ("kl", 0.1), ("diversity/images", 0.1), ("group/std", 0.0)];
        for step in 20..23 {
            record(run, step, &wrong);
            record(run, step, &[("group/zero_std_share", 1.0)]);
        }
        for (step, reward, held_out) in [(0, 0.3, 0.6), (20, 0.7, 0.3)] {
            record(run, step, &[("evaluation/reward", reward), ("evaluation/reward/standard_error", 0.02)]);
            record(run, step, &[("held_out/verifier", held_out), ("held_out/verifier/standard_error", 0.02)]);
        }
    });
    assert_eq!(verdicts(&world, 22), [Look, Wrong, Wrong, Wrong, Wrong, Wrong]);
}

#[test]
fn alerts_are_listed_the_newest_first_and_move_the_cursor() {
    let (_root, world) = open(|run| {
        healthy(run, 10);
        alert(run, 3, "the gradient norm is 1.000e0, 9.0 times its median of the last iterations");
        alert(run, 8, "KL is 1.000e0, 7.0 times its median of the last iterations");
    });
    let mut harness = shown(world);
    let above = harness.get_by_label_contains("Alert at iteration 8: KL is 1.000e0").rect().top();
    let below = harness.get_by_label_contains("Alert at iteration 3: the gradient norm").rect().top();
    assert!(above < below);
    harness.get_by_label_contains("Alert at iteration 3").click();
    harness.run_ok();
    assert!(matches!(harness.state().out.as_slice(), [Action::Cursor(Some(3))]));
}

#[test]
fn of_thousands_of_alerts_only_those_in_sight_are_drawn() {
    let (_root, world) = open(|run| (0..3000).for_each(|step| alert(run, step, "not finite: kl")));
    let harness = shown(world);
    let drawn = harness.query_all_by_label_contains("Alert at iteration").count();
    assert!((1..60).contains(&drawn), "{drawn}");
    harness.get_by_label_contains("Alert at iteration 2999");
}

#[test]
fn what_is_not_fine_says_since_when() {
    let (_root, world) = open(|run| {
        healthy(run, 30);
        for step in 30..34 {
            record(run, step, &[("diversity/images", 0.1), ("group/std", 0.01)]);
        }
    });
    let store = &world.runs.get(world.selection.run.unwrap()).unwrap().store;
    let [std, _, gradient, _, diversity, _] = signals(store, 33);
    assert_eq!(std.verdict, Look, "a twentieth of the start's spread: {}", std.words);
    for signal in [&std, &diversity] {
        let since = signal.since.unwrap();
        assert_eq!((since.step, since.or_before), (30, false), "{}", signal.name);
    }
    assert_eq!(gradient.since, None);
    assert_eq!(signals(store, 29).map(|signal| signal.since), [None; 6]);
    let harness = shown(world);
    assert_eq!(harness.query_all_by_label_contains("not fine since iteration 30").count(), 2);
}

#[test]
fn what_is_wrong_for_long_is_looked_at_for_a_bounded_time() {
    let (_root, world) = open(|run| {
        healthy(run, 5);
        for step in 5..1000 {
            record(run, step, &[("diversity/images", 0.1)]);
        }
    });
    let store = &world.runs.get(world.selection.run.unwrap()).unwrap().store;
    let since = signals(store, 999)[4].since.unwrap();
    assert!(since.or_before && since.step > 5 && since.step < 900);
    assert_eq!(since.words(), format!("since iteration {} or before", since.step));
}
