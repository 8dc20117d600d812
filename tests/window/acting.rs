//! Fork, ablation and export from the window.

use marscope::runs::event::Mark;
use marscope::session::train::status::Activity;

use crate::runs_on_disk::{create, record, record_group};
use crate::stage::Stage;

#[test]
fn a_run_is_forked_from_its_checkpoint_and_drawn_as_a_branch() {
    let mut stage = Stage::with(|options| options.draft.iterations = 1);
    stage.click("Start");
    stage.until("it is done", |app| app.status().is_some_and(|s| s.activity == Activity::Finished));
    stage.until("its checkpoint is seen", |app| app.runs().iter().any(|run| !run.checkpoints.is_empty()));
    stage.click("Fork…");
    assert!(stage.says("Fork a run") && stage.says("same noise"));
    stage.click("Fork");
    stage.until("the branch is open", |app| app.runs().iter().len() == 2);
    stage.until("the branch is done", |app| app.status().is_some_and(|s| s.activity == Activity::Finished));
    let branch = marscope::runs::open(&stage.root.path().join("runs").join("train-002")).unwrap();
    assert_eq!(branch.header().parent.as_ref().unwrap().step, 1);
    assert!(branch.marks().iter().any(|mark| mark.mark == Mark::Fork));
}

#[test]
fn an_ablation_runs_from_the_window_and_its_runs_open_as_they_begin() {
    let mut stage = Stage::with(|options| {
        options.draft.iterations = 1;
        options.draft.rl.group = 4;
        options.draft.rl.rollout.ar_steps = 2;
        options.draft.rl.rollout.diffusion_steps = 2;
        options.tab = marscope::ui::Tab::Compare;
    });
    stage.harness.state_mut().ablation_form().seeds = 1;
    stage.harness.state_mut().ablation_form().arms = vec!["grpo".into(), "mar_grpo".into()];
    let out = stage.root.path().join("ablation");
    stage.harness.state_mut().ablation_form().out = out.display().to_string();
    stage.click("Ablation");
    stage.click("Start 2 runs");
    stage.until("both runs are open", |app| app.runs().iter().len() == 2);
    stage.until_said("report.html");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("mar_grpo"));
}

#[test]
fn every_plot_is_exported_as_drawn_and_in_numbers() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let mut run = create(&path);
    for step in 0..4 {
        record(&mut run, step, &[("reward/mean", [0.1, 0.2, f64::NAN, 0.4][step])]);
    }
    record_group(&mut run, 3, "a red circle", &[(0.1, -1.0), (0.5, 1.0)]);
    drop(run);
    let mut stage = Stage::of(&[&path]);
    let exports = stage.root.path().join("runs").join("exports");
    for (entry, ending) in [("Save SVG…", "svg"), ("Save CSV…", "csv")] {
        stage.click("Vertical axis and export of Reward");
        stage.click(entry);
        let file = exports.join(format!("reward-1.{ending}"));
        stage.until("the file is there", |_| file.exists());
    }
    let svg = std::fs::read_to_string(exports.join("reward-1.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("iteration") && svg.contains("reward/mean"));
    let csv = std::fs::read_to_string(exports.join("reward-1.csv")).unwrap();
    assert_eq!(csv.lines().count(), 5);
    assert!(csv.contains("NaN"), "{csv}");
}

#[test]
fn panels_are_saved_by_a_thread_of_their_own_and_what_cannot_be_saved_is_said() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let mut run = create(&path);
    record(&mut run, 3, &[("reward/mean", 0.1)]);
    record_group(&mut run, 3, "a red circle", &[(0.1, -1.0), (0.5, 1.0)]);
    drop(run);
    let mut stage = Stage::of(&[&path]);
    let exports = stage.root.path().join("runs").join("exports");
    stage.until("all is read", marscope::ui::App::is_settled);
    for (entry, ending) in [("PNG…", "png"), ("SVG…", "svg"), ("CSV…", "csv")] {
        stage.click("Save Group");
        stage.click(entry);
        let file = exports.join(format!("group-1.{ending}"));
        stage.until("the file is there", |_| file.exists());
    }
    image::open(exports.join("group-1.png")).unwrap();
    assert!(std::fs::read_to_string(exports.join("group-1.svg")).unwrap().contains("a red circle"));
    stage.click("Probes");
    stage.click("Save Probes");
    stage.click("PNG…");
    stage.until_said("has no film strips so far");
    stage.click("Compare");
    stage.click("Save Pictures");
    stage.click("CSV…");
    let file = exports.join("pictures-1.csv");
    stage.until("the file is there", |_| file.exists());
    assert!(std::fs::read_to_string(file).unwrap().contains("a red circle"));
}
