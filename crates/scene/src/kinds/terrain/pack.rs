//! Terrain data for the GPU: eight bytes per tile, and lists of the visible faces.
//!
//! A map of 64x64 chunks has 4.2 million tiles, and a storage binding is limited to 128 MiB. A tile
//! is therefore one 64-bit record that shaders unpack (`shaders/tile.wgsl`), and faces are small
//! references to tiles.
//!
//! - Equal level tiles are merged into rectangles of up to a chunk.
//! - Tops are listed by the cost of their shader: a single material, mixed materials, and more than
//!   four mixed materials.
//! - Sides are listed only where the edge of one tile is above that of its neighbour.
//!
//! The worst case is 8 + 2 + 4 = 14 bytes per tile, plus 2 for each tile of the border.

use std::ops::Range;

use super::TileClass;
use super::geometry::{BORDER_LEVEL, Corner, Half, MAX_GENTLE_RAMP, Shape, half_material};
use crate::core::parallel::{map_parallel, split_among_threads};
use mapscope_formats::pfmap::{BlendMode, CHUNK_SIDE, Edge, Pfmap, Tile, TileType};

/// A bit field of a word, which shaders unpack as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// Index of the lowest bit.
    pub at: u32,
    /// Number of bits.
    pub len: u32,
}

impl Bits {
    const fn new(at: u32, len: u32) -> Self {
        Self { at, len }
    }

    /// Mask of the field, shifted to bit 0.
    pub const fn mask(self) -> u32 {
        (1 << self.len) - 1
    }

    /// Returns a number shifted into the field.
    pub const fn put(self, number: u32) -> u32 {
        (number & self.mask()) << self.at
    }

    /// Extracts the number in the field.
    pub const fn get(self, word: u32) -> u32 {
        word >> self.at & self.mask()
    }
}

/// A tile in the form that shaders read.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct TileRecord {
    /// The fields from [`TileRecord::KIND`] to [`TileRecord::COVER`].
    pub shape: u32,
    /// The fields [`TileRecord::TOP_LAYER`] and [`TileRecord::SIDE_LAYER`].
    pub surface: u32,
}

impl TileRecord {
    /// Its [`TileClass::index`].
    pub const KIND: Bits = Bits::new(0, 4);
    /// Its base height plus [`TileRecord::BASE_OFFSET`].
    pub const BASE: Bits = Bits::new(4, 8);
    /// Its ramp height.
    pub const RAMP: Bits = Bits::new(12, 7);
    /// The blend mode of its northern edge; the other edges follow in the order of [`Edge`].
    pub const BLEND: Bits = Bits::new(19, 2);
    /// 1 if its normals are blended.
    pub const BLEND_NORMALS: Bits = Bits::new(27, 1);
    /// 1 if it is bumpy.
    pub const BUMP: Bits = Bits::new(28, 1);
    /// 1 if it is pathable.
    pub const PATHABLE: Bits = Bits::new(29, 1);
    /// Its [cover](mapscope_formats::pfmap::Cover).
    pub const COVER: Bits = Bits::new(30, 2);
    /// The texture layer of its top.
    pub const TOP_LAYER: Bits = Bits::new(0, 8);
    /// The texture layer of its sides.
    pub const SIDE_LAYER: Bits = Bits::new(8, 8);
    /// Offset added to base heights to make them non-negative.
    pub const BASE_OFFSET: i32 = 128;

    /// The high bits of the four blend modes, set for ragged seams and unknown modes.
    const HIGHER_BLEND_BITS: u32 = 0b10101010 << TileRecord::BLEND.at;

    /// `true` if an edge has a ragged seam or an unknown blend mode.
    pub fn has_seams(&self) -> bool {
        self.shape & Self::HIGHER_BLEND_BITS != 0
    }

    /// `true` if an edge has a blend mode unknown to the engine: both bits are set.
    fn has_unknown_blend(self) -> bool {
        self.shape & self.shape << 1 & Self::HIGHER_BLEND_BITS != 0
    }
}

/// A set of faces, as ranges of the lists in [`Packed`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faces {
    /// Range of [`Packed::rects`].
    pub rects: Range<u32>,
    /// Consecutive ranges of [`Packed::tops`], by [`TopClass`].
    pub tops: [Range<u32>; TopClass::ALL.len()],
    /// Range of [`Packed::sides`].
    pub sides: Range<u32>,
    /// Lowest and highest level of the faces, including skirts.
    pub levels: [i32; 2],
}

/// Shader class of a top; simpler classes are faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopClass {
    /// One material on each half, fully lit.
    Lit = 0,
    /// One material on each half, partly in shadow.
    Shaded = 1,
    /// Up to four materials in each quarter, fully lit.
    LitMixed = 2,
    /// Up to four materials in each quarter, partly in shadow.
    ShadedMixed = 3,
    /// More materials, in shadow or not.
    Many = 4,
}

/// Number of materials that a top mixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mix {
    /// No mixing: each half shows one material.
    None,
    /// Up to [`MAX_FEW_LAYERS`] materials in each quarter.
    Few,
    /// More materials in at least one quarter.
    Many,
}

/// Maximum number of layers in the cheaper mixing shader; see `vs_mixed` in `terrain.wgsl`.
const MAX_FEW_LAYERS: usize = 4;

