//! The clips of a model, and animation curves of its joints.

use glam::{EulerRot, Quat, Vec3, Vec4};

use super::Model;
use super::skeleton::{LocalPose, unit};
use crate::{Aabb, Animation, ClipInfo, Curve, CurveOptions, Item, ModelItem};

/// Red, green and blue for X, Y and Z.
pub(super) const AXIS_COLORS: [[u8; 3]; 3] = [[235, 87, 87], [111, 207, 94], [86, 148, 242]];
/// The fourth number of a quaternion is yellow.
const W_COLOR: [u8; 3] = [242, 201, 76];
const AXES: [&str; 4] = ["X", "Y", "Z", "W"];

impl Animation for Model {
    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }

    fn has_curves(&self) -> bool {
        true
    }

    /// Returns translation in units, rotation and scale of a joint.
    fn curves(&self, item: Item, clip: usize, options: CurveOptions) -> Vec<Curve> {
        let Some(joint) = self.joint_of(item) else {
            return Vec::new();
        };
        let poses: Vec<LocalPose> = (0..self.poses.frames(clip))
            .filter_map(|frame| self.pose_at(clip, frame, joint, options.is_global))
            .collect();
        if poses.is_empty() {
            return Vec::new();
        }
        let rotations = poses.iter().map(|pose| pose.rotation);
        let turns: Vec<Vec4> = if options.has_quaternions {
            unwrapped(rotations.map(|it| unit(it).into()), nearest_sign)
        } else {
            let degrees = rotations.map(|it| euler_degrees(it, FirstAxis::Z).extend(0.0));
            unwrapped(degrees, |degrees, last| {
                nearest_degrees(degrees.truncate(), last.truncate()).extend(0.0)
            })
        };
        let ways = poses.iter().map(|pose| pose.translation.extend(0.0));
        let scales = poses.iter().map(|pose| pose.scale.extend(0.0));
        let components = if options.has_quaternions { 4 } else { 3 };
        let groups = [
            ("Translation", ways.collect(), 3),
            ("Rotation", turns, components),
            ("Scale", scales.collect(), 3),
        ];
        let mut curves = Vec::with_capacity(10);
        for (group, values, components) in groups {
            for axis in 0..components {
                curves.push(Curve {
                    group,
                    name: AXES[axis],
                    color: AXIS_COLORS.get(axis).copied().unwrap_or(W_COLOR),
                    values: values.iter().map(|value| value[axis]).collect(),
                });
            }
        }
        curves
    }

    fn follows_playhead(&self, item: Item) -> bool {
        matches!(
            item,
            Item::Model(
                ModelItem::Joint { .. } | ModelItem::Triangle { .. } | ModelItem::Clip { .. }
            )
        )
    }

    fn bounds(&self, clip: Option<usize>) -> Option<Aabb> {
        self.extent_of(clip)
    }
}

impl Model {
    /// Returns the pose of a joint in a frame of a clip, relative to its parent or in model space.
    fn pose_at(&self, clip: usize, frame: u32, joint: usize, is_global: bool) -> Option<LocalPose> {
        if !is_global {
            return Some(self.pose_in(clip, frame)?.local(joint));
        }
        let global = self.global_at(clip, frame, joint)?;
        let (scale, rotation, translation) = global.to_scale_rotation_translation();
        Some(LocalPose {
            scale,
            // A joint that is scaled to nothing has no direction.
            rotation: if rotation.is_finite() {
                rotation
            } else {
                Quat::IDENTITY
            },
            translation,
        })
    }
}

/// Replaces each value by the equivalent one that is nearest to its predecessor.
fn unwrapped(
    values: impl Iterator<Item = Vec4>,
    nearest: impl Fn(Vec4, Vec4) -> Vec4,
) -> Vec<Vec4> {
    let mut last = None;
    let next = |value| {
        let value = last.map_or(value, |last| nearest(value, last));
        last = Some(value);
        value
    };
    values.map(next).collect()
}

/// Returns the quaternion of the same rotation whose sign is that of `other`.
fn nearest_sign(quaternion: Vec4, other: Vec4) -> Vec4 {
    if quaternion.dot(other) < 0.0 {
        -quaternion
    } else {
        quaternion
    }
}

/// The order in which Euler angles turn around the axes of the parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstAxis {
    /// X, then Y, then Z: XYZ in Blender.
    X,
    /// Z, then Y, then X: the matrix is the product of those of X, Y and Z, as in the format's
    /// document.
    Z,
}

/// Converts a rotation to angles in degrees around X, Y and Z.
pub(super) fn euler_degrees(rotation: Quat, first: FirstAxis) -> Vec3 {
    let rotation = unit(rotation);
    let angles = match first {
        FirstAxis::Z => Vec3::from(rotation.to_euler(EulerRot::XYZ)),
        FirstAxis::X => {
            let (z, y, x) = rotation.to_euler(EulerRot::ZYX);
            Vec3::new(x, y, z)
        }
    };
    angles.map(f32::to_degrees)
}

