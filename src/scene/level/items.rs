//! The numbers by which parts of a map are pointed at, selected and described.

use super::Map;
use crate::formats::pmf::{self, ChunkData};
use crate::scene::Item;

/// The kinds of [`Item`] that a map has.
pub(super) mod item {
    /// The whole file.
    pub(in crate::scene) const MAP: &str = "map";
    /// A level, by its number.
    pub(in crate::scene) const LEVEL: &str = "level";
    /// A chunk, counted through all levels.
    pub(in crate::scene) const CHUNK: &str = "chunk";
    /// A cube, counted through all chunks.
    pub(in crate::scene) const CUBE: &str = "cube";
    /// A side of a cube: six times the cube plus the side.
    pub(in crate::scene) const FACE: &str = "face";
    /// A material: its level times 2 to the power of 32, plus its index.
    pub(in crate::scene) const MATERIAL: &str = "material";
    /// A lightmap: 256 times its chunk plus its index.
    pub(in crate::scene) const LIGHTMAP: &str = "lightmap";
    /// A light with lightmaps of its own: its level times 2 to the power of 32, plus its global
    /// number.
    pub(in crate::scene) const DYNAMIC_LIGHT: &str = "dynamic light";
    /// A light that colours vertices, likewise.
    pub(in crate::scene) const FAST_LIGHT: &str = "fast light";
    /// The clip in which materials move.
    pub(in crate::scene) const CLIP: &str = "clip";
}

/// How many there are before each chunk.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Of each level the number of its first chunk, and last how many there are.
    chunks: Vec<u64>,
    /// Of each chunk the number of its first cube, and last how many there are.
    cubes: Vec<u64>,
}

/// A chunk of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkAt<'a> {
    /// Number of the level.
    pub(super) level_number: usize,
    pub(super) level: &'a pmf::Level,
    /// Number of the chunk in the level.
    pub(super) number: usize,
    pub(super) chunk: &'a pmf::Chunk,
}

/// A cube of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct CubeAt<'a> {
    pub(super) at: ChunkAt<'a>,
    pub(super) data: &'a ChunkData,
    /// Index of the cube in the chunk.
    pub(super) cube: u32,
}

impl Numbers {
    pub(super) fn of(map: &pmf::Pmf) -> Self {
        let mut numbers = Self::default();
        let (mut chunks, mut cubes) = (0, 0);
        for level in &map.levels {
            numbers.chunks.push(chunks);
            chunks += level.chunks.len() as u64;
            for chunk in &level.chunks {
                numbers.cubes.push(cubes);
                cubes += chunk.data.as_ref().map_or(0, |data| data.cubes.len()) as u64;
            }
        }
        numbers.chunks.push(chunks);
        numbers.cubes.push(cubes);
        numbers
    }

    /// The last one that begins at or before a number, and how far behind its begin that is.
    fn split(firsts: &[u64], number: u64) -> Option<(usize, u64)> {
        // The last entry is the end of all.
        let (end, firsts) = firsts.split_last()?;
        if number >= *end {
            return None;
        }
        let at = firsts
            .partition_point(|first| *first <= number)
            .checked_sub(1)?;
        Some((at, number - firsts.get(at)?))
    }
}

impl Map {
    /// The item of a chunk of a level.
    pub fn chunk_item(&self, level: usize, chunk: usize) -> Option<Item> {
        Some(Item {
            kind: item::CHUNK,
            index: self.numbers.chunks.get(level)? + chunk as u64,
        })
    }

    /// The item of a cube.
    pub fn cube_item(&self, level: usize, chunk: usize, cube: u32) -> Option<Item> {
        let chunk = self.chunk_item(level, chunk)?.index;
        let first = self.numbers.cubes.get(usize::try_from(chunk).ok()?)?;
        Some(Item {
            kind: item::CUBE,
            index: first + u64::from(cube),
        })
    }

    /// The item of a side of a cube.
    pub(super) fn face_item(
        &self,
        level: usize,
        chunk: usize,
        cube: u32,
        side: u8,
    ) -> Option<Item> {
        Some(Item {
            kind: item::FACE,
            index: self.cube_item(level, chunk, cube)?.index * 6 + u64::from(side),
        })
    }

    /// The item of a material of a level.
    pub fn material_item(level: usize, material: usize) -> Item {
        Item {
            kind: item::MATERIAL,
            index: (level as u64) << 32 | material as u64,
        }
    }

    /// The item of a lightmap of a chunk.
    pub(super) fn lightmap_item(&self, level: usize, chunk: usize, lightmap: u8) -> Option<Item> {
        Some(Item {
            kind: item::LIGHTMAP,
            index: self.chunk_item(level, chunk)?.index << 8 | u64::from(lightmap),
        })
    }

    /// A chunk by its number in the file.
    pub(super) fn chunk_at(&self, number: u64) -> Option<ChunkAt<'_>> {
        let (level_number, number) = Numbers::split(&self.numbers.chunks, number)?;
        let level = self.pmf.levels.get(level_number)?;
        let number = usize::try_from(number).ok()?;
        Some(ChunkAt {
            level_number,
            level,
            number,
            chunk: level.chunks.get(number)?,
        })
    }

    /// The cube that an item is, or is a side of, and which side.
    pub(super) fn cube_at(&self, item: Item) -> Option<(CubeAt<'_>, Option<usize>)> {
        let (number, side) = match item.kind {
            item::CUBE => (item.index, None),
            item::FACE => (item.index / 6, Some((item.index % 6) as usize)),
            _ => return None,
        };
        let (chunk, cube) = Numbers::split(&self.numbers.cubes, number)?;
        let at = self.chunk_at(chunk as u64)?;
        let data = at.chunk.data.as_deref()?;
        let cube = u32::try_from(cube).ok()?;
        Some((CubeAt { at, data, cube }, side))
    }
}
