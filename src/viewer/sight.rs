//! Where the camera goes to see something, and what it sees.

use glam::{DVec2, Vec2, Vec3};

use super::camera_control::{self, CameraMode};
use super::state::State;
use crate::formats::Severity;
use crate::scene::camera::Pose;
use crate::scene::{Aabb, Hit, Item};

/// Things smaller than this are framed with what is around them, in world units: about four
/// tiles of terrain.
const LEAST_FRAMED_RADIUS: f32 = 24.0;

impl State {
    /// What all that can be seen occupies.
    pub(super) fn shown_bounds(&self) -> Option<Aabb> {
        let open = self.open.as_ref()?;
        let mut bounds = open.document.part_bounds(self.shown.part);
        let usual = open.lists.usual_layer_gap;
        if let Some(gap) = self.shown.layer_gap.filter(|_| usual > 0.0) {
            bounds.max.y = bounds.min.y + (bounds.max.y - bounds.min.y) * gap / usual;
        }
        Some(bounds)
    }

    /// Fills the view with everything.
    pub(super) fn frame_all(&mut self) {
        let Some(bounds) = self.shown_bounds() else {
            return;
        };
        if self.is_flat() {
            self.fit_flat();
            return;
        }
        self.set_mode(CameraMode::Orbit);
        self.camera.pose = camera_control::frame(&self.camera, bounds, 0.0, self.aspect);
    }

    /// Fills the view with an item; in the game's view it goes to the middle.
    pub(super) fn frame(&mut self, item: Item) {
        let Some(bounds) = self.bounds_of(item) else {
            return;
        };
        if self.is_flat() {
            self.frame_flat(bounds);
            return;
        }
        let least = self.least_framed_radius();
        self.camera.pose = match self.mode {
            CameraMode::Game => camera_control::game_view(bounds.center(), self.game_height),
            CameraMode::Orbit | CameraMode::Fly | CameraMode::Flat => {
                camera_control::frame(&self.camera, bounds, least, self.aspect)
            }
        };
    }

    fn bounds_of(&self, item: Item) -> Option<Aabb> {
        self.document()
            .and_then(|document| document.bounds_shown(item, &self.shown))
    }

    /// Less for documents that are themselves small.
    fn least_framed_radius(&self) -> f32 {
        let whole = self.shown_bounds().map_or(0.0, |bounds| bounds.radius());
        LEAST_FRAMED_RADIUS.min(whole * 0.25)
    }

    pub(super) fn center_on_selection(&mut self) {
        if let Some(bounds) = self.shown.selected.and_then(|item| self.bounds_of(item)) {
            self.center_on(bounds.center());
        }
    }

