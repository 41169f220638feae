//! Framing and picking: moves the camera to items, and finds what it sees.

use glam::{DVec2, Vec2, Vec3};

use super::camera_control::{self, CameraMode};
use super::free_view::{self, Subject};
use crate::viewer::state::State;
use crate::viewer::state::settings::FieldsOfView;
use mapscope_formats::Severity;
use mapscope_scene::camera::{Camera, Pose, Projection};
use mapscope_scene::{Aabb, GameView, Hit, Item, ModelItem, Ray, SceneItem, SeenFrom};

/// Minimum framed radius, in world units: about four tiles of terrain. Smaller items are framed
/// with their surroundings.
const MIN_FRAMED_RADIUS: f32 = 24.0;
/// Minimum framed radius in a level, in metres: its boxes are half a metre wide, and rooms are
/// narrow.
const MIN_FRAMED_RADIUS_IN_LEVEL: f32 = 1.0;
/// Fraction of the flying speed just above the ground.
const SLOWEST_SHARE: f32 = 0.1;
/// Minimum number of rays in [`ALL_DIRECTIONS`] that hit something inside a room.
const MIN_WALLS: usize = 11;
/// Directions along the axes and the diagonals.
const ALL_DIRECTIONS: [Vec3; 14] = {
    let diagonal = 0.577_350_26;
    let [low, high] = [-diagonal, diagonal];
    [
        Vec3::X,
        Vec3::NEG_X,
        Vec3::Y,
        Vec3::NEG_Y,
        Vec3::Z,
        Vec3::NEG_Z,
        Vec3::new(low, low, low),
        Vec3::new(high, low, low),
        Vec3::new(low, high, low),
        Vec3::new(high, high, low),
        Vec3::new(low, low, high),
        Vec3::new(high, low, high),
        Vec3::new(low, high, high),
        Vec3::new(high, high, high),
    ]
};

impl State {
    /// Returns the bounds of everything visible.
    pub(crate) fn shown_bounds(&self) -> Option<Aabb> {
        let document = self.document()?;
        let mut bounds = document.bounds_in_view(&self.view.shown);
        let usual = document
            .layers()
            .map(mapscope_scene::Layers::usual_layer_gap);
        if let (Some(gap), Some(usual)) =
            (self.view.shown.layer_gap, usual.filter(|gap| *gap > 0.0))
        {
            bounds.max.y = bounds.min.y + (bounds.max.y - bounds.min.y) * gap / usual;
        }
        Some(bounds)
    }

    /// Frames the whole document.
    pub(crate) fn frame_all(&mut self) {
        let Some(bounds) = self.shown_bounds() else {
            return;
        };
        if self.is_flat() {
            self.fit_flat();
            return;
        }
        self.set_mode(CameraMode::Orbit);
        self.view.camera.pose =
            camera_control::frame_all(&self.view.camera, bounds, self.view.aspect);
        self.view.framed = Some(self.view.camera.pose);
    }

    /// Centres the view on an item and fills the view with it, from an unobstructed side. In the
    /// game view it is only centred.
    pub(crate) fn frame(&mut self, item: Item) {
        let Some(bounds) = self.bounds_of(item) else {
            return;
        };
        if self.is_flat() {
            self.frame_flat(bounds);
            return;
        }
        if self.view.mode == CameraMode::Walk {
            self.set_mode(CameraMode::Orbit);
        }
        self.view.camera.pose = match self.view.mode {
            CameraMode::Game => camera_control::game_view(bounds.center(), self.view.game_height),
            _ => self.free_view(item, bounds),
        };
    }

    /// Centres the view on a box in world space and fills the view with it.
    pub(crate) fn frame_bounds(&mut self, bounds: Aabb) {
        if self.is_flat() {
            self.frame_flat(bounds);
            return;
        }
        if self.view.mode == CameraMode::Walk {
            self.set_mode(CameraMode::Orbit);
        }
        self.view.camera.pose = match self.view.mode {
            CameraMode::Game => camera_control::game_view(bounds.center(), self.view.game_height),
            _ => camera_control::frame_all(&self.view.camera, bounds, self.view.aspect),
        };
    }

