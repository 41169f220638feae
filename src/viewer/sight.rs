//! Where the camera goes to see something, and what it sees.

use glam::{DVec2, Vec2, Vec3};

use super::camera_control::{self, CameraMode};
use super::state::State;
use crate::formats::Severity;
use crate::scene::camera::Pose;
use crate::scene::{Aabb, Item};

/// Things smaller than this are framed with what is around them, in world units: about four
/// tiles of terrain.
const LEAST_FRAMED_RADIUS: f32 = 24.0;

impl State {
    /// Fills the view with everything.
    pub(super) fn frame_all(&mut self) {
        let Some(bounds) = self.document().map(|document| document.bounds()) else {
            return;
        };
        self.mode = CameraMode::Orbit;
        self.camera.pose = camera_control::frame(&self.camera, bounds, 0.0, self.aspect);
    }

    /// Fills the view with an item; in the game's view it goes to the middle.
    pub(super) fn frame(&mut self, item: Item) {
        let Some(bounds) = self.bounds_of(item) else {
            return;
        };
        let least = self.least_framed_radius();
        self.camera.pose = match self.mode {
            CameraMode::Game => camera_control::game_view(bounds.center(), self.game_height),
            CameraMode::Orbit | CameraMode::Fly => {
                camera_control::frame(&self.camera, bounds, least, self.aspect)
            }
        };
    }

    fn bounds_of(&self, item: Item) -> Option<Aabb> {
        self.document()
            .and_then(|document| document.item_bounds(item, self.shown.playhead))
    }

    /// Less for documents that are themselves small.
    fn least_framed_radius(&self) -> f32 {
        let whole = self
            .document()
            .map_or(0.0, |document| document.bounds().radius());
        LEAST_FRAMED_RADIUS.min(whole * 0.25)
    }

    pub(super) fn center_on_selection(&mut self) {
        if let Some(bounds) = self.shown.selected.and_then(|item| self.bounds_of(item)) {
            self.camera.pose = camera_control::center_on(&self.camera, bounds.center());
        }
    }

    /// Moves the camera only if the selection has left the view.
    pub(super) fn keep_in_view(&mut self) {
        let Some(bounds) = self.shown.selected.and_then(|item| self.bounds_of(item)) else {
            return;
        };
        let seen = self.camera.project(bounds.center(), self.aspect);
        let margin = 0.06;
        let inside = |p: Vec2| p.min_element() > margin && p.max_element() < 1.0 - margin;
        if !seen.is_some_and(inside) {
            self.center_on_selection();
        }
    }

    /// The point of the document, or of the ground, that is in the middle of the picture.
    pub(super) fn seen_in_the_middle(&self) -> Vec3 {
        self.seen_at(Vec2::splat(0.5))
    }

    /// The point that a drag turns the view around: what is at a point of the picture, or else
    /// what the camera looks at, so that a small thing stays in view however far beside it the drag
    /// begins.
    pub(super) fn pivot_at(&self, at: Vec2) -> Vec3 {
        self.hit_at(at).unwrap_or(self.camera.pose.target)
    }

    fn hit_at(&self, at: Vec2) -> Option<Vec3> {
        let ray = self.camera.ray_in_world(at, self.aspect);
        let hit = self.document()?.pick(ray, &self.shown)?;
        Some(hit.position)
    }

    /// The point of the document that is at a point of the picture; where there is none, of the
    /// level ground at the target's height, or at its distance.
    pub(super) fn seen_at(&self, at: Vec2) -> Vec3 {
        if let Some(position) = self.hit_at(at) {
            return position;
        }
        let bounds = self.document().map(|document| document.bounds());
        let ground = bounds.map_or(0.0, |bounds| bounds.center().y);
        let reach = bounds.map_or(1000.0, |bounds| bounds.radius() * 2.0) + self.camera.distance();
        camera_control::on_level(&self.camera, ground, at, self.aspect)
            .filter(|point| point.distance(self.camera.pose.eye) < reach)
            .unwrap_or_else(|| camera_control::at_target_depth(&self.camera, at, self.aspect))
    }

    /// The pointer that is held was moved by so many physical pixels.
    pub(super) fn look(&mut self, by: DVec2, pixels_per_point: f64) {
        self.looked_by += (by / pixels_per_point).as_vec2();
    }

    /// Takes the camera from a text, such as one that was copied.
    pub(super) fn paste_pose(&mut self, text: &str) {
        match text.parse::<Pose>() {
            Ok(pose) => {
                self.mode = CameraMode::Orbit;
                self.camera.pose = pose;
            }
            Err(error) => {
                let text = format!("The clipboard has no camera: {error}");
                self.toast(text, Some(Severity::Error));
            }
        }
    }
}
