//! PMF, the maps of `PlatinumSrc`: levels of chunks, each an octree of cubes.
//!
//! The layout is that of the format's document (`pmf.txt`); where it is silent, that of the fact
//! sheet (sections A and B). Coordinates are as the file has them: left-handed, X right, Y up,
//! Z forward, one unit is a metre. Nothing is turned here.

mod bytes;
mod lz4;
mod problems;

pub use bytes::{ChunkIndex, Part, Side, StringRef, StringTable};
