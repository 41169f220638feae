//! Terrain textures without visible repetition: a complete set of Wang tiles, cut from the texture
//! by image quilting.
//!
//! A map tile shows [`CORE`] texels of its texture, at the texture's own scale but [`turned`] by 45
//! degrees (fact sheet A7). If every tile showed the same texels, the grid would be obvious. Here
//! every edge between two tiles has one of two colours, and one texture tile exists for every
//! combination of four edge colours. A shader colours the edges of the map by a hash and selects
//! the tile that fits all four neighbours.
//!
//! An edge colour represents a patch of the texture that lies across the edge, half of it in either
//! tile. The four patches of a tile meet along its diagonals, and one more patch per tile covers
//! the middle. All seams are minimum-error boundary cuts (Efros and Freeman, "Image Quilting for
//! Texture Synthesis and Transfer", 2001), feathered by a texel.

use std::borrow::Cow;
use std::f32::consts::{FRAC_1_SQRT_2, TAU};

use glam::Vec2;
use image::RgbaImage;
use image::imageops::{self, FilterType};

use crate::assets::{checker_colors, mip_levels};

/// Side of an atlas cell in texels.
pub const CELL: u32 = 128;
/// Width and height of the atlas in texels: 16 cells in one column. The texels of a cell are
/// contiguous in memory, which helps the caches of software renderers.
pub const ATLAS_SIZE: [u32; 2] = [CELL, 16 * CELL];
/// Side in texels of the part of a cell that a map tile shows.
pub const CORE: u32 = 92;
/// Width in texels of the border around the core of a cell, for filters and small mip levels.
pub const GUARD: u32 = 18;

/// Side in texels of the image that is turned and cut into patches.
pub(super) const SOURCE_SIDE: u32 = 256;
/// Side of the turned image: a whole number of blocks around the source's diagonal.
const TURNED_SIDE: u32 = 368;
/// Maximum distance of source texels from the middle of the turned image, in half diagonals of
/// texels: half the source's side.
const SOURCE_REACH: i32 = (SOURCE_SIDE as f32 * FRAC_1_SQRT_2) as i32 + 2;
/// Number of edge patches tried for each direction, and number of random draws to find them.
const EDGE_CANDIDATES: usize = 6;
const EDGE_DRAWS: usize = 120;
/// Number of middle patches tried for each tile, and number of random draws to find them.
const MIDDLE_CANDIDATES: usize = 2;
const MIDDLE_DRAWS: usize = 64;
/// Cost factor of uneven patches, relative to the cost of visible cuts.
const UNEVENNESS_COST: u64 = 300;
/// Side of the source blocks whose colours are compared with the mean.
const BLOCK: usize = 8;
/// Side of the larger blocks whose colours are evened out.
const FIELD: usize = 32;
/// Minimum distance between patches in the source, as columns plus rows, so that a striking detail
/// does not appear in two of them. (Diamonds that only touch have a distance of [`CORE`].)
const MIN_PATCH_DISTANCE: i32 = 68;

/// Signed variants, for positions outside the core.
const CORE_I: i32 = CORE as i32;
const GUARD_I: i32 = GUARD as i32;
const HALF: i32 = CORE_I / 2;
/// Number of steps of a cut from a corner of the tile to its middle.
const STEPS: usize = CORE as usize - 1;
/// Minimum distance in texels between the middle of an edge patch and the borders of the source. In
/// columns plus rows, a patch extends beyond its diamond by twice the guard.
const EDGE_CLEAR: i32 = clear_of_borders((HALF + 2 * GUARD_I) as f32 * FRAC_1_SQRT_2);
/// The same for middle patches.
const MIDDLE_CLEAR: i32 = clear_of_borders(RADIUS_END as f32);
/// Resolution of the cut around the middle: number of directions, and radii in texels.
const DIRECTIONS: usize = 96;
const RADII: usize = 20;
const RADIUS_MIN: f32 = 16.0;
const RADIUS_STEP: f32 = 1.25;
/// Radius limit of the middle patch in texels.
const RADIUS_END: i32 = 43;

/// Minimum distance between the middle of a patch with this reach and the borders of the source.
/// Near the border, turning mixes the last two texels with others from beyond.
const fn clear_of_borders(reach: f32) -> i32 {
    reach as i32 + 1 + 2
}

/// The atlas of a texture: 16 Wang tiles in a column of cells.
///
/// The tile with the edge colours `n`, `e`, `s`, `w` (0 or 1) has the number
/// `n * 8 + e * 4 + s * 2 + w`, counted from the top. Its core begins 18 texels from the cell's
/// corner. North is up, and the texture is turned as in the engine (fact sheet A7). Horizontal
/// edges (north, south) and vertical edges have separate colours: `s` of a tile must equal `n` of
/// the tile to its south, and `e` must equal `w` of the tile to its east.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patchwork {
    /// RGBA8 texels of all mip levels, rows from the top, from [`ATLAS_SIZE`] down to 1. Up to
    /// level 3, the core contains no texels of other cells.
    pub levels: Vec<Vec<u8>>,
    /// Mean colour of the texture.
    pub mean_rgb: [u8; 3],
}

