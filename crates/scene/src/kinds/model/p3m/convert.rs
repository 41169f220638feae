//! A P3M file as the mesh, the skeleton and the materials of a model.
//!
//! The result has the plain data of PFOBJ, in which models are posed, picked and compared. Its
//! lines are byte offsets, and each triangle has its corners in the order of PFOBJ, whose winding
//! is the opposite (fact sheet P2).

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DQuat, Quat, Vec3};

use super::Rig;
use crate::kinds::model::mesh::{
    Mesh, MeshVertex, PackedInfluence, Part as MeshPart, Point, pack_influences,
};
use crate::kinds::model::skeleton::LocalPose;
use crate::normal::pack_normal;
use mapscope_formats::p3m::{P3m, Part};
use mapscope_formats::pfobj::{
    Clip, Influence, Joint, Layout, Material, Pfobj, Rotation, Transform, Vertex,
};

/// Length of a bone whose end is lost and which has no parent and no child, in metres.
const DEFAULT_BONE_LENGTH: f32 = 0.1;

/// A converted file.
pub(super) struct Converted {
    pub(super) pfobj: Pfobj,
    pub(super) mesh: Mesh,
    pub(super) rig: Rig,
    /// The pose of each bone at rest, relative to its parent.
    pub(super) rest: Vec<LocalPose>,
}

impl Converted {
    pub(super) fn new(mut file: P3m) -> Self {
        let rest = Rest::of(&file);
        let joints = file.bones.iter().zip(0..).map(|(bone, index)| Joint {
            name: bone.name.text.clone(),
            parent: bone.parent,
            bind: transform(&rest.local[index]),
            tip: [0.0, 0.0, rest.lengths[index]],
            line: bone.at,
        });
        let clips = file.animations.iter().map(|animation| Clip {
            name: animation.name.text.clone(),
            frame_count: 0,
            poses: Vec::new(),
            bounds: Vec::new(),
            line: animation.at,
            frame_lines: Vec::new(),
        });
        let materials = file.materials.iter().map(|material| {
            let texture = file.textures.get(usize::from(material.texture));
            let path = texture.map(|it| it.path().unwrap_or("embedded"));
            let name = path.and_then(|path| path.rsplit('/').next());
            Material {
                name: name.unwrap_or("plain").to_owned(),
                ambient: 1.0,
                diffuse: [1.0; 3],
                specular: [0.0; 3],
                texture: path.unwrap_or_default().to_owned(),
                line: material.at,
                texture_line: texture.map_or(material.at, |it| it.at),
                texture_column: 0,
            }
        });
        let (materials, joints, clips) = (materials.collect(), joints.collect(), clips.collect());
        let pfobj = Pfobj {
            version: String::new(),
            vertices: Vec::new(),
            influences: Vec::new(),
            materials,
            joints,
            clips,
            bounds: None,
            has_bounds: false,
            layout: Layout::regular(0),
            bad_vertices: Vec::new(),
            crlf: false,
            problems: std::mem::take(&mut file.problems),
            notes: std::mem::take(&mut file.notes),
        };
        let mut converted = Self {
            pfobj,
            mesh: Mesh::default(),
            rig: Rig::default(),
            rest: rest.local,
        };
        let mut bones = HashMap::new();
        for (bone, index) in file.bones.iter().zip(0_u32..) {
            bones.entry(bone.name.text.as_str()).or_insert(index);
        }
        for part in &file.parts {
            converted.add(part, &bones);
        }
        converted.rig.file = Arc::new(file);
        converted
    }

