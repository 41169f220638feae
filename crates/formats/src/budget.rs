//! How much the compressed parts of a file may decode to.

/// What they may decode to for each byte of the file, beside the base. Levels have a fifth to a
/// tenth of their decoded size; the compressions themselves would allow hundreds.
const BYTES_PER_FILE_BYTE: u64 = 16;
/// What all of the largest file may decode to together, in bytes.
const MAX_BYTES_IN_ALL: u64 = 4 << 30;

/// How many bytes the compressed parts of a file may still decode to.
#[derive(Debug)]
pub(super) struct Budget {
    all: u64,
    left: u64,
}

impl Budget {
    /// For a file of so many bytes; `base` is what the smallest file may decode to.
    pub(super) fn new(base: u64, file_bytes: usize) -> Self {
        let more = (file_bytes as u64).saturating_mul(BYTES_PER_FILE_BYTE);
        let all = base.saturating_add(more).min(MAX_BYTES_IN_ALL);
        Self { all, left: all }
    }

    /// Takes what a part decodes to, if so much is left. If not, nothing is taken.
    ///
    /// # Errors
    /// How many bytes there were for all parts.
    pub(super) fn take(&mut self, bytes: u64) -> Result<(), u64> {
        self.left = self.left.checked_sub(bytes).ok_or(self.all)?;
        Ok(())
    }

    /// How many bytes are left.
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
        assert_eq!(Budget::new(1, usize::MAX).left(), MAX_BYTES_IN_ALL);
    }
}
