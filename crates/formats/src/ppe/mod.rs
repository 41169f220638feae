//! Tile maps of `PixelPerfectEngine`: the binary map data of one layer, and the text container
//! (XMF), which lists layers with their map files, tile sheets, palettes, sprites and objects.
//!
//! The layout of map data follows the format's document (`ppe-mapdata.md`). If it is silent or
//! differs from the engine, the fact sheet applies. Cells are stored in rows from the top left
//! corner; positions are in pixels of a layer, Y down.

mod cell;
pub mod indexed;
pub mod map_data;
mod rle;
pub(crate) mod rules;
pub mod sdlang;
mod unpack;
pub mod xmf;

pub use cell::{Cell, Compression, EMPTY_CELL, Layout, MapFlags};
pub use indexed::IndexedImage;
pub use map_data::{Corner, MapData};
pub(crate) use rules::RULES;
pub use xmf::Xmf;

use crate::Format;

/// The table entry for map data. It has no magic number, so files are recognised by their length.
pub static MAP_FORMAT: Format = Format {
    id: "ppe-map",
    name: "PixelPerfectEngine map",
    endings: &["map", "mbf"],
    sniff: map_data::sniff,
};

/// The table entry for XMF.
pub static XMF_FORMAT: Format = Format {
    id: "xmf",
    name: "PixelPerfectEngine XMF",
    endings: &["xmf", "zmf"],
    sniff: xmf::sniff,
};