impl TopClass {
    /// All classes, in the order of [`Faces::tops`].
    pub const ALL: [Self; 5] = [
        Self::Lit,
        Self::Shaded,
        Self::LitMixed,
        Self::ShadedMixed,
        Self::Many,
    ];

    fn of(mix: Mix, shaded: bool) -> Self {
        match (mix, shaded) {
            (Mix::None, false) => Self::Lit,
            (Mix::None, true) => Self::Shaded,
            (Mix::Few, false) => Self::LitMixed,
            (Mix::Few, true) => Self::ShadedMixed,
            (Mix::Many, _) => Self::Many,
        }
    }
}

impl Faces {
    /// No faces, with an empty level range.
    const NONE: Self = Self {
        rects: 0..0,
        tops: [const { 0..0 }; TopClass::ALL.len()],
        sides: 0..0,
        levels: [i32::MAX, i32::MIN],
    };

    /// Number of triangles that they are drawn with.
    pub fn triangles(&self) -> u64 {
        let pairs = self.rects.len() + self.sides.len();
        let tops: usize = self.tops.iter().map(Range::len).sum();
        pairs as u64 * 2 + tops as u64 * 8
    }

    /// The tops of all classes of a whole chunk. Those of a block are not contiguous.
    pub fn all_tops(&self) -> Range<u32> {
        self.tops[0].start..self.tops[TopClass::Many as usize].end
    }
}

/// Side of a block in tiles: half the side of a chunk. Culling works on blocks.
pub const BLOCK_SIDE: u32 = CHUNK_SIDE / 2;

/// The faces of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkFaces {
    /// All faces.
    pub all: Faces,
    /// The faces of each block: north-west, north-east, south-west, south-east.
    pub blocks: [Faces; 4],
    /// Lowest and highest level of its tiles that were read, without skirts; `None` if it has no
    /// such tiles.
    pub ground: Option<[i32; 2]>,
    /// `true` if any corner of its tiles lies below the water.
    pub has_water: bool,
}

impl ChunkFaces {
    /// The level range of the chunk with this north-west tile, including its skirt on the border of
    /// the map.
    fn without_faces(map: &Pfmap, first_row: u32, first_col: u32) -> Self {
        let mut levels = [i32::MAX, i32::MIN];
        let mut ground = None;
        for row in first_row..first_row + CHUNK_SIDE {
            let first = (row * map.cols() + first_col) as usize;
            let tiles = &map.tiles[first..][..CHUNK_SIDE as usize];
            for (col, tile) in (first_col..).zip(tiles) {
                let shape = Shape::of(tile);
                let of_tile = [shape.lowest(), shape.highest()];
                levels = union_levels(levels, of_tile);
                if map.is_read(row, col) {
                    ground = Some(union_levels(ground.unwrap_or(of_tile), of_tile));
                }
            }
        }
        let lasts = [map.rows(), map.cols()].map(|side| side - CHUNK_SIDE);
        let is_border = |first: u32, last: u32| first == 0 || first == last;
        if is_border(first_row, lasts[0]) || is_border(first_col, lasts[1]) {
            levels[0] = levels[0].min(BORDER_LEVEL);
        }
        let all = Faces {
            levels,
            ..Faces::NONE
        };
        Self {
            blocks: std::array::from_fn(|_| all.clone()),
            all,
            ground,
            has_water: is_below_water(ground),
        }
    }
}

/// `true` if ground in a range of levels reaches below the water.
fn is_below_water(ground: Option<[i32; 2]>) -> bool {
    ground.is_some_and(|[low, _]| low < 0)
}

/// The faces of a map, ready for the GPU.
#[derive(Debug)]
pub struct Packed {
    /// Level rectangles: [`Packed::COL`], [`Packed::ROW`], [`Packed::WIDTH`] and
    /// [`Packed::HEIGHT`].
    pub rects: Vec<u32>,
    /// Individually drawn tiles with eight triangles each: [`Packed::COL`] and [`Packed::ROW`].
    pub tops: Vec<u16>,
    /// Side faces: [`Packed::COL`], [`Packed::ROW`] and [`Packed::EDGE`].
    pub sides: Vec<u16>,
    /// Chunks in row-major order.
    pub chunks: Vec<ChunkFaces>,
}

impl Packed {
    /// Column within the chunk of a tile, or of the first tile of a rectangle.
    pub const COL: Bits = Bits::new(0, 5);
    /// Row, likewise.
    pub const ROW: Bits = Bits::new(5, 5);
    /// Number of columns of a rectangle, minus one.
    pub const WIDTH: Bits = Bits::new(10, 5);
    /// Number of rows of a rectangle, minus one.
    pub const HEIGHT: Bits = Bits::new(15, 5);
    /// The [`Edge`] of a side face.
    pub const EDGE: Bits = Bits::new(10, 2);
}

/// Texture layers of the materials, as input for packing.
#[derive(Debug)]
pub struct Layers<'a> {
    /// Texture layer of each material index. Indices out of range use [`Layers::placeholder`].
    pub of_material: &'a [u8],
    /// The layer for materials that do not exist.
    pub placeholder: u8,
}

impl Layers<'_> {
    fn of(&self, material: u16) -> u32 {
        let layer = self.of_material.get(usize::from(material));
        u32::from(*layer.unwrap_or(&self.placeholder))
    }
}

