//! Places and outlines of items.

use super::Model;
use crate::document::Places;
use crate::{Aabb, Flaw, Item, ItemPlace, ModelItem, OverlayId, Shown, VisibleFrom};
use glam::Vec3;

/// Margin around a framed item, as a fraction of the model's size.
const MARGIN: f32 = 0.06;

impl Places for Model {
    fn place(&self, item: Item, shown: &Shown) -> ItemPlace {
        let playhead = shown.playhead;
        let Item::Model(item) = item else {
            return ItemPlace::default();
        };
        let around = |aabb: Aabb| {
            let margin = Vec3::splat(self.size() * MARGIN);
            aabb.is_finite().then_some(Aabb {
                min: aabb.min - margin,
                max: aabb.max + margin,
            })
        };
        let mut place = ItemPlace::default();
        place.bounds = match item {
            ModelItem::Triangle { index } => {
                place.seen_from = self.viewpoint_of_triangle(index, shown);
                let corners = self.triangle_corners(index, playhead);
                corners.and_then(Aabb::around).and_then(around)
            }
            ModelItem::Joint { .. } => self.joint_of(item.into()).and_then(|joint| {
                let bone = self.with_joints(playhead, |globals| self.bone(globals, joint));
                around(Aabb::around(bone)?)
            }),
            ModelItem::Material { index } => {
                let triangles = self
                    .mesh
                    .parts_of(index as usize)
                    .flat_map(|part| part.indices.start / 3..part.indices.end / 3);
                self.with_mesh(playhead, |mesh| {
                    Aabb::around(triangles.flat_map(|t| self.drawn_corners(&mesh.points, t)))
                })
            }
            ModelItem::Part { index } => {
                let part = self.mesh.parts.get(index as usize);
                let triangles = part.map_or(0..0, |it| it.indices.start / 3..it.indices.end / 3);
                self.with_mesh(playhead, |mesh| {
                    Aabb::around(triangles.flat_map(|t| self.drawn_corners(&mesh.points, t)))
                })
            }
            ModelItem::Clip { index } => self.extent_of(Some(index as usize)),
            ModelItem::Model => Some(self.extent_at(playhead).unwrap_or(self.about.bounds)),
            ModelItem::Flaw { flaw } => {
                let triangles = self.flawed(flaw);
                if let [index] = triangles {
                    place.seen_from = self.viewpoint_of_triangle(*index, shown);
                }
                let triangles = triangles.iter();
                let corners = triangles.filter_map(|it| self.triangle_corners(*it, playhead));
                Aabb::around(corners.flatten()).and_then(around)
            }
            ModelItem::Lod { .. } | ModelItem::Texture { .. } | ModelItem::Action { .. } => None,
        };
        place
    }

    fn contour(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        if let Some(joint) = self.joint_of(item) {
            return self.bone_contour(joint, shown.playhead);
        }
        match item {
            Item::Model(ModelItem::Triangle { index }) => {
                let corners = self.triangle_corners(index, shown.playhead);
                corners.map_or_else(Vec::new, |corners| edges(corners).to_vec())
            }
            Item::Model(ModelItem::Flaw { flaw }) => {
                let triangles = self.flawed(flaw).iter();
                let corners = triangles.filter_map(|it| self.triangle_corners(*it, shown.playhead));
                corners.flat_map(edges).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Model {
    /// Returns a viewpoint in front of a triangle, or any viewpoint if the triangle is degenerate.
    fn viewpoint_of_triangle(&self, index: u32, shown: &Shown) -> VisibleFrom {
        let corners = self.triangle_corners(index, shown.playhead);
        let normal = corners.and_then(|[a, b, c]| (b - a).cross(c - a).try_normalize());
        let (Some([a, b, c]), Some(normal)) = (corners, normal) else {
            return VisibleFrom::Anywhere;
        };
        // The overlay draws reversed triangles from both sides; this is the outer one.
        let is_turned = shown.overlays.contains(OverlayId::ReversedTriangles)
            && self.flawed(Flaw::Reversed).binary_search(&index).is_ok();
        let middle = (a + b + c) / 3.0;
        let normal = if is_turned { -normal } else { normal };
        VisibleFrom::Before { middle, normal }
    }
}

/// Returns the edges of a triangle.
fn edges([a, b, c]: [Vec3; 3]) -> [[Vec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}
