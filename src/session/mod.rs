//! Jobs: what a front end asks for, run on named threads, with progress out and a stop signal in.

pub mod ablate;
pub mod bench;
pub mod bench_rl;
pub mod config;
pub mod control;
pub mod device;
pub mod evaluate;
pub mod generate;
mod memory;
mod optimiser_file;
pub mod panic;
pub mod pretrain;
pub mod probe;
pub mod prompts;
pub mod settings;
pub mod slot;
mod threads;
pub mod train;
