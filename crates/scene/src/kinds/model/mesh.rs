//! The GPU mesh of a model: equal corners become one vertex, and triangles are grouped by material.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

use super::weld::Weld;
use crate::normal::pack_normal;
use mapscope_formats::pfobj::{MAX_INFLUENCES, Pfobj, Vertex};

/// Number of bits of [`MeshVertex::influences`] that hold the count.
pub const INFLUENCE_COUNT_BITS: u32 = 8;

/// A vertex for the GPU, 28 bytes: the vertex inputs of `vs_model`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct MeshVertex {
    /// Position in model space, in the bind pose.
    pub position: [f32; 3],
    /// Outward unit normal in model space, in the bind pose
    /// ([`unpack_normal`](crate::normal::unpack_normal)).
    pub normal: [i16; 2],
    /// Texture coordinates as in the file: (0, 0) is the bottom left of the image.
    pub uv: [f32; 2],
    /// Number of influences in the lowest [`INFLUENCE_COUNT_BITS`], and above them the index of the
    /// first one in [`Mesh::influences`]. A vertex without influences does not move.
    pub influences: u32,
}

impl MeshVertex {
    /// Returns the range of its influences in [`Mesh::influences`].
    pub fn influence_range(&self) -> Range<usize> {
        unpack_influences(self.influences)
    }
}

/// The weight of a joint for a vertex, 8 bytes: `Influence` in `shaders/skin.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct PackedInfluence {
    /// Index of the joint, always within the skeleton.
    pub joint: u32,
    /// Normalized weight: the weights of a vertex sum to 1.
    pub weight: f32,
}

/// The triangles of one material, in P3M those of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Index of the material. The index after the last material of the file is used for all missing
    /// ones.
    pub material: usize,
    /// Range of its triangles in [`Mesh::indices`].
    pub indices: Range<u32>,
}

/// A position of the mesh with its influences. Vertices that differ only in texture coordinates and
/// normals share it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Position in model space, in the bind pose.
    pub position: Vec3,
    /// Packed like [`MeshVertex::influences`].
    pub influences: u32,
}

impl Point {
    /// Returns the range of its influences in [`Mesh::influences`].
    pub fn influence_range(&self) -> Range<usize> {
        unpack_influences(self.influences)
    }
}

/// The mesh of a model.
#[derive(Debug, Default)]
pub struct Mesh {
    /// Vertices without duplicates.
    pub vertices: Vec<MeshVertex>,
    /// Three for each drawn triangle, by material, then in file order.
    pub indices: Vec<u32>,
    /// Influences of all vertices; vertices with the same influences share them.
    pub influences: Vec<PackedInfluence>,
    /// Triangles of each used material, by material.
    pub parts: Vec<Part>,
    /// For each triangle in the order of `indices`, its index in the file.
    pub triangles: Vec<u32>,
    /// Positions of the mesh, including those of incomplete triangles.
    pub points: Vec<Point>,
    /// For each of `vertices`, its index in `points`.
    pub point_of_vertex: Vec<u32>,
    /// For each corner of the file, its index in `points`, or `u32::MAX` if it could not be read.
    pub point_of_corner: Vec<u32>,
}

impl Mesh {
    /// Builds the mesh of a file, without triangles that have an unreadable corner.
    pub fn build(pfobj: &Pfobj) -> Self {
        let count = pfobj.vertices.len();
        let mut mesh = Self {
            point_of_corner: Vec::with_capacity(count),
            ..Self::default()
        };
        let mut builder = Builder {
            influences: Weld::with_capacity(64),
            // A triangle mesh has half as many vertices as triangles, and more with hard edges.
            points: Weld::with_capacity(count / 4),
            vertices: Weld::with_capacity(count / 2),
            known_influences: Vec::new(),
        };
        let mut bad = pfobj.bad_vertices.iter().copied().peekable();
        let mut vertex_of_corner = Vec::with_capacity(count);
        for (i, corners) in pfobj.vertices.chunks(3).enumerate() {
            let positions = corners.iter().map(|corner| corner.position.into());
            let face = face_normal(positions);
            for (k, corner) in corners.iter().enumerate() {
                let number = (i * 3 + k) as u32;
                let is_bad =
                    bad.next_if_eq(&number).is_some() || !Vec3::from(corner.position).is_finite();
                if is_bad {
                    mesh.point_of_corner.push(u32::MAX);
                    vertex_of_corner.push(u32::MAX);
                } else {
                    vertex_of_corner.push(builder.add(&mut mesh, pfobj, corner, face));
                }
            }
        }
        mesh.sort(pfobj, &vertex_of_corner);
        mesh
    }

