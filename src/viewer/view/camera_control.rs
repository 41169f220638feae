//! Camera control for drags, the wheel and keys: pure functions from pose to pose.
//!
//! View positions are fractions of the view's width and height from the top left. Drags are in
//! logical pixels, positive to the right and down. Movements return the previous pose instead of an
//! invalid one. Rotations by a drag stop before the vertical, so that the view never flips over.

use glam::{Quat, Vec2, Vec3};

use mapscope_scene::Aabb;
use mapscope_scene::camera::{Camera, Handedness, Pose};

/// Rotation per logical pixel of a drag, in radians.
const TURN_PER_PIXEL_RADIANS: f32 = 0.006;
/// Maximum pitch up or down. Beyond it, "up" in the view would jump (see [`Camera::right_up`]).
const MAX_PITCH_RADIANS: f32 = 89.5 * std::f32::consts::PI / 180.0;
/// Minimum distance of the eye from the zoom target, as a multiple of the near plane distance.
const MIN_DISTANCE_FACTOR: f32 = 2.0;
/// Maximum absolute coordinate of a pose. Beyond it, the precision of `f32` is too low.
const MAX_COORDINATE: f32 = 1.0e6;

/// Range of the eye's height above the ground in the game view, in world units (fact sheet 0).
pub(crate) const GAME_HEIGHTS: std::ops::RangeInclusive<f32> = 125.0..=350.0;
/// Initial height of the game view.
pub(crate) const GAME_HEIGHT: f32 = 175.0;
/// Change of the game view's height per notch of the wheel.
pub(crate) const GAME_HEIGHT_STEP: f32 = 15.0;

/// Control mode of the camera.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CameraMode {
    /// Orbit around the grabbed point.
    #[default]
    Orbit,
    /// Fly: the pointer looks around, keys move.
    Fly,
    /// Hover above the ground at a fixed slant as in the game; a drag moves the ground.
    Game,
    /// Stand in a level like its player: the pointer looks around, keys walk.
    Walk,
    /// Look straight down on a 2D map, aligned to whole pixels; a drag moves the map.
    Flat,
}

/// Returns yaw and pitch of a direction. A vertical direction has the yaw of north. The engine
/// defines a direction as `(cos yaw cos pitch, sin pitch, -sin yaw cos pitch)` (fact sheet 0).
fn yaw_pitch(direction: Vec3, handedness: Handedness) -> [f32; 2] {
    let ahead = if direction.y.abs() > 0.99999 {
        handedness.north()
    } else {
        direction
    };
    let yaw = (-ahead.z).atan2(ahead.x);
    [yaw, direction.y.clamp(-1.0, 1.0).asin()]
}

fn direction(yaw: f32, pitch: f32) -> Vec3 {
    Vec3::new(
        yaw.cos() * pitch.cos(),
        pitch.sin(),
        -yaw.sin() * pitch.cos(),
    )
}

/// Returns the pose if it is valid, otherwise the previous one.
fn checked(pose: Pose, before: &Camera) -> Pose {
    let usable = |v: Vec3| v.is_finite() && v.abs().max_element() <= MAX_COORDINATE;
    let apart = pose.eye.distance_squared(pose.target) > 1e-6;
    if usable(pose.eye) && usable(pose.target) && apart {
        pose
    } else {
        before.pose
    }
}

/// Moves eye and target by the same vector.
fn moved(camera: &Camera, offset: Vec3) -> Pose {
    let pose = Pose {
        eye: camera.pose.eye + offset,
        target: camera.pose.target + offset,
    };
    checked(pose, camera)
}

