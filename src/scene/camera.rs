//! Where a picture is taken from: poses, projections, matrices and named views.
//!
//! Matrices are column-major and column vectors, as in glam and WGSL. Clip space is WebGPU's
//! with reversed depth: 1 at the near plane, 0 at infinity.

use std::fmt;
use std::str::FromStr;

use glam::camera::rh;
use glam::{Mat4, Vec2, Vec3, Vec4};
use thiserror::Error;

use super::{Aabb, Ray};

/// The vertical field of view of a perspective picture: 45 degrees, as in the engine and the
/// contract's `--camera`.
pub const FIELD_OF_VIEW_Y_RADIANS: f32 = std::f32::consts::FRAC_PI_4;

/// Which way round a world is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handedness {
    /// Looking along -Z with +Y up, +X is on the right.
    Right,
    /// Looking along -Z with +Y up, +X is on the left: the view is mirrored, as the Permafrost
    /// Engine does it (fact sheet 0), so that its west is left when one faces north.
    Mirrored,
    /// Looking along +Z with +Y up, +X is on the right, and +Z is north: the same picture as
    /// [`Handedness::Mirrored`], but another compass.
    Left,
}

impl Handedness {
    /// 1 where the picture is the one that right-handed maths gives, -1 where that is mirrored:
    /// what turns to the right in one turns to the left in the other.
    pub fn sign(self) -> f32 {
        match self {
            Self::Right => 1.0,
            Self::Mirrored | Self::Left => -1.0,
        }
    }

    /// The unit vector to the north.
    pub fn north(self) -> Vec3 {
        match self {
            Self::Right | Self::Mirrored => Vec3::NEG_Z,
            Self::Left => Vec3::Z,
        }
    }

    /// The unit vector to the east.
    pub fn east(self) -> Vec3 {
        self.north().cross(Vec3::Y) * self.sign()
    }
}

/// How the world is flattened onto the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Projection {
    /// As the eye sees it.
    #[default]
    Perspective,
    /// Without foreshortening; things at the distance of the target keep the size they have in
    /// the perspective picture.
    Orthographic,
}

/// The place of the eye and of what it looks at, in the document's world coordinates.
///
/// As text it is `EX,EY,EZ,TX,TY,TZ`, the form that `--camera` takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where the eye is.
    pub eye: Vec3,
    /// What is in the middle of the picture.
    pub target: Vec3,
}

/// Why a text is not a pose.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PoseError {
    /// Not six numbers.
    #[error("expected six numbers EX,EY,EZ,TX,TY,TZ (eye and target), found {found} in `{text}`")]
    Count {
        /// How many parts there are.
        found: usize,
        /// The text.
        text: String,
    },
    /// A part that is not a finite number.
    #[error("expected a number, found `{part}`")]
    Number {
        /// The part.
        part: String,
    },
    /// Nothing to look along.
    #[error("eye and target are the same point")]
    NoDirection,
}

impl FromStr for Pose {
    type Err = PoseError;

    fn from_str(text: &str) -> Result<Self, PoseError> {
        let parts: Vec<&str> = text.trim().split(',').collect();
        let mut numbers = [0.0_f32; 6];
        if parts.len() != numbers.len() {
            return Err(PoseError::Count {
                found: parts.len(),
                text: text.chars().take(80).collect(),
            });
        }
        for (number, part) in numbers.iter_mut().zip(&parts) {
            let parsed = part.trim().parse().ok().filter(|n: &f32| n.is_finite());
            *number = parsed.ok_or_else(|| PoseError::Number {
                part: part.chars().take(40).collect(),
            })?;
        }
        let [ex, ey, ez, tx, ty, tz] = numbers;
        let pose = Self {
            eye: Vec3::new(ex, ey, ez),
            target: Vec3::new(tx, ty, tz),
        };
        if pose.eye == pose.target {
            return Err(PoseError::NoDirection);
        }
        Ok(pose)
    }
}

impl fmt::Display for Pose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (e, t) = (self.eye, self.target);
        let round = |x: f32| (f64::from(x) * 1000.0).round() / 1000.0;
        write!(
            f,
            "{},{},{},{},{},{}",
            round(e.x),
            round(e.y),
            round(e.z),
            round(t.x),
            round(t.y),
            round(t.z)
        )
    }
}

