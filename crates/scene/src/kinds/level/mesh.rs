//! GPU meshes of chunks: vertices as in the file, face by face, and triangles grouped by how they
//! are drawn.

use std::collections::HashMap;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::atlas::{Atlas, Slot};
use super::materials::{Blend, Materials};
use super::merge::FaceMerger;
use crate::Aabb;
use crate::normal::pack_normal;
use mapscope_formats::pmf::{
    self, ChunkClient, ChunkData, ClientFastLight, Cube, Geometry, Vertex,
};

/// Maximum mean number of faces that share a vertex. Further faces are not drawn, because a file of
/// a few bytes could otherwise demand any amount of memory.
const MAX_USES: usize = 2;
/// Extra vertices allowed for the faces of all chunks of a level, regardless of its size.
const EXTRA_VERTICES: usize = 1 << 19;

/// A vertex for the GPU, 28 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct LevelVertex {
    /// Position in world space, in metres.
    pub position: [f32; 3],
    /// Outward unit normal in world space, octahedral encoding
    /// ([`unpack_normal`](crate::normal::unpack_normal)).
    pub normal: [i16; 2],
    /// Texture coordinates as in the file: V down, repeating.
    pub uv: [f32; 2],
    /// Position on the atlas page, as fractions of 65535: V down.
    pub lightmap_uv: [u16; 2],
}

/// Render state of a group of triangles.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// Blend mode.
    pub blend: Blend,
    /// Index in the list of the level's materials.
    pub material: u16,
    /// Page of the atlas.
    pub page: u16,
    /// `true` if back faces are drawn too.
    pub two_sided: bool,
}

/// A face of the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeshFace {
    /// Cube.
    pub cube: u32,
    /// Side of the cube.
    pub side: u8,
    /// Number of triangles.
    pub triangles: u8,
    /// First vertex in [`ChunkMesh::vertices`].
    pub first_vertex: u32,
    /// First vertex in the file, in the list of the chunk.
    pub file_vertex: u32,
    /// First index in [`ChunkMesh::indices`].
    pub first_index: u32,
}

impl MeshFace {
    /// Returns the range of the face in [`ChunkMesh::indices`].
    pub fn indices(&self) -> Range<usize> {
        let first = self.first_index as usize;
        first..first + 3 * usize::from(self.triangles)
    }
}

/// The triangles of a mesh, with flat faces joined where they continue each other.
#[derive(Debug, Default)]
pub struct Merged {
    /// Three for each triangle, part by part.
    pub indices: Vec<u32>,
    /// Bounds of each part in `indices`: the start of each of its sides, in the order of
    /// [`ChunkMesh::flat_ends`], then the start and the end of all others.
    pub bounds: Vec<[u32; 8]>,
}

/// The faces of a chunk.
#[derive(Debug, Default)]
pub struct ChunkMesh {
    /// Number of the chunk in the level.
    pub chunk: usize,
    /// Bounds in world space.
    pub bounds: Aabb,
    /// Vertices in the order of the cubes and their sides.
    pub vertices: Vec<LevelVertex>,
    /// Three for each triangle, part by part.
    pub indices: Vec<u32>,
    /// Groups of triangles, the opaque ones first, and their range in `indices`.
    pub parts: Vec<(Part, Range<u32>)>,
    /// End in `indices` of the faces of each part that lie flat on a side of their cube: those on
    /// +X, then +Y, +Z, -X, -Y and -Z. All other faces follow.
    pub flat_ends: Vec<[u32; 6]>,
    /// The same surface in fewer triangles, for distant views. Empty if `indices` are already few
    /// enough.
    pub merged: Merged,
    /// Mean edge length of flat faces, in metres.
    pub edge_len: f32,
    /// All faces, in the order of their indices.
    pub faces: Vec<MeshFace>,
    /// Number of faces omitted because too many faces share their vertices.
    pub left_out: u32,
}

