//! Records of runs: a folder that is the truth about what happened, written as it happens.
//!
//! | to do | go to |
//! | --- | --- |
//! | record a run | [`folder`], [`event`], [`media`] |
//! | read one, or follow it while it is written | [`open()`], [`reader`], [`store`] |
//! | plot a number | [`series`], [`smooth`] |
//! | say what there is, and what is damaged | [`list`], [`mod@check`] |
//! | hand it to another program | [`export`] |

mod append;
pub mod check;
mod checkpoints;
pub mod event;
pub mod export;
pub mod files;
pub mod folder;
pub mod health;
pub mod import;
mod line;
pub mod list;
pub mod map;
pub mod media;
pub mod open;
pub mod plot;
pub mod reader;
pub mod report;
pub mod series;
pub mod sheet;
pub mod smooth;
pub mod store;
pub mod time;

pub use open::{open, open_reader};
