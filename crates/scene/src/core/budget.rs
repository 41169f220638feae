//! Limits for decoding all images and maps that a document names.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Base budget of memory for decoded data of a document, in bytes.
const BYTES: u64 = 232 << 20;
/// Base budget of decoded pixels and cells of a document.
const ELEMENTS: u64 = 100_000_000;
/// Extra bytes and extra elements of budget per byte of the files.
const PER_FILE_BYTE: u64 = 64;
/// Bytes that all decoding threads of the program may use together. A file that needs more is
/// decoded alone.
const WORKING_BYTES: u64 = 64 << 20;

/// The decode budget of a document. Clones share it. [`open`](crate::open) begins a new one for
/// each document.
#[derive(Debug, Clone, Default)]
pub struct DecodeBudget(Arc<Mutex<Spent>>);

/// The spent part of a decode budget.
#[derive(Debug)]
struct Spent {
    /// Number of open documents that share the limits.
    documents: u64,
    /// Bytes of the files.
    file_bytes: u64,
    elements: u64,
    /// Bytes that stay in memory.
    kept_bytes: u64,
    /// Peak bytes for decoding a single file.
    working_bytes: u64,
}

impl Default for Spent {
    fn default() -> Self {
        Self {
            documents: 1,
            file_bytes: 0,
            elements: 0,
            kept_bytes: 0,
            working_bytes: WORKING_BYTES,
        }
    }
}

/// The cost of decoding a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Bytes of the file.
    pub(crate) file_bytes: u64,
    /// Pixels or cells.
    pub(crate) elements: u64,
    /// Bytes of memory during decoding.
    pub(crate) working_bytes: u64,
    /// Bytes of memory after decoding.
    pub(crate) kept_bytes: u64,
}

impl DecodeBudget {
    /// Returns the budget for each of several documents that are open at once. Each gets an equal
    /// share of the limits.
    pub fn shared_among(documents: u64) -> Self {
        Self(Arc::new(Mutex::new(Spent {
            documents: documents.max(1),
            ..Spent::default()
        })))
    }

    /// Returns a fresh budget with the same limits, for a document whose own file has `file_bytes`
    /// bytes.
    pub(crate) fn fresh(&self, file_bytes: usize) -> Self {
        let budget = Self::shared_among(self.spent().documents);
        budget.add_file(file_bytes);
        budget
    }

    /// Adds a file of a document that is not decoded through this budget, such as a model.
    pub(crate) fn add_file(&self, file_bytes: usize) {
        let mut spent = self.spent();
        spent.file_bytes = spent.file_bytes.saturating_add(file_bytes as u64);
    }

    /// Spends the cost of a file if the budget allows it; otherwise spends nothing.
    ///
    /// # Errors
    /// Describes the exceeded limit.
    pub(crate) fn take(&self, cost: Cost) -> Result<(), String> {
        let mut spent = self.spent();
        let file_bytes = spent.file_bytes.saturating_add(cost.file_bytes);
        let limit = |base: u64| base / spent.documents + file_bytes.saturating_mul(PER_FILE_BYTE);
        let elements = spent.elements.saturating_add(cost.elements);
        if elements > limit(ELEMENTS) {
            let limit = limit(ELEMENTS) / 1_000_000;
            return Err(format!(
                "with the files before it, it exceeds {limit} million pixels and cells, the \
                 limit for files of this size"
            ));
        }
        let kept_bytes = spent.kept_bytes.saturating_add(cost.kept_bytes);
        let working_bytes = spent.working_bytes.max(cost.working_bytes);
        if kept_bytes.saturating_add(working_bytes) > limit(BYTES) {
            let limit = limit(BYTES) >> 20;
            return Err(format!(
                "with the files before it, it exceeds {limit} MiB of memory, the limit for \
                 files of this size"
            ));
        }
        *spent = Spent {
            documents: spent.documents,
            file_bytes,
            elements,
            kept_bytes,
            working_bytes,
        };
        Ok(())
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decodes something once its bytes fit beside the data that other threads are decoding.
pub(crate) fn with_room<T>(working_bytes: u64, decode: impl FnOnce() -> T) -> T {
    static TAKEN: (Mutex<u64>, Condvar) = (Mutex::new(0), Condvar::new());
    struct Taken(u64);
    impl Drop for Taken {
        fn drop(&mut self) {
            *TAKEN.0.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
            TAKEN.1.notify_all();
        }
    }
    let is_full =
        |taken: &mut u64| *taken > 0 && taken.saturating_add(working_bytes) > WORKING_BYTES;
    let taken = TAKEN.0.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = TAKEN.1.wait_while(taken, is_full);
    *taken.unwrap_or_else(PoisonError::into_inner) += working_bytes;
    let _taken = Taken(working_bytes);
    decode()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn what_is_decoded_is_bounded_by_the_files() {
        let budget = DecodeBudget::default();
        let elements = |elements, file_bytes| Cost {
            file_bytes,
            elements,
            ..Cost::default()
        };
        assert_eq!(budget.take(elements(ELEMENTS, 0)), Ok(()));
        let error = budget.take(elements(65, 1)).unwrap_err();
        assert!(error.contains("100 million"), "{error}");
        assert_eq!(budget.take(elements(64, 1)), Ok(()));

        let budget = DecodeBudget::default();
        let bytes = |working_bytes, kept_bytes| Cost {
            working_bytes,
            kept_bytes,
            ..Cost::default()
        };
        let half = BYTES / 2;
        assert_eq!(budget.take(bytes(half, half)), Ok(()));
        assert_eq!(budget.take(bytes(half, 0)), Ok(()), "one after the other");
        let error = budget.take(bytes(0, 1)).unwrap_err();
        assert!(error.contains("232 MiB"), "{error}");

        let budget = DecodeBudget::shared_among(2).fresh(0);
        assert_eq!(budget.take(elements(ELEMENTS / 2, 0)), Ok(()));
        let error = budget.take(elements(1, 0)).unwrap_err();
        assert!(error.contains("50 million"), "{error}");
    }

    #[test]
    fn threads_share_the_room_to_decode() {
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for thread in 1..=8 {
                let (now, most) = (&now, &most);
                scope.spawn(move || {
                    // At least one of them needs more than the limit on its own.
                    let bytes = WORKING_BYTES * thread / 7;
                    with_room(bytes, || {
                        let taken = now.fetch_add(bytes, Ordering::SeqCst) + bytes;
                        most.fetch_max(taken, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(bytes, Ordering::SeqCst);
                    });
                });
            }
        });
        assert_eq!(most.into_inner(), WORKING_BYTES * 8 / 7);
    }
}
