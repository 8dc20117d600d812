//! Training with the window open while switches are thrown at random: memory stays where it was, and nothing recorded is
//! missed. `MARSCOPE_SOAK_SECONDS` says how long; a short time is the default.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "window/stage.rs"]
mod stage;

use std::time::{Duration, Instant};

use stage::Stage;

const SWITCHES: [&str; 3] = ["Frozen head", "Multi-trajectory expectation", "Consistency selection"];

/// Half an hour ends with 420 MiB.
const PLATEAU_MIB: f64 = 480.0;
/// Stretches of the given time. What the switches turn on takes memory and gives it back, which looks like growth now and then;
/// what grows does so in every stretch.
const STRETCHES: usize = 3;

fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

#[test]
fn memory_stays_and_no_event_is_missed() {
    let seconds = std::env::var("MARSCOPE_SOAK_SECONDS").map_or(25.0, |text| text.parse().unwrap());
    let mut stage = Stage::with(|options| {
        options.draft.iterations = 1_000_000;
        options.draft.rl.group = 4;
        options.draft.rl.mte.trajectories = 2;
        options.draft.record.trajectories_every = 5;
    });
    stage.click("Start");
    stage.until("it trains", |app| app.status().is_some_and(|status| status.iteration > 2));
    let mut random = 12_345_u64;
    let steady = (0..STRETCHES).any(|_| {
        let began = iteration(&stage);
        let samples = throw_switches(&mut stage, &mut random, seconds);
        is_steady(seconds, iteration(&stage) - began, &samples)
    });
    let iterations = iteration(&stage);
    stage.click("Stop");
    stage.until("it has stopped", |app| app.status().is_some_and(|status| status.activity.is_over()));
    let recorded = marscope::runs::open(&stage.root.path().join("runs").join("train-001")).unwrap();
    let of_disk = (recorded.changes().len(), recorded.groups().len(), recorded.marks().len());
    stage.until("the window has read it all", |app| {
        let store = &app.runs().iter().next().unwrap().store;
        (store.changes().len(), store.groups().len(), store.marks().len()) == of_disk
    });
    let store = &stage.harness.state().runs().iter().next().unwrap().store;
    for (name, series) in recorded.all_series() {
        assert_eq!(store.series(name).unwrap().len(), series.len(), "{name}");
    }
    assert!(of_disk.0 > 0 && of_disk.1 >= iterations, "{of_disk:?} in {iterations} iterations");
    assert!(steady, "memory grows in each of {STRETCHES} stretches");
}

fn iteration(stage: &Stage) -> usize {
    stage.harness.state().status().unwrap().iteration
}

/// Memory after each frame of a stretch, MiB.
fn throw_switches(stage: &mut Stage, random: &mut u64, seconds: f64) -> Vec<f64> {
    let (start, mut samples, mut next) = (Instant::now(), Vec::new(), Instant::now());
    while start.elapsed().as_secs_f64() < seconds {
        stage.harness.step();
        samples.push(resident_mib());
        std::thread::sleep(Duration::from_millis(15));
        if next <= Instant::now() {
            *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            stage.click(SWITCHES[(*random >> 33) as usize % SWITCHES.len()]);
            next = Instant::now() + Duration::from_millis(1000 + (*random >> 40) % 3000);
        }
    }
    samples
}

fn is_steady(seconds: f64, iterations: usize, samples: &[f64]) -> bool {
    // The first third fills caches; after that the plateau is reached.
    let third = samples.len() / 3;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let (middle, last) = (mean(&samples[third..2 * third]), mean(&samples[2 * third..]));
    println!(
        "{seconds:.0} s, {iterations} iterations: {:.0} MiB at first, {middle:.0} MiB in the middle third, {last:.0} MiB in the \
         last",
        samples[0]
    );
    // What the record itself takes: some 60 numbers an iteration, and a group.
    let record = iterations as f64 * 60.0 * 24.0 * 1.5 / (1 << 20) as f64;
    assert!(last < PLATEAU_MIB + record, "more memory than caches and training take: {last} MiB");
    last - middle < 25.0 + record
}
