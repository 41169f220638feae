//! Picking in a scene, and occlusion of places as seen from the eye.

use glam::Vec3A;

use super::fields::entity_item;
use super::{MapScene, Placed, SceneModel};
use crate::geometry::bvh::{Bounds, Bvh};
use crate::{Aabb, Document as _, Hit, Item, OverlayId, Ray, SceneItem, Shown};

/// Minimum distance in world units at which something in front of a place occludes it. Names stand
/// on the surface of their own objects, which must not occlude them.
const SLACK: f32 = 0.5;

/// The entities that may occlude others, in a hierarchy of their bounds.
#[derive(Debug)]
pub(super) struct Covers {
    /// Their numbers.
    entities: Vec<u32>,
    bvh: Bvh,
    boxes: Vec<Bounds>,
}

impl Covers {
    /// Collects the entities that have a model. Placeholders of missing models consist of lines and
    /// occlude nothing.
    pub(super) fn of(entities: &[Placed], models: &[SceneModel]) -> Self {
        let has_model = |placed: &Placed| {
            let model = models.get(placed.model);
            model.is_some_and(|model| model.model.is_some())
        };
        let covers = (0..).zip(entities).filter(|(_, placed)| {
            placed.has_position && has_model(placed) && placed.bounds.is_finite()
        });
        let (entities, bounds): (Vec<u32>, Vec<Aabb>) =
            covers.map(|(index, placed)| (index, placed.bounds)).unzip();
        let centers = bounds.iter().map(|aabb| aabb.center().into());
        let bvh = Bvh::build(&centers.collect::<Vec<Vec3A>>());
        let mut boxes = Vec::new();
        let of_one = |at: u32| {
            let aabb = bounds.get(at as usize);
            aabb.map_or([Vec3A::INFINITY, Vec3A::NEG_INFINITY], |aabb| {
                [aabb.min.into(), aabb.max.into()]
            })
        };
        bvh.refit(of_one, &mut boxes);
        Self {
            entities,
            bvh,
            boxes,
        }
    }

    /// Bytes of memory that they hold.
    pub(super) fn cpu_bytes(&self) -> usize {
        self.bvh.cpu_bytes()
            + size_of_val(self.boxes.as_slice())
            + size_of_val(self.entities.as_slice())
    }
}

impl MapScene {
    /// `true` if the ground or a model occludes the point at `distance` along a ray from the eye.
    /// Objects that contain the point do not. Nothing occludes the selected entity, whose contour
    /// and bones are drawn on top.
    pub(super) fn covers_place(&self, ray: Ray, distance: f32, shown: &Shown) -> bool {
        let place = ray.origin + ray.direction * distance;
        let contains_place = |placed: &Placed| placed.bounds.distance(place) <= SLACK;
        let selected = self.selected_entity(shown);
        if selected.is_some_and(|posed| contains_place(posed.placed())) {
            return false;
        }
        let is_before = |met: f32| met < distance - SLACK;
        let ground = self.terrain().and_then(|terrain| terrain.pick(ray, shown));
        if ground.is_some_and(|hit| is_before(hit.distance)) {
            return true;
        }
        if !Self::shows_entities(shown) {
            return false;
        }
        let covers = &self.covers;
        let (origin, direction) = (Vec3A::from(ray.origin), Vec3A::from(ray.direction));
        let first = covers
            .bvh
            .first_hit(&covers.boxes, origin, direction, |at, _| {
                let index = *covers.entities.get(at as usize)?;
                let placed = self.entities.get(index as usize)?;
                let (entered, _) = ray.within(&placed.bounds)?;
                if !is_before(entered)
                    || contains_place(placed)
                    || self.is_entity_hidden(index, shown)
                {
                    return None;
                }
                let met = self.posed(index)?.first_surface(ray)?;
                // Any hit suffices: a distance of 0 ends the search.
                is_before(met).then_some(0.0)
            });
        first.is_some()
    }

    /// The first entity or ground point that a ray hits.
    pub(super) fn first_hit(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let ground = self.terrain().and_then(|terrain| terrain.pick(ray, shown));
        let entity = self.first_entity(ray, shown);
        let hits = [entity, ground].into_iter().flatten();
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// The first entity that a ray hits, or the part of it if it is selected. Bounds are tested
    /// first, then the meshes in the shown pose.
    fn first_entity(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let mut boxes: Vec<(f32, u32)> = (0..)
            .zip(&self.entities)
            .filter(|(index, _)| !self.is_entity_hidden(*index, shown))
            .filter_map(|(index, placed)| {
                // A clip may lead out of the bounds of its first frame.
                let (distance, _) = ray.within(&with_margin(&placed.bounds))?;
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

    /// `true` if entities are shown.
    pub(super) fn shows_entities(shown: &Shown) -> bool {
        !shown.overlays.is_off(OverlayId::Entities)
    }

    /// `true` if an entity is not shown: it is hidden itself, with its faction, model or class, or
    /// with all others, or it has no position.
    pub(super) fn is_entity_hidden(&self, index: u32, shown: &Shown) -> bool {
        let mut items = self
            .kinds_of(index)
            .chain([SceneItem::Entity { index }])
            .map(Item::Scene);
        let placed = self.entities.get(index as usize);
        placed.is_some_and(|placed| !placed.has_position)
            || !Self::shows_entities(shown)
            || (!shown.hidden.is_empty() && items.any(|item| shown.hides(item)))
    }
}

/// A box with a margin for the frames of a clip.
fn with_margin(aabb: &Aabb) -> Aabb {
    let margin = (aabb.max - aabb.min) * 0.5;
    Aabb {
        min: aabb.min - margin,
        max: aabb.max + margin,
    }
}