    /// Goes to an item like a double click on it in a list: looks through a camera, opens a model
    /// file, and frames everything else.
    pub(crate) fn visit(&mut self, item: Item) {
        let file = match item {
            Item::Scene(SceneItem::Model { .. }) | Item::Model(ModelItem::Lod { .. }) => {
                self.document().and_then(|document| document.file_of(item))
            }
            _ => None,
        };
        if self.is_camera(item) {
            self.look_through(item);
        } else if let Some(file) = file {
            self.open_paths(&[file]);
        } else {
            self.frame(item);
        }
    }

    /// `true` if an item is a camera to look through.
    pub(crate) fn is_camera(&self, item: Item) -> bool {
        let camera = self.document().map(|document| document.camera_of(item));
        camera.flatten().is_some()
    }

    /// Looks through a camera of the file as its game does.
    pub(crate) fn look_through(&mut self, item: Item) {
        let Some(camera) = self
            .document()
            .and_then(|document| document.camera_of(item))
        else {
            return;
        };
        let pose = camera.pose;
        self.set_mode(CameraMode::Orbit);
        self.view.camera.projection = Projection::Perspective;
        self.view.fov = FieldsOfView::default();
        self.view.use_field_of_view();
        self.take_pose(pose);
        // Orbiting and zooming use the point that it sees.
        self.view.camera.pose.target = self.seen_in_the_middle();
    }

    /// Returns the pose with the best view of an item with the given bounds.
    fn free_view(&self, item: Item, bounds: Aabb) -> Pose {
        let least = self.least_framed_radius();
        let framed = camera_control::with_surroundings(bounds, least);
        let as_it_is = || camera_control::frame(&self.view.camera, framed, self.view.aspect);
        let Some(document) = self.document() else {
            return as_it_is();
        };
        let subject = Subject {
            framed,
            bounds,
            from: document.place(item, &self.view.shown).seen_from,
        };
        let found = match subject.from {
            SeenFrom::Anywhere => None,
            SeenFrom::AllAround | SeenFrom::Before { .. } => {
                free_view::find(&self.view.camera, &subject, self.view.aspect, |ray| {
                    document.pick(ray, &self.view.shown)
                })
            }
        };
        found.unwrap_or_else(as_it_is)
    }

    fn bounds_of(&self, item: Item) -> Option<Aabb> {
        self.document()?.place(item, &self.view.shown).bounds
    }

    /// Returns the minimum framed radius, which is smaller for small documents.
    fn least_framed_radius(&self) -> f32 {
        let whole = self.shown_bounds().map_or(0.0, |bounds| bounds.radius());
        let least = if self.can_cut() {
            MIN_FRAMED_RADIUS_IN_LEVEL
        } else {
            MIN_FRAMED_RADIUS
        };
        least.min(whole * 0.25)
    }

    fn center_on_selection(&mut self) {
        if let Some(bounds) = self
            .view
            .shown
            .selected
            .and_then(|item| self.bounds_of(item))
        {
            self.center_on(bounds.center());
        }
    }

    /// Centres the view on a point.
    pub(crate) fn center_on(&mut self, point: Vec3) {
        if self.is_flat() {
            self.center_flat(DVec2::new(point.x.into(), point.z.into()));
        } else {
            self.view.camera.pose = camera_control::center_on(&self.view.camera, point);
        }
    }

    /// Moves the camera only if the selection has left the view.
    pub(crate) fn keep_in_view(&mut self) {
        let Some(bounds) = self
            .view
            .shown
            .selected
            .and_then(|item| self.bounds_of(item))
        else {
            return;
        };
        let seen = self.view.camera.project(bounds.center(), self.view.aspect);
        let margin = 0.06;
        let inside = |p: Vec2| p.min_element() > margin && p.max_element() < 1.0 - margin;
        if !seen.is_some_and(inside) || self.is_behind_wall(bounds) {
            self.go_to_selection();
        }
    }

