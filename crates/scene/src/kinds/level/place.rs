//! Positions of cubes in a chunk, found by walking up from a cube, so that no list of all cubes is
//! needed.

use super::Map;
use super::document::as_level_item;
use crate::{Item, ItemPlace, LevelItem, Places, Shown, VisibleFrom};
use glam::Vec3;

use crate::Aabb;
use mapscope_formats::pmf::{Cell, Cube, CubeKind, Cubes};

/// A cube with its ancestors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    /// Cell, in chunk space.
    pub(super) cell: Cell,
    /// Ancestors from the root on, each with the corner that contains the next one down, or `None`
    /// if it wraps the next one.
    pub(super) above: Vec<(u32, Option<usize>)>,
}

impl Place {
    /// Finds the place of a cube in a chunk with edges of twice `half` metres. Returns `None` for a
    /// cube that is not reached from the root.
    pub(super) fn find(cubes: &Cubes, cube: u32, half: f32) -> Option<Self> {
        if cube as usize >= cubes.len() || !cubes.is_reached(cube) {
            return None;
        }
        let mut above = Vec::new();
        let mut child = cube;
        // Terminates at the root, because each cube was reached once.
        while let Some(parent) = cubes.above(child) {
            let inside = cubes.inside(parent).find(|(_, inside)| *inside == child);
            above.push((parent, inside?.0));
            child = parent;
        }
        above.reverse();
        let root = Cell {
            cube: 0,
            depth: 0,
            center: [0.0; 3],
            half,
        };
        let ends = above
            .iter()
            .map(|(parent, _)| *parent)
            .skip(1)
            .chain([cube]);
        let cell = above
            .iter()
            .zip(ends)
            .fold(root, |cell, ((_, corner), next)| match corner {
                Some(corner) => cell.child(*corner, next),
                None => Cell { cube: next, ..cell },
            });
        Some(Self { cell, above })
    }

    /// Returns the parents above it, from the root on.
    pub(super) fn parents(&self) -> impl Iterator<Item = u32> {
        let parents = self.above.iter().filter(|(_, corner)| corner.is_some());
        parents.map(|(cube, _)| *cube)
    }

    /// Returns the wrappers among its ancestors, from the root on, with their kinds.
    pub(super) fn wrappers(&self, cubes: &Cubes) -> impl Iterator<Item = (u32, CubeKind)> {
        let wrappers = self.above.iter().filter(|(_, corner)| corner.is_none());
        wrappers.filter_map(|(cube, _)| Some((*cube, cubes.kind(*cube)?)))
    }

    /// Returns the cell in world space, for the given centre of the chunk.
    pub(super) fn cell_in_world(&self, chunk_center: Vec3) -> Aabb {
        cell_in_world(&self.cell, chunk_center)
    }

    /// Returns the bounds of the cube in world space. A box with moved corners can be larger or
    /// smaller than its cell.
    pub(super) fn bounds_in_world(&self, cubes: &Cubes, chunk_center: Vec3) -> Aabb {
        let corners = match cubes.get(self.cell.cube) {
            Some(Cube::Geometry(geometry)) => cubes.corners(geometry, &self.cell),
            _ => self.cell.corners(),
        };
        // Non-finite corners are ignored (fact sheet A14).
        let corners = corners
            .into_iter()
            .map(Vec3::from)
            .filter(|c| c.is_finite())
            .map(|corner| corner + chunk_center);
        Aabb::around(corners).unwrap_or(self.cell_in_world(chunk_center))
    }
}

/// Converts a cell to world space, for the given centre of its chunk.
pub(super) fn cell_in_world(cell: &Cell, chunk_center: Vec3) -> Aabb {
    Aabb::centered(
        Vec3::from(cell.center) + chunk_center,
        Vec3::splat(cell.half),
    )
}

impl Places for Map {
    fn place(&self, item: Item, _shown: &Shown) -> ItemPlace {
        let Some(item) = as_level_item(item) else {
            return ItemPlace::default();
        };
        ItemPlace {
            bounds: self.bounds_of(item),
            seen_from: match item {
                LevelItem::Face { .. } => self
                    .viewpoint_of_face(item)
                    .unwrap_or(VisibleFrom::AllSides),
                LevelItem::Cube { .. } | LevelItem::Entity { .. } => VisibleFrom::AllSides,
                _ => VisibleFrom::Anywhere,
            },
            is_placeholder: false,
        }
    }

    fn contour(&self, item: Item, _shown: &Shown) -> Vec<[Vec3; 2]> {
        as_level_item(item).map_or_else(Vec::new, |item| self.contour_of(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_formats::pmf::Geometry;

    #[test]
    fn cubes_are_found_from_below_where_they_are_from_above() {
        let mut cubes = Cubes::default();
        cubes.push_vis_info(1, [], &[]);
        cubes.push_parent(0b1001_0010, &[3, 2, 4]);
        cubes.push_collider(5, [[[0.0; 3]; 8]]);
        cubes.push_parent(0b0100_0000, &[6]);
        cubes.push_empty();
        cubes.push_geometry(Geometry::new(0, 0, 0), &[]);
        let mut moved = Geometry::new(0, 0, 0);
        moved.moved = 0b11;
        cubes.push_geometry(moved, &[[9.0, 0.0, 0.0], [f32::NAN; 3]]);
        cubes.push_empty();
        cubes.link().unwrap();
        let mut found = 0;
        for cell in cubes.cells(8.0) {
            let place = Place::find(&cubes, cell.cube, 8.0).unwrap();
            assert_eq!(place.cell, cell);
            assert_eq!(place.parents().count(), usize::from(cell.depth));
            found += 1;
        }
        assert_eq!(found, 7);
        let place = Place::find(&cubes, 5, 8.0).unwrap();
        assert_eq!(place.parents().collect::<Vec<_>>(), [1]);
        let wrappers: Vec<_> = place.wrappers(&cubes).collect();
        assert_eq!(wrappers, [(0, CubeKind::VisInfo), (2, CubeKind::Collider)]);
        let place = Place::find(&cubes, 6, 8.0).unwrap();
        let bounds = place.bounds_in_world(&cubes, Vec3::X);
        assert_eq!(bounds.max, Vec3::new(10.0, 4.0, 4.0));
        assert_eq!(
            (Place::find(&cubes, 7, 8.0), Place::find(&cubes, 8, 8.0)),
            (None, None)
        );
    }
}
