//! A window without a screen.

use std::path::Path;
use std::time::{Duration, Instant};

use eframe::egui::vec2;
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
    options.dialogs = false;
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
            .with_step_dt(1.0 / 60.0)
            .build_eframe(move |cx| App::new(cx, options).unwrap());
        let mut stage = Self { harness, root };
        stage.harness.run_steps(4);
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
            assert!(
                start.elapsed() < Duration::from_mins(1),
                "waited too long until {what}; the window says {:?}",
                self.words()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        self.harness.run_steps(3);
    }

    /// All that a screen reader would hear.
    pub fn words(&self) -> Vec<String> {
        self.harness
            .query_all_by_label_contains("")
            .filter_map(|node| node.accesskit_node().label())
            .collect()
    }

    /// Clicks the control of that name.
    pub fn click(&mut self, name: &str) {
        self.harness.get_by_label(name).click_accesskit();
        self.harness.run_steps(3);
    }
}
