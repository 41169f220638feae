//! Simplified meshes, for models that are drawn so small that the difference is invisible.
//!
//! Edges are collapsed in the order of their quadric error. The error includes positions, texture
//! coordinates and normals, and also positions in several poses, so that joints keep enough edges
//! to bend.

use std::ops::Range;

use glam::Vec3;
use meshoptimizer_rs::{
    Attributes, Error, Positions, SimplifyOptions, SimplifySettings, Workspace, simplify_scale,
    simplify_with_attributes,
};

use super::Model;
use super::mesh::Mesh;
use crate::Playhead;
use crate::normal::unpack_normal;

/// Maximum error of each level, as a fraction of the mesh's largest side.
const MAX_ERRORS: [f32; 4] = [0.01, 0.02, 0.04, 0.08];
/// Maximum number of levels, including the mesh itself.
pub const MAX_LEVELS: usize = 1 + MAX_ERRORS.len();
/// Maximum number of triangles of a level, as a fraction of those of the previous level.
const MAX_TRIANGLES: f32 = 0.8;
/// Meshes with fewer triangles are not worth simplifying; larger ones would keep the user waiting.
const TRIANGLES: Range<usize> = 32..50_000;
/// Minimum number of instances for which simplification is worthwhile.
const MIN_INSTANCES: usize = 16;
/// Maximum number of sampled poses.
const MAX_POSES: usize = 6;
/// Distance between sampled poses, in lengths of their clip. Any number of them is spread evenly
/// over it.
const POSE_SPACING: f32 = 0.618_034;
/// Weight of positions in each pose, relative to those in the bind pose. A bend occurs only in some
/// poses.
const POSE_WEIGHT: f32 = 0.6;
/// Weight of a unit of texture coordinates, as a fraction of the mesh's largest side.
const UV_WEIGHT: f32 = 0.1;
/// Weight of a unit of each axis of a normal, as a fraction of the mesh's largest side.
const NORMAL_WEIGHT: f32 = 0.05;

/// A level of detail of a mesh, made of vertices of the mesh.
#[derive(Debug)]
pub struct SimplifiedMesh {
    /// Three for each triangle, by part.
    pub indices: Vec<u32>,
    /// Range in `indices` of each of [`Mesh::parts`].
    pub parts: Vec<Range<u32>>,
    /// Error relative to the mesh, in units of model space.
    pub error: f32,
}

impl SimplifiedMesh {
    pub(super) fn cpu_bytes(&self) -> usize {
        size_of_val(self.indices.as_slice()) + size_of_val(self.parts.as_slice())
    }
}

impl Model {
    /// Builds simplified meshes if the model is drawn often enough.
    pub(crate) fn simplify_for(&self, instances: usize) {
        if instances < MIN_INSTANCES {
            return;
        }
        self.simplified.get_or_init(|| {
            let moments = self.moments();
            let poses: Vec<_> = moments
                .map(|moment| self.with_mesh(moment, |mesh| mesh.points.clone()))
                .filter(|points| points.iter().all(|point| point.is_finite()))
                .collect();
            levels(&self.mesh, &poses).unwrap_or_else(|error| {
                log::debug!("{}: simplifying the mesh: {error}", self.path.display());
                Vec::new()
            })
        });
    }

    /// Returns sample moments, alternating between clips and at different fractions of them. A
    /// movement back and forth would be straight at its middle.
    fn moments(&self) -> impl Iterator<Item = Playhead> {
        let count = if self.clips.is_empty() { 0 } else { MAX_POSES };
        (0..count).map(|i| {
            let clip = i % self.clips.len();
            let share = (i + 1) as f32 * POSE_SPACING % 1.0;
            let frame = share * self.clips[clip].frames as f32;
            Playhead::at_frame(clip, frame as u32)
        })
    }

    /// Returns simplified meshes, each coarser than the one before. Empty for a model that is not
    /// drawn often, or that cannot be simplified.
    pub fn simplified(&self) -> &[SimplifiedMesh] {
        self.simplified.get().map_or(&[], Vec::as_slice)
    }

    /// Heap size of the simplified meshes, in bytes.
    pub(crate) fn simplified_bytes(&self) -> usize {
        self.simplified()
            .iter()
            .map(SimplifiedMesh::cpu_bytes)
            .sum()
    }
}

