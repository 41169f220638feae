//! The memory budget for the compressed parts of a file.

/// Decoded bytes allowed for each byte of the file, on top of the base. Levels have a fifth to a
/// tenth of their decoded size; the compressions themselves would allow hundreds.
const BYTES_PER_FILE_BYTE: u64 = 16;
/// Upper limit of the budget of any file, in bytes.
const MAX_TOTAL_BYTES: u64 = 4 << 30;

/// Number of bytes that the compressed parts of a file may still decode to.
#[derive(Debug)]
pub(super) struct Budget {
    all: u64,
    left: u64,
}

impl Budget {
    /// Creates the budget of a file of `file_bytes`; `base` is the budget of the smallest file.
    pub(super) fn new(base: u64, file_bytes: usize) -> Self {
        let more = (file_bytes as u64).saturating_mul(BYTES_PER_FILE_BYTE);
        let all = base.saturating_add(more).min(MAX_TOTAL_BYTES);
        Self { all, left: all }
    }

    /// Takes the decoded size of a part from the budget. If too little is left, nothing is taken.
    ///
    /// # Errors
    /// The budget of all parts together, in bytes.
    pub(super) fn take(&mut self, bytes: u64) -> Result<(), u64> {
        self.left = self.left.checked_sub(bytes).ok_or(self.all)?;
        Ok(())
    }

    /// Number of bytes left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_taken_than_there_is() {
        let mut budget = Budget::new(100, 10);
        assert_eq!(budget.left(), 260);
        assert_eq!(budget.take(200), Ok(()));
        assert_eq!(budget.take(61), Err(260));
        assert_eq!(budget.take(60), Ok(()));
        assert_eq!(budget.take(0), Ok(()));
        assert_eq!(budget.take(1), Err(260));
        assert_eq!(Budget::new(1, usize::MAX).left(), MAX_TOTAL_BYTES);
    }
}
