//! Exports models. A single model has its skeleton and clips. Otherwise models are in their
//! displayed pose, and equal poses of a model share a mesh.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::ptr;

use glam::{Affine3A, Vec3};
use gltf_json::accessor::{ComponentType, Type};
use gltf_json::material::{AlphaCutoff, AlphaMode, EmissiveFactor, PbrBaseColorFactor};
use gltf_json::mesh::Semantic;
use gltf_json::scene::UnitQuaternion;
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Index, Material, Mesh, Node};

use super::build::{Builder, Layout};
use super::{EntityNode, parts, skin};
use mapscope_scene::model::mesh::MeshVertex;
use mapscope_scene::model::skeleton::{LocalPose, SkinMatrix};
use mapscope_scene::model::{Blending, Model};
use mapscope_scene::normal::unpack_normal;
use mapscope_scene::{Animation as _, Drawable, Playhead};

/// Alpha up to which the engine discards pixels (fact sheet B6).
const ALPHA_CUTOFF: f32 = 0.5;
/// Maximum difference between a matrix and its decomposition into translation, rotation and scale,
/// relative to its largest element.
pub(super) const TOLERANCE: f32 = 1e-4;

/// Content of models that is already in the file.
#[derive(Debug, Default)]
pub(super) struct ModelCache {
    /// Materials by name and texture, which models of a scene share.
    materials: HashMap<(String, usize, usize), Index<Material>>,
    /// Posed meshes by the address of their model; `None` for meshes without triangles.
    meshes: HashMap<usize, Vec<Posed>>,
}

/// The mesh of a model at a playhead.
type Posed = (Playhead, Option<Index<Mesh>>);

/// Attributes of vertices.
pub(super) type Attributes = BTreeMap<Checked<Semantic>, Index<Accessor>>;

/// Adds a model.
pub(super) fn add(builder: &mut Builder, drawable: &Drawable<'_>) -> Option<Vec<Index<Node>>> {
    let model = model_of(drawable)?;
    builder.report_loss(if model.p3m().is_some() {
        "Shading, matcaps, animations and overrides of materials, and hidden parts are left out or \
         always shown."
    } else {
        "The ambient, diffuse and specular reflection of materials is left out."
    });
    if builder.is_single_drawable && moves(drawable) {
        return Some(skin::add(builder, model));
    }
    if model.skeleton().is_empty() && !model.clips().is_empty() {
        builder
            .report_loss("Clips of models without joints, in which nothing moves, are left out.");
    }
    let playhead = drawable.playhead.unwrap_or_default();
    if playhead.clip.is_some() {
        builder.report_loss(
            "Animations are left out: models stand still in the first frame of their clip.",
        );
    }
    let places = drawable.placements.iter().enumerate();
    let nodes = places.filter_map(|(at, world_from_model)| {
        let entity = drawable.entities.get(at);
        let entity = entity.and_then(|entity| builder.entities.get(entity).cloned());
        let of = entity.unwrap_or_else(|| EntityNode {
            name: name_of(model),
            extras: None,
        });
        place(builder, model, playhead, world_from_model, of)
    });
    Some(nodes.collect())
}

fn model_of<'a>(drawable: &Drawable<'a>) -> Option<&'a Model> {
    let content: &dyn Any = drawable.content;
    content.downcast_ref()
}

/// `true` if a drawable is a model with a skeleton that only the view's playhead moves.
pub(super) fn moves(drawable: &Drawable<'_>) -> bool {
    drawable.playhead.is_none()
        && *drawable.placements == [Affine3A::IDENTITY]
        && model_of(drawable).is_some_and(|model| !model.skeleton().is_empty())
}

