//! The shape of a tile (fact sheet A4 to A6): the CPU counterpart of `shaders/tile.wgsl`.
//!
//! Inside a tile, `u` runs from its west edge (0) to its east edge (1) and `v` from its north edge
//! (0) to its south edge (1). Heights are in levels until they become world coordinates.

use glam::{Vec2, Vec3};

use mapscope_formats::pfmap::{Edge, Pfmap, Tile, TileType};

pub use crate::geometry::LEVEL_HEIGHT;

/// Side of a tile in world units.
pub const TILE_SIDE: f32 = 8.0;
/// The level of the surroundings beyond the border of the map (fact sheet A6).
pub const BORDER_LEVEL: i32 = -1;

/// The lowest base height on which ground units can walk: below it water is deep (fact sheet E).
pub const MIN_WALKABLE_BASE: i32 = -1;
/// The highest ramp that ground units can climb and that shows the top material. Higher ramps are
/// steep and show the side material (fact sheets E and A5).
pub const MAX_GENTLE_RAMP: u8 = 1;

/// Raised corners of each tile type as bits: north-west 1, north-east 2, south-west 4, south-east 8
/// (fact sheet A5).
const RAISED: [u8; 13] = [
    0,
    1 | 2,
    4 | 8,
    1 | 4,
    2 | 8,
    2,
    1 | 2 | 8,
    1,
    1 | 2 | 4,
    8,
    2 | 4 | 8,
    4,
    1 | 4 | 8,
];

/// A corner of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are compass directions")]
pub enum Corner {
    NorthWest = 0,
    NorthEast = 1,
    SouthWest = 2,
    SouthEast = 3,
}

/// One of the two triangles that the top of a tile consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The southern one: `tri0` of the fact sheet.
    South = 0,
    /// The northern one: `tri1` of the fact sheet.
    North = 1,
}

/// The data that defines the geometry of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Height of each corner in levels, in the order of [`Corner`].
    pub corners: [i32; 4],
    /// `true` if the top is cut from north-west to south-east (`\`), `false` if from north-east to
    /// south-west (`/`).
    pub cut_from_north_west: bool,
}

impl Shape {
    /// The shape of a tile. The ramp height of a flat tile is ignored.
    pub fn of(tile: &Tile) -> Self {
        let base = i32::from(tile.base_height);
        let ramp = i32::from(tile.ramp_height);
        let [nw, ne, sw, se] = Self::raised_corners(tile.kind);
        let level = |raised: bool| base + i32::from(raised) * ramp;
        Self {
            corners: [level(nw), level(ne), level(sw), level(se)],
            cut_from_north_west: Self::is_cut_from_north_west(tile.kind),
        }
    }

    /// The tile type with exactly these corners raised, in the order of [`Corner`]; `None` if no
    /// such type exists. A tile with all corners raised is flat.
    pub fn kind_with_raised(corners: [bool; 4]) -> Option<TileType> {
        if corners == [true; 4] {
            return Some(TileType::Flat);
        }
        let mut kinds = TileType::ALL.into_iter();
        kinds.find(|kind| Self::raised_corners(*kind) == corners)
    }

    /// Raised corners of a type, in the order of [`Corner`].
    pub fn raised_corners(kind: TileType) -> [bool; 4] {
        let raised = RAISED[kind as usize];
        [
            raised & 1 != 0,
            raised & 2 != 0,
            raised & 4 != 0,
            raised & 8 != 0,
        ]
    }

    /// `true` if tiles of a type are cut from north-west to south-east.
    pub const fn is_cut_from_north_west(kind: TileType) -> bool {
        matches!(
            kind,
            TileType::CornerConcaveSw
                | TileType::CornerConvexSw
                | TileType::CornerConcaveNe
                | TileType::CornerConvexNe
        )
    }

    /// The corner at the end of the level half of a corner tile; `None` for flat tiles and ramps.
    pub const fn level_corner(kind: TileType) -> Option<Corner> {
        match kind {
            TileType::CornerConcaveNw | TileType::CornerConvexSe => Some(Corner::NorthWest),
            TileType::CornerConcaveNe | TileType::CornerConvexSw => Some(Corner::NorthEast),
            TileType::CornerConcaveSw | TileType::CornerConvexNe => Some(Corner::SouthWest),
            TileType::CornerConcaveSe | TileType::CornerConvexNw => Some(Corner::SouthEast),
            _ => None,
        }
    }

