//! What a model is made of, for comparing it with another.

use super::{Model, joint_item, material_item};
use crate::ModelItem;
use crate::diff::Parts;
use mapscope_formats::pfobj::{Bounds, Rotation, Transform};

impl Model {
    /// All that the file has: materials, joints, clips with their poses, and vertices.
    pub(super) fn all_parts(&self) -> Vec<Parts<'_>> {
        let pfobj = &self.pfobj;
        let material = |index: usize| pfobj.materials.get(index).map(|it| it.name.clone());
        let joint = |index: usize| pfobj.joints.get(index).map(|it| it.name.clone());
        let clip = |index: usize| pfobj.clips.get(index).map(|it| it.name.clone());
        let materials = Parts::named("material", pfobj.materials.len(), move |index| {
            material(index).unwrap_or_default()
        });
        let joints = Parts::named("joint", pfobj.joints.len(), move |index| {
            joint(index).unwrap_or_default()
        });
        let clips = Parts::named("clip", pfobj.clips.len(), move |index| {
            clip(index).unwrap_or_default()
        });
        let clips = clips.items(|index| {
            let index = index as u32;
            Some(ModelItem::Clip { index })
        });
        vec![
            Parts::one("model", ModelItem::Model),
            materials.items(|index| Some(material_item(index))),
            joints.items(|index| Some(joint_item(index))),
            clips.made_of(|index| self.clip_parts(index)),
            self.vertex_parts(),
        ]
    }

    /// The poses of a clip, and the bounds of its frames.
    fn clip_parts(&self, number: usize) -> Vec<Parts<'_>> {
        let Some(clip) = self.pfobj.clips.get(number) else {
            return Vec::new();
        };
        let joints = self.pfobj.joints.len().max(1);
        let pose_name = move |index: usize| {
            let (frame, joint) = (index / joints, index % joints);
            let name = self.pfobj.joints.get(joint).map(|joint| &*joint.name);
            format!("frame {frame}, {}", name.unwrap_or_default())
        };
        let poses = Parts::named("pose", clip.poses.len(), pose_name);
        let poses = poses
            .items(move |index| Some(joint_item(index % joints)))
            .owns(move |index| self.own_pose(number, index))
            .glance(|index, bytes| {
                if let Some(pose) = clip.poses.get(index) {
                    push_transform(pose, bytes);
                }
            });
        let bounds = Parts::numbered("bounds", clip.bounds.len());
        let bounds = bounds
            .owns(move |frame| self.own_bounds(number, frame))
            .glance(|frame, bytes| {
                if let Some(Bounds { min, max }) = clip.bounds.get(frame) {
                    push(min, bytes);
                    push(max, bytes);
                }
            });
        vec![poses, bounds]
    }

    fn vertex_parts(&self) -> Parts<'_> {
        let pfobj = &self.pfobj;
        Parts::numbered("vertex", pfobj.vertices.len())
            .items(|index| {
                let index = (index / 3) as u32;
                Some(ModelItem::Triangle { index })
            })
            .owns(|index| self.own_vertex(index))
            .glance(|index, bytes| {
                let Some(vertex) = pfobj.vertices.get(index) else {
                    return;
                };
                push(&vertex.position, bytes);
                push(&vertex.uv, bytes);
                push(&vertex.normal, bytes);
                // By their names, as both may stand elsewhere in another file.
                let material = pfobj.materials.get(vertex.material as usize);
                bytes.extend(material.iter().flat_map(|material| material.name.bytes()));
                bytes.extend(vertex.material.to_le_bytes());
                for influence in pfobj.influences_of(vertex) {
                    let joint = pfobj.joints.get(influence.joint as usize);
                    bytes.extend(joint.iter().flat_map(|joint| joint.name.bytes()));
                    bytes.extend(influence.joint.to_le_bytes());
                    push(&[influence.weight], bytes);
                }
            })
    }
}

fn push(numbers: &[f32], bytes: &mut Vec<u8>) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn push_transform(transform: &Transform, bytes: &mut Vec<u8>) {
    push(&transform.scale, bytes);
    push(&transform.translation, bytes);
    match &transform.rotation {
        Rotation::ConjugatedQuaternion(xyzw) => push(xyzw, bytes),
        Rotation::EulerDegrees(degrees) => push(degrees, bytes),
    }
}
