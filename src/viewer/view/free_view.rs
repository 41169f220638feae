//! Searches for a pose with a good view of an item: in free space, on the side that it faces, and
//! not behind a wall.

use glam::{Quat, Vec3};

use super::camera_control;
use mapscope_scene::camera::{Camera, Pose};
use mapscope_scene::{Aabb, Hit, Ray, VisibleFrom};

/// Distance of the eye from the wall behind it, as a fraction of the distance to the wall.
const WALL_CLEARANCE: f32 = 0.12;
/// Candidate directions from the item to the eye, around it and up, in degrees.
const AROUND_DEGREES: [f32; 8] = [0.0, 45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0];
const UP_DEGREES: [f32; 5] = [25.0, 0.0, 55.0, -25.0, -55.0];
/// Candidate angles away from the normal of a surface, in degrees.
const OFF_NORMAL_DEGREES: [f32; 3] = [0.0, 30.0, 60.0];
/// Score at which the search ends early.
const GOOD_SCORE: f32 = 0.9;
/// Score of a sample whose ray hits neither the item nor an obstacle.
const UNOBSTRUCTED_SCORE: f32 = 0.25;
/// Penalty for a candidate on the opposite side of the current view; smaller turns cost less.
const TURN_PENALTY: f32 = 0.15;

/// An item to look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject {
    /// The box to fit into the view: the item with its surroundings.
    pub(crate) framed: Aabb,
    /// The bounds of the item itself.
    pub(crate) bounds: Aabb,
    /// The side from which it is visible.
    pub(crate) from: VisibleFrom,
}

/// Returns the pose with the best view of an item and little rotation; `None` if it is visible from
/// no candidate. `pick` returns the first hit of a ray.
pub(crate) fn find(
    camera: &Camera,
    subject: &Subject,
    aspect: f32,
    pick: impl Fn(Ray) -> Option<Hit>,
) -> Option<Pose> {
    let back = -camera.forward();
    let mut best: Option<(f32, Pose)> = None;
    for to_eye in directions(subject.from, back) {
        let Some((sight, pose)) = seen_from(camera, subject, to_eye, aspect, &pick) else {
            continue;
        };
        let worth = sight - TURN_PENALTY * to_eye.angle_between(back) / std::f32::consts::PI;
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, pose));
        }
        if worth > GOOD_SCORE {
            break;
        }
    }
    best.map(|(_, pose)| pose)
}

/// Returns candidate positions of the eye as unit vectors from the item, the current one first.
fn directions(from: VisibleFrom, back: Vec3) -> Vec<Vec3> {
    let mut directions = vec![back];
    if let VisibleFrom::Before { normal, .. } = from {
        let aside = normal.any_orthonormal_vector();
        for off in OFF_NORMAL_DEGREES {
            let tilted = Quat::from_axis_angle(aside, off.to_radians()) * normal;
            let around = AROUND_DEGREES.map(f32::to_radians);
            let turned = around.map(|angle| Quat::from_axis_angle(normal, angle) * tilted);
            directions.extend(turned);
        }
    } else {
        let ahead = Vec3::new(back.x, 0.0, back.z).normalize_or(Vec3::Z);
        for up in UP_DEGREES {
            let (sin, cos) = up.to_radians().sin_cos();
            directions.extend(AROUND_DEGREES.map(|around| {
                Quat::from_rotation_y(around.to_radians()) * ahead * cos + Vec3::Y * sin
            }));
        }
    }
    directions
}

/// Returns the score of a direction, from 0 to 1, and its pose; `None` if the item is not visible.
fn seen_from(
    camera: &Camera,
    subject: &Subject,
    to_eye: Vec3,
    aspect: f32,
    pick: impl Fn(Ray) -> Option<Hit>,
) -> Option<(f32, Pose)> {
    let middle = match subject.from {
        VisibleFrom::Before { middle, normal } => {
            // At a flatter angle little of the surface is visible.
            if to_eye.dot(normal) < 0.3 {
                return None;
            }
            middle + normal * camera.near
        }
        _ => subject.bounds.center(),
    };
    let mut framed = Camera {
        pose: camera_control::face(camera, -to_eye),
        ..*camera
    };
    framed.pose = camera_control::frame(&framed, subject.framed, aspect);
    let wanted = framed.distance();
    let to_eye = -framed.forward();
    // The wall behind the eye.
    let behind = pick(Ray {
        origin: middle,
        direction: to_eye,
    });
    let room = behind.map_or(f32::INFINITY, |hit| hit.distance) * (1.0 - WALL_CLEARANCE);
    let half = (subject.bounds.max - subject.bounds.min) * 0.5;
    let nearest = match subject.from {
        VisibleFrom::Before { .. } => 0.0,
        _ => half.dot(to_eye.abs()),
    } + camera.near * 4.0;
    if room < nearest {
        return None;
    }
    let distance = wanted.min(room);
    let eye = middle + to_eye * distance;
    // Obstacles between the eye and the item.
    let near_enough = half.length() * 0.02 + camera.near * 2.0;
    let points = points(subject, middle);
    let mut seen = 0.0;
    for point in points {
        let way = point - eye;
        let hit = pick(Ray {
            origin: eye,
            direction: way.normalize_or(-to_eye),
        });
        seen += match hit {
            Some(hit) if subject.bounds.distance(hit.position) <= near_enough => 1.0,
            Some(hit) if hit.distance < way.length() - near_enough => 0.0,
            _ => UNOBSTRUCTED_SCORE,
        };
    }
    let seen = seen / points.len() as f32;
    // From too close, only part of the item is in view.
    let sight = seen * (distance / wanted).clamp(0.2, 1.0);
    let pose = Pose {
        eye,
        target: middle,
    };
    (seen > 0.0).then_some((sight, pose))
}

/// Returns sample points of an item: its centre, and points towards its ends.
fn points(subject: &Subject, middle: Vec3) -> [Vec3; 7] {
    let half = (subject.bounds.max - subject.bounds.min) * 0.5;
    let toward = |axis: Vec3, part: f32| {
        let way = axis * half * part;
        middle
            + match subject.from {
                // Along the surface.
                VisibleFrom::Before { normal, .. } => way - normal * way.dot(normal),
                _ => way,
            }
    };
    [
        middle,
        toward(Vec3::X, 0.7),
        toward(Vec3::X, -0.7),
        toward(Vec3::Y, 0.7),
        toward(Vec3::Y, -0.7),
        toward(Vec3::Z, 0.7),
        toward(Vec3::Z, -0.7),
    ]
}
