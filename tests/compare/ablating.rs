use std::path::Path;
use std::time::{Duration, Instant};

use marscope::rl::variant::Variant;
use marscope::session::ablate::{Arm, Plan};
use marscope::session::device::DeviceChoice;
use marscope::session::train::config::TrainConfig;
use marscope::ui::compare::ablating::{Ablating, BegunCell};

fn plan(out: &Path, iterations: usize) -> Plan {
    let mut config = TrainConfig { iterations, ..TrainConfig::default() };
    config.rl.group = 2;
    config.rl.rollout.ar_steps = 2;
    config.rl.rollout.diffusion_steps = 2;
    config.rl.mte.trajectories = 2;
    (config.evaluate.pictures, config.evaluate.held_out) = (2, 1);
    config.probe.every = 0;
    config.record.trajectories_every = 0;
    let arms = [Variant::Grpo, Variant::FrozenHead].map(|variant| Arm { variant, shuffled: false });
    Plan {
        arms: arms.into(),
        prompts: vec!["a ring".into(), "two rings".into()],
        seeds: 1,
        config,
        out: out.to_path_buf(),
        model: None,
        devices: vec![DeviceChoice::Cpu],
    }
}

fn wait(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_mins(5), "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_ablation_tells_the_folders_of_its_runs_and_gives_the_table() {
    let root = tempfile::tempdir().unwrap();
    let plan = plan(&root.path().join("ablation"), 1);
    let mut ablating = Ablating::start(plan, || {}).unwrap();
    wait("the end", || ablating.is_over());
    assert_eq!(ablating.new_cells().len(), 4);
    assert!(ablating.new_cells().is_empty());
    let progress = ablating.progress().unwrap();
    assert_eq!((progress.done, progress.of, progress.ended.len()), (4, 4, 4));
    assert!(progress.ended.iter().all(|cell| cell.problem.is_none()), "{:?}", progress.ended);
    assert!(progress.under_way.is_empty() && progress.share() == 1.0 && progress.devices == 1);
    assert_eq!(progress.begun.len(), 4);
    for BegunCell { name, folder } in &progress.begun {
        assert!(name.ends_with("seed 0"), "{name}");
        assert_eq!(marscope::runs::list::row(folder).last_step, Some(1), "{}", folder.display());
    }
    let result = ablating.result().unwrap();
    assert!(!result.stopped);
    let table = result.table.as_ref().unwrap();
    let variants: Vec<&str> = table.rows.iter().map(|row| row.variant.as_str()).collect();
    assert_eq!(variants, ["grpo", "frozen_head"]);
    assert!(table.rows.iter().all(|row| row.runs.finished == 2));
    assert!(result.report.as_ref().unwrap().exists());
}

#[test]
fn two_at_a_time_are_both_told_while_they_are_under_way() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("ablation");
    let long = Plan { devices: vec![DeviceChoice::Cpu; 2], ..plan(&out, 100_000) };
    let ablating = Ablating::start(long, || {}).unwrap();
    wait("two runs", || ablating.progress().is_some_and(|progress| progress.begun.len() == 2));
    let progress = ablating.progress().unwrap();
    assert_eq!((progress.done, progress.of, progress.devices), (0, 4, 2));
    let names: Vec<&str> = progress.under_way.iter().map(|cell| cell.name.as_str()).collect();
    assert_eq!(names, ["grpo, a ring, seed 0", "frozen_head, a ring, seed 0"]);
    ablating.stop();
    wait("the end", || ablating.is_over());
    let result = ablating.result().unwrap();
    let table = result.table.as_ref().unwrap();
    let runs: Vec<(&str, String)> =
        table.rows.iter().map(|row| (row.variant.as_str(), row.runs.words())).collect();
    let unfinished = "0 of 1 (1 unfinished)".to_owned();
    assert_eq!(runs, [("grpo", unfinished.clone()), ("frozen_head", unfinished)]);
}

#[test]
fn an_ablation_that_is_stopped_says_so_and_dropping_one_ends_it() {
    let root = tempfile::tempdir().unwrap();
    let mut long = plan(&root.path().join("ablation"), 100_000);
    long.arms.reverse();
    long.arms.insert(0, Arm { variant: Variant::Grpo, shuffled: true });
    let ablating = Ablating::start(long.clone(), || {}).unwrap();
    wait("the first run", || ablating.progress().is_some_and(|progress| !progress.begun.is_empty()));
    ablating.stop();
    assert!(ablating.is_stopping());
    wait("the end", || ablating.result().is_some());
    let result = ablating.result().unwrap();
    assert!(result.stopped);
    let table = result.table.as_ref().unwrap();
    let runs: Vec<(&str, String)> =
        table.rows.iter().map(|row| (row.variant.as_str(), row.runs.words())).collect();
    assert_eq!(runs.first().unwrap(), &("grpo+shuffled", "0 of 1 (1 unfinished)".to_owned()));
    assert!(result.report.as_ref().unwrap().exists());
    drop(ablating);
    let again = Ablating::start(long, || {}).unwrap();
    drop(again);
}

#[test]
fn a_folder_that_is_a_run_is_refused() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("run.json"), "{}").unwrap();
    let refused = Ablating::start(plan(root.path(), 1), || {}).err().unwrap();
    assert!(refused.to_string().contains("is a run"), "{refused}");
}