/// A direction to look from that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NamedView {
    /// From above at a slant, from the south-west toward the north-east, as the game does.
    #[default]
    Iso,
    /// From straight above, north up.
    Top,
    /// From the north, looking south.
    North,
    /// From the south, looking north.
    South,
    /// From the east, looking west.
    East,
    /// From the west, looking east.
    West,
    /// From straight above without foreshortening, as a game of 2D tiles shows its maps.
    Flat,
}

impl NamedView {
    /// All views that every document has, in the order in which menus list them.
    pub const ALL: [Self; 6] = [
        Self::Iso,
        Self::Top,
        Self::North,
        Self::South,
        Self::East,
        Self::West,
    ];

    /// The name for `--view`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iso => "iso",
            Self::Top => "top",
            Self::North => "north",
            Self::South => "south",
            Self::East => "east",
            Self::West => "west",
            Self::Flat => "flat",
        }
    }

    /// The direction in which the eye looks.
    pub fn direction(self, handedness: Handedness) -> Vec3 {
        let (north, east) = (handedness.north(), handedness.east());
        let slant = Vec3::NEG_Y * 0.5;
        match self {
            Self::Iso => (east + north + Vec3::NEG_Y * 1.15).normalize(),
            Self::Top | Self::Flat => Vec3::NEG_Y,
            Self::North => (slant - north).normalize(),
            Self::South => (slant + north).normalize(),
            Self::East => (slant - east).normalize(),
            Self::West => (slant + east).normalize(),
        }
    }
}

/// The distance of the near plane for a document of this size, in world units: far enough off that
/// depth stays exact, near enough that nothing is cut off.
pub fn near_plane(bounds: Aabb) -> f32 {
    (bounds.radius() * 1.0e-3).clamp(0.01, 0.5)
}

/// A pose with everything else that a picture needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Eye and target.
    pub pose: Pose,
    /// Perspective or not.
    pub projection: Projection,
    /// Which way round the world is.
    pub handedness: Handedness,
    /// Distance of the near plane, in world units.
    pub near: f32,
}

impl Camera {
    /// A perspective camera.
    pub fn new(pose: Pose, handedness: Handedness) -> Self {
        Self {
            pose,
            projection: Projection::Perspective,
            handedness,
            near: 0.5,
        }
    }

    /// A camera that looks in a direction and has the whole of a box in a picture of this aspect
    /// ratio (width over height).
    pub fn framing(bounds: Aabb, view: NamedView, handedness: Handedness, aspect: f32) -> Self {
        let direction = view.direction(handedness);
        let center = bounds.center();
        let mut camera = Self::new(
            Pose {
                eye: center - direction,
                target: center,
            },
            handedness,
        );
        camera.frame(bounds, aspect);
        camera
    }

    /// Moves the eye, without turning it, until the box fills as much of the picture as it can:
    /// all of it is seen, with as much room on the left as on the right and above as below.
    pub fn frame(&mut self, bounds: Aabb, aspect: f32) {
        let forward = self.forward();
        let [right, up] = self.right_up();
        let tan_y = (FIELD_OF_VIEW_Y_RADIANS * 0.5).tan() * 0.96;
        let center = bounds.center();
        // Of each corner: how far it is right, up and ahead of the middle of the box.
        let corners = bounds.corners().map(|corner| {
            let offset = corner - center;
            Vec3::new(offset.dot(right), offset.dot(up), offset.dot(forward))
        });
        let foreshortening = match self.projection {
            Projection::Perspective => 1.0,
            Projection::Orthographic => 0.0,
        };
        let tan = [tan_y * aspect, tan_y];
        let mut aside = [0.0; 2];
        let mut distance = bounds.radius().max(0.5) * 4.0;
        // What is nearer looks larger, so that where the middle is depends on how far away it is.
        for _ in 0..24 {
            let mut scale: f32 = 0.0;
            for axis in 0..2 {
                // Of each corner: where it is seen, and one over its depth.
                let places = corners.map(|corner| {
                    let depth = (distance + foreshortening * corner.z).max(distance * 0.01);
                    [(corner[axis] - aside[axis]) / depth, 1.0 / depth]
                });
                let [first, ..] = places;
                let further = |a: [f32; 2], b: [f32; 2]| if b[0] > a[0] { b } else { a };
                let nearer = |a: [f32; 2], b: [f32; 2]| if b[0] < a[0] { b } else { a };
                let [high, per_high] = places.into_iter().fold(first, further);
                let [low, per_low] = places.into_iter().fold(first, nearer);
                aside[axis] += (high + low) / (per_high + per_low);
                scale = scale.max((high - low) * 0.5 / tan[axis]);
            }
            distance = (distance * scale).max(self.near * 2.0);
        }
        let target = center + right * aside[0] + up * aside[1];
        self.pose = Pose {
            eye: target - forward * distance,
            target,
        };
    }

