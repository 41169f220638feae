//! Output of the writers of binary formats.

use crate::{Plural, WriteError};

/// Bytes being written, and the first value that the format cannot represent.
#[derive(Default)]
pub(crate) struct Out {
    pub bytes: Vec<u8>,
    error: Option<WriteError>,
}

impl Out {
    #[cold]
    pub(crate) fn fail(&mut self, record: impl Into<String>, what: impl Into<String>) {
        self.error
            .get_or_insert_with(|| WriteError::new(record, what));
    }

    /// The bytes, unless a value could not be represented.
    pub(crate) fn finish(self) -> Result<Vec<u8>, WriteError> {
        self.error.map_or(Ok(self.bytes), Err)
    }

    /// Writes a count of `count_bytes` bytes.
    pub(crate) fn count(&mut self, noun: &str, count: usize, count_bytes: usize) {
        let max = u64::MAX >> (64 - 8 * count_bytes);
        if count as u64 > max {
            self.too_many(noun, count, max);
        }
        self.bytes
            .extend(count.to_le_bytes().iter().take(count_bytes));
    }

    #[cold]
    pub(crate) fn too_many(&mut self, noun: &str, count: usize, max: u64) {
        let what = format!("found {count}; expected at most {max}");
        self.fail(Plural(noun).to_string(), what);
    }

    /// Checks that two parallel lists have the same length.
    pub(crate) fn check_len(&mut self, record: &str, found: usize, expected: usize) {
        if found != expected {
            self.fail(record, format!("found {found}; expected {expected}"));
        }
    }
}