/// Cuts a texture into its atlas. The result is deterministic.
///
/// An image of another size is first scaled to 256x256; an empty image gives a placeholder.
pub fn patchwork(image: &RgbaImage) -> Patchwork {
    let Some(source) = Source::new(image) else {
        return marked(0);
    };
    let mut draw = Draw(0x6d61_7073_636f_7065);
    let edges = EdgePatches::choose(&source, &mut draw);
    let reach = [RADIUS_END; 2];
    let middles = source.draw_patches(&mut draw, MIDDLE_CLEAR, reach, MIDDLE_DRAWS, disc);
    let polar = polar_table();
    let mut atlas = vec![[0; 4]; (ATLAS_SIZE[0] * ATLAS_SIZE[1]) as usize];
    for tile in 0..16 {
        let mut cell = edges.compose(&source, tile);
        let wanted = middles.iter().skip(tile * MIDDLE_CANDIDATES);
        let best = wanted
            .take(MIDDLE_CANDIDATES)
            .map(|&at| (ring_cut(&source, &cell, at), at))
            .min_by_key(|(ring, _)| ring.cost);
        if let Some((ring, at)) = best {
            fill_middle(&source, &mut cell, &polar, &ring, at);
        }
        blit(&mut atlas, tile, &cell);
    }
    finish(atlas, source.mean)
}

/// The atlas of a [placeholder](crate::assets): the same checkerboard in every cell, continuous
/// over all tiles. Its squares are large, so that they do not flicker in the distance.
pub(super) fn marked(seed: u32) -> Patchwork {
    let colors = checker_colors(seed);
    let side = CORE_I / 2;
    let mut cell = Cell::new();
    for y in -GUARD_I..CORE_I + GUARD_I {
        for x in -GUARD_I..CORE_I + GUARD_I {
            let odd = (x.div_euclid(side) + y.div_euclid(side)).rem_euclid(2);
            *cell.at(x, y) = colors[odd as usize];
        }
    }
    let mut atlas = vec![[0; 4]; (ATLAS_SIZE[0] * ATLAS_SIZE[1]) as usize];
    for tile in 0..16 {
        blit(&mut atlas, tile, &cell);
    }
    let mean = [0, 1, 2].map(|i| i32::midpoint(colors[0][i].into(), colors[1][i].into()));
    finish(atlas, mean)
}

/// An image scaled to the source size, 256x256.
pub(super) fn source_image(image: &RgbaImage) -> Cow<'_, RgbaImage> {
    let (width, height) = image.dimensions();
    if (width, height) == (SOURCE_SIDE, SOURCE_SIDE) {
        Cow::Borrowed(image)
    } else if width >= SOURCE_SIDE && height >= SOURCE_SIDE {
        Cow::Owned(imageops::thumbnail(image, SOURCE_SIDE, SOURCE_SIDE))
    } else {
        let filter = FilterType::Triangle;
        Cow::Owned(imageops::resize(image, SOURCE_SIDE, SOURCE_SIDE, filter))
    }
}

/// A small random number generator (splitmix64), with the same results on every machine.
struct Draw(u64);

impl Draw {
    /// Returns a random number from `low` to below `high`.
    fn within(&mut self, low: i32, high: i32) -> i32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + ((z ^ (z >> 31)) % (high - low).max(1) as u64) as i32
    }
}

/// Column and row of a texel of the turned source. As a shift, the offset from a position in a
/// tile.
type Place = [i32; 2];

/// The turned texture.
struct Source {
    /// Rows of [`TURNED_SIDE`] texels.
    texels: Vec<[u8; 4]>,
    mean: [i32; 3],
    /// Distance of each 8x8 block's colour from the mean, row by row.
    salience: Vec<u32>,
    /// Distance from the mean for each block averaged with its neighbours.
    unevenness: Vec<u32>,
}

/// Turns the texture as it lies on the ground: mirrored with its top at the bottom, then turned by
/// 45 degrees counterclockwise.
///
/// East on the ground is right and up in the image, and south is left and up, as in the engine's
/// own images. Takes and returns rows of texels, [`SOURCE_SIDE`] and [`TURNED_SIDE`] long. Both
/// images have the same middle; the corners of the result are empty.
fn turned(texels: &[[u8; 4]]) -> Vec<[u8; 4]> {
    const LAST: i32 = TURNED_SIDE as i32 - 1;
    // Texels of padding around the source that repeat its border.
    const PADDING: i32 = 4;
    const PADDED_SIDE: usize = (SOURCE_SIDE as i32 + 2 * PADDING) as usize;
    let side = SOURCE_SIDE as i32;
    let inside = |i: i32| (i - PADDING).clamp(0, side - 1);
    let padded: Vec<[f32; 4]> = (0..PADDED_SIDE as i32)
        .flat_map(|y| (0..PADDED_SIDE as i32).map(move |x| inside(y) * side + inside(x)))
        .map(|i| texels[i as usize].map(f32::from))
        .collect();
    // The source column depends only on the difference of the ground coordinates, and the row only
    // on their sum. One table therefore serves both: the first of four texels, and their weights.
    let middle = (side - 1) as f32 / 2.0 + PADDING as f32;
    let taps: Vec<(usize, [f32; 4])> = (-SOURCE_REACH..=SOURCE_REACH)
        .map(|step| {
            let at = step as f32 * FRAC_1_SQRT_2 + middle;
            (at as usize - 1, catmull_rom(at.fract()))
        })
        .collect();
    let tap = |step: i32| taps.get(usize::try_from(SOURCE_REACH + step).ok()?);
    let texel = |x: i32, y: i32| {
        let (first_column, across) = tap(x - y)?;
        let (first_row, down) = tap(LAST - x - y)?;
        let mut sum = [0.0; 4];
        for (row, down) in (*first_row..).zip(down) {
            let start = row * PADDED_SIDE + first_column;
            for (color, across) in padded[start..start + 4].iter().zip(across) {
                let weight = across * down;
                for (sum, color) in sum.iter_mut().zip(color) {
                    *sum += color * weight;
                }
            }
        }
        Some(sum.map(|s: f32| (s + 0.5).clamp(0.0, 255.0) as u8))
    };
    (0..=LAST)
        .flat_map(|y| (0..=LAST).map(move |x| (x, y)))
        .map(|(x, y)| texel(x, y).unwrap_or_default())
        .collect()
}

