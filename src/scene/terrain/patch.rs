//! A few tiles by themselves: small maps that look as the open one does, for pictures of single
//! tiles.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;

use super::Terrain;
use super::geometry::{LEVEL_HEIGHT, Shape};
use crate::formats::pfmap::{CHUNK_SIDE, CHUNK_TILES, Layout, Pfmap, Tile, TileType};
use crate::scene::camera::{Camera, Pose};
use crate::scene::{Document, Item};

/// Rows, and columns, of a patch in which its nine tiles are.
pub const PATCH_TILES: Range<u32> = CENTER - 1..CENTER + 2;

/// Row, and column, of the tile in the middle of a patch.
const CENTER: u32 = CHUNK_SIDE / 2;

/// Levels from the lowest of the nine tiles down to the foot of the patch.
const FOOT_LEVELS: i32 = 1;

/// Levels by which a type's raised corners are raised in its showcase. With more than one the slopes
/// show the side material.
const SHOWCASE_RAMP: u8 = 2;

/// Where the eye of [`Terrain::patch_camera`] looks, in world space: to the north-east and down.
const LINE_OF_SIGHT: Vec3 = Vec3::new(-0.5, -1.8, -1.0);

impl Terrain {
    /// Nine tiles by themselves, in the materials of this map, whose textures they share: a map of
    /// one chunk of which only the tiles in the rows and columns [`PATCH_TILES`] are drawn.
    ///
    /// The tiles are in three rows from the north-west. They stand out from level ground below
    /// them, so that they have sides all around, and each goes on there in its own materials.
    pub fn patch(&self, tiles: &[Tile; 9]) -> Self {
        let lowest = tiles.iter().map(|tile| Shape::of(tile).lowest());
        let lowest = lowest.fold(i32::MAX, i32::min);
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
        };
        let textures = Arc::clone(&self.textures);
        let drawn = [PATCH_TILES, PATCH_TILES];
        let mut report = |_| Ok::<_, Infallible>(());
        let Ok(mut patch) = Self::assemble(self.path.clone(), map, textures, drawn, &mut report);
        for chunk in &mut patch.packed.chunks {
            // The foot may reach below the water even if none of the tiles does.
            chunk.has_water = lowest < 0;
        }
        patch
    }

    /// A tile of a type among neighbours that continue its edges, so that slopes join high and low
    /// ground, in the materials that this map has most of.
    pub fn kind_patch(&self, kind: TileType) -> Self {
        let raised = Shape::raised_corners(kind);
        let [top_material, side_material] = self.usual_materials();
        let tiles = std::array::from_fn(|i| {
            // Of the four points along each axis between and around three tiles the outer ones are
            // as high as the inner ones next to them.
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
            // Seen without blending it is plain which halves are sloped.
            for edge in [13, 14, 17, 18, 19, 20] {
                tile.set_digit(edge, 0);
            }
            tile.top_material = top_material;
            tile.side_material = side_material;
            tile
        });
        self.patch(&tiles)
    }

    /// The tile in the middle of a patch.
    pub fn patch_center(&self) -> Item {
        self.tile_item(CENTER, CENTER)
    }

    /// A camera that has the nine tiles of a patch in a picture of this aspect ratio (width over
    /// height). Patches as high as the showcase of a slope, or lower, are all seen from one place.
    pub fn patch_camera(&self, aspect: f32) -> Camera {
        let mut bounds = self.tiles_bounds(PATCH_TILES, PATCH_TILES);
        bounds.min.y -= FOOT_LEVELS as f32 * LEVEL_HEIGHT;
        let least = f32::from(SHOWCASE_RAMP) * LEVEL_HEIGHT;
        bounds.max.y = bounds.max.y.max(bounds.min.y + least);
        let center = bounds.center();
        let pose = Pose {
            eye: center - LINE_OF_SIGHT,
            target: center,
        };
        let mut camera = Camera::new(pose, self.handedness());
        camera.frame(bounds, aspect);
        camera
    }

    /// The materials that most tiles of the map have on top and at their sides; another one at the
    /// sides, if there is one.
    fn usual_materials(&self) -> [u16; 2] {
        let most = |use_: usize, except: Option<usize>| {
            let uses = self.material_uses.iter().enumerate();
            let uses = uses.filter(|(i, uses)| uses[use_] > 0 && Some(*i) != except);
            uses.max_by_key(|(_, uses)| uses[use_]).map(|(i, _)| i)
        };
        let top = most(0, None).unwrap_or(0);
        let side = most(1, Some(top)).unwrap_or(top);
        [top, side].map(|index| index as u16)
    }
}
