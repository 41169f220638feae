//! The joints of a model and the matrices of their poses (fact sheet B3).
//!
//! A joint's own matrix is translation * rotation * scale, multiplied by that of its parent from
//! the left. A vertex is transformed from model space into the space of the joint in its bind pose,
//! and from there to the posed joint: `global_pose * inverse(global_bind)`.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, EulerRot, Mat3A, Quat, Vec3, Vec3A, Vec4};

use mapscope_formats::pfobj::{Joint, Rotation, Transform};

/// A skinning matrix, from model space in the bind pose to posed model space: the three rows of an
/// affine matrix, 48 bytes, in the layout of the shader.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct SkinMatrix {
    /// Rows for X, Y and Z: three factors for X, Y and Z of a point, and the translation.
    pub rows: [[f32; 4]; 3],
}

impl SkinMatrix {
    /// The identity matrix.
    pub const IDENTITY: Self = Self {
        rows: [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
        ],
    };

    /// Returns the product with a matrix that is applied first. It works on rows: transposing both
    /// ways would take longer than the product.
    fn after(&self, first: &Self) -> Self {
        let [x, y, z] = first.rows.map(Vec4::from);
        let row = |[a, b, c, d]: [f32; 4]| x * a + y * b + z * c + Vec4::new(0.0, 0.0, 0.0, d);
        Self {
            rows: self.rows.map(|own| row(own).to_array()),
        }
    }

    fn is_finite(&self) -> bool {
        self.rows.iter().all(|row| Vec4::from(*row).is_finite())
    }
}

impl From<Affine3A> for SkinMatrix {
    fn from(affine: Affine3A) -> Self {
        let Mat3A {
            x_axis: x,
            y_axis: y,
            z_axis: z,
        } = affine.matrix3;
        let t = affine.translation;
        Self {
            rows: [
                [x.x, y.x, z.x, t.x],
                [x.y, y.y, z.y, t.y],
                [x.z, y.z, z.z, t.z],
            ],
        }
    }
}

impl From<SkinMatrix> for Affine3A {
    fn from(SkinMatrix { rows: [x, y, z] }: SkinMatrix) -> Self {
        Self {
            matrix3: Mat3A::from_cols_array(&[
                x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2],
            ]),
            translation: Vec3A::new(x[3], y[3], z[3]),
        }
    }
}

/// The transform of a joint relative to its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalPose {
    /// Factors along X, Y and Z.
    pub scale: Vec3,
    /// Actual rotation, not conjugated. Of length 1 only if the file's is.
    pub rotation: Quat,
    /// Translation along X, Y and Z.
    pub translation: Vec3,
}

impl From<&Transform> for LocalPose {
    fn from(transform: &Transform) -> Self {
        Self {
            scale: transform.scale.into(),
            rotation: match transform.rotation {
                // Where the document specifies Euler angles, files have quaternions (fact sheet
                // B2).
                Rotation::ConjugatedQuaternion(xyzw) => Quat::from_array(xyzw).conjugate(),
                Rotation::EulerDegrees(degrees) => {
                    let [x, y, z] = degrees.map(f32::to_radians);
                    Quat::from_euler(EulerRot::XYZ, x, y, z)
                }
            },
            translation: transform.translation.into(),
        }
    }
}

impl LocalPose {
    /// A joint that stands where its parent does.
    pub(super) const REST: Self = Self {
        scale: Vec3::ONE,
        rotation: Quat::IDENTITY,
        translation: Vec3::ZERO,
    };

