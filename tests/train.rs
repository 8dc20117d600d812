//! Training sessions: determinism, resume, fork, settings that change, orders, and poison.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use marscope::rl::config::{Frozen, KlElement};
use marscope::rl::variant::Variant;
use marscope::runs::event::{Event, Mark};
use marscope::runs::folder::{read_events, read_header};
use marscope::session::device::DeviceChoice;
use marscope::session::train::checkpoint;
use marscope::session::train::config::TrainConfig;
use marscope::session::train::handle::{Job, Session};
use marscope::session::train::message::Message;
use marscope::session::train::origin::Origin;
use marscope::session::train::status::Activity;

/// The shipped model with as little of everything as still does everything.
fn config(iterations: usize) -> TrainConfig {
    let mut config =
        TrainConfig { iterations, prompts: vec!["two red circles".into()], ..TrainConfig::default() };
    config.rl.group = 4;
    config.rl.rollout.ar_steps = 4;
    config.rl.rollout.diffusion_steps = 3;
    config.rl.mte.trajectories = 2;
    config.evaluate.every = 2;
    config.evaluate.pictures = 4;
    config.evaluate.held_out = 0;
    config.probe.every = 2;
    config.record.trajectories_every = 2;
    config.record.checkpoint_every = 2;
    config
}

fn start(run: &Path, origin: Origin) -> Session {
    Session::start(Job { run: run.to_path_buf(), origin, device: DeviceChoice::Cpu }).unwrap()
}

fn fresh(run: &Path, config: &TrainConfig) -> Session {
    start(run, Origin::New { model: None, config: Box::new(config.clone()) })
}

/// Everything until the end, and why it ended.
fn drain(session: &Session) -> (Vec<Message>, Option<String>) {
    let mut seen = Vec::new();
    loop {
        match session.messages.recv_timeout(Duration::from_mins(2)).unwrap() {
            Message::Ended(end) => return (seen, end.reason()),
            message => seen.push(message),
        }
    }
}

fn train(run: &Path, config: &TrainConfig) -> Option<String> {
    let session = fresh(run, config);
    let (_, reason) = drain(&session);
    session.join();
    reason
}

/// Recorded numbers without times, which differ from run to run, by step; and everything that refers to pictures.
fn numbers(run: &Path) -> BTreeMap<(usize, String), String> {
    let mut found = BTreeMap::new();
    for event in read_events(run).unwrap() {
        match event {
            Event::Scalars { step, values, .. } => {
                for (name, value) in values {
                    if !name.starts_with("time/")
                        && name != "pictures_per_second"
                        && name != "memory/peak_mib"
                    {
                        found.insert((step, name), format!("{:?}", value.0));
                    }
                }
            }
            Event::Group { step, group } => {
                for (i, picture) in group.pictures.iter().enumerate() {
                    found.insert((step, format!("picture {i}")), format!("{:?}", picture.png.crc));
                }
                for map in group.maps {
                    found.insert((step, format!("map {}", map.name)), format!("{:?}", map.at.crc));
                }
            }
            Event::Probes { step, frames } => {
                for (i, frame) in frames.iter().enumerate() {
                    found.insert((step, format!("probe {i}")), format!("{:?}", frame.png.crc));
                }
            }
            _ => {}
        }
    }
    found
}

