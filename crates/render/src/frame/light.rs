//! What lights a frame.

use glam::{Mat4, Vec2, Vec4};

use mapscope_scene::Sun;

/// What lights a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FrameLight {
    pub(crate) sun: Sun,
    pub(crate) shadow: ShadowPlace,
    /// `ground` and `ground_heights` of the shader.
    pub(crate) ground: Vec4,
    pub(crate) ground_heights: Vec2,
}

/// What shaders know of the shadow map of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ShadowPlace {
    /// World space to texture coordinates, and to depth.
    pub(crate) shadow_from_world: Mat4,
    /// How far before a surface one looks, in world units, and how wide a texel is, in texture
    /// coordinates.
    pub(crate) shadow: Vec4,
}

/// The shadow that ground casts on itself and on what stands on it, on the GPU.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroundShadow {
    /// For each texel the world height below which it is in shadow.
    pub(crate) heights: wgpu::TextureView,
    /// The world height that 0 stands for there, and what 1 adds.
    pub(crate) heights_of_texels: Vec2,
    /// World x and z of the north-west corner.
    pub(crate) north_west: Vec2,
    /// World units from west to east and from north to south.
    pub(crate) size: Vec2,
}

impl GroundShadow {
    /// `ground` of the shader: world x and z to texture coordinates. x runs to the west and columns
    /// to the east.
    pub(crate) fn place(&self) -> Vec4 {
        let [x, z] = self.north_west.to_array();
        Vec4::new(x, z, 1.0 / self.size.x, -1.0 / self.size.y)
    }
}
