//! The chunks of a level with their sizes.

use super::Map;
use crate::{ChunkInfo, ChunkMap};
use mapscope_formats::pmf::{Chunk, CubeKind};

/// Maximum number of chunks shown.
const MAX_CHUNKS: usize = 1 << 16;

/// `true` if a chunk has more than a single empty cube, or is unreadable.
pub(super) fn is_nonempty_chunk(chunk: &Chunk) -> bool {
    chunk
        .data
        .as_deref()
        .is_none_or(|data| data.cubes.len() > 1 || data.cubes.kind(0) != Some(CubeKind::Empty))
}

/// Size of a chunk in the file, in bytes, of its three sections together.
pub(super) fn packed_bytes(chunk: &Chunk) -> u64 {
    let bytes = chunk.frames.iter().map(|frame| u64::from(frame.packed));
    bytes.sum()
}

impl Map {
    /// Returns the chunks of a level with their measurements.
    pub(super) fn chunk_map_of(&self, number: usize) -> Option<ChunkMap> {
        let (level, _) = self.level(number)?;
        let chunks = self
            .chunks_of(number)
            .filter(|at| is_nonempty_chunk(at.chunk))
            .take(MAX_CHUNKS)
            .map(|at| {
                let data = at.data();
                let cubes = data.map_or(0, |data| data.cubes.len());
                let mesh = level.mesh(at.number);
                let triangles = mesh.map_or(0, |mesh| mesh.indices.len() / 3);
                ChunkInfo {
                    item: at.item().into(),
                    bounds: at.bounds(),
                    is_readable: data.is_some(),
                    is_whole: at.chunk.is_whole(),
                    values: vec![cubes as u64, triangles as u64, packed_bytes(at.chunk)],
                }
            });
        Some(ChunkMap {
            measures: vec!["Cubes", "Triangles", "Bytes"],
            chunks: chunks.collect(),
        })
    }
}
