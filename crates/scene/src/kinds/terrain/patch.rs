//! Patches: small maps of a few tiles in the style of the open map, for previews of single tiles.

use std::convert::Infallible;
use std::ops::Range;

use glam::Vec3;

use super::Terrain;
use super::geometry::{LEVEL_HEIGHT, Shape};
use crate::camera::{Camera, Pose};
use crate::{Environment, Item, TerrainItem};
use mapscope_formats::pfmap::{
    BlendMode, CHUNK_SIDE, CHUNK_TILES, Edge, Field, Layout, OddTiles, Pfmap, Tile, TileType,
};

/// Rows, and columns, of a patch that contain its nine tiles.
pub const PATCH_TILES: Range<u32> = CENTER - 1..CENTER + 2;

/// Row, and column, of the middle tile of a patch.
const CENTER: u32 = CHUNK_SIDE / 2;

/// Height of the foot of a patch in levels, below the lowest of the nine tiles.
const FOOT_LEVELS: i32 = 1;

/// Maximum height difference in levels between the middle tile and its neighbours. At the bottom of
/// a deeper pit, or on a higher tower, it would be a speck at the edge of the view.
const MAX_NEIGHBOR_LEVELS: i32 = 4;

/// Ramp height of a type in its showcase. Above one level, slopes show the side material.
const SHOWCASE_RAMP: u8 = 2;

/// View direction of [`Terrain::patch_camera`], in world space: to the north-east and down.
const LINE_OF_SIGHT: Vec3 = Vec3::new(-0.5, -1.8, -1.0);

impl Terrain {
    /// A map of one chunk in which only the nine tiles in the rows and columns [`PATCH_TILES`] are
    /// drawn. It has the materials of this map and shares their textures.
    ///
    /// The tiles are given row by row from the north-west. They rise above level ground, so that
    /// they have sides all around, and the materials of each continue on that ground. Tiles far
    /// above or below the middle one are moved closer to its height.
    pub fn patch(&self, tiles: &[Tile; 9]) -> Self {
        let middle = Shape::of(&tiles[4]);
        let tiles = &tiles.map(|tile| with_height_near(tile, &middle));
        let lowest = tiles
            .iter()
            .map(|tile| Shape::of(tile).lowest())
            .fold(i32::MAX, i32::min);
        let foot = (lowest - FOOT_LEVELS).clamp(i8::MIN.into(), i8::MAX.into()) as i8;
        // 0, 1 or 2, along rows or columns: the nearest of the nine tiles.
        let nearest = |at: u32| at.saturating_sub(PATCH_TILES.start).min(2);
        let tile_at = |index: u32| {
            let (row, col) = (index / CHUNK_SIDE, index % CHUNK_SIDE);
            let mut tile = tiles[(nearest(row) * 3 + nearest(col)) as usize];
            if !(PATCH_TILES.contains(&row) && PATCH_TILES.contains(&col)) {
                tile.kind = TileType::Flat;
                tile.base_height = foot;
                tile.ramp_height = 0;
            }
            tile
        };
        let map = Pfmap {
            version: self.map.version.clone(),
            materials: self.map.materials.clone(),
            splats: self.map.splats.clone(),
            chunk_rows: 1,
            chunk_cols: 1,
            tiles: (0..CHUNK_TILES).map(tile_at).collect(),
            layout: Layout::regular(1, CHUNK_SIDE),
            crlf: false,
            problems: Vec::new(),
            bad_tiles: Vec::new(),
            odd_tiles: OddTiles::default(),
        };
        let shown = tiles.iter().flat_map(|t| [t.top_material, t.side_material]);
        let textures = self.textures.for_materials(shown, &self.map.splats);
        let drawn = &[PATCH_TILES, PATCH_TILES];
        let mut report = |_| Ok::<_, Infallible>(());
        let environment = Environment {
            sun: self.environment.sun,
            skybox: None,
        };
        let path = self.path.clone();
        let Ok(mut patch) = Self::assemble(path, environment, map, textures, drawn, &mut report);
        for chunk in &mut patch.relief.packed.chunks {
            // The foot may reach below the water even if none of the tiles does.
            chunk.has_water = lowest < 0;
        }
        patch
    }

