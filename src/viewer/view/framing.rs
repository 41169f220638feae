//! Framing and picking: moves the camera to items, and finds what it sees.

use glam::{DVec2, Vec2, Vec3};

use super::View;
use super::camera_control::{self, CameraMode};
use super::fields_of_view::FieldsOfView;
use super::free_view::{self, Subject};
use mapscope_scene::camera::{Camera, Pose, Projection};
use mapscope_scene::{Aabb, Document, GameView, Hit, Item, Ray, VisibleFrom};

/// Minimum framed radius, in world units: about four tiles of terrain. Smaller items are framed
/// with their surroundings.
const MIN_FRAMED_RADIUS: f32 = 24.0;
/// Minimum framed radius in a level, in metres: its boxes are half a metre wide, and rooms are
/// narrow.
const MIN_FRAMED_RADIUS_IN_LEVEL: f32 = 1.0;
/// Fraction of the flying speed just above the ground.
const MIN_SPEED_FRACTION: f32 = 0.1;
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

impl View {
    /// Returns the bounds of everything that can be seen.
    pub(crate) fn shown_bounds(&self, document: &dyn Document) -> Aabb {
        let mut bounds = document.bounds_in_view(&self.shown);
        let usual = document
            .layers()
            .map(mapscope_scene::Layers::default_layer_gap);
        if let (Some(gap), Some(usual)) = (self.shown.layer_gap, usual.filter(|gap| *gap > 0.0)) {
            bounds.max.y = bounds.min.y + (bounds.max.y - bounds.min.y) * gap / usual;
        }
        bounds
    }

    /// Frames the whole document.
    pub(crate) fn frame_all(&mut self, document: &dyn Document) {
        if self.is_flat() {
            self.fit_flat(document);
            return;
        }
        let bounds = self.shown_bounds(document);
        self.set_mode(CameraMode::Orbit);
        self.camera.pose = camera_control::frame_all(&self.camera, bounds, self.aspect);
        self.framed = Some(self.camera.pose);
    }

    /// Centres the view on an item and fills the view with it, from an unobstructed side. In the
    /// game view it is only centred.
    pub(crate) fn frame(&mut self, document: &dyn Document, item: Item) {
        let Some(bounds) = self.bounds_of(document, item) else {
            return;
        };
        if self.is_flat() {
            self.frame_flat(document, bounds);
            return;
        }
        if self.mode == CameraMode::Walk {
            self.set_mode(CameraMode::Orbit);
        }
        self.camera.pose = match self.mode {
            CameraMode::Game => camera_control::game_view(bounds.center(), self.game_height),
            _ => self.free_view(document, item, bounds),
        };
    }

    /// Centres the view on a box in world space and fills the view with it.
    pub(crate) fn frame_bounds(&mut self, document: &dyn Document, bounds: Aabb) {
        if self.is_flat() {
            self.frame_flat(document, bounds);
            return;
        }
        if self.mode == CameraMode::Walk {
            self.set_mode(CameraMode::Orbit);
        }
        self.camera.pose = match self.mode {
            CameraMode::Game => camera_control::game_view(bounds.center(), self.game_height),
            _ => camera_control::frame_all(&self.camera, bounds, self.aspect),
        };
    }

    /// Looks through a camera of the file as its game does.
    pub(crate) fn look_through(&mut self, document: &dyn Document, item: Item) {
        let Some(camera) = document.camera_of(item) else {
            return;
        };
        let pose = camera.pose;
        self.set_mode(CameraMode::Orbit);
        self.camera.projection = Projection::Perspective;
        self.fov = FieldsOfView::default();
        self.use_field_of_view();
        self.apply_pose(document, pose);
        // Orbiting and zooming use the point that it sees.
        self.camera.pose.target = self.point_at_center(document);
    }