    /// `true` if a wall of a level hides the centre of a box from the eye.
    fn is_behind_wall(&self, bounds: Aabb) -> bool {
        let way = bounds.center() - self.view.camera.pose.eye;
        let Some(direction) = way.try_normalize().filter(|_| self.can_cut()) else {
            return false;
        };
        let met = self.first_met(Ray {
            origin: self.view.camera.pose.eye,
            direction,
        });
        let near_enough = bounds.radius() * 0.1;
        met.is_some_and(|hit| {
            let is_before = hit.distance < way.length() - near_enough;
            is_before && bounds.distance(hit.position) > near_enough
        })
    }

    /// Centres the view on the selection; in a level from a position without a wall in between.
    fn go_to_selection(&mut self) {
        match self.view.shown.selected.filter(|_| self.can_cut()) {
            Some(item) => self.frame(item),
            None => self.center_on_selection(),
        }
    }

    /// Returns the point of the document, or of the ground, at the centre of the view.
    pub(crate) fn seen_in_the_middle(&self) -> Vec3 {
        self.seen_at(Vec2::splat(0.5))
    }

    /// Returns the pivot of an orbit: the point at a view position, or else the camera's target. A
    /// small model then stays in view if the drag begins beside it.
    pub(crate) fn pivot_at(&self, at: Vec2) -> Vec3 {
        self.hit_at(at).unwrap_or(self.view.camera.pose.target)
    }

    fn hit_at(&self, at: Vec2) -> Option<Vec3> {
        Some(self.pick_at(at)?.position)
    }

    /// Returns the item at the centre of the view, if any.
    pub(crate) fn item_in_the_middle(&self) -> Option<Item> {
        Some(self.pick_at(Vec2::splat(0.5))?.item)
    }

    fn pick_at(&self, at: Vec2) -> Option<Hit> {
        self.first_met(self.view.camera.ray_in_world(at, self.view.aspect))
    }

    /// Returns the first hit of a ray in the document.
    pub(crate) fn first_met(&self, ray: Ray) -> Option<Hit> {
        self.document()?.pick(ray, &self.view.shown)
    }

    /// `true` if the eye is inside a room of a level, with walls, a floor and a ceiling around it.
    pub(crate) fn is_indoors(&self) -> bool {
        let perspective = self.view.camera.projection == Projection::Perspective;
        perspective && self.is_room(self.view.camera.pose.eye)
    }

    /// `true` if a position is inside a room of a level.
    pub(crate) fn is_room(&self, place: Vec3) -> bool {
        if !self.can_cut() {
            return false;
        }
        let walls = ALL_DIRECTIONS.into_iter().filter(|direction| {
            let ray = Ray {
                origin: place,
                direction: *direction,
            };
            self.first_met(ray).is_some()
        });
        walls.count() >= MIN_WALLS
    }

    /// Zooms towards the point at a view position (`factor` below 1) or away from it. Stops at a
    /// wall, and passes through it if `may_pass` and something is visible behind it.
    pub(crate) fn zoom_to(&mut self, at: Vec2, factor: f32, may_pass: bool) {
        let anchor = self.seen_at(at);
        if let Some(wall) = self.hit_at(at) {
            self.aim_as_deep_as(wall);
        }
        let pose = camera_control::zoom(&self.view.camera, anchor, factor);
        let way = pose.eye.distance(self.view.camera.pose.eye);
        let is_stopped = factor < 1.0 && way < self.view.camera.near * 0.1;
        if !is_stopped {
            self.view.camera.pose = pose;
        } else if may_pass && let Some(pose) = self.behind(anchor) {
            self.view.camera.pose = pose;
        }
    }

    /// Moves the target to at least the depth of a point, because a closer target limits the zoom.
    /// The view does not change.
    fn aim_as_deep_as(&mut self, point: Vec3) {
        let Camera { pose, .. } = self.view.camera;
        let forward = self.view.camera.forward();
        let depth = (point - pose.eye).dot(forward);
        let perspective = self.view.camera.projection == Projection::Perspective;
        if perspective && depth > self.view.camera.distance() {
            self.view.camera.pose.target = pose.eye + forward * depth;
        }
    }

