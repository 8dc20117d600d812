//! The panels of the tab Live, over small runs on disk, by the names that a screen reader hears.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fixture;
mod group;
mod health;
mod more_on_disk;
mod noise;
mod overlay_bar;
mod probes;
mod runs_on_disk;
