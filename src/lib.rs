//! marscope: watch, switch and compare MAR-GRPO training of masked autoregressive image generators.
//!
//! ```text
//!   world        runs
//!     |            |
//!   model          |
//!     |            |
//!    rl            |
//!     '- session --|
//!           |      |
//!          ui -----|
//!           |      |
//!          cli ----'
//! ```
//!
//! A lower module may use what it hangs from; `world` and `error` may be used by everything. `tests/layering.rs` holds
//! this.

pub mod cli;
pub mod error;
pub mod model;
pub mod rl;
pub mod runs;
pub mod session;
#[cfg(feature = "gui")]
pub mod ui;
pub mod world;