/// Packs the tiles of a map in row-major order of the whole map, on all threads of the machine.
/// Unreadable tiles show the placeholder.
pub fn pack_tiles(map: &Pfmap, layers: &Layers<'_>) -> Vec<TileRecord> {
    let cols = map.cols();
    // Pages are allocated on first write, by the thread that fills them.
    let mut records: Vec<TileRecord> = bytemuck::zeroed_vec(map.tiles.len());
    split_among_threads(&mut records, cols as usize, |first, records| {
        for (record, tile) in records.iter_mut().zip(&map.tiles[first..]) {
            *record = pack_tile(tile, layers);
        }
    });
    for &(row, col) in &map.bad_tiles {
        if let Some(record) = records.get_mut(row as usize * cols as usize + col as usize) {
            let layer = layers.placeholder.into();
            record.surface = TileRecord::TOP_LAYER.put(layer) | TileRecord::SIDE_LAYER.put(layer);
            // It is drawn flat, whatever its type.
            let class = TileClass::of(map, row, col).map_or(0, TileClass::index);
            record.shape = record.shape & !TileRecord::KIND.mask() | class as u32;
        }
    }
    records
}

impl Packed {
    /// The chunks of a map without any faces. Only their heights are computed, which is much
    /// faster.
    pub fn without_faces(map: &Pfmap) -> Self {
        let rows = map_parallel(map.chunk_rows as usize, |row| {
            let cols = (0..map.chunk_cols).map(|col| col * CHUNK_SIDE);
            let chunks =
                cols.map(|col| ChunkFaces::without_faces(map, row as u32 * CHUNK_SIDE, col));
            chunks.collect::<Vec<_>>()
        });
        Self {
            rects: Vec::new(),
            tops: Vec::new(),
            sides: Vec::new(),
            chunks: rows.concat(),
        }
    }

    /// Lists the faces of a map from its packed tiles, on all threads of the machine.
    ///
    /// `shaded` is `true` for each tile with shadow on it. Only the tiles in the rows and columns
    /// of `drawn` get faces.
    pub fn list(
        map: &Pfmap,
        records: &[TileRecord],
        layers: &Layers<'_>,
        shaded: &[bool],
        drawn: &[Range<u32>; 2],
    ) -> Self {
        let parts = map_parallel(map.chunk_rows as usize, |row| {
            list_chunk_row(map, records, layers, shaded, drawn, row as u32 * CHUNK_SIDE)
        });
        let mut packed = Self {
            rects: Vec::with_capacity(parts.iter().map(|p| p.rects.len()).sum()),
            tops: Vec::with_capacity(parts.iter().map(|p| p.tops.len()).sum()),
            sides: Vec::with_capacity(parts.iter().map(|p| p.sides.len()).sum()),
            chunks: Vec::with_capacity(map.chunk_rows as usize * map.chunk_cols as usize),
        };
        for part in parts {
            let lengths = [packed.rects.len(), packed.tops.len(), packed.sides.len()];
            packed
                .chunks
                .extend(part.chunks.into_iter().map(|chunk| ChunkFaces {
                    all: chunk.all.after(lengths),
                    blocks: chunk.blocks.map(|block| block.after(lengths)),
                    ground: chunk.ground,
                    has_water: chunk.has_water,
                }));
            packed.rects.extend(part.rects);
            packed.tops.extend(part.tops);
            packed.sides.extend(part.sides);
        }
        packed
    }
}

impl Faces {
    /// Shifts the ranges by the lengths of preceding lists of rectangles, tops and sides.
    fn after(self, [rects, tops, sides]: [usize; 3]) -> Self {
        let after =
            |range: Range<u32>, len: usize| range.start + len as u32..range.end + len as u32;
        Self {
            rects: after(self.rects, rects),
            tops: self.tops.map(|range| after(range, tops)),
            sides: after(self.sides, sides),
            levels: self.levels,
        }
    }
}

/// The faces of a row of chunks.
#[derive(Default)]
struct Part {
    rects: Vec<u32>,
    tops: Vec<u16>,
    sides: Vec<u16>,
    chunks: Vec<ChunkFaces>,
}

fn list_chunk_row(
    map: &Pfmap,
    records: &[TileRecord],
    layers: &Layers<'_>,
    shaded: &[bool],
    drawn: &[Range<u32>; 2],
    first_row: u32,
) -> Part {
    let mut part = Part::default();
    let uniform = uniform_tiles(map, first_row);
    let records = &records[first_row as usize * map.cols() as usize..];
    for chunk_col in 0..map.chunk_cols {
        part.add_chunk(&Chunk {
            map,
            layers,
            shaded,
            drawn,
            records,
            uniform: &uniform,
            rows: first_row,
            cols: chunk_col * CHUNK_SIDE,
        });
    }
    part
}

