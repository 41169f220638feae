//! Tile maps of `PixelPerfectEngine`: the binary map data of one layer, and the text container
//! (XMF) that names layers, their map files, tile sheets, palettes, sprites and objects.
//!
//! The layout of map data is that of the format's document (`ppe-mapdata.md`); where it is silent
//! or differs from the engine, that of the fact sheet. Cells run in rows from the top left corner;
//! positions are in pixels of a layer, Y down.

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

/// How the table of formats knows map data. There is no magic number: a file is known by its length.
pub static MAP_FORMAT: Format = Format {
    id: "ppe-map",
    name: "PixelPerfectEngine map",
    endings: &["map", "mbf"],
    sniff: map_data::sniff,
};

/// How the table of formats knows XMF.
pub static XMF_FORMAT: Format = Format {
    id: "xmf",
    name: "PixelPerfectEngine XMF",
    endings: &["xmf", "zmf"],
    sniff: xmf::sniff,
};
