//! Looks for a place from which something can be seen: in the free space around it, on the side
//! that it faces, and never behind a wall.

use glam::{Quat, Vec3};

use super::camera_control;
use mapscope_scene::camera::{Camera, Pose};
use mapscope_scene::{Aabb, Hit, Ray, SeenFrom};

/// The eye keeps away from the wall behind it by this part of the way there.
const AWAY_FROM_WALL: f32 = 0.12;
/// Directions from whatever is looked at to the eye, around it and up and down, in degrees.
const AROUND_DEGREES: [f32; 8] = [0.0, 45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0];
const UP_DEGREES: [f32; 5] = [25.0, 0.0, 55.0, -25.0, -55.0];
/// The same away from the normal of a surface.
const OFF_NORMAL_DEGREES: [f32; 3] = [0.0, 30.0, 60.0];
/// What is this good needs no further looking.
const GOOD: f32 = 0.9;
/// How much a view counts that shows nothing of the thing, though nothing is before it.
const FREE: f32 = 0.25;
/// How much a view loses that is turned all the way round from the one that there is.
const TURNED: f32 = 0.15;

/// Something to be looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject {
    /// What is to be in the view, around what is looked at.
    pub(crate) framed: Aabb,
    /// What it occupies itself.
    pub(crate) bounds: Aabb,
    /// From where it can be seen.
    pub(crate) from: SeenFrom,
}

/// The pose from which a camera sees something best, turned as little as need be; none where it is
/// seen from nowhere. `pick` gives the first thing that a ray meets.
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
        let worth = sight - TURNED * to_eye.angle_between(back) / std::f32::consts::PI;
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, pose));
        }
        if worth > GOOD {
            break;
        }
    }
    best.map(|(_, pose)| pose)
}

/// Where the eye may be, as unit vectors from what is looked at: first where it is.
fn directions(from: SeenFrom, back: Vec3) -> Vec<Vec3> {
    let mut directions = vec![back];
    if let SeenFrom::Before { normal, .. } = from {
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

/// How well something is seen from a direction, from 0 to 1, and the pose; none if not at all.
fn seen_from(
    camera: &Camera,
    subject: &Subject,
    to_eye: Vec3,
    aspect: f32,
    pick: impl Fn(Ray) -> Option<Hit>,
) -> Option<(f32, Pose)> {
    let middle = match subject.from {
        SeenFrom::Before { middle, normal } => {
            // Flatter than this little of it is seen.
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
    let room = behind.map_or(f32::INFINITY, |hit| hit.distance) * (1.0 - AWAY_FROM_WALL);
    let half = (subject.bounds.max - subject.bounds.min) * 0.5;
    let nearest = match subject.from {
        SeenFrom::Before { .. } => 0.0,
        _ => half.dot(to_eye.abs()),
    } + camera.near * 4.0;
    if room < nearest {
        return None;
    }
    let distance = wanted.min(room);
    let eye = middle + to_eye * distance;
    // What is between the eye and the thing.
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
            _ => FREE,
        };
    }
    let seen = seen / points.len() as f32;
    // From so near that little of it is in view it is seen less well.
    let sight = seen * (distance / wanted).clamp(0.2, 1.0);
    let pose = Pose {
        eye,
        target: middle,
    };
    (seen > 0.0).then_some((sight, pose))
}

/// Points of what is looked at: its middle, and toward its ends.
fn points(subject: &Subject, middle: Vec3) -> [Vec3; 7] {
    let half = (subject.bounds.max - subject.bounds.min) * 0.5;
    let toward = |axis: Vec3, part: f32| {
        let way = axis * half * part;
        middle
            + match subject.from {
                // Along the surface.
                SeenFrom::Before { normal, .. } => way - normal * way.dot(normal),
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
