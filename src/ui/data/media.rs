//! Pictures and maps read from disk when they are looked at, on a thread of their own, the most recent kept in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::group::LARGE_MAPS;
use crate::error::{Error, Result};
use crate::runs::event::{GroupRecord, MapRecord, MediaRef};
use crate::runs::media::{read_map, read_picture};
use crate::ui::overlay::Picture;

/// Bytes of pictures and maps kept.
const KEPT: usize = 96 << 20;

/// Requests that wait.
const ASKED: usize = 512;
/// What could not be read is tried again after this time.
const RETRY: Duration = Duration::from_secs(5);

/// Something asked for.
#[derive(Clone, Debug)]
pub enum Loaded<T> {
    /// It is being read; a repaint follows.
    Waiting,
    /// Here it is.
    Ready(T),
    /// It cannot be read, and why.
    Failed(Arc<str>),
}

/// Pictures and maps of runs. Asking never waits.
pub struct Media(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    asked: Condvar,
    repaint: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    held: BTreeMap<Key, Held>,
    /// The newest last: what is looked at now comes first.
    queue: Vec<(Key, Wanted)>,
    reading: BTreeSet<Key>,
    clock: u64,
    bytes: usize,
    closed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    folder: PathBuf,
    offset: u64,
    crc: u32,
}

struct Held {
    item: Item,
    used: u64,
    since: Instant,
}

#[derive(Clone)]
enum Item {
    Picture(Arc<Picture>),
    Map(Arc<Vec<f32>>),
    Failed(Arc<str>),
}

enum Wanted {
    Picture(MediaRef),
    Map(Box<MapRecord>),
}

impl Item {
    fn bytes(&self) -> usize {
        match self {
            Self::Picture(picture) => picture.image().pixels.len(),
            Self::Map(values) => values.len() * size_of::<f32>(),
            Self::Failed(text) => text.len(),
        }
    }
}

impl Media {
    /// Starts the reading thread; `repaint` is called when something was read.
    ///
    /// # Errors
    /// [`Error::Device`] if the thread cannot be started.
    pub fn new(repaint: impl Fn() + Send + Sync + 'static) -> Result<Self> {
        let shared =
            Arc::new(Shared { state: Mutex::default(), asked: Condvar::new(), repaint: Box::new(repaint) });
        let theirs = Arc::clone(&shared);
        std::thread::Builder::new().name("media".into()).spawn(move || theirs.read()).map_err(|error| {
            Error::Device(format!("the thread that reads pictures could not be started: {error}"))
        })?;
        Ok(Self(shared))
    }

    /// The picture at `at` of the run in `folder`.
    #[must_use]
    pub fn picture(&self, folder: &Path, at: MediaRef) -> Loaded<Arc<Picture>> {
        match self.0.ask(folder, at, || Wanted::Picture(at)) {
            Some(Item::Picture(picture)) => Loaded::Ready(picture),
            Some(Item::Failed(text)) => Loaded::Failed(text),
            Some(Item::Map(_)) => Loaded::Failed("the record says it is a picture and a map".into()),
            None => Loaded::Waiting,
        }
    }

    /// The numbers of `map` of the run in `folder`, in the order of its shape.
    #[must_use]
    pub fn map(&self, folder: &Path, map: &MapRecord) -> Loaded<Arc<Vec<f32>>> {
        match self.0.ask(folder, map.at, || Wanted::Map(Box::new(map.clone()))) {
            Some(Item::Map(values)) => Loaded::Ready(values),
            Some(Item::Failed(text)) => Loaded::Failed(text),
            Some(Item::Picture(_)) => Loaded::Failed("the record says it is a map and a picture".into()),
            None => Loaded::Waiting,
        }
    }

    /// Reads groups before they are looked at.
    #[must_use]
    pub fn prefetch(&self) -> Prefetch {
        Prefetch(Arc::downgrade(&self.0))
    }

    /// Whether something that was asked for is still to be read.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let state = self.0.state();
        !state.queue.is_empty() || !state.reading.is_empty()
    }

    /// Bytes of pictures and maps held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.state().bytes
    }
}

/// Reads pictures and maps before they are looked at, so that a new group is drawn in one frame.
#[derive(Clone)]
pub struct Prefetch(Weak<Shared>);

impl Prefetch {
    /// Reads the group of the run in `folder`; the maps that are looked at only in Inspect are left out.
    pub fn group(&self, folder: &Path, group: &GroupRecord) {
        let Some(shared) = self.0.upgrade() else { return };
        for picture in &group.pictures {
            shared.ask(folder, picture.png, || Wanted::Picture(picture.png));
        }
        for map in group.maps.iter().filter(|map| !LARGE_MAPS.contains(&map.name.as_str())) {
            shared.ask(folder, map.at, || Wanted::Map(Box::new(map.clone())));
        }
    }
}

