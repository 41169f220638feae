//! The ground of the scene: positions on the map, in tiles from its north-west corner, and their
//! heights.

use mapscope_formats::pfmap::{Tile, TileType};

use crate::terrain::map::{self, Place};

/// World units per tile and per height level (fact sheet 0).
pub(super) const TILE: f32 = 8.0;
const LEVEL: f32 = 4.0;

/// The tiles of the map.
pub(super) struct Ground(Vec<Tile>);

impl Ground {
    pub(super) fn new() -> Self {
        Self(map::tiles())
    }

    /// The tile at a position, and the position within it from its north-west corner.
    fn tile([column, row]: Place, tiles: &[Tile]) -> Option<(&Tile, Place)> {
        let side = map::SIDE as f32;
        let inside = |n: f32| (0.0..side).contains(&n);
        if !inside(column) || !inside(row) {
            return None;
        }
        let index = row as usize * map::SIDE as usize + column as usize;
        Some((tiles.get(index)?, [column.fract(), row.fract()]))
    }

    /// World height at a position, on the half of the tile that contains it (fact sheet A5).
    pub(super) fn height(&self, at: Place) -> Option<f32> {
        let (tile, [east, south]) = Self::tile(at, &self.0)?;
        let (base, ramp) = (i32::from(tile.base_height), i32::from(tile.ramp_height));
        let corners = match tile.kind {
            TileType::Flat => [base; 4],
            kind => map::corners_of(kind, base, ramp),
        };
        let [nw, ne, sw, se] = corners.map(|corner| corner as f32);
        // Corner tiles with a diagonal from the north-west slope in their south-west or north-east
        // half.
        let from_north_west = matches!(
            tile.kind,
            TileType::CornerConcaveSw
                | TileType::CornerConvexSw
                | TileType::CornerConcaveNe
                | TileType::CornerConvexNe
        );
        let level = if from_north_west {
            if south > east {
                nw + (sw - nw) * south + (se - sw) * east
            } else {
                nw + (ne - nw) * east + (se - ne) * south
            }
        } else if east + south < 1.0 {
            nw + (ne - nw) * east + (sw - nw) * south
        } else {
            se + (sw - se) * (1.0 - east) + (ne - se) * (1.0 - south)
        };
        Some(level * LEVEL)
    }

    /// `true` if a disc of this radius, in tiles, is level.
    pub(super) fn is_level(&self, at: Place, radius: f32) -> bool {
        let steps = [-1.0, -0.5, 0.0, 0.5, 1.0].map(|step| step * radius);
        let middle = self.height(at);
        let same = |x: f32, y: f32| self.height([at[0] + x, at[1] + y]) == middle;
        steps.iter().all(|&x| steps.iter().all(|&y| same(x, y)))
    }
}

/// X and Z of a position in world space. The map is centred on the origin; columns run toward -X.
pub(super) fn world([column, row]: Place) -> [f32; 2] {
    let half = 0.5 * map::SIDE as f32;
    [(half - column) * TILE, (row - half) * TILE]
}