    /// Groups the triangles by material.
    fn sort(&mut self, pfobj: &Pfobj, vertex_of_corner: &[u32]) {
        let unknown = pfobj.materials.len();
        // A triangle has the material of its first corner, the provoking vertex.
        let corners = pfobj.vertices.chunks_exact(3);
        let triangles = corners
            .zip(vertex_of_corner.chunks_exact(3))
            .enumerate()
            .filter(|(_, (_, vertices))| !vertices.contains(&u32::MAX))
            .map(|(i, (corners, vertices))| {
                let material = (corners[0].material as usize).min(unknown);
                (i as u32, material, vertices)
            });
        let mut counts = vec![0_u32; unknown + 1];
        for (_, material, _) in triangles.clone() {
            counts[material] += 1;
        }
        let mut next = 0;
        for (material, count) in counts.iter_mut().enumerate() {
            let first = next;
            next += *count;
            if *count > 0 {
                let indices = first * 3..next * 3;
                self.parts.push(Part { material, indices });
            }
            *count = first;
        }
        self.triangles = vec![0; next as usize];
        self.indices = vec![0; next as usize * 3];
        for (triangle, material, vertices) in triangles {
            let at = counts[material] as usize;
            counts[material] += 1;
            self.triangles[at] = triangle;
            self.indices[at * 3..at * 3 + 3].copy_from_slice(vertices);
        }
    }

    /// Returns the parts with a material.
    pub(super) fn parts_of(&self, material: usize) -> impl Iterator<Item = &Part> {
        let parts = self.parts.iter();
        parts.filter(move |part| part.material == material)
    }

    /// Returns the triangles of a part by their index in the file, in ascending order.
    pub(super) fn triangles_of(&self, part: &Part) -> &[u32] {
        let range = part.indices.start as usize / 3..part.indices.end as usize / 3;
        self.triangles.get(range).unwrap_or_default()
    }

    /// Returns the influences of a vertex or a point.
    pub fn influences(&self, range: Range<usize>) -> &[PackedInfluence] {
        self.influences.get(range).unwrap_or_default()
    }

    /// Heap size in bytes.
    pub fn cpu_bytes(&self) -> usize {
        size_of_val(self.vertices.as_slice())
            + size_of_val(self.influences.as_slice())
            + size_of_val(self.points.as_slice())
            + size_of::<u32>()
                * (self.indices.len()
                    + self.triangles.len()
                    + self.point_of_vertex.len()
                    + self.point_of_corner.len())
    }
}

/// State of a mesh under construction.
struct Builder {
    influences: Weld<{ 2 * MAX_INFLUENCES }>,
    points: Weld<4>,
    vertices: Weld<7>,
    /// For each number of `influences`, [`MeshVertex::influences`].
    known_influences: Vec<u32>,
}

impl Builder {
    /// Adds a readable corner; `face` is the normal of its triangle.
    fn add(&mut self, mesh: &mut Mesh, pfobj: &Pfobj, corner: &Vertex, face: Vec3) -> u32 {
        // Adding zero turns negative zero into positive zero.
        let position = Vec3::from(corner.position) + 0.0;
        let influences = self.influences(mesh, pfobj, corner);
        let [x, y, z] = position.to_array().map(f32::to_bits);
        let (point, new) = self.points.number([x, y, z, influences]);
        if new {
            mesh.points.push(Point {
                position,
                influences,
            });
        }
        mesh.point_of_corner.push(point);
        let normal = Vec3::from(corner.normal).try_normalize().unwrap_or(face);
        let uv = Vec2::from(corner.uv) + 0.0;
        let vertex = MeshVertex {
            position: position.into(),
            normal: pack_normal(normal),
            uv: if uv.is_finite() { uv } else { Vec2::ZERO }.into(),
            influences,
        };
        let (number, new) = self.vertices.number(bytemuck::cast(vertex));
        if new {
            mesh.vertices.push(vertex);
            mesh.point_of_vertex.push(point);
        }
        number
    }

    /// Packs the influences of a corner like [`MeshVertex::influences`]. Joints outside the
    /// skeleton are dropped, and the other weights are normalized to a sum of 1 (fact sheet B3).
    fn influences(&mut self, mesh: &mut Mesh, pfobj: &Pfobj, corner: &Vertex) -> u32 {
        let listed = pfobj.influences_of(corner);
        let there = listed
            .iter()
            .filter(|i| (i.joint as usize) < pfobj.joints.len() && i.weight.is_finite())
            .take(MAX_INFLUENCES);
        let sum: f32 = there.clone().map(|i| i.weight).sum();
        let weights = || there.clone().map(|i| (i.joint, i.weight / sum));
        if sum == 0.0 || !weights().all(|(_, weight)| weight.is_finite()) {
            return 0;
        }
        let mut words = [u32::MAX; 2 * MAX_INFLUENCES];
        let mut count = 0;
        for ((joint, weight), pair) in weights().zip(words.chunks_exact_mut(2)) {
            pair.copy_from_slice(&[joint, weight.to_bits()]);
            count += 1;
        }
        let (number, new) = self.influences.number(words);
        if new {
            let first = mesh.influences.len();
            self.known_influences.push(pack_influences(first, count));
            let packed = weights().map(|(joint, weight)| PackedInfluence { joint, weight });
            mesh.influences.extend(packed);
        }
        self.known_influences
            .get(number as usize)
            .copied()
            .unwrap_or(0)
    }
}

