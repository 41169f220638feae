//! Work of a load that is spread over the processors.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::registry::{OpenError, Progress};

/// Does the same for each number below `count`, on as many threads as the machine has, and gives
/// the results in order.
///
/// # Errors
/// Only when the load is cancelled.
pub(super) fn in_parallel<T: Send>(
    count: usize,
    progress: &Progress,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, OpenError> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let take = || {
            let mut mine = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= count || progress.check().is_err() {
                    return mine;
                }
                mine.push((i, work(i)));
            }
        };
        if count <= 1 {
            return take();
        }
        let workers: Vec<_> = (0..threads.min(count)).map(|_| scope.spawn(take)).collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().ok())
            .flatten()
            .collect()
    });
    progress.check()?;
    done.sort_by_key(|(i, _)| *i);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_a_cancelled_load_stops() {
        let progress = Progress::default();
        let squares = in_parallel(100, &progress, |i| i * i).unwrap();
        assert!(
            squares
                .iter()
                .enumerate()
                .all(|(i, square)| i * i == *square)
        );
        progress.cancel();
        assert!(in_parallel(100, &progress, |i| i).is_err());
    }
}
