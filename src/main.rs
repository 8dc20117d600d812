//! The `marscope` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    marscope::cli::run()
}
