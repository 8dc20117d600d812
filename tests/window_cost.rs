//! What an open window costs training, on a software adapter that takes the very cores that train: the same run with the window
//! open on a virtual display, and without. Alone in this program, so that nothing else takes the cores.

#![cfg(all(feature = "gui", target_os = "linux"))]
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod display;

use std::path::Path;
use std::process::{Command, Stdio};

use display::{Display, wait_for};
use marscope::runs::store::RunStore;

/// Of which the first two are left out.
const ITERATIONS: usize = 9;

/// The goal is 0.95 on two idle cores. A window that draws without need had 0.7.
const LEAST: f64 = 0.85;
/// A neighbour on the same machine may take the cores for a while.
const TRIES: usize = 3;

fn settings() -> Vec<String> {
    let iterations = ITERATIONS.to_string();
    ["--iterations", &iterations, "--seed", "5", "--device", "cpu"]
        .into_iter()
        .chain(["--evaluate.every", "0", "--evaluate.pictures", "0", "--evaluate.held_out", "0"])
        .map(str::to_owned)
        .collect()
}

fn iteration_seconds(run: &RunStore) -> f64 {
    let (_, _, times) = run.series("time/iteration").unwrap().columns();
    let mut times = times[2..].to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn done(run: &Path) -> Option<RunStore> {
    let store = marscope::runs::open(run).ok()?;
    (store.series("time/iteration")?.len() == ITERATIONS).then_some(store)
}

/// Speed with the window open as a share of that without.
fn measured(root: &Path, display: &Display) -> f64 {
    let headless = root.join("headless");
    let status = Command::new(env!("CARGO_BIN_EXE_marscope"))
        .args(["train", "--run"])
        .arg(&headless)
        .args(settings())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let mut window = display
        .command(env!("CARGO_BIN_EXE_marscope"))
        .current_dir(root)
        .env("HOME", root)
        .env("XDG_RUNTIME_DIR", root)
        .args(["window", "--fresh", "--start", "--size", "1280x800"])
        .args(settings())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let with = wait_for("the run in the window", 180, || done(&root.join("runs").join("train-001")));
    window.kill().unwrap();
    window.wait().unwrap();
    let (without, with) = (iteration_seconds(&done(&headless).unwrap()), iteration_seconds(&with));
    let ratio = without / with;
    println!(
        "an iteration takes {without:.3} s without a window and {with:.3} s with one: {ratio:.3} of the speed"
    );
    ratio
}

#[test]
fn the_window_costs_training_little() {
    let display = Display::start();
    let best = (0..TRIES)
        .map(|_| measured(tempfile::tempdir().unwrap().path(), &display))
        .find(|ratio| *ratio >= LEAST);
    assert!(best.is_some(), "below {LEAST} of the speed {TRIES} times");
}
