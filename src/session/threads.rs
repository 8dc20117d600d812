//! Shards of one job, side by side.

use rayon::ThreadPoolBuilder;

use crate::error::{Error, Result};

/// `work(0), work(1), ..` on one named thread each. Results come in that order.
///
/// Each has a share of the cores to itself: matrix products that ask for all cores from several threads at once wait for each
/// other, which cost a training iteration an eighth of its time.
///
/// # Errors
/// [`Error::Device`] if a thread cannot be started, else the first error of `work`.
pub fn on_threads<R: Send>(count: usize, work: &(impl Fn(usize) -> Result<R> + Sync)) -> Result<Vec<R>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let refused = |error: &dyn std::fmt::Display| {
        Error::Device(format!("a training thread could not be started: {error}"))
    };
    std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(count);
        for i in 0..count {
            let pool = ThreadPoolBuilder::new()
                .num_threads((cores / count).max(1))
                .thread_name(move |_| format!("shard-{i}"))
                .build()
                .map_err(|error| refused(&error))?;
            let thread = std::thread::Builder::new()
                .name(format!("shard-{i}-waits"))
                .spawn_scoped(scope, move || pool.install(|| work(i)))
                .map_err(|error| refused(&error))?;
            threads.push(thread);
        }
        let finished = |thread: std::thread::ScopedJoinHandle<'_, Result<R>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(finished).collect()
    })
}
