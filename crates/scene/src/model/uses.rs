//! Counts of what joints move and where materials are used, made once.

use glam::{Vec2, Vec3};

use super::mesh::{Mesh, face_normal};
use mapscope_formats::pfobj::{Pfobj, Vertex};

/// What the joints move and where the materials are.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// By joint.
    pub(super) joints: Vec<JointUse>,
    /// By material.
    pub(super) materials: Vec<MaterialUse>,
    /// Triangles whose winding contradicts their normals (fact sheet B4).
    pub(super) reversed: usize,
}

/// What a joint moves.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct JointUse {
    /// Vertices of the file that it moves, however little.
    pub(super) vertices: usize,
    /// The maximum of its weights.
    pub(super) max_weight: f32,
}

/// Where a material is.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct MaterialUse {
    /// Triangles that have it.
    pub(super) triangles: usize,
    /// Min and max of the texture coordinates of their corners.
    pub(super) uv: Option<[Vec2; 2]>,
}

impl Uses {
    pub(super) fn count(pfobj: &Pfobj, mesh: &Mesh) -> Self {
        let mut uses = Self {
            joints: vec![JointUse::default(); pfobj.joints.len()],
            materials: vec![MaterialUse::default(); pfobj.materials.len()],
            reversed: 0,
        };
        for point in &mesh.point_of_corner {
            let Some(point) = mesh.points.get(*point as usize) else {
                continue;
            };
            for influence in mesh.influences(point.influence_range()) {
                if let Some(joint) = uses.joints.get_mut(influence.joint as usize)
                    && influence.weight != 0.0
                {
                    joint.vertices += 1;
                    joint.max_weight = joint.max_weight.max(influence.weight);
                }
            }
        }
        for part in &mesh.parts {
            let range = part.indices.start as usize / 3..part.indices.end as usize / 3;
            let triangles = mesh.triangles.get(range).unwrap_or_default();
            for triangle in triangles {
                let first = *triangle as usize * 3;
                let Some(corners) = pfobj.vertices.get(first..first + 3) else {
                    continue;
                };
                uses.reversed += usize::from(is_reversed(corners));
                if let Some(material) = uses.materials.get_mut(part.material) {
                    material.triangles += 1;
                    for corner in corners {
                        let uv = Vec2::from(corner.uv);
                        let [min, max] = material.uv.unwrap_or([uv; 2]);
                        material.uv = Some([min.min(uv), max.max(uv)]);
                    }
                }
            }
        }
        uses
    }
}

/// Whether the winding of a triangle contradicts its normals.
pub(super) fn is_reversed(corners: &[Vertex]) -> bool {
    let face = face_normal(corners.iter().map(|corner| corner.position.into()));
    let normals = corners.iter().map(|corner| Vec3::from(corner.normal));
    face.dot(normals.sum()) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample::{self, influence};

    #[test]
    fn what_is_used_is_counted() {
        let mut pfobj = sample::chain(3, 1);
        sample::weigh(
            &mut pfobj,
            &[
                &[influence(0, 3.0), influence(1, 1.0)],
                &[influence(1, 2.0)],
                &[influence(2, 0.0), influence(0, 1.0)],
            ],
        );
        pfobj.vertices[2].uv = [1.5, -0.5];
        // The second triangle goes round the other way.
        pfobj.vertices.swap(4, 5);
        let uses = Uses::count(&pfobj, &Mesh::build(&pfobj));
        let joint = |vertices, max_weight| JointUse {
            vertices,
            max_weight,
        };
        assert_eq!(uses.joints, [joint(2, 1.0), joint(2, 1.0), joint(0, 0.0)]);
        assert_eq!(uses.materials[0].triangles, 2);
        let uv = [Vec2::new(0.0, -0.5), Vec2::new(1.5, 1.0)];
        assert_eq!(uses.materials[0].uv, Some(uv));
        assert_eq!(uses.reversed, 1);
    }
}
