//! An ablation on several devices: the same numbers as on one, stopped and failed as a whole, and honestly told.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use marscope::error::Error;
use marscope::rl::variant::Variant;
use marscope::session::ablate::{Arm, Plan};
use marscope::session::control::StopSignal;
use marscope::session::device::DeviceChoice;
use marscope::session::train::checkpoint;
use marscope::session::train::config::TrainConfig;
use marscope::session::train::message::Message;

/// Four runs.
fn plan(out: &Path, devices: &str, iterations: usize) -> Plan {
    let mut config = TrainConfig { iterations, ..TrainConfig::default() };
    config.rl.group = 4;
    config.rl.rollout.ar_steps = 2;
    config.rl.rollout.diffusion_steps = 2;
    config.rl.mte.trajectories = 2;
    (config.evaluate.pictures, config.evaluate.held_out) = (2, 1);
    config.probe.every = 0;
    config.record.trajectories_every = 0;
    let arms = [Variant::Grpo, Variant::MarGrpo].map(|variant| Arm { variant, shuffled: false });
    Plan {
        arms: arms.into(),
        prompts: vec!["a ring".into(), "two rings".into()],
        seeds: 1,
        config,
        out: out.to_path_buf(),
        model: None,
        devices: DeviceChoice::several(devices).unwrap(),
    }
}

fn run(plan: &Plan) {
    plan.run(&StopSignal::default(), &mut |_| {}).unwrap();
}

/// Where the runs are, in the order of the plan.
fn folders(plan: &Plan) -> Vec<PathBuf> {
    let of = |prompt: &'static str| {
        ["grpo", "mar_grpo"].map(move |arm| plan.out.join(prompt).join(arm).join("seed-0"))
    };
    ["a_ring", "two_rings"].into_iter().flat_map(of).collect()
}

/// The report's tables without times and folders.
fn numbers(plan: &Plan) -> Vec<Vec<String>> {
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(plan.out.join(name)).unwrap();
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let cells = rows("cells.csv");
    let kept: Vec<usize> = (0..cells[0].len())
        .filter(|column| !cells[0][*column].starts_with("seconds") && cells[0][*column] != "folder")
        .collect();
    assert!(kept.len() > 20, "{:?}", cells[0]);
    let mut all: Vec<Vec<String>> =
        cells.iter().map(|row| kept.iter().map(|column| row[*column].clone()).collect()).collect();
    all.extend(rows("variants.csv").into_iter().filter(|row| !row[2].starts_with("seconds")));
    all
}

#[test]
fn two_at_a_time_find_what_one_after_the_other_finds_bit_for_bit() {
    let root = tempfile::tempdir().unwrap();
    let (one, two) =
        (plan(&root.path().join("one"), "cpu", 2), plan(&root.path().join("two"), "cpu, cpu", 2));
    let mut order = Vec::new();
    let ablation = one.run(&StopSignal::default(), &mut |watching| {
        assert!(watching.under_way.len() <= 1);
        order.push(watching.cell.0);
    });
    assert_eq!(ablation.unwrap().cells.len(), 4);
    assert!(order.is_sorted(), "one device takes them in the order of the plan: {order:?}");
    run(&two);
    assert_eq!(numbers(&one), numbers(&two));
    let variants: Vec<String> = numbers(&two)[1..5].iter().map(|row| row[..2].join(" ")).collect();
    assert_eq!(variants, ["grpo a ring", "mar_grpo a ring", "grpo two rings", "mar_grpo two rings"]);
}

#[test]
fn several_under_way_are_told_on_the_callers_thread_and_counted_together() {
    let root = tempfile::tempdir().unwrap();
    let three = Plan { seeds: 2, ..plan(&root.path().join("three"), "cpu,cpu,cpu", 2) };
    // One run is finished before.
    run(&Plan { arms: three.arms[..1].into(), prompts: vec!["a ring".into()], seeds: 1, ..three.clone() });
    let here = std::thread::current().id();
    let (mut most, mut before, mut ended) = (0, 0, 0);
    let told = three.run(&StopSignal::default(), &mut |watching| {
        assert_eq!(std::thread::current().id(), here);
        assert!(watching.under_way.is_sorted_by_key(|cell| cell.number));
        assert!(watching.under_way.iter().all(|cell| cell.device == DeviceChoice::Cpu && cell.number != 1));
        most = most.max(watching.under_way.len());
        ended += usize::from(matches!(watching.message, Some(Message::Ended(_))));
        assert_eq!(watching.done, 1 + ended);
        let (done, all) = watching.all_iterations();
        assert_eq!(all, 8 * 2);
        assert!(before <= done && done <= all, "{before} {done} {all}");
        before = done;
    });
    assert!(told.unwrap().cells.iter().all(marscope::runs::report::Cell::finished));
    assert_eq!((most, before, ended), (3, 16, 7));
}

#[test]
fn stopped_with_two_under_way_both_go_on_later_and_find_the_same() {
    let root = tempfile::tempdir().unwrap();
    let straight = plan(&root.path().join("straight"), "cpu", 4);
    run(&straight);
    let stopped = plan(&root.path().join("stopped"), "cpu,cpu", 4);
    let stop = StopSignal::default();
    let outcome = stopped.run(&stop, &mut |watching| {
        if watching.under_way.len() == 2 && watching.under_way.iter().all(|cell| cell.status.iteration > 0) {
            stop.stop();
        }
    });
    assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
    assert!(stopped.out.join("report.html").exists(), "of what there is");
    for (place, run) in folders(&stopped).iter().enumerate() {
        let begun = place < 2;
        assert_eq!(run.exists(), begun, "{}", run.display());
        assert_eq!(checkpoint::list(run).is_empty(), !begun, "{}", run.display());
        assert!(!run.join("outcome.json").exists(), "{}", run.display());
    }
    run(&stopped);
    assert_eq!(numbers(&straight), numbers(&stopped));
}

#[test]
fn a_failure_that_is_no_variants_doing_ends_all_with_checkpoints() {
    let root = tempfile::tempdir().unwrap();
    let other = plan(&root.path().join("ablation"), "cpu", 1);
    run(&Plan { arms: other.arms[1..].into(), prompts: other.prompts[..1].into(), ..other.clone() });
    let folders = folders(&other);
    std::fs::remove_file(folders[1].join("outcome.json")).unwrap();
    // The second run has other settings, which is seen when its turn comes, while the first is under way.
    let long = plan(&other.out, "cpu,cpu", 100_000);
    let refused = long.run(&StopSignal::default(), &mut |_| {}).unwrap_err().to_string();
    assert!(refused.contains("other settings") && refused.contains("mar_grpo"), "{refused}");
    assert!(!checkpoint::list(&folders[0]).is_empty() && !folders[0].join("outcome.json").exists());
    assert!(!folders[2].exists() && !folders[3].exists(), "nobody takes another run");
}

#[test]
fn a_plan_without_a_device_or_with_one_that_is_not_there_is_refused_before_anything_is_trained() {
    let root = tempfile::tempdir().unwrap();
    let good = plan(&root.path().join("ablation"), "cpu", 1);
    let bad = [
        (Vec::new(), "needs 1 to 64 devices"),
        (vec![DeviceChoice::Cpu; 65], "has 65"),
        (vec![DeviceChoice::Cpu, DeviceChoice::Wgpu(999)], "wgpu"),
    ];
    for (devices, word) in bad {
        let refused = Plan { devices, ..good.clone() }.run(&StopSignal::default(), &mut |_| {}).unwrap_err();
        assert!(refused.to_string().contains(word), "{refused}");
        assert!(!good.out.exists());
    }
}