/// Computes for each tile of a row of chunks whether the tile and its eight neighbours are level,
/// at one height, and of one material. Such a tile has no sides, and its top mixes nothing. Most
/// tiles qualify, and testing a whole row is faster than testing tiles individually.
fn uniform_tiles(map: &Pfmap, first_row: u32) -> Vec<bool> {
    // The properties that must match. Sloped tiles are never uniform.
    const SLOPED: u32 = u32::MAX;
    let key = |tile: &Tile| {
        let is_level = tile.ramp_height == 0
            || tile.kind == TileType::Flat && tile.ramp_height <= MAX_GENTLE_RAMP;
        if is_level {
            u32::from(tile.top_material) << 8 | u32::from(tile.base_height.cast_unsigned())
        } else {
            SLOPED
        }
    };
    let cols = map.cols() as usize;
    let row_of = |row: Option<u32>| {
        let first = row.map(|row| row as usize * cols);
        let tiles = first.and_then(|first| map.tiles.get(first..first + cols));
        let mut keys = vec![SLOPED; cols];
        for (key_of, tile) in keys.iter_mut().zip(tiles.unwrap_or_default()) {
            *key_of = key(tile);
        }
        keys
    };
    let side = CHUNK_SIDE as usize;
    let mut uniform = vec![false; side * cols];
    let mut keys = [first_row.checked_sub(1), Some(first_row)].map(row_of);
    for (row, uniform) in (first_row..).zip(uniform.chunks_exact_mut(cols)) {
        let [north, own] = keys;
        let south = row_of(row.checked_add(1));
        let mut columns = vec![SLOPED; cols];
        let above_each_other = north.iter().zip(&own).zip(&south);
        for (column, ((north, own), south)) in columns.iter_mut().zip(above_each_other) {
            *column = if north == own && own == south {
                *own
            } else {
                SLOPED
            };
        }
        for (uniform, around) in uniform[1..].iter_mut().zip(columns.windows(3)) {
            let same = around[0] == around[1] && around[1] == around[2];
            *uniform = same && around[1] != SLOPED;
        }
        keys = [own, south];
    }
    uniform
}

/// A tile and its neighbourhood.
struct Around<'a> {
    map: &'a Pfmap,
    own: &'a Tile,
    /// The tile and its neighbours, row by row from the north-west; `None` beyond the border.
    tiles: [Option<&'a Tile>; 9],
}

impl<'a> Around<'a> {
    fn new(map: &'a Pfmap, row: u32, col: u32) -> Self {
        let (rows, cols) = (map.rows() as usize, map.cols() as usize);
        let [row, col] = [row, col].map(|at| at as usize);
        let at = row * cols + col;
        let tiles = if (1..rows - 1).contains(&row) && (1..cols - 1).contains(&col) {
            let rows = [at - cols, at, at + cols].map(|at| &map.tiles[at - 1..at + 2]);
            std::array::from_fn(|i| Some(&rows[i / 3][i % 3]))
        } else {
            let at = |at: usize, step: usize| u32::try_from((at + step).checked_sub(1)?).ok();
            std::array::from_fn(|i| map.tile(at(row, i / 3)?, at(col, i % 3)?))
        };
        Self {
            map,
            own: &map.tiles[at],
            tiles,
        }
    }

    fn at(&self, rows: i32, cols: i32) -> Option<&'a Tile> {
        self.tiles[((rows + 1) * 3 + cols + 1) as usize]
    }

    fn all(&self) -> impl Iterator<Item = &'a Tile> {
        self.tiles.into_iter().flatten()
    }
}

fn pack_tile(tile: &Tile, layers: &Layers<'_>) -> TileRecord {
    let base = i32::from(tile.base_height) + TileRecord::BASE_OFFSET;
    let mut shape = TileRecord::KIND.put(tile.kind as u32)
        | TileRecord::BASE.put(base as u32)
        | TileRecord::RAMP.put(tile.ramp_height.into())
        | TileRecord::BLEND_NORMALS.put(tile.blend_normals().into())
        | TileRecord::BUMP.put(tile.bump().into())
        | TileRecord::PATHABLE.put(tile.pathable().into())
        | TileRecord::COVER.put(tile.cover() as u32);
    for (edge, mode) in (0..).zip(tile.blends()) {
        shape |= TileRecord::BLEND.put(mode as u32) << (TileRecord::BLEND.len * edge);
    }
    let surface = TileRecord::TOP_LAYER.put(layers.of(tile.top_material))
        | TileRecord::SIDE_LAYER.put(layers.of(tile.side_material));
    TileRecord { shape, surface }
}

/// Number of materials that a tile's top mixes: neighbouring materials at blurred edges, and
/// materials that spill across an edge where the neighbour requests a seam. Tiles with an unknown
/// blend mode use the same shader.
fn mix(around: &Around<'_>, layers: &Layers<'_>) -> Mix {
    // Fast path: most tiles have no slopes and a single material around them.
    let own = around.own;
    let modes = own.blends();
    let is_unknown = modes.contains(&BlendMode::Unknown);
    let plain = |t: &Tile| t.top_material == own.top_material && t.ramp_height <= MAX_GENTLE_RAMP;
    if !is_unknown && around.all().all(plain) {
        return Mix::None;
    }
    if modes.contains(&BlendMode::Blur) && blurs(around, layers) {
        return if mixes_many(around, layers, modes) {
            Mix::Many
        } else {
            Mix::Few
        };
    }
    let spills = |edge: Edge| {
        let (rows, cols) = edge.step();
        let facing = edge.opposite();
        let layer = |t: &Tile, edge| layers.of(half_material(t, Shape::of(t).half_on(edge)));
        around.at(rows, cols).is_some_and(|t| {
            t.blend(facing) == BlendMode::Edge && layer(t, facing) > layer(own, edge)
        })
    };
    if is_unknown || Edge::ALL.into_iter().any(spills) {
        Mix::Few
    } else {
        Mix::None
    }
}

