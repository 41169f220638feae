//! What a ray meets of a scene.

use glam::Vec3;

use super::{MapScene, Placed};
use crate::model::Model;
use crate::{Aabb, Document as _, Hit, Item, Ray, SceneItem, Shown};

/// An entity that a ray meets.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntityHit {
    pub(super) entity: u32,
    /// Where, in world space.
    pub(super) position: Vec3,
    /// In world units from the origin of the ray.
    pub(super) distance: f32,
}

impl MapScene {
    /// The first thing of the scene that a ray meets: an entity, or the ground.
    pub(super) fn first_hit(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let ground = self.terrain().and_then(|terrain| terrain.pick(ray, shown));
        let entity = self.first_entity(ray, shown).map(|hit| Hit {
            item: SceneItem::Entity { index: hit.entity }.into(),
            position: hit.position,
            distance: hit.distance,
        });
        let hits = [entity, ground].into_iter().flatten();
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// The first entity that a ray meets. Boxes are tried first; of the models in them the mesh
    /// counts, in the pose that is shown.
    pub(super) fn first_entity(&self, ray: Ray, shown: &Shown) -> Option<EntityHit> {
        let mut boxes: Vec<(f32, u32)> = (0..)
            .zip(&self.entities)
            .filter(|(index, _)| !self.is_hidden(*index, shown))
            .filter_map(|(index, placed)| {
                // A clip may lead out of the box of its first frame.
                let (distance, _) = ray.within(&grown(&placed.bounds))?;
                Some((distance, index))
            })
            .collect();
        boxes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut first: Option<EntityHit> = None;
        for (entered, index) in boxes {
            if first.is_some_and(|first| first.distance <= entered) {
                break;
            }
            let Some(placed) = self.entities.get(index as usize) else {
                continue;
            };
            let hit = match self.model_of(placed) {
                Some(model) => Self::hit_model(ray, model, placed, shown),
                None => ray.within(&placed.bounds).map(|(distance, _)| distance),
            };
            let is_first = |distance: &f32| first.is_none_or(|first| *distance < first.distance);
            if let Some(distance) = hit.filter(is_first) {
                first = Some(EntityHit {
                    entity: index,
                    position: ray.origin + ray.direction * distance,
                    distance,
                });
            }
        }
        first
    }

    /// How far away a ray meets a model where it stands.
    fn hit_model(ray: Ray, model: &Model, placed: &Placed, shown: &Shown) -> Option<f32> {
        let model_from_world = placed.world_from_model.inverse();
        let direction = model_from_world.transform_vector3(ray.direction);
        // A scale of zero leaves nothing to be met.
        let scale = direction.length();
        if !scale.is_finite() || scale == 0.0 {
            return None;
        }
        let ray_in_model = Ray {
            origin: model_from_world.transform_point3(ray.origin),
            direction: direction / scale,
        };
        let shown_of_model = Shown {
            playhead: Self::playhead_of(placed.clip, model, shown.playhead),
            ..Shown::default()
        };
        let hit = model.pick(ray_in_model, &shown_of_model)?;
        Some(hit.distance / scale)
    }

    /// Whether an entity was hidden: by itself, or with its faction, model or class.
    pub(super) fn is_hidden(&self, index: u32, shown: &Shown) -> bool {
        !shown.hidden.is_empty()
            && self
                .kinds_of(index)
                .chain([SceneItem::Entity { index }])
                .any(|item| shown.hides(Item::Scene(item)))
    }
}

/// A box with room around it for the frames of a clip.
fn grown(aabb: &Aabb) -> Aabb {
    let margin = (aabb.max - aabb.min) * 0.5;
    Aabb {
        min: aabb.min - margin,
        max: aabb.max + margin,
    }
}
