//! Declarations that the shader of 2D maps shares with Rust.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::build::LEVEL_BITS;
use crate::frame::{FRAME, Frame};
use crate::gpu::{Shader, constants, shader_struct, source};
use mapscope_scene::colors::SELECTED;
use mapscope_scene::tilemap::{Cell, DARK_STRIPES};

/// The shader of 2D maps.
pub(crate) static SHADER: Shader = Shader {
    name: "tiles",
    shared: &[Frame::wgsl, wgsl],
    parts: &[FRAME, source!("tiles.wgsl")],
};

shader_struct! {
    /// The uniforms of a draw. Pixels are those of the map unless noted.
    #[derive(Default)]
    pub(super) struct Draw {
        /// Left, top, right and bottom of the drawn rectangle: in clip space in a flat view,
        /// otherwise in pixels from the top left of the layer.
        pub(super) rect: [f32; 4],
        /// World space: x, height and z of the top left corner of the layer.
        pub(super) place: [f32; 4],
        /// Flat view: offset of the frame's top left corner from that of `first_cell`, in pixels.
        pub(super) offset: [f32; 2],
        /// Flat view: size of a pixel of the frame.
        pub(super) pixel: f32,
        /// From 0 to 1.
        pub(super) opacity: f32,
        pub(super) first_cell: [i32; 2],
        /// Columns and rows of the layer.
        pub(super) size: [i32; 2],
        /// Width and height of a tile.
        pub(super) tile: [f32; 2],
        /// Reciprocal of the size of a tile.
        pub(super) per_tile: [f32; 2],
        /// Reciprocal of the number of columns and rows.
        pub(super) per_size: [f32; 2],
        /// Rows in the buffer.
        pub(super) rows: [i32; 2],
        /// The first row in the buffer.
        pub(super) first_row: i32,
        /// Number of images.
        pub(super) count: u32,
        /// The last mip level of images.
        pub(super) last_level: u32,
        /// [`SKIPS_ZERO`] and the flags below.
        pub(super) flags: u32,
        /// Numbers of bits: of an image's column and row on a page, and of a pixel's column and row
        /// in an image.
        pub(super) page: [u32; 4],
        /// The cell outside of the layer.
        pub(super) outside: u32,
        /// The highlighted image.
        pub(super) highlighted: u32,
        /// Strengths of the lines around tiles and around pixels, from 0 to 1.
        pub(super) lines: [f32; 2],
        /// Drawn rows.
        pub(super) drawn_rows: [i32; 2],
        /// Distance of hatching stripes in pixels.
        pub(super) hatch: f32,
    }
    padding: u32
}

/// Bits of [`Draw::flags`].
pub(super) const SKIPS_ZERO: u32 = 1;
pub(super) const NORMAL_ONLY: u32 = 2;
pub(super) const PRIORITY_ONLY: u32 = 4;
pub(super) const WRAPS: [u32; 2] = [8, 16];

/// The declarations of `tiles.wgsl`.
fn wgsl() -> String {
    let constants = constants! {
        IMAGE = Cell::NOTHING,
        MIRROR_X = Cell::MIRROR_X,
        MIRROR_Y = Cell::MIRROR_Y,
        SWAP_AXES = Cell::SWAP_AXES,
        PRIORITY = Cell::PRIORITY,
        SKIPS_ZERO = SKIPS_ZERO,
        NORMAL_ONLY = NORMAL_ONLY,
        PRIORITY_ONLY = PRIORITY_ONLY,
        WRAPS_X = WRAPS[0],
        WRAPS_Y = WRAPS[1],
        ACCENT = Vec3::from(SELECTED),
        DARK_STRIPES = DARK_STRIPES,
        LEVEL_BITS = LEVEL_BITS,
    };
    [constants, Draw::wgsl()].concat()
}

/// A sprite: the vertex inputs of `vs_sprite`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(super) struct Sprite {
    /// Left, top, right and bottom in pixels of the map.
    pub(super) rect: [f32; 4],
    /// Index of its first pixel, and its width and height.
    pub(super) image: [u32; 3],
    pub(super) padding: u32,
}
