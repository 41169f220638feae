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
        let mut chunks = self.chunks_of(level);
        let at = chunks.find(|at| at.bounds().distance(eye) == 0.0)?;
        let leaf = leaf_at(&at.data()?.cubes, eye - at.center(), at.half())?;
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
        // The file lists the other cubes that are seen (fact sheet B25).
        let mut own = [cubes.seen_cubes(info), &[from.cube]].concat();
        own.sort_unstable();
        let mut chunks = BTreeMap::from([(from.at.number, SeenOfChunk::Cubes(own))]);
        for seen in cubes.seen_chunks(info) {
            let Some(number) = from.at.level.chunk_number(seen.chunk) else {
                continue;
            };
            // Where a chunk is listed twice, both lists count.
            let of_chunk = chunks.entry(number);
            let of_chunk = of_chunk.or_insert(SeenOfChunk::Cubes(Vec::new()));
            match (cubes.seen_chunk_cubes(seen), &mut *of_chunk) {
                ([], _) => *of_chunk = SeenOfChunk::All,
                (list, SeenOfChunk::Cubes(seen)) => {
                    seen.extend_from_slice(list);
                    seen.sort_unstable();
                }
                (_, SeenOfChunk::All) => {}
            }
        }
        Some(Seen { from, chunks })
    }
}