/// Level data that chunk meshes are built from.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeshInputs<'a> {
    pub(super) level: &'a pmf::Level,
    pub(super) materials: &'a Materials,
    /// Indices of the level's materials by name.
    pub(super) names: &'a HashMap<&'a [u8], usize>,
    pub(super) atlas: &'a Atlas,
}

impl ChunkMesh {
    /// Builds the mesh of a chunk, or returns `None` if nothing in it is drawn.
    pub(super) fn build(around: &MeshInputs<'_>, chunk: usize) -> Option<Self> {
        let data = around.level.chunks.get(chunk)?.data.as_deref()?;
        let client = data.client.as_ref()?;
        let center = around
            .level
            .chunk_center(around.level.chunks.get(chunk)?.index);
        let mut builder = Builder::new(around, data, client, chunk);
        for (cube, geometry) in drawn_geometry(data) {
            builder.add(cube, geometry, center.into());
        }
        let mesh = builder.finish();
        (!mesh.faces.is_empty() || mesh.left_out > 0).then_some(mesh)
    }

    /// Returns the face that an index of `indices` belongs to.
    pub fn face_of_index(&self, index: u32) -> Option<&MeshFace> {
        let end = self.faces.partition_point(|face| face.first_index <= index);
        let face = self.faces.get(end.checked_sub(1)?)?;
        face.indices().contains(&(index as usize)).then_some(face)
    }

    /// Returns the range of a face in `vertices`.
    pub fn vertex_range(&self, face: &MeshFace) -> Range<usize> {
        let indices = self.indices.get(face.indices()).unwrap_or_default();
        let last = indices
            .iter()
            .max()
            .map_or(face.first_vertex, |last| last + 1);
        face.first_vertex as usize..last as usize
    }

    /// Returns the sum of the fast lights on each of `vertices`, as red, green, blue and 255 (fact
    /// sheet B17). `intensities` contains the intensity of each light of the chunk.
    pub fn fast_light(&self, client: &ChunkClient, intensities: &[u8]) -> Vec<[u8; 4]> {
        let mut light = vec![[0, 0, 0, u8::MAX]; self.vertices.len()];
        for (look, intensity) in client.fast_lights.iter().zip(intensities) {
            if *intensity == 0 {
                continue;
            }
            let ranges: Vec<_> = look.ranges().collect();
            for face in &self.faces {
                let vertices = self.vertex_range(face);
                let count = vertices.len() as u32;
                let file = face.file_vertex..face.file_vertex.saturating_add(count);
                let first = ranges.partition_point(|(range, _)| range.end <= file.start);
                for (range, multipliers) in ranges.iter().skip(first) {
                    if range.start >= file.end {
                        break;
                    }
                    let lit = range.start.max(file.start)..range.end.min(file.end);
                    for vertex in lit {
                        let multiplier = multipliers.get((vertex - range.start) as usize);
                        let at = vertices.start + (vertex - file.start) as usize;
                        if let (Some(multiplier), Some(sum)) = (multiplier, light.get_mut(at)) {
                            brighten(sum, look.color, *multiplier, *intensity);
                        }
                    }
                }
            }
        }
        light
    }

    /// Returns the indices of all faces, or those of joined faces.
    pub fn drawn_indices(&self, is_merged: bool) -> &[u32] {
        if is_merged {
            &self.merged.indices
        } else {
            &self.indices
        }
    }

    /// Returns the bounds of a part in [`Self::drawn_indices`]: the start of each of its sides,
    /// then the start and the end of all others.
    pub fn drawn_bounds(&self, part: usize, is_merged: bool) -> Option<[u32; 8]> {
        if is_merged {
            return self.merged.bounds.get(part).copied();
        }
        let (_, Range { start, end }) = self.parts.get(part)?;
        let [x, y, z, minus_x, minus_y, minus_z] = *self.flat_ends.get(part)?;
        Some([*start, x, y, z, minus_x, minus_y, minus_z, *end])
    }