    /// The unit vector along the line of sight, in world space.
    pub fn forward(&self) -> Vec3 {
        (self.pose.target - self.pose.eye)
            .try_normalize()
            .unwrap_or(Vec3::NEG_Y)
    }

    /// The unit vectors to the right and to the top of the picture, in world space.
    pub fn right_up(&self) -> [Vec3; 2] {
        let forward = self.forward();
        // Looking straight down, north is up.
        let up_hint = if forward.y.abs() > 0.99999 {
            self.handedness.north()
        } else {
            Vec3::Y
        };
        let right = forward.cross(up_hint).normalize();
        let up = right.cross(forward);
        [right * self.handedness.sign(), up]
    }

    /// Distance from eye to target, in world units.
    pub fn distance(&self) -> f32 {
        self.pose.eye.distance(self.pose.target)
    }

    /// World space to view space: x to the right, y up, z toward the eye.
    pub fn view_from_world(&self) -> Mat4 {
        let [right, up] = self.right_up();
        let back = -self.forward();
        let eye = self.pose.eye;
        let row = |axis: Vec3| Vec4::new(axis.x, axis.y, axis.z, -axis.dot(eye));
        Mat4::from_cols(row(right), row(up), row(back), Vec4::W).transpose()
    }

    /// View space to clip space, depth reversed, for a picture of this aspect ratio.
    pub fn clip_from_view(&self, aspect: f32) -> Mat4 {
        match self.projection {
            Projection::Perspective => rh::proj::directx::perspective_infinite_reverse(
                FIELD_OF_VIEW_Y_RADIANS,
                aspect,
                self.near,
            ),
            Projection::Orthographic => {
                let half_y = self.distance() * (FIELD_OF_VIEW_Y_RADIANS * 0.5).tan();
                let half_x = half_y * aspect;
                // Behind the eye too: without foreshortening the eye has no place of its own.
                let depth = self.orthographic_reach();
                rh::proj::directx::orthographic(-half_x, half_x, -half_y, half_y, depth, -depth)
            }
        }
    }

    /// How far before and behind the eye an orthographic picture shows things, in world units.
    /// What is small needs finer depths, and has a nearer near plane.
    fn orthographic_reach(&self) -> f32 {
        self.distance() * 4.0 + self.near * 40_000.0
    }

