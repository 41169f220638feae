//! Lines and texts of a scene: what has no model, circles, regions and cameras.

use std::f32::consts::TAU;

use glam::Vec3;

use super::{MapScene, build};
use crate::lines::LineBuilder;
use crate::{Annotations, Item, Label, Line, OverlayId, SceneItem, Shown};
use mapscope_formats::pfscene::{Camera, Region, Shape, Value};

pub(super) const MISSING: [u8; 3] = [240, 80, 220];
pub(super) const REGION: [u8; 3] = [90, 200, 255];
pub(super) const CAMERA: [u8; 3] = [255, 200, 80];
pub(super) const SELECTION: [u8; 3] = [80, 235, 120];
pub(super) const VISION: [u8; 3] = [245, 225, 110];

/// Lines of a circle.
const CIRCLE_STEPS: u32 = 64;
/// How far above the ground lines on it are, in world units.
const LIFT: f32 = 0.3;
/// How far the picture of a camera is drawn from it, in world units.
const CAMERA_DEPTH: f32 = 12.0;
/// Vertical field of view of the engine's cameras, in degrees (fact sheet 0).
const FIELD_OF_VIEW_DEGREES: f32 = 45.0;

/// Where a camera is and where it looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    pub(super) eye: Vec3,
    /// Of length 1.
    pub(super) ahead: Vec3,
}

impl Pose {
    /// That of a camera of a file (fact sheet 0).
    pub(super) fn of(camera: &Camera) -> Option<Self> {
        let eye = Vec3::from(camera.position()?);
        let [pitch, yaw] = camera.pitch_and_yaw()?.map(f32::to_radians);
        let ahead = Vec3::new(
            yaw.cos() * pitch.cos(),
            pitch.sin(),
            -yaw.sin() * pitch.cos(),
        );
        (eye.is_finite() && ahead.is_finite()).then_some(Self { eye, ahead })
    }
}

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

    /// A line that follows the ground.
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

    pub(super) fn camera_lines(camera: &Camera, lines: &mut LineBuilder<'_>) {
        let Some(Pose { eye, ahead }) = Pose::of(camera) else {
            return;
        };
        let right = ahead.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X);
        let up = right.cross(ahead);
        let half_height = (FIELD_OF_VIEW_DEGREES / 2.0).to_radians().tan() * CAMERA_DEPTH;
        let half_width = half_height * 16.0 / 9.0;
        let corner = |x: f32, y: f32| {
            eye + ahead * CAMERA_DEPTH + right * (x * half_width) + up * (y * half_height)
        };
        let corners = [
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ];
        for (i, place) in corners.into_iter().enumerate() {
            lines.line(eye, place);
            lines.line(place, corners[(i + 1) % corners.len()]);
        }
    }

    /// The circles of an entity: what is lit when it is selected, and how far it sees.
    pub(super) fn entity_circles(&self, index: u32, lines: &mut Vec<Line>) {
        let index = index as usize;
        let (Some(entity), Some(placed)) =
            (self.pfscene.entities.get(index), self.entities.get(index))
        else {
            return;
        };
        let position = placed.position();
        for (key, color) in [("selection_radius", SELECTION), ("vision_range", VISION)] {
            let radius = entity.attributes.value(key).and_then(Value::float);
            let radius = radius.filter(|radius| radius.is_finite() && *radius > 0.0);
            if let Some(radius) = radius {
                let mut builder = LineBuilder::new(lines, color, 2.0);
                self.circle(&mut builder, [position.x, position.z], radius);
            }
        }
    }
}

impl Annotations for MapScene {
    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        for (index, placed) in (0..).zip(&self.entities) {
            if self.model_of(placed).is_none() && !self.is_hidden(index, shown) {
                let mut builder = LineBuilder::new(lines, MISSING, 2.0);
                builder.aabb(&placed.bounds);
                let [min, max] = [placed.bounds.min, placed.bounds.max];
                // A cross on its top, so that it is not taken for an outline.
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
        let shows_regions = shown.overlays.contains(OverlayId::Regions);
        for (index, region) in (0..).zip(&self.pfscene.regions) {
            if shows_regions || selected == Some(SceneItem::Region { index }) {
                self.region_lines(region, &mut LineBuilder::new(lines, REGION, 2.0));
            }
        }
        let shows_cameras = shown.overlays.contains(OverlayId::Cameras);
        for (index, camera) in (0..).zip(&self.pfscene.cameras) {
            if shows_cameras || selected == Some(SceneItem::Camera { index }) {
                Self::camera_lines(camera, &mut LineBuilder::new(lines, CAMERA, 2.0));
            }
        }
        if shown.overlays.contains(OverlayId::Circles) {
            for index in 0..self.entities.len() as u32 {
                if !self.is_hidden(index, shown) {
                    self.entity_circles(index, lines);
                }
            }
        } else if let Some(SceneItem::Entity { index }) = selected {
            self.entity_circles(index, lines);
        }
    }

    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        let mut label = |position: Vec3, text: &str, color| {
            if position.is_finite() {
                labels.push(Label {
                    position,
                    room: None,
                    text: text.to_owned(),
                    color,
                });
            }
        };
        let entities = self.pfscene.entities.iter().zip(&self.entities);
        for (index, (entity, placed)) in (0..).zip(entities) {
            if self.model_of(placed).is_none() && !self.is_hidden(index, shown) {
                let center = placed.bounds.center();
                let top = Vec3::new(center.x, placed.bounds.max.y, center.z);
                label(top, build::file_name(&entity.model), MISSING);
            }
        }
        if shown.overlays.contains(OverlayId::Regions) {
            for region in &self.pfscene.regions {
                if let Some([x, z]) = region.center() {
                    label(self.on_ground(x, z), &region.name, REGION);
                }
            }
        }
        if shown.overlays.contains(OverlayId::Cameras) {
            for camera in &self.pfscene.cameras {
                if let Some(pose) = Pose::of(camera) {
                    label(pose.eye, &camera.name, CAMERA);
                }
            }
        }
    }
}