    /// Builds [`Self::merged`] by joining faces, except those with a vertex that fast lights reach
    /// according to `is_lit`.
    fn merge(&mut self, is_lit: &[bool]) {
        let is_excluded = |vertex: u32| is_lit.get(vertex as usize) == Some(&true);
        let mut merger = FaceMerger::default();
        let mut merged = Merged::default();
        for part in 0..self.parts.len() {
            let Some(exact) = self.drawn_bounds(part, false) else {
                continue;
            };
            let mut bounds = [merged.indices.len() as u32; 8];
            let groups = exact.windows(2).enumerate();
            for ((side, exact), end) in groups.zip(&mut bounds[1..]) {
                let exact = exact[0] as usize..exact[1] as usize;
                let exact = self.indices.get(exact).unwrap_or_default();
                if side < 6 {
                    merger.merge(
                        &self.vertices,
                        (side, exact),
                        is_excluded,
                        &mut merged.indices,
                    );
                } else {
                    merged.indices.extend_from_slice(exact);
                }
                *end = merged.indices.len() as u32;
            }
            merged.bounds.push(bounds);
        }
        self.edge_len = merger.edge_len();
        if merged.indices.len() <= self.indices.len() / 4 * 3 {
            self.merged = merged;
        }
    }

    /// Heap size in bytes.
    pub(super) fn cpu_bytes(&self) -> usize {
        size_of_val(self.vertices.as_slice())
            + size_of_val(self.indices.as_slice())
            + size_of_val(self.parts.as_slice())
            + size_of_val(self.flat_ends.as_slice())
            + size_of_val(self.merged.indices.as_slice())
            + size_of_val(self.merged.bounds.as_slice())
            + size_of_val(self.faces.as_slice())
    }
}

/// Returns a flag for each vertex of the file: `true` if fast lights reach it. Empty if there are
/// no such lights.
fn lit_vertices(client: &ChunkClient) -> Vec<bool> {
    if client.fast_lights.is_empty() {
        return Vec::new();
    }
    let mut lit = vec![false; client.vertices.len()];
    for (range, _) in client.fast_lights.iter().flat_map(ClientFastLight::ranges) {
        let range = range.start as usize..lit.len().min(range.end as usize);
        lit.get_mut(range).unwrap_or_default().fill(true);
    }
    lit
}

fn brighten(sum: &mut [u8; 4], color: [u8; 3], multiplier: u8, intensity: u8) {
    let share = u32::from(multiplier) * u32::from(intensity);
    for (sum, color) in sum.iter_mut().zip(color) {
        let more = (share * u32::from(color) + 255 * 127) / (255 * 255);
        *sum = sum.saturating_add(more as u8);
    }
}

/// Number of extra vertices that the faces of a chunk may use when they share vertices. Each chunk
/// gets an equal part of the budget, so that the result does not depend on their order.
fn more_vertices(level: &pmf::Level) -> usize {
    EXTRA_VERTICES / level.chunks.len().max(1)
}

/// Returns the drawn boxes of a chunk.
pub(super) fn drawn_geometry(data: &ChunkData) -> impl Iterator<Item = (u32, &Geometry)> {
    data.cubes.iter().filter_map(|(cube, kind)| match kind {
        Cube::Geometry(geometry) if data.cubes.is_drawn(cube) => Some((cube, geometry)),
        _ => None,
    })
}

/// A mesh under construction.
struct Builder<'a> {
    around: &'a MeshInputs<'a>,
    client: &'a ChunkClient,
    slots: &'a [Slot],
    /// Level material index of each material of the chunk.
    materials: Vec<u16>,
    mesh: ChunkMesh,
    parts: HashMap<Part, u32>,
    /// The most recent part, which is usually used again.
    last: Option<(Part, u32)>,
    /// Number of triangles and faces of each part: those that lie flat on each side, then all
    /// others.
    counts: Vec<[[u32; 2]; 7]>,
    /// Packed normal of each side.
    axes: [[i16; 2]; 6],
    /// For each face: its part, its group of triangles there, and the order of its corners.
    drawn: Vec<(u32, usize, CornerOrder)>,
    /// Flags for vertices that fast lights reach, of the file and of the mesh; empty without such
    /// lights.
    file_is_lit: Vec<bool>,
    is_lit: Vec<bool>,
    most_vertices: usize,
    min: Vec3,
    max: Vec3,
}

