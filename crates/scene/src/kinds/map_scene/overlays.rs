//! Lines and labels of a scene: missing models, circles, regions and cameras.

use std::f32::consts::TAU;

use glam::Vec3;

use super::MapScene;
use super::parts::entity_of;
use crate::camera::{Camera, Handedness, Pose};
use crate::describe::lines::LineBuilder;
use crate::describe::outline::base_name;
use crate::{Annotations, Item, Label, Line, OverlayId, Ray, SceneItem, Shown};
use mapscope_formats::pfscene::{Entity, Region, Shape, Value};

pub(super) const MISSING: [u8; 3] = [240, 80, 220];
/// Colour of entity names.
const NAME: [u8; 3] = [236, 240, 244];
pub(super) const REGION: [u8; 3] = [90, 200, 255];
pub(super) const CAMERA: [u8; 3] = [255, 200, 80];
pub(super) const SELECTION: [u8; 3] = [80, 235, 120];
pub(super) const VISION: [u8; 3] = [245, 225, 110];

/// Maximum number of missing models drawn as whole boxes. Beyond that, each is only marked with a
/// cross, which needs a seventh of the lines.
const MAX_BOXES: usize = 4_000;
/// Number of lines of a circle.
const CIRCLE_STEPS: u32 = 64;
/// Height of ground lines above the ground, in world units.
const LIFT: f32 = 0.3;
/// Maximum width of a missing model's name in world units, since names would cover the map from
/// afar.
const NAME_ROOM: f32 = 32.0;
/// Aspect ratio of a camera's picture, width over height.
const CAMERA_ASPECT: f32 = 16.0 / 9.0;

impl MapScene {
    /// A place on the ground, or at height 0 off the map.
    fn on_ground(&self, x: f32, z: f32) -> Vec3 {
        let ground = self.terrain().and_then(|terrain| terrain.height_at(x, z));
        Vec3::new(x, ground.unwrap_or(0.0) + LIFT, z)
    }

    fn circle(&self, lines: &mut LineBuilder<'_>, center: [f32; 2], radius: f32) {
        let at = |step: u32| {
            let (sin, cos) = (step as f32 / CIRCLE_STEPS as f32 * TAU).sin_cos();
            self.on_ground(center[0] + cos * radius, center[1] + sin * radius)
        };
        for step in 0..CIRCLE_STEPS {
            lines.line(at(step), at(step + 1));
        }
    }

    pub(super) fn region_lines(&self, region: &Region, lines: &mut LineBuilder<'_>) {
        let (Some(center), Some(shape)) = (region.center(), region.shape()) else {
            return;
        };
        match shape {
            Shape::Circle { radius } => self.circle(lines, center, radius),
            Shape::Rectangle { size } => {
                let corner =
                    |x: f32, z: f32| [center[0] + x * size[0] / 2.0, center[1] + z * size[1] / 2.0];
                let corners = [
                    corner(-1.0, -1.0),
                    corner(1.0, -1.0),
                    corner(1.0, 1.0),
                    corner(-1.0, 1.0),
                ];
                for (i, from) in corners.into_iter().enumerate() {
                    let to = corners[(i + 1) % corners.len()];
                    self.along_ground(lines, from, to);
                }
            }
        }
    }

    /// Draws a line that follows the ground.
    fn along_ground(&self, lines: &mut LineBuilder<'_>, from: [f32; 2], to: [f32; 2]) {
        let at = |step: u32| {
            let share = step as f32 / CIRCLE_STEPS as f32;
            let along = |from: f32, to: f32| from + (to - from) * share;
            self.on_ground(along(from[0], to[0]), along(from[1], to[1]))
        };
        for step in 0..CIRCLE_STEPS {
            lines.line(at(step), at(step + 1));
        }
    }

    /// The view pyramid of a camera, from its eye to its target.
    pub(super) fn camera_lines(pose: Pose, lines: &mut LineBuilder<'_>) {
        let camera = Camera::new(pose, Handedness::Mirrored);
        let [right, up] = camera.right_up();
        let half_height = camera.half_height() * camera.distance();
        let half_width = half_height * CAMERA_ASPECT;
        let corner =
            |x: f32, y: f32| pose.target + right * (x * half_width) + up * (y * half_height);
        let corners = [
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ];
        for (i, place) in corners.into_iter().enumerate() {
            lines.line(pose.eye, place);
            lines.line(place, corners[(i + 1) % corners.len()]);
        }
    }

