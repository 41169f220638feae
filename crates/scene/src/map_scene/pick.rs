//! What a ray meets of a scene.

use super::MapScene;
use super::fields::entity_item;
use crate::{Aabb, Document as _, Hit, Item, OverlayId, Ray, SceneItem, Shown};

impl MapScene {
    /// The first thing of the scene that a ray meets: an entity, or the ground.
    pub(super) fn first_hit(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let ground = self.terrain().and_then(|terrain| terrain.pick(ray, shown));
        let entity = self.first_entity(ray, shown);
        let hits = [entity, ground].into_iter().flatten();
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// The first entity that a ray meets, or the part of it if it is selected. Boxes are tried first; of the models in them the mesh
    /// counts, in the pose that is shown.
    fn first_entity(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let mut boxes: Vec<(f32, u32)> = (0..)
            .zip(&self.entities)
            .filter(|(index, _)| !self.is_entity_hidden(*index, shown))
            .filter_map(|(index, placed)| {
                // A clip may lead out of the box of its first frame.
                let (distance, _) = ray.within(&grown(&placed.bounds))?;
                Some((distance, index))
            })
            .collect();
        boxes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut first: Option<Hit> = None;
        for (entered, index) in boxes {
            if first.is_some_and(|first| first.distance <= entered) {
                break;
            }
            let Some(placed) = self.entities.get(index as usize) else {
                continue;
            };
            let whole = entity_item(index);
            let hit = match self.posed(index) {
                Some(posed) => posed.hit(ray, shown),
                None => ray
                    .within(&placed.bounds)
                    .map(|(distance, _)| (distance, whole)),
            };
            let is_first =
                |(distance, _): &(f32, Item)| first.is_none_or(|first| *distance < first.distance);
            if let Some((distance, item)) = hit.filter(is_first) {
                first = Some(Hit {
                    item,
                    position: ray.origin + ray.direction * distance,
                    distance,
                });
            }
        }
        first
    }

    /// Whether entities are shown at all.
    pub(super) fn shows_entities(shown: &Shown) -> bool {
        !shown.overlays.is_off(OverlayId::Entities)
    }

    /// Whether an entity is not shown: it is hidden by itself, with its faction, model or class, or
    /// with all others, or it stands nowhere.
    pub(super) fn is_entity_hidden(&self, index: u32, shown: &Shown) -> bool {
        let mut items = self
            .kinds_of(index)
            .chain([SceneItem::Entity { index }])
            .map(Item::Scene);
        let placed = self.entities.get(index as usize);
        placed.is_some_and(|placed| !placed.is_somewhere)
            || !Self::shows_entities(shown)
            || (!shown.hidden.is_empty() && items.any(|item| shown.hides(item)))
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