/// Position in the turned texture of a column and row of the source.
fn turned_place([column, row]: [f32; 2]) -> Place {
    let middle = SOURCE_SIDE as f32 / 2.0;
    let (x, y) = (column - middle, row - middle);
    [x - y, -x - y].map(|at| (at * FRAC_1_SQRT_2) as i32 + TURNED_SIDE as i32 / 2)
}

/// Texture coordinates (right, down) of a ground position in an unquilted, repeating image with the
/// scale and the orientation of the patches. The position is in tiles right and down in the view:
/// on tops, east and south.
pub fn source_uv(tiles: Vec2) -> Vec2 {
    let texels = Vec2::new(tiles.x - tiles.y, -tiles.x - tiles.y) * (CORE as f32 * FRAC_1_SQRT_2);
    texels / SOURCE_SIDE as f32
}

/// Catmull-Rom weights of four samples around a position between the second and the third, `t` from
/// 0 to 1. The interpolation preserves sharpness.
fn catmull_rom(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        0.5 * (2.0 * t2 - t3 - t),
        0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
        0.5 * (4.0 * t2 - 3.0 * t3 + t),
        0.5 * (t3 - t2),
    ]
}

impl Source {
    /// Returns `None` for an image without texels.
    fn new(image: &RgbaImage) -> Option<Self> {
        if image.width() == 0 || image.height() == 0 {
            return None;
        }
        let image = source_image(image);
        let mut texels: Vec<[u8; 4]> = image.pixels().map(|p| p.0).collect();
        let fields = block_means(&texels, SOURCE_SIDE, FIELD);
        let sum = |c: usize| fields.iter().map(|f| f[c]).sum::<i32>();
        let mean = [0, 1, 2].map(|c| sum(c) / fields.len() as i32);
        even_out(&mut texels, &fields, mean);
        let texels = turned(&texels);
        let salience = |block: [i32; 3]| {
            let apart = |c: usize| (block[c] - mean[c]).unsigned_abs().pow(2);
            // The fourth power: a single striking detail is worse than many slight differences.
            [0, 1, 2].map(apart).iter().sum::<u32>().saturating_pow(2) / 64
        };
        let blocks = block_means(&texels, TURNED_SIDE, BLOCK);
        Some(Self {
            unevenness: unevenness(&blocks, mean),
            salience: blocks.into_iter().map(salience).collect(),
            texels,
            mean,
        })
    }

    /// The texel at a place.
    fn at(&self, [x, y]: Place) -> [u8; 4] {
        let index = y * TURNED_SIDE as i32 + x;
        self.texels.get(index as usize).copied().unwrap_or_default()
    }

    /// Salience of a shape around a place. Striking details there would be repeated visibly.
    fn salience(&self, at: Place, reach: Place, shape: fn(i32, i32) -> bool) -> u64 {
        Self::sum(&self.salience, at, reach, shape)
    }

    /// Brightness deviation of an edge patch from the mean, as seen from far away, where it would
    /// reveal the grid.
    fn unevenness(&self, at: Place) -> u64 {
        Self::sum(&self.unevenness, at, [HALF; 2], diamond)
    }

    /// The sum over the blocks of a shape around a place. `shape` takes offsets from the place in
    /// columns and rows, limited to `reach`.
    fn sum(blocks: &[u32], at: Place, reach: Place, shape: fn(i32, i32) -> bool) -> u64 {
        let side = BLOCK as i32;
        let range = |i: usize| (at[i] - reach[i]) / side..=(at[i] + reach[i]) / side;
        let mut sum = 0;
        for (row, column) in range(1).flat_map(|y| range(0).map(move |x| (y, x))) {
            let middle = |block: i32| block * side + side / 2;
            if shape(middle(column) - at[0], middle(row) - at[1]) {
                let index = row * (TURNED_SIDE as i32 / side) + column;
                sum += blocks.get(index as usize).map_or(0, |&s| s.into());
            }
        }
        sum
    }

    /// Draws middles of patches of a shape. Typical patches come first, then striking ones, and
    /// last bare ones that show no features of the texture. `reach` is the extent of a patch in
    /// columns and rows. The middles stay `clear` texels away from the borders of the source, since
    /// not every texture tiles.
    fn draw_patches(
        &self,
        draw: &mut Draw,
        clear: i32,
        reach: Place,
        draws: usize,
        shape: fn(i32, i32) -> bool,
    ) -> Vec<Place> {
        let mut within = || draw.within(clear, SOURCE_SIDE as i32 - clear + 1) as f32;
        let mut patches: Vec<Place> = (0..draws)
            .map(|_| turned_place([within(), within()]))
            .collect();
        patches.sort_by_cached_key(|&at| self.salience(at, reach, shape));
        patches.rotate_left(draws / 3);
        patches
    }
}

/// Mean colours of the square blocks of a square image, row by row.
fn block_means(texels: &[[u8; 4]], side: u32, block: usize) -> Vec<[i32; 3]> {
    let per_row = side as usize / block;
    let mut sums = vec![[0_i32; 3]; per_row * per_row];
    for (y, row) in texels.chunks_exact(side as usize).enumerate() {
        let sums_of_row = sums.iter_mut().skip(y / block * per_row);
        for (sum, run) in sums_of_row.zip(row.chunks_exact(block)) {
            for texel in run {
                (0..3).for_each(|c| sum[c] += i32::from(texel[c]));
            }
        }
    }
    let texels_per_block = (block * block) as i32;
    sums.into_iter()
        .map(|sum| sum.map(|s| s / texels_per_block))
        .collect()
}

