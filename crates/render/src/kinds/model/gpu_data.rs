//! Declarations that the shaders of models share with Rust.

use glam::Vec4;

use super::mesh::Material;
use crate::frame::{FRAME, Frame, SHADOW, SURFACE, constants};
use crate::gpu::{
    Shader, constants, data_texture, declare_struct, shader_enum, shader_struct, source,
};
use mapscope_scene::model::mesh::{INFLUENCE_COUNT_BITS, PackedInfluence};
use mapscope_scene::model::skeleton::SkinMatrix;

/// Skinning of vertices.
pub(crate) const SKIN: (&str, &str) = source!("skin.wgsl");

/// The shader of models.
pub(crate) static SHADER: Shader = Shader {
    name: "model",
    shared: &[Frame::wgsl, constants::wgsl, skin_wgsl, wgsl],
    parts: &[FRAME, SURFACE, SKIN, SHADOW, source!("model.wgsl")],
};

shader_struct! {
    /// The uniforms of highlights.
    pub(super) struct Marks {
        /// Colours of weights from 0 to 1, at even steps.
        pub(super) heat: [Vec4; 5],
        pub(super) back_face: Vec4,
        pub(super) reversed: Vec4,
        /// The joint whose weights are shown.
        pub(super) joint: u32,
        /// The highlighted material.
        pub(super) material: u32,
    }
    padding: [u32; 2]
}

shader_enum! {
    "SURFACE"
    /// The colouring of the surface.
    pub(super) enum Surface { Lit, Unlit, Normals, UvChecker, BackFaces, JointWeights, Heat, Reversed }
}

/// The declarations of `model.wgsl`.
fn wgsl() -> String {
    [Surface::wgsl(), Marks::wgsl(), Material::wgsl()].concat()
}

/// The declarations of `skin.wgsl`.
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
    /// The influence of a joint on a vertex.
    fn influence_wgsl: PackedInfluence as "Influence" { joint: u32, weight: f32, }
}