/// Builds the levels of a mesh, for the positions of its points in several poses.
fn levels(mesh: &Mesh, poses: &[Vec<Vec3>]) -> Result<Vec<SimplifiedMesh>, Error> {
    if !TRIANGLES.contains(&mesh.triangles.len()) {
        return Ok(Vec::new());
    }
    let corners = Corners::of(mesh);
    let vertices = || {
        corners
            .vertices
            .iter()
            .filter_map(|v| mesh.vertices.get(*v as usize))
    };
    let positions: Vec<[f32; 3]> = vertices().map(|vertex| vertex.position).collect();
    let positions = Positions::from_packed(&positions);
    let size = simplify_scale(positions)?;
    if size == 0.0 {
        return Ok(Vec::new());
    }
    let pose_weight = POSE_WEIGHT / size;
    let weights: Vec<f32> = [UV_WEIGHT; 2]
        .into_iter()
        .chain([NORMAL_WEIGHT; 3])
        .chain(std::iter::repeat_n(pose_weight, 3 * poses.len()))
        .collect();
    let mut attributes = Vec::with_capacity(corners.vertices.len() * weights.len());
    for (vertex, number) in vertices().zip(&corners.vertices) {
        attributes.extend(vertex.uv);
        attributes.extend(unpack_normal(vertex.normal).to_array());
        let point = mesh.point_of_vertex.get(*number as usize);
        for pose in poses {
            let position = point.and_then(|point| pose.get(*point as usize));
            attributes.extend(position.copied().unwrap_or_default().to_array());
        }
    }
    let count = corners.vertices.len();
    let width = weights.len();
    let attributes = Attributes::from_interleaved(&attributes, count, width, width, 0)?;
    let mut workspace = Workspace::default();
    let mut levels: Vec<SimplifiedMesh> = Vec::new();
    for target_error in MAX_ERRORS {
        let settings = SimplifySettings {
            target_index_count: 0,
            target_error,
            // Seams are kept, so that sharp edges stay sharp. Small parts are kept too: those of a
            // tree are a visible loss if all of them disappear.
            options: SimplifyOptions::EMPTY,
        };
        let simplified = simplify_with_attributes(
            &corners.indices,
            positions,
            attributes,
            &weights,
            None,
            settings,
            &mut workspace,
        )?;
        let before = levels.last().map_or(&mesh.indices, |level| &level.indices);
        let most = before.len() as f32 * MAX_TRIANGLES;
        if !simplified.indices.is_empty() && simplified.indices.len() as f32 <= most {
            let (indices, parts) = corners.by_part(&simplified.indices, mesh.parts.len());
            levels.push(SimplifiedMesh {
                indices,
                parts,
                error: simplified.error * size,
            });
        }
    }
    Ok(levels)
}

/// The corners of a mesh's triangles. Vertices that several parts share are duplicated for each
/// part.
struct Corners {
    /// Indices in the lists below, three for each triangle.
    indices: Vec<u32>,
    /// Vertices in the mesh.
    vertices: Vec<u32>,
    /// Parts.
    parts: Vec<u32>,
}

impl Corners {
    fn of(mesh: &Mesh) -> Self {
        let mut corners = Self {
            indices: Vec::with_capacity(mesh.indices.len()),
            vertices: Vec::new(),
            parts: Vec::new(),
        };
        // For each vertex, the last part that uses it, and its corner there.
        let mut known = vec![(u32::MAX, 0); mesh.vertices.len()];
        for (part, number) in mesh.parts.iter().zip(0..) {
            let range = part.indices.start as usize..part.indices.end as usize;
            for &vertex in mesh.indices.get(range).unwrap_or_default() {
                let known = &mut known[vertex as usize];
                if known.0 != number {
                    *known = (number, corners.vertices.len() as u32);
                    corners.vertices.push(vertex);
                    corners.parts.push(number);
                }
                corners.indices.push(known.1);
            }
        }
        corners
    }