/// Rotates the camera around a world position.
fn turn(camera: &Camera, pivot: Vec3, yaw_by: f32, pitch_by: f32) -> Pose {
    let forward = camera.forward();
    let [yaw, pitch] = yaw_pitch(forward, camera.handedness);
    let new_pitch = (pitch + pitch_by).clamp(-MAX_PITCH_RADIANS, MAX_PITCH_RADIANS);
    // First about the horizontal axis to the right, then about the vertical axis.
    let right = Vec3::new(yaw.sin(), 0.0, yaw.cos());
    let turn = Quat::from_rotation_y(yaw_by) * Quat::from_axis_angle(right, new_pitch - pitch);
    let rotated = |point: Vec3| pivot + turn * (point - pivot);
    let eye = rotated(camera.pose.eye);
    let pose = Pose {
        eye,
        // Computed from the angles: the rounding errors of the quaternion would accumulate.
        target: eye + direction(yaw + yaw_by, new_pitch) * camera.distance(),
    };
    checked(pose, camera)
}

/// Rotates the view around a world position by a drag: near points follow the pointer.
pub(crate) fn orbit(camera: &Camera, pivot: Vec3, drag: Vec2) -> Pose {
    let drag = drag * TURN_PER_PIXEL_RADIANS;
    let yaw_by = -drag.x * camera.handedness.sign();
    turn(camera, pivot, yaw_by, -drag.y)
}

/// Turns the camera in place by a drag: the line of sight follows the pointer.
pub(crate) fn look(camera: &Camera, drag: Vec2) -> Pose {
    let drag = drag * TURN_PER_PIXEL_RADIANS * 0.5;
    let yaw_by = -drag.x * camera.handedness.sign();
    turn(camera, camera.pose.eye, yaw_by, -drag.y)
}

/// Moves the camera across its line of sight until a world position is at a view position.
pub(crate) fn pan(camera: &Camera, grabbed: Vec3, at: Vec2, aspect: f32) -> Pose {
    let ray = camera.ray_in_world(at, aspect);
    let forward = camera.forward();
    let depth = (grabbed - ray.origin).dot(forward);
    let under_pointer = ray.origin + ray.direction * (depth / ray.direction.dot(forward));
    moved(camera, grabbed - under_pointer)
}

/// Moves the camera horizontally until a world position is at a view position. Does nothing if the
/// pointer is on or above the horizon.
pub(crate) fn pan_level(camera: &Camera, grabbed: Vec3, at: Vec2, aspect: f32) -> Pose {
    match on_level(camera, grabbed.y, at, aspect) {
        Some(under_pointer) => moved(camera, grabbed - under_pointer),
        None => camera.pose,
    }
}

/// Returns the point of the horizontal plane at height `y` that is visible at a view position.
pub(crate) fn on_level(camera: &Camera, y: f32, at: Vec2, aspect: f32) -> Option<Vec3> {
    let ray = camera.ray_in_world(at, aspect);
    let along = (y - ray.origin.y) / ray.direction.y;
    let point = ray.origin + ray.direction * along;
    (along > 0.0 && point.is_finite() && along < MAX_COORDINATE).then_some(point)
}

/// Returns the point at a view position that has the same depth as the target. A pan grabs it if
/// there is no surface under the pointer.
pub(crate) fn at_target_depth(camera: &Camera, at: Vec2, aspect: f32) -> Vec3 {
    let ray = camera.ray_in_world(at, aspect);
    let forward = camera.forward();
    let depth = (camera.pose.target - ray.origin).dot(forward);
    ray.origin + ray.direction * (depth / ray.direction.dot(forward))
}

/// Moves closer to a point (`factor` below 1) or away from it; the point keeps its view position.
pub(crate) fn zoom(camera: &Camera, anchor: Vec3, factor: f32) -> Pose {
    let depth = (anchor - camera.pose.eye).dot(camera.forward()).abs();
    let nearest = MIN_DISTANCE_FACTOR * camera.near;
    let min_factor = (nearest / depth.max(1e-3)).max(nearest / camera.distance());
    // An eye that is already too close must not come closer, but need not move away.
    let factor = factor.max(min_factor.min(1.0));
    let pose = Pose {
        eye: anchor + (camera.pose.eye - anchor) * factor,
        target: anchor + (camera.pose.target - anchor) * factor,
    };
    checked(pose, camera)
}

/// Centres the view on a point, at the distance of the target.
pub(crate) fn center_on(camera: &Camera, point: Vec3) -> Pose {
    moved(camera, point - camera.pose.target)
}