    /// The half that contains a point of the tile.
    pub fn half_at(&self, uv: Vec2) -> Half {
        let south = if self.cut_from_north_west {
            uv.y > uv.x
        } else {
            uv.x + uv.y > 1.0
        };
        if south { Half::South } else { Half::North }
    }

    /// Rise of a half in levels per tile, toward the east and the south.
    fn slope(&self, half: Half) -> [i32; 2] {
        let [nw, ne, sw, se] = self.corners;
        match (self.cut_from_north_west, half) {
            (false, Half::South) => [se - sw, se - ne],
            (false, Half::North) => [ne - nw, sw - nw],
            (true, Half::South) => [se - sw, sw - nw],
            (true, Half::North) => [ne - nw, se - ne],
        }
    }

    /// Height of a point of the top, in levels.
    pub fn level_at(&self, uv: Vec2) -> f32 {
        let half = self.half_at(uv);
        let [east, south] = self.slope(half);
        // The ends of the cut belong to both halves.
        let (corner, at) = if self.cut_from_north_west {
            (Corner::NorthWest, Vec2::ZERO)
        } else {
            (Corner::NorthEast, Vec2::X)
        };
        let from = uv - at;
        self.corners[corner as usize] as f32 + east as f32 * from.x + south as f32 * from.y
    }

    /// The unit normal of a half, in world space.
    pub fn normal(&self, half: Half) -> Vec3 {
        let [east, south] = self.slope(half);
        let rise = LEVEL_HEIGHT / TILE_SIDE;
        // East is -X and south is +Z.
        Vec3::new(east as f32 * rise, 1.0, south as f32 * -rise).normalize()
    }

    /// `true` if a half is not level.
    pub fn is_sloped(&self, half: Half) -> bool {
        self.slope(half) != [0, 0]
    }

    /// Heights of the two ends of an edge in levels: west then east, or north then south.
    pub fn edge(&self, edge: Edge) -> [i32; 2] {
        let [nw, ne, sw, se] = self.corners;
        match edge {
            Edge::North => [nw, ne],
            Edge::South => [sw, se],
            Edge::West => [nw, sw],
            Edge::East => [ne, se],
        }
    }

    /// The lowest corner, in levels.
    pub fn lowest(&self) -> i32 {
        self.corners.into_iter().fold(i32::MAX, i32::min)
    }

    /// The highest corner, in levels.
    pub fn highest(&self) -> i32 {
        self.corners.into_iter().fold(i32::MIN, i32::max)
    }

    /// The lower end of its sides on the border of the map, in levels (fact sheet A6).
    pub fn skirt_bottom(&self) -> i32 {
        BORDER_LEVEL.min(self.lowest())
    }

    /// The half adjacent to an edge.
    pub fn half_on(&self, edge: Edge) -> Half {
        match edge {
            Edge::South => Half::South,
            Edge::North => Half::North,
            Edge::East if self.cut_from_north_west => Half::North,
            Edge::East => Half::South,
            Edge::West if self.cut_from_north_west => Half::South,
            Edge::West => Half::North,
        }
    }

    /// The two halves that touch a corner; twice the same if only one does (fact sheet A8).
    pub fn halves_at(&self, corner: Corner) -> [Half; 2] {
        use Half::{North, South};
        match (self.cut_from_north_west, corner) {
            (false, Corner::NorthWest) | (true, Corner::NorthEast) => [North, North],
            (false, Corner::SouthEast) | (true, Corner::SouthWest) => [South, South],
            (false, Corner::NorthEast | Corner::SouthWest)
            | (true, Corner::NorthWest | Corner::SouthEast) => [South, North],
        }
    }
}

/// `true` if a half of a tile shows the side material: if it slopes and the ramp is higher than one
/// level (fact sheet A5).
pub fn shows_side_material(tile: &Tile, half: Half) -> bool {
    tile.ramp_height > MAX_GENTLE_RAMP && Shape::of(tile).is_sloped(half)
}

/// The material index that a half of a tile's top shows.
pub fn half_material(tile: &Tile, half: Half) -> u16 {
    if shows_side_material(tile, half) {
        tile.side_material
    } else {
        tile.top_material
    }
}

/// Reason why ground units cannot walk on a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    /// Its flag forbids it.
    Flag,
    /// It is under deep water.
    Deep,
    /// It is steep.
    Steep,
}

