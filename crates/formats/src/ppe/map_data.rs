//! Map data: the cells of one layer, with optional attributes per cell.
//!
//! A file is a header of 12 bytes, the cells, and two optional sections: attributes for graphics
//! and for the game's logic. All bytes after the header may be compressed.

mod read;
#[cfg(feature = "write")]
mod write;

use bytemuck::{Pod, Zeroable};

use super::cell::{Cell, Compression, EMPTY_CELL, MapFlags};
use super::unpack::Element;
use crate::{Integers, Problem, UnreadReason};

pub(super) use read::sniff;
pub use read::{decoded_bytes, read, read_with};
#[cfg(feature = "write")]
pub use write::{WriteError, write};

/// Size of the header, in bytes.
pub const HEADER_BYTES: u64 = 12;
/// Maximum number of cells in a map (fact sheet 8.13).
pub const MAX_CELLS: u64 = 1 << 26;
/// Size of a cell, in bytes.
pub const CELL_BYTES: u64 = 4;
/// Size of the graphics attributes of a cell, in bytes.
pub const GRAPHICS_BYTES: u64 = 32;

/// A map file as plain data.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MapData {
    /// The flags in the header.
    pub flags: MapFlags,
    /// Columns and rows; both at least 1, and at most [`MAX_CELLS`] cells in all.
    pub size: [u32; 2],
    /// The raw bits of cells, row by row from the top left; see [`Cell::decode`].
    ///
    /// Cells at the end are missing if the file is truncated, and all of them if it cannot be
    /// unpacked.
    pub cells: Vec<u32>,
    /// Graphics attributes of cells, if any: the corners of each cell in the order of
    /// [`Corner::ORDER`]. Entries at the end may be missing, as in `cells`.
    pub graphics: Option<Vec<[Corner; 4]>>,
    /// Logic attributes of cells, if any (document, "Logic attribute extension"). Entries at the
    /// end may be missing.
    pub logic: Option<Integers>,
    /// Reason for missing data, if any is missing.
    pub not_read: Option<UnreadReason>,
    /// All problems of the file, in file order.
    pub problems: Vec<Problem>,
}

/// Graphics attributes of a corner of a cell (document, "Graphics attribute extension").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Corner {
    /// Red, green, blue and alpha. Colours below 128 darken, those above lighten.
    pub rgba: [u8; 4],
    /// Direction of the light, X and Y.
    pub light: [i16; 2],
}

impl Corner {
    /// Neutral attributes, the default of the document.
    pub const NEUTRAL: Self = Self {
        rgba: [0x80, 0x80, 0x80, 0xFF],
        light: [0, 0],
    };
    /// The corners of a cell in file order, as X and Y offsets.
    pub const ORDER: [[u8; 2]; 4] = [[0, 0], [1, 0], [0, 1], [1, 1]];
}

impl Default for Corner {
    fn default() -> Self {
        Self::NEUTRAL
    }
}

impl Element for Corner {
    fn swap_if_big_endian(&mut self) {
        self.light = self.light.map(i16::to_le);
    }
}

impl Element for [Corner; 4] {
    fn swap_if_big_endian(&mut self) {
        self.iter_mut().for_each(Corner::swap_if_big_endian);
    }
}

impl MapData {
    /// Number of cells in the header: columns times rows.
    pub fn cell_count(&self) -> usize {
        self.size[0] as usize * self.size[1] as usize
    }

    /// The index of a cell by its column and row; `None` outside the map.
    pub fn index(&self, x: u32, y: u32) -> Option<usize> {
        let [width, height] = self.size;
        (x < width && y < height).then(|| y as usize * width as usize + x as usize)
    }

    /// The raw bits of a cell; those of an empty cell if it is missing.
    pub fn raw(&self, index: usize) -> u32 {
        self.cells.get(index).copied().unwrap_or(EMPTY_CELL)
    }

    /// A cell by its index; an empty cell if it is missing.
    pub fn cell(&self, index: usize) -> Cell {
        Cell::decode(self.raw(index), self.flags)
    }

    /// The graphics attributes of a cell by its index; neutral ones if they are missing.
    pub fn corners(&self, index: usize) -> [Corner; 4] {
        let corners = self.graphics.as_ref().and_then(|all| all.get(index));
        corners.copied().unwrap_or_default()
    }

    /// Number of parsed cells that have no tile.
    pub fn empty_cells(&self) -> usize {
        let is_empty = |raw: &&u32| **raw as u16 == Cell::NO_TILE;
        self.cells.iter().filter(is_empty).count()
    }

    /// The cells as the bytes of an uncompressed file.
    pub fn cell_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(size_of_val(self.cells.as_slice()));
        super::unpack::append_elements(&self.cells, &mut bytes);
        bytes
    }

    /// File offset of a cell; `None` if it is compressed or missing.
    pub fn cell_offset(&self, index: usize) -> Option<u64> {
        self.offset(index, self.cells.len(), 0, CELL_BYTES)
    }

    /// File offset of the graphics attributes of a cell; `None` if they are compressed or missing.
    pub fn graphics_offset(&self, index: usize) -> Option<u64> {
        let len = self.graphics.as_ref()?.len();
        self.offset(index, len, CELL_BYTES, GRAPHICS_BYTES)
    }

    /// File offset of the logic attribute of a cell; `None` if it is compressed or missing.
    pub fn logic_offset(&self, index: usize) -> Option<u64> {
        let logic = self.logic.as_ref()?;
        let graphics = self.flags.has_graphics().then_some(GRAPHICS_BYTES);
        let before = CELL_BYTES + graphics.unwrap_or(0);
        self.offset(index, logic.len(), before, u64::from(logic.bits() / 8))
    }

    /// File offset of an element in a section of `len` elements. `before` is the number of bytes
    /// per cell in earlier sections, `bytes` the number in this one.
    fn offset(&self, index: usize, len: usize, before: u64, bytes: u64) -> Option<u64> {
        let is_there = index < len && self.flags.compression() == Compression::None;
        let section = HEADER_BYTES + before * self.cell_count() as u64;
        is_there.then(|| section + bytes * index as u64)
    }
}
