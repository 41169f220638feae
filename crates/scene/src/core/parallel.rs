//! Work distributed over the processor cores.

use std::ops::ControlFlow;

use super::source::{OpenError, Progress};
pub use mapscope_formats::parallel::map_parallel;
pub(crate) use mapscope_formats::parallel::{Step, in_order, split_among_threads};

/// Runs `work` for each number below `count` on all threads of the machine, and returns the results
/// in order. Does not report progress.
///
/// # Errors
/// Only if the load is cancelled.
pub(crate) fn in_parallel<T: Send>(
    count: usize,
    progress: &Progress,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, OpenError> {
    in_parallel_reported(count, &progress.silent(), work)
}

/// Like [`in_parallel`], but reports progress.
///
/// # Errors
/// Only if the load is cancelled.
pub(crate) fn in_parallel_reported<T: Send>(
    count: usize,
    progress: &Progress,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, OpenError> {
    let mut watch = |begun: usize| match progress.report(begun as f32 / count.max(1) as f32) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let done = mapscope_formats::parallel::in_parallel(count, &mut watch, work);
    progress.check()?;
    Ok(done.unwrap_or_default())
}

/// Number of consecutive items that a thread examines at once.
const BLOCK: usize = 4096;

/// The share of the items of several lists that a thread examines: every n-th block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    thread: usize,
    threads: usize,
    /// Number of the next block.
    block: usize,
}

impl Share {
    /// Calls `work` on all threads of the machine, each with its share.
    pub(crate) fn among_threads<T: Send>(work: impl Fn(Self) -> T + Sync) -> Vec<T> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        map_parallel(threads, |thread| {
            work(Self {
                thread,
                threads,
                block: 0,
            })
        })
    }

    /// The share of one thread: everything.
    pub(crate) fn whole() -> Self {
        Self {
            thread: 0,
            threads: 1,
            block: 0,
        }
    }

    /// Returns the indices of the next list that belong to the share, each with its order among the
    /// items of all lists.
    pub(crate) fn of(&mut self, count: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let Self {
            thread,
            threads,
            block: first,
        } = *self;
        let blocks = count.div_ceil(BLOCK);
        self.block += blocks;
        (0..blocks)
            .filter(move |block| (first + block) % threads == thread)
            .flat_map(move |block| block * BLOCK..count.min((block + 1) * BLOCK))
            .map(move |index| (index, first * BLOCK + index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_threads_are_all_items() {
        let counts = [3, BLOCK * 3 + 5, 0, BLOCK, 1];
        let shares = Share::among_threads(|mut share| {
            let lists = counts.iter().enumerate();
            let items = lists.flat_map(|(list, count)| {
                share
                    .of(*count)
                    .map(move |(index, order)| (order, list, index))
            });
            items.collect::<Vec<_>>()
        });
        let mut items: Vec<_> = shares.concat();
        items.sort_unstable();
        let all = counts.iter().enumerate();
        let all = all.flat_map(|(list, count)| (0..*count).map(move |index| (list, index)));
        let found = items.iter().map(|(_, list, index)| (*list, *index));
        assert!(found.eq(all));
    }

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
