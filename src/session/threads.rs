//! Shards of one job, side by side.

use crate::error::{Error, Result};

/// `work(0), work(1), ..` on one named thread each, the first on the caller's. Results come in that order.
///
/// # Errors
/// [`Error::Device`] if a thread cannot be started, else the first error of `work`.
pub fn on_threads<R: Send>(count: usize, work: &(impl Fn(usize) -> Result<R> + Sync)) -> Result<Vec<R>> {
    std::thread::scope(|scope| {
        let threads = (1..count)
            .map(|i| {
                std::thread::Builder::new().name(format!("shard-{i}")).spawn_scoped(scope, move || work(i))
            })
            .collect::<std::io::Result<Vec<_>>>()
            .map_err(|error| Error::Device(format!("a training thread could not be started: {error}")))?;
        let mut results = vec![work(0)];
        for thread in threads {
            results.push(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results.into_iter().collect()
    })
}
