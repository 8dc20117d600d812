//! The panels of the tab Inspect and what panels are saved as, over a small recorded run.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod export;
#[path = "../files/mod.rs"]
mod files;
#[path = "../inspect_stage/mod.rs"]
mod inspect_stage;
mod panels;
