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

/// `work(0), work(1), .. work(jobs - 1)` on at most `threads` threads, in turn. Results come in that order.
///
/// # Errors
/// As [`on_threads`].
pub fn in_turn<R: Send>(
    threads: usize,
    jobs: usize,
    work: &(impl Fn(usize) -> Result<R> + Sync),
) -> Result<Vec<R>> {
    let threads = threads.clamp(1, jobs.max(1));
    let per_thread =
        on_threads(threads, &|thread| (thread..jobs).step_by(threads).map(work).collect::<Result<Vec<R>>>())?;
    let mut rows: Vec<_> = per_thread.into_iter().map(Vec::into_iter).collect();
    Ok((0..jobs).filter_map(|job| rows[job % threads].next()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        for (threads, jobs) in [(1, 5), (2, 5), (3, 2), (4, 0)] {
            let squares = in_turn(threads, jobs, &|job| Ok(job * job)).unwrap();
            assert_eq!(squares, (0..jobs).map(|job| job * job).collect::<Vec<_>>());
        }
        assert!(in_turn(2, 4, &|job| if job == 3 { Err(Error::Cancelled) } else { Ok(()) }).is_err());
    }
}
