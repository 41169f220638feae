//! Declarations that the shaders of terrain share with Rust.

use glam::{UVec4, Vec2, Vec3, Vec4};

use crate::frame::{FRAME, Frame, SHADOW, SKY, constants, sky};
use crate::gpu::{Shader, bits, constants, data_texture, shader_enum, shader_struct, source};
use mapscope_scene::OverlayId;
use mapscope_scene::terrain::geometry::{
    BORDER_LEVEL, LEVEL_HEIGHT, MAX_GENTLE_RAMP, MIN_WALKABLE_BASE, Shape, TILE_SIDE,
};
use mapscope_scene::terrain::pack::{Packed, TileRecord};
use mapscope_scene::terrain::textures::MAX_LAYERS;
use mapscope_scene::terrain::{
    ATLAS_SIZE, BlendMode, CELL, CHUNK_SIDE, CORE, Edge, GUARD, TileType, colors, noise,
};

/// The shapes of tiles.
pub(crate) const TILE: (&str, &str) = source!("tile.wgsl");

/// The shader of terrain and water.
pub(crate) static SHADER: Shader = Shader {
    name: "terrain",
    shared: &[Frame::wgsl, constants::wgsl, tile_wgsl, sky::wgsl, wgsl],
    parts: &[FRAME, TILE, SKY, SHADOW, source!("terrain.wgsl")],
};

/// World height of the water (fact sheet A11).
pub(super) const WATER_HEIGHT: f32 = -2.0;
/// Maximum tilt of the water by ripples.
const RIPPLE_TILT: f32 = 0.03;
/// Displacement of the reflection per tilt, in widths and heights of the image.
const REFLECTION_DISTORTION: f32 = 0.4;
/// Maximum displacement of the reflection, in widths and heights of the image.
pub(crate) const REFLECTION_REACH: f32 = RIPPLE_TILT * REFLECTION_DISTORTION;

shader_struct! {
    /// The uniforms of a map.
    pub(super) struct Map {
        /// The accent layer of each texture layer, one byte each; the layer itself if it has no
        /// accent.
        pub(super) accents: [UVec4; MAX_LAYERS / 16],
        /// Unit vector toward the sun in map space, from which its shadows were computed.
        pub(super) sun: Vec4,
        /// World x and z of the north-west corner.
        pub(super) north_west: Vec2,
        /// Columns and rows of tiles.
        pub(super) size: [u32; 2],
        /// Lowest and highest height level, for the height overlay.
        pub(super) levels: Vec2,
        /// Reciprocal of the size.
        pub(super) per_tile: Vec2,
        /// World height of the value 0 in the shadow texture, and height per value 1.
        pub(super) shadow_heights: Vec2,
        /// A [`Surface`].
        pub(super) surface: u32,
        /// Lines drawn on it: bits of [`LINES`].
        pub(super) lines: u32,
        /// The highlight: a tile type, a texture layer plus [`HIGHLIGHT_LAYER`], or [`NOTHING`].
        pub(super) highlight: u32,
        /// Texels of the shadow texture per tile.
        pub(super) shadow_scale: f32,
        /// Texels of the overview texture per tile.
        pub(super) overview_scale: f32,
        /// The first row of bound tiles.
        pub(super) first_row: u32,
    }
}

shader_enum! {
    "SURFACE"
    /// The colouring of the surface.
    pub(super) enum Surface { Lit, Unlit, Types, Pathable, Navigation, Height, Normals, Cover }
}

/// The bits of [`Map::lines`] by overlay.
pub(super) const LINES: [(OverlayId, u32); 2] =
    [(OverlayId::TileGrid, 1), (OverlayId::ChunkBorders, 2)];
/// Added to a layer in [`Map::highlight`].
pub(super) const HIGHLIGHT_LAYER: u32 = 0x100;

/// Colours of cells by their code in [`NavigationGrid::codes`]: islands, then impassable cells.
///
/// [`NavigationGrid::codes`]: mapscope_scene::terrain::navigation::NavigationGrid::codes
const NAVIGATION_COLORS: [[f32; 3]; colors::ISLANDS.len() + colors::BLOCKED_CELLS.len()] = {
    let [barred, by_entity] = colors::BLOCKED_CELLS;
    let [a, b, c, d, e, f] = colors::ISLANDS;
    [a, b, c, d, e, f, barred, by_entity]
};

