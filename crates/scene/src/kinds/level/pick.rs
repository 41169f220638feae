//! Ray picking in levels, with a bounding volume hierarchy for each chunk. A hierarchy is built
//! when a ray first enters its chunk.

use std::sync::OnceLock;

use glam::{Vec3, Vec3A};

use super::caps::CUT_SLACK;
use super::materials::Blend;
use super::mesh::{ChunkMesh, MeshFace};
use super::{Level, Map};
use crate::geometry::bvh::{self, Bvh, bounds, intersect};
use crate::{Aabb, Hit, Item, LevelItem, OverlayId, Ray, Shown, VisibleFrom};

/// The hierarchies of a level's chunks, in the order of [`Level::chunks`].
#[derive(Debug, Default)]
pub(super) struct Trees(Vec<OnceLock<ChunkTree>>);

/// A hierarchy over the faces of a chunk.
#[derive(Debug)]
struct ChunkTree {
    bvh: Bvh,
    boxes: Vec<bvh::Bounds>,
}

/// Filter of the faces that a ray can hit.
#[derive(Debug, Clone, Copy)]
struct RayFilter<'a> {
    /// `true` if back faces are hit like front faces.
    both_sides: bool,
    /// Range of visible distances; everything outside is cut away.
    from: f32,
    to: f32,
    /// `true` if additive faces are hit.
    additive: bool,
    /// Hidden chunks by number in the level, and hidden materials by index.
    hidden_chunks: &'a [usize],
    hidden_materials: &'a [usize],
}

/// All faces, from their front.
const ALL_FRONT_FACES: RayFilter<'_> = RayFilter {
    both_sides: false,
    from: 0.0,
    to: f32::INFINITY,
    additive: true,
    hidden_chunks: &[],
    hidden_materials: &[],
};

/// The first face that a ray hits.
struct FaceHit<'a> {
    mesh: &'a ChunkMesh,
    face: &'a MeshFace,
    distance: f32,
}

impl Trees {
    pub(super) fn new(chunks: usize) -> Self {
        Self((0..chunks).map(|_| OnceLock::new()).collect())
    }
}

impl ChunkTree {
    fn of(mesh: &ChunkMesh) -> Self {
        let box_of = |face: &MeshFace| {
            let vertices = mesh
                .vertices
                .get(mesh.vertex_range(face))
                .unwrap_or_default()
                .iter();
            bounds(vertices.map(|vertex| Vec3A::from(vertex.position)))
        };
        let boxes: Vec<bvh::Bounds> = mesh.faces.iter().map(box_of).collect();
        let centers: Vec<Vec3A> = boxes.iter().map(|[min, max]| (min + max) * 0.5).collect();
        let bvh = Bvh::build(&centers);
        let mut of_nodes = Vec::new();
        let none = || bounds([]);
        bvh.refit(
            |face| boxes.get(face as usize).copied().unwrap_or_else(none),
            &mut of_nodes,
        );
        Self {
            bvh,
            boxes: of_nodes,
        }
    }
}

