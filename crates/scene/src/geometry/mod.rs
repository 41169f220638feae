//! Boxes and rays in world space.

pub(crate) mod bvh;
pub mod camera;
mod flight;
pub mod normal;

use glam::{Affine3A, Mat3A, Vec3, Vec3A};

/// Height of a level of Permafrost terrain, in world units.
pub const LEVEL_HEIGHT: f32 = 4.0;

/// An axis-aligned box in world space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Aabb {
    /// Min corner.
    pub min: Vec3,
    /// Max corner.
    pub max: Vec3,
}

impl Aabb {
    /// Returns the box around points, or `None` without points.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        let one = Self {
            min: first,
            max: first,
        };
        Some(points.fold(one, |all, point| Self {
            min: all.min.min(point),
            max: all.max.max(point),
        }))
    }

    /// Returns the box with the given half size around a centre.
    pub fn centered(center: Vec3, half: Vec3) -> Self {
        Self {
            min: center - half,
            max: center + half,
        }
    }

    /// Returns the box around boxes, or `None` without boxes.
    pub fn around_all(boxes: impl IntoIterator<Item = Self>) -> Option<Self> {
        boxes.into_iter().reduce(|all, next| all.union(&next))
    }

    /// Returns the box around this one and another.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Returns the box around this one after a transform.
    pub fn transformed(&self, transform: &Affine3A) -> Self {
        let center = transform.transform_point3a(self.center().into());
        let axes = Mat3A::from_cols(
            transform.matrix3.x_axis.abs(),
            transform.matrix3.y_axis.abs(),
            transform.matrix3.z_axis.abs(),
        );
        let half_size = axes * (Vec3A::from(self.max - self.min) * 0.5);
        Self {
            min: (center - half_size).into(),
            max: (center + half_size).into(),
        }
    }

    /// `true` if all its corners have finite coordinates.
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// Centre of the box.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Half the diagonal: the radius of the bounding sphere.
    pub fn radius(&self) -> f32 {
        (self.max - self.min).length() * 0.5
    }

    /// Distance of a point from the box; 0 inside.
    pub fn distance(&self, point: Vec3) -> f32 {
        point.clamp(self.min, self.max).distance(point)
    }

    /// Returns the eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, low: f32, high: f32| if i & bit == 0 { low } else { high };
            Vec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }
}

/// A half-line in world space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Origin.
    pub origin: Vec3,
    /// Direction, of length 1.
    pub direction: Vec3,
}

impl Ray {
    /// Returns the distances at which the ray enters and leaves a box, or `None` if it misses it. A
    /// ray that starts inside enters at 0.
    pub fn within(self, aabb: &Aabb) -> Option<(f32, f32)> {
        let inverse = self.direction.recip();
        let a = (aabb.min - self.origin) * inverse;
        let b = (aabb.max - self.origin) * inverse;
        // A ray within the plane of a side gives NaN, which is ignored.
        let near = a.min(b).max(Vec3::ZERO).max_element();
        let far = a.max(b).min_element();
        let far = if far.is_nan() { f32::INFINITY } else { far };
        (near <= far * 1.000_001 + 1e-6).then_some((near, far * 1.000_001 + 1e-6))
    }
}