/// For each block of the turned texture, row by row: the mean of the block with its eight
/// neighbours, as distance from the mean of the texture.
fn unevenness(blocks: &[[i32; 3]], mean: [i32; 3]) -> Vec<u32> {
    let per_row = TURNED_SIDE as usize / BLOCK;
    let apart = |at: usize| {
        let around = [0, per_row, 2 * per_row]
            .map(|row| {
                let first = (at + row).checked_sub(per_row + 1);
                first.and_then(|first| blocks.get(first..first + 3))
            })
            .into_iter()
            .flatten()
            .flatten();
        let sums = around.fold([0; 3], |sums: [i32; 3], block| {
            [0, 1, 2].map(|c| sums[c] + block[c] - mean[c])
        });
        sums.map(|sum| (sum / 9).unsigned_abs().pow(2)).iter().sum()
    };
    (0..blocks.len()).map(apart).collect()
}

/// Halves the slow colour variations of a texture. Otherwise, slightly darker patches would reveal
/// the grid in the distance, where no other detail is visible.
fn even_out(texels: &mut [[u8; 4]], fields: &[[i32; 3]], mean: [i32; 3]) {
    let per_row = SOURCE_SIDE as usize / FIELD;
    // The two fields whose middles surround a row or column, and the position between them in 1/64.
    let between = |i: usize| {
        let at = (2 * i + 1) as i32 - FIELD as i32;
        let step = 2 * FIELD as i32;
        let first = at.div_euclid(step);
        let clamp = |f: i32| f.clamp(0, per_row as i32 - 1) as usize;
        (
            clamp(first),
            clamp(first + 1),
            at.rem_euclid(step) * 64 / step,
        )
    };
    let lerp = |a: i32, b: i32, along: i32| a * (64 - along) + b * along;
    for (y, row) in texels.chunks_exact_mut(SOURCE_SIDE as usize).enumerate() {
        let (north, south, down) = between(y);
        let line: Vec<[i32; 3]> = (0..per_row)
            .map(|x| {
                let (a, b) = (fields[north * per_row + x], fields[south * per_row + x]);
                [0, 1, 2].map(|c| lerp(a[c] - mean[c], b[c] - mean[c], down))
            })
            .collect();
        for (x, texel) in row.iter_mut().enumerate() {
            let (west, east, along) = between(x);
            for c in 0..3 {
                let excess = lerp(line[west][c], line[east][c], along);
                let even = i32::from(texel[c]) - excess / (2 * 64 * 64);
                texel[c] = even.clamp(0, 255) as u8;
            }
        }
    }
}

/// The part of an edge patch that lies in the two tiles of the edge.
fn diamond(dx: i32, dy: i32) -> bool {
    dx.abs() + dy.abs() < HALF
}

fn disc(dx: i32, dy: i32) -> bool {
    dx * dx + dy * dy < 30 * 30
}

/// Squared difference of two colours.
fn difference(a: [u8; 4], b: [u8; 4]) -> u32 {
    (0..3).map(|i| u32::from(a[i].abs_diff(b[i])).pow(2)).sum()
}

/// Mixes two colours; `weight` of `b` from 0 to 256.
fn mix(a: [u8; 4], b: [u8; 4], weight: i32) -> [u8; 4] {
    let channel = |i: usize| {
        let (a, b) = (i32::from(a[i]), i32::from(b[i]));
        ((a * (256 - weight) + b * weight + 128) >> 8) as u8
    };
    [channel(0), channel(1), channel(2), channel(3)]
}

/// A corner of a tile. Positions are counted inwards from it.
#[derive(Clone, Copy)]
struct Corner {
    south: bool,
    east: bool,
}

impl Corner {
    const ALL: [Self; 4] = [
        Self::new(false, false),
        Self::new(false, true),
        Self::new(true, false),
        Self::new(true, true),
    ];

    const fn new(south: bool, east: bool) -> Self {
        Self { south, east }
    }

    /// Position in the tile of a point given in columns and rows from the corner.
    fn place(self, columns: i32, rows: i32) -> Place {
        let from = |far: bool, n: i32| if far { CORE_I - 1 - n } else { n };
        [from(self.east, columns), from(self.south, rows)]
    }

    /// Offset from a position in a tile to the texel in the patch of the horizontal edge at this
    /// corner. The patch is given by its middle.
    fn horizontal_shift(self, patch: Place) -> Place {
        [
            patch[0] - HALF,
            patch[1] - if self.south { CORE_I } else { 0 },
        ]
    }

    /// The same for the vertical edge at this corner.
    fn vertical_shift(self, patch: Place) -> Place {
        [
            patch[0] - if self.east { CORE_I } else { 0 },
            patch[1] - HALF,
        ]
    }
}

/// The boundary between the patches of a horizontal and a vertical edge, from their common corner
/// to the middle of the tile.
struct Cut {
    /// Columns minus rows of the cut for each anti-diagonal (columns + rows from the corner). Where
    /// a texel's value is greater, the patch of the horizontal edge is visible.
    balance: [i8; STEPS],
    cost: u32,
}

