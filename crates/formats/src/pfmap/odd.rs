//! The characters of tiles that the document does not allow, as they are in the file.

use crate::cursor::ENGINE_LINE_BYTES;

/// The characters of the tiles that deviate from the document, even if the engine reads them. Tiles
/// are counted in file order here, from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OddTiles {
    /// In file order.
    tiles: Vec<OddTile>,
    /// The characters of all these tiles, joined.
    text: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OddTile {
    index: usize,
    start: usize,
    /// Length in the file. At most a line of the engine is kept.
    length: usize,
}

/// The text in the place of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddText<'a> {
    /// Its characters; the first 255 of a word that is longer than the engine's lines.
    pub text: &'a [u8],
    /// Number of characters in the file.
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

    /// The text in the place of a tile, if it is one of these.
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
