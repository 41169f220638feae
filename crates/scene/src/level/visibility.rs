//! What is seen from a visibility cube.

use std::collections::BTreeMap;

use glam::Vec3;

use super::Map;
use super::items::CubeAt;
use super::walk::leaf_at;
use crate::{Item, LevelItem, OverlayId, Shown};
use mapscope_formats::pmf::{Cube, Cubes};

/// What of a chunk is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SeenOfChunk {
    All,
    /// These cubes with all that is in them, in rising order.
    Cubes(Vec<u32>),
}

/// What is seen from a visibility cube.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    /// The cube.
    pub(super) from: CubeAt<'a>,
    /// Of each chunk of the level by its number, what is seen of it: what the cube lists, and what
    /// is in the cube itself. Of other chunks nothing is.
    pub(super) chunks: BTreeMap<usize, SeenOfChunk>,
}

impl SeenOfChunk {
    /// Of each cube of a chunk whether it is seen, by itself or with one that it is in.
    pub(super) fn of_cubes(&self, cubes: &Cubes) -> Vec<bool> {
        let Self::Cubes(seen) = self else {
            return vec![true; cubes.len()];
        };
        let mut is_seen = vec![false; cubes.len()];
        for cell in cubes.cells(1.0) {
            let above = cubes.above(cell.cube).map(|above| above as usize);
            let with_above = above.and_then(|above| is_seen.get(above).copied());
            let itself = seen.binary_search(&cell.cube).is_ok();
            if let Some(of_cube) = is_seen.get_mut(cell.cube as usize) {
                *of_cube = itself || with_above == Some(true);
            }
        }
        is_seen
    }
}

impl Map {
    /// The visibility cube that an item is, or the nearest one that it is in.
    fn visibility_cube(&self, item: LevelItem) -> Option<CubeAt<'_>> {
        let (cube, _) = self.cube_at(item)?;
        let mut at = Some(cube.cube);
        while let Some(index) = at {
            if let Cube::VisInfo(_) = cube.data.cubes.get(index)? {
                return Some(CubeAt {
                    cube: index,
                    ..cube
                });
            }
            at = cube.data.cubes.above(index);
        }
        None
    }

    /// The innermost visibility cube of a level that a place is in.
    pub(super) fn visibility_cube_at(&self, eye: Vec3, level: usize) -> Option<LevelItem> {
        let at = self
            .chunks_of(level)
            .find(|at| at.bounds().distance(eye) == 0.0)?;
        let cubes = &at.chunk.data.as_deref()?.cubes;
        let leaf = leaf_at(cubes, eye - at.center(), at.level.chunk_side() * 0.5)?;
        let from = self.visibility_cube(at.cube_item(leaf.cell.cube))?;
        Some(at.cube_item(from.cube))
    }

    /// The visibility cube that is selected or in which the selection is, or else the one that the
    /// eye is in, while what it sees is to be shown.
    pub(super) fn seen_from(&self, shown: &Shown) -> Option<LevelItem> {
        if !shown.overlays.contains(OverlayId::Visibility) {
            return None;
        }
        let around = |item| match item {
            Some(Item::Level(item)) => self.visibility_cube(item),
            _ => None,
        };
        let from = around(shown.selected).or_else(|| around(shown.visibility_from))?;
        (from.at.level_number == shown.level).then(|| from.at.cube_item(from.cube))
    }

    /// What is seen from the visibility cube of [`Self::seen_from`].
    pub(super) fn seen(&self, shown: &Shown) -> Option<Seen<'_>> {
        let (from, _) = self.cube_at(self.seen_from(shown)?)?;
        let cubes = &from.data.cubes;
        let Cube::VisInfo(info) = cubes.get(from.cube)? else {
            return None;
        };
        let mut chunks = BTreeMap::new();
        let sorted = |list: &[u32]| {
            let mut list = list.to_vec();
            list.sort_unstable();
            SeenOfChunk::Cubes(list)
        };
        // The file lists the other cubes that are seen (fact sheet B25).
        let own = [cubes.seen_cubes(info), &[from.cube]].concat();
        chunks.insert(from.at.number, sorted(&own));
        for seen in cubes.seen_chunks(info) {
            let Some(number) = from.at.level.chunk_number(seen.chunk) else {
                continue;
            };
            let list = cubes.seen_chunk_cubes(seen);
            let of_chunk = match list {
                [] => SeenOfChunk::All,
                list => sorted(list),
            };
            // What is said of a chunk twice counts together.
            match (chunks.get_mut(&number), of_chunk) {
                (Some(SeenOfChunk::Cubes(seen)), SeenOfChunk::Cubes(more)) => {
                    seen.extend(more);
                    seen.sort_unstable();
                }
                (Some(all), SeenOfChunk::All) => *all = SeenOfChunk::All,
                (Some(SeenOfChunk::All), _) => {}
                (None, of_chunk) => {
                    chunks.insert(number, of_chunk);
                }
            }
        }
        Some(Seen { from, chunks })
    }
}