    /// Puts a point into the middle of the view.
    pub(super) fn center_on(&mut self, point: Vec3) {
        if self.is_flat() {
            self.center_flat(DVec2::new(point.x.into(), point.z.into()));
        } else {
            self.camera.pose = camera_control::center_on(&self.camera, point);
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
        Some(self.pick_at(at)?.position)
    }

    /// What is in the middle of the picture, if anything is.
    pub(super) fn item_in_the_middle(&self) -> Option<Item> {
        Some(self.pick_at(Vec2::splat(0.5))?.item)
    }

    fn pick_at(&self, at: Vec2) -> Option<Hit> {
        let ray = self.camera.ray_in_world(at, self.aspect);
        self.document()?.pick(ray, &self.shown)
    }

    /// The point of the document that is at a point of the picture; where there is none, of the
    /// level ground at the target's height, or at its distance.
    pub(super) fn seen_at(&self, at: Vec2) -> Vec3 {
        if let Some(position) = self.hit_at(at) {
            return position;
        }
        let bounds = self.shown_bounds();
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
                self.set_mode(CameraMode::Orbit);
                self.take_pose(pose);
            }
            Err(error) => {
                let text = format!("The clipboard has no camera: {error}");
                self.toast(text, Some(Severity::Error));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::commands::Action;
    use super::super::settings::Settings;
    use super::super::state::StartView;
    use super::super::testing::{joint, loaded, model, moving};
    use super::*;
    use crate::scene::camera::{NamedView, Projection};

    const ASPECT: f32 = 1.3;

    /// Something of two units, and the model that comes with the program.
    fn small() -> impl Iterator<Item = State> {
        [moving(&[("Walk", 32)]), model()]
            .into_iter()
            .map(|document| {
                let mut state = State::new(Settings::default(), StartView::default());
                state.loaded(loaded(document, false));
                state.shape_view(ASPECT);
                state
            })
    }

    /// How much of the picture's height or width the document takes, and that it is in it.
    #[track_caller]
    fn seen(state: &State) -> f32 {
        let corners = state.document().unwrap().bounds().corners();
        let at = corners.map(|corner| state.camera.project(corner, ASPECT).unwrap());
        let low = at.into_iter().reduce(Vec2::min).unwrap();
        let high = at.into_iter().reduce(Vec2::max).unwrap();
        assert!(low.min_element() > 0.0 && high.max_element() < 1.0);
        (high - low).max_element()
    }

    #[test]
    fn small_things_fill_the_view_from_every_side() {
        for mut state in small() {
            assert!(seen(&state) > 0.9, "at first");
            let center = state.document().unwrap().bounds().center();
            let aside = state.camera.pose.target.distance(center);
            assert!(aside < state.camera.distance() * 0.2, "{aside}");
            for projection in [Projection::Perspective, Projection::Orthographic] {
                state.camera.projection = projection;
                for view in NamedView::ALL {
                    state.run(Action::View(view));
                    state.run(Action::FrameAll);
                    assert!(seen(&state) > 0.9, "{view:?} {projection:?}");
                }
            }
        }
    }

    #[test]
    fn one_comes_near_to_small_things() {
        for mut state in small() {
            let bounds = state.document().unwrap().bounds();
            for _ in 0..100 {
                let camera = &state.camera;
                state.camera.pose = camera_control::zoom(camera, bounds.center(), 0.8);
            }
            assert!(state.camera.distance() < bounds.radius() * 0.1);
            assert!(state.camera.near < state.camera.distance() * 0.6);
        }
    }

    #[test]
    fn a_drag_beside_a_small_thing_turns_around_it() {
        for mut state in small() {
            let pivot = state.pivot_at(Vec2::new(0.02, 0.95));
            assert_eq!(pivot, state.camera.pose.target);
            for _ in 0..20 {
                let turn = Vec2::new(25.0, 0.0);
                state.camera.pose = camera_control::orbit(&state.camera, pivot, turn);
                let center = state.document().unwrap().bounds().center();
                let seen = state.camera.project(center, ASPECT).unwrap();
                assert!((seen - 0.5).length() < 0.35, "{seen}");
            }
        }
    }

    #[test]
    fn without_foreshortening_a_small_thing_is_pointed_at_exactly() {
        for mut state in small() {
            state.camera.projection = Projection::Orthographic;
            let at = Vec2::new(0.47, 0.52);
            let ray = state.camera.ray_in_world(at, ASPECT);
            let center = state.document().unwrap().bounds().center();
            let near = ray.origin + ray.direction * (center - ray.origin).dot(ray.direction);
            let seen = state.camera.project(near, ASPECT).unwrap();
            assert!((seen - at).length() < 1e-4, "{seen}");
        }
    }

    #[test]
    fn a_part_of_a_small_thing_is_framed_with_some_of_what_is_around() {
        for mut state in small() {
            let whole = state.document().unwrap().bounds().radius();
            state.run(Action::FrameAll);
            let far = state.camera.distance();
            state.frame(joint(1));
            let near = state.camera.distance();
            assert!(near <= far * 1.01 && near > whole * 0.2, "{near} of {far}");
        }
    }
}