impl Map {
    /// Returns the first face of a level that a ray hits. Back faces are hit only if their cube
    /// draws them or if `both_sides` is set.
    pub fn first_hit(&self, ray: Ray, level: usize, both_sides: bool) -> Option<Hit> {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return None;
        }
        let sight = RayFilter {
            both_sides,
            ..ALL_FRONT_FACES
        };
        self.face_in_sight(ray, level, sight)
    }

    fn face_in_sight(&self, ray: Ray, level: usize, sight: RayFilter<'_>) -> Option<Hit> {
        let met = self.levels.get(level)?.first_face(ray, sight)?;
        Some(Hit {
            item: LevelItem::face(level, met.mesh.chunk, met.face.cube, met.face.side).into(),
            position: ray.origin + ray.direction * met.distance,
            distance: met.distance,
        })
    }

    /// Returns a viewpoint in front of a face, or `None` if it is not drawn or is degenerate.
    pub(super) fn viewpoint_of_face(&self, item: LevelItem) -> Option<VisibleFrom> {
        let (cube, side) = self.cube_at(item)?;
        let mesh = self
            .levels
            .get(cube.at.level_number)?
            .mesh(cube.at.number)?;
        let is_it =
            |face: &&MeshFace| face.cube == cube.cube && Some(usize::from(face.side)) == side;
        let face = mesh.faces.iter().find(is_it)?;
        let places = Aabb::around(mesh.triangles(face).flatten())?;
        let normals = mesh.triangles(face).map(|[a, b, c]| (b - a).cross(c - a));
        let middle = places.center();
        let normal = normals.sum::<Vec3>().try_normalize()?;
        middle
            .is_finite()
            .then_some(VisibleFrom::Before { middle, normal })
    }

    /// Returns the range of distances in which a ray is inside the box that a cut leaves.
    fn visible_range(ray: Ray, shown: &Shown) -> Option<(f32, f32)> {
        match shown.cut {
            // Faces in the plane of the cut are not cut away.
            Some(Aabb { min, max }) => {
                let left = Aabb {
                    min: min - CUT_SLACK,
                    max: max + CUT_SLACK,
                };
                ray.within(&left)
            }
            None => Some((0.0, f32::INFINITY)),
        }
    }

    /// Returns the first visible surface that a ray hits: a face, or the cap of a cut cube.
    fn first_surface(&self, ray: Ray, shown: &Shown, additive: bool) -> Option<Hit> {
        let is_finite = ray.origin.is_finite() && ray.direction.is_finite();
        if !is_finite || Self::are_faces_hidden(shown) {
            return None;
        }
        let level = shown.level;
        let (from, to) = Self::visible_range(ray, shown)?;
        let (mut materials, mut chunks) = (Vec::new(), Vec::new());
        for item in &shown.hidden {
            match *item {
                Item::Level(LevelItem::Material { level: of, index }) if of as usize == level => {
                    materials.push(index as usize);
                }
                Item::Level(LevelItem::Chunk { level: of, chunk }) if of as usize == level => {
                    chunks.push(chunk as usize);
                }
                _ => {}
            }
        }
        let any_on = |ids: &[OverlayId]| ids.iter().any(|id| shown.overlays.contains(*id));
        let sight = RayFilter {
            both_sides: any_on(&[OverlayId::TwoSided, OverlayId::BackFaces]),
            from,
            to,
            additive,
            hidden_chunks: &chunks,
            hidden_materials: &materials,
        };
        let face = self.face_in_sight(ray, level, sight);
        let cap = self.first_cap(ray, shown);
        let nearest = [face, cap].into_iter().flatten();
        nearest.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// `true` if a surface hides the point at `distance` along a ray from the eye.
    pub(super) fn covers_place(&self, ray: Ray, distance: f32, shown: &Shown) -> bool {
        // The surface that a text stands on does not hide it.
        const SLACK: f32 = 0.05;
        let first = self.first_surface(ray, shown, false);
        first.is_some_and(|hit| hit.distance < distance - SLACK)
    }

    /// Returns the first visible object that a ray hits: a surface, or the marker of an entity. An
    /// additive face, such as a shaft of light, is hit only if nothing is behind it.
    pub(super) fn first_visible_hit(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let face = self
            .first_surface(ray, shown, false)
            .or_else(|| self.first_surface(ray, shown, true));
        let level = shown.level;
        if !shown.overlays.contains(OverlayId::Entities) {
            return face;
        }
        let (from, to) = Self::visible_range(ray, shown)?;
        let half = Vec3::splat(self.marker_half(Some(level)));
        let markers = self.shown_markers(shown).filter_map(|marker| {
            let (distance, _) = ray.within(&Aabb::centered(marker.place, half))?;
            (distance >= from && distance <= to).then_some((distance, marker.item))
        });
        let nearest = markers.min_by(|a, b| a.0.total_cmp(&b.0));
        let marker = nearest.map(|(distance, item)| Hit {
            item: item.into(),
            position: ray.origin + ray.direction * distance,
            distance,
        });
        let nearest = marker.into_iter().chain(face);
        nearest.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}

impl Level {
    fn first_face(&self, ray: Ray, sight: RayFilter<'_>) -> Option<FaceHit<'_>> {
        let chunks = self.chunks.iter().zip(&self.trees.0);
        let mut entered: Vec<_> = chunks
            .filter_map(|(mesh, tree)| {
                let (at, end) = ray.within(&mesh.bounds)?;
                let is_shown = end >= sight.from && at <= sight.to;
                (is_shown && !sight.hidden_chunks.contains(&mesh.chunk)).then_some((at, mesh, tree))
            })
            .collect();
        entered.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut first: Option<FaceHit<'_>> = None;
        for (at, mesh, tree) in entered {
            if first.as_ref().is_some_and(|first| first.distance < at) {
                break;
            }
            let tree = tree.get_or_init(|| ChunkTree::of(mesh));
            let (origin, direction) = (Vec3A::from(ray.origin), Vec3A::from(ray.direction));
            let met = tree
                .bvh
                .first_hit(&tree.boxes, origin, direction, |face, nearest| {
                    let face = mesh.faces.get(face as usize)?;
                    let distance = mesh.hit_distance(face, ray, sight)?;
                    (distance < nearest).then_some(distance)
                });
            if let Some((face, distance)) = met
                && first.as_ref().is_none_or(|first| distance < first.distance)
                && let Some(face) = mesh.faces.get(face as usize)
            {
                first = Some(FaceHit {
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
    /// Distance at which a ray first hits a face.
    fn hit_distance(&self, face: &MeshFace, ray: Ray, sight: RayFilter<'_>) -> Option<f32> {
        let part = self.part_of(face)?;
        if part.blend == Blend::Add && !sight.additive {
            return None;
        }
        let material = usize::from(part.material);
        if !sight.hidden_materials.is_empty() && sight.hidden_materials.contains(&material) {
            return None;
        }
        let both_sides = sight.both_sides || part.two_sided;
        let distances = self.triangles(face).filter_map(|corners| {
            let met = intersect(ray, corners, both_sides)?;
            let is_shown = met.distance >= sight.from && met.distance <= sight.to;
            is_shown.then_some(met.distance)
        });
        distances.min_by(f32::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;
    use mapscope_formats::pmf::{self, CubeKind};

    /// Rays from all around and from inside, toward positions in a box.
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

    /// The nearest face that a ray hits, by brute force.
    fn nearest(level: &Level, ray: Ray, sight: RayFilter<'_>) -> Option<f32> {
        let meshes = level.chunks.iter();
        let shown = meshes.filter(|mesh| !sight.hidden_chunks.contains(&mesh.chunk));
        let all = shown.flat_map(|mesh| {
            let faces = mesh.faces.iter();
            faces.filter_map(move |face| mesh.hit_distance(face, ray, sight))
        });
        all.min_by(f32::total_cmp)
    }

    #[test]
    fn what_is_cut_away_or_hidden_is_passed_through() {
        let map = sample::made_up();
        let level = &map.levels()[0];
        let bounds = level.bounds;
        let mut cut = bounds;
        // Away from the positions of faces.
        cut.max.y = bounds.center().y + 0.3;
        cut.min.x += 2.5;
        let mut shown = Shown {
            cut: Some(cut),
            ..Shown::default()
        };
        let (mut others, mut caps) = (0, 0);
        for ray in rays(bounds, 400) {
            let whole = map.first_hit(ray, 0, false);
            let hit = map.first_visible_hit(ray, &shown);
            if let Some(hit) = hit {
                assert!(cut.distance(hit.position) < 2e-3, "{hit:?}");
            }
            // The first hit stays the same if it is inside the box, unless the ray leaves a cut
            // cube.
            let cap = hit.filter(|hit| hit.item.kind() == "cube");
            match whole.filter(|hit| cut.distance(hit.position) == 0.0) {
                Some(whole) if cap.is_none() => assert_eq!(hit, Some(whole), "{ray:?} {cut:?}"),
                Some(whole) => assert!(cap.is_some_and(|cap| cap.distance < whole.distance)),
                None => {}
            }
            caps += usize::from(cap.is_some());
            others += usize::from(hit.map(|hit| hit.item) != whole.map(|hit| hit.item));
        }
        assert!(others > 20 && caps > 20, "{others} {caps}");
        shown.cut = None;
        shown.hidden = vec![
            LevelItem::material(0, 1).into(),
            LevelItem::chunk(0, level.chunks[1].chunk).into(),
        ];
        let sight = RayFilter {
            hidden_chunks: &[level.chunks[1].chunk],
            hidden_materials: &[1],
            ..ALL_FRONT_FACES
        };
        for ray in rays(bounds, 400) {
            let hit = map.first_visible_hit(ray, &shown).map(|hit| hit.distance);
            assert_eq!(hit, nearest(level, ray, sight));
        }
    }

    #[test]
    fn additive_faces_are_met_only_if_nothing_is_behind_them() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 3, 7);
        pmf.levels[0].common.materials[1].render_mode = pmf::Material::ADD;
        let map = sample::map(pmf);
        let level = &map.levels()[0];
        let without = RayFilter {
            hidden_materials: &[1],
            ..ALL_FRONT_FACES
        };
        let (mut through, mut alone) = (0, 0);
        for ray in rays(level.bounds, 400) {
            let hit = map.first_visible_hit(ray, &Shown::default());
            let all = nearest(level, ray, ALL_FRONT_FACES);
            let expected = nearest(level, ray, without).or(all);
            assert_eq!(hit.map(|hit| hit.distance), expected);
            through += usize::from(expected != all);
            alone += usize::from(nearest(level, ray, without).is_none() && all.is_some());
        }
        assert!(through > 20 && alone > 5, "{through} {alone}");
        // It hides nothing in other views either.
        let mut shown = Shown::default();
        shown
            .overlays
            .set(map.about.overlays, OverlayId::OctreeDepth, true);
        for ray in rays(level.bounds, 100) {
            let plain = map.first_visible_hit(ray, &Shown::default());
            assert_eq!(map.first_visible_hit(ray, &shown), plain);
        }
    }

    #[test]
    fn walls_cover_what_is_behind_them() {
        let map = sample::made_up();
        let bounds = map.levels()[0].bounds;
        let shown = Shown::default();
        let mut covered = 0;
        for ray in rays(bounds, 200) {
            let Some(hit) = map.first_hit(ray, 0, false) else {
                assert!(!map.covers_place(ray, 1e6, &shown));
                continue;
            };
            assert!(map.covers_place(ray, hit.distance + 0.1, &shown));
            assert!(!map.covers_place(ray, hit.distance, &shown), "on the wall");
            covered += 1;
        }
        assert!(covered > 50, "{covered}");
    }

    #[test]
    fn markers_of_entities_are_met_while_they_are_shown() {
        let map = sample::made_up();
        let mut shown = Shown::default();
        let marker = map.markers(0).next().unwrap();
        let origin = marker.place + Vec3::new(40.0, 60.0, 20.0);
        let ray = Ray {
            origin,
            direction: (marker.place - origin).normalize(),
        };
        let face = map.first_visible_hit(ray, &shown);
        assert!(face.is_none_or(|hit| hit.item.kind() == "face"));
        shown.hidden = (0..4).map(|i| LevelItem::material(0, i).into()).collect();
        assert_eq!(map.first_visible_hit(ray, &shown), None);
        shown
            .overlays
            .set(map.about.overlays, OverlayId::Entities, true);
        let hit = map.first_visible_hit(ray, &shown).unwrap();
        assert_eq!(hit.item.kind(), "entity");
        // All faces can also be hidden at once.
        let all_faces = Shown {
            hidden: vec![LevelItem::cube_type(0, CubeKind::Geometry).into()],
            ..shown.clone()
        };
        assert_eq!(map.first_visible_hit(ray, &all_faces), Some(hit));
        let half = map.marker_half(Some(0));
        assert!(hit.position.distance(marker.place) < 2.0 * half);
    }

    #[test]
    fn trees_find_what_looking_at_every_face_finds() {
        let map = sample::made_up();
        let level = &map.levels()[0];
        let mut hits = 0;
        for both_sides in [false, true] {
            for ray in rays(level.bounds, 600) {
                let sight = RayFilter {
                    both_sides,
                    ..ALL_FRONT_FACES
                };
                let expected = nearest(level, ray, sight);
                let hit = map.first_hit(ray, 0, both_sides);
                assert_eq!(hit.map(|hit| hit.distance), expected);
                let Some(hit) = hit else { continue };
                hits += 1;
                // The hit is inside the bounds of its item.
                let Item::Level(item) = hit.item else {
                    panic!("{hit:?}");
                };
                let bounds = map.bounds_of(item).unwrap();
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
