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
