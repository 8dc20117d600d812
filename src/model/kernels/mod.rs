//! The few tensor functions in which a small transformer spends its time besides matrix products.

mod plain;

pub use plain::{gelu, modulated_norm, scaled_dot_product, silu};
