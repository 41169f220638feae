//! The shadow that terrain casts on itself, computed once for the single sun of a map or scene.
//!
//! Neither the sun nor the ground moves, so no shadow map is rendered. Instead, each texel stores
//! the height up to which the shadow of the terrain toward the sun reaches.

use std::convert::Infallible;
use std::ops::Range;

use glam::{Vec2, Vec3};
use half::f16;
use half::slice::HalfFloatSliceExt as _;

use super::geometry::{LEVEL_HEIGHT, Shape, TILE_SIDE};
use crate::core::parallel::{Step, in_order};
use mapscope_formats::pfmap::{CHUNK_SIDE, Pfmap, TileType};

/// Depth of the stored shadow height below the ground for lit texels. Filtering finds the shadow
/// border between this and a shadow above the ground.
const LIT_DEPTH: f32 = 8.0;

/// Maximum side in tiles of a map with the finest shadow.
const MAX_FINE_SIDE: u32 = 16 * CHUNK_SIDE;
/// Maximum side in tiles of a map with the middle resolution: 8192 texels, which all devices
/// support.
const MAX_MIDDLE_SIDE: u32 = 128 * CHUNK_SIDE;
/// Maximum step of 8-bit heights in world units: a third of the width of a shadow's border in
/// `shadow.wgsl`.
const MAX_STEP: f32 = 0.4;

/// For each texel, the world height below which it is in shadow.
#[derive(Debug)]
pub struct ShadowMap {
    /// Number of texels along a side of a tile.
    pub texels_per_tile: u32,
    /// Width (west to east) and height (north to south) in texels.
    pub size: [u32; 2],
    /// World heights, row by row from the north-west.
    pub heights: Heights,
}

/// World heights, encoded in as few bits as their range allows.
#[derive(Debug, PartialEq)]
pub enum Heights {
    /// Unquantized heights.
    Half(Vec<f16>),
    /// Equal steps above the lowest height: half the memory, which matters on large maps.
    Quantized {
        /// The height of value 0.
        min: f32,
        /// Height of a step in world units.
        step: f32,
        /// The heights, in steps above the lowest one.
        values: Vec<u8>,
    },
}

impl Heights {
    /// The height at an index.
    pub fn at(&self, index: usize) -> Option<f32> {
        match self {
            Self::Half(heights) => heights.get(index).map(|height| height.to_f32()),
            Self::Quantized { min, step, values } => {
                let value = values.get(index);
                value.map(|value| min + f32::from(*value) * step)
            }
        }
    }

    /// The bytes of all heights, as a texture stores them.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Half(heights) => bytemuck::cast_slice(heights),
            Self::Quantized { values, .. } => values,
        }
    }
}

impl ShadowMap {
    /// An empty shadow.
    pub fn none() -> Self {
        Self {
            texels_per_tile: 1,
            size: [1, 1],
            heights: Heights::Half(vec![f16::from_f32(-1000.0)]),
        }
    }

    /// Computes the shadow of the sun over a map, and for each tile whether any shadow falls on it.
    /// `to_sun` is the unit vector toward the sun; `None` if it casts no shadows.
    ///
    /// A level map gets a single texel. Otherwise a tile has four texels per side on maps up to 16
    /// chunks wide, two up to 128 chunks, and one on wider maps. Above 16 chunks, heights have 8
    /// bits unless their range is too large.
    pub fn cast(map: &Pfmap, to_sun: Option<Vec3>) -> (Self, Vec<bool>) {
        let flat = |t: &mapscope_formats::pfmap::Tile| {
            t.base_height == map.tiles[0].base_height && (t.kind as u8 == 0 || t.ramp_height == 0)
        };
        let to_sun = to_sun.filter(|_| !map.tiles.iter().all(flat));
        let Some(to_sun) = to_sun else {
            return (Self::none(), vec![false; map.tiles.len()]);
        };
        let side = map.rows().max(map.cols());
        if side <= MAX_FINE_SIDE {
            Self::with_halves::<4>(map, to_sun)
        } else if side <= MAX_MIDDLE_SIDE {
            Self::with_few_bits::<2>(map, to_sun)
        } else {
            Self::with_few_bits::<1>(map, to_sun)
        }
    }

