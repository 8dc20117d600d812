//! Follows a run on a thread of its own. A live run is followed on disk like any other: what the window shows is what was
//! recorded, and a slow window loses nothing.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant, SystemTime};

use super::media::Prefetch;
use crate::error::{Error, Result};
use crate::runs;
use crate::runs::event::Event;
use crate::runs::folder::{HEADER_FILE, RunHeader};
use crate::runs::reader::RunReader;
use crate::runs::store::RunStore;

/// Between two looks at a run that somebody may be writing: at least and at most.
const INTERVALS: [Duration; 2] = [Duration::from_millis(150), Duration::from_secs(2)];
/// A run is looked at four times in the time since it last had something new: one that ended wakes nobody up for nothing.
const LOOKS: u32 = 4;
/// Between two looks at a foreign log, which is read from the start each time.
const FOREIGN_INTERVAL: Duration = Duration::from_secs(2);

/// What was found.
pub enum Followed {
    /// More of one of our runs.
    Events {
        /// Forget all events so far.
        restarted: bool,
        /// New events.
        events: Vec<Event>,
        /// Whether more follow at once.
        more: bool,
    },
    /// A foreign log, in full.
    Whole(Box<RunStore>),
    /// It cannot be read on, and why.
    Failed(String),
}

/// The thread's other end; dropping it ends the thread.
pub struct Follower {
    path: PathBuf,
    found: Receiver<Followed>,
    _open: Sender<()>,
}

impl Follower {
    /// Starts following `path`. The header comes at once if it is one of our runs.
    ///
    /// # Errors
    /// Those of [`runs::open_reader`], and [`Error::Device`] if the thread cannot be started.
    pub fn start(
        path: &Path,
        prefetch: Option<Prefetch>,
        repaint: impl Fn() + Send + 'static,
    ) -> Result<(Self, Option<RunHeader>)> {
        let source = Source::of(path)?;
        let (place, header) = match &source {
            Source::Ours(reader) => (reader.path().to_path_buf(), Some(reader.header().clone())),
            Source::Foreign(path) => (path.clone(), None),
        };
        let folder = place.clone();
        let (send, found) = sync_channel(4);
        let (open, closed) = channel();
        std::thread::Builder::new()
            .name("follower".into())
            .spawn(move || {
                let look = |found: &Followed| read_ahead(prefetch.as_ref(), &folder, found);
                source.follow(&send, &closed, &look, &repaint);
            })
            .map_err(|error| {
                Error::Device(format!("the thread that reads a run could not be started: {error}"))
            })?;
        Ok((Self { path: place, found, _open: open }, header))
    }

    /// The run's folder, or the foreign log.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was found since, at most `count` portions of it.
    pub fn take(&self, count: usize) -> impl Iterator<Item = Followed> + '_ {
        self.found.try_iter().take(count)
    }
}

/// Reads the newest group found.
fn read_ahead(prefetch: Option<&Prefetch>, folder: &Path, found: &Followed) {
    let (Some(prefetch), Followed::Events { events, .. }) = (prefetch, found) else { return };
    let group = events
        .iter()
        .rev()
        .find_map(|event| if let Event::Group { group, .. } = event { Some(group) } else { None });
    if let Some(group) = group {
        prefetch.group(folder, group);
    }
}

enum Source {
    Ours(Box<RunReader>),
    Foreign(PathBuf),
}

impl Source {
    fn of(path: &Path) -> Result<Self> {
        let ours = path.is_dir() && path.join(HEADER_FILE).exists();
        let inside = path.parent().is_some_and(|folder| folder.join(HEADER_FILE).exists()) && path.is_file();
        if !path.exists() || ours || inside {
            return runs::open_reader(path).map(|reader| Self::Ours(Box::new(reader)));
        }
        // Whether it is a log at all is known only after reading it; the caller is told at once what is plainly none.
        if path.is_dir() && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()) {
            return Err(Error::Config(format!(
                "{} is an empty folder; a run is a folder with a {HEADER_FILE}",
                path.display()
            )));
        }
        Ok(Self::Foreign(path.to_path_buf()))
    }

    fn follow(
        self,
        send: &SyncSender<Followed>,
        closed: &Receiver<()>,
        look: &dyn Fn(&Followed),
        repaint: &dyn Fn(),
    ) {
        let tell = |followed: Followed| {
            look(&followed);
            let open = send.send(followed).is_ok();
            repaint();
            open
        };
        match self {
            Self::Ours(reader) => ours(*reader, closed, &tell),
            Self::Foreign(path) => foreign(&path, closed, &tell),
        }
    }
}

fn ours(mut reader: RunReader, closed: &Receiver<()>, tell: &dyn Fn(Followed) -> bool) {
    let (mut first, mut failed) = (true, None);
    let mut newest = Instant::now();
    loop {
        let mut more = false;
        match reader.follow() {
            Ok(found) => {
                more = found.more;
                let recovered = failed.take().is_some();
                let news = found.restarted || !found.events.is_empty() || first || recovered;
                first &= more;
                if news {
                    newest = Instant::now();
                }
                if news && !tell(Followed::Events { restarted: found.restarted, events: found.events, more })
                {
                    return;
                }
            }
            // Said once, and tried again: a network drive may come back.
            Err(error) => {
                let text = error.to_string();
                if failed.as_ref() != Some(&text) && !tell(Followed::Failed(text.clone())) {
                    return;
                }
                failed = Some(text);
            }
        }
        if !more
            && closed.recv_timeout((newest.elapsed() / LOOKS).clamp(INTERVALS[0], INTERVALS[1]))
                != Err(RecvTimeoutError::Timeout)
        {
            return;
        }
    }
}

/// Length and time of the last change, by which a log that grew is told from one that did not.
fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let file = std::fs::metadata(path).ok()?;
    let mut newest = (file.len(), file.modified().ok()?);
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let Ok(found) = entry.metadata() else { continue };
        newest.0 += found.len();
        newest.1 = found.modified().map_or(newest.1, |at| at.max(newest.1));
    }
    Some(newest)
}

fn foreign(path: &Path, closed: &Receiver<()>, tell: &dyn Fn(Followed) -> bool) {
    let mut seen = None;
    loop {
        let now = stamp(path);
        if seen != Some(now) {
            seen = Some(now);
            let followed = match runs::open(path) {
                Ok(store) => Followed::Whole(Box::new(store)),
                Err(error) => Followed::Failed(error.to_string()),
            };
            if !tell(followed) {
                return;
            }
        }
        if closed.recv_timeout(FOREIGN_INTERVAL) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}