impl Cut {
    /// Maximum deviation of the cut from the diagonal. It is 0 at the corner, so that the tile's
    /// edge only shows its own patch, and 0 in the middle, where all cuts meet.
    fn slack(step: i32) -> i32 {
        step.min(STEPS as i32 - 1 - step) * 7 / 10
    }

    /// Finds the cut along which two patches differ least. Each step goes one column or one row
    /// inwards.
    fn find(source: &Source, corner: Corner, horizontal: Place, vertical: Place) -> Self {
        const WIDTH: usize = 2 * HALF as usize + 2;
        let shift_h = corner.horizontal_shift(horizontal);
        let shift_v = corner.vertical_shift(vertical);
        let index = |balance: i32| (balance + HALF) as usize;
        let mut costs = [u32::MAX; WIDTH];
        let mut came_from = [[0_i8; WIDTH]; STEPS];
        costs[index(0)] = 0;
        for step in 1..STEPS as i32 {
            let mut next = [u32::MAX; WIDTH];
            // Near the corner the cut has few alternatives, so differences there have more weight.
            let weight = if step < 24 { 3 } else { 1 };
            let slack = Self::slack(step).max(step & 1);
            for balance in -slack..=slack {
                if (balance + step) & 1 != 0 {
                    continue;
                }
                let (left, right) = (costs[index(balance - 1)], costs[index(balance + 1)]);
                let (before, from) = if left <= right {
                    (left, -1)
                } else {
                    (right, 1)
                };
                if before == u32::MAX {
                    continue;
                }
                let columns = i32::midpoint(step, balance);
                let [x, y] = corner.place(columns, step - columns);
                let a = source.at([x + shift_h[0], y + shift_h[1]]);
                let b = source.at([x + shift_v[0], y + shift_v[1]]);
                next[index(balance)] = before + weight * difference(a, b);
                came_from[step as usize][index(balance)] = from;
            }
            costs = next;
        }
        let mut cut = Self {
            balance: [0; STEPS],
            cost: costs[index(0)],
        };
        let mut balance = 0;
        for step in (0..STEPS).rev() {
            cut.balance[step] = balance;
            balance += came_from[step][index(balance.into())];
        }
        cut
    }

    /// Weight of the horizontal edge's patch at a position in columns and rows from the corner,
    /// from 0 to 256.
    fn weight(&self, columns: i32, rows: i32) -> i32 {
        let step = (columns + rows).clamp(0, STEPS as i32 - 1);
        let side = columns - rows - i32::from(self.balance[step as usize]);
        // Feathered by two texels on either side, less near the corner.
        match (side, step) {
            (0, 2..) => 128,
            (0, _) => 256 * i32::from(columns > rows),
            (1, 14..) => 200,
            (-1, 14..) => 56,
            (2, 20..) => 240,
            (-2, 20..) => 16,
            _ => 256 * i32::from(side > 0),
        }
    }
}

/// The patches for the two colours of horizontal and vertical edges, and the cuts between them.
struct EdgePatches {
    horizontal: [Place; 2],
    vertical: [Place; 2],
    /// By colour of the horizontal edge, colour of the vertical edge, and corner.
    cuts: [[[Cut; 4]; 2]; 2],
}

impl EdgePatches {
    /// Draws candidate patches for both directions of edges, and selects the pairs that fit best.
    fn choose(source: &Source, draw: &mut Draw) -> Self {
        let mut candidates = || {
            let drawn = source.draw_patches(draw, EDGE_CLEAR, [HALF; 2], EDGE_DRAWS, diamond);
            spread(&drawn)
        };
        let horizontal = candidates();
        let vertical = candidates();
        let costs = horizontal.map(|h| {
            vertical.map(|v| {
                let cuts = Corner::ALL.map(|corner| Cut::find(source, corner, h, v).cost);
                cuts.into_iter().fold(0_u32, u32::saturating_add)
            })
        });
        let pairs = || (0..EDGE_CANDIDATES).flat_map(|b| (0..b).map(move |a| [a, b]));
        let uneven = |patches: [Place; EDGE_CANDIDATES]| patches.map(|p| source.unevenness(p));
        let (uneven_h, uneven_v) = (uneven(horizontal), uneven(vertical));
        let cost = |h: [usize; 2], v: [usize; 2]| -> u64 {
            let uneven = h.map(|h| uneven_h[h]).iter().sum::<u64>()
                + v.map(|v| uneven_v[v]).iter().sum::<u64>();
            let each = h.iter().flat_map(|&h| v.iter().map(move |&v| (h, v)));
            each.map(|(h, v)| {
                let again = near(horizontal[h], vertical[v]);
                u64::from(costs[h][v]) * if again { 3 } else { 2 }
            })
            .sum::<u64>()
                + uneven * UNEVENNESS_COST
        };
        let best = pairs()
            .flat_map(|h| pairs().map(move |v| (h, v)))
            .min_by_key(|&(h, v)| cost(h, v));
        let (h, v) = best.unwrap_or(([0, 1], [0, 1]));
        Self::cut(source, h.map(|i| horizontal[i]), v.map(|i| vertical[i]))
    }

    /// Computes the cuts between patches.
    fn cut(source: &Source, horizontal: [Place; 2], vertical: [Place; 2]) -> Self {
        let cuts = horizontal
            .map(|h| vertical.map(|v| Corner::ALL.map(|corner| Cut::find(source, corner, h, v))));
        Self {
            horizontal,
            vertical,
            cuts,
        }
    }

