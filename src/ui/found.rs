//! The runs below the runs folder, looked for on a thread: summing each up reads all of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::Context;

use crate::runs::list::{ListRow, list_runs};
use crate::session::slot::Slot;

/// The runs found, once they are known.
#[derive(Default)]
pub struct Found {
    rows: Slot<Vec<ListRow>>,
}

impl Found {
    /// Looks again below `folder`; one that is not there has no runs.
    pub fn look(&self, folder: &Path, ctx: &Context) {
        let (rows, folder, ctx): (_, PathBuf, _) = (self.rows.clone(), folder.to_path_buf(), ctx.clone());
        let started = std::thread::Builder::new().name("found runs".into()).spawn(move || {
            // As open runs are known.
            let folder = std::fs::canonicalize(&folder).unwrap_or(folder);
            let mut found = list_runs(&folder).unwrap_or_default();
            // The newest first.
            found.sort_by(|a, b| b.started.cmp(&a.started));
            rows.put(found);
            ctx.request_repaint();
        });
        if let Err(error) = started {
            log::error!("the thread that looks for runs could not be started: {error}");
        }
    }

    /// What was found so far.
    #[must_use]
    pub fn rows(&self) -> Arc<Vec<ListRow>> {
        self.rows.newest().unwrap_or_default()
    }
}
