//! A window without a screen.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::{Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use marscope::session::device::DeviceChoice;
use marscope::session::train::preset;
use marscope::ui::{App, Options, ThemeChoice};

/// A window and the folder that its runs are in.
pub struct Stage {
    pub harness: Harness<'static, App>,
    pub root: tempfile::TempDir,
}

/// Options of a window that keeps nothing and trains `preset` for `iterations` on the CPU.
pub fn options(root: &Path, preset: &str, iterations: usize) -> Options {
    let mut options = Options::new().unwrap();
    options.draft = preset::config(preset).unwrap();
    options.draft.iterations = iterations;
    options.draft.evaluate.every = 0;
    options.draft.evaluate.pictures = 4;
    options.draft.evaluate.held_out = 0;
    options.device = DeviceChoice::Cpu;
    options.folder = root.join("runs");
    options.theme = Some(ThemeChoice::Dark);
    options
}

impl Stage {
    /// A window with `change`d options.
    pub fn with(change: impl FnOnce(&mut Options)) -> Self {
        let root = tempfile::tempdir().unwrap();
        let mut options = options(root.path(), "smoke", 3);
        change(&mut options);
        let harness = Harness::builder()
            .with_size(vec2(1280.0, 800.0))
            .build_eframe(move |cx| App::new(cx, options).unwrap());
        let mut stage = Self { harness, root };
        stage.harness.run_steps(4);
        stage
    }

    /// A window with these runs open.
    pub fn of(paths: &[&Path]) -> Self {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        let mut stage = Self::with(|options| options.open = paths);
        stage.until("the runs are read", |app| app.runs().iter().all(|run| run.complete));
        stage
    }

    /// Draws frames until `done`.
    pub fn until(&mut self, what: &str, mut done: impl FnMut(&App) -> bool) {
        let start = Instant::now();
        loop {
            self.harness.step();
            if done(self.harness.state()) {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(120), "waited too long until {what}");
            std::thread::sleep(Duration::from_millis(10));
        }
        self.harness.run_steps(3);
    }

    /// Draws frames until a label contains `text`.
    pub fn until_said(&mut self, text: &str) {
        let start = Instant::now();
        while !self.says(text) {
            assert!(start.elapsed() < Duration::from_secs(120), "waited too long for {text:?}");
            std::thread::sleep(Duration::from_millis(10));
            self.harness.step();
        }
    }

    /// Whether a label contains `text`.
    pub fn says(&self, text: &str) -> bool {
        self.harness.query_all_by_label_contains(text).next().is_some()
    }

    /// Whether the control of that name can be used.
    pub fn enabled(&self, name: &str) -> bool {
        !self.harness.get_by_label(name).accesskit_node().is_disabled()
    }

    /// Clicks the control of that name.
    pub fn click(&mut self, name: &str) {
        self.harness.get_by_label(name).click();
        self.harness.run_steps(3);
    }

    /// Presses a key.
    pub fn key(&mut self, modifiers: Modifiers, key: eframe::egui::Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.harness.run_steps(3);
    }

    /// Types into the field of that name and presses Enter.
    pub fn type_into(&mut self, name: &str, text: &str) {
        self.harness.get_by_label(name).focus();
        self.harness.run_steps(2);
        self.harness.get_by_label(name).type_text(text);
        self.harness.run_steps(2);
        self.harness.key_press(eframe::egui::Key::Enter);
        self.harness.run_steps(3);
    }
}
