//! A cache of the model at one moment.

use std::sync::{Mutex, PoisonError};

use glam::{Affine3A, Vec3, Vec3A};

use super::Model;
use super::poses::{self, Pose};
use super::skeleton::SkinMatrix;
use crate::geometry::bvh::{self, bounds};
use crate::{Blend, Playhead};

/// The result of [`Poses::between`](super::Poses::between), and the transition to another clip.
type Moment = (Option<(usize, [u32; 2], f32)>, Option<Blend>);

/// The most recent results; initially `None`.
#[derive(Debug, Default)]
pub(super) struct Cache {
    joints: Mutex<(Option<Moment>, Vec<Affine3A>)>,
    mesh: Mutex<(Option<Moment>, PosedMesh)>,
}

/// A mesh posed by its joints.
#[derive(Debug, Default)]
pub(super) struct PosedMesh {
    /// Joint palette.
    pub(super) palette: Vec<SkinMatrix>,
    /// Positions of the mesh's points, in model space.
    pub(super) points: Vec<Vec3>,
    /// Boxes of the BVH.
    boxes: Vec<bvh::Bounds>,
    has_boxes: bool,
}

impl Model {
    /// Calls `ask` with the matrices from the joints' spaces to model space at a moment.
    pub(super) fn with_joints<T>(
        &self,
        playhead: Playhead,
        ask: impl FnOnce(&[Affine3A]) -> T,
    ) -> T {
        let moment = (self.poses.between(playhead), playhead.blend);
        let mut cache = self
            .posed
            .joints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (of, globals) = &mut *cache;
        if *of != Some(moment) {
            globals.resize(self.skeleton.len(), Affine3A::IDENTITY);
            let pose = Pose::of(&self.pfobj, &self.poses, playhead);
            self.skeleton
                .write_globals(|joint| pose.local(joint), globals);
            *of = Some(moment);
        }
        ask(globals)
    }

    /// Calls `ask` with the mesh at a moment.
    pub(super) fn with_mesh<T>(&self, playhead: Playhead, ask: impl FnOnce(&PosedMesh) -> T) -> T {
        self.with_mesh_mut(playhead, |mesh| ask(mesh))
    }

    /// Calls `ask` with the mesh at a moment and the boxes of the BVH.
    pub(super) fn with_boxes<T>(
        &self,
        playhead: Playhead,
        ask: impl FnOnce(&PosedMesh, &[bvh::Bounds]) -> T,
    ) -> T {
        self.with_mesh_mut(playhead, |mesh| {
            if !mesh.has_boxes {
                let points = &mesh.points;
                let corners = |triangle| self.drawn_corners(points, triangle).map(Vec3A::from);
                self.bvh
                    .refit(|triangle| bounds(corners(triangle)), &mut mesh.boxes);
                mesh.has_boxes = true;
            }
            ask(mesh, &mesh.boxes)
        })
    }

    fn with_mesh_mut<T>(&self, playhead: Playhead, ask: impl FnOnce(&mut PosedMesh) -> T) -> T {
        let moment = (self.poses.between(playhead), playhead.blend);
        let mut cache = self
            .posed
            .mesh
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (of, mesh) = &mut *cache;
        if *of != Some(moment) {
            mesh.palette
                .resize(self.palette_len(), SkinMatrix::IDENTITY);
            let palette = &mut mesh.palette;
            poses::write_palette(&self.pfobj, &self.skeleton, &self.poses, playhead, palette);
            self.mesh.skin_points(&mesh.palette, &mut mesh.points);
            mesh.has_boxes = false;
            *of = Some(moment);
        }
        ask(mesh)
    }

    /// Returns the corners of a triangle of the file at a moment, or `None` if it does not exist or
    /// could not be read.
    pub(super) fn triangle_corners(&self, triangle: u32, playhead: Playhead) -> Option<[Vec3; 3]> {
        let first = (triangle as usize).checked_mul(3)?;
        let points = self
            .mesh
            .point_of_corner
            .get(first..first.checked_add(3)?)?;
        self.with_mesh(playhead, |mesh| {
            let place = |i: usize| mesh.points.get(points[i] as usize).copied();
            Some([place(0)?, place(1)?, place(2)?])
        })
    }

    /// Returns the corners of a triangle by its index among the drawn ones.
    pub(super) fn drawn_corners(&self, points: &[Vec3], triangle: u32) -> [Vec3; 3] {
        std::array::from_fn(|corner| {
            let vertex = self.mesh.indices.get(triangle as usize * 3 + corner);
            let point = vertex.and_then(|&v| self.mesh.point_of_vertex.get(v as usize));
            let place = point.and_then(|&point| points.get(point as usize));
            place.copied().unwrap_or_default()
        })
    }
}