/// Order in which the corners of a face form triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CornerOrder {
    /// Four corners, in this order, of two triangles: (0, 1, 2) and (0, 2, 3).
    Quad([u8; 4]),
    /// Three corners for each triangle, with the second and the third swapped.
    Triangles,
}

impl<'a> Builder<'a> {
    fn new(
        around: &'a MeshInputs<'a>,
        data: &ChunkData,
        client: &'a ChunkClient,
        chunk: usize,
    ) -> Self {
        let unknown = around.materials.unknown();
        let names = data.materials.iter();
        let materials = names.map(|name| {
            let material = around.names.get(data.strings.name(*name)?);
            material.map(|material| *material as u16)
        });
        let vertices = client.vertices.len();
        Self {
            around,
            client,
            slots: around.atlas.slots(chunk),
            materials: materials.map(|found| found.unwrap_or(unknown)).collect(),
            mesh: ChunkMesh {
                chunk,
                vertices: Vec::with_capacity(vertices),
                ..ChunkMesh::default()
            },
            parts: HashMap::new(),
            last: None,
            counts: Vec::new(),
            axes: std::array::from_fn(|side| pack_normal(axis(side))),
            drawn: Vec::with_capacity(vertices / 4),
            file_is_lit: lit_vertices(client),
            is_lit: Vec::new(),
            most_vertices: vertices.saturating_mul(MAX_USES) + more_vertices(around.level),
            min: Vec3::INFINITY,
            max: Vec3::NEG_INFINITY,
        }
    }

    /// Adds the faces of a box.
    fn add(&mut self, cube: u32, geometry: &Geometry, center: Vec3) {
        for face in geometry.faces() {
            let range = face.vertices.start as usize..face.vertices.end as usize;
            let Some(corners) = self.client.vertices.get(range.clone()) else {
                continue;
            };
            if self.mesh.vertices.len() + corners.len() > self.most_vertices {
                self.mesh.left_out += 1;
                continue;
            }
            if let Some(is_lit) = self.file_is_lit.get(range) {
                self.is_lit.extend_from_slice(is_lit);
            }
            let lightmap = geometry.lightmaps.get(face.side).copied();
            let slot = lightmap.and_then(|lightmap| self.slots.get(usize::from(lightmap)));
            let material = geometry
                .materials
                .get(face.side)
                .and_then(|&index| self.materials.get(usize::from(index)));
            let material = *material.unwrap_or(&self.around.materials.unknown());
            // A surface without a lightmap is white on any page.
            let page = slot.or(self.slots.first()).map_or(0, |slot| slot.page);
            let blend = self.around.materials.list.get(usize::from(material));
            let part = self.part(Part {
                blend: blend.map_or(Blend::Opaque, |material| material.blend),
                material,
                page,
                two_sided: geometry.draws_backfaces(),
            });
            let pages = &self.around.atlas.pages;
            let page = pages.get(usize::from(page)).copied().unwrap_or([1; 2]);
            self.mesh.faces.push(MeshFace {
                cube,
                side: face.side as u8,
                triangles: face.triangles,
                first_vertex: self.mesh.vertices.len() as u32,
                file_vertex: face.vertices.start,
                first_index: 0,
            });
            let (is_flat, listed) = match (face.first_normal, corners) {
                (None, [a, b, c, d]) => {
                    let is_axis_aligned = is_axis_aligned(corners, face.side);
                    let (normal, order) = quad([a, b, c, d].map(position), face.side);
                    let normal = match normal {
                        Some(normal) if !is_axis_aligned => pack_normal(normal),
                        _ => self.axes.get(face.side).copied().unwrap_or_default(),
                    };
                    for corner in corners {
                        self.push(corner, normal, center, page, slot);
                    }
                    // Quads face the direction of their side.
                    (is_axis_aligned, CornerOrder::Quad(order))
                }
                (first_normal, _) => {
                    let first = first_normal.unwrap_or(u32::MAX) as usize;
                    let normals = self.client.normals.get(first..).unwrap_or_default();
                    self.push_triangles(corners, normals, center, page, slot);
                    let is_flat =
                        is_axis_aligned(corners, face.side) && faces_outward(corners, face.side);
                    (is_flat, CornerOrder::Triangles)
                }
            };
            let group = if is_flat { face.side } else { 6 };
            self.drawn.push((part, group, listed));
            let counts = self.counts.get_mut(part as usize);
            if let Some([triangles, faces]) = counts.and_then(|groups| groups.get_mut(group)) {
                *triangles += u32::from(face.triangles);
                *faces += 1;
            }
        }
    }

