//! Terrain as the GPU holds it: eight bytes a tile, and lists of the faces worth drawing.
//!
//! A map of 64x64 chunks has 4.2 million tiles, and one storage binding may hold no more than
//! 128 MiB, so a tile is one 64-bit record that shaders take apart (`shaders/tile.wgsl`), and
//! faces are small references to tiles. Flat tiles of one height whose neighbours are flat too
//! are drawn as rectangles of up to a chunk; sides are listed only where one tile's edge stands
//! above its neighbour's. At the worst that is 8 + 4 + 4 = 16 bytes a tile.

use std::num::NonZero;
use std::ops::Range;

use super::geometry::{BORDER_LEVEL, Corner, Half, Shape, half_material};
use crate::formats::pfmap::{CHUNK_SIDE, Edge, Pfmap, Tile};

/// A tile as shaders read it. Keep in sync with `shaders/tile.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct TileRecord {
    /// Type 0..4, base level + 128 at 4..12, ramp levels 12..19, blend modes north, east, south,
    /// west at 19..27, blend normals 27, bump 28, pathable 29, placeholder 30, shadow 31.
    pub shape: u32,
    /// Texture layer of the top 0..8 and of the sides 8..16; quadrants north-west, north-east,
    /// south-west, south-east that show several materials 16..20; cover 20..22.
    pub surface: u32,
}

/// Bit of [`TileRecord::shape`]: part of the tile lies in shadow.
pub(super) const SHADOW_BIT: u32 = 1 << 31;
/// Bit of [`TileRecord::shape`]: the tile could not be read.
pub(super) const PLACEHOLDER_BIT: u32 = 1 << 30;

/// The faces of one chunk, as ranges of the lists in [`Packed`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkFaces {
    /// Entries of [`Packed::rects`].
    pub rects: Range<u32>,
    /// Entries of [`Packed::tops`].
    pub tops: Range<u32>,
    /// Entries of [`Packed::sides`].
    pub sides: Range<u32>,
    /// Lowest and highest level of the chunk, skirts included.
    pub levels: [i32; 2],
    /// Whether any corner of it lies below the water.
    pub has_water: bool,
}

/// A map's tiles and faces, ready for the GPU.
#[derive(Debug)]
pub struct Packed {
    /// All tiles in row-major order of the whole map.
    pub tiles: Vec<TileRecord>,
    /// Level rectangles: first tile's column and row in the chunk, then width - 1 and height - 1
    /// in tiles, five bits each.
    pub rects: Vec<u32>,
    /// Tiles drawn one by one, in eight triangles: row * 32 + column in the chunk.
    pub tops: Vec<u16>,
    /// Side faces: the tile as above, and at bit 10 the [`Edge`] on which it stands.
    pub sides: Vec<u16>,
    /// Chunks in row-major order.
    pub chunks: Vec<ChunkFaces>,
}

/// What packing must know beside the map.
#[derive(Debug)]
pub struct Layers<'a> {
    /// Texture layer of each material index; indices beyond it have [`Layers::placeholder`].
    pub of_material: &'a [u8],
    /// The layer of materials that are not there.
    pub placeholder: u8,
}

impl Layers<'_> {
    fn of(&self, material: u16) -> u32 {
        let layer = self.of_material.get(usize::from(material));
        u32::from(*layer.unwrap_or(&self.placeholder))
    }
}

/// Packs a map, on as many threads as the machine has.
pub fn pack(map: &Pfmap, layers: &Layers<'_>) -> Packed {
    let cols = map.cols() as usize;
    let chunk_row_tiles = cols * CHUNK_SIDE as usize;
    let mut tiles = vec![TileRecord::default(); map.tiles.len()];
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let rows_each = (map.chunk_rows as usize).div_ceil(threads).max(1);
    let parts: Vec<Part> = std::thread::scope(|scope| {
        let workers: Vec<_> = tiles
            .chunks_mut((chunk_row_tiles * rows_each).max(1))
            .enumerate()
            .map(|(i, records)| {
                let first = (i * rows_each) as u32;
                scope.spawn(move || pack_chunk_rows(map, layers, first, records))
            })
            .collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().ok())
            .collect()
    });
    for &(row, col) in &map.bad_tiles {
        if let Some(record) = tiles.get_mut(row as usize * cols + col as usize) {
            record.shape |= PLACEHOLDER_BIT;
        }
    }
    let mut packed = Packed {
        tiles,
        rects: Vec::with_capacity(parts.iter().map(|p| p.rects.len()).sum()),
        tops: Vec::with_capacity(parts.iter().map(|p| p.tops.len()).sum()),
        sides: Vec::with_capacity(parts.iter().map(|p| p.sides.len()).sum()),
        chunks: Vec::with_capacity(map.chunk_rows as usize * map.chunk_cols as usize),
    };
    for part in parts {
        let after = |range: &Range<u32>, len: usize| {
            range.start + len as u32..range.end + len as u32
        };
        for chunk in part.chunks {
            packed.chunks.push(ChunkFaces {
                rects: after(&chunk.rects, packed.rects.len()),
                tops: after(&chunk.tops, packed.tops.len()),
                sides: after(&chunk.sides, packed.sides.len()),
                ..chunk
            });
        }
        packed.rects.extend(part.rects);
        packed.tops.extend(part.tops);
        packed.sides.extend(part.sides);
    }
    packed
}

