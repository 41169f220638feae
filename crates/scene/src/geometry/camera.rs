//! Cameras: poses, projections, matrices and named views.
//!
//! Matrices are column-major and column vectors, as in glam and WGSL. Clip space is WebGPU's
//! with reversed depth: 1 at the near plane, 0 at infinity.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use glam::camera::rh;
use glam::{Mat4, Vec2, Vec3, Vec4};
use thiserror::Error;

use super::{Aabb, Ray};

/// Default vertical field of view of a perspective view: 45 degrees, as in the engine and in the
/// contract's `--camera`.
pub const FIELD_OF_VIEW_Y_RADIANS: f32 = std::f32::consts::FRAC_PI_4;
/// Allowed vertical fields of view, in degrees. Smaller ones look like a telescope, larger ones
/// stretch the edges too much.
pub const FIELDS_OF_VIEW_Y_DEGREES: RangeInclusive<f32> = 30.0..=110.0;

/// Handedness of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handedness {
    /// Looking along -Z with +Y up, +X is on the right.
    Right,
    /// Looking along -Z with +Y up, +X is on the left. The view is mirrored, as in the Permafrost
    /// Engine (fact sheet 0), so west is on the left when facing north.
    Mirrored,
    /// Looking along +Z with +Y up, +X is on the right and +Z is north. The view is the same as
    /// [`Handedness::Mirrored`], but with another compass.
    Left,
}

impl Handedness {
    /// Returns 1 for a right-handed view and -1 for a mirrored one, in which right turns become
    /// left turns.
    pub fn sign(self) -> f32 {
        match self {
            Self::Right => 1.0,
            Self::Mirrored | Self::Left => -1.0,
        }
    }

    /// Returns the unit vector to the north.
    pub fn north(self) -> Vec3 {
        match self {
            Self::Right | Self::Mirrored => Vec3::NEG_Z,
            Self::Left => Vec3::Z,
        }
    }

    /// Returns the unit vector to the east.
    pub fn east(self) -> Vec3 {
        self.north().cross(Vec3::Y) * self.sign()
    }
}

/// The projection of the world onto the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Projection {
    /// With foreshortening.
    #[default]
    Perspective,
    /// Without foreshortening. Objects at the distance of the target have the size of a perspective
    /// view of 45 degrees.
    Orthographic,
}

/// Positions of the eye and of its target, in the document's world coordinates.
///
/// Its text form is `EX,EY,EZ,TX,TY,TZ`, as accepted by `--camera`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position of the eye.
    pub eye: Vec3,
    /// Point in the middle of the view.
    pub target: Vec3,
}

/// Reasons why a text is not a pose.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PoseError {
    /// The text does not have six parts.
    #[error("expected six numbers EX,EY,EZ,TX,TY,TZ (eye and target), found {found} in `{text}`")]
    Count {
        /// Number of parts.
        found: usize,
        /// Text.
        text: String,
    },
    /// A part is not a finite number.
    #[error("expected a number, found `{part}`")]
    Number {
        /// Part.
        part: String,
    },
    /// Eye and target coincide, so the view has no direction.
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

/// A named view direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NamedView {
    /// From above at a slant, from the south-west toward the north-east, as in the game.
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
    /// From straight above without foreshortening, like the map of a 2D tile game.
    Flat,
}

impl NamedView {
    /// All views that every document has, in menu order.
    pub const ALL: [Self; 6] = [
        Self::Iso,
        Self::Top,
        Self::North,
        Self::South,
        Self::East,
        Self::West,
    ];

    /// Returns the name used by `--view`.
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

    /// Returns the view direction. Side views slant down in perspective and are level in an
    /// orthographic projection, so that they are elevations.
    pub fn direction(self, handedness: Handedness, projection: Projection) -> Vec3 {
        let (north, east) = (handedness.north(), handedness.east());
        let slant = match projection {
            Projection::Perspective => Vec3::NEG_Y * 0.5,
            Projection::Orthographic => Vec3::ZERO,
        };
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

/// Returns the distance of the near plane for a document of this size, in world units. It is large
/// enough for exact depths and small enough not to clip anything.
pub fn near_plane(bounds: Aabb) -> f32 {
    (bounds.radius() * 1.0e-3).clamp(0.01, 0.5)
}

/// Maximum fraction of the view's height and width that framed content covers.
const MARGIN: f32 = 0.96;

/// A pose with the other parameters of a view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Eye and target.
    pub pose: Pose,
    /// Projection.
    pub projection: Projection,
    /// Handedness of the world.
    pub handedness: Handedness,
    /// Distance of the near plane, in world units.
    pub near: f32,
    /// Vertical field of view of a perspective view, in radians. An orthographic view has the scale
    /// of [`FIELD_OF_VIEW_Y_RADIANS`] at the distance of the target, so its pose determines the
    /// size of objects.
    pub fov_y_radians: f32,
}

impl Camera {
    /// Creates a perspective camera.
    pub fn new(pose: Pose, handedness: Handedness) -> Self {
        Self {
            pose,
            projection: Projection::Perspective,
            handedness,
            near: 0.5,
            fov_y_radians: FIELD_OF_VIEW_Y_RADIANS,
        }
    }

