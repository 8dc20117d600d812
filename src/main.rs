//! The `marscope` program.

use std::process::ExitCode;

/// Tensors of a training step are megabytes that live for milliseconds; the system's allocator hands such blocks back
/// each time, and the page faults of the next one cost a quarter of a step.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    marscope::cli::run()
}
