//! The real program in a real window on a virtual display: keys, training, a picture of the screen, and a clean end.
//!
//! Needs `Xvfb`, `xdotool` and `import` (packages xvfb, xdotool, imagemagick) and a Vulkan adapter, which may be a software
//! one (mesa-vulkan-drivers).

#![cfg(all(feature = "gui", target_os = "linux"))]
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod display;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use display::{Display, wait_for};
use marscope::world::image::Rgb8;

impl Display {
    fn ask(&self, arguments: &[&str]) -> String {
        let output = self.command("xdotool").args(arguments).output().expect("xdotool is needed");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn picture(&self, path: &Path) -> Rgb8 {
        let taken = self.command("import").args(["-window", "root"]).arg(path).status();
        assert!(taken.expect("import (imagemagick) is needed").success());
        Rgb8::read_png(path).unwrap()
    }
}

fn colours(picture: &Rgb8) -> usize {
    picture.pixels.chunks_exact(3).collect::<BTreeSet<_>>().len()
}

#[test]
fn a_run_is_trained_from_the_keyboard_and_the_window_ends_cleanly() {
    let root = tempfile::tempdir().unwrap();
    let display = Display::start();
    let started = Instant::now();
    let mut window = display
        .command(env!("CARGO_BIN_EXE_marscope"))
        .current_dir(root.path())
        .env("HOME", root.path())
        .env("XDG_RUNTIME_DIR", root.path())
        .args(["window", "--fresh", "--preset", "smoke", "--iterations", "3", "--device", "cpu"])
        .args(["--size", "1280x800", "--theme", "dark"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let id = wait_for("the window", 60, || {
        let found = display.ask(&["search", "--onlyvisible", "--name", "marscope"]);
        found.lines().next().map(str::to_owned)
    });
    let first = root.path().join("first.png");
    wait_for("the first frame", 60, || (colours(&display.picture(&first)) > 20).then_some(()));
    println!("first frame after {:.2} s, the picture's taking included", started.elapsed().as_secs_f64());

    display.ask(&["windowfocus", "--sync", &id]);
    display.ask(&["key", "ctrl+Return"]);
    let run = root.path().join("runs").join("train-001");
    wait_for("three iterations and the last evaluation", 120, || {
        let text = std::fs::read_to_string(run.join("events.jsonl")).ok()?;
        (text.matches("\"evaluation/reward\"").count() >= 2).then_some(())
    });
    display.ask(&["key", "ctrl+2"]);
    std::thread::sleep(Duration::from_millis(500));
    let compare = display.picture(&root.path().join("compare.png"));
    display.ask(&["key", "ctrl+1"]);
    std::thread::sleep(Duration::from_millis(1500));
    let live = display.picture(&root.path().join("live.png"));
    assert!(colours(&live) > 200, "{} colours: nothing is drawn", colours(&live));
    let differ = live.pixels.iter().zip(&compare.pixels).filter(|(a, b)| a != b).count();
    assert!(differ > live.pixels.len() / 100, "the tabs look alike: {differ} bytes differ");

    display.ask(&["key", "ctrl+q"]);
    let status = wait_for("the window to close", 30, || window.try_wait().unwrap());
    assert!(status.success(), "{status}");
    let check =
        Command::new(env!("CARGO_BIN_EXE_marscope")).args(["runs", "check"]).arg(&run).output().unwrap();
    let text = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(check.status.success() && text.contains("nothing wrong"), "{text}");
}

#[test]
fn without_a_display_a_sentence_says_what_to_do() {
    let output = Command::new(env!("CARGO_BIN_EXE_marscope"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("no display") && text.contains("marscope train"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn a_display_that_is_not_running_and_a_missing_adapter_end_in_a_sentence() {
    let none = |display: &str, icd: &str| {
        let root = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_marscope"))
            .current_dir(root.path())
            .env("HOME", root.path())
            .env("DISPLAY", display)
            .env("VK_ICD_FILENAMES", icd)
            .env("VK_DRIVER_FILES", icd)
            .env("WGPU_BACKEND", "vulkan")
            .env_remove("WAYLAND_DISPLAY")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let text = none(":4242", "");
    assert!(text.contains("error: ") && text.contains("could not be opened"), "{text}");
    let display = Display::start();
    let text = none(&display.name, "/nonexistent.json");
    assert!(text.contains("marscope devices") && text.contains("mesa-vulkan-drivers"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
}
