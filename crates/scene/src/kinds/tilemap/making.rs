//! Shared helpers for building maps from files: filling truncated lists, hashes, and texts.

use crate::Fact;
pub(crate) use crate::describe::own::sha256;

/// Maximum number of bytes by which all truncated lists of a map may grow together. It limits the
/// memory that a corrupt file can claim.
const MAX_FILLED_BYTES: u64 = 16 << 20;

/// The remaining bytes for filling lists.
#[derive(Debug)]
pub(crate) struct Room(u64);

impl Room {
    pub(crate) fn new() -> Self {
        Self(MAX_FILLED_BYTES)
    }

    /// Fills a list up to the number of tiles of a layer of this size. If the budget is
    /// insufficient, truncates the layer to the whole rows of the list. Returns the resulting size
    /// of the layer.
    pub(crate) fn fill<T: Clone>(
        &mut self,
        list: &mut Vec<T>,
        size: [u32; 2],
        filler: T,
    ) -> [u32; 2] {
        let [width, height] = self.reach(list, size);
        list.resize(width as usize * height as usize, filler);
        [width, height]
    }

    /// Returns the size that [`Room::fill`] would return, and truncates the list to it without
    /// filling it.
    pub(crate) fn reach<T>(&mut self, list: &mut Vec<T>, [width, height]: [u32; 2]) -> [u32; 2] {
        let needed = u64::from(width) * u64::from(height);
        let missing = needed.saturating_sub(list.len() as u64);
        let bytes = missing.saturating_mul(size_of::<T>() as u64);
        let size = if let Some(left) = self.0.checked_sub(bytes) {
            self.0 = left;
            [width, height]
        } else {
            match list.len() / width.max(1) as usize {
                0 => [0; 2],
                rows => [width, rows as u32],
            }
        };
        list.truncate(size[0] as usize * size[1] as usize);
        size
    }
}

/// A text with the name of its field; absent if it is empty.
pub(crate) fn said(name: &'static str, text: &str) -> Fact {
    Fact::new(name, Some(text).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_filled_while_there_is_room() {
        let mut room = Room::new();
        let mut list = vec![1_u32; 7];
        assert_eq!(room.fill(&mut list, [4, 3], 9), [4, 3]);
        assert_eq!(list, [1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9]);
        let mut list = vec![1_u32; 7];
        assert_eq!(room.fill(&mut list, [3, 1 << 24], 9), [3, 2]);
        assert_eq!(list, [1; 6]);
        let mut list = vec![1_u32; 7];
        assert_eq!(room.fill(&mut list, [1 << 26, 1], 9), [0, 0]);
        assert!(list.is_empty());
        let mut list = Vec::<u32>::new();
        assert_eq!(room.fill(&mut list, [0, 0], 9), [0, 0]);
    }
}