    /// Returns the vertices of triangles, sorted by part, and the range of each part.
    fn by_part(&self, indices: &[u32], parts: usize) -> (Vec<u32>, Vec<Range<u32>>) {
        let mut triangles = indices.as_chunks::<3>().0.to_vec();
        let part_of = |corners: &[u32; 3]| self.parts[corners[0] as usize];
        triangles.sort_by_key(part_of);
        let end = |part| 3 * triangles.partition_point(|corners| part_of(corners) < part) as u32;
        let ranges = (0..parts as u32)
            .map(|part| end(part)..end(part + 1))
            .collect();
        let corners = triangles.as_flattened().iter();
        let vertices = corners.map(|corner| self.vertices[*corner as usize]);
        (vertices.collect(), ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::model::sample;
    use mapscope_formats::pfobj::{Pfobj, Vertex};

    /// Number of squares along a side of a sheet.
    const SIDE: u32 = 20;

    /// An upright sheet of squares; `change` bends it and assigns materials.
    fn sheet(change: impl Fn(&mut Vertex)) -> Pfobj {
        let mut pfobj = sample::quad();
        let square = std::mem::take(&mut pfobj.vertices);
        for (row, column) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column))) {
            for mut corner in square.iter().copied() {
                corner.position[0] += column as f32;
                corner.position[1] += row as f32;
                corner.uv = [
                    corner.position[0] / SIDE as f32,
                    corner.position[1] / SIDE as f32,
                ];
                change(&mut corner);
                pfobj.vertices.push(corner);
            }
        }
        pfobj
    }

    fn levels_of(pfobj: &Pfobj, poses: &[Vec<Vec3>]) -> (Mesh, Vec<SimplifiedMesh>) {
        let mesh = Mesh::build(pfobj);
        let levels = levels(&mesh, poses).unwrap();
        (mesh, levels)
    }

    #[test]
    fn what_is_flat_needs_few_triangles() {
        let (mesh, levels) = levels_of(&sheet(|_| {}), &[]);
        assert_eq!(mesh.triangles.len() as u32, 2 * SIDE * SIDE);
        let [level] = levels.as_slice() else {
            panic!("{levels:?}");
        };
        assert!(level.error < 1e-3 * SIDE as f32, "{}", level.error);
        assert_eq!(level.indices.len(), 6);
        // They cover the whole sheet.
        let corners = level
            .indices
            .iter()
            .map(|v| Vec3::from(mesh.vertices[*v as usize].position));
        let side = SIDE as f32;
        let corners: Vec<Vec3> = corners.collect();
        let area = corners
            .as_chunks::<3>()
            .0
            .iter()
            .map(|[a, b, c]| (b - a).cross(c - a).z / 2.0);
        assert!((area.sum::<f32>() - side * side).abs() < 1e-3);
    }

    #[test]
    fn each_level_is_coarser_and_further_off_and_as_far_as_it_may_be() {
        let wave = sheet(|corner| corner.position[2] = 2.0 * (corner.position[0] * 0.7).sin());
        let (mesh, levels) = levels_of(&wave, &[]);
        assert!(levels.len() >= 2, "{levels:?}");
        let counts = levels.iter().map(|level| level.indices.len());
        let counts: Vec<usize> = std::iter::once(mesh.indices.len()).chain(counts).collect();
        assert!(
            counts.is_sorted_by(|a, b| *a as f32 * MAX_TRIANGLES >= *b as f32),
            "{counts:?}"
        );
        let errors = levels.iter().map(|level| level.error);
        assert!(errors.is_sorted());
        let size = SIDE as f32;
        assert!(
            levels
                .iter()
                .all(|it| it.error <= MAX_ERRORS[MAX_ERRORS.len() - 1] * size)
        );
    }

    #[test]
    fn parts_keep_their_triangles_to_themselves() {
        let halves = sheet(|corner| corner.material = u32::from(corner.position[0] > 7.5) * 9);
        let (mesh, levels) = levels_of(&halves, &[]);
        assert_eq!(mesh.parts.len(), 2);
        for level in &levels {
            assert_eq!(level.parts[0].end, level.parts[1].start);
            assert_eq!(level.parts[1].end as usize, level.indices.len());
            for (part, range) in mesh.parts.iter().zip(&level.parts) {
                let of_part = &mesh.indices[part.indices.start as usize..part.indices.end as usize];
                let range = range.start as usize..range.end as usize;
                assert!(!range.is_empty() && range.len() % 3 == 0);
                assert!(
                    level.indices[range]
                        .iter()
                        .all(|vertex| of_part.contains(vertex))
                );
            }
        }
        assert!(!levels.is_empty());
    }

    #[test]
    fn what_bends_in_a_clip_stays_where_it_bends() {
        let flat = sheet(|_| {});
        let points = Mesh::build(&flat).points;
        let bent = points.iter().map(|point| {
            let [x, y, _] = point.position.to_array();
            Vec3::new(x, y, (x - 10.0).abs())
        });
        let (mesh, levels) = levels_of(&flat, &[bent.collect()]);
        for level in &levels {
            let mut corners = level
                .indices
                .iter()
                .map(|v| mesh.vertices[*v as usize].position[0]);
            assert!(corners.any(|x| (x - 10.0).abs() < 1.5), "{level:?}");
        }
        assert!(!levels.is_empty());
    }

    #[test]
    fn small_meshes_and_points_are_left_alone() {
        assert!(levels_of(&sample::quad(), &[]).1.is_empty());
        let point = sheet(|corner| corner.position = [1.0; 3]);
        assert!(levels_of(&point, &[]).1.is_empty());
    }
}