    fn with_few_bits<const SCALE: usize>(map: &Pfmap, to_sun: Vec3) -> (Self, Vec<bool>) {
        let [min, max] = range(map);
        let step = (max - min) / f32::from(u8::MAX);
        if step > MAX_STEP {
            return Self::with_halves::<SCALE>(map, to_sun);
        }
        let (values, shaded) = march::<SCALE, u8>(map, to_sun, |heights, values| {
            for (value, height) in values.iter_mut().zip(heights) {
                *value = ((height - min) / step + 0.5) as u8;
            }
        });
        let heights = Heights::Quantized { min, step, values };
        (Self::new::<SCALE>(map, heights), shaded)
    }

    fn with_halves<const SCALE: usize>(map: &Pfmap, to_sun: Vec3) -> (Self, Vec<bool>) {
        let (halves, shaded) = march::<SCALE, f16>(map, to_sun, |heights, halves| {
            halves.convert_from_f32_slice(heights);
        });
        (Self::new::<SCALE>(map, Heights::Half(halves)), shaded)
    }

    fn new<const SCALE: usize>(map: &Pfmap, heights: Heights) -> Self {
        Self {
            texels_per_tile: SCALE as u32,
            size: [map.cols(), map.rows()].map(|side| side * SCALE as u32),
            heights,
        }
    }
}

/// The lowest and the highest world height at which a shadow on a map can end.
fn range(map: &Pfmap) -> [f32; 2] {
    let levels = map.tiles.iter().map(|tile| {
        let base = i32::from(tile.base_height);
        [base, base + i32::from(tile.ramp_height)]
    });
    let all = levels.reduce(|all, of_tile| {
        let [low, high] = of_tile;
        [all[0].min(low), all[1].max(high)]
    });
    let [low, high] = all.unwrap_or_default().map(|level| level as f32);
    [low * LEVEL_HEIGHT - LIT_DEPTH, high * LEVEL_HEIGHT]
}

/// The path of the light over a grid: one cell per step along one axis, and less across it. Lanes
/// run along the other axis, numbered so that the light moves to lower lanes.
struct March {
    steps: usize,
    lanes: usize,
    /// `true` if steps go along rows, so that lanes are rows.
    is_along_row: bool,
    /// Number of lanes that the light moves per step.
    drift: f32,
    /// Descent of the light in world units per unit of a step.
    slope: f32,
    /// Index of the first lane of the first step, and the strides of lanes and steps.
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
        // The sun is beyond the first column if x is positive, and beyond the last row if z is
        // positive.
        let begins_last = (along < 0.0) == is_along_row;
        // Light from the south moves to lower rows; from the west it moves to higher columns.
        let is_reversed = (across < 0.0) == is_along_row;
        let (step, lane) = if is_along_row { (1, cols) } else { (cols, 1) };
        let signed = |stride: usize, is_reversed: bool| {
            let stride = stride.cast_signed();
            if is_reversed { -stride } else { stride }
        };
        // Avoids a division by zero for a sun straight above.
        let along = along.abs().max(1e-3);
        Self {
            steps,
            lanes,
            is_along_row,
            drift: across.abs() / along,
            slope: to_sun.y / along,
            first: usize::from(begins_last) * (steps - 1) * step
                + usize::from(is_reversed) * (lanes - 1) * lane,
            lane_stride: signed(lane, is_reversed),
            step_stride: signed(step, begins_last),
        }
    }

    /// The index of a cell.
    fn cell(&self, step: usize, lane: usize) -> usize {
        let moved = step.cast_signed() * self.step_stride + lane.cast_signed() * self.lane_stride;
        self.first.wrapping_add_signed(moved)
    }

    /// Reorders values stored step by step with stride `pitch` into rows. `put` receives the index
    /// of a row's first cell, and the values from there on.
    fn put_in_rows<T: Copy + Default>(
        &self,
        steps: Range<usize>,
        values: &[T],
        pitch: usize,
        mut put: impl FnMut(usize, &[T]),
    ) {
        let (rows, cells, stride) = if self.is_along_row {
            (self.lanes, steps.len(), self.step_stride)
        } else {
            (steps.len(), self.lanes, self.lane_stride)
        };
        let mut line = vec![T::default(); cells];
        for row in 0..rows {
            if self.is_along_row {
                for (cell, step) in line.iter_mut().zip(values[row..].chunks(pitch)) {
                    *cell = step[0];
                }
            } else {
                line.copy_from_slice(&values[row * pitch..][..cells]);
            }
            let ends = if self.is_along_row {
                [self.cell(steps.start, row), self.cell(steps.end - 1, row)]
            } else {
                [0, self.lanes - 1].map(|lane| self.cell(steps.start + row, lane))
            };
            if stride < 0 {
                line.reverse();
            }
            put(ends[0].min(ends[1]), &line);
        }
    }
}

