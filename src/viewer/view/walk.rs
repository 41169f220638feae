//! Walking through a level from the player's point of view.

use glam::Vec3;

use super::View;
use super::camera_control::{self, CameraMode};
use mapscope_scene::camera::Projection;
use mapscope_scene::{Document, Ray, Spawn};

/// Height of the eyes above the floor, in metres; the format does not specify it.
const EYE_HEIGHT: f32 = 1.7;
/// Walking speed, in metres per second.
const SPEED: f32 = 4.0;
/// Minimum distance to walls, in metres.
const BODY_RADIUS: f32 = 0.3;
/// Maximum height of a step, in metres.
const STEP_HEIGHT: f32 = 0.6;
/// Speed of falling and climbing relative to the distance walked on level ground.
const CLIMB_RATIO: f32 = 2.0;
/// Number of search positions for a room along X, Y and Z.
const SEARCH_GRID: [u32; 3] = [9, 5, 9];
/// Number of candidate directions for the first view.
const HEADINGS: u32 = 16;

impl View {
    /// Stands in the level: where its player begins, or else where the eye is or there is room.
    /// Returns `false` if there is no floor to stand on.
    pub(crate) fn start_walking(&mut self, document: &dyn Document) -> bool {
        let spawn = document.levels().and_then(|l| l.spawn(self.shown.level));
        let begin = spawn.and_then(|Spawn { place, ahead }| {
            // The start may lie in the floor itself.
            let eye = self.standing_at(document, place + Vec3::Y * STEP_HEIGHT)?;
            Some((eye, ahead))
        });
        let forward = self.camera.forward();
        let here = || {
            let eye = self.camera.pose.eye;
            let eye = self
                .is_room(document, eye)
                .then(|| self.standing_at(document, eye))??;
            Some((eye, Vec3::new(forward.x, 0.0, forward.z)))
        };
        let in_view = || {
            let eye = self.standing_at(
                document,
                self.point_at_center(document) + Vec3::Y * STEP_HEIGHT,
            )?;
            Some((eye, self.longest_view(document, eye).0))
        };
        let begin = begin.or_else(here).or_else(|| self.largest_room(document));
        let Some((eye, ahead)) = begin.or_else(in_view) else {
            return false;
        };
        self.camera.projection = Projection::Perspective;
        let ahead = ahead.try_normalize().unwrap_or(Vec3::Z);
        self.set_mode(CameraMode::Walk);
        self.camera.pose = camera_control::stand(&self.camera, eye, ahead);
        true
    }

    /// Walks right and forward for the given seconds. Walls stop it, and it follows the floor up
    /// and down.
    pub(crate) fn walk(&mut self, document: &dyn Document, right_up_ahead_secs: Vec3) {
        let forward = self.camera.forward();
        let ahead = Vec3::new(forward.x, 0.0, forward.z).normalize_or(Vec3::Z);
        let [right, _] = self.camera.right_up();
        let way = right * right_up_ahead_secs.x + ahead * right_up_ahead_secs.z;
        let way = way * SPEED;
        let mut eye = self.camera.pose.eye;
        // Each axis separately, to slide along walls that are hit at an angle.
        for part in [Vec3::new(way.x, 0.0, 0.0), Vec3::new(0.0, 0.0, way.z)] {
            if self.is_free(document, eye, part) {
                eye += part;
            }
        }
        if let Some(standing) = self.standing_at(document, eye) {
            let most = way.length() * CLIMB_RATIO;
            eye.y += (standing.y - eye.y).clamp(-most, most);
        }
        self.camera.pose = camera_control::stand(&self.camera, eye, forward);
    }

    /// `true` if the way is free for a person with the eyes at `eye`.
    fn is_free(&self, document: &dyn Document, eye: Vec3, way: Vec3) -> bool {
        let Some(direction) = way.try_normalize() else {
            return false;
        };
        let knee = eye - Vec3::Y * (EYE_HEIGHT - STEP_HEIGHT);
        let reach = way.length() + BODY_RADIUS;
        ![eye, knee].into_iter().any(|origin| {
            let met = self.first_hit(document, Ray { origin, direction });
            met.is_some_and(|hit| hit.distance < reach)
        })
    }

    /// Returns the eye position of a person who stands on the floor below `place`.
    fn standing_at(&self, document: &dyn Document, place: Vec3) -> Option<Vec3> {
        let toward = |origin, direction| self.first_hit(document, Ray { origin, direction });
        let floor = toward(place, Vec3::NEG_Y)?.position;
        let knee = floor + Vec3::Y * (STEP_HEIGHT * 0.5);
        let ceiling = toward(knee, Vec3::Y).map_or(f32::INFINITY, |hit| hit.distance);
        // Under a low ceiling the person stoops.
        let height = EYE_HEIGHT.min((ceiling + knee.y - floor.y) * 0.9);
        Some(floor + Vec3::Y * height)
    }

    /// Returns the direction with the longest view, and its length.
    fn longest_view(&self, document: &dyn Document, eye: Vec3) -> (Vec3, f32) {
        let views = (0..HEADINGS).map(|heading| {
            let (sin, cos) = (heading as f32 / HEADINGS as f32 * std::f32::consts::TAU).sin_cos();
            let direction = Vec3::new(sin, 0.0, cos);
            let ray = Ray {
                origin: eye,
                direction,
            };
            let far = self
                .first_hit(document, ray)
                .map_or(f32::INFINITY, |hit| hit.distance);
            (direction, far)
        });
        let farthest = |a: (Vec3, f32), b: (Vec3, f32)| if b.1 > a.1 { b } else { a };
        views.fold((Vec3::Z, 0.0), farthest)
    }