    /// Creates a camera that looks in a direction and shows a whole box, for a view of this aspect
    /// ratio (width over height).
    pub fn framing(bounds: Aabb, view: NamedView, handedness: Handedness, aspect: f32) -> Self {
        let direction = view.direction(handedness, Projection::Perspective);
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

    /// Turns to a named view direction, keeping the target and the distance.
    pub fn face(&mut self, view: NamedView) {
        let direction = view.direction(self.handedness, self.projection);
        self.pose.eye = self.pose.target - direction * self.distance();
    }

    /// Moves the eye without turning it, until the centre of the box is in the middle of the view
    /// and the whole box is visible.
    pub fn frame_centered(&mut self, bounds: Aabb, aspect: f32) {
        let forward = self.forward();
        let [right, up] = self.right_up();
        let center = bounds.center();
        let tan_y = self.half_height() * MARGIN;
        let needed = bounds.corners().map(|corner| {
            let offset = corner - center;
            let aside = (offset.dot(right) / aspect).abs().max(offset.dot(up).abs());
            let ahead = match self.projection {
                Projection::Perspective => offset.dot(forward),
                Projection::Orthographic => 0.0,
            };
            aside / tan_y - ahead
        });
        let distance = needed.into_iter().fold(self.near * 2.0, f32::max);
        self.pose = Pose {
            eye: center - forward * distance,
            target: center,
        };
    }

    /// Moves the eye without turning it, until the whole box fills the view as much as possible.
    /// The margins on the left and right are equal, and so are those at the top and bottom.
    pub fn frame(&mut self, bounds: Aabb, aspect: f32) {
        let forward = self.forward();
        let [right, up] = self.right_up();
        let tan_y = self.half_height() * MARGIN;
        let center = bounds.center();
        // Offset of each corner from the centre of the box: right, up and ahead.
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
        let mut scale: f32 = 1.0;
        // Nearer corners look larger, so the middle depends on the distance.
        for _ in 0..24 {
            scale = 0.0;
            for axis in 0..2 {
                // For each corner: its position in the view, and the reciprocal of its depth.
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
        // With a wide field of view, the iteration does not converge this close to such a large
        // box.
        if (scale - 1.0).abs() > 0.01 && distance > self.near * 2.0 {
            self.frame_centered(bounds, aspect);
            return;
        }
        let target = center + right * aside[0] + up * aside[1];
        self.pose = Pose {
            eye: target - forward * distance,
            target,
        };
    }

    /// Returns the unit vector along the line of sight, in world space.
    pub fn forward(&self) -> Vec3 {
        (self.pose.target - self.pose.eye)
            .try_normalize()
            .unwrap_or(Vec3::NEG_Y)
    }

    /// Returns the unit vectors to the right and to the top of the view, in world space.
    pub fn right_up(&self) -> [Vec3; 2] {
        let forward = self.forward();
        // When looking straight down, north is up.
        let up_hint = if forward.y.abs() > 0.99999 {
            self.handedness.north()
        } else {
            Vec3::Y
        };
        let right = forward.cross(up_hint).normalize();
        let up = right.cross(forward);
        [right * self.handedness.sign(), up]
    }

    /// Returns half the visible height at the distance of the target, as a fraction of that
    /// distance: the tangent of half the field of view.
    pub fn half_height(&self) -> f32 {
        let fov_y_radians = match self.projection {
            Projection::Perspective => self.fov_y_radians,
            Projection::Orthographic => FIELD_OF_VIEW_Y_RADIANS,
        };
        (fov_y_radians * 0.5).tan()
    }

    /// Switches the projection. Objects at the target keep their size.
    pub fn set_projection(&mut self, projection: Projection) {
        let before = self.half_height();
        self.projection = projection;
        let from_target = self.pose.eye - self.pose.target;
        self.pose.eye = self.pose.target + from_target * (before / self.half_height());
    }

    /// Distance from eye to target, in world units.
    pub fn distance(&self) -> f32 {
        self.pose.eye.distance(self.pose.target)
    }

    /// Transform from world space to view space: x to the right, y up, z toward the eye.
    pub fn view_from_world(&self) -> Mat4 {
        let [right, up] = self.right_up();
        let back = -self.forward();
        let eye = self.pose.eye;
        let row = |axis: Vec3| Vec4::new(axis.x, axis.y, axis.z, -axis.dot(eye));
        Mat4::from_cols(row(right), row(up), row(back), Vec4::W).transpose()
    }

    /// Transform from view space to clip space with reversed depth, for a view of this aspect
    /// ratio.
    pub fn clip_from_view(&self, aspect: f32) -> Mat4 {
        match self.projection {
            Projection::Perspective => rh::proj::directx::perspective_infinite_reverse(
                self.fov_y_radians,
                aspect,
                self.near,
            ),
            Projection::Orthographic => {
                let half_y = self.distance() * self.half_height();
                let half_x = half_y * aspect;
                // The range extends behind the eye too: without foreshortening, the eye's position
                // along the line of sight has no meaning.
                let depth = self.orthographic_reach();
                rh::proj::directx::orthographic(-half_x, half_x, -half_y, half_y, depth, -depth)
            }
        }
    }

    /// Depth range of an orthographic view before and behind the eye, in world units. Small
    /// documents need finer depths and have a nearer near plane.
    fn orthographic_reach(&self) -> f32 {
        self.distance() * 4.0 + self.near * 40_000.0
    }

    /// Transform from world space to clip space.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        self.clip_from_view(aspect) * self.view_from_world()
    }

    /// Returns the ray through a point of the view, given as fractions of its width and height from
    /// the top left.
    pub fn ray_in_world(&self, at: Vec2, aspect: f32) -> Ray {
        let [right, up] = self.right_up();
        let forward = self.forward();
        let tan_y = self.half_height();
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

    /// Projects a point of the world into the view, as fractions of its width and height from the
    /// top left. Returns `None` for points behind the eye.
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
    fn the_field_of_view_says_how_much_is_seen_and_framing_knows_it() {
        let mut camera = Camera::new("0,0,10,0,0,0".parse().unwrap(), Handedness::Right);
        let bounds = Aabb {
            min: Vec3::new(-3.0, -1.0, -2.0),
            max: Vec3::new(5.0, 6.0, 4.0),
        };
        let mut distances = Vec::new();
        for degrees in [30.0_f32, 45.0, 70.0, 110.0] {
            camera.fov_y_radians = degrees.to_radians();
            let top = camera.ray_in_world(Vec2::new(0.5, 0.0), 1.6).direction;
            let bottom = camera.ray_in_world(Vec2::new(0.5, 1.0), 1.6).direction;
            assert!((top.angle_between(bottom).to_degrees() - degrees).abs() < 0.01);
            camera.frame(bounds, 1.6);
            distances.push(camera.distance());
            for framed in [camera, {
                let mut centered = camera;
                centered.frame_centered(bounds, 1.6);
                let middle = centered.project(bounds.center(), 1.6).unwrap();
                assert!((middle - 0.5).length() < 1e-4, "{middle}");
                centered
            }] {
                let seen = bounds.corners().map(|c| framed.project(c, 1.6).unwrap());
                let ends = |p: &Vec2| p.min_element().min(1.0 - p.max_element());
                let margin = seen.iter().map(ends).fold(1.0, f32::min);
                assert!((0.0..0.04).contains(&margin), "{degrees}: {margin}");
            }
        }
        assert!(distances.is_sorted_by(|a, b| a > b), "{distances:?}");
    }

    #[test]
    fn what_is_at_the_target_keeps_its_size_when_the_projection_changes() {
        let mut camera = Camera::new("1,2,10,0,0,0".parse().unwrap(), Handedness::Left);
        camera.fov_y_radians = 1.5;
        let [right, _] = camera.right_up();
        let before = camera
            .project(camera.pose.target + right * 2.0, 1.2)
            .unwrap();
        for projection in [Projection::Orthographic, Projection::Perspective] {
            camera.set_projection(projection);
            let after = camera
                .project(camera.pose.target + right * 2.0, 1.2)
                .unwrap();
            assert!((after - before).length() < 1e-4, "{projection:?}: {after}");
        }
    }

    #[test]
    fn without_foreshortening_the_sides_are_seen_as_elevations() {
        for view in [
            NamedView::North,
            NamedView::South,
            NamedView::East,
            NamedView::West,
        ] {
            let mut camera = Camera::new("0,10,10,0,0,0".parse().unwrap(), Handedness::Left);
            camera.face(view);
            assert!(camera.forward().y < -0.2, "from above: {view:?}");
            let distance = camera.distance();
            camera.projection = Projection::Orthographic;
            camera.face(view);
            assert!(camera.forward().y.abs() < 1e-6, "level: {view:?}");
            assert!((camera.distance() - distance).abs() < 1e-4);
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
                "{view:?} leaves most of the view empty: {widest}"
            );
        }
    }
}