impl Barrier {
    /// Returns the obstacle for ground units on a tile, or `None` if they can walk there (fact
    /// sheet E). CPU counterpart of `tile_is_walkable` in `shaders/tile.wgsl`.
    pub fn of(tile: &Tile) -> Option<Self> {
        if !tile.pathable() {
            Some(Self::Flag)
        } else if i32::from(tile.base_height) < MIN_WALKABLE_BASE {
            Some(Self::Deep)
        } else if tile.kind != TileType::Flat && tile.ramp_height > MAX_GENTLE_RAMP {
            Some(Self::Steep)
        } else {
            None
        }
    }

    /// Returns the obstacle for ground units on one of the four cells of a tile, or `None` if they
    /// can walk there. Even on a barred tile, the cell at the level corner of a corner tile is open
    /// if that corner is at level 0 or above (fact sheet E).
    pub fn of_cell(tile: &Tile, cell: Corner) -> Option<Self> {
        Self::of(tile).filter(|_| {
            let is_level_corner = Shape::level_corner(tile.kind) == Some(cell);
            !is_level_corner || Shape::of(tile).corners[cell as usize] < 0
        })
    }

    /// The reason in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "not pathable",
            Self::Deep => "too deep",
            Self::Steep => "slope over 1 level",
        }
    }
}

/// The tile grid of a map in world space. The map is centred on the origin; row 0 and column 0 are
/// in its north-west corner at +X and -Z (fact sheet A4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Number of rows of tiles, from north to south.
    pub rows: u32,
    /// Number of columns of tiles, from west to east.
    pub cols: u32,
}

impl Placement {
    /// World x and z of the north-west corner of the map.
    pub fn north_west(&self) -> Vec2 {
        Vec2::new(self.cols as f32, -(self.rows as f32)) * (TILE_SIDE * 0.5)
    }

    /// World position of a point given in tiles east and south of the north-west corner of the map,
    /// and in levels.
    pub fn world(&self, east_tiles: f32, south_tiles: f32, level: f32) -> Vec3 {
        let corner = self.north_west();
        Vec3::new(
            corner.x - east_tiles * TILE_SIDE,
            level * LEVEL_HEIGHT,
            corner.y + south_tiles * TILE_SIDE,
        )
    }

    /// Distance of a world position from the north-west corner, in tiles east and south.
    pub fn tiles(&self, world_x: f32, world_z: f32) -> Vec2 {
        let corner = self.north_west();
        Vec2::new(corner.x - world_x, world_z - corner.y) / TILE_SIDE
    }

    /// Row and column of the tile under a world position, and the position within the tile; `None`
    /// if it is off the map.
    pub fn tile_at(&self, world_x: f32, world_z: f32) -> Option<(u32, u32, Vec2)> {
        let at = self.tiles(world_x, world_z);
        let size = Vec2::new(self.cols as f32, self.rows as f32);
        if !(at.cmpge(Vec2::ZERO).all() && at.cmple(size).all()) {
            return None;
        }
        // The far borders belong to the last row and column.
        let tile = at.floor().min(size - 1.0);
        Some((tile.y as u32, tile.x as u32, at - tile))
    }
}