fn weights(run: &Path, iteration: usize) -> Vec<u8> {
    std::fs::read(run.join(format!("checkpoints/{iteration:06}/weights.bpk"))).unwrap()
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < Duration::from_mins(1), "waited a minute for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn one_seed_gives_one_run_and_a_resumed_run_is_the_straight_one() {
    let root = tempfile::tempdir().unwrap();
    let place = |name: &str| root.path().join(name);
    assert_eq!(train(&place("a"), &config(4)), None);
    assert_eq!(train(&place("b"), &config(4)), None);
    let whole = numbers(&place("a"));
    assert!(whole.len() > 150, "{} numbers", whole.len());
    assert_eq!(whole, numbers(&place("b")), "two processes of one seed");
    assert_eq!(weights(&place("a"), 4), weights(&place("b"), 4));

    assert_eq!(train(&place("c"), &config(2)), None);
    let session = start(&place("c"), Origin::Resume { iterations: Some(4) });
    assert_eq!(drain(&session).1, None);
    session.join();
    assert_eq!(whole, numbers(&place("c")), "two and two iterations against four");
    assert_eq!(weights(&place("a"), 4), weights(&place("c"), 4));

    // A branch with the same settings is the same run from there on.
    let origin =
        Origin::Fork { checkpoint: place("a").join("checkpoints/000002"), config: Box::new(config(4)) };
    let session = start(&place("d"), origin);
    assert_eq!(drain(&session).1, None);
    session.join();
    assert_eq!(weights(&place("a"), 4), weights(&place("d"), 4));
    let header = read_header(&place("d")).unwrap();
    assert_eq!(header.parent.map(|p| p.step), Some(2));
    let marks = read_events(&place("d")).unwrap();
    assert!(marks.iter().any(|e| matches!(e, Event::Mark { mark: Mark::Fork, step: 2, .. })));
    let other = TrainConfig { seed: 1, ..config(4) };
    assert_eq!(train(&place("e"), &other), None);
    assert_ne!(whole, numbers(&place("e")), "another seed");
}

#[test]
fn shards_change_nothing_but_rounding() {
    let root = tempfile::tempdir().unwrap();
    let mut norms = Vec::new();
    for shards in [1, 2, 3] {
        let run = root.path().join(format!("{shards}"));
        assert_eq!(train(&run, &TrainConfig { shards, ..config(1) }), None);
        let all = numbers(&run);
        let get = |name: &str| all[&(0, name.to_owned())].parse::<f64>().unwrap();
        norms.push((get("reward/mean"), get("gradient_norm/whole"), get("uncertainty/mean")));
    }
    for other in &norms[1..] {
        assert_eq!(norms[0].0, other.0, "the same pictures");
        assert!((norms[0].1 - other.1).abs() < 1e-4 * norms[0].1, "{norms:?}");
        assert!((norms[0].2 - other.2).abs() < 1e-5, "{norms:?}");
    }
}

#[test]
fn a_frozen_head_keeps_its_weights_bit_for_bit_over_ten_iterations() {
    let root = tempfile::tempdir().unwrap();
    let mut config = config(10);
    config.rl.frozen = Frozen::Head;
    config.evaluate.every = 0;
    config.probe.every = 0;
    assert_eq!(train(root.path(), &config), None);
    let device = burn::tensor::Device::flex();
    let base = marscope::model::weights::WeightFolder::read(&root.path().join("base")).unwrap();
    let start = base.generator(&device).unwrap();
    let end = checkpoint::read(&root.path().join("checkpoints/000010"), &start, &config, &device).unwrap();
    let values = |generator| -> Vec<(String, Vec<f32>)> {
        let params = marscope::model::params::flatten(generator);
        params.into_iter().map(|p| (p.path, p.value.try_into_vec_as::<f32>().unwrap())).collect()
    };
    let mut moved = 0;
    for ((path, before), (_, after)) in values(&start).into_iter().zip(values(&end.generator)) {
        if path.starts_with("head.") {
            assert!(before == after, "{path} moved");
        } else {
            moved += usize::from(before != after);
        }
    }
    assert!(moved > 50, "{moved} tensors of the transformer moved");
}

