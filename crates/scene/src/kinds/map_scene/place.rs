//! Placement of entities.

use super::MapScene;
use super::fields::entity_item;
use super::overlays::{CAMERA, REGION};
use crate::describe::lines::{LineBuilder, box_edges};
use crate::{Document, Item, ItemPlace, Places, SceneItem, Shown, VisibleFrom};
use glam::{Affine3A, Mat3, Quat, Vec2, Vec3};

use super::{Model, Placed};
use crate::camera::Pose;
use crate::kinds::terrain::navigation::Footprint;
use crate::{Aabb, Playhead};
use mapscope_formats::pfscene::{Attributes, Camera, Entity, Value};

/// Radius in world units of the box of an entity that has neither a model nor a selection radius.
const MISSING_RADIUS: f32 = 3.0;

/// The lower share of a model's height that is its foot: a tree stands on its trunk.
const FOOT_SHARE: f32 = 0.1;

/// The transform of an entity: translation, then scale, then rotation (fact sheet B3) with a
/// conjugated quaternion (B2). Missing and invalid values are replaced by the identity.
pub(super) fn world_from_entity(entity: &Entity) -> Affine3A {
    let vector = |key| vector(&entity.attributes, key);
    let position = vector("position").unwrap_or(Vec3::ZERO);
    let scale = vector("scale").unwrap_or(Vec3::ONE);
    let rotation = rotation(&entity.attributes).unwrap_or(Quat::IDENTITY);
    Affine3A::from_mat3_translation(
        Mat3::from_diagonal(scale) * Mat3::from_quat(rotation),
        position,
    )
}

fn vector(attributes: &Attributes, key: &str) -> Option<Vec3> {
    let vector = Vec3::from(attributes.value(key)?.vec3()?);
    vector.is_finite().then_some(vector)
}

/// `true` if an entity has a valid position.
pub(super) fn has_position(entity: &Entity) -> bool {
    vector(&entity.attributes, "position").is_some()
}

/// The rotation of an entity.
pub(super) fn rotation(attributes: &Attributes) -> Option<Quat> {
    let [x, y, z, w] = attributes.value("rotation").and_then(Value::quat)?;
    let quat = Quat::from_xyzw(x, y, z, w).conjugate();
    let is_rotation = quat.is_finite() && quat.length_squared() > f32::EPSILON;
    is_rotation.then(|| quat.normalize())
}

/// Rotation of an upright entity to its left as seen from above, in degrees; `None` if it is
/// tilted.
pub(super) fn yaw_degrees(rotation: Quat) -> Option<f32> {
    let up = rotation * Vec3::Y;
    let ahead = rotation * Vec3::Z;
    (up.y > 0.999_9).then(|| ahead.x.atan2(ahead.z).to_degrees())
}

/// Distance in world units from a scene camera to the middle of its picture.
const CAMERA_DEPTH: f32 = 12.0;

/// The pose of a camera (fact sheet 0); `None` if the file does not define it.
pub(super) fn camera_pose(camera: &Camera) -> Option<Pose> {
    let eye = Vec3::from(camera.position()?);
    let [pitch, yaw] = camera.pitch_and_yaw()?.map(f32::to_radians);
    let ahead = Vec3::new(
        yaw.cos() * pitch.cos(),
        pitch.sin(),
        -yaw.sin() * pitch.cos(),
    );
    let target = eye + ahead * CAMERA_DEPTH;
    // Far off, both are rounded to the same place.
    (target.is_finite() && eye != target).then_some(Pose { eye, target })
}

/// The box of an entity without a model.
pub(super) fn missing_bounds(entity: &Entity, world_from_model: &Affine3A) -> Aabb {
    let radius = entity
        .attributes
        .value("selection_radius")
        .and_then(Value::float);
    let radius = radius
        .filter(|radius| radius.is_finite() && *radius > 0.0)
        .unwrap_or(MISSING_RADIUS);
    let foot = Vec3::from(world_from_model.translation);
    Aabb {
        min: foot - Vec3::new(radius, 0.0, radius),
        max: foot + Vec3::new(radius, 2.0 * radius, radius),
    }
}

/// World-space bounds of a placed model in the first frame of a clip.
pub(super) fn model_bounds(
    model: &Model,
    clip: Option<usize>,
    world_from_model: &Affine3A,
) -> Option<Aabb> {
    let playhead = Playhead {
        clip,
        ..Playhead::default()
    };
    let extent = model.extent_at(playhead)?;
    let corners = extent
        .corners()
        .map(|corner| world_from_model.transform_point3(corner));
    Aabb::around(corners).filter(|aabb| aabb.min.is_finite() && aabb.max.is_finite())
}

/// `true` if an entity collides with others, and if it is static; `None` if the file does not
/// define both.
fn is_solid_and_static(entity: &Entity) -> Option<[bool; 2]> {
    let is = |key| entity.attributes.value(key).and_then(Value::bool);
    Some([is("collision")?, is("static")?])
}

/// `true` if an entity blocks others at its place.
pub(super) fn is_blocker(entity: &Entity) -> bool {
    is_solid_and_static(entity) == Some([true, true])
}

/// `true` if an entity moves among others.
pub(super) fn can_move(entity: &Entity) -> bool {
    is_solid_and_static(entity) == Some([true, false])
}