/// The faces of some rows of chunks.
#[derive(Default)]
struct Part {
    rects: Vec<u32>,
    tops: Vec<u16>,
    sides: Vec<u16>,
    chunks: Vec<ChunkFaces>,
}

fn pack_chunk_rows(
    map: &Pfmap,
    layers: &Layers<'_>,
    first_chunk_row: u32,
    records: &mut [TileRecord],
) -> Part {
    let first_row = first_chunk_row * CHUNK_SIDE;
    let mut part = Part::default();
    for (i, record) in records.iter_mut().enumerate() {
        let row = first_row + i as u32 / map.cols();
        let col = i as u32 % map.cols();
        *record = pack_tile(&Around::new(map, row, col), layers);
    }
    let chunk_rows = (records.len() as u32 / map.cols().max(1)) / CHUNK_SIDE;
    for chunk_row in first_chunk_row..first_chunk_row + chunk_rows {
        for chunk_col in 0..map.chunk_cols {
            part.add_chunk(map, chunk_row, chunk_col);
        }
    }
    part
}

/// A tile and those around it; none beyond the border.
struct Around<'a> {
    map: &'a Pfmap,
    row: u32,
    col: u32,
    own: &'a Tile,
}

impl<'a> Around<'a> {
    fn new(map: &'a Pfmap, row: u32, col: u32) -> Self {
        let own = &map.tiles[row as usize * map.cols() as usize + col as usize];
        Self { map, row, col, own }
    }

    fn at(&self, rows: i32, cols: i32) -> Option<&'a Tile> {
        let row = self.row.checked_add_signed(rows)?;
        let col = self.col.checked_add_signed(cols)?;
        self.map.tile(row, col)
    }

    fn all(&self) -> impl Iterator<Item = &'a Tile> {
        (-1..=1).flat_map(move |r| (-1..=1).filter_map(move |c| self.at(r, c)))
    }
}

fn pack_tile(around: &Around<'_>, layers: &Layers<'_>) -> TileRecord {
    let tile = around.own;
    let mut shape = tile.kind as u32
        | ((i32::from(tile.base_height) + 128) as u32) << 4
        | u32::from(tile.ramp_height) << 12
        | u32::from(tile.blend_normals()) << 27
        | u32::from(tile.bump()) << 28
        | u32::from(tile.pathable()) << 29;
    for edge in Edge::ALL {
        shape |= (tile.blend(edge) as u32) << (19 + 2 * edge as u32);
    }
    let surface = layers.of(tile.top_material)
        | layers.of(tile.side_material) << 8
        | mixed_quadrants(around, layers) << 16
        | u32::from(tile.digit(16).min(3)) << 20;
    TileRecord { shape, surface }
}

/// Which quadrants of a tile show more than one material when they are blurred: a bit each for
/// north-west, north-east, south-west, south-east.
fn mixed_quadrants(around: &Around<'_>, layers: &Layers<'_>) -> u32 {
    // Most tiles have no slopes and one material around them: that is quick to see.
    let own = around.own;
    let plain = |t: &Tile| t.top_material == own.top_material && t.ramp_height <= 1;
    if around.all().all(plain) {
        return 0;
    }
    let layer = |tile: &Tile, half| layers.of(half_material(tile, half));
    let own_layer = layer(own, Half::South);
    let same = |tile: Option<&Tile>, halves: [Half; 2]| {
        tile.is_none_or(|t| halves.into_iter().all(|h| layer(t, h) == own_layer))
    };
    let mut bits = 0;
    for quadrant in 0..4 {
        let (east, south) = (quadrant & 1 == 1, quadrant & 2 == 2);
        let (rows, cols) = (if south { 1 } else { -1 }, if east { 1 } else { -1 });
        let corner = |south: bool, east: bool| match (south, east) {
            (false, false) => Corner::NorthWest,
            (false, true) => Corner::NorthEast,
            (true, false) => Corner::SouthWest,
            (true, true) => Corner::SouthEast,
        };
        let touching = |tile: Option<&Tile>, corner| match tile {
            Some(t) => same(tile, Shape::of(t).halves_at(corner)),
            None => true,
        };
        let one = same(Some(own), [Half::South, Half::North])
            && touching(around.at(rows, 0), corner(!south, east))
            && touching(around.at(0, cols), corner(south, !east))
            && touching(around.at(rows, cols), corner(!south, !east))
            && facing(around.at(rows, 0), if south { Edge::North } else { Edge::South }, &same)
            && facing(around.at(0, cols), if east { Edge::West } else { Edge::East }, &same);
        if !one {
            bits |= 1 << quadrant;
        }
    }
    bits
}

