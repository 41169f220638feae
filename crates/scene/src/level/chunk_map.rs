//! The chunks of a level and how much each holds.

use super::Map;
use crate::{ChunkInfo, ChunkMap};
use mapscope_formats::pmf::{Chunk, CubeKind};

/// How many chunks are shown.
const MOST_CHUNKS: usize = 1 << 16;

/// Whether a chunk is more than a single empty cube, or cannot be read.
pub(super) fn holds_anything(chunk: &Chunk) -> bool {
    chunk
        .data
        .as_deref()
        .is_none_or(|data| data.cubes.len() > 1 || data.cubes.kind(0) != Some(CubeKind::Empty))
}

/// Bytes of the file that a chunk takes, its three sections together.
pub(super) fn packed_bytes(chunk: &Chunk) -> u64 {
    let bytes = chunk.frames.iter().map(|frame| u64::from(frame.packed));
    bytes.sum()
}

impl Map {
    /// The chunks of a level with what is measured of them.
    pub(super) fn map_of_chunks(&self, part: usize) -> Option<ChunkMap> {
        let (level, source) = self.level(part)?;
        let chunks = source.chunks.iter().enumerate();
        let chunks = chunks
            .filter(|(_, chunk)| holds_anything(chunk))
            .take(MOST_CHUNKS);
        let chunks = chunks.filter_map(|(number, chunk)| {
            let item = self.chunk_item(part, number)?;
            let cubes = chunk.data.as_deref().map_or(0, |data| data.cubes.len());
            let triangles = level.mesh(number).map_or(0, |mesh| mesh.indices.len() / 3);
            Some(ChunkInfo {
                item,
                bounds: self.bounds_of(item)?,
                is_readable: chunk.data.is_some(),
                values: vec![cubes as u64, triangles as u64, packed_bytes(chunk)],
            })
        });
        Some(ChunkMap {
            measures: vec!["Cubes", "Triangles", "Bytes"],
            chunks: chunks.collect(),
        })
    }
}
