//! Places and outlines of items.

use super::Terrain;
use super::fields::IslandAt;
use super::geometry::Shape;
use super::navigation::{CELLS_PER_SIDE, Cell, Domain};
use crate::document::Places;
use crate::{Item, ItemPlace, Shown, TerrainItem, VisibleFrom};
use glam::Vec3;
use mapscope_formats::pfmap::{CHUNK_SIDE, Edge};

/// Maximum number of lines around an island.
const MAX_BORDER: usize = 1 << 16;

impl Places for Terrain {
    fn place(&self, item: Item, _shown: &Shown) -> ItemPlace {
        if let Some((row, col)) = self.tile_rc(item) {
            return ItemPlace {
                bounds: Some(self.tiles_bounds(row..row + 1, col..col + 1)),
                // A hill may hide a tile.
                seen_from: VisibleFrom::AllSides,
                is_placeholder: !self.map.is_read(row, col),
            };
        }
        let bounds = match item {
            Item::Terrain(TerrainItem::Map) => Some(self.about.bounds),
            Item::Terrain(TerrainItem::Chunk { row, col }) => {
                self.chunk_index(row, col).map(|_| {
                    let [row, col] = [row, col].map(|at| at * CHUNK_SIDE);
                    self.tiles_bounds(row..row + CHUNK_SIDE, col..col + CHUNK_SIDE)
                })
            }
            Item::Terrain(TerrainItem::Island { row, col }) => {
                let islands = self.navigation().islands(Domain::Ground);
                let tiles = IslandAt::new(self, row, col).and_then(|at| islands.tiles_of(at.index));
                tiles.map(|[rows, cols]| self.tiles_bounds(rows, cols))
            }
            _ => self.members(item).and_then(|members| {
                let is_member = |at: &usize| self.is_member(members, *at);
                let tiles = (0..self.map.tiles.len()).filter(is_member);
                let boxes = tiles.map(|at| {
                    let (row, col) = self.row_and_col(at);
                    self.tiles_bounds(row..row + 1, col..col + 1)
                });
                boxes.reduce(|all, tile| all.union(&tile))
            }),
        };
        ItemPlace {
            bounds,
            ..ItemPlace::default()
        }
    }

    fn contour(&self, item: Item, _shown: &Shown) -> Vec<[Vec3; 2]> {
        if let Some((row, col)) = self.tile_rc(item) {
            return Edge::ALL
                .into_iter()
                .filter_map(|edge| self.edge_line(row, col, edge))
                .collect();
        }
        if let Item::Terrain(TerrainItem::Island { row, col }) = item {
            return self.island_border(row, col);
        }
        let Item::Terrain(TerrainItem::Chunk { row, col }) = item else {
            return Vec::new();
        };
        if self.chunk_index(row, col).is_none() {
            return Vec::new();
        }
        let [row, col] = [row, col].map(|at| at * CHUNK_SIDE);
        (0..CHUNK_SIDE)
            .flat_map(|i| {
                [
                    (row, col + i, Edge::North),
                    (row + CHUNK_SIDE - 1, col + i, Edge::South),
                    (row + i, col, Edge::West),
                    (row + i, col + CHUNK_SIDE - 1, Edge::East),
                ]
            })
            .filter_map(|(row, col, edge)| self.edge_line(row, col, edge))
            .collect()
    }
}

impl Terrain {
    /// The lines around an island, on the ground.
    fn island_border(&self, row: u32, col: u32) -> Vec<[Vec3; 2]> {
        let Some(island) = IslandAt::new(self, row, col) else {
            return Vec::new();
        };
        let side = 1.0 / CELLS_PER_SIDE as f32;
        let line = |(cell, edge): (Cell, Edge)| {
            let (row, col) = cell.tile();
            let shape = Shape::of(self.map.tile(row, col)?);
            let [west, north] = [cell.col, cell.row].map(|at| (at % CELLS_PER_SIDE) as f32 * side);
            let [nw, ne, sw, se] =
                [(0.0, 0.0), (side, 0.0), (0.0, side), (side, side)].map(|(east, south)| {
                    let uv = glam::Vec2::new(west + east, north + south);
                    let at = uv + glam::Vec2::new(col as f32, row as f32);
                    self.placement.world(at.x, at.y, shape.level_at(uv))
                });
            Some(match edge {
                Edge::North => [nw, ne],
                Edge::East => [ne, se],
                Edge::South => [sw, se],
                Edge::West => [nw, sw],
            })
        };
        let border = self.ground().border(island.index);
        border.take(MAX_BORDER).filter_map(line).collect()
    }

    /// World position of the middle of a tile's top.
    pub(super) fn tile_center(&self, row: u32, col: u32) -> Vec3 {
        let level = self
            .map
            .tile(row, col)
            .map_or(0.0, |tile| Shape::of(tile).level_at(glam::Vec2::splat(0.5)));
        self.placement
            .world(col as f32 + 0.5, row as f32 + 0.5, level)
    }

    /// The line along an edge of a tile's top, in world space.
    pub(super) fn edge_line(&self, row: u32, col: u32, edge: Edge) -> Option<[Vec3; 2]> {
        let ends = Shape::of(self.map.tile(row, col)?).edge(edge);
        let (east, south) = (col as f32, row as f32);
        let places = match edge {
            Edge::North => [(east, south), (east + 1.0, south)],
            Edge::South => [(east, south + 1.0), (east + 1.0, south + 1.0)],
            Edge::West => [(east, south), (east, south + 1.0)],
            Edge::East => [(east + 1.0, south), (east + 1.0, south + 1.0)],
        };
        let [(e0, s0), (e1, s1)] = places;
        Some([
            self.placement.world(e0, s0, ends[0] as f32),
            self.placement.world(e1, s1, ends[1] as f32),
        ])
    }

    /// Index of a chunk in chunk lists; `None` if it is not on the map.
    pub(super) fn chunk_index(&self, row: u32, col: u32) -> Option<usize> {
        let on_map = row < self.map.chunk_rows && col < self.map.chunk_cols;
        on_map.then(|| row as usize * self.map.chunk_cols as usize + col as usize)
    }
}
