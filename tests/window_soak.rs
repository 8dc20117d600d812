//! Training with the window open while switches are thrown at random: memory stays where it was, and nothing recorded is
//! missed. `MARSCOPE_SOAK_SECONDS` says how long; a short time is the default.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "window/stage.rs"]
mod stage;

use std::time::{Duration, Instant};

use stage::Stage;

const SWITCHES: [&str; 3] = ["Frozen head", "Multi-trajectory expectation", "Consistency selection"];

/// Caches of pictures fill up for minutes: only a long run can tell growth from that.
const SETTLED_SECONDS: f64 = 1200.0;
/// Half an hour ends with 420 MiB.
const PLATEAU_MIB: f64 = 480.0;

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
    let (start, mut random, mut thrown) = (Instant::now(), 12_345_u64, 0);
    let (mut samples, mut next) = (Vec::new(), Instant::now());
    while start.elapsed().as_secs_f64() < seconds {
        stage.harness.step();
        std::thread::sleep(Duration::from_millis(15));
        if next <= Instant::now() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            stage.click(SWITCHES[(random >> 33) as usize % SWITCHES.len()]);
            thrown += 1;
            samples.push(resident_mib());
            next = Instant::now() + Duration::from_millis(1000 + (random >> 40) % 3000);
        }
    }
    let iterations = stage.harness.state().status().unwrap().iteration;
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
    report(seconds, iterations, thrown, &samples);
}

fn report(seconds: f64, iterations: usize, thrown: usize, samples: &[f64]) {
    // The first third fills caches; after that the plateau is reached.
    let third = samples.len() / 3;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let (middle_third, last_third) = (&samples[third..2 * third], &samples[2 * third..]);
    let (middle, last) = (mean(middle_third), mean(last_third));
    println!(
        "{seconds:.0} s, {iterations} iterations, {thrown} switches: {:.0} MiB at first, {middle:.0} MiB in the middle third, \
         {last:.0} MiB in the last",
        samples[0]
    );
    // What the record itself takes: some 60 numbers an iteration, and a group.
    let record = iterations as f64 * 60.0 * 24.0 * 1.5 / (1 << 20) as f64;
    assert!(last < PLATEAU_MIB + record, "more memory than caches and training take: {last} MiB");
    // What the switches turn on and off takes memory and gives it back: what grows never comes down again.
    let highest = middle_third.iter().copied().fold(0.0, f64::max);
    let lowest = last_third.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(lowest - highest < 25.0 + record, "memory grows: {highest} to {lowest} MiB, {samples:.0?}");
    if seconds >= SETTLED_SECONDS {
        assert!(last - middle < 25.0 + record, "memory grows: {middle} to {last} MiB");
    }
}
