//! PFMAP, the terrain of the Permafrost Engine: an ASCII list of tiles in 32x32 chunks.
//!
//! The layout is that of the format's document (`pfmap.txt`, sections 3.1 to 3.3) as the
//! engine reads it today: versions 1.1 and later have splats, and a tile's last eight
//! characters hold cover and per-edge blend modes.

mod head;
mod layout;
mod problems;
mod read;
mod tile;
mod write;

pub use layout::Layout;
pub use read::{read, read_with};
pub use tile::{BlendMode, Cover, Edge, Tile, TileType};
pub use write::{synthesize, write};

/// Why nothing of a map can be shown: the head is broken, promises far more than the file holds,
/// or no tile can be read.
pub use crate::formats::ReadError as PfmapError;

use crate::formats::{Format, Problem};

/// What the registry knows of PFMAP.
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

/// A material: what the list at the head of the file says of one texture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Material {
    /// Name for people; the engine ignores it.
    pub name: String,
    /// File name of the texture, as written.
    pub texture: String,
    /// Line of the file, from 1.
    pub line: u64,
}

/// A splat: where `base` is drawn, `accent` shows through in patches (versions 1.1 and later).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Splat {
    /// Index of the material that has patches.
    pub base: u32,
    /// Index of the material that shows in them.
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
    /// Where the tiles stand in the text, in the order of the file.
    pub layout: Layout,
    /// Whether lines end in CR LF.
    pub crlf: bool,
    /// Everything that is wrong with the file, in file order.
    /// Of each kind the first hundred are listed, and how many more there are.
    pub problems: Vec<Problem>,
    /// Row and column of tiles that are placeholders because they could not be read or are missing,
    /// by row, then by column.
    pub bad_tiles: Vec<(u32, u32)>,
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
    /// for a tile that a truncated file does not hold, the end of the file.
    pub fn tile_place(&self, row: u32, col: u32) -> (u64, u32) {
        let chunk =
            (row / CHUNK_SIDE) as usize * self.chunk_cols as usize + (col / CHUNK_SIDE) as usize;
        let in_chunk = (row % CHUNK_SIDE * CHUNK_SIDE + col % CHUNK_SIDE) as usize;
        self.layout.place(chunk * CHUNK_TILES as usize + in_chunk)
    }

    /// Row and column in the whole map of the tile whose characters hold a place in the file.
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
