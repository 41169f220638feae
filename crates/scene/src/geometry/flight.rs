//! Camera movement: around the target, and along poses.

use glam::{Quat, Vec3};

use super::camera::Pose;

/// Minimum horizontal distance of an eye from its target for a turn, as a fraction of the whole
/// distance.
const MIN_HORIZONTAL_DISTANCE: f32 = 1e-3;

impl Pose {
    /// Returns the pose after a fraction of a full turn around the vertical line through the
    /// target. Returns `None` if the eye is straight above or below it, where a turn has no effect.
    pub fn turned(self, part: f32) -> Option<Self> {
        let from_target = self.eye - self.target;
        if from_target.with_y(0.0).length() < from_target.length() * MIN_HORIZONTAL_DISTANCE {
            return None;
        }
        let turn = Quat::from_rotation_y(part * std::f32::consts::TAU);
        Some(Self {
            eye: self.target + turn * from_target,
            ..self
        })
    }

    /// Returns a pose on the path through `poses`, from 0 at the first to 1 at the last. All legs
    /// take the same time. The path is a smooth Catmull-Rom curve. Returns `None` without poses, or
    /// if eye and target meet.
    pub fn along_path(poses: &[Self], at: f32) -> Option<Self> {
        let last = poses.len().checked_sub(1)?;
        let at = at.clamp(0.0, 1.0) * last as f32;
        // The last pose starts a leg of zero length, so that it is reached exactly like the others.
        let leg = (at as usize).min(last);
        let part = at - leg as f32;
        // The end poses are repeated before the first and after the last one.
        let pose = |index: usize| poses.get(index.min(last)).copied();
        let near = [
            pose(leg.saturating_sub(1))?,
            pose(leg)?,
            pose(leg + 1)?,
            pose(leg + 2)?,
        ];
        let pose = Self {
            eye: on_curve(near.map(|pose| pose.eye), part),
            target: on_curve(near.map(|pose| pose.target), part),
        };
        (pose.eye != pose.target).then_some(pose)
    }
}

/// Interpolates between the second and the third of four points.
fn on_curve([a, b, c, d]: [Vec3; 4], part: f32) -> Vec3 {
    let (linear, square, cube) = (
        c - a,
        a * 2.0 - b * 5.0 + c * 4.0 - d,
        (b - c) * 3.0 + d - a,
    );
    b + (linear + (square + cube * part) * part) * (part * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(text: &str) -> Pose {
        text.parse().unwrap()
    }

    #[test]
    fn a_turn_goes_around_the_target_at_one_height() {
        let pose = pose("10,5,0,0,1,0");
        let quarter = pose.turned(0.25).unwrap();
        assert!(quarter.eye.distance(Vec3::new(0.0, 5.0, -10.0)) < 1e-4);
        assert_eq!(quarter.target, pose.target);
        assert!(pose.turned(1.0).unwrap().eye.distance(pose.eye) < 1e-4);
        assert_eq!("0,5,0,0,1,0".parse::<Pose>().unwrap().turned(0.5), None);
    }

    #[test]
    fn a_way_goes_through_all_its_poses() {
        let poses = [
            pose("0.1,0.2,0.3,0,0,-1"),
            pose("4.7,0.7,0.3,4,0,-2"),
            pose("4.3,8.1,0.9,4,8,-3"),
        ];
        for (at, expected) in [(0.0, poses[0]), (0.5, poses[1]), (1.0, poses[2])] {
            let found = Pose::along_path(&poses, at).unwrap();
            assert_eq!(found, expected, "{at}");
        }
        let between = Pose::along_path(&poses[..2], 0.5).unwrap();
        assert!(between.eye.distance(Vec3::new(2.4, 0.45, 0.3)) < 1e-5);
        assert_eq!(Pose::along_path(&poses[..1], 0.7), Some(poses[0]));
        assert_eq!(Pose::along_path(&[], 0.5), None);
    }
}