    /// Returns the number of a part.
    fn part(&mut self, part: Part) -> u32 {
        if let Some((last, number)) = &self.last
            && *last == part
        {
            return *number;
        }
        let next = self.parts.len() as u32;
        let number = *self.parts.entry(part.clone()).or_insert(next);
        if number == next {
            self.counts.push([[0; 2]; 7]);
        }
        self.last = Some((part, number));
        number
    }

    fn push_triangles(
        &mut self,
        corners: &[Vertex],
        normals: &[[f32; 3]],
        center: Vec3,
        page: [u32; 2],
        slot: Option<&Slot>,
    ) {
        for (i, triangle) in corners.chunks_exact(3).enumerate() {
            let [a, b, c] = [0, 1, 2].map(|corner| position(&triangle[corner]));
            for (k, corner) in triangle.iter().enumerate() {
                let normal = normals
                    .get(3 * i + k)
                    .map(|normal| Vec3::from(*normal))
                    .and_then(Vec3::try_normalize)
                    .unwrap_or_else(|| outward(a, b, c).unwrap_or(Vec3::Y));
                self.push(corner, pack_normal(normal), center, page, slot);
            }
        }
    }

    #[inline]
    fn push(
        &mut self,
        vertex: &Vertex,
        normal: [i16; 2],
        center: Vec3,
        page: [u32; 2],
        slot: Option<&Slot>,
    ) {
        let position = position(vertex) + center;
        self.min = self.min.min(position);
        self.max = self.max.max(position);
        self.mesh.vertices.push(LevelVertex {
            position: position.to_array(),
            normal,
            uv: vertex.uv,
            lightmap_uv: Atlas::uv(page, slot, vertex.lightmap_uv),
        });
    }

    /// Groups the triangles by part.
    fn finish(self) -> ChunkMesh {
        let mut mesh = self.mesh;
        mesh.vertices.shrink_to_fit();
        let mut parts: Vec<(Part, u32)> = self.parts.into_iter().collect();
        parts.sort_unstable();
        // Next index and next face of each group of each part.
        let mut next = vec![[[0_u32; 2]; 7]; parts.len()];
        let [mut end, mut end_face] = [0; 2];
        for (part, number) in parts {
            let number = number as usize;
            let (Some(counts), Some(next)) = (self.counts.get(number), next.get_mut(number)) else {
                continue;
            };
            let first = end;
            for (next, [triangles, faces]) in next.iter_mut().zip(counts) {
                *next = [end, end_face];
                end += triangles * 3;
                end_face += faces;
            }
            let [_, flat_ends @ ..] = next.map(|[index, _]| index);
            mesh.flat_ends.push(flat_ends);
            mesh.parts.push((part, first..end));
        }
        mesh.indices = vec![0; end as usize];
        let listed = std::mem::take(&mut mesh.faces);
        mesh.faces = vec![MeshFace::default(); listed.len()];
        for (mut face, (part, group, listed)) in listed.into_iter().zip(&self.drawn) {
            let next = next.get_mut(*part as usize);
            let Some([next, place]) = next.and_then(|groups| groups.get_mut(*group)) else {
                continue;
            };
            face.first_index = *next;
            *next += 3 * u32::from(face.triangles);
            if let Some(place) = mesh.faces.get_mut(*place as usize) {
                *place = face;
            }
            *place += 1;
            let Some(indices) = mesh.indices.get_mut(face.indices()) else {
                continue;
            };
            let first = face.first_vertex;
            match listed {
                CornerOrder::Quad(order) => {
                    let [a, b, c, d] = order.map(|corner| first + u32::from(corner));
                    indices.copy_from_slice(&[a, b, c, a, c, d]);
                }
                CornerOrder::Triangles => {
                    for (triangle, a) in indices.chunks_exact_mut(3).zip((first..).step_by(3)) {
                        triangle.copy_from_slice(&[a, a + 2, a + 1]);
                    }
                }
            }
        }
        mesh.bounds = Aabb {
            min: self.min,
            max: self.max,
        };
        mesh.merge(&self.is_lit);
        mesh
    }
}

