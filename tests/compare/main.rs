//! The panels of Compare, driven as a user drives them: by the names that a screen reader reads.
#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ab;
mod ablating;
mod ablation;
mod export;
#[path = "../files/mod.rs"]
mod files;
mod fork;
mod pictures;
mod runs;
mod settings_form;
mod table;