    /// Returns the pose with the best view of an item with the given bounds.
    fn free_view(&self, document: &dyn Document, item: Item, bounds: Aabb) -> Pose {
        let least = self.least_framed_radius(document);
        let framed = camera_control::with_surroundings(bounds, least);
        let subject = Subject {
            framed,
            bounds,
            from: document.place(item, &self.shown).seen_from,
        };
        let found = match subject.from {
            VisibleFrom::Anywhere => None,
            VisibleFrom::AllSides | VisibleFrom::Before { .. } => {
                free_view::find(&self.camera, &subject, self.aspect, |ray| {
                    document.pick(ray, &self.shown)
                })
            }
        };
        found.unwrap_or_else(|| camera_control::frame(&self.camera, framed, self.aspect))
    }

    fn bounds_of(&self, document: &dyn Document, item: Item) -> Option<Aabb> {
        document.place(item, &self.shown).bounds
    }

    /// Returns the minimum framed radius, which is smaller for small documents.
    fn least_framed_radius(&self, document: &dyn Document) -> f32 {
        let whole = self.shown_bounds(document).radius();
        let least = if document.levels().is_some() {
            MIN_FRAMED_RADIUS_IN_LEVEL
        } else {
            MIN_FRAMED_RADIUS
        };
        least.min(whole * 0.25)
    }

    fn center_on_selection(&mut self, document: &dyn Document) {
        if let Some(bounds) = self
            .shown
            .selected
            .and_then(|item| self.bounds_of(document, item))
        {
            self.center_on(document, bounds.center());
        }
    }

    /// Centres the view on a point.
    pub(crate) fn center_on(&mut self, document: &dyn Document, point: Vec3) {
        if self.is_flat() {
            self.center_flat(document, DVec2::new(point.x.into(), point.z.into()));
        } else {
            self.camera.pose = camera_control::center_on(&self.camera, point);
        }
    }

    /// Moves the camera only if the selection has left the view.
    pub(crate) fn keep_in_view(&mut self, document: &dyn Document) {
        let Some(bounds) = self
            .shown
            .selected
            .and_then(|item| self.bounds_of(document, item))
        else {
            return;
        };
        let seen = self.camera.project(bounds.center(), self.aspect);
        let margin = 0.06;
        let inside = |p: Vec2| p.min_element() > margin && p.max_element() < 1.0 - margin;
        if !seen.is_some_and(inside) || self.is_behind_wall(document, bounds) {
            self.go_to_selection(document);
        }
    }

    /// `true` if a wall of a level hides the centre of a box from the eye.
    fn is_behind_wall(&self, document: &dyn Document, bounds: Aabb) -> bool {
        let way = bounds.center() - self.camera.pose.eye;
        let Some(direction) = way.try_normalize().filter(|_| document.levels().is_some()) else {
            return false;
        };
        let met = self.first_hit(
            document,
            Ray {
                origin: self.camera.pose.eye,
                direction,
            },
        );
        let near_enough = bounds.radius() * 0.1;
        met.is_some_and(|hit| {
            let is_before = hit.distance < way.length() - near_enough;
            is_before && bounds.distance(hit.position) > near_enough
        })
    }

    /// Centres the view on the selection; in a level from a position without a wall in between.
    fn go_to_selection(&mut self, document: &dyn Document) {
        match self.shown.selected.filter(|_| document.levels().is_some()) {
            Some(item) => self.frame(document, item),
            None => self.center_on_selection(document),
        }
    }

    /// Returns the point of the document, or of the ground, at the centre of the view.
    pub(crate) fn point_at_center(&self, document: &dyn Document) -> Vec3 {
        self.seen_at(document, Vec2::splat(0.5))
    }

    /// Returns the pivot of an orbit: the point at a view position, or else the camera's target. A
    /// small model then stays in view if the drag begins beside it.
    pub(crate) fn pivot_at(&self, document: &dyn Document, at: Vec2) -> Vec3 {
        self.hit_at(document, at).unwrap_or(self.camera.pose.target)
    }

    fn hit_at(&self, document: &dyn Document, at: Vec2) -> Option<Vec3> {
        Some(self.pick_at(document, at)?.position)
    }

    /// Returns the item at the centre of the view, if any.
    pub(crate) fn item_at_center(&self, document: &dyn Document) -> Option<Item> {
        Some(self.pick_at(document, Vec2::splat(0.5))?.item)
    }