    /// Returns the pose behind the wall that has stopped the eye; `None` if nothing is visible from
    /// there.
    fn behind(&self, wall: Vec3) -> Option<Pose> {
        if self.view.camera.projection != Projection::Perspective {
            return None;
        }
        let direction = (wall - self.view.camera.pose.eye).try_normalize()?;
        let eye = wall + direction * (self.view.camera.near * 2.0);
        let next = self.first_met(Ray {
            origin: eye,
            direction,
        })?;
        let ahead = next.distance.max(self.view.camera.near * 4.0);
        Some(Pose {
            eye,
            target: eye + self.view.camera.forward() * ahead,
        })
    }

    /// Returns the flying speed in world units per second. Above a map it decreases with the height
    /// above the ground, so that the camera does not dive through it.
    pub(crate) fn fly_speed(&self) -> f32 {
        let full = self.view.fly_speed;
        let bounds = self.document().filter(|document| {
            let about = document.about();
            about.game_view == GameView::FromAbove
        });
        let Some(bounds) = bounds.map(|document| document.about().bounds) else {
            return full;
        };
        let below = self.first_met(Ray {
            origin: self.view.camera.pose.eye,
            direction: Vec3::NEG_Y,
        });
        let full_height = camera_control::first_fly_speed(bounds);
        below.map_or(full, |ground| {
            full * (ground.distance / full_height).clamp(SLOWEST_SHARE, 1.0)
        })
    }

    /// Whether the camera does something that Escape ends.
    pub(crate) fn can_leave_mode(&self) -> bool {
        match self.view.mode {
            CameraMode::Fly | CameraMode::Game | CameraMode::Walk => true,
            CameraMode::Orbit | CameraMode::Flat => false,
        }
    }

    pub(crate) fn leave_mode(&mut self) {
        match self.view.mode {
            CameraMode::Fly | CameraMode::Walk => self.stop_flying(),
            _ => self.set_mode(CameraMode::Orbit),
        }
    }

    /// Looks as the game of the document does, or stops doing so.
    pub(crate) fn toggle_game_view(&mut self) {
        if matches!(self.view.mode, CameraMode::Game | CameraMode::Walk) {
            self.leave_mode();
            return;
        }
        let game_view = self.document().map(|document| document.about().game_view);
        if game_view == Some(GameView::FirstPerson) {
            self.start_walking();
        } else {
            self.set_mode(CameraMode::Game);
            self.view.game_height = camera_control::GAME_HEIGHT;
            let seen = self.seen_in_the_middle();
            self.view.camera.pose = camera_control::game_view(seen, self.view.game_height);
        }
    }

    /// Stops flying; orbits use a point in view again.
    pub(crate) fn stop_flying(&mut self) {
        self.view.camera.pose.target = self.seen_in_the_middle();
        self.set_mode(CameraMode::Orbit);
    }

    /// Returns the point of the document at a view position. Fallbacks are the horizontal ground
    /// plane, then the target's distance.
    pub(crate) fn seen_at(&self, at: Vec2) -> Vec3 {
        if let Some(position) = self.hit_at(at) {
            return position;
        }
        let bounds = self.shown_bounds();
        let ground = bounds.map_or(0.0, |bounds| bounds.center().y);
        let reach =
            bounds.map_or(1000.0, |bounds| bounds.radius() * 2.0) + self.view.camera.distance();
        camera_control::on_level(&self.view.camera, ground, at, self.view.aspect)
            .filter(|point| point.distance(self.view.camera.pose.eye) < reach)
            .unwrap_or_else(|| {
                camera_control::at_target_depth(&self.view.camera, at, self.view.aspect)
            })
    }

    /// Accumulates motion of the locked pointer, in physical pixels.
    pub(crate) fn look(&mut self, by: DVec2, pixels_per_point: f64) {
        self.pointer.looked_by += (by / pixels_per_point).as_vec2();
    }

