//! The light of a frame.

use glam::{Mat4, Vec2, Vec4};

use mapscope_scene::Sun;

/// The light of a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FrameLight {
    pub(crate) sun: Sun,
    pub(crate) shadow: ShadowPlace,
    /// `ground` and `ground_heights` of the shader.
    pub(crate) ground: Vec4,
    pub(crate) ground_heights: Vec2,
}

/// The shadow map of a frame, as shaders use it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ShadowPlace {
    /// World space to texture coordinates and depth.
    pub(crate) shadow_from_world: Mat4,
    /// Offset of a lookup from the surface, in world units; size of a texel, in texture
    /// coordinates.
    pub(crate) shadow: Vec4,
}

/// The shadow of the ground on itself and on what stands on it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroundShadow {
    /// World height below which each texel is in shadow.
    pub(crate) heights: wgpu::TextureView,
    /// World height of the value 0, and height per value 1.
    pub(crate) heights_of_texels: Vec2,
    /// World x and z of the north-west corner.
    pub(crate) north_west: Vec2,
    /// World units from west to east and from north to south.
    pub(crate) size: Vec2,
}

impl GroundShadow {
    /// `ground` of the shader: world x and z to texture coordinates. x increases to the west,
    /// columns to the east.
    pub(crate) fn place(&self) -> Vec4 {
        let [x, z] = self.north_west.to_array();
        Vec4::new(x, z, 1.0 / self.size.x, -1.0 / self.size.y)
    }
}