    /// Adds the vertices and the whole triangles of a part.
    fn add(&mut self, part: &Part, bones: &HashMap<&str, u32>) {
        let mesh = &mut self.mesh;
        let number = self.rig.first_vertices.len();
        let first_vertex = mesh.vertices.len() as u32;
        let first_index = mesh.indices.len() as u32;
        let weights = weights(part, bones);
        let mut weights = weights.as_slice();
        let normals = normals(part);
        let material = u32::from(part.material);
        let mut corners = Vec::with_capacity(part.positions.len());
        for (at, position) in part.positions.iter().enumerate() {
            let count = weights.iter().take_while(|it| it.vertex == at).count();
            let (listed, rest) = weights.split_at(count);
            weights = rest;
            let influences = push_influences(mesh, listed);
            // Vertices with numbers that are not finite have no triangle.
            let place = Vec3::from(*position);
            let place = if place.is_finite() { place } else { Vec3::ZERO };
            let uv = part.uvs.get(at).copied().unwrap_or_default();
            let uv = if uv.iter().all(|it| it.is_finite()) {
                uv
            } else {
                [0.0; 2]
            };
            let normal = normals.get(at).copied().unwrap_or(Vec3::Y);
            mesh.points.push(Point {
                position: place,
                influences,
            });
            mesh.point_of_vertex.push(first_vertex + at as u32);
            mesh.vertices.push(MeshVertex {
                position: place.into(),
                normal: pack_normal(normal),
                uv,
                influences,
            });
            let first_influence = self.pfobj.influences.len() as u32;
            let listed = listed.iter().map(|it| Influence {
                joint: it.bone,
                weight: it.share,
            });
            self.pfobj.influences.extend(listed);
            corners.push(Vertex {
                position: *position,
                uv,
                normal: normal.into(),
                first_influence,
                influence_count: count as u8,
                material,
            });
        }
        for (triangle, [a, b, c]) in part.triangles() {
            for vertex in [a, c, b] {
                let index = first_vertex + u32::from(vertex);
                mesh.indices.push(index);
                mesh.point_of_corner.push(index);
                self.pfobj.vertices.push(corners[usize::from(vertex)]);
            }
            mesh.triangles.push(self.rig.triangles.len() as u32);
            self.rig.triangles.push([number as u32, triangle as u32]);
        }
        let end = mesh.indices.len() as u32;
        let material = usize::from(part.material).min(self.pfobj.materials.len());
        mesh.parts.push(MeshPart {
            material,
            indices: first_index..end,
        });
        self.rig.first_vertices.push(first_vertex);
    }
}

/// The bones at rest (fact sheet P4).
struct Rest {
    local: Vec<LocalPose>,
    lengths: Vec<f32>,
}

impl Rest {
    fn of(file: &P3m) -> Self {
        let directions = file.directions();
        let has_lost_tails = file.has_lost_tails();
        let mut rest = Self {
            local: Vec::with_capacity(file.bones.len()),
            lengths: Vec::with_capacity(file.bones.len()),
        };
        let finite = |place: [f32; 3]| {
            let place = Vec3::from(place);
            if place.is_finite() { place } else { Vec3::ZERO }
        };
        let mut globals: Vec<(Quat, Vec3)> = Vec::with_capacity(file.bones.len());
        for (bone, direction) in file.bones.iter().zip(&directions) {
            let head = finite(bone.head);
            let own = shortest_turn(Vec3::from(*direction));
            let parent = bone.parent.map(|parent| parent as usize);
            let of_parent = parent.and_then(|parent| globals.get(parent).copied());
            let (rotation, from) = of_parent.unwrap_or((Quat::IDENTITY, Vec3::ZERO));
            let back = rotation.inverse();
            rest.local.push(LocalPose {
                scale: Vec3::ONE,
                rotation: back * own,
                translation: back * (head - from),
            });
            globals.push((own, head));
            rest.lengths.push(finite(bone.tail).distance(head));
        }
        if has_lost_tails {
            for index in 0..file.bones.len() {
                rest.lengths[index] = length_without_tail(file, &rest.lengths, index);
            }
        }
        rest
    }
}

/// The length of a bone whose tail is lost: up to its first child, or else that of its parent.
fn length_without_tail(file: &P3m, lengths: &[f32], index: usize) -> f32 {
    let bone = &file.bones[index];
    let child = file.bones.iter().find(|it| it.parent == Some(index as u32));
    let to_child = child.map(|child| Vec3::from(child.head).distance(bone.head.into()));
    let of_parent = bone.parent.map(|parent| lengths[parent as usize] * 0.5);
    to_child
        .filter(|length| *length > 0.0)
        .or(of_parent)
        .unwrap_or(DEFAULT_BONE_LENGTH)
}