/// `true` if a blurred quarter of a tile may have more than [`MAX_FEW_LAYERS`] layers. These are the layers of
/// both halves of the four tiles at its corner, even if not all are visible.
fn mixes_many(around: &Around<'_>, layers: &Layers<'_>, modes: [BlendMode; 4]) -> bool {
    let layers_of =
        |tile: &Tile| [Half::South, Half::North].map(|h| layers.of(half_material(tile, h)));
    // An unreadable tile shows the placeholder, whatever tile replaces it.
    let placeholders = usize::from(!around.map.bad_tiles.is_empty());
    let mut seen = DistinctLayers::default();
    around
        .all()
        .flat_map(layers_of)
        .for_each(|layer| seen.add(layer));
    if seen.count + placeholders <= MAX_FEW_LAYERS {
        return false;
    }
    let quarters = [
        (Edge::North, Edge::West),
        (Edge::North, Edge::East),
        (Edge::South, Edge::West),
        (Edge::South, Edge::East),
    ];
    quarters.into_iter().any(|(y, x)| {
        if modes[x as usize] != BlendMode::Blur && modes[y as usize] != BlendMode::Blur {
            return false;
        }
        let (rows, cols) = (y.step().0, x.step().1);
        let mut seen = DistinctLayers::default();
        let of_quarter = [(0, 0), (0, cols), (rows, 0), (rows, cols)];
        let tiles = of_quarter
            .into_iter()
            .filter_map(|tile| around.at(tile.0, tile.1));
        tiles.flat_map(layers_of).for_each(|layer| seen.add(layer));
        seen.count + placeholders > MAX_FEW_LAYERS
    })
}

/// A set of distinct layers that stops counting at [`MAX_FEW_LAYERS`] + 1.
#[derive(Default)]
struct DistinctLayers {
    layers: [u32; MAX_FEW_LAYERS + 1],
    count: usize,
}

impl DistinctLayers {
    fn add(&mut self, layer: u32) {
        if self.count <= MAX_FEW_LAYERS && !self.layers[..self.count].contains(&layer) {
            self.layers[self.count] = layer;
            self.count += 1;
        }
    }
}

/// `true` if a tile shows several layers, or would if all its edges were blurred.
fn blurs(around: &Around<'_>, layers: &Layers<'_>) -> bool {
    let own = around.own;
    let layer = |tile: &Tile, half| layers.of(half_material(tile, half));
    let own_layer = layer(own, Half::South);
    if around.all().all(|t| t.ramp_height <= MAX_GENTLE_RAMP) {
        return around.all().any(|t| layers.of(t.top_material) != own_layer);
    }
    let differs = |tile: Option<&Tile>, halves: [Half; 2]| {
        tile.is_some_and(|t| halves.into_iter().any(|half| layer(t, half) != own_layer))
    };
    if differs(Some(own), [Half::South, Half::North]) {
        return true;
    }
    let beyond_edge = |edge: Edge| {
        let (rows, cols) = edge.step();
        let tile = around.at(rows, cols);
        tile.is_some_and(|t| differs(tile, [Shape::of(t).half_on(edge.opposite()); 2]))
    };
    // The tiles around each corner, starting in the north-west, with their own corner at that
    // point.
    let beyond_corner = |(row, col, corner): (i32, i32, Corner)| {
        let tile = around.at(row, col);
        tile.is_some_and(|t| differs(tile, Shape::of(t).halves_at(corner)))
    };
    Edge::ALL.into_iter().any(beyond_edge)
        || [
            (-1, -1, Corner::SouthEast),
            (-1, 0, Corner::SouthWest),
            (-1, 0, Corner::SouthEast),
            (-1, 1, Corner::SouthWest),
            (0, -1, Corner::NorthEast),
            (0, -1, Corner::SouthEast),
            (0, 1, Corner::NorthWest),
            (0, 1, Corner::SouthWest),
            (1, -1, Corner::NorthEast),
            (1, 0, Corner::NorthWest),
            (1, 0, Corner::NorthEast),
            (1, 1, Corner::NorthWest),
        ]
        .into_iter()
        .any(beyond_corner)
}

/// `true` if a tile's top is level with a vertical normal everywhere, so that it can be part of a
/// rectangle.
fn is_plain(around: &Around<'_>) -> bool {
    let level = |t: &Tile| t.kind as u8 == 0 || t.ramp_height == 0;
    level(around.own) && (!around.own.blend_normals() || around.all().all(level))
}

/// A chunk that is being packed.
struct Chunk<'a> {
    map: &'a Pfmap,
    layers: &'a Layers<'a>,
    shaded: &'a [bool],
    drawn: &'a [Range<u32>; 2],
    /// The map's records from the chunk's first row on.
    records: &'a [TileRecord],
    /// [`uniform_tiles`] of its row of chunks.
    uniform: &'a [bool],
    /// Row and column of the chunk's first tile.
    rows: u32,
    cols: u32,
}

impl Chunk<'_> {
    /// `true` if the tile at a row and column of the chunk gets faces.
    fn is_drawn(&self, row: u32, col: u32) -> bool {
        let [rows, cols] = self.drawn;
        rows.contains(&self.rows.wrapping_add(row)) && cols.contains(&self.cols.wrapping_add(col))
    }
}

