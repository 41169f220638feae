//! Declarations that the shader of levels shares with Rust.

use glam::Vec4;

use super::pipelines::Surface;
use crate::frame::{FRAME, Frame, SKY, SURFACE, constants, sky};
use crate::gpu::{Shader, constants, shader_struct, source};
use mapscope_scene::level::materials::Blend;

/// The shader of levels.
pub(crate) static SHADER: Shader = Shader {
    name: "level",
    shared: &[Frame::wgsl, constants::wgsl, sky::wgsl, wgsl],
    parts: &[FRAME, SURFACE, SKY, source!("level.wgsl")],
};

shader_struct! {
    /// The uniforms of a view of a level.
    pub(super) struct Look {
        /// The clip box, in world space; w: seconds, for animation.
        pub(super) cut_min: Vec4,
        pub(super) cut_max: Vec4,
        pub(super) back_face: Vec4,
        /// Index of the highlighted material.
        pub(super) material: u32,
    }
    padding: [u32; 3]
}

shader_struct! {
    /// The uniforms of a material.
    pub(super) struct Material {
        /// Colour, with opacity in w.
        pub(super) color: Vec4,
        /// Emission; w is 1 if its opacity and that of its texture apply.
        pub(super) emission: Vec4,
        /// Scroll speed in texture coordinates per second: of the texture, then of the matcap
        /// texture.
        pub(super) scroll: Vec4,
        /// Velocity of waves in world units per second; their scale in w.
        pub(super) wave: Vec4,
        pub(super) wave_offset: f32,
        pub(super) index: u32,
    }
    padding: [u32; 2]
}

/// The declarations of `level.wgsl`.
fn wgsl() -> String {
    let constants = constants! {
        BLEND_OPAQUE = Blend::Opaque as u32,
        BLEND_ALPHA = Blend::Alpha as u32,
        BLEND_ADD = Blend::Add as u32,
    };
    [constants, Surface::wgsl(), Look::wgsl(), Material::wgsl()].concat()
}
