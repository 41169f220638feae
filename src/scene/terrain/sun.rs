//! The shadow that terrain casts on itself, worked out once for the engine's one sun.
//!
//! The sun does not move, and neither does the ground, so there is no shadow map to draw: for
//! every texel it is known up to which height the shadow of what stands toward the sun reaches.

use std::num::NonZero;

use glam::{Vec2, Vec3};

use super::geometry::{LEVEL_HEIGHT, Shape, TILE_SIDE};
use crate::formats::pfmap::Pfmap;

/// Unit vector toward the sun: light position (1664, 1024, 384) seen from the origin, as the game
/// and its editor set it (fact sheet A10).
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
    /// World heights as half-precision floats, in rows from the north-west.
    pub heights: Vec<u16>,
}

impl ShadowMap {
    /// Follows the sun's light over a map. Also says of each tile whether shadow falls on it.
    ///
    /// A level map gets a single texel. Otherwise there are four texels along a tile's side on
    /// maps up to 16 chunks wide and two on wider ones.
    pub fn cast(map: &Pfmap) -> (Self, Vec<bool>) {
        let flat = |t: &crate::formats::pfmap::Tile| {
            t.base_height == map.tiles[0].base_height && (t.kind as u8 == 0 || t.ramp_height == 0)
        };
        if map.tiles.is_empty() || map.tiles.iter().all(flat) {
            let lit = Self {
                texels_per_tile: 1,
                size: [1, 1],
                heights: vec![half(-1000.0)],
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
            heights: heights.into_iter().map(half).collect(),
        };
        (shadow, shaded)
    }
}

/// Goes over the map from the sun's side, column by column: the shadow over a texel is that of the
/// place one column nearer to the sun, or of the ground there, less what the light has sunk.
fn march(map: &Pfmap, scale: u32) -> Vec<f32> {
    let (rows, cols) = ((map.rows() * scale) as usize, (map.cols() * scale) as usize);
    let texel = TILE_SIDE / scale as f32;
    let sink = texel * TO_SUN.y / TO_SUN.x;
    // South is +Z: the sun stands slightly to the south.
    let south = TO_SUN.z / TO_SUN.x;
    let ground = ground_heights(map, scale);
    let mut heights = vec![0.0_f32; rows * cols];
    let mut before = vec![f32::MIN; rows + 1];
    for col in 0..cols {
        for row in 0..rows {
            let here = ground[row * cols + col];
            let shadow = if col == 0 {
                f32::MIN
            } else {
                before[row] * (1.0 - south) + before[row + 1] * south - sink
            };
            heights[row * cols + col] = shadow.max(here - LIT_DEPTH);
        }
        for row in 0..rows {
            before[row] = heights[row * cols + col].max(ground[row * cols + col]);
        }
        before[rows] = before[rows - 1];
    }
    heights
}

/// World heights of the ground at the middle of each texel.
fn ground_heights(map: &Pfmap, scale: u32) -> Vec<f32> {
    let cols = map.cols() as usize;
    let wide = cols * scale as usize;
    let mut ground = vec![0.0; map.tiles.len() * (scale * scale) as usize];
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let rows_each = (map.rows() as usize).div_ceil(threads).max(1);
    let fill = |first_row: usize, part: &mut [f32]| {
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
    };
    std::thread::scope(|scope| {
        for (i, part) in ground
            .chunks_mut(rows_each * scale as usize * wide)
            .enumerate()
        {
            scope.spawn(move || fill(i * rows_each, part));
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

/// A half-precision float, for heights: rounds toward zero and knows no infinities.
fn half(value: f32) -> u16 {
    let bits = value.clamp(-2000.0, 2000.0).to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    if exponent <= 0 {
        return sign;
    }
    sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pfmap::{self, CHUNK_SIDE, Tile};

    /// A map of one level chunk with a block of tiles that stands `level` levels high.
    fn with_block(level: i8) -> Pfmap {
        let mut map = pfmap::read(&pfmap::synthesize(1, 1, 1)).unwrap();
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
        let toward = Vec3::new(1664.0, 1024.0, 384.0).normalize();
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
        assert!(
            texel(12.0, 14.5) < 0x8000 && texel(12.0, 14.5) > half(4.0),
            "over the ground"
        );
        assert!(texel(12.0, 5.0) >= 0x8000, "below it");
    }

    #[test]
    fn level_ground_has_no_shadow_and_no_texture_for_it() {
        let (shadow, shaded) = ShadowMap::cast(&with_block(0));
        assert_eq!(shadow.size, [1, 1]);
        assert!(shaded.iter().all(|shaded| !shaded));
    }

    #[test]
    fn heights_are_half_precision_floats() {
        for (value, bits) in [(0.0, 0), (1.0, 0x3c00), (-2.0, 0xc000), (36.5, 0x5090)] {
            assert_eq!(half(value), bits, "{value}");
        }
    }
}
