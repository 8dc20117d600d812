//! What the window says, and windows on runs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use egui_kittest::kittest::Queryable;

use crate::stage::Stage;

impl Stage {
    /// A window with these runs open.
    pub fn of(paths: &[&Path]) -> Self {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        let mut stage = Self::with(|options| options.open = paths);
        stage.until("the runs are read", |app| app.runs().iter().all(|run| run.complete));
        stage
    }

    /// Draws frames until a label contains `text`.
    pub fn until_said(&mut self, text: &str) {
        let start = Instant::now();
        while !self.says(text) {
            assert!(
                start.elapsed() < Duration::from_mins(1),
                "waited too long for {text:?}; the window says {:?}",
                self.words()
            );
            std::thread::sleep(Duration::from_millis(10));
            self.harness.step();
        }
    }

    /// Whether a label contains `text`.
    pub fn says(&self, text: &str) -> bool {
        self.harness.query_all_by_label_contains(text).next().is_some()
    }
}