/// The name of a model: its file name without extension.
pub(super) fn name_of(model: &Model) -> String {
    let stem = model.path().file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// Adds a node for a placement of a model; `None` if the model has nothing visible.
fn place(
    builder: &mut Builder,
    model: &Model,
    playhead: Playhead,
    world_from_model: &Affine3A,
    of: EntityNode,
) -> Option<Index<Node>> {
    let placement = builder.axes.matrix(world_from_model);
    if !placement.is_finite() {
        builder.report_loss("Objects whose position is not a number are left out.");
        return None;
    }
    let (mesh, pose) = match decompose(&placement) {
        Some(pose) => (posed_mesh(builder, model, playhead)?, pose),
        // glTF nodes cannot shear or flatten, so transform the vertices to world space instead.
        None => (
            mesh_in(builder, model, playhead, world_from_model)?,
            still(),
        ),
    };
    Some(builder.root.push(Node {
        mesh: Some(mesh),
        extras: of.extras,
        ..node(of.name, &pose)
    }))
}

/// The identity transform.
pub(super) fn still() -> LocalPose {
    LocalPose {
        scale: Vec3::ONE,
        rotation: glam::Quat::IDENTITY,
        translation: Vec3::ZERO,
    }
}

/// Decomposes a matrix into scale, rotation and translation; `None` if it shears or flattens.
fn decompose(matrix: &Affine3A) -> Option<LocalPose> {
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    let pose = LocalPose {
        scale,
        rotation: rotation.normalize(),
        translation,
    };
    is_close(&pose.matrix(), matrix).then_some(pose)
}

/// `true` if two finite matrices differ by at most [`TOLERANCE`].
pub(super) fn is_close(a: &Affine3A, b: &Affine3A) -> bool {
    let numbers = b.matrix3.to_cols_array();
    let largest = numbers
        .iter()
        .fold(0.0_f32, |max, number| max.max(number.abs()));
    a.is_finite() && b.is_finite() && a.matrix3.abs_diff_eq(b.matrix3, largest * TOLERANCE)
}

/// A node with a name and a transform in the axes of the file.
pub(super) fn node(name: String, pose: &LocalPose) -> Node {
    let LocalPose {
        scale,
        rotation,
        translation,
    } = *pose;
    Node {
        name: Some(name),
        scale: (scale != Vec3::ONE).then(|| scale.to_array()),
        rotation: (rotation != glam::Quat::IDENTITY).then(|| UnitQuaternion(rotation.to_array())),
        translation: (translation != Vec3::ZERO).then(|| translation.to_array()),
        ..Node::default()
    }
}

/// The mesh of a model in a pose, in model space. Equal poses share it.
fn posed_mesh(builder: &mut Builder, model: &Model, playhead: Playhead) -> Option<Index<Mesh>> {
    let address = ptr::from_ref(model).addr();
    let made = builder.models.meshes.get(&address).into_iter().flatten();
    let mut made = made.filter(|(of, _)| *of == playhead);
    if let Some((_, mesh)) = made.next() {
        return *mesh;
    }
    let mesh = mesh_in(builder, model, playhead, &Affine3A::IDENTITY);
    let meshes = builder.models.meshes.entry(address).or_default();
    meshes.push((playhead, mesh));
    mesh
}

/// The mesh of a model in a pose, in another space; `None` without triangles.
fn mesh_in(
    builder: &mut Builder,
    model: &Model,
    playhead: Playhead,
    space_from_model: &Affine3A,
) -> Option<Index<Mesh>> {
    // Each sheared entity has its own mesh.
    let (vertices, indices) = (model.mesh().vertices.len(), model.mesh().indices.len());
    let bytes = vertices as u64 * parts::VERTEX_BYTES + size_of::<u32>() as u64 * indices as u64;
    if !builder.has_room("the models", bytes) {
        return None;
    }
    let mut palette = vec![SkinMatrix::IDENTITY; model.palette_len()];
    model.write_palette(playhead, &mut palette);
    let turned = cofactors(space_from_model);
    let attributes = attributes(builder, model, |vertex| {
        let (position, normal) = model.mesh().skinned(vertex, &palette);
        let normal = (turned * normal).try_normalize().unwrap_or(normal);
        (space_from_model.transform_point3(position), normal)
    });
    let is_turned_over = space_from_model.matrix3.determinant() < 0.0;
    mesh(builder, model, &attributes, is_turned_over)
}

/// The matrix that transforms normals: the cofactor matrix. It equals the inverse transpose except
/// for its scale and also exists for flat matrices. Normalise the result.
fn cofactors(matrix: &Affine3A) -> glam::Mat3 {
    let [x, y, z] = [
        matrix.matrix3.x_axis,
        matrix.matrix3.y_axis,
        matrix.matrix3.z_axis,
    ]
    .map(Vec3::from);
    let sign = if matrix.matrix3.determinant() < 0.0 {
        -1.0
    } else {
        1.0
    };
    glam::Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y)) * sign
}

