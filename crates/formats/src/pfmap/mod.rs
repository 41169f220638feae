//! PFMAP, the terrain of the Permafrost Engine: an ASCII list of tiles in 32x32 chunks.
//!
//! The layout is that of the format's document (`pfmap.txt`, sections 3.1 to 3.3) as the engine
//! reads it today: versions 1.1 and later have splats, and a tile's last eight characters hold
//! cover and per-edge blend modes.

mod check;
mod damage;
mod field;
mod head;
mod layout;
mod odd;
mod read;
mod reading;
mod rows;
pub mod rules;
mod size;
mod tile;
#[cfg(feature = "write")]
mod write;

pub use field::{Field, Meaning};
pub use layout::Layout;
pub use odd::{OddText, OddTiles};
pub use read::{chunks, read, read_with};
pub use reading::Reading;
pub use tile::{BlendMode, Cover, Edge, Tile, TileType};
#[cfg(feature = "write")]
pub use write::write;

/// The reason why nothing of a map can be shown: the head is corrupt or announces far more tiles
/// than the file holds, or no tile can be read.
pub use crate::ReadError as PfmapError;

use crate::{Format, Problem};

/// The entry of PFMAP in the table of formats.
pub static FORMAT: Format = Format {
    id: "pfmap",
    name: "Permafrost Engine map",
    endings: &["pfmap"],
    sniff: read::sniff,
};

/// Tiles along one side of a chunk (section 2 of the document).
pub const CHUNK_SIDE: u32 = 32;
/// Tiles in a chunk.
pub const CHUNK_TILES: u32 = CHUNK_SIDE * CHUNK_SIDE;
/// Characters of a tile.
pub const TILE_CHARS: usize = 24;

/// A material: an entry for one texture in the head of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Material {
    /// Name for people; the engine ignores it.
    pub name: String,
    /// File name of the texture, as written.
    pub texture: String,
    /// Line of the file, from 1.
    pub line: u64,
}

/// A splat: `accent` shows through in patches wherever `base` is drawn (versions 1.1 and later).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Splat {
    /// Index of the material that has patches.
    pub base: u32,
    /// Index of the material that is visible in the patches.
    pub accent: u32,
}

/// A PFMAP file as plain data.
#[derive(Debug, Clone, PartialEq)]
pub struct Pfmap {
    /// The version as written, such as `1.0`.
    pub version: String,
    /// Materials in file order; tiles name them by index.
    pub materials: Vec<Material>,
    /// Splats in file order.
    pub splats: Vec<Splat>,
    /// Chunks from north to south (along +Z).
    pub chunk_rows: u32,
    /// Chunks from west to east (along -X).
    pub chunk_cols: u32,
    /// All tiles of the map in row-major order, from the north-west corner: `chunk_rows * 32` rows
    /// of `chunk_cols * 32` tiles. (The file has them chunk by chunk.)
    pub tiles: Vec<Tile>,
    /// Positions of the tiles in the text, in the order of the file.
    pub layout: Layout,
    /// `true` if lines end in CR LF.
    pub crlf: bool,
    /// All faults of the file, in file order. The first hundred of each kind are listed, followed
    /// by the number of further ones.
    pub problems: Vec<Problem>,
    /// Row and column of placeholder tiles, which are unreadable or missing; by row, then by
    /// column.
    pub bad_tiles: Vec<(u32, u32)>,
    /// The characters of tiles that deviate from the document, including the unreadable ones in
    /// `bad_tiles`.
    pub odd_tiles: OddTiles,
}

/// The content of a file in the place of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found<'a> {
    /// The 24 characters that [`Tile::text`] returns.
    Tile,
    /// Characters that the document does not allow.
    Odd(OddText<'a>),
    /// No characters: the file ends before the tile, or it is lost in a damaged line.
    Missing,
}

impl Pfmap {
    /// Rows of tiles in the whole map.
    pub fn rows(&self) -> u32 {
        self.chunk_rows * CHUNK_SIDE
    }

    /// Columns of tiles in the whole map.
    pub fn cols(&self) -> u32 {
        self.chunk_cols * CHUNK_SIDE
    }

    /// The tile at a row and column of the whole map, counted from the north-west corner.
    pub fn tile(&self, row: u32, col: u32) -> Option<&Tile> {
        (row < self.rows() && col < self.cols())
            .then(|| row as usize * self.cols() as usize + col as usize)
            .and_then(|index| self.tiles.get(index))
    }

    /// Line and column in the file, both from 1, of the tile at a row and column of the whole map;
    /// `None` for a missing tile.
    pub fn tile_place(&self, row: u32, col: u32) -> Option<(u64, u32)> {
        let index = self.file_index(row, col);
        (!self.is_missing(index)).then(|| self.layout.place(index))
    }

    /// Index in file order of the tile at a row and column of the whole map.
    fn file_index(&self, row: u32, col: u32) -> usize {
        let chunk =
            (row / CHUNK_SIDE) as usize * self.chunk_cols as usize + (col / CHUNK_SIDE) as usize;
        let in_chunk = (row % CHUNK_SIDE * CHUNK_SIDE + col % CHUNK_SIDE) as usize;
        chunk * CHUNK_TILES as usize + in_chunk
    }

    fn is_missing(&self, file_index: usize) -> bool {
        self.layout.gap_at(file_index).is_some()
    }

    /// The file's content for the tile at a row and column of the whole map.
    pub fn found(&self, row: u32, col: u32) -> Found<'_> {
        let index = self.file_index(row, col);
        if self.is_missing(index) {
            Found::Missing
        } else {
            self.odd_tiles.get(index).map_or(Found::Tile, Found::Odd)
        }
    }

    /// `true` if the tile at a row and column of the whole map comes from the file and is not a
    /// placeholder.
    pub fn is_read(&self, row: u32, col: u32) -> bool {
        self.bad_tiles.is_empty() || self.bad_tiles.binary_search(&(row, col)).is_err()
    }

    /// Number of tiles that are missing from the file.
    pub fn missing_tiles(&self) -> usize {
        self.layout.gaps().map(|tiles| tiles.len()).sum()
    }

    /// Number of tiles of the file that are unreadable.
    pub fn unreadable_tiles(&self) -> usize {
        self.bad_tiles.len().saturating_sub(self.missing_tiles())
    }

    /// Row and column in the whole map of the tile at a place in the file.
    pub fn tile_at_place(&self, line: u64, column: u32) -> Option<(u32, u32)> {
        let index = self.layout.tile_at(line, column)?;
        (index < self.tiles.len()).then(|| file_tile(index, self.chunk_cols))
    }
}

/// Row and column in the whole map of a tile by its index in file order.
fn file_tile(index: usize, chunk_cols: u32) -> (u32, u32) {
    // Both numbers are bounded by the number of tiles on a side, which fits.
    let (chunk, tile) = (index / CHUNK_TILES as usize, index as u32 % CHUNK_TILES);
    let chunk_row = (chunk / chunk_cols.max(1) as usize) as u32;
    let chunk_col = (chunk % chunk_cols.max(1) as usize) as u32;
    (
        chunk_row * CHUNK_SIDE + tile / CHUNK_SIDE,
        chunk_col * CHUNK_SIDE + tile % CHUNK_SIDE,
    )
}
