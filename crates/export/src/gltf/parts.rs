//! Building blocks for meshes and materials of any content.

use std::collections::BTreeMap;

use glam::{Affine3A, Mat3, Quat, Vec3};
use gltf_json::camera::{self, Perspective};
use gltf_json::material::{PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::scene::UnitQuaternion;
use gltf_json::texture::Info;
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Camera, Index, Material, Mesh, Node, Texture};
use serde_json::json;

use super::build::Builder;
use super::node_matrix;
use mapscope_scene::camera::FIELD_OF_VIEW_Y_RADIANS;
use mapscope_scene::{NamedCamera, Sun};

/// Bytes per vertex: position, normal and texture coordinates.
pub(super) const VERTEX_BYTES: u64 = 8 * size_of::<f32>() as u64;

/// The extension for lights.
const LIGHTS: &str = "KHR_lights_punctual";
/// Illuminance of the sun at full brightness, in lux. Blender converts 683 lux to one watt per
/// square metre, and a light of pi watts per square metre lights a white surface to full white.
const SUN_LUX: f32 = 683.0 * std::f32::consts::PI;
/// Distance of the near plane of cameras, in metres.
const NEAR: f32 = 0.5;

/// A primitive of triangles with one material.
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

/// A node at the position of its parent.
pub(super) fn node(builder: &mut Builder, name: &str, mesh: Index<Mesh>) -> Index<Node> {
    builder.root.push(Node {
        name: Some(name.to_owned()),
        mesh: Some(mesh),
        ..Node::default()
    })
}

/// A node for others at a placement in the world of the document.
pub(super) fn group(
    builder: &mut Builder,
    name: &str,
    children: Vec<Index<Node>>,
    world_from_model: &Affine3A,
) -> Index<Node> {
    let matrix = node_matrix(&builder.axes.matrix(world_from_model));
    builder.root.push(Node {
        name: Some(name.to_owned()),
        // Omit an empty list, which glTF forbids.
        children: (!children.is_empty()).then_some(children),
        matrix,
        ..Node::default()
    })
}

/// A textured surface without gloss.
pub(super) fn matte(texture: Index<Texture>) -> PbrMetallicRoughness {
    PbrMetallicRoughness {
        base_color_texture: Some(texture_info(texture)),
        metallic_factor: StrengthFactor(0.0),
        roughness_factor: StrengthFactor(1.0),
        ..PbrMetallicRoughness::default()
    }
}

/// A texture that uses the first texture coordinate set.
pub(super) fn texture_info(index: Index<Texture>) -> Info {
    Info {
        index,
        tex_coord: 0,
        extensions: None,
        extras: Default::default(),
    }
}

/// Adds the sun to the scene.
pub(super) fn add_sun(builder: &mut Builder, sun: &Sun) {
    let toward_sun = builder.axes.vector(sun.direction());
    // It shines along -Z of its node.
    let rotation = Quat::from_rotation_arc(Vec3::Z, toward_sun);
    let light = json!({
        "type": "directional",
        "name": "sun",
        "color": sun.color.to_array().map(linear),
        "intensity": SUN_LUX,
    });
    let of_file = builder.root.extensions.get_or_insert_default();
    of_file
        .others
        .insert(LIGHTS.to_owned(), json!({ "lights": [light] }));
    builder.root.extensions_used.push(LIGHTS.to_owned());
    let mut node = Node {
        name: Some("sun".to_owned()),
        rotation: Some(UnitQuaternion(rotation.to_array())),
        ..Node::default()
    };
    let of_node = node.extensions.get_or_insert_default();
    of_node
        .others
        .insert(LIGHTS.to_owned(), json!({ "light": 0 }));
    let node = builder.root.push(node);
    builder.show([node]);
}

/// Adds a camera to the scene. Its node looks along -Z.
pub(super) fn add_camera(builder: &mut Builder, camera: &NamedCamera) {
    let axes = builder.axes;
    let [eye, target] = [camera.pose.eye, camera.pose.target].map(|at| axes.vector(at));
    let Some(back) = (eye - target).try_normalize() else {
        return;
    };
    // For a camera that looks straight down, up is north.
    let right = Vec3::Y.cross(back).normalize_or(Vec3::X);
    let rotation = Quat::from_mat3(&Mat3::from_cols(right, back.cross(right), back));
    let made = builder.root.push(Camera {
        name: Some(camera.name.clone()),
        orthographic: None,
        perspective: Some(Perspective {
            aspect_ratio: None,
            yfov: FIELD_OF_VIEW_Y_RADIANS,
            zfar: None,
            znear: NEAR,
            extensions: None,
            extras: Default::default(),
        }),
        type_: Checked::Valid(camera::Type::Perspective),
        extensions: None,
        extras: Default::default(),
    });
    let node = builder.root.push(Node {
        camera: Some(made),
        name: Some(camera.name.clone()),
        rotation: Some(UnitQuaternion(rotation.to_array())),
        translation: Some(eye.to_array()),
        ..Node::default()
    });
    builder.show([node]);
}

/// Converts an sRGB value from 0 to 1 to linear light (IEC 61966-2-1), in which glTF stores
/// colours.
pub(super) fn linear(share: f32) -> f32 {
    if share <= 0.04045 {
        share / 12.92
    } else {
        ((share + 0.055) / 1.055).powf(2.4)
    }
}
