//! The shadow that terrain casts on itself, worked out once for the one sun of a map or scene.
//!
//! The sun does not move, and neither does the ground, so there is no shadow map to draw: for
//! every texel it is known up to which height the shadow of what stands toward the sun reaches.

use glam::{Vec2, Vec3};
use half::f16;

use super::geometry::{LEVEL_HEIGHT, Shape, TILE_SIDE};
use crate::parallel::share_out;
use mapscope_formats::pfmap::Pfmap;

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
    /// `to_sun` is the unit vector toward the sun; none where it casts no shadows.
    ///
    /// A level map gets a single texel. Otherwise there are four texels along a tile's side on
    /// maps up to 16 chunks wide and two on wider ones.
    pub fn cast(map: &Pfmap, to_sun: Option<Vec3>) -> (Self, Vec<bool>) {
        let flat = |t: &mapscope_formats::pfmap::Tile| {
            t.base_height == map.tiles[0].base_height && (t.kind as u8 == 0 || t.ramp_height == 0)
        };
        let to_sun = to_sun.filter(|_| !map.tiles.iter().all(flat));
        let Some(to_sun) = to_sun else {
            let lit = Self {
                texels_per_tile: 1,
                size: [1, 1],
                heights: vec![f16::from_f32(-1000.0)],
            };
            return (lit, vec![false; map.tiles.len()]);
        };
        let scale = if map.rows().max(map.cols()) <= 512 {
            4
        } else {
            2
        };
        let (rows, cols) = (map.rows() * scale, map.cols() * scale);
        let heights = march(map, scale, to_sun);
        let shaded = shaded_tiles(map, scale, &heights);
        let shadow = Self {
            texels_per_tile: scale,
            size: [cols, rows],
            heights: heights.into_iter().map(f16::from_f32).collect(),
        };
        (shadow, shaded)
    }
}

/// The way of the light over the texels of a map: along one axis by a texel with each step, and across
/// it by less. Lanes are what lies beside each other along the other axis, counted so that the light
/// moves to lower ones.
struct March {
    steps: usize,
    lanes: usize,
    /// Lanes that the light moves with each step.
    drift: f32,
    /// World units that it sinks in each step of one unit.
    slope: f32,
    /// The index of the first lane of the first step, and how far apart lanes and steps are.
    first: usize,
    lane_stride: isize,
    step_stride: isize,
}

impl March {
    /// `to_sun` points above the horizon. South is +Z, and east -X.
    fn new([rows, cols]: [usize; 2], to_sun: Vec3) -> Self {
        let is_along_row = to_sun.x.abs() >= to_sun.z.abs();
        let (steps, lanes, along, across) = if is_along_row {
            (cols, rows, to_sun.x, to_sun.z)
        } else {
            (rows, cols, to_sun.z, to_sun.x)
        };
        // The sun is beyond the first column where x is positive, and beyond the last row where z is.
        let begins_last = (along < 0.0) == is_along_row;
        // Light from the south moves to lower rows; from the west it moves to higher columns.
        let is_reversed = (across < 0.0) == is_along_row;
        let (step, lane) = if is_along_row { (1, cols) } else { (cols, 1) };
        let signed = |stride: usize, is_reversed: bool| {
            let stride = stride.cast_signed();
            if is_reversed { -stride } else { stride }
        };
        // Straight down, light still goes somewhere.
        let along = along.abs().max(1e-3);
        Self {
            steps,
            lanes,
            drift: across.abs() / along,
            slope: to_sun.y / along,
            first: usize::from(begins_last) * (steps - 1) * step
                + usize::from(is_reversed) * (lanes - 1) * lane,
            lane_stride: signed(lane, is_reversed),
            step_stride: signed(step, begins_last),
        }
    }

    /// The index of a texel.
    fn texel(&self, step: usize, lane: usize) -> usize {
        let moved = step.cast_signed() * self.step_stride + lane.cast_signed() * self.lane_stride;
        self.first.wrapping_add_signed(moved)
    }
}