    /// World space to clip space.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        self.clip_from_view(aspect) * self.view_from_world()
    }

    /// The ray through a point of the picture, given as fractions of its width and height from
    /// the top left.
    pub fn ray_in_world(&self, at: Vec2, aspect: f32) -> Ray {
        let [right, up] = self.right_up();
        let forward = self.forward();
        let tan_y = (FIELD_OF_VIEW_Y_RADIANS * 0.5).tan();
        let x = (at.x * 2.0 - 1.0) * tan_y * aspect;
        let y = (1.0 - at.y * 2.0) * tan_y;
        match self.projection {
            Projection::Perspective => Ray {
                origin: self.pose.eye,
                direction: (forward + right * x + up * y).normalize(),
            },
            Projection::Orthographic => {
                let distance = self.distance();
                let back = self.orthographic_reach();
                Ray {
                    origin: self.pose.eye + (right * x + up * y) * distance - forward * back,
                    direction: forward,
                }
            }
        }
    }

    /// Where a point of the world is in the picture, as fractions of its width and height from
    /// the top left; none for points behind the eye.
    pub fn project(&self, point_in_world: Vec3, aspect: f32) -> Option<Vec2> {
        let clip = self.clip_from_world(aspect) * point_in_world.extend(1.0);
        (clip.w > 0.0).then(|| {
            let ndc = clip.truncate() / clip.w;
            Vec2::new(ndc.x * 0.5 + 0.5, 0.5 - ndc.y * 0.5)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_is_the_text_that_camera_takes() {
        let text = "0,175,0,-14.942,129.685,-14.942";
        let pose: Pose = text.parse().unwrap();
        assert_eq!(pose.to_string(), text);
        assert!(matches!(
            "1,2,3".parse::<Pose>(),
            Err(PoseError::Count { found: 3, .. })
        ));
        assert!(matches!(
            "1,2,x,4,5,6".parse::<Pose>(),
            Err(PoseError::Number { .. })
        ));
        assert!(matches!(
            "1,2,nan,4,5,6".parse::<Pose>(),
            Err(PoseError::Number { .. })
        ));
        assert_eq!("1,2,3,1,2,3".parse::<Pose>(), Err(PoseError::NoDirection));
    }

    #[test]
    fn west_is_left_when_one_faces_north_in_a_mirrored_world() {
        let camera = Camera::new("0,10,0,0,10,-10".parse().unwrap(), Handedness::Mirrored);
        let west = camera.project(Vec3::new(3.0, 10.0, -10.0), 1.0).unwrap();
        assert!(west.x < 0.5, "{west}");
        let above = camera.project(Vec3::new(0.0, 13.0, -10.0), 1.0).unwrap();
        assert!(above.y < 0.5, "{above}");
    }

    #[test]
    fn a_ray_goes_through_the_point_that_it_was_made_for() {
        for projection in [Projection::Perspective, Projection::Orthographic] {
            for view in NamedView::ALL {
                let bounds = Aabb {
                    min: Vec3::new(-100.0, -5.0, -80.0),
                    max: Vec3::new(100.0, 20.0, 80.0),
                };
                let mut camera = Camera::framing(bounds, view, Handedness::Mirrored, 1.5);
                camera.projection = projection;
                let at = Vec2::new(0.3, 0.6);
                let ray = camera.ray_in_world(at, 1.5);
                let point = ray.origin + ray.direction * (camera.distance() * 5.0 + 20_000.0);
                let seen = camera.project(point, 1.5).unwrap();
                assert!(
                    (seen - at).length() < 1e-3,
                    "{view:?} {projection:?}: {seen}"
                );
            }
        }
    }

    #[test]
    fn framing_shows_the_whole_box_and_does_not_stand_too_far_off() {
        let bounds = Aabb {
            min: Vec3::new(-512.0, -12.0, -512.0),
            max: Vec3::new(512.0, 36.0, 512.0),
        };
        for view in NamedView::ALL {
            let camera = Camera::framing(bounds, view, Handedness::Mirrored, 16.0 / 9.0);
            let seen = bounds
                .corners()
                .map(|c| camera.project(c, 16.0 / 9.0).unwrap());
            let inside = |p: &Vec2| p.x > 0.0 && p.x < 1.0 && p.y > 0.0 && p.y < 1.0;
            assert!(seen.iter().all(inside), "{view:?}: {seen:?}");
            let widest = seen
                .iter()
                .map(|p| (p.x - 0.5).abs().max((p.y - 0.5).abs()))
                .fold(0.0, f32::max);
            let side = |of: fn(Vec2) -> f32| {
                let of = seen.map(of);
                let [low, high] = [f32::MAX, f32::MIN];
                [
                    of.into_iter().fold(low, f32::min),
                    of.into_iter().fold(high, f32::max),
                ]
            };
            for [low, high] in [side(|p| p.x), side(|p| p.y)] {
                assert!(
                    (low + high - 1.0).abs() < 1e-3,
                    "{view:?} is not in the middle"
                );
            }
            assert!(
                widest > 0.45,
                "{view:?} leaves most of the picture empty: {widest}"
            );
        }
    }
}
