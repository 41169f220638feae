//! What several shaders share with Rust.

use glam::Vec3;

use crate::gpu::wgsl::{bits, constants};
use mapscope_scene::terrain::geometry::{
    BORDER_LEVEL, LEVEL_HEIGHT, MAX_GENTLE_RAMP, MIN_WALKABLE_BASE, Shape, TILE_SIDE,
};
use mapscope_scene::terrain::pack::TileRecord;
use mapscope_scene::terrain::{BlendMode, Edge, TileType};

/// Stands for no index, such as that of a material where none is highlighted.
pub(super) const NOTHING: u32 = u32::MAX;

/// Of what stands out because it is selected, or is of the selected kind.
const HIGHLIGHT_COLOR: Vec3 = Vec3::new(1.0, 0.78, 0.25);

/// For every shader that draws content.
pub(super) fn all() -> String {
    constants! {
        NOTHING = NOTHING,
        HIGHLIGHT_COLOR = HIGHLIGHT_COLOR,
    }
}

/// For `tile.wgsl`.
pub(super) fn tile() -> String {
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
