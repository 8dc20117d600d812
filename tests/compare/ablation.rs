use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use marscope::session::ablate::UnderWay;
use marscope::session::device::{DeviceChoice, DeviceLine};
use marscope::session::train::config::TrainConfig;
use marscope::session::train::status::{Activity, Status};
use marscope::ui::action::Action;
use marscope::ui::compare::ablating::{
    AblationProgress, AblationResult, AblationTable, BegunCell, EndedCell,
};
use marscope::ui::compare::ablation::{AblationInput, ablation_ui};
use marscope::ui::compare::ablation_form::FormInput;
use marscope::ui::compare::ablation_plan::{AblationBase, AblationForm};

use super::runs::{Made, World, window};

struct Panel {
    form: AblationForm,
    busy: Option<&'static str>,
    progress: Option<AblationProgress>,
    result: Option<AblationResult>,
}

fn panel(panel: Panel) -> Harness<'static, World<Panel>> {
    of_runs(&[], panel)
}

fn of_runs(paths: &[std::path::PathBuf], panel: Panel) -> Harness<'static, World<Panel>> {
    let config = TrainConfig::default();
    let mut harness = window([900.0, 700.0], World::new(paths, panel), move |ui, scene, panel, out| {
        let base = AblationBase { config: &config, model: None, device: DeviceChoice::Cpu };
        let input = AblationInput {
            form: FormInput { base, iteration_seconds: Some(2.0), busy: panel.busy },
            progress: panel.progress.as_ref(),
            stopping: false,
            result: panel.result.as_ref(),
        };
        ablation_ui(ui, scene, &mut panel.form, input, out);
    });
    harness.run();
    harness
}

fn plain() -> Panel {
    Panel { form: AblationForm::default(), busy: None, progress: None, result: None }
}

fn under_way(number: usize, name: &str, device: DeviceChoice, iteration: usize) -> UnderWay {
    let status =
        Status { activity: Activity::Sampling, iteration, iteration_seconds: 2.0, ..Status::default() };
    UnderWay { number, name: name.into(), device, status }
}

/// Five runs on two cards.
fn on_two_cards() -> AblationProgress {
    AblationProgress {
        of: 5,
        devices: 2,
        iterations: 30,
        iteration_seconds: 2.0,
        under_way: vec![
            under_way(1, "grpo, a ring, seed 0", DeviceChoice::Cuda(1), 20),
            under_way(2, "mar_grpo, a ring, seed 0", DeviceChoice::Cuda(0), 10),
        ],
        ..AblationProgress::default()
    }
}

#[test]
fn the_form_starts_the_plan_that_it_shows() {
    let mut harness = panel(plain());
    harness.get_by_label_contains("4 variants x 1 prompt x 3 seeds, about 12 min 0 s");
    harness.get_by_label("mte_top_k").click();
    harness.get_by_label("mar_grpo+shuffled").click();
    harness.run();
    harness.get_by_label("Start 12 runs").click();
    harness.run();
    let Some(Action::Ablate(plan)) = harness.state().out.first() else { panic!("{:?}", harness.state().out) };
    let arms: Vec<String> = plan.arms.iter().map(|arm| arm.name()).collect();
    assert_eq!(arms, ["grpo", "frozen_head", "mar_grpo", "mar_grpo+shuffled"]);
    assert_eq!(plan.seeds, 3);
}

#[test]
fn what_is_wrong_is_said_and_nothing_starts() {
    let mut harness = panel(plain());
    harness.state_mut().view.form.prompts = "a purple elephant".into();
    harness.run();
    harness.get_by_label_contains("line 1: ");
    harness.get_by_label("Start").click();
    harness.run();
    harness.state_mut().view.form.prompts.clear();
    harness.state_mut().view.busy = Some("This window is training train-001; stop it first.");
    harness.run();
    harness.get_by_label("Start 12 runs").click();
    harness.run();
    harness.get_by_label("This window is training train-001; stop it first.");
    assert!(harness.state().out.is_empty());
}

#[test]
fn while_it_runs_it_says_how_far_it_is_and_can_be_stopped() {
    let progress = AblationProgress {
        done: 2,
        of: 4,
        devices: 1,
        under_way: vec![under_way(3, "grpo, a ring, seed 1", DeviceChoice::Cpu, 15)],
        iterations: 30,
        iteration_seconds: 2.0,
        ended: vec![EndedCell {
            name: "grpo, a ring, seed 0".into(),
            problem: Some("loss became NaN".into()),
            seconds: 3.0,
        }],
        ..AblationProgress::default()
    };
    assert!((progress.share() - 2.5 / 4.0).abs() < 1e-6);
    assert_eq!(progress.remaining_seconds(), Some(90.0));
    let mut harness = panel(Panel { progress: Some(progress), ..plain() });
    harness.get_by_label("Run 3 of 4");
    harness.get_by_label("iteration 15 of 30");
    harness.get_by_label_contains("About 1 min 30 s left");
    harness.get_by_label("grpo, a ring, seed 0: loss became NaN");
    harness.get_by_label("Stop").click();
    harness.run();
    assert!(matches!(harness.state().out.as_slice(), [Action::StopAblation]));
}

