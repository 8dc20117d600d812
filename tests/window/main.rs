//! The whole window, driven by the names that a screen reader hears, on runs on disk and on real training.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod acting;
mod careful;
mod hands;
mod looking;
mod opening;
mod reading;
#[path = "../live/runs_on_disk.rs"]
mod runs_on_disk;
mod stage;
mod training;
