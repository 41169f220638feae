//! Alpha-blended faces of a chunk, sorted from back to front.

use std::ops::Range;

use glam::Vec3;

use super::view::Eye;
use mapscope_scene::Aabb;
use mapscope_scene::level::materials::Blend;
use mapscope_scene::level::merge::surfaces;
use mapscope_scene::level::mesh::ChunkMesh;

/// Distance of eye movement before faces are sorted again: in metres for near chunks, relative to
/// the distance for far ones.
const NEAR_MOVE: f32 = 0.05;
const FAR_MOVE: f32 = 0.02;

/// The alpha-blended faces of a chunk.
#[derive(Debug, Default)]
pub(super) struct TransparentFaces {
    /// Listed when they are first visible.
    surfaces: Vec<Surface>,
    /// `true` if the chunk has none.
    is_empty: bool,
    /// Start of its indices in the buffer of its block.
    first: u32,
    sorted_for: Option<SortedFor>,
    /// Runs of indices in the buffer of its block in drawing order, each with its part of the
    /// chunk.
    pub(super) runs: Vec<(u16, Range<u32>)>,
}

/// The parameters of a sort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SortedFor {
    pub(super) eye: Eye,
    /// Sides that are seen from behind and not drawn, one bit each.
    pub(super) away: u8,
    /// `true` if faces are merged.
    pub(super) is_merged: bool,
}

/// A triangle, or two in one plane.
#[derive(Debug)]
struct Surface {
    middle: Vec3,
    /// Among the indices of the mesh.
    indices: Range<u32>,
    part: u16,
    /// Number of the side that it is flat on, if its back is never drawn; otherwise 6.
    group: u8,
}

/// Reused memory for sorting.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    order: Vec<(f32, u32)>,
    pub(super) indices: Vec<u32>,
}

impl TransparentFaces {
    /// The transparent faces of a chunk. Their sorted indices start at `first` in their buffer.
    pub(super) fn of(mesh: &ChunkMesh, first: u32) -> Self {
        let mut parts = mesh.parts.iter();
        Self {
            is_empty: !parts.any(|(part, _)| part.blend == Blend::Alpha),
            first,
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Sorts the visible surfaces if necessary. Returns the start of the indices in `scratch`, if
    /// they have changed.
    pub(super) fn sort(
        &mut self,
        mesh: &ChunkMesh,
        wanted: SortedFor,
        scratch: &mut Scratch,
    ) -> Option<u32> {
        let SortedFor {
            eye,
            away,
            is_merged,
        } = wanted;
        let was_merged = self.sorted_for.map(|sorted| sorted.is_merged);
        if let Some(sorted) = self.sorted_for
            && sorted.away == away
            && sorted.is_merged == is_merged
            && eye.is_near(sorted.eye, &mesh.bounds)
        {
            return None;
        }
        self.sorted_for = Some(wanted);
        if was_merged != Some(is_merged) {
            self.list(mesh, is_merged);
        }
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
        let all = mesh.drawn_indices(is_merged);
        for (_, i) in &scratch.order {
            let Some(surface) = self.surfaces.get(*i as usize) else {
                continue;
            };
            let Range { start, end } = surface.indices;
            let indices = all.get(start as usize..end as usize);
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

    /// Lists the surfaces of a chunk.
    fn list(&mut self, mesh: &ChunkMesh, is_merged: bool) {
        self.surfaces.clear();
        let all = mesh.drawn_indices(is_merged);
        for (number, (part, _)) in mesh.parts.iter().enumerate() {
            if part.blend != Blend::Alpha {
                continue;
            }
            let bounds = mesh.drawn_bounds(number, is_merged).unwrap_or_default();
            for (group, bounds) in bounds.windows(2).enumerate() {
                for indices in surfaces(bounds[0]..bounds[1], all) {
                    let corners = all
                        .get(indices.start as usize..indices.end as usize)
                        .unwrap_or_default()
                        .iter();
                    let places =
                        corners.filter_map(|at| Some(mesh.vertices.get(*at as usize)?.position));
                    let places = places.map(Vec3::from);
                    self.surfaces.push(Surface {
                        middle: Aabb::around(places).unwrap_or_default().center(),
                        indices,
                        part: number as u16,
                        group: if part.two_sided { 6 } else { group as u8 },
                    });
                }
            }
        }
    }
}

impl Eye {
    /// `true` if the order for another eye is also valid for this one, inside a box.
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