/// The records of a block's tiles that may become part of a rectangle.
type LevelTiles = [[Option<TileRecord>; BLOCK_SIDE as usize]; BLOCK_SIDE as usize];

impl Part {
    fn add_chunk(&mut self, chunk: &Chunk<'_>) {
        let [rects, _, sides] = self.lengths();
        let mut tops: [Vec<u16>; TopClass::ALL.len()] = Default::default();
        let mut ground = None;
        let mut blocks = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(row, col)| {
            let (row, col) = (row * BLOCK_SIDE, col * BLOCK_SIDE);
            self.add_block(chunk, row, col, &mut tops, &mut ground)
        });
        // Sorted by class, so that each class is one range, and all classes together too.
        let ranges = std::array::from_fn(|class| {
            let [_, start, _] = self.lengths();
            self.tops.append(&mut tops[class]);
            for block in &mut blocks {
                let range = &mut block.tops[class];
                *range = range.start + start..range.end + start;
            }
            start..self.tops.len() as u32
        });
        let [rects_end, _, sides_end] = self.lengths();
        let levels = blocks
            .iter()
            .map(|block| block.levels)
            .fold([i32::MAX, i32::MIN], union_levels);
        self.chunks.push(ChunkFaces {
            all: Faces {
                rects: rects..rects_end,
                tops: ranges,
                sides: sides..sides_end,
                levels,
            },
            blocks,
            ground,
            has_water: is_below_water(ground),
        });
    }

    /// Numbers of rectangles, tops and sides.
    fn lengths(&self) -> [u32; 3] {
        [self.rects.len(), self.tops.len(), self.sides.len()].map(|n| n as u32)
    }

    /// Adds the faces of a block and extends the level range of the ground. Tops go to the list of
    /// their class.
    fn add_block(
        &mut self,
        chunk: &Chunk<'_>,
        first_row: u32,
        first_col: u32,
        tops: &mut [Vec<u16>; TopClass::ALL.len()],
        ground: &mut Option<[i32; 2]>,
    ) -> Faces {
        let map_cols = chunk.map.cols() as usize;
        let [rects, _, sides] = self.lengths();
        let starts = tops.each_ref().map(|of_class| of_class.len() as u32);
        let mut levels = [i32::MAX, i32::MIN];
        let mut level: LevelTiles = Default::default();
        for row in first_row..first_row + BLOCK_SIDE {
            for col in first_col..first_col + BLOCK_SIDE {
                let in_row = row as usize * map_cols + (chunk.cols + col) as usize;
                let in_map = in_row + chunk.rows as usize * map_cols;
                let level = &mut level[(row - first_row) as usize][(col - first_col) as usize];
                let shaded = chunk.shaded.get(in_map) == Some(&true);
                let is_uniform =
                    chunk.uniform[in_row] && !chunk.records[in_row].has_unknown_blend();
                if is_uniform && !shaded && chunk.is_drawn(row, col) {
                    let base = i32::from(chunk.map.tiles[in_map].base_height);
                    levels = union_levels(levels, [base; 2]);
                    if chunk.map.is_read(chunk.rows + row, chunk.cols + col) {
                        *ground = Some(union_levels(ground.unwrap_or([base; 2]), [base; 2]));
                    }
                    *level = Some(chunk.records[in_row]);
                    continue;
                }
                let around = Around::new(chunk.map, chunk.rows + row, chunk.cols + col);
                let shape = Shape::of(around.own);
                let reference = (row * CHUNK_SIDE + col) as u16;
                let is_drawn = chunk.is_drawn(row, col);
                for edge in Edge::ALL {
                    let (rows, cols) = edge.step();
                    let [row, col] =
                        [(row, rows), (col, cols)].map(|(at, step)| at.wrapping_add_signed(step));
                    // A side belongs to the tiles on both of its sides.
                    if !is_drawn && !chunk.is_drawn(row, col) {
                        continue;
                    }
                    if let Some(of_side) = side_levels(&around, &shape, edge) {
                        levels = union_levels(levels, of_side);
                        self.sides
                            .push(reference | Packed::EDGE.put(edge as u32) as u16);
                    }
                }
                if !is_drawn {
                    continue;
                }
                let of_tile = [shape.lowest(), shape.highest()];
                levels = union_levels(levels, of_tile);
                if chunk.map.is_read(chunk.rows + row, chunk.cols + col) {
                    *ground = Some(union_levels(ground.unwrap_or(of_tile), of_tile));
                }
                let mix = mix(&around, chunk.layers);
                if is_plain(&around) && !shaded && mix == Mix::None {
                    *level = Some(chunk.records[in_row]);
                } else {
                    tops[TopClass::of(mix, shaded) as usize].push(reference);
                }
            }
        }
        self.add_rects(
            &mut level,
            [first_row, first_col],
            &mut tops[TopClass::Lit as usize],
        );
        let [rects_end, _, sides_end] = self.lengths();
        Faces {
            rects: rects..rects_end,
            tops: std::array::from_fn(|class| starts[class]..tops[class].len() as u32),
            sides: sides..sides_end,
            levels,
        }
    }

    /// Covers the level tiles of a block with rectangles of equal tiles, greedily first in width,
    /// then in height. A single tile takes less memory as a top.
    fn add_rects(
        &mut self,
        level: &mut LevelTiles,
        [first_row, first_col]: [u32; 2],
        tops: &mut Vec<u16>,
    ) {
        let side = BLOCK_SIDE as usize;
        for row in 0..side {
            let mut col = 0;
            while col < side {
                let wanted = level[row][col];
                if wanted.is_none() {
                    col += 1;
                    continue;
                }
                let is_wanted = |cell: &Option<TileRecord>| *cell == wanted;
                let width = level[row][col..]
                    .iter()
                    .take_while(|cell| is_wanted(cell))
                    .count();
                let fits = |line: &&mut [_; BLOCK_SIDE as usize]| {
                    line[col..col + width].iter().all(is_wanted)
                };
                let height = level[row..].iter_mut().take_while(fits).count();
                for line in &mut level[row..row + height] {
                    line[col..col + width].fill(None);
                }
                let [at_row, at_col] = [first_row + row as u32, first_col + col as u32];
                if width * height == 1 {
                    tops.push((Packed::COL.put(at_col) | Packed::ROW.put(at_row)) as u16);
                } else {
                    let [wide, high] = [width, height].map(|side| side as u32 - 1);
                    self.rects.push(
                        Packed::COL.put(at_col)
                            | Packed::ROW.put(at_row)
                            | Packed::WIDTH.put(wide)
                            | Packed::HEIGHT.put(high),
                    );
                }
                col += width;
            }
        }
    }
}

