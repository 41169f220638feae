//! Chunks of a map: bounds, faces, and levels of detail.

use std::ops::Range;

use super::bands::Part;
use super::far::LAST_STEP;
use mapscope_scene::Aabb;
use mapscope_scene::terrain::pack::{BLOCK_SIDE, Faces, Packed};
use mapscope_scene::terrain::{CHUNK_SIDE, Terrain};

/// Pixels per tile below which a chunk is drawn without textures.
const MIN_TEXTURED_PIXELS: f32 = 12.0;
/// Pixels per tile below which a chunk is drawn as a grid.
const MIN_TILE_PIXELS: f32 = 7.0;
/// Minimum pixels per cell of that grid.
const MIN_CELL_PIXELS: f32 = 15.0;
#[derive(Debug)]
pub(super) struct Chunk {
    /// The index of its band.
    pub(super) band: u32,
    pub(super) bounds: Aabb,
    pub(super) faces: Faces,
    pub(super) blocks: [(Aabb, Faces); 4],
    pub(super) has_water: bool,
}

/// The level of detail of a chunk. It depends on the size of its tiles on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Face by face, with textures.
    Near,
    /// Face by face, in colours of the overview.
    Middle,
    /// As a grid whose cells are 2 to the power of this many tiles wide.
    Far(u32),
}

/// Number of chunks of a row in a group. One test can reject all of them.
const GROUP_CHUNKS: u32 = 16;

/// The groups of chunks of a map, with their bounds.
pub(super) fn groups(terrain: &Terrain, chunks: &[Chunk]) -> Vec<(Range<u32>, Aabb)> {
    let cols = (terrain.placement().cols / CHUNK_SIDE).max(1) as usize;
    let rows = chunks.chunks(cols).enumerate();
    rows.flat_map(|(row, chunks)| {
        let groups = chunks.chunks(GROUP_CHUNKS as usize);
        let first = (row * cols) as u32;
        (first..).step_by(GROUP_CHUNKS as usize).zip(groups)
    })
    .map(|(first, group)| {
        let bounds = Aabb::around_all(group.iter().map(|chunk| chunk.bounds)).unwrap_or_default();
        (first..first + group.len() as u32, bounds)
    })
    .collect()
}

pub(super) fn chunks(terrain: &Terrain, packed: &Packed, parts: &[Part]) -> Vec<Chunk> {
    let placement = terrain.placement();
    let cols = (placement.cols / CHUNK_SIDE).max(1) as usize;
    let bounds = |row: u32, col: u32, side: u32, faces: &Faces| {
        let [low, high] = faces.levels.map(|level| level as f32);
        let a = placement.world(col as f32, row as f32, low);
        let b = placement.world((col + side) as f32, (row + side) as f32, high);
        Aabb {
            min: a.min(b),
            max: a.max(b),
        }
    };
    packed
        .chunks
        .iter()
        .enumerate()
        .map(|(i, chunk)| {
            let band = parts.partition_point(|part| part.chunks.end <= i);
            let own = |faces: &Faces| parts[band].own(faces);
            let [row, col] = [i / cols, i % cols].map(|at| at as u32 * CHUNK_SIDE);
            Chunk {
                band: band as u32,
                bounds: bounds(row, col, CHUNK_SIDE, &chunk.all),
                faces: own(&chunk.all),
                blocks: std::array::from_fn(|block| {
                    let (down, right) = (block as u32 / 2, block as u32 % 2);
                    let faces = own(&chunk.blocks[block]);
                    let (row, col) = (row + down * BLOCK_SIDE, col + right * BLOCK_SIDE);
                    (bounds(row, col, BLOCK_SIDE, &faces), faces)
                }),
                has_water: chunk.has_water,
            }
        })
        .collect()
}

/// The level of detail of a chunk with this many pixels per tile.
pub(super) fn detail_for(tile_pixels: f32) -> Detail {
    if tile_pixels >= MIN_TEXTURED_PIXELS {
        return Detail::Near;
    }
    if tile_pixels >= MIN_TILE_PIXELS {
        return Detail::Middle;
    }
    let step = (MIN_CELL_PIXELS / tile_pixels).log2().ceil();
    Detail::Far((step as u32).clamp(1, LAST_STEP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_further_a_chunk_the_coarser_its_grid() {
        assert_eq!(detail_for(40.0), Detail::Near);
        assert_eq!(detail_for(8.0), Detail::Middle);
        assert_eq!(detail_for(6.9), Detail::Far(2));
        assert_eq!(detail_for(1.0), Detail::Far(4));
        assert_eq!(detail_for(0.0), Detail::Far(LAST_STEP));
    }
}
