//! Writing XMF.

use super::tag::write as tag;
use super::{Packing, Xmf};
use crate::ppe::sdlang;
use crate::ppe::unpack::{pack_zlib, pack_zstd};

/// Writes XMF as [`Xmf::packing`] says. Read again it is the same, but for places and problems.
pub fn write(xmf: &Xmf) -> Vec<u8> {
    let xmf = xmf.clone();
    let mut tags = vec![tag(xmf.metadata)];
    tags.extend(xmf.layers.into_iter().map(tag));
    tags.extend(xmf.palettes.into_iter().map(tag));
    tags.extend(xmf.other);
    let text = sdlang::write(&tags).into_bytes();
    match xmf.packing {
        Packing::Text => text,
        Packing::Zlib => [b"ZLIB".to_vec(), pack_zlib(&text)].concat(),
        Packing::Zstd => [b"ZSTD".to_vec(), pack_zstd(&text)].concat(),
    }
}
