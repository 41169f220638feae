//! What meshes and materials of any content are put together from.

use std::collections::BTreeMap;

use glam::Affine3A;
use gltf_json::material::{PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::texture::Info;
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Index, Material, Mesh, Node, Texture};

use super::build::Builder;
use super::node_matrix;

/// Bytes of a vertex: place, normal and texture coordinates.
pub(super) const VERTEX_BYTES: u64 = 8 * size_of::<f32>() as u64;

/// Triangles of a material.
pub(super) fn primitive(
    attributes: BTreeMap<Checked<Semantic>, Index<Accessor>>,
    indices: Index<Accessor>,
    material: impl Into<Option<Index<Material>>>,
) -> Primitive {
    Primitive {
        attributes,
        indices: Some(indices),
        material: material.into(),
        mode: Checked::Valid(Mode::Triangles),
        targets: None,
        extensions: None,
        extras: Default::default(),
    }
}

/// A mesh with the name of its node.
pub(super) fn mesh(builder: &mut Builder, name: &str, primitives: Vec<Primitive>) -> Index<Mesh> {
    builder.root.push(Mesh {
        name: Some(name.to_owned()),
        primitives,
        weights: None,
        extensions: None,
        extras: Default::default(),
    })
}

/// A node that stands where its parent does.
pub(super) fn node(builder: &mut Builder, name: &str, mesh: Index<Mesh>) -> Index<Node> {
    builder.root.push(Node {
        name: Some(name.to_owned()),
        mesh: Some(mesh),
        ..Node::default()
    })
}

/// A node for others at a place in the world of the document.
pub(super) fn group(
    builder: &mut Builder,
    name: &str,
    children: Vec<Index<Node>>,
    world_from_model: &Affine3A,
) -> Index<Node> {
    let matrix = node_matrix(&builder.axes.matrix(world_from_model));
    builder.root.push(Node {
        name: Some(name.to_owned()),
        // None is not written: a list must not be empty.
        children: (!children.is_empty()).then_some(children),
        matrix,
        ..Node::default()
    })
}

/// A surface that does not shine, with a texture.
pub(super) fn matte(texture: Index<Texture>) -> PbrMetallicRoughness {
    PbrMetallicRoughness {
        base_color_texture: Some(texture_info(texture)),
        metallic_factor: StrengthFactor(0.0),
        roughness_factor: StrengthFactor(1.0),
        ..PbrMetallicRoughness::default()
    }
}

/// A texture at the first texture coordinates of vertices.
pub(super) fn texture_info(index: Index<Texture>) -> Info {
    Info {
        index,
        tex_coord: 0,
        extensions: None,
        extras: Default::default(),
    }
}