/// Packs a range of influences like [`MeshVertex::influences`]. A vertex beyond the limit of the
/// packed form does not move; only meshes of more than two million vertices reach it.
pub(super) fn pack_influences(first: usize, count: usize) -> u32 {
    let has_room = first < 1 << (u32::BITS - INFLUENCE_COUNT_BITS);
    if has_room {
        (first as u32) << INFLUENCE_COUNT_BITS | count as u32
    } else {
        0
    }
}

fn unpack_influences(packed: u32) -> Range<usize> {
    let first = (packed >> INFLUENCE_COUNT_BITS) as usize;
    first..first + (packed & ((1 << INFLUENCE_COUNT_BITS) - 1)) as usize
}

/// Returns the direction that a triangle faces by its winding, or up if it is degenerate.
pub(super) fn face_normal(corners: impl IntoIterator<Item = Vec3>) -> Vec3 {
    let mut corners = corners.into_iter();
    let [Some(a), Some(b), Some(c)] = [corners.next(), corners.next(), corners.next()] else {
        return Vec3::Y;
    };
    (b - a).cross(c - a).try_normalize().unwrap_or(Vec3::Y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::model::sample::{self, influence};

    #[test]
    fn a_vertex_has_the_size_that_the_shader_takes() {
        assert_eq!(size_of::<MeshVertex>(), 28);
        assert_eq!(size_of::<PackedInfluence>(), 8);
    }

    #[test]
    fn equal_corners_are_one_vertex() {
        let mut pfobj = sample::quad();
        let mesh = Mesh::build(&pfobj);
        assert_eq!(mesh.vertices.len(), 4);
        assert_eq!(mesh.indices, [0, 1, 2, 0, 2, 3]);
        assert_eq!(mesh.triangles, [0, 1]);
        // A texture seam splits the vertex, but not its position.
        pfobj.vertices[3].uv = [0.25, 0.75];
        let mesh = Mesh::build(&pfobj);
        assert_eq!((mesh.vertices.len(), mesh.points.len()), (5, 4));
        assert_eq!(mesh.point_of_corner, [0, 1, 2, 0, 2, 3]);
    }

    #[test]
    fn triangles_stand_by_material_and_unknown_materials_last() {
        let mut pfobj = sample::quad();
        let again = pfobj.vertices.clone();
        pfobj.vertices.extend(again);
        for (vertex, material) in pfobj.vertices.iter_mut().zip([1, 1, 1, 77, 77, 77]) {
            vertex.material = material;
        }
        let mesh = Mesh::build(&pfobj);
        let unknown = pfobj.materials.len();
        let parts: Vec<_> = mesh
            .parts
            .iter()
            .map(|p| (p.material, p.indices.clone()))
            .collect();
        assert_eq!(parts, [(0, 0..6), (unknown, 6..12)]);
        assert_eq!(mesh.triangles, [2, 3, 0, 1]);
    }

    #[test]
    fn corners_that_could_not_be_read_take_their_triangle_with_them() {
        let mut pfobj = sample::quad();
        pfobj.bad_vertices = vec![4];
        let mesh = Mesh::build(&pfobj);
        assert_eq!(mesh.triangles, [0]);
        assert_eq!(mesh.point_of_corner[4], u32::MAX);
        pfobj.bad_vertices.clear();
        pfobj.vertices[0].position[1] = f32::NAN;
        assert_eq!(Mesh::build(&pfobj).triangles, [1]);
        // Leftover corners form no triangle.
        pfobj.vertices.truncate(5);
        assert!(Mesh::build(&pfobj).triangles.is_empty());
    }

    #[test]
    fn weights_sum_to_one_and_joints_that_are_not_there_do_not_count() {
        let mut pfobj = sample::chain(3, 1);
        sample::set_influences(
            &mut pfobj,
            &[
                &[influence(0, 3.0), influence(1, 1.0)],
                &[influence(0, 0.5), influence(99, 0.5)],
                &[influence(2, 0.0)],
            ],
        );
        let mesh = Mesh::build(&pfobj);
        let of = |corner: usize| {
            let point = &mesh.points[mesh.point_of_corner[corner] as usize];
            mesh.influences(point.influence_range()).to_vec()
        };
        let packed = |joint, weight| PackedInfluence { joint, weight };
        assert_eq!(of(0), [packed(0, 0.75), packed(1, 0.25)]);
        assert_eq!(of(1), [packed(0, 1.0)]);
        assert_eq!(of(2), []);
    }
}