    fn pick_at(&self, document: &dyn Document, at: Vec2) -> Option<Hit> {
        self.first_hit(document, self.camera.ray_in_world(at, self.aspect))
    }

    /// Returns the first hit of a ray in the document.
    pub(crate) fn first_hit(&self, document: &dyn Document, ray: Ray) -> Option<Hit> {
        document.pick(ray, &self.shown)
    }

    /// `true` if the eye is inside a room of a level, with walls, a floor and a ceiling around it.
    pub(crate) fn is_indoors(&self, document: &dyn Document) -> bool {
        let perspective = self.camera.projection == Projection::Perspective;
        perspective && self.is_room(document, self.camera.pose.eye)
    }

    /// `true` if a position is inside a room of a level.
    pub(crate) fn is_room(&self, document: &dyn Document, place: Vec3) -> bool {
        if document.levels().is_none() {
            return false;
        }
        let walls = ALL_DIRECTIONS.into_iter().filter(|direction| {
            let ray = Ray {
                origin: place,
                direction: *direction,
            };
            self.first_hit(document, ray).is_some()
        });
        walls.count() >= MIN_WALLS
    }

    /// Zooms towards the point at a view position (`factor` below 1) or away from it. Stops at a
    /// wall, and passes through it if `may_pass` and something is visible behind it.
    pub(crate) fn zoom_to(
        &mut self,
        document: &dyn Document,
        at: Vec2,
        factor: f32,
        may_pass: bool,
    ) {
        let anchor = self.seen_at(document, at);
        if let Some(wall) = self.hit_at(document, at) {
            self.deepen_target(wall);
        }
        let pose = camera_control::zoom(&self.camera, anchor, factor);
        let way = pose.eye.distance(self.camera.pose.eye);
        let is_stopped = factor < 1.0 && way < self.camera.near * 0.1;
        if !is_stopped {
            self.camera.pose = pose;
        } else if may_pass && let Some(pose) = self.behind(document, anchor) {
            self.camera.pose = pose;
        }
    }

    /// Moves the target to at least the depth of a point, because a closer target limits the zoom.
    /// The view does not change.
    fn deepen_target(&mut self, point: Vec3) {
        let Camera { pose, .. } = self.camera;
        let forward = self.camera.forward();
        let depth = (point - pose.eye).dot(forward);
        let perspective = self.camera.projection == Projection::Perspective;
        if perspective && depth > self.camera.distance() {
            self.camera.pose.target = pose.eye + forward * depth;
        }
    }

    /// Returns the pose behind the wall that has stopped the eye; `None` if nothing is visible from
    /// there.
    fn behind(&self, document: &dyn Document, wall: Vec3) -> Option<Pose> {
        if self.camera.projection != Projection::Perspective {
            return None;
        }
        let direction = (wall - self.camera.pose.eye).try_normalize()?;
        let eye = wall + direction * (self.camera.near * 2.0);
        let next = self.first_hit(
            document,
            Ray {
                origin: eye,
                direction,
            },
        )?;
        let ahead = next.distance.max(self.camera.near * 4.0);
        Some(Pose {
            eye,
            target: eye + self.camera.forward() * ahead,
        })
    }

    /// Returns the flying speed in world units per second. Above a map it decreases with the height
    /// above the ground, so that the camera does not dive through it.
    pub(crate) fn fly_speed(&self, document: &dyn Document) -> f32 {
        let full = self.fly_speed;
        let about = document.about();
        if about.game_view != GameView::FromAbove {
            return full;
        }
        let below = self.first_hit(
            document,
            Ray {
                origin: self.camera.pose.eye,
                direction: Vec3::NEG_Y,
            },
        );
        let full_height = camera_control::first_fly_speed(about.bounds);
        below.map_or(full, |ground| {
            full * (ground.distance / full_height).clamp(MIN_SPEED_FRACTION, 1.0)
        })
    }

    /// Whether the camera does something that Escape ends.
    pub(crate) fn can_leave_mode(&self) -> bool {
        match self.mode {
            CameraMode::Fly | CameraMode::Game | CameraMode::Walk => true,
            CameraMode::Orbit | CameraMode::Flat => false,
        }
    }

