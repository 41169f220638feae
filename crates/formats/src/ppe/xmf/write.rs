//! Writer of XMF.

use super::tag::write as tag;
use super::{Packing, Xmf};
use crate::ppe::sdlang;
use crate::ppe::unpack::{pack_zlib, pack_zstd};

/// Writes XMF with the compression of [`Xmf::packing`]. Reading it again restores the same data,
/// except for positions and problems.
pub fn write(xmf: &Xmf) -> Vec<u8> {
    let xmf = xmf.clone();
    let mut tags = vec![tag(xmf.metadata)];
    tags.extend(xmf.layers.into_iter().map(tag));
    tags.extend(xmf.palettes.into_iter().map(tag));
    tags.extend(xmf.other);
    pack(sdlang::write(&tags).as_bytes(), xmf.packing)
}

/// Packs a text unchanged, including comments.
pub fn pack(text: &[u8], packing: Packing) -> Vec<u8> {
    match packing {
        Packing::Text => text.to_vec(),
        Packing::Zlib => [b"ZLIB".to_vec(), pack_zlib(text)].concat(),
        Packing::Zstd => [b"ZSTD".to_vec(), pack_zstd(text)].concat(),
    }
}