/// The shortest turn from Z to a direction: the own frame of a bone in the axes of the file.
fn shortest_turn(direction: Vec3) -> Quat {
    let [x, y, z] = direction.as_dvec3().to_array();
    // Near the opposite direction, 1 + z would lose all its digits.
    let w = if z < 0.0 {
        (x * x + y * y) / (1.0 - z)
    } else {
        1.0 + z
    };
    let turn = DQuat::from_xyzw(-y, x, 0.0, w);
    if turn.length_squared() == 0.0 {
        // Half a turn about Y, as Blender does.
        return Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);
    }
    turn.normalize().as_quat()
}

/// A pose in the form of a PFOBJ file.
fn transform(pose: &LocalPose) -> Transform {
    Transform {
        scale: pose.scale.into(),
        rotation: Rotation::ConjugatedQuaternion(pose.rotation.conjugate().to_array()),
        translation: pose.translation.into(),
    }
}

/// The weight of a bone on a vertex of a part.
struct BoneWeight {
    vertex: usize,
    bone: u32,
    share: f32,
}

/// The weights of bones on the vertices of a part, by vertex, then in file order.
fn weights(part: &Part, bones: &HashMap<&str, u32>) -> Vec<BoneWeight> {
    let mut weights = Vec::new();
    for group in &part.groups {
        let Some(&bone) = bones.get(group.bone.text.as_str()) else {
            continue;
        };
        let of_group = group.weights(part.positions.len());
        weights.extend(of_group.map(|(vertex, share)| BoneWeight {
            vertex,
            bone,
            share,
        }));
    }
    weights.sort_by_key(|weight| weight.vertex);
    weights
}

/// Adds the influences of a vertex, whose weights are divided by their sum, and packs them like
/// [`MeshVertex::influences`].
fn push_influences(mesh: &mut Mesh, weights: &[BoneWeight]) -> u32 {
    if weights.is_empty() {
        return 0;
    }
    let sum: f32 = weights.iter().map(|it| it.share).sum();
    let own = weights.iter().map(|it| PackedInfluence {
        joint: it.bone,
        weight: it.share / sum,
    });
    // Neighbours in a rigid part have the same influences.
    let last = mesh.influences.len().saturating_sub(weights.len());
    let is_same = mesh.influences[last..].iter().copied().eq(own.clone());
    if is_same {
        return pack_influences(last, weights.len());
    }
    let first = mesh.influences.len();
    mesh.influences.extend(own);
    pack_influences(first, weights.len())
}

/// The normals of the vertices of a part: those of the file, or else the means of the triangles.
fn normals(part: &Part) -> Vec<Vec3> {
    if !part.normals.is_empty() {
        let normals = part.normals.iter().map(|normal| Vec3::from(*normal));
        return normals
            .map(|it| it.try_normalize().unwrap_or(Vec3::Y))
            .collect();
    }
    let mut sums = vec![Vec3::ZERO; part.positions.len()];
    for (_, corners) in part.triangles() {
        let [a, b, c] = corners.map(|at| Vec3::from(part.positions[usize::from(at)]));
        let face = (c - a).cross(b - a);
        for corner in corners {
            sums[usize::from(corner)] += face;
        }
    }
    let unit = |sum: Vec3| sum.try_normalize().unwrap_or(Vec3::Y);
    sums.into_iter().map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bones_turn_the_short_way_up_to_half_a_turn_about_y() {
        let back = shortest_turn(Vec3::NEG_Z);
        assert!((back * Vec3::X).distance(Vec3::NEG_X) < 1e-6);
        assert!((back * Vec3::Y).distance(Vec3::Y) < 1e-6);
        for aside in [1e-2, 1e-4, 1e-6] {
            let direction = Vec3::new(aside, 2.0 * aside, -1.0).normalize();
            let turn = shortest_turn(direction);
            assert!((turn * Vec3::Z).distance(direction) < 1e-6, "{aside}");
            // Directly across, nothing turns.
            let across = Vec3::new(-2.0, 1.0, 0.0).normalize();
            assert!((turn * across).distance(across) < 1e-5, "{aside}");
        }
    }
}
