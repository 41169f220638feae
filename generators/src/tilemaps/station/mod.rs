//! A space station: an XMF file of `PixelPerfectEngine` with the files that it references.

pub(crate) mod colors;
pub(crate) mod crew;
pub(crate) mod deck;
pub(crate) mod light;
pub(crate) mod map;
pub(crate) mod plan;
pub(crate) mod space;

pub(crate) use map::files;