/// The union of two level ranges.
pub(super) fn union_levels(a: [i32; 2], b: [i32; 2]) -> [i32; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// The level range of the side face on an edge of a tile; `None` if there is no face.
///
/// Inside the map, the face between two tiles is listed once, with the northern or western tile. It
/// rises from the lower tile and shows the side of the higher tile.
fn side_levels(around: &Around<'_>, shape: &Shape, edge: Edge) -> Option<[i32; 2]> {
    let (rows, cols) = edge.step();
    let own = shape.edge(edge);
    let other = match around.at(rows, cols) {
        Some(_) if matches!(edge, Edge::North | Edge::West) => return None,
        Some(neighbor) => Shape::of(neighbor).edge(edge.opposite()),
        None => [shape.skirt_bottom(); 2],
    };
    let [own_ends, other_ends] = [own, other].map(|[a, b]| [a.min(b), a.max(b)]);
    (own != other).then(|| union_levels(own_ends, other_ends))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_formats::pfmap::{self, Field, TileType};

    const LAYERS: Layers<'_> = Layers {
        of_material: &[0, 1, 2, 3, 4, 5, 6],
        placeholder: 7,
    };

    fn packed(map: &Pfmap) -> Packed {
        let everything = [0..map.rows(), 0..map.cols()];
        let lit = vec![false; map.tiles.len()];
        Packed::list(map, &pack_tiles(map, &LAYERS), &LAYERS, &lit, &everything)
    }

    fn level_map() -> Pfmap {
        let mut map = pfmap::read(&mapscope_testdata::synthesize::pfmap(1, 2, 3)).unwrap();
        map.tiles.fill(Tile::default());
        map
    }

    #[test]
    fn level_ground_of_one_material_is_four_rectangles_a_chunk() {
        let packed = packed(&level_map());
        assert_eq!(packed.rects.len(), 8);
        assert!(packed.tops.is_empty());
        // The skirt: 32 tiles along each side of each chunk on the border of the map.
        assert_eq!(packed.sides.len(), 6 * 32);
        assert_eq!(packed.chunks[1].all.levels, [-1, 0]);
        // The skirt is not ground, and no part of it is under water.
        assert_eq!(packed.chunks[1].ground, Some([0, 0]));
        assert!(!packed.chunks[1].has_water);
    }

    #[test]
    fn chunks_are_as_high_without_their_faces_as_with_them() {
        let mut map = pfmap::read(&mapscope_testdata::synthesize::pfmap(3, 4, 1)).unwrap();
        map.tiles[0].base_height = -9;
        map.bad_tiles = vec![(0, 0)];
        let [with, without] = [packed(&map), Packed::without_faces(&map)];
        let ground = |packed: &Packed| -> Vec<_> {
            let chunks = packed.chunks.iter();
            chunks.map(|it| (it.ground, it.has_water)).collect()
        };
        assert_eq!(ground(&with), ground(&without));
        let levels = |packed: &Packed| {
            let levels = packed.chunks.iter().map(|chunk| chunk.all.levels);
            levels.reduce(union_levels)
        };
        assert_eq!(levels(&with), levels(&without), "with the skirt");
        assert_eq!(without.chunks[0].all.triangles(), 0);
    }

    #[test]
    fn sides_reach_as_high_as_the_higher_of_their_two_tiles() {
        let mut map = level_map();
        let cols = map.cols() as usize;
        // A hill in the north-east of the first chunk, whose western side is listed with the low
        // tiles beside it.
        for (index, tile) in map.tiles.iter_mut().enumerate() {
            if index / cols < 16 && (16..32).contains(&(index % cols)) {
                tile.base_height = 7;
            }
        }
        let packed = packed(&map);
        let levels = |chunk: usize| packed.chunks[chunk].blocks.each_ref().map(|it| it.levels);
        assert_eq!(levels(0), [[-1, 7], [-1, 7], [-1, 0], [-1, 0]]);
        assert_eq!(levels(1), [[-1, 0]; 4]);
    }

    #[test]
    fn a_slope_takes_the_tiles_around_it_out_of_the_rectangles_where_normals_blend() {
        let mut map = level_map();
        let at = 20 * map.cols() as usize + 20;
        map.tiles[at].kind = TileType::RampSn;
        map.tiles[at].ramp_height = 1;
        assert_eq!(packed(&map).tops.len(), 9);
        for tile in &mut map.tiles {
            tile.set(Field::BlendNormals, 0);
        }
        assert_eq!(packed(&map).tops.len(), 1);
    }

    #[test]
    fn materials_that_meet_are_mixed_unless_the_edges_say_otherwise() {
        let mut map = level_map();
        let at = 20 * map.cols() as usize + 20;
        map.tiles[at].top_material = 3;
        let mixed = |map: &Pfmap| {
            let packed = packed(map);
            let of = |class: TopClass| -> usize {
                packed
                    .chunks
                    .iter()
                    .map(|c| c.all.tops[class as usize].len())
                    .sum()
            };
            [
                of(TopClass::Lit),
                of(TopClass::LitMixed),
                of(TopClass::ShadedMixed),
            ]
        };
        assert_eq!(mixed(&map), [0, 9, 0]);
        for tile in &mut map.tiles {
            for edge in Edge::ALL {
                tile.set_blend(edge, BlendMode::None);
            }
        }
        assert_eq!(mixed(&map), [1, 0, 0], "without blending nothing is mixed");
        map.tiles[0].set(Field::BlendNorth, 7);
        assert_eq!(mixed(&map), [1, 1, 0], "an unknown mode is shown as such");
    }

    /// The class of a tile's top; `None` if it is part of a rectangle.
    fn class_of(map: &Pfmap, row: u32, col: u32) -> Option<TopClass> {
        let packed = packed(map);
        let chunk = row / CHUNK_SIDE * map.chunk_cols + col / CHUNK_SIDE;
        let reference = (row % CHUNK_SIDE * CHUNK_SIDE + col % CHUNK_SIDE) as u16;
        TopClass::ALL.into_iter().find(|class| {
            let range = packed.chunks[chunk as usize].all.tops[*class as usize].clone();
            packed.tops[range.start as usize..range.end as usize].contains(&reference)
        })
    }

    #[test]
    fn a_quarter_where_more_than_four_materials_meet_is_listed_apart() {
        let mut map = level_map();
        let at = |row: usize, col: usize| row * 64 + col;
        for (index, material) in [(at(20, 20), 1), (at(20, 21), 2), (at(21, 20), 3)] {
            map.tiles[index].top_material = material;
        }
        assert_eq!(class_of(&map, 20, 20), Some(TopClass::LitMixed));
        map.bad_tiles = vec![(21, 21)];
        assert_eq!(class_of(&map, 20, 20), Some(TopClass::Many));
        map.bad_tiles.clear();
        // One half of a corner shows its side.
        let corner = &mut map.tiles[at(21, 21)];
        corner.kind = TileType::CornerConcaveSe;
        corner.ramp_height = 2;
        corner.side_material = 4;
        assert_eq!(class_of(&map, 20, 20), Some(TopClass::Many));
        assert_eq!(class_of(&map, 21, 21), Some(TopClass::Many));
        assert_eq!(class_of(&map, 19, 19), Some(TopClass::LitMixed));
        // A quarter without blurred edges is not mixed.
        for edge in [Field::BlendEast, Field::BlendSouth] {
            map.tiles[at(20, 20)].set(edge, 0);
        }
        assert_eq!(class_of(&map, 20, 20), Some(TopClass::LitMixed));
        // An unknown mode on another edge changes nothing.
        map.tiles[at(20, 20)].set(Field::BlendEast, 1);
        map.tiles[at(20, 20)].set(Field::BlendNorth, 3);
        assert_eq!(class_of(&map, 20, 20), Some(TopClass::Many));
    }

    #[test]
    fn what_spills_in_depends_on_the_neighbors_edge_alone() {
        let mut map = level_map();
        for tile in &mut map.tiles {
            for edge in Edge::ALL {
                tile.set_blend(edge, BlendMode::None);
            }
        }
        let at = 20 * 64 + 20;
        map.tiles[at].top_material = 3;
        assert_eq!(class_of(&map, 20, 21), None);
        // The tile's eastern edge.
        map.tiles[at].set(Field::BlendEast, 2);
        assert_eq!(class_of(&map, 20, 21), Some(TopClass::LitMixed));
        assert_eq!(class_of(&map, 20, 19), None);
        // It shows only its own material, whether or not the neighbour requests a seam.
        assert_eq!(class_of(&map, 20, 20), Some(TopClass::Lit));
        map.tiles[at + 1].set(Field::BlendWest, 2);
        assert_eq!(class_of(&map, 20, 20), Some(TopClass::Lit));
    }

    #[test]
    fn a_tile_that_could_not_be_read_shows_the_placeholder() {
        let mut map = level_map();
        map.bad_tiles = vec![(31, 63)];
        let records = pack_tiles(&map, &LAYERS);
        let last = records.last().unwrap();
        assert_eq!(TileRecord::TOP_LAYER.get(last.surface), 7);
        assert_eq!(TileRecord::KIND.get(last.shape), 13);
        assert_eq!(TileRecord::TOP_LAYER.get(records[0].surface), 0);
    }
}
