use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use marscope::ui::action::Action;
use marscope::ui::compare::fork::{ForkView, fork_ui};
use serde_json::json;

use super::runs::{Made, World, window};

struct Panel {
    view: Option<ForkView>,
    busy: Option<&'static str>,
}

fn form(made: &Made<'_>, root: &std::path::Path) -> Harness<'static, World<Panel>> {
    let mut world = World::new(&[made.write(root)], Panel { view: None, busy: None });
    world.view.view = world.runs.iter().next().and_then(ForkView::new);
    let mut harness = window([700.0, 900.0], world, |ui, scene, panel, out| {
        fork_ui(ui, scene, panel.view.as_mut().unwrap(), panel.busy, out);
    });
    harness.run();
    harness
}

fn view<'a>(harness: &'a mut Harness<'static, World<Panel>>) -> &'a mut ForkView {
    harness.state_mut().view.view.as_mut().unwrap()
}

#[test]
fn a_branch_starts_at_the_newest_checkpoint_with_the_settings_in_force_there() {
    let root = tempfile::tempdir().unwrap();
    let mut made = Made::new("run", &[0.1, 0.2, 0.3]).with(|config| config.iterations = 10);
    made.changes.push((1, "rl.mte.share", json!(0.3), json!(0.7)));
    let mut harness = form(&made, root.path());
    harness.get_by_label("No setting is changed.");
    assert_eq!(view(&mut harness).base.rl.mte.share, 0.7);
    view(&mut harness).filter = "mte".into();
    harness.run();
    harness.get_by_label("rl.mte.enabled").click();
    harness.run();
    harness.get_by_label("rl.mte.enabled true -> false");
    harness.get_by_label("Fork").click();
    harness.run();
    let Some(Action::Fork(fork)) = harness.state().out.first() else { panic!("{:?}", harness.state().out) };
    assert!(fork.checkpoint.ends_with("checkpoints/000003"));
    assert_eq!((fork.config.rl.mte.enabled, fork.config.rl.mte.share), (false, 0.7));
}

#[test]
fn a_branch_of_a_finished_run_gets_iterations_of_its_own() {
    let root = tempfile::tempdir().unwrap();
    let made = Made::new("run", &[0.1, 0.2]).with(|config| config.iterations = 2);
    let mut harness = form(&made, root.path());
    harness.get_by_label("iterations 2 -> 4");
    view(&mut harness).config.iterations = 2;
    harness.run();
    harness.get_by_label("The checkpoint has done 2 iterations; set iterations above 2.");
    harness.get_by_label("Fork").click();
    harness.run();
    assert!(harness.state().out.is_empty());
}

#[test]
fn a_setting_out_of_range_is_said_and_other_changes_survive_another_checkpoint() {
    let root = tempfile::tempdir().unwrap();
    let made = Made::new("run", &[0.1, 0.2]).with(|config| config.iterations = 9);
    let mut harness = form(&made, root.path());
    view(&mut harness).config.rl.mte.share = 7.0;
    harness.run();
    harness.get_by_label_contains("rl.mte.share = 7: choose between");
    view(&mut harness).config.rl.mte.share = 0.9;
    harness.state_mut().view.busy = Some("This window trains another run; stop it first.");
    harness.run();
    harness.get_by_label("This window trains another run; stop it first.");
    let world = harness.state_mut();
    let run = world.runs.iter().next().unwrap();
    let first = run.checkpoints.first().cloned();
    world.view.view.as_mut().unwrap().choose(run, first);
    assert_eq!(view(&mut harness).config.rl.mte.share, 0.9);
    assert_eq!(view(&mut harness).checkpoint.as_ref().unwrap().0, 0);
}
