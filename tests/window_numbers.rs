//! The numbers that the window holds, measured: time of a frame, memory, and how soon a pause is answered. Alone in this
//! program, so that no other test counts.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "window/reading.rs"]
mod reading;
#[path = "live/runs_on_disk.rs"]
mod runs_on_disk;
#[path = "window/stage.rs"]
mod stage;

use std::path::Path;
use std::time::{Duration, Instant};

use marscope::session::train::status::Activity;
use runs_on_disk::{create, record, record_group};
use stage::Stage;

const STEPS: usize = 100_000;
const GROUPS: usize = 1000;

/// 60 series of 100,000 points and 1,000 groups of 8 pictures.
fn long_run(path: &Path) {
    let mut run = create(path);
    let plain =
        ["reward/mean", "reward/min", "reward/max", "reward/std", "kl", "group/std", "diversity/images"];
    let mut names: Vec<String> = plain.map(str::to_owned).into();
    // With the mean reward and KL, 20 curves are in view.
    names.extend((0..18).map(|i| format!("gradient_norm/part_{i}")));
    names.extend((0..60 - names.len()).map(|i| format!("other/{i}")));
    let earned: Vec<(f64, f64)> = (0..8).map(|i| (f64::from(i) / 8.0, f64::from(i) / 4.0 - 1.0)).collect();
    for step in 0..STEPS {
        let x = step as f64 / 500.0;
        let value = |i: usize| (x + i as f64).sin() + (x * 37.0).cos() * 0.2;
        let values: Vec<(&str, f64)> =
            names.iter().enumerate().map(|(i, n)| (n.as_str(), value(i))).collect();
        record(&mut run, step, &values);
        if step % (STEPS / GROUPS) == 0 {
            record_group(&mut run, step, "a cross and a ring", &earned);
        }
    }
}

fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

fn percentile(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * share) as usize]
}

/// Milliseconds of each of `count` frames, tessellation included, after `change` did something.
fn frames(stage: &mut Stage, count: usize, mut change: impl FnMut(&mut Stage, usize)) -> Vec<f64> {
    (0..count)
        .map(|i| {
            change(stage, i);
            let start = Instant::now();
            stage.harness.step();
            let shapes = stage.harness.output().shapes.clone();
            std::hint::black_box(stage.harness.ctx.tessellate(shapes, 1.0));
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect()
}

#[test]
fn a_long_run_takes_little_memory_and_its_frames_little_time() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    long_run(&path);
    let before = resident_mib();
    let start = Instant::now();
    let mut stage = Stage::of(&[&path]);
    let opened = start.elapsed().as_secs_f64();
    stage.until_said("Picture 8");
    // Through all groups, as a reader does who drags the cursor.
    for step in (0..STEPS).step_by(STEPS / GROUPS) {
        stage.harness.state_mut().look_at(step);
        stage.harness.step();
    }
    stage.until_said("Picture 8");
    let grown = resident_mib() - before;
    println!("100,000 iterations of 60 series and 1,000 groups: read in {opened:.1} s, {grown:.0} MiB more");
    assert!(grown <= 500.0, "{grown} MiB");

    let mut still = frames(&mut stage, 300, |_, _| ());
    let mut moving = frames(&mut stage, 300, |stage, i| stage.harness.state_mut().look_at(1000 + 300 * i));
    for (what, times) in [("still", &mut still), ("the cursor moves every frame", &mut moving)] {
        let (half, most) = (percentile(times, 0.5), percentile(times, 0.99));
        println!("frame, {what}: median {half:.2} ms, p99 {most:.2} ms");
        assert!(most <= 8.0, "{what}: p99 {most} ms");
    }
}

#[test]
fn a_pause_is_answered_within_an_ar_step() {
    let mut stage = Stage::with(|options| {
        options.draft = marscope::session::train::preset::config("default").unwrap();
        options.draft.evaluate.pictures = 0;
        options.draft.evaluate.held_out = 0;
        options.draft.probe.every = 0;
    });
    stage.click("Start");
    let mut waits = Vec::new();
    for activity in [Activity::Sampling, Activity::Updating, Activity::Sampling, Activity::Updating] {
        stage
            .until("it works", |app| app.status().is_some_and(|s| s.activity == activity && s.iteration > 0));
        let start = Instant::now();
        stage.click("Pause");
        while stage.harness.state().status().unwrap().activity != Activity::Paused {
            std::thread::sleep(Duration::from_millis(1));
        }
        waits.push(start.elapsed().as_secs_f64());
        stage.harness.run_steps(2);
        stage.click("Go on");
    }
    let iteration = stage.harness.state().status().unwrap().iteration_seconds;
    let longest = waits.iter().copied().fold(0.0, f64::max);
    // Eight AR steps are sampled, then replayed: an AR step is about a sixteenth of an iteration.
    println!(
        "pause answered after {:.0} ms at most; an iteration takes {:.0} ms",
        longest * 1e3,
        iteration * 1e3
    );
    assert!(longest < iteration / 3.0, "{longest} s of {iteration} s");
    stage.click("Stop");
    stage.until("it has stopped", |app| app.status().is_some_and(|s| s.activity == Activity::Stopped));
    let run = stage.root.path().join("runs").join("train-001");
    assert!(!marscope::runs::check::check(&run).is_broken());
}
