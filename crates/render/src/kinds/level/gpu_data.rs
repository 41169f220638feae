//! What the shaders of levels share with Rust.

use glam::Vec4;

use super::pipelines::Surface;
use crate::frame::constants::{self, SURFACE};
use crate::frame::sky::{self, SKY};
use crate::frame::uniforms::{FRAME, Frame};
use crate::gpu::Shader;
use crate::gpu::shader::source;
use crate::gpu::wgsl::{constants, shader_struct};
use mapscope_scene::level::materials::Blend;

/// Levels.
pub(crate) static SHADER: Shader = Shader {
    name: "level",
    shared: &[Frame::wgsl, constants::wgsl, sky::wgsl, wgsl],
    parts: &[FRAME, SURFACE, SKY, source!("level.wgsl")],
};

shader_struct! {
    /// What shaders know of how a level is shown.
    pub(super) struct Look {
        /// The clip box outside of which all is cut away, in world space; w: seconds, for what
        /// moves.
        pub(super) cut_min: Vec4,
        pub(super) cut_max: Vec4,
        pub(super) back_face: Vec4,
        /// The material that is highlighted.
        pub(super) material: u32,
    }
    padding: [u32; 3]
}

shader_struct! {
    /// A material as shaders read it.
    pub(super) struct Material {
        /// Its opacity in w.
        pub(super) color: Vec4,
        /// 1 in w if the opacity counts, and that of the texture.
        pub(super) emission: Vec4,
        /// Texture coordinates in a second: of the texture, then of the matcap texture.
        pub(super) scroll: Vec4,
        /// Where waves run to in a second, in world space; their size in w.
        pub(super) wave: Vec4,
        pub(super) wave_offset: f32,
        pub(super) index: u32,
    }
    padding: [u32; 2]
}

/// What `level.wgsl` shares with Rust.
fn wgsl() -> String {
    let constants = constants! {
        BLEND_OPAQUE = Blend::Opaque as u32,
        BLEND_ALPHA = Blend::Alpha as u32,
        BLEND_ADD = Blend::Add as u32,
    };
    [constants, Surface::wgsl(), Look::wgsl(), Material::wgsl()].concat()
}