impl Drop for Media {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.asked.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, folder: &Path, at: MediaRef, wanted: impl FnOnce() -> Wanted) -> Option<Item> {
        let key = Key { folder: folder.to_path_buf(), offset: at.offset, crc: at.crc };
        let mut state = self.state();
        state.clock += 1;
        let now = state.clock;
        if let Some(held) = state.held.get_mut(&key) {
            held.used = now;
            let item = held.item.clone();
            if !matches!(item, Item::Failed(_)) || held.since.elapsed() < RETRY {
                return Some(item);
            }
            // A network drive may be back; until it is read the reason stays.
            held.since = Instant::now();
            state.queue.push((key, wanted()));
            self.asked.notify_one();
            return Some(item);
        }
        if !state.reading.contains(&key) {
            // Asked for again, it moves to the front.
            state.queue.retain(|(other, _)| *other != key);
            // What was asked for long ago is looked at no more; it is asked for again if it is.
            let stale = state.queue.len().saturating_sub(ASKED);
            state.queue.drain(..stale);
            state.queue.push((key, wanted()));
            self.asked.notify_one();
        }
        None
    }

    fn read(&self) {
        loop {
            let mut state = self.state();
            let (key, wanted) = loop {
                if state.closed {
                    return;
                }
                match state.queue.pop() {
                    Some(next) => break next,
                    None => state = self.asked.wait(state).unwrap_or_else(PoisonError::into_inner),
                }
            };
            state.reading.insert(key.clone());
            drop(state);
            let item = match &wanted {
                Wanted::Picture(at) => read_picture(&key.folder, *at)
                    .and_then(Picture::new)
                    .map(|picture| Item::Picture(Arc::new(picture))),
                Wanted::Map(map) => read_map(&key.folder, map).map(|values| Item::Map(Arc::new(values))),
            };
            let item = item.unwrap_or_else(|error| Item::Failed(error.to_string().into()));
            let mut state = self.state();
            state.reading.remove(&key);
            state.keep(key, item);
            drop(state);
            (self.repaint)();
        }
    }
}

impl State {
    fn keep(&mut self, key: Key, item: Item) {
        self.bytes += item.bytes();
        let used = self.clock;
        let newest = key.clone();
        if let Some(old) = self.held.insert(key, Held { item, used, since: Instant::now() }) {
            self.bytes -= old.item.bytes();
        }
        if self.bytes <= KEPT {
            return;
        }
        // The older half goes at once, so that a scan of all is rare.
        let mut by_use: Vec<(u64, Key)> =
            self.held.iter().map(|(key, held)| (held.used, key.clone())).collect();
        by_use.sort();
        for (_, key) in by_use {
            if self.bytes <= KEPT / 2 {
                break;
            }
            // Or what is larger than all the room there is would be read for ever.
            if key == newest {
                continue;
            }
            if let Some(old) = self.held.remove(&key) {
                self.bytes -= old.item.bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::folder::{RunFolder, RunHeader};
    use crate::world::image::Rgb8;

    fn ready<T>(mut ask: impl FnMut() -> Loaded<T>) -> std::result::Result<T, Arc<str>> {
        let start = Instant::now();
        loop {
            match ask() {
                Loaded::Ready(item) => return Ok(item),
                Loaded::Failed(text) => return Err(text),
                Loaded::Waiting => assert!(start.elapsed() < Duration::from_secs(10), "never read"),
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_picture_is_read_once_and_a_missing_one_says_why() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("run");
        let header = RunHeader::new("train", serde_json::Value::Null, "cpu");
        let mut run = RunFolder::create(&folder, &header).unwrap();
        let image = Rgb8::filled(4, 4, [1, 2, 3]);
        let at = run.media(&image.to_png().unwrap()).unwrap();
        let media = Media::new(|| {}).unwrap();
        assert!(matches!(media.picture(&folder, at), Loaded::Waiting));
        let first = ready(|| media.picture(&folder, at)).unwrap();
        assert_eq!(*first.image(), image);
        let again = ready(|| media.picture(&folder, at)).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        let beyond = MediaRef { offset: 1 << 40, ..at };
        let text = ready(|| media.picture(&folder, beyond)).unwrap_err();
        assert!(text.contains("media.bin"), "{text}");
    }

    #[test]
    fn memory_stays_below_the_bound() {
        let mut state = State::default();
        for offset in 0..40 {
            state.clock += 1;
            let key = Key { folder: PathBuf::new(), offset, crc: 0 };
            state.keep(key, Item::Map(Arc::new(vec![0.0; 1 << 20])));
            assert!(state.bytes <= KEPT);
        }
        assert!(state.held.keys().any(|key| key.offset == 39), "the newest stays");
        assert!(state.held.keys().all(|key| key.offset > 0), "the oldest went");
    }
}
