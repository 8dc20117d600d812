//! Pictures of every tab on recorded runs, kept in `snapshots/` and compared pixel by pixel. `UPDATE_SNAPSHOTS=1` makes them
//! anew; look at what changed before it is committed.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "inspect_stage/recorded.rs"]
mod recorded;
#[path = "live/runs_on_disk.rs"]
mod runs_on_disk;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::vec2;
use egui_kittest::{Harness, SnapshotOptions, SnapshotResults};
use marscope::session::device::DeviceChoice;
use marscope::ui::{App, Options, Selection, Tab, ThemeChoice};
use runs_on_disk::{create, record, record_group};

/// Pixels of an anti-aliased edge that another version of the software adapter may draw otherwise.
const PIXELS: usize = 64;

fn window(paths: Vec<PathBuf>, tab: Tab, theme: ThemeChoice, selection: Selection) -> Harness<'static, App> {
    let mut options = Options::new().unwrap();
    options.open = paths;
    options.tab = tab;
    options.theme = Some(theme);
    options.selection = selection;
    options.device = DeviceChoice::Cpu;
    options.dialogs = false;
    options.folder = PathBuf::from("no such folder");
    let mut harness = Harness::builder()
        .with_size(vec2(1280.0, 800.0))
        .wgpu()
        .build_eframe(move |cx| App::new(cx, options).unwrap());
    let start = Instant::now();
    while !harness.state().is_settled() || start.elapsed() < Duration::from_millis(300) {
        assert!(start.elapsed() < Duration::from_mins(1), "it never settles");
        harness.step();
        std::thread::sleep(Duration::from_millis(5));
    }
    harness.run_steps(8);
    harness
}

fn compare(harness: Harness<'static, App>, name: &str) {
    compared(harness, name, &mut SnapshotResults::new());
}

fn compared(mut harness: Harness<'static, App>, name: &str, results: &mut SnapshotResults) {
    let options = SnapshotOptions::new().threshold(0.6).max_failed_pixels(PIXELS);
    results.add(harness.try_snapshot_options(name, &options));
}

/// A run with every map and some curves.
fn whole(path: &Path) {
    recorded::record(path);
}

#[test]
fn every_tab_in_both_themes() {
    let root = tempfile::tempdir().unwrap();
    let (first, second) = (root.path().join("first"), root.path().join("second"));
    whole(&first);
    whole(&second);
    let mut results = SnapshotResults::new();
    for (theme, word) in [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light")] {
        for tab in Tab::ALL {
            let paths =
                if tab == Tab::Compare { vec![first.clone(), second.clone()] } else { vec![first.clone()] };
            let selection = Selection { token: Some(6), ..Selection::default() };
            let name = format!("{}_{word}", tab.name().to_lowercase());
            compared(window(paths, tab, theme, selection), &name, &mut results);
        }
    }
}

#[test]
fn nothing_open() {
    compare(window(Vec::new(), Tab::Live, ThemeChoice::Dark, Selection::default()), "empty");
}

#[test]
fn what_is_not_a_number_is_seen() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let mut run = create(&path);
    for step in 0..12 {
        let reward = if step == 5 { f64::NAN } else { 0.1 * step as f64 };
        let kl = if step == 8 { f64::INFINITY } else { 0.01 * step as f64 };
        record(&mut run, step, &[("reward/mean", reward), ("kl", kl), ("gradient_norm/whole", 0.1)]);
    }
    record_group(&mut run, 11, "a red circle", &[(f64::NAN, f64::NAN), (0.5, 1.0), (0.2, -1.0)]);
    drop(run);
    compare(window(vec![path], Tab::Live, ThemeChoice::Dark, Selection::default()), "not_finite");
}

#[test]
fn a_group_without_variance_and_one_iteration() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let mut run = create(&path);
    record(&mut run, 0, &[("reward/mean", 0.25), ("kl", 0.0), ("group/zero_std_share", 1.0)]);
    record_group(&mut run, 0, "a red circle", &[(0.25, 0.0), (0.25, 0.0)]);
    drop(run);
    compare(
        window(vec![path], Tab::Live, ThemeChoice::Light, Selection::default()),
        "one_iteration_zero_std",
    );
}

#[test]
fn a_hundred_thousand_iterations_with_one_spike() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let mut run = create(&path);
    for step in 0..100_000 {
        let x = step as f64 / 9000.0;
        let norm = if step == 61_803 { 5.0 } else { 0.5 + 0.1 * (x * 7.0).sin() };
        let values = [("reward/mean", x.sin()), ("kl", x * 0.01), ("gradient_norm/whole", norm)];
        record(&mut run, step, &values);
    }
    drop(run);
    compare(window(vec![path], Tab::Live, ThemeChoice::Dark, Selection::default()), "hundred_thousand");
}