    /// Returns the position with the longest view inside a room, and its direction.
    fn largest_room(&self, document: &dyn Document) -> Option<(Vec3, Vec3)> {
        let bounds = self.shown_bounds(document);
        let size = bounds.max - bounds.min;
        let [columns, floors, rows] = SEARCH_GRID;
        let part = |at: u32, of: u32| (at as f32 + 0.5) / of as f32;
        let mut best: Option<(f32, Vec3, Vec3)> = None;
        for at in 0..columns * floors * rows {
            let parts = Vec3::new(
                part(at % columns, columns),
                part(at / columns % floors, floors),
                part(at / columns / floors, rows),
            );
            let place = bounds.min + size * parts;
            let eye = self
                .standing_at(document, place)
                .filter(|eye| self.is_room(document, *eye));
            let Some(eye) = eye else {
                continue;
            };
            let (ahead, far) = self.longest_view(document, eye);
            if best.is_none_or(|(most, ..)| far > most) {
                best = Some((far, eye, ahead));
            }
        }
        best.map(|(_, eye, ahead)| (eye, ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::commands::Action;
    use crate::viewer::state::State;
    use crate::viewer::testing::{first_hit, in_bathhouse, looking, looks};
    use mapscope_scene::LevelItem;

    const ASPECT: f32 = 1.4;

    /// Returns the height of the eye above the floor.
    fn height(state: &State) -> f32 {
        let ray = Ray {
            origin: state.session.view.camera.pose.eye,
            direction: Vec3::NEG_Y,
        };
        first_hit(state, ray).unwrap().distance
    }

    #[test]
    fn as_in_the_game_one_stands_in_a_room_of_a_level_and_sees_more() {
        let mut inside = in_bathhouse(ASPECT);
        let mut outside = in_bathhouse(ASPECT);
        outside.run(Action::FrameAll);
        for state in [&mut inside, &mut outside] {
            let before = state.session.view.camera;
            state.run(Action::GameView);
            assert_eq!(state.session.view.mode, CameraMode::Walk);
            assert_eq!(state.is_on(Action::GameView), Some(true));
            assert!(looking(state, View::is_indoors));
            assert!(
                (height(state) - EYE_HEIGHT).abs() < 0.01,
                "{}",
                height(state)
            );
            assert!(state.session.view.camera.forward().y.abs() < 1e-3, "level");
            assert!(state.session.view.camera.fov_y_radians > before.fov_y_radians);
            state.run(Action::GameView);
            assert_eq!(state.session.view.mode, CameraMode::Orbit);
            assert_eq!(
                state.session.view.camera.fov_y_radians,
                before.fov_y_radians
            );
        }
        // The position of the entity that marks the player's start.
        let begin = inside.session.levels().unwrap().spawn(0).unwrap();
        for state in [&inside, &outside] {
            let aside = state.session.view.camera.pose.eye - begin.place;
            assert!(Vec3::new(aside.x, 0.0, aside.z).length() < 0.01, "{aside}");
            assert!(state.session.view.camera.forward().dot(begin.ahead) > 0.99);
        }
    }

    #[test]
    fn without_a_place_to_begin_one_stands_in_the_room_or_the_largest() {
        let mut state = in_bathhouse(ASPECT);
        let eye = state.session.view.camera.pose.eye;
        let (room, _) = looking(&state, View::largest_room).unwrap();
        assert!(
            looking(&state, |view, document| view.is_room(document, room))
                && room.distance(eye) > 0.5,
            "{room}"
        );
        let standing = looking(&state, |view, document| view.standing_at(document, eye)).unwrap();
        assert_eq!((standing.x, standing.z), (eye.x, eye.z));
        // It is impossible to stand without a floor.
        state.session.view.shown.hidden = (0..40)
            .map(|index| LevelItem::Material { level: 0, index }.into())
            .collect();
        let pose = state.session.view.camera.pose;
        state.run(Action::GameView);
        assert_eq!(
            (state.session.view.mode, state.session.view.camera.pose),
            (CameraMode::Orbit, pose)
        );
        assert_eq!(state.notices.toasts.len(), 1, "{:?}", state.notices.toasts);
    }

    #[test]
    fn walls_stop_who_walks_and_the_floor_carries_them() {
        let mut state = in_bathhouse(ASPECT);
        state.run(Action::GameView);
        let begin = state.session.view.camera.pose.eye;
        let mut farthest: f32 = 0.0;
        for turn in 0..12 {
            let angle = turn as f32 * 2.4;
            let ahead = Vec3::new(angle.sin(), 0.0, angle.cos());
            let eye = state.session.view.camera.pose.eye;
            state.session.view.camera.pose =
                camera_control::stand(&state.session.view.camera, eye, ahead);
            for _ in 0..200 {
                looks(&mut state, |view, document| {
                    view.walk(document, Vec3::new(0.0, 0.0, 0.02));
                });
                assert!(
                    looking(&state, View::is_indoors),
                    "{} after turn {turn}",
                    state.session.view.camera.pose
                );
            }
            // The hit below is the floor, not a wall beside the eye.
            assert!(height(&state) < EYE_HEIGHT + 0.05, "{}", height(&state));
            farthest = farthest.max(begin.distance(state.session.view.camera.pose.eye));
        }
        assert!(farthest > 3.0, "{farthest}");
    }
}