    /// The cell of a tile, without the middle patch.
    fn compose(&self, source: &Source, tile: usize) -> Cell {
        let color = |bit: usize| tile >> bit & 1;
        let mut cell = Cell::new();
        for corner in Corner::ALL {
            let h = color(if corner.south { 1 } else { 3 });
            let v = color(if corner.east { 2 } else { 0 });
            let shift_h = corner.horizontal_shift(self.horizontal[h]);
            let shift_v = corner.vertical_shift(self.vertical[v]);
            let cut = &self.cuts[h][v][usize::from(corner.south) * 2 + usize::from(corner.east)];
            for rows in -GUARD_I..HALF {
                for columns in -GUARD_I..HALF {
                    let [x, y] = corner.place(columns, rows);
                    let weight = if columns >= 0 && rows >= 0 {
                        cut.weight(columns, rows)
                    } else {
                        256 * i32::from(columns > rows)
                    };
                    let a = || source.at([x + shift_v[0], y + shift_v[1]]);
                    let b = || source.at([x + shift_h[0], y + shift_h[1]]);
                    *cell.at(x, y) = match weight {
                        0 => a(),
                        256 => b(),
                        weight => mix(a(), b(), weight),
                    };
                }
            }
        }
        cell
    }
}

/// `true` if two patches overlap substantially.
fn near(a: Place, b: Place) -> bool {
    (a[0] - b[0]).abs() + (a[1] - b[1]).abs() < MIN_PATCH_DISTANCE
}

/// The first drawn patches that are not too near to an already selected one. If there are too few,
/// the remaining ones are arbitrary.
fn spread(drawn: &[Place]) -> [Place; EDGE_CANDIDATES] {
    let mut taken: Vec<Place> = Vec::with_capacity(drawn.len());
    for patch in drawn {
        if !taken.iter().any(|t| near(*t, *patch)) {
            taken.push(*patch);
        }
    }
    taken.extend_from_slice(drawn);
    std::array::from_fn(|i| taken.get(i).copied().unwrap_or([TURNED_SIDE as i32 / 2; 2]))
}

/// A cell of the atlas; positions are relative to the corner of its core.
struct Cell(Vec<[u8; 4]>);

impl Cell {
    fn new() -> Self {
        Self(vec![[0; 4]; (CELL * CELL) as usize])
    }

    fn at(&mut self, x: i32, y: i32) -> &mut [u8; 4] {
        &mut self.0[((y + GUARD_I) * CELL as i32 + x + GUARD_I) as usize]
    }

    fn get(&self, x: i32, y: i32) -> [u8; 4] {
        self.0[((y + GUARD_I) * CELL as i32 + x + GUARD_I) as usize]
    }
}

/// The closed cut around the middle patch of a tile.
struct Ring {
    /// Index of the radius for each direction.
    radii: [u8; DIRECTIONS],
    cost: u32,
}

/// Finds the closed cut around the middle of a cell along which the cell and the source around `at`
/// differ least.
fn ring_cut(source: &Source, cell: &Cell, at: Place) -> Ring {
    let mut differences = [[0; RADII]; DIRECTIONS];
    for (direction, row) in differences.iter_mut().enumerate() {
        let (sin, cos) = (direction as f32 / DIRECTIONS as f32 * TAU).sin_cos();
        for (i, difference_here) in row.iter_mut().enumerate() {
            let radius = RADIUS_MIN + i as f32 * RADIUS_STEP;
            let (dx, dy) = ((cos * radius) as i32, (sin * radius) as i32);
            let here = cell.get(HALF + dx, HALF + dy);
            *difference_here = difference(here, source.at([at[0] + dx, at[1] + dy]));
        }
    }
    // The cut is closed: it begins and ends at the best radius of the first direction.
    let first = (0..RADII).min_by_key(|&i| differences[0][i]).unwrap_or(0);
    let mut costs = [u32::MAX; RADII];
    costs[first] = differences[0][first];
    let mut came_from = [[0_u8; RADII]; DIRECTIONS];
    for direction in 1..DIRECTIONS {
        let mut next = [u32::MAX; RADII];
        for (i, cost) in next.iter_mut().enumerate() {
            let near = i.saturating_sub(1)..(i + 2).min(RADII);
            let from = near.min_by_key(|&from| costs[from]).unwrap_or(i);
            *cost = costs[from].saturating_add(differences[direction][i]);
            came_from[direction][i] = from as u8;
        }
        costs = next;
    }
    let near = first.saturating_sub(1)..(first + 2).min(RADII);
    let mut radius = near.min_by_key(|&i| costs[i]).unwrap_or(first);
    let mut ring = Ring {
        radii: [0; DIRECTIONS],
        cost: costs[radius],
    };
    for direction in (0..DIRECTIONS).rev() {
        ring.radii[direction] = radius as u8;
        radius = came_from[direction][radius].into();
    }
    ring
}

/// For every texel within reach of the middle patch: offset from the middle in columns and rows,
/// distance in texels, and fractional direction index.
fn polar_table() -> Vec<([i32; 2], f32, f32)> {
    let reach = || -RADIUS_END..=RADIUS_END;
    let mut table = Vec::new();
    for (dx, dy) in reach().flat_map(|dy| reach().map(move |dx| (dx, dy))) {
        let (x, y) = (dx as f32, dy as f32);
        let radius = x.hypot(y);
        if radius < RADIUS_END as f32 {
            let direction = y.atan2(x).rem_euclid(TAU) / TAU * DIRECTIONS as f32;
            table.push(([dx, dy], radius, direction));
        }
    }
    table
}