/// Flies by a distance in world units along each of three axes: to the right of the view, up in the
/// world, and forward.
pub(crate) fn fly(camera: &Camera, right_up_ahead: Vec3) -> Pose {
    let [right, _] = camera.right_up();
    let offset =
        right * right_up_ahead.x + Vec3::Y * right_up_ahead.y + camera.forward() * right_up_ahead.z;
    moved(camera, offset)
}

/// Looks at the same target along the given direction, from the same distance.
pub(crate) fn face(camera: &Camera, direction: Vec3) -> Pose {
    let pose = Pose {
        eye: camera.pose.target - direction * camera.distance(),
        target: camera.pose.target,
    };
    checked(pose, camera)
}

/// Fills the view with a box as far as possible without rotating the camera.
pub(crate) fn frame_all(camera: &Camera, bounds: Aabb, aspect: f32) -> Pose {
    let mut framed = *camera;
    framed.frame(bounds, aspect);
    checked(framed.pose, camera)
}

/// Centres the view on a box and fits all of it into the view, without rotating the camera.
pub(crate) fn frame(camera: &Camera, bounds: Aabb, aspect: f32) -> Pose {
    let mut framed = *camera;
    framed.frame_centered(bounds, aspect);
    checked(framed.pose, camera)
}

/// Returns a box with the same centre and at least this radius, to show the surroundings of small
/// items.
pub(crate) fn with_surroundings(bounds: Aabb, least_radius: f32) -> Aabb {
    let grow = (least_radius - bounds.radius()).max(0.0) * Vec3::ONE / 3.0_f32.sqrt();
    Aabb {
        min: bounds.min - grow,
        max: bounds.max + grow,
    }
}

/// Returns the game view of a point on the ground, from a height above it. The game looks with yaw
/// 135 and pitch -65 degrees (fact sheet 0).
pub(crate) fn game_view(on_ground: Vec3, height: f32) -> Pose {
    let front = direction(135.0_f32.to_radians(), -65.0_f32.to_radians());
    Pose {
        eye: on_ground + front * (height / front.y),
        target: on_ground,
    }
}

/// Places the eye at a position and looks in a direction.
pub(crate) fn stand(camera: &Camera, eye: Vec3, ahead: Vec3) -> Pose {
    let pose = Pose {
        eye,
        target: eye + ahead,
    };
    checked(pose, camera)
}

