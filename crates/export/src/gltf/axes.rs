//! The axes of glTF, in which +X is right for a viewer looking along -Z.

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};

use mapscope_scene::camera::Handedness;

/// Mapping of the axes of a document's world to those of glTF.
///
/// In a mirrored world one axis is reversed, so that other programs show it as its game does. No
/// transform in the file mirrors anything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axes {
    /// 1 for each axis that keeps its direction, -1 for the one that is reversed.
    signs: Vec3,
}

impl Default for Axes {
    fn default() -> Self {
        Self::of(Handedness::Right)
    }
}

impl Axes {
    /// The axes for a world; north becomes -Z and east +X.
    pub(super) fn of(handedness: Handedness) -> Self {
        let signs = match handedness {
            Handedness::Right => Vec3::ONE,
            Handedness::Mirrored => Vec3::new(-1.0, 1.0, 1.0),
            Handedness::Left => Vec3::new(1.0, 1.0, -1.0),
        };
        Self { signs }
    }

    fn is_mirrored(self) -> bool {
        self.signs.element_product() < 0.0
    }

    /// Converts a position or a direction.
    pub(super) fn vector(self, vector: Vec3) -> Vec3 {
        vector * self.signs
    }

    /// Converts a rotation.
    pub(super) fn rotation(self, rotation: Quat) -> Quat {
        let axis = self.signs * self.signs.element_product();
        Quat::from_vec4((axis * rotation.xyz()).extend(rotation.w))
    }

    /// Converts a matrix between two spaces with these axes.
    pub(super) fn matrix(self, matrix: &Affine3A) -> Affine3A {
        let signs = Vec3A::from(self.signs);
        let turned = Mat3A::from_diagonal(self.signs);
        Affine3A {
            matrix3: turned * matrix.matrix3 * turned,
            translation: signs * matrix.translation,
        }
    }

    /// Converts triangles, given as three indices each, so that they keep their front side.
    pub(super) fn triangles(self, indices: &[u32]) -> Vec<u32> {
        let mut turned = indices.to_vec();
        if self.is_mirrored() {
            for corners in turned.chunks_exact_mut(3) {
                corners.swap(1, 2);
            }
        }
        turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_away_and_east_on_the_right() {
        for handedness in [Handedness::Right, Handedness::Mirrored, Handedness::Left] {
            let axes = Axes::of(handedness);
            assert_eq!(axes.vector(handedness.north()), Vec3::NEG_Z);
            assert_eq!(axes.vector(handedness.east()), Vec3::X);
            assert_eq!(axes.vector(Vec3::Y), Vec3::Y);
        }
    }

    #[test]
    fn what_a_transform_does_is_the_same_in_other_axes() {
        let rotation = Quat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize();
        let (scale, at) = (Vec3::new(2.0, 0.5, 3.0), Vec3::new(7.0, 8.0, 9.0));
        let matrix = Affine3A::from_scale_rotation_translation(scale, rotation, at);
        let point = Vec3::new(1.5, -2.5, 4.0);
        for handedness in [Handedness::Right, Handedness::Mirrored, Handedness::Left] {
            let axes = Axes::of(handedness);
            let expected = axes.vector(matrix.transform_point3(point));
            let moved = axes.matrix(&matrix).transform_point3(axes.vector(point));
            assert!(moved.distance(expected) < 1e-5, "{handedness:?}");
            let (rotation, at) = (axes.rotation(rotation), axes.vector(at));
            let parts = Affine3A::from_scale_rotation_translation(scale, rotation, at);
            let moved = parts.transform_point3(axes.vector(point));
            assert!(moved.distance(expected) < 1e-5, "{handedness:?}");
        }
    }

    #[test]
    fn faces_are_seen_from_the_same_side() {
        let corners = [
            Vec3::ZERO,
            Vec3::new(1.0, 2.0, 0.0),
            Vec3::new(0.0, 3.0, 5.0),
        ];
        let front = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a);
        for handedness in [Handedness::Right, Handedness::Mirrored, Handedness::Left] {
            let axes = Axes::of(handedness);
            let indices = axes.triangles(&[0, 1, 2]);
            let turned = [0, 1, 2].map(|at| axes.vector(corners[indices[at] as usize]));
            assert_eq!(front(turned), axes.vector(front(corners)), "{handedness:?}");
        }
    }
}
