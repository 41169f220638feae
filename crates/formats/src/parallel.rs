//! Work that is spread over the processors.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Does the same for each number below `count`, on as many threads as the machine has, and gives
/// the results in order. The calling thread works too; before each of its pieces it says how many
/// pieces are begun, and can stop all threads. None if it did.
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
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(count))
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
}
