//! What is drawn: runs followed while they are written, and pictures and maps read when they are looked at.

pub mod follow;
pub mod group;
pub mod media;
pub mod names;
pub mod run;