    /// Sets the camera from text, such as a copied one.
    pub(crate) fn paste_pose(&mut self, text: &str) {
        match text.parse::<Pose>() {
            Ok(pose) => {
                self.set_mode(CameraMode::Orbit);
                self.take_pose(pose);
            }
            Err(error) => {
                let text = format!("The clipboard has no camera: {error}");
                self.notices.toast(text, Some(Severity::Error));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::Action;
    use crate::viewer::state::settings::Settings;
    use crate::viewer::testing::{
        before_wall, document, in_bathhouse, joint, loaded, model, moving,
    };
    use mapscope_scene::camera::NamedView;
    use mapscope_scene::{Document, LevelItem};

    const ASPECT: f32 = 1.3;

    /// A model of two units, and the built-in model.
    fn small() -> impl Iterator<Item = State> {
        [moving(&[("Walk", 32)]), model()]
            .into_iter()
            .map(|document| {
                let mut state = State::new(Settings::default(), ViewRequest::default());
                state.loaded(loaded(document, false));
                state.shape_view(ASPECT);
                state
            })
    }

    /// Returns the fraction of the view's height or width that the document takes; asserts that it
    /// is in view.
    #[track_caller]
    fn seen(state: &State) -> f32 {
        let document = state.document().unwrap();
        seen_of(state, document.bounds_in_view(&state.view.shown))
    }

    /// Returns the same for a box.
    #[track_caller]
    fn seen_of(state: &State, bounds: Aabb) -> f32 {
        let corners = bounds.corners();
        let at = corners.map(|corner| state.view.camera.project(corner, ASPECT).unwrap());
        let low = at.into_iter().reduce(Vec2::min).unwrap();
        let high = at.into_iter().reduce(Vec2::max).unwrap();
        assert!(low.min_element() > 0.0 && high.max_element() < 1.0);
        (high - low).max_element()
    }

    #[test]
    fn flying_is_slower_near_the_ground() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(model(), false));
        let bounds = state.document().unwrap().about().bounds;
        let full = state.view.fly_speed;
        let top = Vec3 {
            y: bounds.max.y + 1.0,
            ..bounds.center()
        };
        let direction = Vec3::NEG_Y;
        let ground = state.first_met(Ray {
            origin: top,
            direction,
        });
        let ground = ground.unwrap().position;
        let full_height = camera_control::first_fly_speed(bounds);
        for (height, share) in [(2.0, 1.0), (0.5, 0.5), (0.01, SLOWEST_SHARE)] {
            state.view.camera.pose.eye = ground + Vec3::Y * (height * full_height);
            let speed = state.fly_speed();
            assert!(
                (speed - share * full).abs() < 0.01 * full,
                "{height}: {speed}"
            );
        }
    }

    #[test]
    fn small_things_fill_the_view_from_every_side() {
        for mut state in small() {
            assert!(seen(&state) > 0.9, "at first");
            let center = state.document().unwrap().about().bounds.center();
            let aside = state.view.camera.pose.target.distance(center);
            assert!(aside < state.view.camera.distance() * 0.2, "{aside}");
            for projection in [Projection::Perspective, Projection::Orthographic] {
                state.view.camera.projection = projection;
                for view in NamedView::ALL {
                    state.run(Action::View(view));
                    state.run(Action::FrameAll);
                    assert!(seen(&state) > 0.9, "{view:?} {projection:?}");
                }
            }
        }
    }

    #[test]
    fn where_all_was_in_view_it_is_from_other_sides_too() {
        for mut state in small() {
            for view in NamedView::ALL {
                state.run(Action::View(view));
                assert!(seen(&state) > 0.9, "{view:?}");
            }
            // After zooming in, other sides keep the distance.
            let camera = &mut state.view.camera;
            camera.pose.eye = camera.pose.target.midpoint(camera.pose.eye);
            let near = camera.distance();
            state.run(Action::View(NamedView::North));
            assert!((state.view.camera.distance() / near - 1.0).abs() < 1e-3);
        }
    }

    /// Every `every`-th face of a material of the bath house.
    fn faces(document: &dyn Document, index: u32, every: usize) -> Vec<Item> {
        let material = LevelItem::Material { level: 0, index }.into();
        let first = document.next_of_kind(material, None, false);
        let next = |face: &Item| document.next_of_kind(material, Some(*face), false);
        let all = std::iter::successors(first, next).take(2000);
        let mut faces: Vec<Item> = all.step_by(every).collect();
        faces.truncate(40);
        faces
    }

    /// Returns the hit at the centre of the view.
    fn in_the_middle(state: &State) -> Option<Hit> {
        state.first_met(state.view.camera.ray_in_world(Vec2::splat(0.5), ASPECT))
    }

    #[test]
    fn a_face_is_framed_from_before_it_with_no_wall_between() {
        let mut state = in_bathhouse(ASPECT);
        let document = Arc::clone(state.document().unwrap());
        let mut framed = 0;
        let mut hidden = Vec::new();
        for material in 0..6 {
            for face in faces(&*document, material, 7) {
                state.select(Some(face));
                state.run(Action::FrameSelection);
                let camera = state.view.camera;
                let place = document.place(face, &state.view.shown);
                let SeenFrom::Before { middle, normal } = place.seen_from else {
                    panic!("{face:?} faces nowhere");
                };
                // Never from behind.
                assert!((camera.pose.eye - middle).dot(normal) > 0.0, "{face:?}");
                framed += 1;
                let met = in_the_middle(&state);
                // A wall may stand on the very centre of a face.
                if met.is_none_or(|hit| hit.position.distance(middle) > 0.1) {
                    hidden.push((face, met, camera.pose));
                }
            }
        }
        assert!(
            framed > 60 && hidden.len() * 50 <= framed,
            "{framed}: {hidden:?}"
        );
    }

    #[test]
    fn what_is_framed_is_in_the_middle() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(document(), false));
        state.shape_view(ASPECT);
        let terrain = Arc::clone(state.document().unwrap());
        for (row, col) in [(0, 0), (3, 60), (40, 127), (64, 64), (90, 20)] {
            let ray = Ray {
                origin: Vec3::new(508.0 - col as f32 * 8.0, 900.0, row as f32 * 8.0 - 508.0),
                direction: Vec3::NEG_Y,
            };
            let tile = terrain.pick(ray, &state.view.shown).unwrap().item;
            state.select(Some(tile));
            let middle = state.bounds_of(tile).unwrap().center();
            for action in [Action::FrameSelection, Action::GameView] {
                state.run(action);
                state.frame(tile);
                let seen = state.view.camera.project(middle, ASPECT).unwrap();
                assert!((seen - 0.5).length() < 0.01, "{tile:?} is at {seen}");
                assert!(
                    state.view.camera.distance() > 40.0,
                    "what is around it is seen"
                );
            }
            state.run(Action::GameView);
        }
    }

    #[test]
    fn one_is_indoors_only_between_walls() {
        let mut state = in_bathhouse(ASPECT);
        assert!(state.is_indoors());
        state.run(Action::FrameAll);
        assert!(!state.is_indoors(), "from outside");
        for mut state in small() {
            state.view.camera.pose.eye = state.document().unwrap().about().bounds.center();
            assert!(!state.is_indoors(), "a model is no room");
        }
    }

    #[test]
    fn the_wheel_stops_before_a_wall_and_then_goes_through_it() {
        let mut state = in_bathhouse(ASPECT);
        let middle = Vec2::splat(0.5);
        state.take_pose(before_wall(&state, true));
        let wall = in_the_middle(&state).unwrap().position;
        for _ in 0..80 {
            state.zoom_to(middle, 0.85, false);
        }
        let eye = state.view.camera.pose.eye;
        assert!(eye.distance(wall) < 0.1, "{eye} is not at {wall}");
        let forward = state.view.camera.forward();
        assert!((wall - eye).dot(forward) > 0.0, "still before it");
        state.zoom_to(middle, 0.97, true);
        let behind = state.view.camera.pose.eye;
        assert!(
            (wall - behind).dot(forward) < 0.0,
            "{behind} is before {wall}"
        );
        assert!(state.view.camera.forward().dot(forward) > 0.999);
        for _ in 0..4 {
            state.zoom_to(middle, 0.85, false);
        }
        let on = (state.view.camera.pose.eye - behind).dot(forward);
        assert!(on > 0.02, "and on into the next room: {on}");
    }

    #[test]
    fn nobody_goes_through_the_last_wall_or_the_ground_by_the_wheel() {
        let mut terrain = State::new(Settings::default(), ViewRequest::default());
        terrain.loaded(loaded(document(), false));
        terrain.shape_view(ASPECT);
        let rooms = in_bathhouse(ASPECT);
        let last = before_wall(&rooms, false);
        let above = "0,200,0,10,0,10".parse().unwrap();
        for (mut state, pose) in [(terrain, above), (rooms, last)] {
            state.take_pose(pose);
            let wall = in_the_middle(&state).unwrap().position;
            let forward = state.view.camera.forward();
            for _ in 0..120 {
                state.zoom_to(Vec2::splat(0.5), 0.85, true);
            }
            assert!(
                (wall - state.view.camera.pose.eye).dot(forward) > 0.0,
                "{pose}"
            );
        }
    }

    #[test]
    fn a_model_is_framed_as_it_moves_in_the_clip_that_is_shown() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(model(), false));
        state.shape_view(ASPECT);
        let document = Arc::clone(state.document().unwrap());
        let mut sizes = Vec::new();
        for clip in 0..state.clips().len() {
            state.choose_clip(Some(clip));
            state.run(Action::FrameAll);
            let item = state.clips()[clip].item;
            let bounds = document.place(item, &state.view.shown).bounds.unwrap();
            assert!(seen_of(&state, bounds) > 0.9, "clip {clip}");
            sizes.push(bounds.radius());
        }
        assert!(sizes.iter().any(|size| size != &sizes[0]), "{sizes:?}");
    }

    #[test]
    fn one_comes_near_to_small_things() {
        for mut state in small() {
            let bounds = state.document().unwrap().about().bounds;
            for _ in 0..100 {
                let camera = &state.view.camera;
                state.view.camera.pose = camera_control::zoom(camera, bounds.center(), 0.8);
            }
            assert!(state.view.camera.distance() < bounds.radius() * 0.1);
            assert!(state.view.camera.near < state.view.camera.distance() * 0.6);
        }
    }

    #[test]
    fn a_drag_beside_a_small_thing_turns_around_it() {
        for mut state in small() {
            let pivot = state.pivot_at(Vec2::new(0.02, 0.95));
            assert_eq!(pivot, state.view.camera.pose.target);
            for _ in 0..20 {
                let turn = Vec2::new(25.0, 0.0);
                state.view.camera.pose = camera_control::orbit(&state.view.camera, pivot, turn);
                let center = state.document().unwrap().about().bounds.center();
                let seen = state.view.camera.project(center, ASPECT).unwrap();
                assert!((seen - 0.5).length() < 0.35, "{seen}");
            }
        }
    }

    #[test]
    fn without_foreshortening_a_small_thing_is_pointed_at_exactly() {
        for mut state in small() {
            state.view.camera.projection = Projection::Orthographic;
            let at = Vec2::new(0.47, 0.52);
            let ray = state.view.camera.ray_in_world(at, ASPECT);
            let center = state.document().unwrap().about().bounds.center();
            let near = ray.origin + ray.direction * (center - ray.origin).dot(ray.direction);
            let seen = state.view.camera.project(near, ASPECT).unwrap();
            assert!((seen - at).length() < 1e-4, "{seen}");
        }
    }

    #[test]
    fn a_part_of_a_small_thing_is_framed_with_some_of_what_is_around() {
        for mut state in small() {
            let whole = state.document().unwrap().about().bounds.radius();
            state.run(Action::FrameAll);
            let far = state.view.camera.distance();
            state.frame(joint(1));
            let near = state.view.camera.distance();
            assert!(near <= far * 1.1 && near > whole * 0.2, "{near} of {far}");
        }
    }
}