    /// A tile of a type among neighbours that continue its edges, so that slopes connect high and
    /// low ground. Uses the most frequent materials of this map.
    pub fn showcase_patch(&self, kind: TileType) -> Self {
        let raised = Shape::raised_corners(kind);
        let [top_material, side_material] = self.most_used_materials();
        let tiles = std::array::from_fn(|i| {
            // Along each axis, three tiles have four grid points; the outer points have the height
            // of the adjacent inner points.
            let inner = |point: usize| usize::from(point > 1);
            let (row, col) = (i / 3, i % 3);
            let points = [
                (row, col),
                (row, col + 1),
                (row + 1, col),
                (row + 1, col + 1),
            ];
            let corners = points.map(|(row, col)| raised[inner(row) * 2 + inner(col)]);
            let mut tile = Tile::default();
            tile.kind = Shape::kind_with_raised(corners).unwrap_or(TileType::Flat);
            tile.base_height = 1;
            if corners == [true; 4] {
                tile.base_height += SHOWCASE_RAMP as i8;
            } else {
                tile.ramp_height = SHOWCASE_RAMP;
            }
            // Without blending, the sloped halves are clearly visible.
            tile.set(Field::BlendNormals, 0);
            for edge in Edge::ALL {
                tile.set_blend(edge, BlendMode::None);
            }
            tile.top_material = top_material;
            tile.side_material = side_material;
            tile
        });
        self.patch(&tiles)
    }

    /// The middle tile of a patch.
    pub fn patch_center() -> Item {
        let [row, col] = [CENTER; 2];
        TerrainItem::Tile { row, col }.into()
    }

    /// A camera that shows the nine tiles of a patch at an aspect ratio (width over height).
    /// Patches up to the height of a slope's showcase share one camera position.
    pub fn patch_camera(&self, aspect: f32) -> Camera {
        let mut bounds = self.tiles_bounds(PATCH_TILES, PATCH_TILES);
        bounds.min.y -= FOOT_LEVELS as f32 * LEVEL_HEIGHT;
        let min_height = f32::from(SHOWCASE_RAMP) * LEVEL_HEIGHT;
        bounds.max.y = bounds.max.y.max(bounds.min.y + min_height);
        let center = bounds.center();
        let pose = Pose {
            eye: center - LINE_OF_SIGHT,
            target: center,
        };
        let mut camera = Camera::new(pose, self.about.handedness);
        camera.frame(bounds, aspect);
        camera
    }

    /// The materials most used for tops and for sides; two different ones if the map has several.
    fn most_used_materials(&self) -> [u16; 2] {
        let most_used = |use_: usize, except: Option<usize>| {
            let uses = self.counts.materials.iter().enumerate();
            let uses = uses.filter(|(i, uses)| uses[use_] > 0 && Some(*i) != except);
            uses.max_by_key(|(_, uses)| uses[use_]).map(|(i, _)| i)
        };
        let top = most_used(0, None).unwrap_or(0);
        let side = most_used(1, Some(top)).unwrap_or(top);
        [top, side].map(|index| index as u16)
    }
}

/// A tile moved closer to the height of another one, within the limit.
fn with_height_near(mut tile: Tile, other: &Shape) -> Tile {
    let shape = Shape::of(&tile);
    let above = shape.lowest() - (other.highest() + MAX_NEIGHBOR_LEVELS);
    let below = other.lowest() - MAX_NEIGHBOR_LEVELS - shape.highest();
    let level = i32::from(tile.base_height) - above.max(0) + below.max(0);
    tile.base_height = level.clamp(-99, 99) as i8;
    tile
}

#[cfg(test)]
mod tests {
    use crate::Places as _;
    use glam::Vec2;

    use super::super::geometry::BORDER_LEVEL;
    use super::super::pack::Packed;
    use super::*;
    use crate::{OpenOptions, Progress, Shown, demo};

    fn with_demo(test: impl FnOnce(&Terrain)) {
        let source = demo::TERRAIN.source();
        let map = mapscope_formats::pfmap::read(&source.bytes).unwrap();
        let (options, progress) = (OpenOptions::default(), Progress::default());
        test(&Terrain::build(map, &source, &options, &progress).unwrap());
    }

    /// Row and column of each of the nine tiles.
    fn places() -> impl Iterator<Item = (u32, u32)> {
        PATCH_TILES.flat_map(|row| PATCH_TILES.map(move |col| (row, col)))
    }

