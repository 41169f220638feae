//! What is mixed with what is behind it: the surfaces of a chunk, sorted from back to front.

use std::ops::Range;

use glam::Vec3;

use super::Eye;
use crate::scene::Aabb;
use crate::scene::level::materials::Blend;
use crate::scene::level::mesh::ChunkMesh;

/// How far the eye moves before what is near is sorted again, in metres, and as a part of the
/// distance before what is far is.
const NEAR_MOVE: f32 = 0.05;
const FAR_MOVE: f32 = 0.02;

/// What of a chunk is seen through.
#[derive(Debug, Default)]
pub(super) struct SeeThrough {
    surfaces: Vec<Surface>,
    /// Where its indices are in the buffer of its block.
    first: u32,
    /// What it is sorted for: the eye, and which sides are seen from behind.
    sorted_for: Option<(Eye, u8)>,
    /// Indices in the buffer of its block that are drawn one after the other, and of which part of
    /// the chunk they are.
    pub(super) runs: Vec<(u16, Range<u32>)>,
}

/// A triangle, or two that are in one plane.
#[derive(Debug)]
struct Surface {
    middle: Vec3,
    /// Among the indices of the mesh.
    first_index: u32,
    indices: u32,
    part: u16,
    /// The side that it lies flat on, if it is never seen from behind; 6 if not.
    group: u8,
}

/// Room for sorting that is used again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    order: Vec<(f32, u32)>,
    pub(super) indices: Vec<u32>,
}

impl SeeThrough {
    /// Lists the surfaces of a chunk, whose sorted indices begin at `first` in their buffer.
    pub(super) fn of(mesh: &ChunkMesh, first: u32) -> Self {
        let mut surfaces = Vec::new();
        for (number, (part, range)) in mesh.parts.iter().enumerate() {
            if part.blend != Blend::Alpha {
                continue;
            }
            let from = mesh.faces.partition_point(|f| f.first_index < range.start);
            let faces = mesh.faces.get(from..).unwrap_or_default();
            let faces = faces.iter().take_while(|f| f.first_index < range.end);
            let ends = mesh.flat_ends.get(number).copied().unwrap_or_default();
            for face in faces {
                let group = ends.partition_point(|end| *end <= face.first_index);
                let indices = face.indices();
                let step = if group < 6 { indices.len() } else { 3 };
                let group = if part.two_sided { 6 } else { group };
                for first_index in indices.step_by(step.max(3)) {
                    let corners = mesh.indices.get(first_index..first_index + step);
                    let corners = corners.unwrap_or_default().iter();
                    let places =
                        corners.filter_map(|at| Some(mesh.vertices.get(*at as usize)?.position));
                    let places = places.map(Vec3::from);
                    surfaces.push(Surface {
                        middle: Aabb::around(places).unwrap_or_default().center(),
                        first_index: first_index as u32,
                        indices: step as u32,
                        part: number as u16,
                        group: group as u8,
                    });
                }
            }
        }
        Self {
            surfaces,
            first,
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.surfaces.is_empty()
    }

    /// Sorts the surfaces if the eye has moved, all but those on sides that are seen from behind
    /// (`away`, bit by side); says where the indices in `scratch` go, if anything has changed.
    pub(super) fn sort(
        &mut self,
        mesh: &ChunkMesh,
        eye: Eye,
        away: u8,
        scratch: &mut Scratch,
    ) -> Option<u32> {
        if let Some((sorted_for, sides)) = self.sorted_for
            && sides == away
            && eye.is_near(sorted_for, &mesh.bounds)
        {
            return None;
        }
        self.sorted_for = Some((eye, away));
        scratch.order.clear();
        scratch.indices.clear();
        self.runs.clear();
        let surfaces = self.surfaces.iter().zip(0..);
        let seen = surfaces.filter(|(surface, _)| away & (1 << surface.group) == 0);
        let order = seen.map(|(surface, i)| (eye.depth(surface.middle), i));
        scratch.order.extend(order);
        scratch
            .order
            .sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, i) in &scratch.order {
            let Some(surface) = self.surfaces.get(*i as usize) else {
                continue;
            };
            let first = surface.first_index as usize;
            let indices = mesh.indices.get(first..first + surface.indices as usize);
            let begin = self.first + scratch.indices.len() as u32;
            scratch
                .indices
                .extend_from_slice(indices.unwrap_or_default());
            let end = self.first + scratch.indices.len() as u32;
            match self.runs.last_mut() {
                Some((part, run)) if *part == surface.part => run.end = end,
                _ => self.runs.push((surface.part, begin..end)),
            }
        }
        Some(self.first)
    }
}

impl Eye {
    /// Whether what is sorted for another eye needs not be sorted for this one, in a box.
    fn is_near(self, other: Self, bounds: &Aabb) -> bool {
        match (self, other) {
            (Self::At(eye), Self::At(other)) => {
                let far = bounds.distance(eye) * FAR_MOVE;
                eye.distance(other) <= far.max(NEAR_MOVE)
            }
            (eye, other) => eye == other,
        }
    }
}
