//! The lists of visible chunks and cubes that visibility cubes store.

use std::collections::BTreeMap;

use glam::Vec3;

use super::Map;
use super::items::CubeAt;
use super::walk::leaf_at;
use crate::{Item, LevelItem, OverlayId, Shown};
use mapscope_formats::pmf::{Cube, Cubes};

/// The visible part of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VisiblePart {
    /// All cubes.
    All,
    /// These cubes with their contents, in ascending order.
    Cubes(Vec<u32>),
}

/// The visible parts of a level, seen from a visibility cube.
#[derive(Debug)]
pub(super) struct VisibleSet<'a> {
    /// Visibility cube.
    pub(super) from: CubeAt<'a>,
    /// Visible part of each chunk, by the number of the chunk in the level. The parts contain the
    /// listed cubes, and the visibility cube with its contents. Other chunks are invisible.
    pub(super) chunks: BTreeMap<usize, VisiblePart>,
}

impl VisiblePart {
    /// Returns a flag for each cube of a chunk: `true` if the cube or one of its ancestors is
    /// visible.
    pub(super) fn visible_cubes(&self, cubes: &Cubes) -> Vec<bool> {
        let Self::Cubes(listed) = self else {
            return vec![true; cubes.len()];
        };
        let mut is_visible = vec![false; cubes.len()];
        for cell in cubes.cells(1.0) {
            let parent = cubes.above(cell.cube).map(|parent| parent as usize);
            let parent_visible = parent.and_then(|parent| is_visible.get(parent).copied());
            let is_listed = listed.binary_search(&cell.cube).is_ok();
            if let Some(of_cube) = is_visible.get_mut(cell.cube as usize) {
                *of_cube = is_listed || parent_visible == Some(true);
            }
        }
        is_visible
    }
}

impl Map {
    /// Returns the visibility cube of an item: its own cube, or the nearest ancestor that is a
    /// visibility cube.
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

    /// Returns the innermost visibility cube of a level that contains a position.
    pub(super) fn visibility_cube_at(&self, eye: Vec3, level: usize) -> Option<LevelItem> {
        let mut chunks = self.chunks_of(level);
        let at = chunks.find(|at| at.bounds().distance(eye) == 0.0)?;
        let leaf = leaf_at(&at.data()?.cubes, eye - at.center(), at.half())?;
        let from = self.visibility_cube(at.cube_item(leaf.cell.cube))?;
        Some(at.cube_item(from.cube))
    }

    /// Returns the visibility cube whose lists the visibility overlay shows, if the overlay is
    /// active: the one that is selected or contains the selection, or else
    /// [`Shown::visibility_from`]. Returns `None` if the cube is in another level.
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

    /// Returns the visible parts of the level from the visibility cube of [`Self::seen_from`].
    pub(super) fn seen(&self, shown: &Shown) -> Option<VisibleSet<'_>> {
        let (from, _) = self.cube_at(self.seen_from(shown)?)?;
        let cubes = &from.data.cubes;
        let Cube::VisInfo(info) = cubes.get(from.cube)? else {
            return None;
        };
        // The list of a visibility cube does not contain the cube itself (fact sheet B25).
        let mut own = [cubes.visible_cubes(info), &[from.cube]].concat();
        own.sort_unstable();
        let mut chunks = BTreeMap::from([(from.at.number, VisiblePart::Cubes(own))]);
        for seen in cubes.visible_chunks(info) {
            let Some(number) = from.at.level.chunk_number(seen.chunk) else {
                continue;
            };
            // If a chunk is listed twice, its lists are merged.
            let of_chunk = chunks
                .entry(number)
                .or_insert(VisiblePart::Cubes(Vec::new()));
            match (cubes.visible_chunk_cubes(seen), &mut *of_chunk) {
                ([], _) => *of_chunk = VisiblePart::All,
                (list, VisiblePart::Cubes(seen)) => {
                    seen.extend_from_slice(list);
                    seen.sort_unstable();
                }
                (_, VisiblePart::All) => {}
            }
        }
        Some(VisibleSet { from, chunks })
    }
}
