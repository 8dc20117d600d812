//! Training as functions on tensors: no threads, no files.

pub mod ema;
pub mod optim;
pub mod pretrain;
