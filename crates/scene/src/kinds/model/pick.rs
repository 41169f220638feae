//! Picking of bones, where the skeleton is shown, and of triangles of the posed mesh.

use std::ops::Range;

use glam::{Vec3, Vec3A};

use super::Model;
use crate::geometry::bvh::intersect;
use crate::{Flaw, Hit, ModelItem, OverlayId, Playhead, Ray, Shown};

/// Thickness of a bone for picking, as a fraction of its length.
const BONE_THICKNESS: f32 = 0.12;
/// Min and max of that thickness, as fractions of the model's size.
const BONE_THICKNESS_OF_MODEL: [f32; 2] = [0.006, 0.02];
/// Minimum opacity of drawn pixels (fact sheet B6).
const MIN_OPACITY: u8 = 128;

impl Model {
    /// Returns the first visible object that a ray hits.
    pub(super) fn first_hit(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return None;
        }
        let bone = shown
            .overlays
            .contains(OverlayId::Skeleton)
            .then(|| self.pick_bone(ray, shown));
        // The skeleton is drawn through the mesh, so it is picked through it too.
        bone.flatten().or_else(|| self.pick_triangle(ray, shown))
    }

    fn pick_triangle(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let overlays = &shown.overlays;
        let two_sided =
            overlays.contains(OverlayId::TwoSided) || overlays.contains(OverlayId::BackFaces);
        // The overlay draws reversed triangles from both sides.
        let marked = if overlays.contains(OverlayId::ReversedTriangles) {
            self.flawed(Flaw::Reversed)
        } else {
            &[]
        };
        let is_marked = |triangle: u32| {
            let index = self.mesh.triangles.get(triangle as usize);
            index.is_some_and(|index| marked.binary_search(index).is_ok())
        };
        let hidden = self.hidden_indices(shown.playhead);
        let (origin, direction) = (Vec3A::from(ray.origin), Vec3A::from(ray.direction));
        self.with_boxes(shown.playhead, |mesh, boxes| {
            let hit = self
                .bvh
                .first_hit(boxes, origin, direction, |triangle, nearest| {
                    let corners = self.drawn_corners(&mesh.points, triangle);
                    if hidden
                        .iter()
                        .any(|indices| indices.contains(&(triangle * 3)))
                    {
                        return None;
                    }
                    let two_sided = two_sided || is_marked(triangle);
                    let hit = intersect(ray, corners, two_sided)?;
                    let is_first = hit.distance < nearest;
                    (is_first && !self.is_hole(triangle, hit.weights)).then_some(hit.distance)
                });
            let (triangle, distance) = hit?;
            Some(Hit {
                item: ModelItem::Triangle {
                    index: *self.mesh.triangles.get(triangle as usize)?,
                }
                .into(),
                position: ray.origin + ray.direction * distance,
                distance,
            })
        })
    }

    /// Returns the ranges of [`Mesh::indices`](super::mesh::Mesh::indices) that are hidden at a
    /// moment.
    fn hidden_indices(&self, playhead: Playhead) -> Vec<Range<u32>> {
        let materials = self.materials_of_parts(self.part_state(playhead));
        let parts = self.mesh.parts.iter().zip(materials);
        let hidden = parts.filter(|(_, material)| material.is_none());
        hidden.map(|(part, _)| part.indices.clone()).collect()
    }

    /// `true` if the texture has a hole at a point of a drawn triangle.
    fn is_hole(&self, triangle: u32, weights: [f32; 3]) -> bool {
        let at = triangle * 3;
        let of_part = |part: &&super::mesh::Part| part.indices.contains(&at);
        let part = self.mesh.parts.iter().find(of_part);
        let Some(material) = part.and_then(|part| self.materials.drawn.get(part.material)) else {
            return false;
        };
        // A pending texture has no visible holes.
        let Some(texture) = material.texture.get().filter(|it| it.has_holes) else {
            return false;
        };
        let mut uv = [0.0; 2];
        for (corner, weight) in (at as usize..).zip(weights) {
            let vertex = self.mesh.indices.get(corner);
            let Some(vertex) = vertex.and_then(|&v| self.mesh.vertices.get(v as usize)) else {
                return false;
            };
            uv = [uv[0] + vertex.uv[0] * weight, uv[1] + vertex.uv[1] * weight];
        }
        texture.opacity_at(uv) < MIN_OPACITY
    }

    /// Returns the bone that a ray passes closest to its middle line.
    fn pick_bone(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let size = self.size();
        let [min, max] = BONE_THICKNESS_OF_MODEL.map(|part| part * size);
        self.with_joints(shown.playhead, |globals| {
            let bones = (0..globals.len()).filter_map(|joint| {
                let [from, to] = self.bone(globals, joint);
                let (along, apart) = nearest_approach(ray, from, to)?;
                let radius = (from.distance(to) * BONE_THICKNESS).clamp(min, max);
                let closeness = apart / radius;
                (closeness <= 1.0).then_some((joint, along, closeness))
            });
            let (joint, distance, _) = bones.min_by(|a, b| a.2.total_cmp(&b.2))?;
            Some(Hit {
                item: super::joint_item(joint),
                position: ray.origin + ray.direction * distance,
                distance,
            })
        })
    }
}