fn facing(
    tile: Option<&Tile>,
    edge: Edge,
    same: &impl Fn(Option<&Tile>, [Half; 2]) -> bool,
) -> bool {
    tile.is_none_or(|t| same(tile, [Shape::of(t).half_on(edge); 2]))
}

/// Whether a tile's top is level with a vertical normal everywhere, so that it can be drawn as
/// part of a rectangle.
fn is_plain(around: &Around<'_>) -> bool {
    let level = |t: &Tile| t.kind as u8 == 0 || t.ramp_height == 0;
    level(around.own) && (!around.own.blend_normals() || around.all().all(level))
}

impl Part {
    fn add_chunk(&mut self, map: &Pfmap, chunk_row: u32, chunk_col: u32) {
        let (first_row, first_col) = (chunk_row * CHUNK_SIDE, chunk_col * CHUNK_SIDE);
        let starts = [self.rects.len(), self.tops.len(), self.sides.len()].map(|n| n as u32);
        let mut levels = [i32::MAX, i32::MIN];
        // The base level of each tile that may become part of a rectangle.
        let mut plain = [[None::<i8>; CHUNK_SIDE as usize]; CHUNK_SIDE as usize];
        for row in 0..CHUNK_SIDE {
            for col in 0..CHUNK_SIDE {
                let around = Around::new(map, first_row + row, first_col + col);
                let shape = Shape::of(around.own);
                let reference = (row * CHUNK_SIDE + col) as u16;
                levels[0] = levels[0].min(shape.lowest());
                levels[1] = levels[1].max(shape.highest());
                if is_plain(&around) {
                    plain[row as usize][col as usize] = Some(around.own.base_height);
                } else {
                    self.tops.push(reference);
                }
                for edge in Edge::ALL {
                    if let Some(lowest) = side_bottom(&around, &shape, edge) {
                        levels[0] = levels[0].min(lowest);
                        self.sides.push(reference | (edge as u16) << 10);
                    }
                }
            }
        }
        self.add_rects(&mut plain);
        self.chunks.push(ChunkFaces {
            rects: starts[0]..self.rects.len() as u32,
            tops: starts[1]..self.tops.len() as u32,
            sides: starts[2]..self.sides.len() as u32,
            levels,
            has_water: levels[0] < 0,
        });
    }

    /// Covers the plain tiles of a chunk with rectangles of one height, taking each as wide and
    /// then as high as it goes.
    fn add_rects(&mut self, plain: &mut [[Option<i8>; 32]; 32]) {
        for row in 0..32 {
            let mut col = 0;
            while col < 32 {
                let Some(level) = plain[row][col] else {
                    col += 1;
                    continue;
                };
                let same = |cell: &&Option<i8>| **cell == Some(level);
                let width = plain[row][col..].iter().take_while(same).count();
                let fits = |r: &&mut [Option<i8>; 32]| {
                    r[col..col + width].iter().all(|cell| *cell == Some(level))
                };
                let height = plain[row..].iter_mut().take_while(fits).count();
                for line in &mut plain[row..row + height] {
                    line[col..col + width].fill(None);
                }
                self.rects
                    .push((col | row << 5 | (width - 1) << 10 | (height - 1) << 15) as u32);
                col += width;
            }
        }
    }
}

/// The lowest level of the side face on an edge of a tile; none where nothing shows.
///
/// Inside the map the face between two tiles is listed once, with the northern or western of
/// them; it stands on whichever is lower and shows the side of whichever is higher.
fn side_bottom(around: &Around<'_>, shape: &Shape, edge: Edge) -> Option<i32> {
    let (rows, cols) = edge.step();
    let own = shape.edge(edge);
    let Some(neighbor) = around.at(rows, cols) else {
        let bottom = BORDER_LEVEL.min(shape.lowest());
        return (own != [bottom; 2]).then_some(bottom);
    };
    if matches!(edge, Edge::North | Edge::West) {
        return None;
    }
    let other = Shape::of(neighbor).edge(edge.opposite());
    (own != other).then(|| own.into_iter().chain(other).fold(i32::MAX, i32::min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_costs_at_most_sixteen_bytes() {
        assert_eq!(size_of::<TileRecord>(), 8);
    }
}
