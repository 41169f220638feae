//! Numbering of equal values, for merging equal corners into one vertex.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Numbers values in the order in which they are first seen. Equal values have the same number.
#[derive(Debug)]
pub(super) struct Weld<const WORDS: usize> {
    numbers: HashMap<[u32; WORDS], u32, BuildHasherDefault<WordHasher>>,
}

impl<const WORDS: usize> Weld<WORDS> {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            numbers: HashMap::with_capacity_and_hasher(count, BuildHasherDefault::default()),
        }
    }

    /// Returns the number of a value, and `true` if it is new.
    pub(super) fn number(&mut self, words: [u32; WORDS]) -> (u32, bool) {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(words).or_insert(next);
        (number, number == next)
    }
}

/// A hasher without protection against collision attacks, for vertices of local files. It is four
/// times as fast as that of the standard library.
#[derive(Debug, Default)]
pub(super) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        // The map takes its slot from the low bits and its tag from the high ones.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut()
                .zip(chunk)
                .for_each(|(to, from)| *to = *from);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::Weld;

    #[test]
    fn equal_values_have_one_number() {
        let mut weld = Weld::with_capacity(4);
        assert_eq!(weld.number([1, 2, 3]), (0, true));
        assert_eq!(weld.number([3, 2, 1]), (1, true));
        assert_eq!(weld.number([1, 2, 3]), (0, false));
        for i in 0..10_000 {
            assert_eq!(weld.number([i, 7, 9]), (i + 2, true));
        }
    }
}