/// Number of tiles processed together along the path of the light, enough to use whole cache lines
/// of a row.
const TILES_PER_STRIP: usize = 16;

/// Stride between steps in memory. It is not a power of two, so that vertically adjacent values do
/// not compete for the same cache lines.
const fn pitch(lanes: usize) -> usize {
    lanes + 16
}

/// Some steps of the ground in light order, step by step with stride [`pitch`].
struct Ground {
    /// World heights at the middle of texels.
    heights: Vec<f32>,
    /// For each tile, the world height above which shadow counts, slightly below its lowest corner.
    limits: Vec<f32>,
}

/// The ground of a map in light order.
struct GroundAlong<'a, const SCALE: usize> {
    map: &'a Pfmap,
    /// The path over tiles.
    tiles: March,
    /// The share of the ramp below each texel of a tile in light order, for each type of tile.
    raised: [[[f32; SCALE]; SCALE]; TileType::ALL.len()],
}

impl<'a, const SCALE: usize> GroundAlong<'a, SCALE> {
    fn new(map: &'a Pfmap, to_sun: Vec3) -> Self {
        let in_tile = March::new([SCALE; 2], to_sun);
        let raised = TileType::ALL.map(|kind| {
            let shape = Shape {
                corners: Shape::raised_corners(kind).map(i32::from),
                cut_from_north_west: Shape::is_cut_from_north_west(kind),
            };
            let at = |cell: usize| {
                let texel = Vec2::new((cell % SCALE) as f32, (cell / SCALE) as f32);
                shape.level_at((texel + 0.5) / SCALE as f32)
            };
            std::array::from_fn(|step| std::array::from_fn(|lane| at(in_tile.cell(step, lane))))
        });
        Self {
            map,
            tiles: March::new([map.rows() as usize, map.cols() as usize], to_sun),
            raised,
        }
    }

    /// The ground of some steps of tiles.
    fn of(&self, steps: Range<usize>) -> Ground {
        let lanes = self.tiles.lanes;
        let (pitch, tile_pitch) = (pitch(lanes * SCALE), pitch(lanes));
        let mut ground = Ground {
            heights: vec![0.0; steps.len() * SCALE * pitch],
            limits: vec![0.0; steps.len() * tile_pitch],
        };
        for lane in 0..lanes {
            for (i, step) in steps.clone().enumerate() {
                let tile = &self.map.tiles[self.tiles.cell(step, lane)];
                let (base, ramp) = (f32::from(tile.base_height), f32::from(tile.ramp_height));
                ground.limits[i * tile_pitch + lane] = base * LEVEL_HEIGHT - 1.0;
                for (line, raised) in (i * SCALE..).zip(&self.raised[tile.kind as usize]) {
                    let texels = &mut ground.heights[line * pitch + lane * SCALE..][..SCALE];
                    for (texel, raised) in texels.iter_mut().zip(raised) {
                        *texel = (base + ramp * raised) * LEVEL_HEIGHT;
                    }
                }
            }
        }
        ground
    }
}

