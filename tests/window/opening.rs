//! Opening runs: by path, foreign ones, broken ones, none.

use eframe::egui::{Key, Modifiers};

use crate::runs_on_disk::{create, record};
use crate::stage::Stage;

#[test]
fn a_typed_path_opens_a_run_and_a_wrong_one_says_why() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    record(&mut create(&path), 3, &[("reward/mean", 0.5)]);
    let mut stage = Stage::with(|_| ());
    stage.key(Modifiers::COMMAND, Key::L);
    stage.type_into("Path", &path.display().to_string());
    stage.until("it is open", |app| app.runs().iter().len() == 1);
    stage.until_said("newest, 3");
    stage.key(Modifiers::COMMAND, Key::L);
    stage.type_into("Path", &root.path().join("nothing here").display().to_string());
    stage.until_said("not opened");
    assert!(stage.says("there is no"));
    assert_eq!(stage.harness.state().runs().iter().len(), 1);
}

#[test]
fn a_broken_run_shows_what_can_be_read_and_says_what_cannot() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let mut run = create(&path);
    record(&mut run, 0, &[("reward/mean", 0.5)]);
    record(&mut run, 1, &[("reward/mean", f64::NAN)]);
    drop(run);
    let events = path.join("events.jsonl");
    let text = std::fs::read_to_string(&events).unwrap();
    std::fs::write(&events, format!("{text}{{\"kind\":\"nonsense\"}}\n")).unwrap();
    let mut stage = Stage::of(&[&path]);
    stage.until_said("events.jsonl");
    assert!(stage.says("newest, 1"), "what was read before stays");
    assert!(stage.says("1 NaN"), "and NaN is counted");
}

#[test]
fn a_foreign_log_opens_like_a_run() {
    let root = tempfile::tempdir().unwrap();
    let log = root.path().join("trainer_state.json");
    let entries: Vec<String> = (1..=4)
        .map(|step| format!("{{\"step\": {step}, \"epoch\": 0.1, \"reward\": 0.{step}, \"kl\": 0.01}}"))
        .collect();
    let text = format!("{{\"global_step\": 4, \"log_history\": [{}]}}", entries.join(","));
    std::fs::write(&log, text).unwrap();
    let mut stage = Stage::of(&[&log]);
    stage.until_said("newest, 4");
    let names: Vec<String> =
        stage.harness.state().runs().iter().flat_map(|run| run.store.names()).map(str::to_owned).collect();
    assert!(names.iter().any(|name| name.contains("reward")), "{names:?}");
}

#[test]
fn a_file_that_is_no_log_says_so_and_the_window_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("poem.txt");
    std::fs::write(&path, "the quick brown fox").unwrap();
    let mut stage = Stage::with(|options| options.open = vec![path]);
    stage.until("it is answered", |app| app.runs().iter().all(|run| run.complete));
    let problem = stage.harness.state().runs().iter().next().and_then(|run| run.problem.clone());
    assert!(problem.is_some_and(|text| text.contains("poem.txt")), "the reason names the file");
    assert!(stage.enabled("Start"));
}

#[test]
fn the_next_run_starts_from_the_model_that_is_chosen() {
    let mut stage = Stage::with(|_| {});
    let (none, model) = (stage.root.path().join("none"), stage.root.path().join("model"));
    std::fs::create_dir(&none).unwrap();
    std::fs::create_dir(&model).unwrap();
    std::fs::write(model.join("manifest.json"), include_bytes!("../../assets/model/manifest.json")).unwrap();
    for (folder, chosen) in [(&none, "model shipped…"), (&model, "model model…")] {
        stage.click("model shipped…");
        stage.click("Typed path of a model…");
        stage.type_into("Path", &folder.display().to_string());
        assert!(stage.says(chosen), "{:?}", stage.words());
        assert!(stage.says("manifest.json"), "what is wrong with the first: {:?}", stage.words());
    }
    stage.click("model model…");
    stage.click("Shipped model");
    assert!(stage.says("model shipped…"));
}