#[test]
fn a_changed_setting_applies_at_the_next_iteration_and_is_recorded() {
    let root = tempfile::tempdir().unwrap();
    let session = fresh(root.path(), &config(1000));
    session.pause();
    wait_for("the pause", || session.status().activity == Activity::Paused);
    let mut settings = config(1000).rl;
    settings.mte.share = 7.0;
    assert!(session.change(settings.clone()).unwrap_err().to_string().contains("rl.mte.share = 7"));
    Variant::MteTopK.apply(&mut settings);
    settings.mte.share = 0.5;
    session.change(settings.clone()).unwrap();
    assert_eq!(session.pending(), Some(settings));
    session.step();
    wait_for("a step", || session.status().iteration >= 1 && session.status().activity == Activity::Paused);
    session.step();
    let two = || session.status().iteration >= 2 && session.status().activity == Activity::Paused;
    wait_for("a second step", two);
    assert_eq!(session.pending(), None);
    session.stop();
    assert_eq!(drain(&session).1, None);
    session.join();
    let events = read_events(root.path()).unwrap();
    let changes: Vec<&Event> = events.iter().filter(|e| matches!(e, Event::Change { .. })).collect();
    assert_eq!(changes.len(), 2, "{changes:?}");
    let Event::Change { step, .. } = changes[0] else { panic!() };
    let share = |at: usize| {
        numbers(root.path()).get(&(at, "mte/share".to_owned())).map(|v| v.parse::<f64>().unwrap())
    };
    assert_eq!(share(*step), Some(0.5));
    if *step > 0 {
        assert_eq!(share(step - 1), Some(19.0 / 64.0));
    }
    // The changed settings outlive a resume.
    let (last, path) = checkpoint::list(root.path()).pop().unwrap();
    assert_eq!((last, checkpoint::settings(&path).unwrap().rl.mte.share), (2, 0.5));
}

#[test]
fn pause_and_stop_are_answered_at_once_and_a_checkpoint_while_paused() {
    let root = tempfile::tempdir().unwrap();
    let session = fresh(root.path(), &config(1000));
    wait_for("an iteration", || session.status().iteration >= 1);
    session.pause();
    wait_for("the pause", || session.status().activity == Activity::Paused);
    let iteration = session.status().iteration;
    session.checkpoint();
    wait_for("the checkpoint", || {
        session
            .messages
            .try_iter()
            .any(|m| matches!(&m, Message::Checkpoint(p) if p.ends_with(format!("{iteration:06}"))))
    });
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(session.status().iteration, iteration, "nothing goes on while paused");
    session.resume();
    wait_for("more", || session.status().iteration > iteration);
    session.stop();
    assert_eq!(drain(&session).1, None);
    assert_eq!(session.status().activity, Activity::Stopped);
    session.join();
    let kept = checkpoint::list(root.path());
    assert!(kept.iter().any(|(at, path)| *at == iteration && path.join("asked_for").exists()), "{kept:?}");
}

#[test]
fn dropping_a_session_stops_it_with_a_checkpoint() {
    let root = tempfile::tempdir().unwrap();
    let session = fresh(root.path(), &config(1000));
    wait_for("three iterations", || session.status().iteration >= 3);
    drop(session);
    let last = checkpoint::list(root.path()).pop().unwrap().0;
    assert!(last >= 3);
    let resumed = start(root.path(), Origin::Resume { iterations: Some(last + 1) });
    assert_eq!(drain(&resumed).1, None);
    resumed.join();
}

#[test]
fn a_reward_that_is_not_finite_is_recorded_and_stops_the_run() {
    let root = tempfile::tempdir().unwrap();
    let mut config = config(5);
    // Overflows single precision: what a broken reward does.
    config.rl.reward = "jpeg_large=3e38".into();
    let reason = train(root.path(), &config).unwrap();
    assert!(reason.contains("reward became inf at step 0"), "{reason}");
    let all = numbers(root.path());
    assert_eq!(all[&(0, "reward/max".to_owned())], "inf");
    assert_eq!(all[&(0, "advantage/std".to_owned())], "NaN");
    assert!(all.contains_key(&(0, "picture 3".to_owned())), "the pictures that earned it are kept");
    assert!(
        marscope::runs::check::check(root.path())
            .findings
            .iter()
            .all(|f| f.severity != marscope::runs::check::Severity::Broken)
    );
}