    pub(crate) fn leave_mode(&mut self, document: &dyn Document) {
        match self.mode {
            CameraMode::Fly | CameraMode::Walk => self.stop_flying(document),
            _ => self.set_mode(CameraMode::Orbit),
        }
    }

    /// Looks as the game of the document does, or stops doing so. Returns `false` if there is no floor
    /// to stand on.
    pub(crate) fn toggle_game_view(&mut self, document: &dyn Document) -> bool {
        if matches!(self.mode, CameraMode::Game | CameraMode::Walk) {
            self.leave_mode(document);
            true
        } else if document.about().game_view == GameView::FirstPerson {
            self.start_walking(document)
        } else {
            self.set_mode(CameraMode::Game);
            self.game_height = camera_control::GAME_HEIGHT;
            let seen = self.point_at_center(document);
            self.camera.pose = camera_control::game_view(seen, self.game_height);
            true
        }
    }

    /// Flies, or stops flying.
    pub(crate) fn toggle_fly(&mut self, document: &dyn Document) {
        if self.is_flat() {
            self.toggle_flat(document);
        }
        if self.mode == CameraMode::Fly {
            self.stop_flying(document);
        } else {
            self.set_mode(CameraMode::Fly);
        }
    }

    /// Stops flying; orbits use a point in view again.
    pub(crate) fn stop_flying(&mut self, document: &dyn Document) {
        self.camera.pose.target = self.point_at_center(document);
        self.set_mode(CameraMode::Orbit);
    }

