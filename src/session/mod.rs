//! Jobs: what a front end asks for, run on named threads, with progress out and a stop signal in.

pub mod bench;
pub mod config;
pub mod control;
pub mod device;
pub mod evaluate;
pub mod generate;
pub mod panic;
pub mod pretrain;