#[test]
fn a_gradient_that_is_not_finite_is_recorded_and_the_policy_is_the_one_before() {
    let root = tempfile::tempdir().unwrap();
    let mut config = config(100);
    // The k3 element is an exponential of a distance: large steps make it overflow.
    config.rl.objective.kl = KlElement::MeanK3;
    config.rl.objective.beta = 100.0;
    config.rl.frozen = Frozen::None;
    config.rl.optim.transformer = 1.0;
    config.rl.optim.head = 1.0;
    config.rl.optim.clip_norm = 0.0;
    config.evaluate.every = 0;
    config.probe.every = 0;
    let reason = train(root.path(), &config).unwrap();
    assert!(reason.contains("became"), "{reason}");
    let last = checkpoint::list(root.path()).pop().unwrap();
    let device = burn::tensor::Device::flex();
    let base = marscope::model::weights::WeightFolder::read(&root.path().join("base")).unwrap();
    let policy = checkpoint::read(&last.1, &base.generator(&device).unwrap(), &config, &device).unwrap();
    for param in marscope::model::params::flatten(&policy.generator) {
        assert!(
            param.value.try_into_vec_as::<f32>().unwrap().iter().all(|v| v.is_finite()),
            "{}",
            param.path
        );
    }
    assert!(
        numbers(root.path()).contains_key(&(last.0, "reward/mean".to_owned())),
        "the failed iteration too"
    );
}

#[test]
fn a_reward_without_variance_teaches_nothing_and_says_so() {
    let root = tempfile::tempdir().unwrap();
    let mut config = config(1);
    config.rl.reward = "redness=0".into();
    config.rl.objective.beta = 0.0;
    assert_eq!(train(root.path(), &config), None);
    let all = numbers(root.path());
    let get = |name: &str| all[&(0, name.to_owned())].parse::<f64>().unwrap();
    assert_eq!(
        (get("group/zero_std_share"), get("gradient_norm/whole"), get("advantage/std")),
        (1.0, 0.0, 0.0)
    );
}

#[test]
fn a_spoiled_checkpoint_is_passed_over_with_a_warning() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(train(root.path(), &config(4)), None);
    for (spoiled, name) in [("000004", "weights.bpk"), ("000004", "optimiser.safetensors")] {
        let file: PathBuf = root.path().join("checkpoints").join(spoiled).join(name);
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        let session = start(root.path(), Origin::Resume { iterations: Some(4) });
        let (messages, reason) = drain(&session);
        session.join();
        assert_eq!(reason, None);
        let warned = messages.iter().any(|m| matches!(m, Message::Warning(text) if text.contains(name)));
        assert!(warned, "{name}: {messages:?}");
    }
    for (_, path) in checkpoint::list(root.path()) {
        std::fs::remove_file(path.join("weights.bpk")).unwrap();
    }
    let session = start(root.path(), Origin::Resume { iterations: None });
    let reason = drain(&session).1.unwrap();
    assert!(reason.contains("no checkpoint that can be read"), "{reason}");
    session.join();
}

#[test]
fn every_variant_and_update_mode_trains() {
    let root = tempfile::tempdir().unwrap();
    for variant in Variant::ALL {
        let mut config = config(2);
        variant.apply(&mut config.rl);
        config.evaluate.every = 0;
        if variant == Variant::MarGrpo {
            config.rl.update = marscope::rl::config::UpdateMode::PerArStep;
            config.rl.rollout.guidance = 2.0;
            config.rl.groups = 2;
            config.rl.optim.ema_decay = 0.9;
        }
        let run = root.path().join(variant.name());
        assert_eq!(train(&run, &config), None, "{}", variant.name());
        let norm = &numbers(&run)[&(1, "gradient_norm/whole".to_owned())];
        assert!(norm.parse::<f64>().unwrap() > 0.0, "{}: {norm}", variant.name());
    }
}