/// Returns the distance along a ray of its closest approach to a line segment, and the gap between
/// them.
fn nearest_approach(ray: Ray, from: Vec3, to: Vec3) -> Option<(f32, f32)> {
    let bone = to - from;
    let away = ray.origin - from;
    let (length2, lean) = (bone.length_squared(), bone.dot(ray.direction));
    let slant = length2 - lean * lean;
    let part = if slant > length2 * 1e-6 {
        (bone.dot(away) - lean * ray.direction.dot(away)) / slant
    } else {
        0.0
    };
    let on_bone = from + bone * part.clamp(0.0, 1.0);
    let along = (on_bone - ray.origin).dot(ray.direction);
    let apart = (ray.origin + ray.direction * along).distance(on_bone);
    (along > 0.0 && apart.is_finite()).then_some((along, apart))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::assets::{DeferredTexture, Texture};
    use crate::kinds::model::sample;
    use crate::{Document, OverlaySet};

    /// Rays from all around, toward positions in and around a box.
    fn rays(count: u32, reach: f32) -> impl Iterator<Item = Ray> {
        let mut state = 1_u32;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 * 2.0 - 1.0
        };
        (0..count).map(move |_| {
            let mut place = |far: f32| Vec3::new(random(), random(), random()) * far;
            let origin = place(reach * 3.0);
            let direction = (place(reach) - origin).normalize_or(Vec3::X);
            Ray { origin, direction }
        })
    }

    /// A crumpled ball of triangles that a chain of joints bends.
    fn ball() -> Model {
        let mut pfobj = sample::chain(4, 3);
        let corner = pfobj.vertices[0];
        let place = |row: u32, column: u32| {
            let (up, around) = (row as f32 * 0.157, column as f32 * 0.314_159_3);
            let radius = 2.0 + 0.3 * (row as f32 * 1.7).sin() * (column as f32 * 2.3).cos();
            let ring = up.sin() * radius;
            [
                ring * around.cos(),
                2.0 + up.cos() * radius,
                ring * around.sin(),
            ]
        };
        pfobj.vertices = (0..20)
            .flat_map(|row| (0..20).map(move |column| (row, column)))
            .flat_map(|(r, c)| {
                let [a, b, c, d] = [(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)];
                [a, b, c, c, b, d]
            })
            .map(|(row, column)| mapscope_formats::pfobj::Vertex {
                position: place(row, column),
                ..corner
            })
            .collect();
        let listed: Vec<_> = (0..pfobj.vertices.len())
            .map(|i| {
                let y = pfobj.vertices[i].position[1].clamp(0.0, 2.99);
                let part = y.fract();
                [
                    sample::influence(y as u32, 1.0 - part),
                    sample::influence(y as u32 + 1, part),
                ]
            })
            .collect();
        let listed: Vec<&[_]> = listed.iter().map(|pair| &pair[..]).collect();
        sample::set_influences(&mut pfobj, &listed);
        for (i, pose) in pfobj.clips[0].poses.iter_mut().enumerate() {
            pose.rotation = sample::turned(i as f32 * 7.0);
        }
        sample::model(pfobj)
    }

    #[test]
    fn the_bvh_finds_what_testing_every_triangle_finds() {
        let model = ball();
        let mut hits = 0;
        for (clip, frame, smooth) in [
            (None, 0.0, false),
            (Some(0), 2.0, false),
            (Some(0), 0.4, true),
        ] {
            for two_sided in [false, true] {
                let mut shown = Shown {
                    playhead: Playhead {
                        clip,
                        frame,
                        smooth,
                        blend: None,
                    },
                    ..Shown::default()
                };
                shown
                    .overlays
                    .set(model.about.overlays, OverlayId::TwoSided, two_sided);
                for ray in rays(400, 4.0) {
                    let hit = |triangle| {
                        model.with_mesh(shown.playhead, |mesh| {
                            let corners = model.drawn_corners(&mesh.points, triangle);
                            Some((intersect(ray, corners, two_sided)?.distance, triangle))
                        })
                    };
                    let all = (0..model.mesh.triangles.len() as u32).filter_map(hit);
                    let expected = all.min_by(|a, b| a.0.total_cmp(&b.0));
                    let hit = model.pick(ray, &shown);
                    assert_eq!(hit.map(|hit| hit.distance), expected.map(|(d, _)| d));
                    hits += u32::from(hit.is_some());
                }
            }
        }
        assert!(hits > 500, "{hits}");
    }

    #[test]
    fn back_faces_and_holes_are_not_hit() {
        let mut model = sample::model(sample::quad());
        let toward = |z: f32, x: f32| Ray {
            origin: Vec3::new(x, 0.25, z),
            direction: Vec3::new(0.0, 0.0, -z.signum()),
        };
        let shown = Shown::default();
        let hit = model.pick(toward(5.0, 0.5), &shown).unwrap();
        let first = ModelItem::Triangle { index: 0 }.into();
        assert_eq!((hit.item, hit.distance), (first, 5.0));
        assert_eq!(hit.position, Vec3::new(0.5, 0.25, 0.0));
        assert_eq!(model.pick(toward(-5.0, 0.5), &shown), None);
        let mut overlays = OverlaySet::default();
        overlays.set(model.about.overlays, OverlayId::BackFaces, true);
        let both = Shown {
            overlays,
            ..Shown::default()
        };
        assert!(model.pick(toward(-5.0, 0.5), &both).is_some());
        // The overlay of reversed triangles shows the other side of reversed triangles only.
        let mut pfobj = sample::quad();
        pfobj.vertices.swap(1, 2);
        let reversed = sample::model(pfobj);
        let mut marked = Shown::default();
        let below = toward(5.0, 0.5);
        assert_eq!(reversed.pick(below, &marked), None);
        let id = OverlayId::ReversedTriangles;
        marked.overlays.set(reversed.about.overlays, id, true);
        assert_eq!(reversed.pick(below, &marked).unwrap().item, first);
        assert_eq!(model.pick(toward(-5.0, 0.5), &marked), None);
        // The right half of the texture is a hole.
        let mut image = image::RgbaImage::from_pixel(2, 1, image::Rgba([255; 4]));
        image.put_pixel(1, 0, image::Rgba([0; 4]));
        let texture = Arc::new(Texture::new(image));
        model.materials.drawn[0].texture = Arc::new(DeferredTexture::of(texture));
        assert!(model.pick(toward(5.0, 0.25), &shown).is_some());
        assert_eq!(model.pick(toward(5.0, 0.75), &shown), None);
    }

    #[test]
    fn bones_are_hit_through_the_mesh_when_they_are_shown() {
        let model = sample::model(sample::chain(2, 1));
        let ray = Ray {
            origin: Vec3::new(0.004, 1.5, 5.0),
            direction: -Vec3::Z,
        };
        let mut shown = Shown::default();
        assert_eq!(model.pick(ray, &shown), None);
        shown
            .overlays
            .set(model.about.overlays, OverlayId::Skeleton, true);
        let hit = model.pick(ray, &shown).unwrap();
        assert_eq!(hit.item, ModelItem::Joint { index: 1 }.into());
        assert!((hit.distance - 5.0).abs() < 1e-3);
        // Beside the bones, the mesh is hit.
        let beside = Ray {
            origin: Vec3::new(0.5, 0.25, 5.0),
            ..ray
        };
        let hit = model.pick(beside, &shown).unwrap();
        assert_eq!(hit.item.kind(), "triangle");
        // A ray of NaN hits nothing.
        let none = Ray {
            origin: Vec3::NAN,
            ..ray
        };
        assert_eq!(model.pick(none, &shown), None);
    }
}