fn position(vertex: &Vertex) -> Vec3 {
    vertex.position.into()
}

/// `true` if vertices have the same position along the axis of a side.
fn is_axis_aligned(corners: &[Vertex], side: usize) -> bool {
    let along = |vertex: &Vertex| vertex.position.get(side % 3).copied();
    let mut places = corners.iter().map(along);
    let first = places.next();
    places.all(|place| Some(place) == first)
}

/// `true` if all triangles face the direction of a side.
fn faces_outward(corners: &[Vertex], side: usize) -> bool {
    corners.as_chunks::<3>().0.iter().all(|triangle| {
        let [a, b, c] = triangle.each_ref().map(position);
        let toward = (c - a).cross(b - a)[side % 3];
        if side < 3 { toward > 0.0 } else { toward < 0.0 }
    })
}

/// Returns the direction in which a triangle of the file faces (fact sheet B3), or `None` if it is
/// degenerate.
fn outward(a: Vec3, b: Vec3, c: Vec3) -> Option<Vec3> {
    (c - a).cross(b - a).try_normalize()
}

/// Returns the direction of a side.
fn axis(side: usize) -> Vec3 {
    let mut axis = Vec3::ZERO;
    axis[side % 3] = if side < 3 { 1.0 } else { -1.0 };
    axis
}