/// Traces lines of light over the map, away from the sun, one texel per step along the dominant
/// axis. The shadow on a line is as high as the ground or the shadow one texel nearer to the sun,
/// minus the descent of the light. Lines also drift across the other axis, so that a texel lies
/// between two of them.
///
/// Tiles have `SCALE` texels per side; `encode` converts heights to texels. Also returns the tiles
/// with any shadow, plus their neighbours, which filtering reaches.
fn march<const SCALE: usize, T: Copy + Default>(
    map: &Pfmap,
    to_sun: Vec3,
    encode: impl Fn(&[f32], &mut [T]),
) -> (Vec<T>, Vec<bool>) {
    let size = [map.rows(), map.cols()].map(|side| side as usize);
    let ground = GroundAlong::<SCALE>::new(map, to_sun);
    let way = March::new(size.map(|side| side * SCALE), to_sun);
    let sink = TILE_SIDE / SCALE as f32 * way.slope;
    let mut heights = vec![T::default(); way.steps * way.lanes];
    let mut shaded = vec![false; map.tiles.len()];
    let mut lines = vec![f32::MIN; way.lanes + (way.drift * way.steps as f32) as usize + 2];
    let [pitch, tile_pitch] = [way.lanes, ground.tiles.lanes].map(pitch);
    let mut shadows = vec![0.0_f32; pitch * SCALE * TILES_PER_STRIP];
    let mut is_shaded = vec![false; tile_pitch * TILES_PER_STRIP];
    let tiles_of = |part: usize| {
        let first = part * TILES_PER_STRIP;
        first..(first + TILES_PER_STRIP).min(ground.tiles.steps)
    };
    let mut parts = 0..;
    let follow = |step: Step<Ground>| {
        let Step::Result(of_part) = step else {
            return Ok::<(), Infallible>(());
        };
        let tiles = tiles_of(parts.next().unwrap_or_default());
        let steps = tiles.start * SCALE..tiles.end * SCALE;
        let grounds = of_part.heights.chunks_exact(pitch);
        for ((step, ground), shadow) in steps.clone().zip(grounds).zip(shadows.chunks_mut(pitch)) {
            let moved = way.drift * step as f32;
            let (whole, part) = (moved.floor() as usize, moved.fract());
            let beside = lines[whole..].iter().zip(&lines[whole + 1..]);
            for ((shadow, ground), (a, b)) in shadow[..way.lanes].iter_mut().zip(ground).zip(beside)
            {
                *shadow = (a + (b - a) * part).max(ground - LIT_DEPTH);
            }
            // The nearest line to each texel continues over its ground.
            for line in &mut lines[whole..=whole + way.lanes] {
                *line -= sink;
            }
            let nearest = whole + usize::from(part > 0.5);
            for (line, ground) in lines[nearest..][..way.lanes].iter_mut().zip(ground) {
                *line = line.max(ground - sink);
            }
        }
        way.put_in_rows(steps, &shadows, pitch, |first, row| {
            encode(row, &mut heights[first..][..row.len()]);
        });
        let of_parts = is_shaded.chunks_exact_mut(tile_pitch);
        for ((i, limits), of_tiles) in (0..)
            .zip(of_part.limits.chunks_exact(tile_pitch))
            .zip(of_parts)
        {
            of_tiles.fill(false);
            for shadow in shadows[i * SCALE * pitch..].chunks(pitch).take(SCALE) {
                let texels = shadow[..way.lanes].as_chunks::<SCALE>().0;
                for ((is_shaded, limit), texels) in of_tiles.iter_mut().zip(limits).zip(texels) {
                    *is_shaded |= texels.iter().any(|height| height > limit);
                }
            }
        }
        ground
            .tiles
            .put_in_rows(tiles, &is_shaded, tile_pitch, |first, row| {
                shaded[first..][..row.len()].copy_from_slice(row);
            });
        Ok(())
    };
    let count = ground.tiles.steps.div_ceil(TILES_PER_STRIP);
    let Ok(()) = in_order(count, |part| ground.of(tiles_of(part)), follow);
    (heights, dilated(&shaded, size[1]))
}

