//! What the shaders of 2D maps share with Rust.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::build::LEVEL_BITS;
use crate::frame::uniforms::{FRAME, Frame};
use crate::gpu::Shader;
use crate::gpu::shader::source;
use crate::gpu::wgsl::{constants, shader_struct};
use mapscope_scene::colors::SELECTED;
use mapscope_scene::tilemap::{Cell, DARK_STRIPES};

/// 2D maps.
pub(crate) static SHADER: Shader = Shader {
    name: "tiles",
    shared: &[Frame::wgsl, wgsl],
    parts: &[FRAME, source!("tiles.wgsl")],
};

shader_struct! {
    /// What is drawn of a layer. Pixels are those of the map.
    #[derive(Default)]
    pub(super) struct Draw {
        /// Left, top, right and bottom of what is drawn: in clip space where it is flat, else in
        /// pixels from the top left of the layer.
        pub(super) rect: [f32; 4],
        /// In the world: x, height and z of the top left corner of the layer.
        pub(super) place: [f32; 4],
        /// Flat: how many pixels the top left corner of the frame is from that of `first_cell`.
        pub(super) offset: [f32; 2],
        /// Flat: how many pixels a pixel of the frame is.
        pub(super) pixel: f32,
        /// From 0 to 1.
        pub(super) opacity: f32,
        pub(super) first_cell: [i32; 2],
        /// Columns and rows of the layer.
        pub(super) size: [i32; 2],
        /// Width and height of a tile.
        pub(super) tile: [f32; 2],
        /// One over width and height of a tile.
        pub(super) per_tile: [f32; 2],
        /// One over columns and rows.
        pub(super) per_size: [f32; 2],
        /// The rows that may be read.
        pub(super) rows: [i32; 2],
        /// The first row that is in the buffer.
        pub(super) first_row: i32,
        /// How many images there are.
        pub(super) count: u32,
        /// The last of their mip levels.
        pub(super) last_level: u32,
        /// [`SKIPS_ZERO`] and the like.
        pub(super) flags: u32,
        /// How many bits of the number of an image are its column and row on a page, and how many
        /// those of a pixel of an image are.
        pub(super) page: [u32; 4],
        /// The cell that lies around the layer.
        pub(super) outside: u32,
        /// The image whose uses stand out.
        pub(super) highlighted: u32,
        /// How strong the lines around tiles and around pixels are, from 0 to 1.
        pub(super) lines: [f32; 2],
        /// The rows that are drawn.
        pub(super) drawn_rows: [i32; 2],
        /// How far apart the stripes of colours begin, in pixels.
        pub(super) hatch: f32,
    }
    padding: u32
}

/// Bits of [`Draw::flags`].
pub(super) const SKIPS_ZERO: u32 = 1;
pub(super) const NORMAL_ONLY: u32 = 2;
pub(super) const PRIORITY_ONLY: u32 = 4;
pub(super) const WRAPS: [u32; 2] = [8, 16];

/// What `tiles.wgsl` shares with Rust.
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
    /// Where its pixels begin, and its width and height.
    pub(super) image: [u32; 3],
    pub(super) padding: u32,
}