/// Returns the direction of a quad on a side of its cube, and the order of its corners. A
/// degenerate quad has no direction. The order is the winding used everywhere in the program:
/// counter-clockwise, seen from its front in a right-handed world.
#[inline]
fn quad(corners: [Vec3; 4], side: usize) -> (Option<Vec3>, [u8; 4]) {
    let [a, b, c, d] = corners;
    // The corners are in rows instead of around the quad (fact sheet B2).
    let size = (c - a).abs().max((d - b).abs()).max_element();
    let is_near = |x: Vec3, y: Vec3| (x - y).abs().max_element() <= size * 1e-4;
    let is_strip = is_near(a + d, b + c) && !is_near(a + c, b + d);
    let (c, d, order) = if is_strip {
        (d, c, [0, 2, 3, 1])
    } else {
        (c, d, [0, 3, 2, 1])
    };
    let normal = outward(a, b, c).or(outward(a, c, d));
    match normal {
        Some(normal) if normal.dot(axis(side)) < 0.0 => {
            let [a, b, c, d] = order;
            (Some(-normal), [a, d, c, b])
        }
        normal => (normal, order),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;
    use crate::normal::unpack_normal;
    use mapscope_formats::pmf::CubeKind;

    fn place(vertex: &LevelVertex) -> Vec3 {
        vertex.position.into()
    }

    /// The direction in which a triangle faces, with the winding of the program.
    fn faces(a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
        (b - a).cross(c - a).normalize()
    }

    #[test]
    fn a_vertex_has_28_bytes() {
        assert_eq!(size_of::<LevelVertex>(), 28);
    }

    #[test]
    fn all_faces_are_listed_once_and_look_outward() {
        let map = sample::made_up();
        let [level] = map.levels() else {
            panic!("one level")
        };
        let (mut blends, mut flat) = (0, 0);
        for mesh in &level.chunks {
            let source = &map.pmf().levels[0].chunks[mesh.chunk];
            let data = source.data.as_ref().unwrap();
            let mut drawn: Vec<_> = drawn_geometry(data)
                .flat_map(|(cube, geometry)| {
                    geometry.faces().map(move |face| (cube, face.side as u8))
                })
                .collect();
            let mut listed: Vec<_> = mesh.faces.iter().map(|f| (f.cube, f.side)).collect();
            drawn.sort_unstable();
            listed.sort_unstable();
            assert_eq!(listed, drawn);
            assert_eq!(mesh.left_out, 0);
            // Parts are contiguous, the opaque ones first.
            let ends = mesh.parts.iter().map(|(_, indices)| indices.end);
            let firsts = mesh.parts.iter().map(|(_, indices)| indices.start);
            assert!(firsts.eq([0].into_iter().chain(ends).take(mesh.parts.len())));
            assert!(mesh.parts.is_sorted_by_key(|(part, _)| part.clone()));
            flat += flat_triangles(mesh);
            blends += usize::from(mesh.parts.last().unwrap().0.blend != Blend::Opaque);
            let triangles = mesh.indices.chunks_exact(3).zip((0..).step_by(3));
            for (triangle, index) in triangles {
                let face = mesh.face_of_index(index).unwrap();
                let Some(Cube::Geometry(geometry)) = data.cubes.get(face.cube) else {
                    panic!("{:?}", data.cubes.kind(face.cube));
                };
                let corners = [0, 1, 2].map(|corner| &mesh.vertices[triangle[corner] as usize]);
                let [a, b, c] = corners.map(place);
                let normal = unpack_normal(corners[0].normal);
                let toward = faces(a, b, c);
                if !geometry.is_client_extended() {
                    let axis = usize::from(face.side % 3);
                    let sign = if face.side < 3 { 1.0 } else { -1.0 };
                    assert!(normal[axis] * sign > 0.99, "{normal} {}", face.side);
                }
                assert!(toward.dot(normal) > 0.0, "{toward} {normal}");
                let vertices = mesh.vertex_range(face);
                assert!(
                    triangle
                        .iter()
                        .all(|vertex| vertices.contains(&(*vertex as usize)))
                );
                for corner in corners {
                    assert!(mesh.bounds.distance(place(corner)) == 0.0);
                }
            }
            assert_eq!(
                data.cubes.kind(mesh.faces[0].cube),
                Some(CubeKind::Geometry)
            );
        }
        assert!(blends > 0, "the sample has water");
        let all: usize = level.chunks.iter().map(|mesh| mesh.indices.len() / 3).sum();
        // Nearly all, except those at moved corners.
        assert!(flat > all / 2 && flat < all, "{flat} of {all}");
    }

    /// Checks and counts the triangles that lie flat on a side.
    fn flat_triangles(mesh: &ChunkMesh) -> usize {
        let mut count = 0;
        assert_eq!(mesh.flat_ends.len(), mesh.parts.len());
        for ((_, indices), ends) in mesh.parts.iter().zip(&mesh.flat_ends) {
            let mut first = indices.start;
            for (side, end) in ends.iter().enumerate() {
                let triangles = mesh.indices[first as usize..*end as usize].chunks_exact(3);
                for triangle in triangles {
                    let [a, b, c] = [0, 1, 2].map(|i| place(&mesh.vertices[triangle[i] as usize]));
                    let mut axis = Vec3::ZERO;
                    axis[side % 3] = if side < 3 { 1.0 } else { -1.0 };
                    assert!(faces(a, b, c).dot(axis) > 0.999_999);
                    count += 1;
                }
                first = *end;
            }
            assert!(first <= indices.end);
        }
        count
    }

    #[test]
    fn quads_of_any_order_look_outward() {
        // The side +Y of a box, seen from above with Z forward: X is right.
        let [left, right, near, far] = [0.0, 2.0, 0.0, 2.0];
        let corner = |x: f32, z: f32| Vec3::new(x, 1.0, z);
        let around = [
            corner(left, far),
            corner(left, near),
            corner(right, near),
            corner(right, far),
        ];
        let [a, b, c, d] = around;
        for corners in [around, [a, b, d, c], [a, d, c, b], [a, d, b, c]] {
            let (normal, order) = quad(corners, 1);
            assert_eq!(normal, Some(Vec3::Y));
            let [a, b, c, d] = order.map(|corner| corners[usize::from(corner)]);
            assert_eq!(faces(a, b, c), Vec3::Y);
            assert_eq!(faces(a, c, d), Vec3::Y);
        }
        assert_eq!(quad([Vec3::ONE; 4], 5).0, None);
    }

    #[test]
    fn fast_lights_reach_the_vertices_that_the_file_says() {
        let map = sample::made_up();
        let level = &map.levels()[0];
        let mut lit = 0;
        for mesh in &level.chunks {
            let data = map.pmf().levels[0].chunks[mesh.chunk]
                .data
                .as_ref()
                .unwrap();
            let client = data.client.as_ref().unwrap();
            let mut of_file = vec![[0.0_f32; 3]; client.vertices.len()];
            let intensities: Vec<u8> = (0..client.fast_lights.len())
                .map(|light| 255 - 60 * light as u8)
                .collect();
            for (light, intensity) in client.fast_lights.iter().zip(&intensities) {
                for (range, multipliers) in light.ranges() {
                    for (vertex, multiplier) in range.zip(multipliers) {
                        let share = f32::from(*multiplier) / 255.0 * f32::from(*intensity) / 255.0;
                        let sum = &mut of_file[vertex as usize];
                        for (sum, color) in sum.iter_mut().zip(light.color) {
                            *sum += share * f32::from(color);
                        }
                    }
                }
            }
            let light = mesh.fast_light(client, &intensities);
            for face in &mesh.faces {
                for (vertex, file) in mesh.vertex_range(face).zip(face.file_vertex as usize..) {
                    for (expected, found) in of_file[file].iter().zip(light[vertex]) {
                        let (expected, found) = (expected.min(255.0), f32::from(found));
                        assert!((found - expected).abs() <= 1.01, "{found} {expected}");
                        lit += usize::from(found > 0.0);
                    }
                }
            }
            assert!(
                mesh.fast_light(client, &[0, 0, 0, 0])
                    .iter()
                    .all(|l| l[..3] == [0; 3])
            );
        }
        assert!(lit > 0);
    }

    /// A map whose first chunk has 48 faces that share 24 vertices.
    fn sharing() -> pmf::Pmf {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let data = pmf.levels[0].chunks[0].data.as_mut().unwrap();
        let mut shared = Geometry::new(0, 0, 0);
        shared.triangles = [2; 6];
        let mut cubes = pmf::Cubes::default();
        cubes.push_parent(0xFF, &[1, 2, 3, 4, 5, 6, 7, 8]);
        for _ in 0..8 {
            cubes.push_geometry(shared, &[]);
        }
        cubes.link().unwrap();
        data.cubes = cubes;
        let client = data.client.as_mut().unwrap();
        client.vertices.resize(24, Vertex::default());
        pmf
    }

    #[test]
    fn faces_may_share_their_vertices() {
        let map = sample::map(sharing());
        let mesh = &map.levels()[0].chunks[0];
        assert_eq!((mesh.faces.len(), mesh.left_out), (48, 0));
        assert_eq!(map.about.problems, []);
    }

    #[test]
    fn faces_that_share_a_few_vertices_without_end_are_left_out() {
        let mut pmf = sharing();
        let level = &mut pmf.levels[0];
        // With this many chunks, each may use only 16 vertices beyond twice its own.
        let index = level.chunks[0].index;
        let frames = level.chunks[0].frames;
        level
            .chunks
            .resize_with(EXTRA_VERTICES / 16, || pmf::Chunk {
                index,
                frames,
                data: None,
            });
        let map = sample::map(pmf);
        let mesh = &map.levels()[0].chunks[0];
        assert_eq!((mesh.faces.len(), mesh.left_out), (16, 32));
        let [problem] = &map.about.problems[..] else {
            panic!("{:?}", map.about.problems);
        };
        assert!(problem.facts().contains(" 32"), "{problem}");
    }
}