/// Marked tiles, and all tiles that touch them.
fn dilated(marked: &[bool], cols: usize) -> Vec<bool> {
    let mut along_rows = marked.to_vec();
    let rows = along_rows.chunks_exact_mut(cols);
    for (dilated, row) in rows.zip(marked.chunks_exact(cols)) {
        for (dilated, west) in dilated[1..].iter_mut().zip(row) {
            *dilated |= west;
        }
        for (dilated, east) in dilated.iter_mut().zip(&row[1..]) {
            *dilated |= east;
        }
    }
    let mut dilated = along_rows.clone();
    for (dilated, north) in dilated[cols..].iter_mut().zip(&along_rows) {
        *dilated |= north;
    }
    for (dilated, south) in dilated.iter_mut().zip(&along_rows[cols..]) {
        *dilated |= south;
    }
    dilated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sun;
    use mapscope_formats::pfmap::{self, CHUNK_SIDE, Tile};

    /// A map of one level chunk with a block of tiles that is `level` levels high.
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

    /// The shadow of the game's sun: from the west, slightly south.
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
                shadow
                    .heights
                    .at((texel.y * shadow.size[0] + texel.x) as usize)
                    .unwrap()
            };
            // At 24 units of height, the shadow is 34 units, or 4.3 tiles, long; the block ends
            // after 2 to 3.
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
            // It descends with the light.
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
        // At 16 units of height and a sun at 31 degrees, the shadow is about 26 units, or three
        // tiles, long.
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
            shadow
                .heights
                .at((row * shadow.size[0] + col) as usize)
                .unwrap()
        };
        assert!(texel(12.0, 14.5) > 4.0, "over the ground");
        assert!(texel(12.0, 5.0) < 0.0, "below it");
    }

    #[test]
    fn level_ground_has_no_shadow_and_no_texture_for_it() {
        let (shadow, shaded) = cast(&with_block(0));
        assert_eq!(shadow.size, [1, 1]);
        assert!(shaded.iter().all(|shaded| !shaded));
    }

    #[test]
    fn on_large_maps_heights_take_8_bits_and_are_nearly_the_same() {
        let mut map = pfmap::read(&mapscope_testdata::synthesize::pfmap(17, 1, 1)).unwrap();
        let to_sun = Sun::default().casting_direction().unwrap();
        let (exact, exact_shaded) = ShadowMap::with_halves::<2>(&map, to_sun);
        let (shadow, shaded) = cast(&map);
        assert_eq!(
            shadow.heights.bytes().len() * 2,
            exact.heights.bytes().len()
        );
        assert!(shaded == exact_shaded && shadow.size == exact.size);
        let Heights::Quantized { step, .. } = shadow.heights else {
            panic!("in 8 bits");
        };
        let texels = 0..shadow.heights.bytes().len();
        let differences =
            texels.map(|i| (shadow.heights.at(i).unwrap() - exact.heights.at(i).unwrap()).abs());
        // A half-precision float has its own error of 1/64 at a height of 32.
        let worst = differences.fold(0.0, f32::max);
        assert!(
            worst > 0.0 && worst <= step / 2.0 + 1.0 / 64.0,
            "{worst}, {step}"
        );
        // 8 bits are insufficient for mountains.
        map.tiles[0].base_height = 30;
        assert!(matches!(cast(&map).0.heights, Heights::Half(_)));
    }

    #[test]
    fn a_long_shadow_is_as_wide_as_what_casts_it() {
        let (shadow, _) = cast(&with_block(9));
        let scale = shadow.texels_per_tile;
        // Shadowed texels in the column of texels this many tiles east of the block.
        let width = |tiles: u32| {
            let col = (14 + tiles) * scale;
            let rows = 0..shadow.size[1];
            let at = |row: u32| shadow.heights.at((row * shadow.size[0] + col) as usize);
            rows.filter(|row| at(*row).unwrap() > 0.0).count()
        };
        // The light comes from slightly south, so the block's depth of four tiles grows by one.
        let widths = 4 * scale as usize..=5 * scale as usize + 1;
        for tiles in [0, 2, 4] {
            assert!(widths.contains(&width(tiles)), "{tiles}: {}", width(tiles));
        }
    }
}