    /// Returns the matrix to the space of the parent. A quaternion of length 0 does not rotate.
    pub fn matrix(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Interpolates between two poses: translation and scale linearly, the rotation spherically
    /// along the shorter arc.
    #[inline]
    pub fn blend(&self, other: &Self, part: f32) -> Self {
        let [from, to] = [self.rotation, other.rotation].map(unit);
        Self {
            scale: self.scale.lerp(other.scale, part),
            rotation: slerp(from, to, part),
            translation: self.translation.lerp(other.translation, part),
        }
    }
}

/// Interpolates spherically between rotations of length 1, along the shorter arc.
///
/// From one frame to the next, a joint turns little. Such angles are interpolated without sines,
/// which makes palettes a third faster.
#[inline]
fn slerp(from: Quat, to: Quat, part: f32) -> Quat {
    /// Minimum cosine of half the angle between the rotations for which the series are as exact as
    /// the floats: 51 degrees.
    const MIN_COSINE: f32 = 0.9;
    let cosine = from.dot(to);
    let versine = 1.0 - cosine.abs();
    if versine > 1.0 - MIN_COSINE {
        return from.slerp(to, part);
    }
    // The square of the angle, and sin(x) / x as a function of the square of x.
    let square =
        versine * (2.0 + versine * (1.0 / 3.0 + versine * (4.0 / 45.0 + versine * (1.0 / 35.0))));
    let sinc = |square: f32| 1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0));
    let whole = sinc(square).recip();
    let weight = |part: f32| part * sinc(part * part * square) * whole;
    from * weight(1.0 - part) + to * weight(part).copysign(cosine)
}

/// Normalizes a rotation. A quaternion of length 0 becomes the identity.
#[inline]
pub(super) fn unit(rotation: Quat) -> Quat {
    // Rotations of files have length 1, except for rounding.
    if (rotation.length_squared() - 1.0).abs() < 1e-5 {
        return rotation;
    }
    let unit = rotation / rotation.length();
    if unit.is_finite() {
        unit
    } else {
        Quat::IDENTITY
    }
}

/// The joints of a model, from the roots outward.
#[derive(Debug, Default)]
pub struct Skeleton {
    /// All joints, parents before their children.
    order: Vec<u32>,
    parents: Vec<Option<u32>>,
    /// Children of all joints, one joint after another.
    children: Vec<u32>,
    /// Range of each joint in `children`.
    children_of: Vec<Range<u32>>,
    bind_globals: Vec<Affine3A>,
    inverse_binds: Vec<SkinMatrix>,
    /// Joints whose bind pose is not invertible, such as one that scales everything to zero. Their
    /// vertices move with the nearest invertible ancestor, if any. In the order of `order`.
    carried: Vec<(u32, Option<u32>)>,
}

impl Skeleton {
    /// Builds the skeleton of a file's joints. A parent that does not exist or that would close a
    /// cycle is ignored.
    pub fn build(joints: &[Joint]) -> Self {
        let count = joints.len();
        let parents: Vec<Option<u32>> = joints
            .iter()
            .map(|joint| joint.parent.filter(|&parent| (parent as usize) < count))
            .collect();
        let mut skeleton = Self {
            parents,
            ..Self::default()
        };
        skeleton.list_children();
        skeleton.sort_parents_first();
        skeleton.list_children();
        let locals: Vec<LocalPose> = joints
            .iter()
            .map(|joint| LocalPose::from(&joint.bind))
            .collect();
        skeleton.bind_globals = vec![Affine3A::IDENTITY; count];
        skeleton.inverse_binds = vec![SkinMatrix::IDENTITY; count];
        // For each carried joint, its carrier.
        let mut carriers = vec![None; count];
        for &joint in &skeleton.order {
            let at = joint as usize;
            let local = locals[at].matrix();
            let parent = skeleton.parents[at];
            let global = parent.map_or(local, |p| skeleton.bind_globals[p as usize] * local);
            let inverse = global.inverse();
            if let Some(carrier) = parent.and_then(|p| carriers[p as usize]) {
                skeleton.carried.push((joint, carrier));
                carriers[at] = Some(carrier);
            } else if !inverse.is_finite() || global.matrix3.determinant() == 0.0 {
                skeleton.carried.push((joint, parent));
                carriers[at] = Some(parent);
            } else {
                skeleton.inverse_binds[at] = inverse.into();
            }
            skeleton.bind_globals[at] = if global.is_finite() {
                global
            } else {
                Affine3A::IDENTITY
            };
        }
        skeleton
    }