/// Copies the source around `at` into the ring.
fn fill_middle(
    source: &Source,
    cell: &mut Cell,
    polar: &[([i32; 2], f32, f32)],
    ring: &Ring,
    at: Place,
) {
    let cut_at = |direction: usize| f32::from(ring.radii[direction % DIRECTIONS]);
    for &([dx, dy], radius, direction) in polar {
        let (a, b) = (cut_at(direction as usize), cut_at(direction as usize + 1));
        let cut = RADIUS_MIN + (a + (b - a) * direction.fract()) * RADIUS_STEP;
        let weight = ((0.5 + (cut - radius) / 3.0) * 256.0).clamp(0.0, 256.0) as i32;
        if weight > 0 {
            let texel = cell.at(HALF + dx, HALF + dy);
            *texel = mix(*texel, source.at([at[0] + dx, at[1] + dy]), weight);
        }
    }
}

/// Copies a cell to its place in the atlas.
fn blit(atlas: &mut [[u8; 4]], tile: usize, cell: &Cell) {
    let from = &cell.0;
    atlas[tile * from.len()..][..from.len()].copy_from_slice(from);
}

/// Adds the mip levels.
fn finish(atlas: Vec<[u8; 4]>, mean: [i32; 3]) -> Patchwork {
    let levels = mip_levels(ATLAS_SIZE, atlas.into_flattened());
    Patchwork {
        levels,
        mean_rgb: mean.map(|c| c.clamp(0, 255) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image with structure at several scales that does not tile.
    fn sample() -> RgbaImage {
        RgbaImage::from_fn(256, 256, |x, y| {
            let wave = |k: u32, l: u32| ((x * k + y * l + ((x * y) >> 6)) & 63) as u8;
            image::Rgba([wave(3, 5) * 2, 60 + wave(1, 7), wave(9, 2) + 90, 255])
        })
    }

    fn texel(patchwork: &Patchwork, tile: u32, x: i32, y: i32) -> [u8; 4] {
        let column = (x + GUARD_I) as u32;
        let row = tile * CELL + (y + GUARD_I) as u32;
        let index = (row * CELL + column) as usize * 4;
        patchwork.levels[0][index..index + 4].try_into().unwrap()
    }

    #[test]
    fn tiles_with_the_same_edge_color_continue_each_other() {
        let patchwork = patchwork(&sample());
        let bit = |tile: u32, bit: u32| tile >> bit & 1;
        // Near the corners four patches meet, so two texels are skipped there, and more of the
        // guard further out.
        for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
            for i in 2..CORE_I - 2 {
                // `b` is south of `a`.
                if bit(a, 1) == bit(b, 3) {
                    let guard = texel(&patchwork, a, i, CORE_I);
                    assert_eq!(
                        guard,
                        texel(&patchwork, b, i, 0),
                        "{a} over {b}, column {i}"
                    );
                    let guard = texel(&patchwork, b, i, -1);
                    assert_eq!(guard, texel(&patchwork, a, i, CORE_I - 1), "{a} over {b}");
                }
                // `b` is east of `a`.
                if bit(a, 2) == bit(b, 0) {
                    let guard = texel(&patchwork, a, CORE_I, i);
                    assert_eq!(guard, texel(&patchwork, b, 0, i), "{a} beside {b}, row {i}");
                    let guard = texel(&patchwork, b, -1, i);
                    assert_eq!(guard, texel(&patchwork, a, CORE_I - 1, i), "{a} beside {b}");
                }
            }
        }
    }

    #[test]
    fn the_texture_is_mirrored_and_turned_as_the_engine_has_it() {
        // Red increases to the right, green downwards.
        let image = RgbaImage::from_fn(256, 256, |x, y| image::Rgba([x as u8, y as u8, 128, 255]));
        let patchwork = patchwork(&image);
        for (channel, name) in ["red", "green"].into_iter().enumerate() {
            let rises = |step: [i32; 2]| {
                let places = (2..CORE_I - 2).flat_map(|y| (2..CORE_I - 2).map(move |x| [x, y]));
                let each = (0..16).flat_map(|tile| places.clone().map(move |at| (tile, at)));
                // Only the sign counts, so that steps across a cut have no extra weight.
                each.map(|(tile, [x, y])| {
                    let here = texel(&patchwork, tile, x, y)[channel];
                    let there = texel(&patchwork, tile, x + step[0], y + step[1])[channel];
                    (i32::from(there) - i32::from(here)).signum()
                })
                .sum::<i32>()
            };
            // East is right and up, south is left and up.
            let (east, south) = (rises([1, 0]), rises([0, 1]));
            let expected = [[1, -1], [-1, -1]][channel];
            assert_eq!([east.signum(), south.signum()], expected, "{name}");
            // The gradient is equal in both directions; where they cancel, it is level.
            let (level, steep) = match channel {
                0 => (rises([1, 1]), rises([1, -1])),
                _ => (rises([1, -1]), rises([1, 1])),
            };
            assert!(level.abs() * 8 < steep.abs(), "{name}: {level}, {steep}");
        }
    }

    #[test]
    fn no_patch_shows_what_lies_beyond_the_border_of_the_texture() {
        // A frame of another colour, as wide as the texels that are mixed with those beyond.
        let image = RgbaImage::from_fn(256, 256, |x, y| {
            let inside = |i| (2..254).contains(&i);
            image::Rgba(if inside(x) && inside(y) {
                [40, 40, 40, 255]
            } else {
                [255, 40, 40, 255]
            })
        });
        let source = Source::new(&image).unwrap();
        // The outermost middles that can be drawn.
        let ends = [EDGE_CLEAR, SOURCE_SIDE as i32 - EDGE_CLEAR];
        for at in ends.iter().flat_map(|x| ends.map(|y| [*x, y])) {
            let patch = turned_place(at.map(|at| at as f32));
            let edges = EdgePatches::cut(&source, [patch; 2], [patch; 2]);
            let cell = edges.compose(&source, 0);
            let red = cell.0.iter().map(|t| t[0]).max().unwrap();
            assert!(red < 80, "{at:?}: {red}");
        }
    }

    #[test]
    fn tiles_differ_and_have_the_colors_of_the_image() {
        let image = sample();
        let patchwork = patchwork(&image);
        assert_eq!(patchwork, super::patchwork(&image), "the same every time");
        for (a, b) in (0..16).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let same =
                (0..CORE_I).all(|i| texel(&patchwork, a, i, HALF) == texel(&patchwork, b, i, HALF));
            assert!(!same, "tiles {a} and {b}");
        }
        let whole = patchwork.levels.last().unwrap();
        for c in 0..3 {
            let image_mean = image.pixels().map(|p| u64::from(p.0[c])).sum::<u64>() / 65536;
            assert!(
                (image_mean as i32 - i32::from(whole[c])).abs() < 12,
                "{whole:?}"
            );
        }
    }

    #[test]
    fn mip_levels_halve_down_to_the_mean() {
        let patchwork = patchwork(&RgbaImage::from_pixel(
            256,
            256,
            image::Rgba([90, 40, 7, 200]),
        ));
        let texels = patchwork.levels.iter().map(|level| level.len() / 4);
        let expected = (0..12).map(|i| (CELL as usize >> i).max(1) * ((16 * CELL as usize) >> i));
        assert!(texels.eq(expected));
        for level in &patchwork.levels {
            assert!(level.chunks(4).all(|t| t == [90, 40, 7, 200]));
        }
        assert_eq!(patchwork.mean_rgb, [90, 40, 7]);
    }

    #[test]
    fn any_size_of_image_gives_an_atlas() {
        for (width, height) in [(0, 0), (0, 7), (1, 1), (3, 500), (600, 300), (256, 255)] {
            let patchwork = patchwork(&RgbaImage::new(width, height));
            assert_eq!(patchwork.levels.len(), 12);
        }
    }

    #[test]
    fn black_and_white_give_an_atlas_of_both() {
        let image = RgbaImage::from_fn(256, 256, |x, y| {
            let white = (x / 64 + y / 64) % 2 == 0;
            image::Rgba(if white { [255; 4] } else { [0, 0, 0, 255] })
        });
        let patchwork = patchwork(&image);
        for color in [0, 255] {
            assert!(patchwork.levels[0].chunks(4).any(|t| t[0] == color));
        }
    }

    #[test]
    fn a_placeholder_is_bright_and_runs_on_over_tiles() {
        for seed in 0..8 {
            let marked = marked(seed);
            assert_eq!(texel(&marked, 3, CORE_I, 40), texel(&marked, 5, 0, 40));
            assert!(marked.mean_rgb[0] > 100);
        }
    }

    /// For visual inspection: renders a field of tiles for each texture of a folder into another
    /// (`MAPSCOPE_FIELD_FROM`, `MAPSCOPE_FIELD_TO`).
    #[test]
    #[ignore = "writes images for manual inspection"]
    fn draw_fields() {
        let folder = |name| std::path::PathBuf::from(std::env::var_os(name).unwrap());
        let (from, to) = (folder("MAPSCOPE_FIELD_FROM"), folder("MAPSCOPE_FIELD_TO"));
        for file in std::fs::read_dir(from).unwrap() {
            let path = file.unwrap().path();
            let Ok(image) = image::open(&path) else {
                continue;
            };
            let start = std::time::Instant::now();
            let patchwork = patchwork(&image.to_rgba8());
            println!("{}: {:?}", path.display(), start.elapsed());
            let (columns, rows) = (8, 5);
            let edge = |x: u32, y: u32, salt: u64| {
                Draw((u64::from(x) << 40 | u64::from(y) << 8) ^ salt).within(0, 2) as u32
            };
            let field = RgbaImage::from_fn(columns * CORE, rows * CORE, |x, y| {
                let (column, row) = (x / CORE, y / CORE);
                let horizontal = |row| edge(column, row, 1);
                let vertical = |column| edge(column, row, 2);
                let tile = horizontal(row) * 8
                    + vertical(column + 1) * 4
                    + horizontal(row + 1) * 2
                    + vertical(column);
                image::Rgba(texel(
                    &patchwork,
                    tile,
                    (x % CORE) as i32,
                    (y % CORE) as i32,
                ))
            });
            let name = path.file_stem().unwrap().to_str().unwrap();
            field.save(to.join(format!("{name}.png"))).unwrap();
        }
    }

    #[test]
    fn an_image_on_the_ground_lies_as_patches_of_it_do() {
        let side = SOURCE_SIDE as usize;
        let texels = (0..side * side).map(|i| [(i % side) as u8, (i / side) as u8, 0, 255]);
        let turned = turned(&texels.collect::<Vec<_>>());
        let middle = (TURNED_SIDE - 1) as f32 / 2.0;
        for [x, y] in [[200, 150], [100, 184], [184, 90], [250, 230]] {
            let [column, row, ..] = turned[y * TURNED_SIDE as usize + x];
            let tiles = Vec2::new(x as f32 - middle, y as f32 - middle) / CORE as f32;
            let texel = source_uv(tiles) * side as f32 + (side - 1) as f32 / 2.0;
            let expected = Vec2::new(column.into(), row.into());
            assert!(texel.distance(expected) < 1.5, "{texel} {expected}");
        }
    }
}