/// The declarations of `terrain.wgsl`.
fn wgsl() -> String {
    let constants = constants! {
        WATER_HEIGHT = WATER_HEIGHT,
        RIPPLE_TILT = RIPPLE_TILT,
        REFLECTION_DISTORTION = REFLECTION_DISTORTION,
        LINES_TILES = LINES[0].1,
        LINES_CHUNKS = LINES[1].1,
        HIGHLIGHT_LAYER = HIGHLIGHT_LAYER,
        CHUNK_SIDE = CHUNK_SIDE,
        TILE_TYPES = TileType::ALL.len() as u32,
        ATLAS_SIZE = Vec2::from(ATLAS_SIZE.map(|side| side as f32)),
        ATLAS_CELL = CELL as f32,
        ATLAS_CORE = CORE as f32,
        ATLAS_GUARD = GUARD as f32,
        ACCENT_SLOPE = noise::ACCENT_SLOPE,
        ACCENT_START = noise::ACCENT_START,
        TYPE_COLORS = colors::TYPES.map(Vec3::from),
        HEIGHT_COLORS = colors::HEIGHTS.map(Vec3::from),
        COVER_COLORS = colors::COVERS.map(Vec3::from),
        WALKABLE_COLOR = Vec3::from(colors::GOOD),
        BARRED_COLOR = Vec3::from(colors::BAD),
        NAVIGATION_COLORS = NAVIGATION_COLORS.map(Vec3::from),
        OPEN_CELLS = colors::ISLANDS.len() as u32,
        CHUNK_BORDER_COLOR = Vec3::from(colors::CHUNK_BORDER),
    };
    [
        constants,
        Map::wgsl(),
        Surface::wgsl(),
        bits("col", Packed::COL),
        bits("row", Packed::ROW),
        bits("width", Packed::WIDTH),
        bits("height", Packed::HEIGHT),
        bits("edge", Packed::EDGE),
        data_texture::wgsl(),
    ]
    .concat()
}

/// The declarations of `tile.wgsl`.
pub(crate) fn tile_wgsl() -> String {
    let mut raised = [0_u32; 2];
    let mut cut_from_north_west = 0;
    for kind in TileType::ALL {
        let index = kind as u32;
        for (corner, is_raised) in (0..).zip(Shape::raised_corners(kind)) {
            raised[index as usize / 8] |= u32::from(is_raised) << (index % 8 * 4 + corner);
        }
        cut_from_north_west |= u32::from(Shape::is_cut_from_north_west(kind)) << index;
    }
    let constants = constants! {
        TILE_SIDE = TILE_SIDE,
        LEVEL_HEIGHT = LEVEL_HEIGHT,
        BORDER_LEVEL = BORDER_LEVEL,
        NORTH = Edge::North as u32,
        EAST = Edge::East as u32,
        SOUTH = Edge::South as u32,
        WEST = Edge::West as u32,
        BLEND_NONE = BlendMode::None as u32,
        BLEND_BLUR = BlendMode::Blur as u32,
        BLEND_EDGE = BlendMode::Edge as u32,
        FLAT = TileType::Flat as u32,
        MAX_GENTLE_RAMP = i32::from(MAX_GENTLE_RAMP),
        MIN_WALKABLE_BASE = MIN_WALKABLE_BASE,
        RAISED_CORNERS = raised,
        CUT_FROM_NORTH_WEST = cut_from_north_west,
        BASE_OFFSET = TileRecord::BASE_OFFSET,
    };
    [
        constants,
        bits("kind", TileRecord::KIND),
        bits("base", TileRecord::BASE),
        bits("ramp", TileRecord::RAMP),
        bits("blend", TileRecord::BLEND),
        bits("blend_normals", TileRecord::BLEND_NORMALS),
        bits("bump", TileRecord::BUMP),
        bits("pathable", TileRecord::PATHABLE),
        bits("cover", TileRecord::COVER),
        bits("top_layer", TileRecord::TOP_LAYER),
        bits("side_layer", TileRecord::SIDE_LAYER),
    ]
    .concat()
}
