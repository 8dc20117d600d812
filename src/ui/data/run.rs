//! The runs that are open.

use std::path::{Path, PathBuf};

use super::follow::{Followed, Follower};
use super::media::Prefetch;
use crate::error::Result;
use crate::runs::folder::RunHeader;
use crate::runs::store::RunStore;
use crate::session::train::checkpoint;
use crate::session::train::config::TrainConfig;
use crate::session::train::origin::KIND;

/// A run of this window, by the order in which it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub u64);

/// An open run.
pub struct OpenRun {
    /// Its number.
    pub id: RunId,
    /// Its name, which tells it from all other open runs.
    pub name: String,
    /// What was recorded so far.
    pub store: RunStore,
    /// Which colour of the series palette it has.
    pub colour: usize,
    /// Whether it is drawn in comparisons.
    pub shown: bool,
    /// Whether all that is on disk was read once.
    pub complete: bool,
    /// Why it cannot be read on; what was read before stays.
    pub problem: Option<String>,
    /// Checkpoints on disk, oldest first: iterations done and folder.
    pub checkpoints: Vec<(usize, PathBuf)>,
    /// Grows with every event, so that what is drawn from the run is made anew only then.
    pub version: u64,
    follower: Follower,
}

impl OpenRun {
    /// Settings with which the run started, if it is a training run of ours.
    #[must_use]
    pub fn config(&self) -> Option<TrainConfig> {
        serde_json::from_value(self.store.header().config.clone()).ok()
    }

    /// Whether it is a training run of ours, which can be continued and branched off.
    #[must_use]
    pub fn is_training(&self) -> bool {
        self.store.header().kind == KIND
    }

    /// Settings in force at iteration `step`: those of the start with every recorded change up to it. `None` if it is not
    /// a training run of ours.
    #[must_use]
    pub fn config_at(&self, step: usize) -> Option<TrainConfig> {
        let mut value = self.store.header().config.clone();
        for change in self.store.changes().iter().take_while(|change| change.step <= step) {
            let pointer = format!("/{}", change.setting.replace('.', "/"));
            if let Some(place) = value.pointer_mut(&pointer) {
                *place = change.to.clone();
            }
        }
        serde_json::from_value(value).ok()
    }

    /// Looks for checkpoints, which are also written when nothing is recorded.
    pub fn look_for_checkpoints(&mut self) {
        if self.is_training() {
            self.checkpoints = checkpoint::list(self.store.path());
        }
    }

    /// Looks for what was recorded since.
    fn update(&mut self) -> Updated {
        let (mut changed, mut renamed) = (false, false);
        // A few portions a frame: a long run must not hold the window up.
        for followed in self.follower.take(3) {
            changed = true;
            self.version += 1;
            match followed {
                Followed::Events { restarted, events, more } => {
                    if restarted {
                        self.store.clear();
                    }
                    self.store.extend(events);
                    self.complete |= !more;
                    self.problem = None;
                }
                Followed::Whole(store) => {
                    renamed |= self.store.name() != store.name();
                    self.store = *store;
                    self.complete = true;
                    self.problem = None;
                }
                Followed::Failed(text) => {
                    self.complete = true;
                    self.problem = Some(text);
                }
            }
        }
        if changed {
            self.look_for_checkpoints();
        }
        Updated { changed, renamed }
    }
}

#[derive(Clone, Copy, Default)]
struct Updated {
    changed: bool,
    renamed: bool,
}

/// All runs that are open, in the order in which they were opened.
#[derive(Default)]
pub struct Runs {
    open: Vec<OpenRun>,
    opened: u64,
}

impl Runs {
    /// Opens what the user points at: a run's folder, a file in it, or a foreign log. One that is open already is not
    /// opened twice. `repaint` is called when the reading thread found something.
    ///
    /// # Errors
    /// Those of [`crate::runs::open_reader`] and of the imports; what goes wrong later is in [`OpenRun::problem`].
    pub fn open(&mut self, path: &Path, repaint: impl Fn() + Send + 'static) -> Result<RunId> {
        self.open_ahead(path, None, repaint)
    }

    /// As [`open`](Self::open); the newest group is read with `prefetch` before it is looked at.
    ///
    /// # Errors
    /// As there.
    pub fn open_ahead(
        &mut self,
        path: &Path,
        prefetch: Option<Prefetch>,
        repaint: impl Fn() + Send + 'static,
    ) -> Result<RunId> {
        let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if let Some(known) = self.find(&place) {
            return Ok(known);
        }
        let (follower, header) = Follower::start(&place, prefetch, repaint)?;
        if let Some(known) = self.find(follower.path()) {
            return Ok(known);
        }
        let store = RunStore::new(follower.path(), header.unwrap_or_else(foreign_header));
        let id = RunId(self.opened);
        let colour = self.free_colour();
        self.opened += 1;
        self.open.push(OpenRun {
            id,
            name: store.name(),
            store,
            colour,
            shown: true,
            complete: false,
            problem: None,
            checkpoints: Vec::new(),
            version: 0,
            follower,
        });
        self.name_all();
        Ok(id)
    }

    fn find(&self, place: &Path) -> Option<RunId> {
        self.open.iter().find(|run| run.store.path() == place).map(|run| run.id)
    }

    /// The least colour that no open run has: closing one leaves the others theirs.
    fn free_colour(&self) -> usize {
        (0..=self.open.len()).find(|colour| self.open.iter().all(|run| run.colour != *colour)).unwrap_or(0)
    }

    /// Closes a run. Its record is untouched.
    pub fn close(&mut self, id: RunId) {
        self.open.retain(|run| run.id != id);
        self.name_all();
    }

    fn name_all(&mut self) {
        let names = super::names::names(&self.open);
        for (run, name) in self.open.iter_mut().zip(names) {
            run.name = name;
        }
    }

    /// Takes in what was recorded since. Says whether there was anything.
    pub fn update(&mut self) -> bool {
        let mut all = Updated::default();
        for run in &mut self.open {
            let one = run.update();
            all = Updated { changed: all.changed | one.changed, renamed: all.renamed | one.renamed };
        }
        if all.renamed {
            self.name_all();
        }
        all.changed
    }

    /// The run of that number.
    #[must_use]
    pub fn get(&self, id: RunId) -> Option<&OpenRun> {
        self.open.iter().find(|run| run.id == id)
    }

    /// The open run that `branch` branched off from, and after how many iterations: named by its folder, or lying beside the
    /// branch with the same name where both were moved.
    #[must_use]
    pub fn parent(&self, branch: &OpenRun) -> Option<(&OpenRun, usize)> {
        let parent = branch.store.header().parent.as_ref()?;
        let (named, beside) = (Path::new(&parent.run), branch.store.path().parent());
        let is_it = |run: &&OpenRun| {
            let path = run.store.path();
            run.id != branch.id
                && (path == named || (path.file_name() == named.file_name() && path.parent() == beside))
        };
        Some((self.open.iter().find(is_it)?, parent.step))
    }

    /// The run of that number, to change how it is shown.
    pub fn get_mut(&mut self, id: RunId) -> Option<&mut OpenRun> {
        self.open.iter_mut().find(|run| run.id == id)
    }

    /// All of them.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &OpenRun> {
        self.open.iter()
    }
}

/// Until an import has been read.
fn foreign_header() -> RunHeader {
    RunHeader { started: None, ..RunHeader::new("imported", serde_json::Value::Null, "") }
}