/// The attributes that all vertices of a model have. `place` returns position and normal in the
/// axes of the document.
pub(super) fn attributes(
    builder: &mut Builder,
    model: &Model,
    place: impl Fn(&MeshVertex) -> (Vec3, Vec3),
) -> Attributes {
    let vertices = &model.mesh().vertices;
    if vertices.is_empty() {
        return Attributes::new();
    }
    let axes = builder.axes;
    let placed = vertices.iter().map(|vertex| {
        let (position, normal) = place(vertex);
        // No reader accepts numbers that are not finite.
        let position = Some(position).filter(|position| position.is_finite());
        let position = axes.vector(position.unwrap_or_default());
        (position.to_array(), axes.vector(normal).to_array())
    });
    let (positions, normals): (Vec<[f32; 3]>, Vec<[f32; 3]>) = placed.unzip();
    let uvs = vertices.iter().map(|vertex| {
        let [u, v] = vertex.uv;
        [u, 1.0 - v]
    });
    let uvs: Vec<[f32; 2]> = uvs.collect();
    let floats = |kind| Layout::vertices(ComponentType::F32, kind);
    let attributes = [
        (Semantic::Positions, builder.positions(&positions)),
        (
            Semantic::Normals,
            builder.accessor(&normals, floats(Type::Vec3)),
        ),
        (
            Semantic::TexCoords(0),
            builder.accessor(&uvs, floats(Type::Vec2)),
        ),
    ];
    let attributes = attributes.into_iter();
    attributes
        .map(|(semantic, accessor)| (Checked::Valid(semantic), accessor))
        .collect()
}

/// Position and normal of a vertex in the bind pose.
pub(super) fn in_bind_pose(vertex: &MeshVertex) -> (Vec3, Vec3) {
    (vertex.position.into(), unpack_normal(vertex.normal))
}

/// The mesh of a model, with a primitive for each of its materials; `None` without triangles. If it
/// is turned over, its triangles are reversed.
pub(super) fn mesh(
    builder: &mut Builder,
    model: &Model,
    attributes: &Attributes,
    is_turned_over: bool,
) -> Option<Index<Mesh>> {
    let mut primitives = Vec::new();
    for part in &model.mesh().parts {
        let range = part.indices.start as usize..part.indices.end as usize;
        let indices = model.mesh().indices.get(range).unwrap_or_default();
        let mut indices = builder.axes.triangles(indices);
        if is_turned_over {
            for corners in indices.chunks_exact_mut(3) {
                corners.swap(1, 2);
            }
        }
        if indices.is_empty() {
            continue;
        }
        let indices = builder.indices(&indices);
        let material = material(builder, model, part.material);
        primitives.push(parts::primitive(attributes.clone(), indices, material));
    }
    if primitives.is_empty() {
        return None;
    }
    Some(parts::mesh(builder, &name_of(model), primitives))
}

/// The material of a model with this index among those that its parts use.
fn material(builder: &mut Builder, model: &Model, at: usize) -> Option<Index<Material>> {
    let pixels = model.materials().get(at)?.texture.wait();
    let named = model.pfobj().materials.get(at);
    let name = named.map_or("unknown", |named| named.name.as_str());
    let texture = named.map_or(name, |named| named.texture.as_str());
    let index = builder.shared_texture(texture, pixels);
    // Materials of P3M have no names.
    let own = if model.p3m().is_some() { at } else { 0 };
    let key = (name.to_owned(), index.value(), own);
    if let Some(made) = builder.models.materials.get(&key) {
        return Some(*made);
    }
    let blending = model.materials().get(at)?.blending;
    let alpha_mode = match blending {
        Blending::None if pixels.has_holes => AlphaMode::Mask,
        Blending::None => AlphaMode::Opaque,
        Blending::Mix | Blending::Add => AlphaMode::Blend,
    };
    if blending == Blending::Add {
        builder.report_loss("Materials that add their light are mixed by their opacity.");
    }
    let mut surface = parts::matte(index);
    let mut emissive_factor = EmissiveFactor::default();
    if let Some(material) = model.p3m().and_then(|file| file.materials.get(at)) {
        let part = |byte: u8| f32::from(byte) / 255.0;
        let [r, g, b, opacity] = material.color.map(part);
        let [r, g, b] = [r, g, b].map(parts::linear);
        surface.base_color_factor = PbrBaseColorFactor([r, g, b, opacity]);
        emissive_factor = EmissiveFactor(material.emission.map(part).map(parts::linear));
    }
    let is_masked = alpha_mode == AlphaMode::Mask;
    let made = builder.root.push(Material {
        name: Some(name.to_owned()),
        alpha_mode: Checked::Valid(alpha_mode),
        alpha_cutoff: is_masked.then_some(AlphaCutoff(ALPHA_CUTOFF)),
        // The engine culls the backs of all faces (fact sheet B4).
        double_sided: false,
        pbr_metallic_roughness: surface,
        emissive_factor,
        ..Material::default()
    });
    builder.models.materials.insert(key, made);
    Some(made)
}
