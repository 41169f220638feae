//! Parallel loops over all processors.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Calls `work` for each number below `count` on all threads of the machine and returns the results
/// in order. The calling thread works too; before each of its pieces it passes the number of begun
/// pieces to `watch`, which can stop all threads. Returns `None` if it did.
pub fn in_parallel<T: Send>(
    count: usize,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
    work: impl Fn(usize) -> T + Sync,
) -> Option<Vec<T>> {
    let next = AtomicUsize::new(0);
    let is_stopped = AtomicBool::new(false);
    let take = |watch: &mut dyn FnMut(usize) -> ControlFlow<()>| {
        let mut mine = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= count || is_stopped.load(Ordering::Relaxed) {
                return mine;
            }
            if watch(i).is_break() {
                is_stopped.store(true, Ordering::Relaxed);
                return mine;
            }
            mine.push((i, work(i)));
        }
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads().min(count))
            .map(|_| scope.spawn(|| take(&mut |_| ControlFlow::Continue(()))))
            .collect();
        let mut done = take(watch);
        done.extend(
            others
                .into_iter()
                .filter_map(|other| other.join().ok())
                .flatten(),
        );
        done
    });
    if is_stopped.into_inner() {
        return None;
    }
    done.sort_by_key(|(i, _)| *i);
    Some(done.into_iter().map(|(_, result)| result).collect())
}

/// [`in_parallel`] without a watcher.
pub fn map_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut go_on = |_| ControlFlow::Continue(());
    in_parallel(count, &mut go_on, work).unwrap_or_default()
}

/// An event of [`in_order`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<T> {
    /// The number of finished pieces, in any order.
    Done(usize),
    /// The result of the next piece.
    Result(T),
}

/// Calls `work` for each number below `count` on all threads of the machine. The calling thread
/// receives each result as soon as it and all results before it are available.
///
/// # Errors
/// The first error of `tell`; no piece is begun after it.
pub fn in_order<T: Send, E>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    mut tell: impl FnMut(Step<T>) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let (next, work) = (&next, &work);
    std::thread::scope(|scope| {
        for _ in 0..threads().min(count) {
            let sender = sender.clone();
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    // The receiver is gone after an error.
                    if i >= count || sender.send((i, work(i))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (done, (i, result)) in (1..).zip(receiver) {
            tell(Step::Done(done))?;
            early.insert(i, result);
            while let Some(result) = early.remove(&due) {
                tell(Step::Result(result))?;
                due += 1;
            }
        }
        Ok(())
    })
}

/// Splits a list among all threads of the machine and returns their results in order.
///
/// Each thread gets the index of its first element and a part of whole units of `unit` elements;
/// only the last unit can be shorter.
pub fn split_among_threads<T: Send, R: Send>(
    list: &mut [T],
    unit: usize,
    work: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    let unit = unit.max(1);
    let part = list.len().div_ceil(unit).div_ceil(threads()).max(1) * unit;
    let work = &work;
    std::thread::scope(|scope| {
        let parts = list.chunks_mut(part).enumerate();
        let workers: Vec<_> = parts
            .map(|(i, part_of)| scope.spawn(move || work(i * part, part_of)))
            .collect();
        let done = workers.into_iter();
        done.filter_map(|worker| worker.join().ok()).collect()
    })
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_can_be_stopped() {
        let squares = in_parallel(100, &mut |_| ControlFlow::Continue(()), |i| i * i).unwrap();
        assert!(
            squares
                .iter()
                .enumerate()
                .all(|(i, square)| i * i == *square)
        );
        assert_eq!(squares.len(), 100);
        assert!(in_parallel(1, &mut |_| ControlFlow::Break(()), |i| i).is_none());
        let nothing = in_parallel(0, &mut |_| ControlFlow::Break(()), |i| i);
        assert_eq!(nothing, Some(Vec::new()));
    }

    #[test]
    fn results_are_told_in_order_while_others_are_made() {
        // The first piece finishes after another one if there is a second thread.
        let (ended, wait) = (AtomicUsize::new(0), threads() > 1);
        let work = |i: usize| {
            while i == 0 && wait && ended.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            ended.fetch_add(1, Ordering::Relaxed);
            i
        };
        let (mut results, mut done) = (Vec::new(), Vec::new());
        let told = in_order(50, work, |step| {
            match step {
                Step::Done(count) => done.push(count),
                Step::Result(i) => results.push(i),
            }
            Ok::<(), ()>(())
        });
        assert_eq!(told, Ok(()));
        assert!(results.into_iter().eq(0..50) && done.into_iter().eq(1..=50));
        let begun = AtomicUsize::new(0);
        let work = |_| begun.fetch_add(1, Ordering::Relaxed);
        let told = in_order(1_000_000, work, |step| match step {
            Step::Done(_) => Ok(()),
            Step::Result(_) => Err("stop"),
        });
        assert_eq!(told, Err("stop"));
        assert!(begun.into_inner() < 1_000_000);
        assert_eq!(in_order(0, |_| (), |_| Err("nothing")), Ok(()));
    }

    #[test]
    fn a_list_is_shared_out_in_whole_units() {
        for len in [0, 1, 5, 6, 7, 1000] {
            let mut list = vec![0; len];
            let firsts = split_among_threads(&mut list, 3, |first, part| {
                for (index, element) in (first..).zip(part) {
                    *element = index;
                }
                first
            });
            assert!(list.into_iter().eq(0..len));
            assert!(firsts.iter().all(|first| first % 3 == 0));
            assert!(firsts.is_sorted(), "{firsts:?}");
        }
    }
}
