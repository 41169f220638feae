//! The clips of a model, and animation curves of its joints.

use glam::{EulerRot, Quat, Vec3};

use super::Model;
use super::skeleton::{LocalPose, unit};
use crate::{Aabb, Animation, ClipInfo, Curve, Item, ModelItem};

/// Red, green and blue for X, Y and Z.
pub(super) const AXIS_COLORS: [[u8; 3]; 3] = [[235, 87, 87], [111, 207, 94], [86, 148, 242]];
const AXES: [&str; 3] = ["X", "Y", "Z"];

impl Animation for Model {
    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }

    fn has_curves(&self) -> bool {
        true
    }

    /// Returns translation in units, rotation in degrees and scale of a joint, relative to its
    /// parent.
    fn curves(&self, item: Item, clip: usize) -> Vec<Curve> {
        let joints = self.skeleton.len();
        let (Some(poses), Some(joint)) = (self.pfobj.clips.get(clip), self.joint_of(item)) else {
            return Vec::new();
        };
        let frames = self.poses.frames(clip) as usize;
        let frames = poses.poses.chunks_exact(joints).take(frames);
        let poses: Vec<LocalPose> = frames
            .filter_map(|frame| frame.get(joint).map(LocalPose::from))
            .collect();
        let mut last = None;
        let turns: Vec<Vec3> = poses
            .iter()
            .map(|pose| {
                let degrees = euler_degrees(pose.rotation, FirstAxis::Z);
                let degrees = last.map_or(degrees, |last| nearest_degrees(degrees, last));
                last = Some(degrees);
                degrees
            })
            .collect();
        let ways = poses.iter().map(|pose| pose.translation).collect();
        let scales = poses.iter().map(|pose| pose.scale).collect();
        let groups = [
            ("Translation", ways),
            ("Rotation", turns),
            ("Scale", scales),
        ];
        let mut curves = Vec::with_capacity(9);
        for (group, values) in groups {
            for axis in 0..3 {
                curves.push(Curve {
                    group,
                    name: AXES[axis],
                    color: AXIS_COLORS[axis],
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
        let curves = model.curves(joint(1), 0);
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
        assert_eq!(model.curves(joint(2), 0), []);
        assert_eq!(model.curves(joint(1), 1), []);
        assert_eq!(model.curves(model.clips()[0].item, 0), []);
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