/// The neighbour of a tile beyond an edge, if it exists and was read.
pub(super) fn beyond(map: &Pfmap, row: u32, col: u32, edge: Edge) -> Option<(u32, u32, &Tile)> {
    let (down, right) = edge.step();
    let row = row.checked_add_signed(down)?;
    let col = col.checked_add_signed(right)?;
    let tile = map.tile(row, col)?;
    map.is_read(row, col).then_some((row, col, tile))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(kind: TileType) -> Tile {
        let mut tile = Tile::default();
        tile.kind = kind;
        tile.base_height = 1;
        tile.ramp_height = 2;
        tile
    }

    /// Table A5, transcribed independently: north-west, north-east, south-west, south-east, centre
    /// (in halves of the ramp), cut, sloped halves, and direction of the slope (west +X, south +Z).
    type Row = (TileType, [i32; 4], i32, char, [bool; 2], [i32; 2]);
    const TABLE: [Row; 13] = [
        (TileType::Flat, [0, 0, 0, 0], 0, '/', [false, false], [0, 0]),
        (TileType::RampSn, [2, 2, 0, 0], 1, '/', [true, true], [0, 1]),
        (
            TileType::RampNs,
            [0, 0, 2, 2],
            1,
            '/',
            [true, true],
            [0, -1],
        ),
        (
            TileType::RampEw,
            [2, 0, 2, 0],
            1,
            '/',
            [true, true],
            [-1, 0],
        ),
        (TileType::RampWe, [0, 2, 0, 2], 1, '/', [true, true], [1, 0]),
        (
            TileType::CornerConcaveSw,
            [0, 2, 0, 0],
            0,
            '\\',
            [false, true],
            [1, 1],
        ),
        (
            TileType::CornerConvexSw,
            [2, 2, 0, 2],
            2,
            '\\',
            [true, false],
            [1, 1],
        ),
        (
            TileType::CornerConcaveSe,
            [2, 0, 0, 0],
            0,
            '/',
            [false, true],
            [-1, 1],
        ),
        (
            TileType::CornerConvexSe,
            [2, 2, 2, 0],
            2,
            '/',
            [true, false],
            [-1, 1],
        ),
        (
            TileType::CornerConcaveNw,
            [0, 0, 0, 2],
            0,
            '/',
            [true, false],
            [1, -1],
        ),
        (
            TileType::CornerConvexNw,
            [0, 2, 2, 2],
            2,
            '/',
            [false, true],
            [1, -1],
        ),
        (
            TileType::CornerConcaveNe,
            [0, 0, 2, 0],
            0,
            '\\',
            [true, false],
            [-1, -1],
        ),
        (
            TileType::CornerConvexNe,
            [2, 0, 2, 2],
            2,
            '\\',
            [false, true],
            [-1, -1],
        ),
    ];

    #[test]
    fn every_type_has_the_shape_of_the_table() {
        for (kind, corners, centre, cut, sloped, faces) in TABLE {
            let shape = Shape::of(&tile(kind));
            assert_eq!(shape.corners, corners.map(|c| c + 1), "{kind}");
            let at_centre = shape.level_at(Vec2::splat(0.5));
            assert_eq!(at_centre, 1.0 + centre as f32, "{kind}: centre");
            assert_eq!(shape.cut_from_north_west, cut == '\\', "{kind}: cut");
            for half in [Half::South, Half::North] {
                assert_eq!(
                    shape.is_sloped(half),
                    sloped[half as usize],
                    "{kind}: {half:?}"
                );
                let normal = shape.normal(half);
                if sloped[half as usize] {
                    let sign = |x: f32| if x == 0.0 { 0 } else { x.signum() as i32 };
                    assert_eq!([sign(normal.x), sign(normal.z)], faces, "{kind}: faces");
                } else {
                    assert_eq!(normal, Vec3::Y, "{kind}");
                }
            }
        }
    }

    #[test]
    fn slopes_have_the_angles_of_the_fact_sheet() {
        let angle = |kind, half| Shape::of(&tile(kind)).normal(half).y.acos();
        let ramp = angle(TileType::RampSn, Half::South);
        assert!((ramp - (2.0_f32 * 4.0 / 8.0).atan()).abs() < 1e-5);
        let corner = angle(TileType::CornerConvexSw, Half::South);
        assert!((corner - (2.0 * 4.0 / (128.0_f32.sqrt() / 2.0)).atan()).abs() < 1e-5);
    }

    #[test]
    fn the_surface_meets_its_corners() {
        for (kind, ..) in TABLE {
            let shape = Shape::of(&tile(kind));
            for (i, uv) in [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE]
                .into_iter()
                .enumerate()
            {
                assert_eq!(
                    shape.level_at(uv),
                    shape.corners[i] as f32,
                    "{kind} corner {i}"
                );
            }
        }
    }

    #[test]
    fn the_north_west_tile_lies_at_plus_x_minus_z() {
        let placement = Placement {
            rows: 128,
            cols: 64,
        };
        let (row, col, uv) = placement.tile_at(255.0, -511.0).unwrap();
        assert_eq!((row, col), (0, 0));
        assert_eq!(uv, Vec2::splat(0.125));
        assert_eq!(
            placement.world(0.125, 0.125, 0.0),
            Vec3::new(255.0, 0.0, -511.0)
        );
        assert_eq!(
            placement.tile_at(-256.0, 512.0).map(|t| (t.0, t.1)),
            Some((127, 63))
        );
        assert_eq!(placement.tile_at(256.1, 0.0), None);
        assert_eq!(placement.tile_at(f32::NAN, 0.0), None);
    }
}
