//! PFMAP, the terrain of the Permafrost Engine: an ASCII list of tiles in 32x32 chunks.
//!
//! The layout is that of the format's document (`pfmap.txt`, sections 3.1 to 3.3) as the
//! engine reads it today: versions 1.1 and later have splats, and a tile's last eight
//! characters hold cover and per-edge blend modes.

mod read;
mod tile;
mod write;

pub use read::{Limits, PfmapError, read};
pub use tile::{BlendMode, Cover, Edge, Tile, TileType};
pub use write::{synthesize, write};

use crate::formats::Format;

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

/// How the tiles of a file are laid out in its text, so that a place can be named for each
/// tile, and the file be written as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// Every line of the tile list holds this many tiles, one space between them, nothing else.
    Regular {
        /// Line of the first tile, from 1.
        first_line: u64,
        /// Tiles on each line.
        tiles_per_line: u32,
    },
    /// Anything else: byte offset of the first tile of every chunk row of 32 tiles, in file order.
    Irregular {
        /// For each run of 32 tiles in file order, the line and column of its first tile.
        row_places: Vec<(u64, u32)>,
    },
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
    /// Where the tiles stand in the text.
    pub layout: Layout,
    /// Whether lines end in CR LF.
    pub crlf: bool,
    /// Everything that is wrong with the file, in file order.
    pub problems: Vec<crate::formats::Problem>,
    /// Row and column of tiles that could not be read and are placeholders.
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
            .then(|| &self.tiles[row as usize * self.cols() as usize + col as usize])
    }
}