    fn list_children(&mut self) {
        let mut counts = vec![0_u32; self.parents.len()];
        for &parent in self.parents.iter().flatten() {
            counts[parent as usize] += 1;
        }
        let mut next = 0;
        self.children_of = counts
            .iter()
            .map(|&count| {
                let first = next;
                next += count;
                first..first
            })
            .collect();
        self.children = vec![0; next as usize];
        for (joint, parent) in self.parents.iter().enumerate() {
            if let Some(parent) = parent {
                let range = &mut self.children_of[*parent as usize];
                self.children[range.end as usize] = joint as u32;
                range.end += 1;
            }
        }
    }

    /// Sorts the joints from the roots to the tips. Joints that no root leads to form a cycle; the
    /// first of them becomes a root.
    fn sort_parents_first(&mut self) {
        let count = self.parents.len();
        let mut is_placed = vec![false; count];
        self.order.reserve(count);
        let roots: Vec<u32> = (0..count as u32)
            .filter(|&joint| self.parents[joint as usize].is_none())
            .collect();
        let all = 0..count as u32;
        for begin in roots.into_iter().chain(all) {
            if is_placed[begin as usize] {
                continue;
            }
            self.parents[begin as usize] = None;
            is_placed[begin as usize] = true;
            let mut at = self.order.len();
            self.order.push(begin);
            while let Some(&joint) = self.order.get(at) {
                at += 1;
                let range = self.children_of[joint as usize].clone();
                for &child in &self.children[range.start as usize..range.end as usize] {
                    if !is_placed[child as usize] {
                        is_placed[child as usize] = true;
                        self.order.push(child);
                    }
                }
            }
        }
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// `true` if the skeleton has no joints.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// All joints, parents before their children.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Parent of a joint, or `None` for a root or a missing joint.
    pub fn parent(&self, joint: usize) -> Option<usize> {
        let parent = self.parents.get(joint).copied().flatten()?;
        Some(parent as usize)
    }

    /// Children of a joint, in file order.
    pub fn children(&self, joint: usize) -> &[u32] {
        let range = self.children_of.get(joint).cloned().unwrap_or_default();
        self.children
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// Matrix from a joint's space to model space in the bind pose.
    pub fn bind_global(&self, joint: usize) -> Affine3A {
        self.bind_globals.get(joint).copied().unwrap_or_default()
    }

    /// Joints whose bind pose is not invertible, such as one that scales to zero, each with the
    /// joint that moves its vertices instead.
    pub fn carried(&self) -> &[(u32, Option<u32>)] {
        &self.carried
    }

    /// Writes the matrices from the joints' spaces to model space to `globals`, one for each joint.
    /// `local` returns poses relative to the parents.
    pub fn write_globals(&self, local: impl Fn(usize) -> LocalPose, globals: &mut [Affine3A]) {
        if globals.len() < self.len() {
            return;
        }
        for &joint in &self.order {
            let at = joint as usize;
            let matrix = local(at).matrix();
            let global = match self.parents[at] {
                Some(parent) => globals[parent as usize] * matrix,
                None => matrix,
            };
            globals[at] = global;
        }
    }

    /// Writes a joint palette to `palette`, one finite matrix for each joint. `local` returns poses
    /// relative to the parents.
    pub fn write_palette(&self, local: impl Fn(usize) -> LocalPose, palette: &mut [SkinMatrix]) {
        if palette.len() < self.len() {
            return;
        }
        // The palette temporarily holds global matrices, until all children have used them.
        for &joint in &self.order {
            let at = joint as usize;
            let matrix = SkinMatrix::from(local(at).matrix());
            palette[at] = match self.parents[at] {
                Some(parent) => palette[parent as usize].after(&matrix),
                None => matrix,
            };
        }
        for (matrix, inverse_bind) in palette.iter_mut().zip(&self.inverse_binds) {
            let skin = matrix.after(inverse_bind);
            *matrix = if skin.is_finite() {
                skin
            } else {
                SkinMatrix::IDENTITY
            };
        }
        for &(joint, carrier) in &self.carried {
            palette[joint as usize] = match carrier {
                Some(carrier) => palette[carrier as usize],
                None => SkinMatrix::IDENTITY,
            };
        }
    }

    /// Heap size in bytes.
    pub fn cpu_bytes(&self) -> usize {
        size_of::<u32>() * (self.order.len() + self.children.len())
            + size_of_val(self.parents.as_slice())
            + size_of_val(self.children_of.as_slice())
            + size_of_val(self.bind_globals.as_slice())
            + size_of_val(self.inverse_binds.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::model::sample;

    fn palette(skeleton: &Skeleton, poses: &[Transform]) -> Vec<Affine3A> {
        let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
        skeleton.write_palette(|joint| (&poses[joint]).into(), &mut palette);
        palette.into_iter().map(Affine3A::from).collect()
    }

    fn binds(joints: &[Joint]) -> Vec<Transform> {
        joints.iter().map(|joint| joint.bind).collect()
    }

    #[test]
    fn matrices_keep_their_rows() {
        let affine = Affine3A::from_scale_rotation_translation(
            Vec3::new(1.0, 2.0, 3.0),
            Quat::from_rotation_y(0.4),
            Vec3::new(7.0, 8.0, 9.0),
        );
        let skin = SkinMatrix::from(affine);
        assert_eq!(Affine3A::from(skin), affine);
        assert_eq!(skin.rows.map(|row| row[3]), [7.0, 8.0, 9.0]);
        assert_eq!(SkinMatrix::from(Affine3A::IDENTITY), SkinMatrix::IDENTITY);
        assert_eq!(size_of::<SkinMatrix>(), 48);
    }

    #[test]
    fn rotations_are_conjugated_and_euler_angles_turn_around_z_first() {
        let local = |rotation| {
            LocalPose::from(&Transform {
                rotation,
                ..sample::IN_PLACE
            })
        };
        let turn = local(sample::turned(90.0)).matrix();
        assert!(turn.transform_point3(Vec3::X).distance(Vec3::Y) < 1e-6);
        // X goes to Y around Z, and from there to Z around X.
        let turn = local(Rotation::EulerDegrees([90.0, 0.0, 90.0])).matrix();
        assert!(turn.transform_point3(Vec3::X).distance(Vec3::Z) < 1e-6);
        let none = local(Rotation::ConjugatedQuaternion([0.0; 4])).matrix();
        assert_eq!(none, Affine3A::IDENTITY);
    }

    #[test]
    fn the_bind_pose_moves_nothing_however_joints_are_scaled_and_turned() {
        let mut joints = sample::chain(4, 1).joints;
        joints[1].bind.scale = [4.9, 0.3, 2.0];
        joints[2].bind.rotation = sample::turned(73.0);
        joints[3].bind.scale = [0.1; 3];
        let skeleton = Skeleton::build(&joints);
        for skin in palette(&skeleton, &binds(&joints)) {
            assert!(skin.abs_diff_eq(Affine3A::IDENTITY, 1e-5), "{skin}");
        }
    }

    #[test]
    fn a_turned_joint_takes_its_children_along_with_their_scale() {
        let mut joints = sample::chain(3, 1).joints;
        joints[1].bind.scale = [2.0; 3];
        let skeleton = Skeleton::build(&joints);
        // The third joint is one unit of the second above it: two of the model's.
        let third = skeleton.bind_global(2).translation;
        assert_eq!(Vec3::from(third), Vec3::new(0.0, 3.0, 0.0));
        let mut poses = binds(&joints);
        poses[1].rotation = sample::turned(90.0);
        let skin = palette(&skeleton, &poses);
        assert_eq!(skin[0], Affine3A::IDENTITY);
        let tip = skin[2].transform_point3(Vec3::new(0.0, 4.0, 0.0));
        assert!(tip.distance(Vec3::new(-3.0, 1.0, 0.0)) < 1e-5, "{tip}");
    }

    #[test]
    fn a_child_may_stand_before_its_parent() {
        let ordered = sample::chain(5, 1).joints;
        let mut reversed: Vec<Joint> = ordered.iter().rev().cloned().collect();
        for joint in &mut reversed {
            joint.parent = joint.parent.map(|parent| 4 - parent);
        }
        let mut poses = binds(&ordered);
        poses[2].rotation = sample::turned(30.0);
        let straight = palette(&Skeleton::build(&ordered), &poses);
        poses.reverse();
        let skeleton = Skeleton::build(&reversed);
        assert_eq!(skeleton.order(), [4, 3, 2, 1, 0]);
        assert_eq!(skeleton.children(4), [3]);
        let mut turned_round = palette(&skeleton, &poses);
        turned_round.reverse();
        assert_eq!(straight, turned_round);
    }

    #[test]
    fn parents_that_cannot_be_are_none() {
        let mut joints = sample::chain(4, 1).joints;
        joints[0].parent = Some(1000);
        // The second and third are each other's parents.
        joints[1].parent = Some(2);
        let skeleton = Skeleton::build(&joints);
        assert_eq!(skeleton.parent(0), None);
        let mut order = skeleton.order().to_vec();
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3]);
        assert_eq!((skeleton.parent(1), skeleton.parent(2)), (None, Some(1)));
    }

    #[test]
    fn what_cannot_be_undone_moves_with_what_is_above_it() {
        let mut joints = sample::chain(4, 1).joints;
        joints[2].bind.scale = [0.0; 3];
        let skeleton = Skeleton::build(&joints);
        assert_eq!(skeleton.carried(), [(2, Some(1)), (3, Some(1))]);
        let mut poses = binds(&joints);
        poses[1].translation = [5.0, 1.0, 0.0];
        poses[3].scale = [f32::MAX; 3];
        let skin = palette(&skeleton, &poses);
        assert_eq!(skin[3], skin[1]);
        assert!(skin.iter().all(Affine3A::is_finite));
        joints[0].bind.scale = [0.0, 1.0, 1.0];
        poses[1].translation = [f32::MAX, f32::MAX, 0.0];
        poses[0].scale = [f32::MAX; 3];
        let skin = palette(&Skeleton::build(&joints), &poses);
        assert!(skin.iter().all(|skin| *skin == Affine3A::IDENTITY));
    }

    #[test]
    fn slerp_without_sines_is_slerp() {
        let from = Quat::from_rotation_y(0.3) * Quat::from_rotation_x(1.1);
        for i in 0..400 {
            let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), i as f32 * 0.005 * 3.1);
            for to in [from * turn, -(from * turn)] {
                for part in [0.0, 0.1, 0.5, 0.77, 1.0] {
                    let (exact, own) = (from.slerp(to, part), slerp(from, to, part));
                    let error = (exact - own).length();
                    assert!(error < 2e-6, "{i} {part}: {own}, not {exact}");
                }
            }
        }
    }

    #[test]
    fn poses_blend_the_short_way_round() {
        let pose = |degrees: f32, x: f32| {
            LocalPose::from(&Transform {
                scale: [x + 1.0; 3],
                rotation: sample::turned(degrees),
                translation: [x, 0.0, 0.0],
            })
        };
        // The same rotation with the opposite sign takes the longer arc.
        let mut far = pose(80.0, 2.0);
        far.rotation = -far.rotation;
        let half = pose(0.0, 0.0).blend(&far, 0.5);
        let expected = pose(40.0, 1.0);
        assert!(half.matrix().abs_diff_eq(expected.matrix(), 1e-5));
        let none = LocalPose {
            rotation: Quat::from_array([0.0; 4]),
            ..pose(0.0, 0.0)
        };
        assert!(none.blend(&far, 0.3).matrix().is_finite());
    }
}
