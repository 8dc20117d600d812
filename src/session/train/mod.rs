//! MAR-GRPO training on a thread of its own, recorded as it happens.

pub mod checkpoint;
pub mod config;
pub mod evaluation;
pub mod gate;
pub mod group;
pub mod handle;
pub mod iteration;
pub mod message;
pub mod noise;
pub mod origin;
pub mod policy;
pub mod preset;
pub mod recorder;
pub mod replay;
pub mod scalars;
pub mod shard;
pub mod status;
pub mod trainer;
