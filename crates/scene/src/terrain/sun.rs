//! The shadow that terrain casts on itself, worked out once for the engine's one sun.
//!
//! The sun does not move, and neither does the ground, so there is no shadow map to draw: for
//! every texel it is known up to which height the shadow of what stands toward the sun reaches.

use glam::{Vec2, Vec3};
use half::f16;

use super::geometry::{LEVEL_HEIGHT, Shape, TILE_SIDE};
use crate::parallel::share_out;
use mapscope_formats::pfmap::Pfmap;

/// Unit vector toward the sun: the light seen from the origin.
pub const TO_SUN: Vec3 = Vec3::new(0.835_673, 0.514_260, 0.192_848);

/// How far below the ground a texel in the sun says that the shadow ends. Between it and a
/// shadow above the ground lies the border that filtering finds.
const LIT_DEPTH: f32 = 8.0;

/// For each texel the world height below which it is in shadow.
#[derive(Debug)]
pub struct ShadowMap {
    /// Texels for each tile, along each side.
    pub texels_per_tile: u32,
    /// Texels from west to east and from north to south.
    pub size: [u32; 2],
    /// World heights, in rows from the north-west.
    pub heights: Vec<f16>,
}

impl ShadowMap {
    /// Follows the sun's light over a map. Also says of each tile whether shadow falls on it.
    ///
    /// A level map gets a single texel. Otherwise there are four texels along a tile's side on
    /// maps up to 16 chunks wide and two on wider ones.
    pub fn cast(map: &Pfmap) -> (Self, Vec<bool>) {
        let flat = |t: &mapscope_formats::pfmap::Tile| {
            t.base_height == map.tiles[0].base_height && (t.kind as u8 == 0 || t.ramp_height == 0)
        };
        if map.tiles.is_empty() || map.tiles.iter().all(flat) {
            let lit = Self {
                texels_per_tile: 1,
                size: [1, 1],
                heights: vec![f16::from_f32(-1000.0)],
            };
            return (lit, vec![false; map.tiles.len()]);
        }
        let scale = if map.rows().max(map.cols()) <= 512 {
            4
        } else {
            2
        };
        let (rows, cols) = (map.rows() * scale, map.cols() * scale);
        let heights = march(map, scale);
        let shaded = shaded_tiles(map, scale, &heights);
        let shadow = Self {
            texels_per_tile: scale,
            size: [cols, rows],
            heights: heights.into_iter().map(f16::from_f32).collect(),
        };
        (shadow, shaded)
    }
}

/// Follows lines of light over the map, away from the sun, all by one column at a time: the shadow
/// on a line is as high as the ground or the shadow one column nearer to the sun, less what the
/// light has sunk since. Lines run a little to the north as they go east, so a texel lies between
/// two of them.
fn march(map: &Pfmap, scale: u32) -> Vec<f32> {
    let (rows, cols) = ((map.rows() * scale) as usize, (map.cols() * scale) as usize);
    let texel = TILE_SIDE / scale as f32;
    let sink = texel * TO_SUN.y / TO_SUN.x;
    // Rows that a line is further north with each column: south is +Z, and east -X.
    let north = TO_SUN.z / TO_SUN.x;
    let ground = ground_heights(map, scale);
    let mut heights = vec![0.0_f32; rows * cols];
    let mut lines = vec![f32::MIN; rows + (north * cols as f32) as usize + 2];
    for col in 0..cols {
        let (whole, part) = (
            (north * col as f32).floor() as usize,
            (north * col as f32).fract(),
        );
        for row in 0..rows {
            let [a, b] = [lines[row + whole], lines[row + whole + 1]];
            let shadow = a + (b - a) * part;
            heights[row * cols + col] = shadow.max(ground[row * cols + col] - LIT_DEPTH);
        }
        // The nearest line to each texel goes on over its ground.
        let first = whole + usize::from(part > 0.5);
        for line in &mut lines {
            *line -= sink;
        }
        for row in 0..rows {
            let line = &mut lines[row + first];
            *line = line.max(ground[row * cols + col] - sink);
        }
    }
    heights
}

/// World heights of the ground at the middle of each texel.
fn ground_heights(map: &Pfmap, scale: u32) -> Vec<f32> {
    let cols = map.cols() as usize;
    let wide = cols * scale as usize;
    let mut ground = vec![0.0; map.tiles.len() * (scale * scale) as usize];
    let row_texels = wide * scale as usize;
    share_out(&mut ground, row_texels, |first, part| {
        let first_row = first / row_texels;
        for (i, line) in part.chunks_exact_mut(wide).enumerate() {
            let row = first_row + i / scale as usize;
            let v = ((i % scale as usize) as f32 + 0.5) / scale as f32;
            for (col, texels) in line.chunks_exact_mut(scale as usize).enumerate() {
                let shape = Shape::of(&map.tiles[row * cols + col]);
                for (x, texel) in texels.iter_mut().enumerate() {
                    let uv = Vec2::new((x as f32 + 0.5) / scale as f32, v);
                    *texel = shape.level_at(uv) * LEVEL_HEIGHT;
                }
            }
        }
    });
    ground
}