    /// Returns the point of the document at a view position. Fallbacks are the horizontal ground
    /// plane, then the target's distance.
    pub(crate) fn seen_at(&self, document: &dyn Document, at: Vec2) -> Vec3 {
        if let Some(position) = self.hit_at(document, at) {
            return position;
        }
        let bounds = self.shown_bounds(document);
        let ground = bounds.center().y;
        let reach = bounds.radius() * 2.0 + self.camera.distance();
        camera_control::on_level(&self.camera, ground, at, self.aspect)
            .filter(|point| point.distance(self.camera.pose.eye) < reach)
            .unwrap_or_else(|| camera_control::at_target_depth(&self.camera, at, self.aspect))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::Action;
    use crate::viewer::state::State;
    use crate::viewer::state::settings::Settings;
    use crate::viewer::testing::{
        before_wall, document, in_bathhouse, joint, loaded, looking, looks, model, moving,
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
                state.session.shape_view(ASPECT);
                state
            })
    }

    /// Returns the fraction of the view's height or width that the document takes; asserts that it
    /// is in view.
    #[track_caller]
    fn seen(state: &State) -> f32 {
        let document = state.session.document().unwrap();
        seen_of(state, document.bounds_in_view(&state.session.view.shown))
    }

    /// Returns the same for a box.
    #[track_caller]
    fn seen_of(state: &State, bounds: Aabb) -> f32 {
        let corners = bounds.corners();
        let at = corners.map(|corner| state.session.view.camera.project(corner, ASPECT).unwrap());
        let low = at.into_iter().reduce(Vec2::min).unwrap();
        let high = at.into_iter().reduce(Vec2::max).unwrap();
        assert!(low.min_element() > 0.0 && high.max_element() < 1.0);
        (high - low).max_element()
    }

    #[test]
    fn flying_is_slower_near_the_ground() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(model(), false));
        let bounds = state.session.document().unwrap().about().bounds;
        let full = state.session.view.fly_speed;
        let top = Vec3 {
            y: bounds.max.y + 1.0,
            ..bounds.center()
        };
        let direction = Vec3::NEG_Y;
        let ground = looking(&state, |view, document| {
            view.first_hit(
                document,
                Ray {
                    origin: top,
                    direction,
                },
            )
        });
        let ground = ground.unwrap().position;
        let full_height = camera_control::first_fly_speed(bounds);
        for (height, share) in [(2.0, 1.0), (0.5, 0.5), (0.01, MIN_SPEED_FRACTION)] {
            state.session.view.camera.pose.eye = ground + Vec3::Y * (height * full_height);
            let speed = looking(&state, View::fly_speed);
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
            let center = state.session.document().unwrap().about().bounds.center();
            let aside = state.session.view.camera.pose.target.distance(center);
            assert!(
                aside < state.session.view.camera.distance() * 0.2,
                "{aside}"
            );
            for projection in [Projection::Perspective, Projection::Orthographic] {
                state.session.view.camera.projection = projection;
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
            let camera = &mut state.session.view.camera;
            camera.pose.eye = camera.pose.target.midpoint(camera.pose.eye);
            let near = camera.distance();
            state.run(Action::View(NamedView::North));
            assert!((state.session.view.camera.distance() / near - 1.0).abs() < 1e-3);
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
        looking(state, |view, document| {
            view.pick_at(document, Vec2::splat(0.5))
        })
    }

    #[test]
    fn a_face_is_framed_from_before_it_with_no_wall_between() {
        let mut state = in_bathhouse(ASPECT);
        let document = Arc::clone(state.session.document().unwrap());
        let mut framed = 0;
        let mut hidden = Vec::new();
        for material in 0..6 {
            for face in faces(&*document, material, 7) {
                state.session.select(Some(face));
                state.run(Action::FrameSelection);
                let camera = state.session.view.camera;
                let place = document.place(face, &state.session.view.shown);
                let VisibleFrom::Before { middle, normal } = place.seen_from else {
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
        state.session.shape_view(ASPECT);
        let terrain = Arc::clone(state.session.document().unwrap());
        for (row, col) in [(0, 0), (3, 60), (40, 127), (64, 64), (90, 20)] {
            let ray = Ray {
                origin: Vec3::new(508.0 - col as f32 * 8.0, 900.0, row as f32 * 8.0 - 508.0),
                direction: Vec3::NEG_Y,
            };
            let tile = terrain.pick(ray, &state.session.view.shown).unwrap().item;
            state.session.select(Some(tile));
            let middle = looking(&state, |view, document| view.bounds_of(document, tile))
                .unwrap()
                .center();
            for action in [Action::FrameSelection, Action::GameView] {
                state.run(action);
                state.session.frame(tile);
                let seen = state.session.view.camera.project(middle, ASPECT).unwrap();
                assert!((seen - 0.5).length() < 0.01, "{tile:?} is at {seen}");
                assert!(
                    state.session.view.camera.distance() > 40.0,
                    "what is around it is seen"
                );
            }
            state.run(Action::GameView);
        }
    }

    #[test]
    fn one_is_indoors_only_between_walls() {
        let mut state = in_bathhouse(ASPECT);
        assert!(looking(&state, View::is_indoors));
        state.run(Action::FrameAll);
        assert!(!looking(&state, View::is_indoors), "from outside");
        for mut state in small() {
            state.session.view.camera.pose.eye =
                state.session.document().unwrap().about().bounds.center();
            assert!(!looking(&state, View::is_indoors), "a model is no room");
        }
    }

    #[test]
    fn the_wheel_stops_before_a_wall_and_then_goes_through_it() {
        let mut state = in_bathhouse(ASPECT);
        let middle = Vec2::splat(0.5);
        state.session.apply_pose(before_wall(&state, true));
        let wall = in_the_middle(&state).unwrap().position;
        for _ in 0..80 {
            looks(&mut state, |view, document| {
                view.zoom_to(document, middle, 0.85, false);
            });
        }
        let eye = state.session.view.camera.pose.eye;
        assert!(eye.distance(wall) < 0.1, "{eye} is not at {wall}");
        let forward = state.session.view.camera.forward();
        assert!((wall - eye).dot(forward) > 0.0, "still before it");
        looks(&mut state, |view, document| {
            view.zoom_to(document, middle, 0.97, true);
        });
        let behind = state.session.view.camera.pose.eye;
        assert!(
            (wall - behind).dot(forward) < 0.0,
            "{behind} is before {wall}"
        );
        assert!(state.session.view.camera.forward().dot(forward) > 0.999);
        for _ in 0..4 {
            looks(&mut state, |view, document| {
                view.zoom_to(document, middle, 0.85, false);
            });
        }
        let on = (state.session.view.camera.pose.eye - behind).dot(forward);
        assert!(on > 0.02, "and on into the next room: {on}");
    }

    #[test]
    fn nobody_goes_through_the_last_wall_or_the_ground_by_the_wheel() {
        let mut terrain = State::new(Settings::default(), ViewRequest::default());
        terrain.loaded(loaded(document(), false));
        terrain.session.shape_view(ASPECT);
        let rooms = in_bathhouse(ASPECT);
        let last = before_wall(&rooms, false);
        let above = "0,200,0,10,0,10".parse().unwrap();
        for (mut state, pose) in [(terrain, above), (rooms, last)] {
            state.session.apply_pose(pose);
            let wall = in_the_middle(&state).unwrap().position;
            let forward = state.session.view.camera.forward();
            for _ in 0..120 {
                looks(&mut state, |view, document| {
                    view.zoom_to(document, Vec2::splat(0.5), 0.85, true);
                });
            }
            assert!(
                (wall - state.session.view.camera.pose.eye).dot(forward) > 0.0,
                "{pose}"
            );
        }
    }

    #[test]
    fn a_model_is_framed_as_it_moves_in_the_clip_that_is_shown() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(model(), false));
        state.session.shape_view(ASPECT);
        let document = Arc::clone(state.session.document().unwrap());
        let mut sizes = Vec::new();
        for clip in 0..state.session.clips().len() {
            state.session.choose_clip(Some(clip));
            state.run(Action::FrameAll);
            let item = state.session.clips()[clip].item;
            let bounds = document
                .place(item, &state.session.view.shown)
                .bounds
                .unwrap();
            assert!(seen_of(&state, bounds) > 0.9, "clip {clip}");
            sizes.push(bounds.radius());
        }
        assert!(sizes.iter().any(|size| size != &sizes[0]), "{sizes:?}");
    }

    #[test]
    fn one_comes_near_to_small_things() {
        for mut state in small() {
            let bounds = state.session.document().unwrap().about().bounds;
            for _ in 0..100 {
                let camera = &state.session.view.camera;
                state.session.view.camera.pose = camera_control::zoom(camera, bounds.center(), 0.8);
            }
            assert!(state.session.view.camera.distance() < bounds.radius() * 0.1);
            assert!(state.session.view.camera.near < state.session.view.camera.distance() * 0.6);
        }
    }

    #[test]
    fn a_drag_beside_a_small_thing_turns_around_it() {
        for mut state in small() {
            let pivot = looking(&state, |view, document| {
                view.pivot_at(document, Vec2::new(0.02, 0.95))
            });
            assert_eq!(pivot, state.session.view.camera.pose.target);
            for _ in 0..20 {
                let turn = Vec2::new(25.0, 0.0);
                state.session.view.camera.pose =
                    camera_control::orbit(&state.session.view.camera, pivot, turn);
                let center = state.session.document().unwrap().about().bounds.center();
                let seen = state.session.view.camera.project(center, ASPECT).unwrap();
                assert!((seen - 0.5).length() < 0.35, "{seen}");
            }
        }
    }

    #[test]
    fn without_foreshortening_a_small_thing_is_pointed_at_exactly() {
        for mut state in small() {
            state.session.view.camera.projection = Projection::Orthographic;
            let at = Vec2::new(0.47, 0.52);
            let ray = state.session.view.camera.ray_in_world(at, ASPECT);
            let center = state.session.document().unwrap().about().bounds.center();
            let near = ray.origin + ray.direction * (center - ray.origin).dot(ray.direction);
            let seen = state.session.view.camera.project(near, ASPECT).unwrap();
            assert!((seen - at).length() < 1e-4, "{seen}");
        }
    }

    #[test]
    fn a_part_of_a_small_thing_is_framed_with_some_of_what_is_around() {
        for mut state in small() {
            let whole = state.session.document().unwrap().about().bounds.radius();
            state.run(Action::FrameAll);
            let far = state.session.view.camera.distance();
            state.session.frame(joint(1));
            let near = state.session.view.camera.distance();
            assert!(near <= far * 1.1 && near > whole * 0.2, "{near} of {far}");
        }
    }
}