/// Returns the initial flying speed, in world units per second.
pub(crate) fn first_fly_speed(bounds: Aabb) -> f32 {
    (bounds.radius() * 0.25).clamp(0.2, 400.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_scene::camera::{NamedView, Projection};

    const ASPECT: f32 = 1.6;
    const BOUNDS: Aabb = Aabb {
        min: Vec3::new(-512.0, -12.0, -512.0),
        max: Vec3::new(512.0, 36.0, 512.0),
    };

    const WILD: Aabb = {
        let wild = Vec3::new(f32::NAN, f32::INFINITY, 1e30);
        Aabb {
            min: wild,
            max: wild,
        }
    };

    const WORLDS: [Handedness; 3] = [Handedness::Right, Handedness::Mirrored, Handedness::Left];

    /// Cameras for every kind of world, projection and named view.
    fn cameras() -> impl Iterator<Item = Camera> {
        let projections = [Projection::Perspective, Projection::Orthographic];
        WORLDS.into_iter().flat_map(move |handedness| {
            projections.into_iter().flat_map(move |projection| {
                NamedView::ALL.into_iter().map(move |view| {
                    let mut camera = Camera::framing(BOUNDS, view, handedness, ASPECT);
                    camera.projection = projection;
                    camera
                })
            })
        })
    }

    fn with(camera: &Camera, pose: Pose) -> Camera {
        Camera { pose, ..*camera }
    }

    #[track_caller]
    fn assert_seen_at(camera: &Camera, point: Vec3, at: Vec2) {
        let seen = camera.project(point, ASPECT).unwrap();
        assert!(
            (seen - at).length() < 2e-3,
            "{seen} is not {at}: {camera:?}"
        );
    }

    #[test]
    fn a_pan_keeps_the_grabbed_point_under_the_pointer() {
        for camera in cameras() {
            let grabbed = at_target_depth(&camera, Vec2::new(0.4, 0.7), ASPECT);
            let to = Vec2::new(0.55, 0.62);
            assert_seen_at(
                &with(&camera, pan(&camera, grabbed, to, ASPECT)),
                grabbed,
                to,
            );
        }
    }

    #[test]
    fn a_level_pan_keeps_the_grabbed_point_and_the_height() {
        for camera in cameras() {
            let Some(grabbed) = on_level(&camera, 3.0, Vec2::new(0.4, 0.7), ASPECT) else {
                panic!("the ground is in view: {camera:?}");
            };
            let to = Vec2::new(0.55, 0.66);
            let after = with(&camera, pan_level(&camera, grabbed, to, ASPECT));
            assert_seen_at(&after, grabbed, to);
            assert!((after.pose.eye.y - camera.pose.eye.y).abs() < 0.1);
        }
    }

    #[test]
    fn a_zoom_keeps_the_point_under_the_pointer_and_never_passes_it() {
        for camera in cameras() {
            let at = Vec2::new(0.3, 0.6);
            let anchor = at_target_depth(&camera, at, ASPECT);
            let near = with(&camera, zoom(&camera, anchor, 0.5));
            assert_seen_at(&near, anchor, at);
            assert!(near.distance() < camera.distance() * 0.51);
            let mut nearest = camera;
            for _ in 0..200 {
                nearest.pose = zoom(&nearest, anchor, 0.8);
            }
            let least = MIN_DISTANCE_FACTOR * camera.near;
            assert!(nearest.distance() >= least * 0.99, "{nearest:?}");
            assert!((nearest.forward() - camera.forward()).length() < 0.01);
            let mut farthest = camera;
            for _ in 0..400 {
                farthest.pose = zoom(&farthest, anchor, 1.25);
            }
            assert!(farthest.pose.eye.is_finite() && farthest.distance() < MAX_COORDINATE * 2.0);
        }
    }

    #[test]
    fn dragging_right_moves_near_points_to_the_right() {
        for camera in cameras() {
            let pivot = camera.pose.target;
            let near = pivot + Vec3::Y * 10.0 - camera.forward() * 100.0;
            let before = camera.project(near, ASPECT).unwrap();
            let after = with(&camera, orbit(&camera, pivot, Vec2::new(30.0, 0.0)));
            let seen = after.project(near, ASPECT).unwrap();
            // From straight above all points are equally near: the view just rotates.
            if camera.forward().y > -0.999 {
                assert!(seen.x > before.x, "{before} to {seen}: {camera:?}");
            }
            assert_seen_at(&after, pivot, camera.project(pivot, ASPECT).unwrap());
        }
    }

    #[test]
    fn dragging_down_lifts_the_eye_and_looking_down_lowers_the_gaze() {
        for camera in cameras().filter(|c| c.forward().y > -0.999) {
            let down = Vec2::new(0.0, 20.0);
            let lifted = orbit(&camera, camera.pose.target, down);
            assert!(lifted.eye.y > camera.pose.eye.y);
            let lowered = with(&camera, look(&camera, down));
            assert!(lowered.forward().y < camera.forward().y);
            assert!((lowered.pose.eye - camera.pose.eye).length() < 1e-2);
        }
    }

    #[test]
    fn looking_right_moves_points_on_the_right_towards_the_centre() {
        for camera in cameras().filter(|c| c.forward().y > -0.999) {
            let [right, _] = camera.right_up();
            let point = camera.pose.target + right * 50.0;
            let before = camera.project(point, ASPECT).unwrap();
            let after = with(&camera, look(&camera, Vec2::new(5.0, 0.0)));
            if camera.projection == Projection::Perspective {
                assert!(after.project(point, ASPECT).unwrap().x < before.x);
            }
        }
    }

    #[test]
    fn no_drag_flips_the_picture_over_a_pole() {
        for camera in cameras() {
            for down in [40.0, -40.0] {
                let mut turned = camera;
                let pivot = camera.pose.target + Vec3::new(20.0, 5.0, -30.0);
                for step in 0..60 {
                    let [right_before, up_before] = turned.right_up();
                    turned.pose = if step % 2 == 0 {
                        orbit(&turned, pivot, Vec2::new(3.0, down))
                    } else {
                        look(&turned, Vec2::new(3.0, down))
                    };
                    let [right, up] = turned.right_up();
                    assert!(right.dot(right_before) > 0.9, "step {step}: {turned:?}");
                    assert!(
                        up.dot(up_before) > 0.5 && up.y >= -1e-4,
                        "step {step}: {turned:?}"
                    );
                }
                assert!((turned.distance() / camera.distance() - 1.0).abs() < 0.01);
            }
        }
    }

    #[test]
    fn orbiting_from_the_top_view_starts_where_it_is() {
        for handedness in WORLDS {
            let top = Camera::framing(BOUNDS, NamedView::Top, handedness, ASPECT);
            let after = with(&top, orbit(&top, top.pose.target, Vec2::new(0.0, -1.0)));
            assert!(after.right_up()[0].dot(top.right_up()[0]) > 0.9999);
            assert!(after.forward().dot(top.forward()) > 0.999);
        }
    }

    #[test]
    fn wild_input_leaves_a_usable_pose() {
        for camera in cameras() {
            let wild = WILD.min;
            let far = Vec2::new(1e20, -1e20);
            for pose in [
                orbit(&camera, wild, Vec2::ONE),
                orbit(&camera, Vec3::ZERO, far),
                look(&camera, far),
                pan(&camera, wild, Vec2::ONE, ASPECT),
                pan_level(&camera, wild, Vec2::ONE, ASPECT),
                zoom(&camera, wild, 0.5),
                zoom(&camera, camera.pose.eye, 0.0),
                center_on(&camera, wild),
                fly(&camera, wild),
                frame(&camera, with_surroundings(WILD, 1.0), ASPECT),
                frame_all(&camera, WILD, ASPECT),
            ] {
                assert!(pose.eye.is_finite() && pose.target.is_finite(), "{pose:?}");
                assert!(pose.eye != pose.target, "{pose:?}");
            }
        }
    }

    #[test]
    fn flying_follows_the_axes_of_the_view() {
        for camera in cameras() {
            let [right, _] = camera.right_up();
            let went = |way| fly(&camera, way).eye - camera.pose.eye;
            assert!((went(Vec3::X) - right).length() < 1e-2);
            assert!((went(Vec3::Y) - Vec3::Y).length() < 1e-2);
            assert!((went(Vec3::Z) - camera.forward()).length() < 1e-2);
        }
    }

    #[test]
    fn the_game_view_matches_the_fact_sheet() {
        // From 175 above the origin the engine looks along (-0.2989, -0.9063, -0.2989).
        let pose = game_view(Vec3::new(-57.71, 0.0, -57.71), GAME_HEIGHT);
        assert!(
            (pose.eye - Vec3::new(0.0, 175.0, 0.0)).length() < 0.05,
            "{pose}"
        );
        let along = (pose.target - pose.eye).normalize() * 50.0;
        assert!(
            (along - Vec3::new(-14.942, -45.315, -14.942)).length() < 0.01,
            "{along}"
        );
    }

    #[test]
    fn framing_a_small_item_keeps_its_surroundings_in_view() {
        for camera in cameras() {
            let tile = Aabb {
                min: Vec3::new(100.0, 0.0, 100.0),
                max: Vec3::new(108.0, 4.0, 108.0),
            };
            let with_others = with_surroundings(tile, 30.0);
            let framed = with(&camera, frame(&camera, with_others, ASPECT));
            let middle = framed.project(tile.center(), ASPECT).unwrap();
            assert!((middle - 0.5).length() < 1e-3, "{middle}");
            assert!(framed.distance() > 40.0);
            let seen = tile.corners().map(|c| framed.project(c, ASPECT).unwrap());
            assert!(
                seen.iter()
                    .all(|p| p.min_element() > 0.2 && p.max_element() < 0.8)
            );
        }
    }
}
