//! The embedded world: what is asked, what it looks like, and whether a picture shows it.
//!
//! A world of 64 x 64 pictures with one to four plain shapes, small enough that a model learns it in minutes
//! on a CPU and strict enough that a program can say, without a detector network, whether a prompt was
//! followed. Its captions mirror the categories of GenEval and its positions are judged by GenEval's own
//! formula. Pure Rust: no tensors, no threads, no interface.
//!
//! | to do | go to |
//! | --- | --- |
//! | read or write a prompt | [`prompt`], [`tokenizer`] |
//! | make training data | [`families`], [`sampler`], [`scene`], [`draw`](mod@draw) |
//! | look at a picture | [`image`], [`segment`](mod@segment), [`recognise`] |
//! | reward a picture | [`reward`], [`spatial`] |

pub mod draw;
pub mod families;
pub mod image;
pub(crate) mod near;
pub mod prompt;
pub mod recognise;
pub mod reward;
pub mod sampler;
pub mod scene;
pub mod segment;
pub mod spatial;
pub mod tokenizer;
