//! A place for the newest value: the writer never waits, the reader never sees an old one twice.

use std::sync::{Arc, Mutex, PoisonError};

/// The newest value and how many there were.
#[derive(Debug)]
pub struct Slot<T>(Arc<Mutex<(u64, Option<Arc<T>>)>>);

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new((0, None))))
    }
}

impl<T> Slot<T> {
    /// Replaces the value.
    pub fn put(&self, value: T) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.0 += 1;
        held.1 = Some(Arc::new(value));
    }

    /// Replaces the value by what `change` makes of it.
    pub fn update(&self, change: impl FnOnce(Option<&T>) -> T) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = change(held.1.as_deref());
        held.0 += 1;
        held.1 = Some(Arc::new(value));
    }

    /// The newest value with its number, if it is newer than number `seen`.
    #[must_use]
    pub fn newer_than(&self, seen: u64) -> Option<(u64, Arc<T>)> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.0 > seen { held.1.clone().map(|value| (held.0, value)) } else { None }
    }

    /// The newest value.
    #[must_use]
    pub fn newest(&self) -> Option<Arc<T>> {
        self.newer_than(0).map(|(_, value)| value)
    }
}