    #[test]
    fn the_tiles_stand_in_the_middle_of_level_ground_below_them() {
        with_demo(|map| {
            let tiles: [Tile; 9] = std::array::from_fn(|i| {
                let mut tile = Tile::default();
                tile.kind = TileType::ALL[i];
                tile.base_height = 3 + i as i8;
                tile.ramp_height = 2;
                tile.top_material = i as u16 % 9;
                tile
            });
            let patch = map.patch(&tiles);
            assert_eq!([patch.map().rows(), patch.map().cols()], [CHUNK_SIDE; 2]);
            for ((row, col), tile) in places().zip(&tiles) {
                assert_eq!(patch.map().tile(row, col), Some(tile), "{row}, {col}");
            }
            let levels = (0..CHUNK_SIDE).flat_map(|row| (0..CHUNK_SIDE).map(move |col| (row, col)));
            let around = levels.filter(|place| !places().any(|other| other == *place));
            for (row, col) in around {
                let tile = patch.map().tile(row, col).unwrap();
                assert_eq!(Shape::of(tile).corners, [2; 4], "{row}, {col}");
            }
            // The material continues around the tiles.
            assert_eq!(patch.map().tile(0, 0).unwrap().top_material, 0);
            assert_eq!(patch.map().tile(31, 31).unwrap().top_material, 8);
        });
    }

    #[test]
    fn only_the_nine_tiles_and_their_sides_are_drawn() {
        with_demo(|map| {
            let patch = map.patch(&[Tile::default(); 9]);
            let packed = &patch.relief().packed;
            let area =
                |rect: &u32| (Packed::WIDTH.get(*rect) + 1) * (Packed::HEIGHT.get(*rect) + 1);
            let flat: u32 = packed.rects.iter().map(area).sum();
            assert_eq!(flat as usize + packed.tops.len(), 9);
            assert_eq!(packed.sides.len(), 12);
            let foot = BORDER_LEVEL.min(-FOOT_LEVELS);
            assert_eq!(packed.chunks[0].all.levels, [foot, 0]);
            assert!(!packed.chunks[0].has_water);
            let mut under_water = [Tile::default(); 9];
            under_water[0].base_height = -2;
            assert!(map.patch(&under_water).relief().packed.chunks[0].has_water);
        });
    }

    #[test]
    fn a_showcase_has_its_type_in_the_middle_of_ground_without_steps() {
        with_demo(|map| {
            for kind in TileType::ALL {
                let patch = map.showcase_patch(kind);
                assert_eq!(patch.map().tile(CENTER, CENTER).unwrap().kind, kind);
                let shape = |row, col| Shape::of(patch.map().tile(row, col).unwrap());
                for (row, col) in places() {
                    let own = shape(row, col);
                    for (edge, row, col) in
                        [(Edge::South, row + 1, col), (Edge::East, row, col + 1)]
                    {
                        if places().any(|place| place == (row, col)) {
                            let other = shape(row, col).edge(edge.opposite());
                            assert_eq!(own.edge(edge), other, "{kind}: {row}, {col}");
                        }
                    }
                }
            }
        });
    }

    #[test]
    fn a_deep_or_high_tile_is_in_the_middle_of_its_view() {
        with_demo(|map| {
            for base_height in [-99, -3, 0, 99] {
                let mut tiles = [Tile::default(); 9];
                tiles[4].base_height = base_height;
                let patch = map.patch(&tiles);
                let camera = patch.patch_camera(4.0 / 3.0);
                let center = patch.tile_center(CENTER, CENTER);
                let at = camera.project(center, 4.0 / 3.0).unwrap();
                assert!((at - 0.5).abs().max_element() < 0.3, "{base_height}: {at}");
                let tile = patch.map().tile(CENTER, CENTER).unwrap();
                assert_eq!(tile.base_height, base_height);
                // No surrounding wall hides more of it than this.
                let neighbor = patch.map().tile(CENTER + 1, CENTER).unwrap();
                assert!((neighbor.base_height - base_height).abs() <= 4);
            }
        });
    }

    #[test]
    fn the_heights_of_any_tile_can_be_shown() {
        with_demo(|map| {
            for base_height in [-99, 0, 99] {
                let mut tiles = [Tile::default(); 9];
                tiles[4].kind = TileType::CornerConvexSw;
                tiles[4].base_height = base_height;
                tiles[4].ramp_height = 99;
                let patch = map.patch(&tiles);
                let aspect = 4.0 / 3.0;
                let camera = patch.patch_camera(aspect);
                for [a, b] in patch.contour(Terrain::patch_center(), &Shown::default()) {
                    for point in [a, b] {
                        let at = camera.project(point, aspect).unwrap();
                        let inside = at.cmpgt(Vec2::ZERO).all() && at.cmplt(Vec2::ONE).all();
                        assert!(inside, "{base_height}: {at}");
                    }
                }
            }
        });
    }
}
