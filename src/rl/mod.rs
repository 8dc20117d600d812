//! Training as functions on tensors: no threads, no files.

pub mod advantage;
pub mod config;
pub mod consistency;
pub mod decisions;
pub mod ema;
pub mod mte;
pub mod noise;
pub mod objective;
pub mod optim;
pub mod plan;
pub mod pretrain;
pub mod replay;
pub mod rollout;
pub mod select;
pub mod variant;
