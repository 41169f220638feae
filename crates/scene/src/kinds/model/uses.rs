//! Usage counts of joints and materials, computed once.

use glam::Vec2;

use super::flaws::is_clearly_reversed;
use super::mesh::Mesh;
use crate::Flaw;
use mapscope_formats::pfobj::Pfobj;

/// Uses of joints and materials.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// By joint.
    pub(super) joints: Vec<JointUse>,
    /// By material.
    pub(super) materials: Vec<MaterialUse>,
    /// Number of corners of drawn triangles that no joint moves, in a model with clips.
    pub(super) unweighted: usize,
    /// Drawn triangles with a flaw, by flaw as in [`Flaw::ALL`]: their indices in the file, in
    /// ascending order.
    flawed: [Vec<u32>; Flaw::ALL.len()],
}

/// The use of a joint.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct JointUse {
    /// Number of vertices of the file that it moves, with any weight.
    pub(super) vertices: usize,
    /// Maximum of its weights.
    pub(super) max_weight: f32,
}

/// The use of a material.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct MaterialUse {
    /// Number of its triangles.
    pub(super) triangles: usize,
    /// Min and max of the texture coordinates of their corners.
    pub(super) uv: Option<[Vec2; 2]>,
}

impl Uses {
    pub(super) fn count(pfobj: &Pfobj, mesh: &Mesh) -> Self {
        let mut uses = Self {
            joints: vec![JointUse::default(); pfobj.joints.len()],
            materials: vec![MaterialUse::default(); pfobj.materials.len()],
            unweighted: 0,
            flawed: Default::default(),
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
            for triangle in mesh.triangles_of(part) {
                let first = *triangle as usize * 3;
                let Some(corners) = pfobj.vertices.get(first..first + 3) else {
                    continue;
                };
                let unweighted = corners.iter().filter(|corner| pfobj.is_unweighted(corner));
                uses.unweighted += unweighted.count();
                for (flaw, flawed) in Flaw::ALL.into_iter().zip(&mut uses.flawed) {
                    if flaw.matches_corners(pfobj, corners) {
                        flawed.push(*triangle);
                    }
                }
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
        let is_clear = |triangle: &u32| {
            let first = *triangle as usize * 3;
            let corners = pfobj.vertices.get(first..first + 3);
            is_clearly_reversed(corners.unwrap_or_default())
        };
        let [reversed, bent, ..] = &mut uses.flawed;
        if !reversed.iter().any(is_clear) {
            std::mem::swap(reversed, bent);
        }
        // They were collected by material.
        for flawed in &mut uses.flawed {
            flawed.sort_unstable();
        }
        uses
    }

    /// Clears a flaw that is none in the format of the file.
    pub(super) fn forget(&mut self, flaw: Flaw) {
        let of_flaw = Flaw::ALL.iter().position(|other| *other == flaw);
        if let Some(list) = of_flaw.and_then(|at| self.flawed.get_mut(at)) {
            list.clear();
        }
        if flaw == Flaw::Unweighted {
            self.unweighted = 0;
        }
    }

    /// Returns the triangles that have a flaw, by their index in the file, in ascending order.
    pub(super) fn flawed(&self, flaw: Flaw) -> &[u32] {
        let of_flaw = Flaw::ALL.iter().position(|other| *other == flaw);
        of_flaw
            .and_then(|at| self.flawed.get(at))
            .map_or(&[], Vec::as_slice)
    }

    /// Heap size in bytes.
    pub(super) fn cpu_bytes(&self) -> usize {
        let flawed = self.flawed.iter().map(|list| size_of_val(list.as_slice()));
        size_of_val(self.joints.as_slice())
            + size_of_val(self.materials.as_slice())
            + flawed.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::model::sample::{self, influence};

    #[test]
    fn what_is_used_is_counted() {
        let mut pfobj = sample::chain(3, 1);
        sample::set_influences(
            &mut pfobj,
            &[
                &[influence(0, 3.0), influence(1, 1.0)],
                &[influence(1, 2.0)],
                &[influence(2, 0.0), influence(0, 1.0)],
            ],
        );
        pfobj.vertices[2].uv = [1.5, -0.5];
        // The second triangle has the opposite winding.
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
        assert_eq!(uses.flawed(Flaw::Reversed), [1]);
        // The weights of the last joint are 0, and the others have no weights.
        assert_eq!(
            (uses.unweighted, uses.flawed(Flaw::Unweighted)),
            (3, &[1][..])
        );
    }
}
