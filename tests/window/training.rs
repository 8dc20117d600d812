//! Training from the window: start, pause, step, switch, stop, resume.

use eframe::egui::{Key, Modifiers};
use marscope::rl::config::Frozen;
use marscope::runs::store::RunStore;
use marscope::session::train::status::Activity;

use crate::stage::Stage;

fn recorded(stage: &Stage, name: &str) -> RunStore {
    marscope::runs::open(&stage.root.path().join("runs").join(name)).unwrap()
}

fn iterations(stage: &Stage, name: &str) -> usize {
    recorded(stage, name).series("reward/mean").map_or(0, marscope::runs::series::Series::len)
}

fn is(activity: Activity) -> impl Fn(&marscope::ui::App) -> bool {
    move |app| app.status().is_some_and(|status| status.activity == activity)
}

#[test]
fn a_run_is_started_paused_stepped_switched_and_stopped() {
    let mut stage = Stage::with(|options| options.draft.iterations = 50);
    assert!(stage.says("Press Start"), "an empty window says what to press");
    assert!(stage.enabled("Start") && !stage.enabled("Pause") && !stage.enabled("Stop"));
    stage.click("Start");
    stage.until("the run is open", |app| app.runs().iter().len() == 1);
    assert!(!stage.enabled("Start"), "one run at a time");
    stage.click("Pause");
    stage.until("it waits", is(Activity::Paused));
    assert!(stage.says("paused"));

    let before = iterations(&stage, "train-001");
    stage.click("Step");
    stage.until("one iteration more", |app| {
        is(Activity::Paused)(app) && app.status().unwrap().iteration > before
    });
    let done = iterations(&stage, "train-001");

    // Every switch shows as pending, then applies, then is a mark.
    assert!(!stage.says("pending"));
    for switch in ["Frozen head", "Multi-trajectory expectation", "Consistency selection"] {
        stage.click(switch);
    }
    let pending = stage.harness_pending();
    assert_eq!(pending, 3, "three switches wait");
    stage.click("Step");
    stage.until("the switches apply", |app| app.runs().iter().all(|run| run.store.changes().len() >= 3));
    stage.until_gone("pending");
    let store = recorded(&stage, "train-001");
    let changed: Vec<(usize, &str)> = store.changes().iter().map(|c| (c.step, c.setting.as_str())).collect();
    assert_eq!(
        changed,
        [(done, "rl.consistency.enabled"), (done, "rl.frozen"), (done, "rl.mte.enabled")],
        "first used in the next iteration"
    );
    stage.until("it waits again", is(Activity::Paused));
    let config = stage.harness.state().runs().iter().next().unwrap().config_at(done).unwrap();
    assert_eq!(config.rl.frozen, Frozen::Head);

    stage.click("Checkpoint");
    stage.until_said("checkpoint written");
    stage.click("Stop");
    stage.until("it has stopped", |app| app.status().is_some_and(|s| s.activity == Activity::Stopped));
    stage.until_said("stopped; Resume continues");
    assert!(stage.enabled("Start") && stage.enabled("Resume"));
}

#[test]
fn keys_start_and_pause_and_a_recorded_run_is_resumed_to_its_end() {
    let mut stage = Stage::with(|_| ());
    stage.key(Modifiers::COMMAND, Key::Enter);
    stage.until("the run is open", |app| app.runs().iter().len() == 1);
    stage.until("an iteration is done", |app| app.status().is_some_and(|status| status.iteration > 0));
    stage.key(Modifiers::NONE, Key::Space);
    stage.until("it waits", is(Activity::Paused));
    stage.click("Stop");
    stage.until("it has stopped", is(Activity::Stopped));
    let before = iterations(&stage, "train-001");
    assert!(before < 3);
    stage.key(Modifiers::COMMAND, Key::R);
    stage.until("it is done", is(Activity::Finished));
    assert_eq!(iterations(&stage, "train-001"), 3);
    assert!(!marscope::runs::check::check(&stage.root.path().join("runs").join("train-001")).is_broken());
}

#[test]
fn a_setting_out_of_range_is_refused_in_words() {
    let mut stage = Stage::with(|options| options.draft.rl.rollout.ar_steps = 0);
    stage.click("Start");
    stage.until_said("0 AR steps");
    assert_eq!(stage.harness.state().runs().iter().len(), 0);
}

impl Stage {
    fn harness_pending(&self) -> usize {
        use egui_kittest::kittest::Queryable;
        self.harness.query_all_by_label_contains("pending, was").count()
    }

    fn until_gone(&mut self, text: &str) {
        let start = std::time::Instant::now();
        while self.says(text) {
            assert!(start.elapsed().as_secs() < 60, "{text:?} stays");
            std::thread::sleep(std::time::Duration::from_millis(10));
            self.harness.step();
        }
    }
}