#[test]
fn with_several_devices_each_run_under_way_is_told_and_the_time_is_that_until_the_last_is_through() {
    let progress = on_two_cards();
    assert!((progress.share() - 30.0 / 150.0).abs() < 1e-6);
    // Free after 20 s and 40 s; the three that wait take 60 s each: 20 + 60 + 60 and 40 + 60.
    assert_eq!(progress.remaining_seconds(), Some(140.0));
    let last = AblationProgress { done: 3, ..progress.clone() };
    assert_eq!(last.remaining_seconds(), Some(40.0), "the slower of the last two");
    let mut idle = last.clone();
    idle.under_way.truncate(1);
    (idle.done, idle.iteration_seconds) = (4, 0.0);
    assert_eq!(idle.remaining_seconds(), None, "no speed is known");
    let harness = panel(Panel { progress: Some(progress), ..plain() });
    harness.get_by_label("0 of 5 runs done, 2 under way");
    for words in ["grpo, a ring, seed 0", "cuda:1", "iteration 20 of 30"] {
        harness.get_by_label(words);
    }
    for words in ["mar_grpo, a ring, seed 0", "cuda:0", "iteration 10 of 30"] {
        harness.get_by_label(words);
    }
    harness.get_by_label_contains("About 2 min 20 s left at 2.00 s an iteration, mean of the runs under way");
}

#[test]
fn devices_are_named_in_the_form_or_refused_there() {
    let mut harness = panel(plain());
    harness.get_by_label(
        "Variants are trained one after the other, from the same base with the same prompts and noise.",
    );
    harness.get_by_label("Devices").focus();
    harness.run();
    harness.get_by_label("Devices").type_text("cuda:0, cuda:1,");
    harness.run();
    harness.get_by_label_contains("Devices: a device is missing");
    harness.get_by_label("Devices").type_text(" cuda:1");
    harness.run();
    harness
        .get_by_label_contains("trained 3 at a time, one after the other on each device, from the same base");
    harness.get_by_label_contains("3 seeds, about 6 min 0 s on 2 devices at 2.00 s an iteration");
    harness.get_by_label("Start 12 runs").click();
    harness.run();
    let Some(Action::Ablate(plan)) = harness.state().out.first() else { panic!("{:?}", harness.state().out) };
    assert_eq!(plan.devices, [DeviceChoice::Cuda(0), DeviceChoice::Cuda(1), DeviceChoice::Cuda(1)]);
}

#[test]
fn the_devices_that_were_found_are_told_where_they_are_named() {
    let line = |choice: &str, usable| DeviceLine {
        choice: choice.into(),
        name: format!("card of {choice}"),
        usable,
        remark: String::new(),
    };
    let mut harness = panel(plain());
    harness.get_by_label("Devices").hover();
    harness.run();
    harness.get_by_label_contains("`marscope devices` and the list of the next run say what there is");
    harness.state_mut().view.form.found = Some(vec![line("cuda:0", true), line("wgpu", false)].into());
    harness.run();
    harness.get_by_label_contains("card of cuda:0");
    assert!(harness.query_by_label_contains("card of wgpu").is_none());
}

#[test]
fn while_it_runs_each_run_that_began_has_its_curve_and_last_number() {
    let root = tempfile::tempdir().unwrap();
    let paths = [("grpo", [0.1, 0.3]), ("mar_grpo", [0.2, f64::NAN])]
        .map(|(variant, rewards)| Made::new("seed-0", &rewards).write(&root.path().join(variant)));
    let begun = |variant: &str, folder: &std::path::Path| BegunCell {
        name: format!("{variant}, a ring, seed 0"),
        folder: folder.canonicalize().unwrap(),
    };
    let closed = BegunCell { name: "grpo, a ring, seed 1".into(), folder: "elsewhere".into() };
    let progress = AblationProgress {
        begun: vec![begun("grpo", &paths[0]), begun("mar_grpo", &paths[1]), closed],
        ended: vec![EndedCell { name: "grpo, a ring, seed 0".into(), problem: None, seconds: 75.0 }],
        under_way: vec![under_way(2, "mar_grpo, a ring, seed 0", DeviceChoice::Cpu, 2)],
        ..AblationProgress::default()
    };
    let mut harness = of_runs(&paths, Panel { progress: Some(progress), ..plain() });
    harness.get_by_label_contains("Reward of grpo, a ring, seed 0: 0.3");
    harness.get_by_label_contains("Reward of mar_grpo, a ring, seed 0: NaN");
    harness.get_by_label("2 runs, mean reward 0.300");
    harness.get_by_label("NaN");
    harness.get_by_label("a ring, seed 1");
    let ids = harness.state().ids();
    harness.get_all_by_label("a ring, seed 0").last().unwrap().click();
    harness.run();
    assert!(matches!(harness.state().out.as_slice(), [Action::Select(id)] if *id == ids[1]));
}

#[test]
fn a_stopped_ablation_says_that_its_table_is_not_of_all() {
    let table =
        AblationTable { baseline: "grpo".into(), rows: Vec::new(), remarks: vec!["one seed only".into()] };
    let result = AblationResult { table: Ok(table), stopped: true, report: None };
    let harness = panel(Panel { result: Some(result), ..plain() });
    harness.get_by_label_contains("Stopped: the table is of the runs that there are.");
    harness.get_by_label("one seed only");
}

#[test]
fn a_failure_is_told_and_the_form_is_there_again() {
    let result = AblationResult { table: Err("the disk is full".into()), stopped: false, report: None };
    let harness = panel(Panel { result: Some(result), ..plain() });
    harness.get_by_label("the disk is full");
    harness.get_by_label("Start 12 runs");
    assert!(harness.query_by_label("Copy path").is_none());
}
