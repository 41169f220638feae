//! The characters of tiles that the document does not allow, kept as they stand in the file.

use crate::cursor::ENGINE_LINE_BYTES;

/// The characters of the tiles of a map that are not as the document says, whether the engine reads
/// them or not. Tiles are counted in file order here, from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OddTiles {
    /// In file order.
    tiles: Vec<OddTile>,
    /// Their characters, one behind the other.
    text: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OddTile {
    index: usize,
    start: usize,
    /// In the file, of which no more is kept than can stand on a line.
    length: usize,
}

/// What stands in a file in the place of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddText<'a> {
    /// Its characters; of a word that is longer than the engine's lines, the first 255.
    pub text: &'a [u8],
    /// How many there are in the file.
    pub length: usize,
}

impl OddTiles {
    /// Adds the next tile in file order.
    pub(super) fn push(&mut self, index: usize, text: &[u8]) {
        self.tiles.push(OddTile {
            index,
            start: self.text.len(),
            length: text.len(),
        });
        let kept = text.len().min(ENGINE_LINE_BYTES);
        self.text.extend_from_slice(&text[..kept]);
    }

    /// What stands in the place of a tile, if it is one of these.
    pub(super) fn get(&self, index: usize) -> Option<OddText<'_>> {
        let at = self.tiles.binary_search_by_key(&index, |tile| tile.index);
        let OddTile { start, length, .. } = *self.tiles.get(at.ok()?)?;
        let text = &self.text[start..start + length.min(ENGINE_LINE_BYTES)];
        Some(OddText { text, length })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tiles.is_empty()
    }
}
