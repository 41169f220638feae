//! What the shaders of 2D maps read.

use bytemuck::{Pod, Zeroable};

/// Keep in sync with `Draw` in `tiles.wgsl`, which says what is what.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub(super) struct Draw {
    pub(super) rect: [f32; 4],
    pub(super) place: [f32; 4],
    pub(super) offset: [f32; 2],
    pub(super) pixel: f32,
    pub(super) opacity: f32,
    pub(super) first_cell: [i32; 2],
    pub(super) size: [i32; 2],
    pub(super) tile: [f32; 2],
    pub(super) per_tile: [f32; 2],
    pub(super) per_size: [f32; 2],
    pub(super) rows: [i32; 2],
    pub(super) first_row: i32,
    pub(super) count: u32,
    pub(super) last_level: u32,
    pub(super) flags: u32,
    pub(super) page: [u32; 4],
    pub(super) outside: u32,
    pub(super) highlighted: u32,
    pub(super) lines: [f32; 2],
    pub(super) drawn_rows: [i32; 2],
    pub(super) hatch: f32,
    pub(super) padding: i32,
}

const _: () = assert!(size_of::<Draw>() == 160, "tiles.wgsl has 160 bytes");

/// Bits of [`Draw::flags`].
pub(super) const SKIPS_ZERO: u32 = 1;
pub(super) const NORMAL_ONLY: u32 = 2;
pub(super) const PRIORITY_ONLY: u32 = 4;
pub(super) const WRAPS: [u32; 2] = [8, 16];

/// A sprite: keep in sync with the vertex inputs of `vs_sprite`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(super) struct Sprite {
    /// Left, top, right and bottom in pixels of the map.
    pub(super) rect: [f32; 4],
    /// Where its pixels begin, and its width and height.
    pub(super) picture: [u32; 3],
    pub(super) padding: u32,
}