/// Returns equivalent angles that are nearest to `other`, so that the curve of a joint that keeps
/// turning keeps rising.
fn nearest_degrees(degrees: Vec3, other: Vec3) -> Vec3 {
    let nearest = |degrees: Vec3| degrees - ((degrees - other) / 360.0).round() * 360.0;
    // Half a turn around two axes equals half a turn around the third.
    let over = Vec3::new(degrees.x + 180.0, 180.0 - degrees.y, degrees.z + 180.0);
    let [a, b] = [degrees, over].map(nearest);
    if b.distance_squared(other) < a.distance_squared(other) {
        b
    } else {
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::model::sample;

    #[test]
    fn a_joint_that_turns_on_and_on_has_a_curve_that_rises() {
        let mut pfobj = sample::chain(2, 40);
        for (frame, pair) in pfobj.clips[0].poses.chunks_exact_mut(2).enumerate() {
            pair[1].rotation = sample::turned(frame as f32 * 25.0);
            pair[1].scale = [1.0, 2.0, frame as f32];
        }
        let model = sample::model(pfobj);
        let joint = |index| ModelItem::Joint { index }.into();
        let curves = model.curves(joint(1), 0, CurveOptions::default());
        let names: Vec<String> = curves
            .iter()
            .map(|curve| [curve.group, curve.name].join(" "))
            .collect();
        assert_eq!(names[0], "Translation X");
        assert_eq!(names[5], "Rotation Z");
        assert_eq!(names[8], "Scale Z");
        assert_eq!(curves[1].values, [1.0; 40]);
        for (frame, degrees) in curves[5].values.iter().enumerate() {
            assert!(
                (degrees - frame as f32 * 25.0).abs() < 0.01,
                "{frame}: {degrees}"
            );
        }
        assert_eq!(curves[8].values[7], 7.0);
        // Other items have no curves.
        assert_eq!(model.curves(joint(2), 0, CurveOptions::default()), []);
        assert_eq!(model.curves(joint(1), 1, CurveOptions::default()), []);
        assert_eq!(
            model.curves(model.clips()[0].item, 0, CurveOptions::default()),
            []
        );
    }

    #[test]
    fn curves_are_relative_to_the_parent_or_to_the_model() {
        let mut pfobj = sample::chain(2, 30);
        for (frame, pair) in pfobj.clips[0].poses.chunks_exact_mut(2).enumerate() {
            pair[0].rotation = sample::turned(frame as f32 * 20.0);
            pair[1].rotation = sample::turned(frame as f32 * -5.0);
        }
        let model = sample::model(pfobj);
        let at = |is_global, has_quaternions| {
            let options = CurveOptions {
                is_global,
                has_quaternions,
            };
            model.curves(ModelItem::Joint { index: 1 }.into(), 0, options)
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 0.01, "{a} {b}");
        let [local, global] = [false, true].map(|is_global| at(is_global, false));
        for frame in 0..30_u8 {
            let (index, frame) = (usize::from(frame), f32::from(frame));
            near(local[5].values[index], frame * -5.0);
            near(global[5].values[index], frame * 15.0);
            near(local[1].values[index], 1.0);
            let (sin, cos) = (frame * 20.0).to_radians().sin_cos();
            near(global[0].values[index], -sin);
            near(global[1].values[index], cos);
        }
        let quaternions = at(true, true);
        assert_eq!(quaternions.len(), 10);
        assert_eq!(
            (quaternions[6].group, quaternions[6].name),
            ("Rotation", "W")
        );
        for frame in 0..30_u8 {
            // The sign never jumps.
            let half = (f32::from(frame) * 7.5).to_radians();
            near(quaternions[5].values[usize::from(frame)], half.sin());
            near(quaternions[6].values[usize::from(frame)], half.cos());
        }
    }

    #[test]
    fn angles_say_the_same_rotation() {
        for i in 0..200 {
            let angles = Vec3::new(i as f32 * 7.3, i as f32 * 11.9, i as f32 * -5.1);
            let meant = |degrees: Vec3| {
                let [x, y, z] = degrees.to_array().map(f32::to_radians);
                Quat::from_euler(EulerRot::XYZ, x, y, z)
            };
            let degrees = euler_degrees(meant(angles), FirstAxis::Z);
            assert!(meant(degrees).dot(meant(angles)).abs() > 0.9999);
            let near = nearest_degrees(degrees, Vec3::splat(500.0));
            assert!(meant(near).dot(meant(angles)).abs() > 0.9999);
            // Blender's XYZ turns around X first.
            let blender = euler_degrees(meant(angles), FirstAxis::X);
            let [x, y, z] = blender.to_array().map(f32::to_radians);
            let turned =
                Quat::from_rotation_z(z) * Quat::from_rotation_y(y) * Quat::from_rotation_x(x);
            assert!(turned.dot(meant(angles)).abs() > 0.9999);
        }
        for first in [FirstAxis::X, FirstAxis::Z] {
            let nothing = euler_degrees(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), first);
            assert_eq!(nothing, Vec3::ZERO);
        }
    }
}
