//! Records of runs: a folder that is the truth about what happened, written as it happens.

pub mod event;
pub mod files;
pub mod folder;