/// Follows lines of light over the map, away from the sun, all by one texel at a time along the axis
/// that is nearest to their way: the shadow on a line is as high as the ground or the shadow one texel
/// nearer to the sun, less what the light has sunk since. Lines run across the other axis as well, so
/// that a texel lies between two of them.
fn march(map: &Pfmap, scale: u32, to_sun: Vec3) -> Vec<f32> {
    let (rows, cols) = ((map.rows() * scale) as usize, (map.cols() * scale) as usize);
    let way = March::new([rows, cols], to_sun);
    let sink = TILE_SIDE / scale as f32 * way.slope;
    let ground = ground_heights(map, scale);
    let mut heights = vec![0.0_f32; rows * cols];
    let mut lines = vec![f32::MIN; way.lanes + (way.drift * way.steps as f32) as usize + 2];
    for step in 0..way.steps {
        let moved = way.drift * step as f32;
        let (whole, part) = (moved.floor() as usize, moved.fract());
        for lane in 0..way.lanes {
            let [a, b] = [lines[lane + whole], lines[lane + whole + 1]];
            let shadow = a + (b - a) * part;
            let at = way.texel(step, lane);
            heights[at] = shadow.max(ground[at] - LIT_DEPTH);
        }
        // The nearest line to each texel goes on over its ground.
        let first = whole + usize::from(part > 0.5);
        for line in &mut lines {
            *line -= sink;
        }
        for lane in 0..way.lanes {
            let line = &mut lines[lane + first];
            *line = line.max(ground[way.texel(step, lane)] - sink);
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
    use crate::Sun;
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

    /// The shadow in the sun of the game: from the west, slightly south.
    fn cast(map: &Pfmap) -> (ShadowMap, Vec<bool>) {
        ShadowMap::cast(map, Sun::default().casting_direction())
    }

    #[test]
    fn a_shadow_falls_away_from_the_sun_wherever_that_is() {
        let map = with_block(6);
        let directions = (0..16).map(|i| (i as f32 * 22.5 + 3.0).to_radians());
        for azimuth in directions {
            let to_sun = Vec3::new(azimuth.cos(), 0.7, azimuth.sin()).normalize();
            let (shadow, shaded) = ShadowMap::cast(&map, Some(to_sun));
            // Columns run against x, and rows along z; the middle of the block is at 12.
            let ground_way = Vec2::new(to_sun.x, -to_sun.z).normalize();
            let height = |tiles: f32| {
                let at = Vec2::splat(12.0) + ground_way * tiles;
                let texel = (at * shadow.texels_per_tile as f32).as_uvec2();
                shadow.heights[(texel.y * shadow.size[0] + texel.x) as usize].to_f32()
            };
            // 24 units high: the shadow is 34 units, or 4.3 tiles, long; the block ends after 2 to 3.
            for (tiles, in_shadow) in [(3.2, true), (4.0, true), (8.5, false), (-3.5, false)] {
                let height = height(tiles);
                assert_eq!(
                    height > 0.0,
                    in_shadow,
                    "{azimuth}, {tiles} tiles: {height}"
                );
                let at = Vec2::splat(12.0) + ground_way * tiles;
                let tile = at.y as usize * CHUNK_SIDE as usize + at.x as usize;
                assert!(shaded[tile] || !in_shadow, "{azimuth}");
            }
            // It sinks as the light does.
            let sunk = (height(3.2) - height(4.2)) / TILE_SIDE;
            assert!((sunk - 0.7).abs() < 0.2, "{azimuth}: {sunk}");
        }
    }

    #[test]
    fn a_sun_above_all_or_below_the_horizon_casts_no_shadow_on_level_ground() {
        let map = with_block(6);
        let (_, shaded) = ShadowMap::cast(&map, Some(Vec3::Y));
        let far = |tile: usize| {
            let (row, col) = (tile / CHUNK_SIDE as usize, tile % CHUNK_SIDE as usize);
            !(8..16).contains(&row) || !(8..16).contains(&col)
        };
        assert!(
            (0..shaded.len())
                .filter(|tile| far(*tile))
                .all(|tile| !shaded[tile])
        );
        for position in [Vec3::new(5.0, 0.0, 1.0), Vec3::new(0.0, -3.0, 1.0)] {
            let sun = Sun {
                position,
                ..Sun::default()
            };
            let (shadow, shaded) = ShadowMap::cast(&map, sun.casting_direction());
            assert!(shadow.size == [1, 1] && !shaded.contains(&true));
        }
    }

    #[test]
    fn a_block_casts_its_shadow_to_the_east() {
        let map = with_block(4);
        let (shadow, shaded) = cast(&map);
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
        let (shadow, shaded) = cast(&with_block(0));
        assert_eq!(shadow.size, [1, 1]);
        assert!(shaded.iter().all(|shaded| !shaded));
    }

    #[test]
    fn a_long_shadow_is_as_wide_as_what_casts_it() {
        let (shadow, _) = cast(&with_block(9));
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
