//! What a ray meets: the faces of a level, through a tree of boxes for each chunk. A tree is made
//! when a ray first comes through its chunk.

use std::sync::OnceLock;

use glam::{Vec3, Vec3A};

use super::mesh::{ChunkMesh, MeshFace};
use super::{Level, Map};
use crate::scene::tree::{Corners, Tree, around, meet};
use crate::scene::{Aabb, Hit, Ray};

/// The trees of the chunks of a level, in the order of [`Level::chunks`].
#[derive(Debug, Default)]
pub(super) struct Trees(Vec<OnceLock<ChunkTree>>);

/// A tree of the faces of a chunk.
#[derive(Debug)]
struct ChunkTree {
    tree: Tree,
    boxes: Vec<Corners>,
}

/// The face that a ray meets first.
struct Met<'a> {
    mesh: &'a ChunkMesh,
    face: &'a MeshFace,
    distance: f32,
}

impl Trees {
    pub(super) fn new(chunks: usize) -> Self {
        Self((0..chunks).map(|_| OnceLock::new()).collect())
    }

    /// Bytes of memory that those hold that were made.
    pub(super) fn cpu_bytes(&self) -> usize {
        let made = self.0.iter().filter_map(OnceLock::get);
        made.map(|tree| tree.tree.cpu_bytes() + size_of_val(tree.boxes.as_slice()))
            .sum()
    }
}

impl ChunkTree {
    fn of(mesh: &ChunkMesh) -> Self {
        let box_of = |face: &MeshFace| {
            let vertices = mesh.vertices.get(mesh.vertex_range(face));
            let vertices = vertices.unwrap_or_default().iter();
            around(vertices.map(|vertex| Vec3A::from(vertex.position)))
        };
        let boxes: Vec<Corners> = mesh.faces.iter().map(box_of).collect();
        let middles: Vec<Vec3A> = boxes.iter().map(|[min, max]| (min + max) * 0.5).collect();
        let tree = Tree::build(&middles);
        let mut of_nodes = Vec::new();
        let none = || around([]);
        tree.fit(
            |face| boxes.get(face as usize).copied().unwrap_or_else(none),
            &mut of_nodes,
        );
        Self {
            tree,
            boxes: of_nodes,
        }
    }
}

impl Map {
    /// The first face of a level that a ray meets, from its front or, where the cube says so or
    /// `both_sides` does, from its back.
    pub fn first_hit(&self, ray: Ray, level: usize, both_sides: bool) -> Option<Hit> {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return None;
        }
        let met = self.levels.get(level)?.first_face(ray, both_sides)?;
        Some(Hit {
            item: self.face_item(level, met.mesh.chunk, met.face.cube, met.face.side)?,
            position: ray.origin + ray.direction * met.distance,
            distance: met.distance,
        })
    }
}

impl Level {
    fn first_face(&self, ray: Ray, both_sides: bool) -> Option<Met<'_>> {
        let chunks = self.chunks.iter().zip(&self.trees.0);
        let entered = chunks.filter_map(|(mesh, tree)| {
            let at = enter(&mesh.bounds, ray)?;
            Some((at, mesh, tree))
        });
        let mut entered: Vec<_> = entered.collect();
        entered.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut first: Option<Met<'_>> = None;
        for (at, mesh, tree) in entered {
            if first.as_ref().is_some_and(|first| first.distance < at) {
                break;
            }
            let tree = tree.get_or_init(|| ChunkTree::of(mesh));
            let (origin, direction) = (Vec3A::from(ray.origin), Vec3A::from(ray.direction));
            let met = tree
                .tree
                .first(&tree.boxes, origin, direction, |face, nearest| {
                    let face = mesh.faces.get(face as usize)?;
                    let distance = mesh.meet(face, ray, both_sides)?;
                    (distance < nearest).then_some(distance)
                });
            if let Some((face, distance)) = met
                && first.as_ref().is_none_or(|first| distance < first.distance)
                && let Some(face) = mesh.faces.get(face as usize)
            {
                first = Some(Met {
                    mesh,
                    face,
                    distance,
                });
            }
        }
        first
    }
}

impl ChunkMesh {
    /// Where a ray meets a face first.
    fn meet(&self, face: &MeshFace, ray: Ray, both_sides: bool) -> Option<f32> {
        let end = self
            .parts
            .partition_point(|(_, indices)| indices.start <= face.first_index);
        let part = self.parts.get(end.checked_sub(1)?);
        let both_sides = both_sides || part.is_some_and(|(part, _)| part.two_sided);
        let indices = self.indices.get(face.indices()).unwrap_or_default();
        let place = |index: u32| {
            let vertex = self.vertices.get(index as usize);
            vertex.map_or(Vec3::NAN, |vertex| vertex.position.into())
        };
        let distances = indices.as_chunks::<3>().0.iter().filter_map(|corners| {
            let met = meet(ray, corners.map(place), both_sides)?;
            Some(met.distance)
        });
        distances.min_by(f32::total_cmp)
    }
}

/// How far along a ray it enters a box; none where it does not.
fn enter(bounds: &Aabb, ray: Ray) -> Option<f32> {
    let inverse = ray.direction.recip();
    let (a, b) = (
        (bounds.min - ray.origin) * inverse,
        (bounds.max - ray.origin) * inverse,
    );
    // A ray within the plane of a side gives numbers that are none, which do not count.
    let near = a.min(b).max(Vec3::ZERO).max_element();
    let far = a.max(b).min_element();
    (near <= far * 1.000_001 + 1e-6 || far.is_nan()).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::level::sample;

    /// Rays from all around and from inside, toward places in a box.
    fn rays(bounds: Aabb, count: u32) -> impl Iterator<Item = Ray> {
        let mut state = 1_u32;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 * 2.0 - 1.0
        };
        let half = (bounds.max - bounds.min) * 0.5;
        (0..count).map(move |i| {
            let mut place =
                |far: f32| bounds.center() + Vec3::new(random(), random(), random()) * half * far;
            let origin = place(if i % 2 == 0 { 3.0 } else { 1.0 });
            let direction = (place(1.0) - origin).normalize_or(Vec3::X);
            Ray { origin, direction }
        })
    }

    #[test]
    fn trees_find_what_looking_at_every_face_finds() {
        let map = sample::made_up();
        let level = &map.levels()[0];
        let mut hits = 0;
        for both_sides in [false, true] {
            for ray in rays(level.bounds, 600) {
                let all = level.chunks.iter().flat_map(|mesh| {
                    let faces = mesh.faces.iter();
                    faces.filter_map(move |face| mesh.meet(face, ray, both_sides))
                });
                let expected = all.min_by(f32::total_cmp);
                let hit = map.first_hit(ray, 0, both_sides);
                assert_eq!(hit.map(|hit| hit.distance), expected);
                let Some(hit) = hit else { continue };
                hits += 1;
                // What was hit is where the item is.
                let bounds = map.bounds_of(hit.item).unwrap();
                assert!(bounds.distance(hit.position) < 1e-3, "{hit:?} {bounds:?}");
            }
        }
        assert!(hits > 600, "{hits}");
        let none = Ray {
            origin: Vec3::NAN,
            direction: Vec3::X,
        };
        assert_eq!(map.first_hit(none, 0, true), None);
        assert_eq!(map.first_hit(none, 7, true), None);
    }
}