/// The tiles over which any shadow lies, with those next to them, which filtering reaches.
fn shaded_tiles(map: &Pfmap, scale: u32, heights: &[f32]) -> Vec<bool> {
    let mut tiles = vec![false; map.tiles.len()];
    let (rows, cols) = (map.rows() as usize, map.cols() as usize);
    let wide = cols * scale as usize;
    for (row, lines) in heights.chunks_exact(wide * scale as usize).enumerate() {
        for col in 0..cols {
            let at = row * cols + col;
            let lowest = Shape::of(&map.tiles[at]).lowest() as f32 * LEVEL_HEIGHT;
            let shaded = lines.chunks_exact(wide).any(|line| {
                let texels = &line[col * scale as usize..(col + 1) * scale as usize];
                texels.iter().any(|&h| h > lowest - 1.0)
            });
            if shaded {
                for r in row.saturating_sub(1)..(row + 2).min(rows) {
                    for c in col.saturating_sub(1)..(col + 2).min(cols) {
                        tiles[r * cols + c] = true;
                    }
                }
            }
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::environment::LIGHT_POSITION;
    use mapscope_formats::pfmap::{self, CHUNK_SIDE, Tile};

    /// A map of one level chunk with a block of tiles that stands `level` levels high.
    fn with_block(level: i8) -> Pfmap {
        let mut map = pfmap::read(&mapscope_testdata::synthesize::pfmap(1, 1, 1)).unwrap();
        for (i, tile) in map.tiles.iter_mut().enumerate() {
            let (row, col) = (i as u32 / CHUNK_SIDE, i as u32 % CHUNK_SIDE);
            *tile = Tile::default();
            if (10..14).contains(&row) && (10..14).contains(&col) {
                tile.base_height = level;
            }
        }
        map
    }

    #[test]
    fn the_sun_stands_where_the_game_has_it() {
        let toward = LIGHT_POSITION.normalize();
        assert!((toward - TO_SUN).length() < 1e-5);
    }

    #[test]
    fn a_block_casts_its_shadow_to_the_east() {
        let map = with_block(4);
        let (shadow, shaded) = ShadowMap::cast(&map);
        let is_shaded = |row: usize, col: usize| shaded[row * CHUNK_SIDE as usize + col];
        // 16 units high under a sun of 31 degrees: about 26 units, or three tiles, long.
        assert!(is_shaded(11, 14) && is_shaded(11, 16));
        assert!(
            !is_shaded(11, 7) && !is_shaded(11, 20),
            "not to the west, nor further"
        );
        assert!(
            !is_shaded(20, 12) && !is_shaded(3, 12),
            "hardly to north and south"
        );
        let texel = |tile_row: f32, tile_col: f32| {
            let scale = shadow.texels_per_tile as f32;
            let (row, col) = ((tile_row * scale) as u32, (tile_col * scale) as u32);
            shadow.heights[(row * shadow.size[0] + col) as usize]
        };
        assert!(texel(12.0, 14.5) > f16::from_f32(4.0), "over the ground");
        assert!(texel(12.0, 5.0) < f16::ZERO, "below it");
    }

    #[test]
    fn level_ground_has_no_shadow_and_no_texture_for_it() {
        let (shadow, shaded) = ShadowMap::cast(&with_block(0));
        assert_eq!(shadow.size, [1, 1]);
        assert!(shaded.iter().all(|shaded| !shaded));
    }

    #[test]
    fn a_long_shadow_is_as_wide_as_what_casts_it() {
        let (shadow, _) = ShadowMap::cast(&with_block(9));
        let scale = shadow.texels_per_tile;
        // Texels in shadow in the column of texels this many tiles east of the block.
        let width = |tiles: u32| {
            let col = (14 + tiles) * scale;
            let rows = 0..shadow.size[1];
            let at = |row: u32| shadow.heights[(row * shadow.size[0] + col) as usize];
            rows.filter(|row| at(*row) > f16::ZERO).count()
        };
        // The light comes a little from the south, so the block's depth of four tiles adds one.
        let widths = 4 * scale as usize..=5 * scale as usize + 1;
        for tiles in [0, 2, 4] {
            assert!(widths.contains(&width(tiles)), "{tiles}: {}", width(tiles));
        }
    }
}