/// The bounds of the lowest vertices of a model, in model space.
pub(super) fn foot(model: &Model) -> Option<Aabb> {
    let places = || model.pfobj().vertices.iter().map(|vertex| vertex.position);
    let [low, high] = places().fold([f32::MAX, f32::MIN], |[low, high], [_, y, _]| {
        [low.min(y), high.max(y)]
    });
    let top = low + (high - low) * FOOT_SHARE;
    Aabb::around(places().filter(|[_, y, _]| *y <= top).map(Vec3::from))
}

/// The ground area below a box in model space.
pub(super) fn footprint_of(of_model: Aabb, placed: &Placed) -> Footprint {
    let corners = of_model.corners().map(|corner| {
        let world = placed.world_from_model.transform_point3(corner);
        Vec2::new(world.x, world.z)
    });
    Footprint::around(&corners)
}

/// The ground area that an entity covers if it blocks units: the area below the rotated box of its
/// model, or its selection circle if the model is missing.
pub(super) fn footprint(
    entity: &Entity,
    placed: &Placed,
    model: Option<&Model>,
) -> Option<Footprint> {
    if !is_blocker(entity) || !placed.has_position {
        return None;
    }
    let playhead = Playhead {
        clip: placed.clip,
        ..Playhead::default()
    };
    if let Some(extent) = model.and_then(|model| model.extent_at(playhead)) {
        return Some(footprint_of(extent, placed));
    }
    let radius = entity.attributes.value("selection_radius")?.float()?;
    (radius > 0.0).then(|| Footprint::Circle {
        center: Vec2::new(placed.position().x, placed.position().z),
        radius,
    })
}

impl Placed {
    /// Its position in world space.
    pub(super) fn position(&self) -> Vec3 {
        self.world_from_model.translation.into()
    }

    /// Height of its foot above the ground; negative if it is below.
    pub(super) fn above_ground(&self) -> Option<f32> {
        Some(self.position().y - self.ground?)
    }
}

impl Places for MapScene {
    fn place(&self, item: Item, shown: &Shown) -> ItemPlace {
        if let Some((posed, part)) = self.part(item) {
            return posed.place(part, shown);
        }
        let Item::Scene(item) = item else {
            let terrain = self.terrain();
            return terrain.map_or_else(ItemPlace::default, |terrain| terrain.place(item, shown));
        };
        ItemPlace {
            bounds: self.bounds_of(item),
            seen_from: match item {
                SceneItem::Entity { .. } => VisibleFrom::AllSides,
                _ => VisibleFrom::Anywhere,
            },
            is_placeholder: false,
        }
    }

    fn contour(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        if let Some((posed, part)) = self.part(item).filter(|_| Self::shows_entities(shown)) {
            return posed.contour(part, shown);
        }
        match item {
            Item::Scene(_) if !Self::shows_entities(shown) => Vec::new(),
            Item::Scene(SceneItem::Entity { index }) => {
                let Some(placed) = self.entities.get(index as usize) else {
                    return Vec::new();
                };
                let extent = self.model_of(placed).and_then(|model| {
                    model.extent_at(Self::playhead_of(placed.clip, model, shown.playhead))
                });
                // The box turns with the entity.
                let corners = extent.map_or_else(
                    || placed.bounds.corners(),
                    |extent| {
                        let corners = extent.corners();
                        corners.map(|corner| placed.world_from_model.transform_point3(corner))
                    },
                );
                box_edges(&corners).collect()
            }
            Item::Scene(
                kind @ (SceneItem::Faction { .. }
                | SceneItem::Class { .. }
                | SceneItem::Model { .. }),
            ) => self
                .members(kind)
                .iter()
                .filter(|index| !self.is_entity_hidden(**index, shown))
                .flat_map(|index| self.contour(entity_item(*index), shown))
                .collect(),
            Item::Scene(_) => Vec::new(),
            item => self
                .terrain()
                .map_or_else(Vec::new, |terrain| terrain.contour(item, shown)),
        }
    }
}

impl MapScene {
    pub(super) fn bounds_of(&self, item: SceneItem) -> Option<Aabb> {
        let of_entities = |entities: &mut dyn Iterator<Item = u32>| {
            let placed = entities.filter_map(|index| self.entities.get(index as usize));
            let boxes = placed
                .filter(|placed| placed.has_position)
                .map(|placed| placed.bounds);
            boxes.reduce(|all, next| all.union(&next))
        };
        match item {
            SceneItem::Scene | SceneItem::Clip => Some(self.about.bounds),
            SceneItem::Entity { index } => of_entities(&mut std::iter::once(index)),
            SceneItem::Faction { .. } | SceneItem::Class { .. } | SceneItem::Model { .. } => {
                of_entities(&mut self.members(item).iter().copied())
            }
            SceneItem::Region { index } => {
                let mut lines = Vec::new();
                let region = self.pfscene.regions.get(index as usize)?;
                self.region_lines(region, &mut LineBuilder::new(&mut lines, REGION, 1.0));
                Aabb::around(lines.into_iter().flat_map(|line| line.ends))
            }
            SceneItem::Part { .. } => None,
            SceneItem::Camera { .. } => {
                let mut lines = Vec::new();
                let pose = (self as &dyn Document).camera_of(item.into())?.pose;
                Self::camera_lines(pose, &mut LineBuilder::new(&mut lines, CAMERA, 1.0));
                Aabb::around(lines.into_iter().flat_map(|line| line.ends))
            }
        }
    }
}
