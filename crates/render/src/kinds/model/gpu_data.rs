//! What the shaders of models share with Rust.

use glam::Vec4;

use super::mesh::Material;
use crate::frame::constants::{self, SURFACE};
use crate::frame::shadow::SHADOW;
use crate::frame::uniforms::{FRAME, Frame};
use crate::gpu::shader::source;
use crate::gpu::wgsl::{constants, declare_struct, shader_enum, shader_struct};
use crate::gpu::{Shader, data_texture};
use mapscope_scene::model::mesh::{INFLUENCE_COUNT_BITS, PackedInfluence};
use mapscope_scene::model::skeleton::SkinMatrix;

/// Vertices that joints move.
pub(crate) const SKIN: (&str, &str) = source!("skin.wgsl");

/// Models.
pub(crate) static SHADER: Shader = Shader {
    name: "model",
    shared: &[Frame::wgsl, constants::wgsl, skin_wgsl, wgsl],
    parts: &[FRAME, SURFACE, SKIN, SHADOW, source!("model.wgsl")],
};

shader_struct! {
    /// What stands out on a model.
    pub(super) struct Marks {
        /// From no weight to all of it, at even steps.
        pub(super) heat: [Vec4; 5],
        pub(super) back_face: Vec4,
        pub(super) reversed: Vec4,
        /// The joint whose weights are shown.
        pub(super) joint: u32,
        /// The material that is highlighted.
        pub(super) material: u32,
    }
    padding: [u32; 2]
}

shader_enum! {
    "SURFACE"
    /// How the surface is coloured.
    pub(super) enum Surface { Lit, Unlit, Normals, UvChecker, BackFaces, JointWeights, Heat, Reversed }
}

/// What `model.wgsl` shares with Rust.
fn wgsl() -> String {
    [Surface::wgsl(), Marks::wgsl(), Material::wgsl()].concat()
}

/// What `skin.wgsl` shares with Rust.
pub(crate) fn skin_wgsl() -> String {
    let constants = constants! { INFLUENCE_COUNT_BITS = INFLUENCE_COUNT_BITS };
    let structs = [affine_wgsl(), influence_wgsl()].concat();
    [constants, structs, data_texture::wgsl()].concat()
}

declare_struct! {
    /// The first three rows of an affine matrix.
    fn affine_wgsl: SkinMatrix as "Affine" { rows: [[f32; 4]; 3], }
}

declare_struct! {
    /// How much a joint moves a vertex.
    fn influence_wgsl: PackedInfluence as "Influence" { joint: u32, weight: f32, }
}
