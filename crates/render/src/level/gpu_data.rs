//! What the shaders of levels read.

use glam::Vec4;

/// Keep in sync with `Look` in `level.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Look {
    pub(super) cut_min: Vec4,
    pub(super) cut_max: Vec4,
    pub(super) back_face: Vec4,
    pub(super) material: u32,
    pub(super) padding: [u32; 7],
}

const _: () = assert!(size_of::<Look>() == 80, "level.wgsl has 80 bytes");

/// Keep in sync with `Material` in `level.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Material {
    pub(super) color: Vec4,
    pub(super) emission: Vec4,
    pub(super) scroll: Vec4,
    pub(super) wave: Vec4,
    pub(super) wave_offset: f32,
    pub(super) index: u32,
    pub(super) padding: [u32; 2],
}

const _: () = assert!(size_of::<Material>() == 80, "level.wgsl has 80 bytes");

/// Stands for no material.
pub(super) const NOTHING: u32 = u32::MAX;
