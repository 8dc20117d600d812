//! What a panic of the tensor library or a driver said.

use std::any::Any;

/// The message of a caught panic.
#[must_use]
pub fn text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