    /// The circles of an entity: selection circle and vision range.
    pub(super) fn entity_circles(&self, index: u32, lines: &mut Vec<Line>) {
        let index = index as usize;
        let (Some(entity), Some(placed)) =
            (self.pfscene.entities.get(index), self.entities.get(index))
        else {
            return;
        };
        let position = placed.position();
        for (radius, color) in circle_radii(entity).into_iter().zip([SELECTION, VISION]) {
            if let Some(radius) = radius {
                let mut builder = LineBuilder::new(lines, color, 2.0);
                self.circle(&mut builder, [position.x, position.z], radius);
            }
        }
    }
}

/// The radii of an entity's selection circle and of its vision range, in world units.
pub(super) fn circle_radii(entity: &Entity) -> [Option<f32>; 2] {
    ["selection_radius", "vision_range"].map(|key| {
        let radius = entity.attributes.value(key).and_then(Value::float);
        radius.filter(|radius| radius.is_finite() && *radius > 0.0)
    })
}

impl Annotations for MapScene {
    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        if let Some(terrain) = self.terrain() {
            terrain.lines(shown, lines);
        }
        let draws_boxes = self.missing_count() <= MAX_BOXES;
        for (index, placed) in (0..).zip(&self.entities) {
            if self.model_of(placed).is_none() && !self.is_entity_hidden(index, shown) {
                let [min, max] = [placed.bounds.min, placed.bounds.max];
                let room = (max - min).max_element();
                let mut builder = LineBuilder::new(lines, MISSING, 2.0).in_room(room);
                if draws_boxes {
                    builder.aabb(&placed.bounds);
                }
                // A cross on its top distinguishes it from an outline.
                builder.line(Vec3::new(min.x, max.y, min.z), max);
                builder.line(
                    Vec3::new(max.x, max.y, min.z),
                    Vec3::new(min.x, max.y, max.z),
                );
            }
        }
        let selected = match shown.selected {
            Some(Item::Scene(item)) => Some(item),
            _ => None,
        };
        let posed = self.selected_entity(shown);
        if let Some(posed) = posed {
            posed.lines(shown, lines);
        }
        let shows_regions = shown.overlays.contains(OverlayId::Regions);
        for (index, region) in (0..).zip(&self.pfscene.regions) {
            let item = SceneItem::Region { index };
            let is_shown = shows_regions && !shown.hides(item.into());
            if is_shown || selected == Some(item) {
                self.region_lines(region, &mut LineBuilder::new(lines, REGION, 2.0));
            }
        }
        let shows_cameras = shown.overlays.contains(OverlayId::Cameras);
        for camera in &self.cameras {
            let is_shown = shows_cameras && !shown.hides(camera.item);
            if is_shown || shown.selected == Some(camera.item) {
                Self::camera_lines(camera.pose, &mut LineBuilder::new(lines, CAMERA, 2.0));
            }
        }
        if shown.overlays.contains(OverlayId::Circles) {
            for index in 0..self.entities.len() as u32 {
                if !self.is_entity_hidden(index, shown) {
                    self.entity_circles(index, lines);
                }
            }
        } else if let Some(index) = shown.selected.and_then(entity_of)
            && Self::shows_entities(shown)
        {
            self.entity_circles(index, lines);
        }
    }

    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        if let Some(posed) = self.selected_entity(shown) {
            posed.labels(shown, labels);
        }
        let mut label = |position: Vec3, room: Option<f32>, text: &str, color| {
            if position.is_finite() {
                labels.push(Label {
                    position,
                    room,
                    text: text.to_owned(),
                    color,
                });
            }
        };
        let entities = self.pfscene.entities.iter().zip(&self.entities);
        for (index, (entity, placed)) in (0..).zip(entities) {
            let is_missing = self.model_of(placed).is_none();
            if !(is_missing || shown.has_names) || self.is_entity_hidden(index, shown) {
                continue;
            }
            let center = placed.bounds.center();
            let top = Vec3::new(center.x, placed.bounds.max.y, center.z);
            let color = if is_missing { MISSING } else { NAME };
            if shown.has_names {
                label(top, None, &entity.name, color);
            } else {
                label(top, Some(NAME_ROOM), base_name(&entity.model), color);
            }
        }
        if shown.overlays.contains(OverlayId::Regions) {
            for (index, region) in (0..).zip(&self.pfscene.regions) {
                let is_hidden = shown.hides(SceneItem::Region { index }.into());
                if let Some([x, z]) = region.center().filter(|_| !is_hidden) {
                    label(self.on_ground(x, z), None, &region.name, REGION);
                }
            }
        }
        if shown.overlays.contains(OverlayId::Cameras) {
            let cameras = self.cameras.iter();
            for camera in cameras.filter(|camera| !shown.hides(camera.item)) {
                label(camera.pose.eye, None, &camera.name, CAMERA);
            }
        }
    }

    fn covers(&self, ray_in_world: Ray, distance: f32, shown: &Shown) -> bool {
        self.covers_place(ray_in_world, distance, shown)
    }
}
