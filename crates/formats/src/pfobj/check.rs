//! What can only be said of a model when all of it is read: whether what its parts say of each
//! other means anything.

use super::read::{Reader, Section};
use super::rules;
use crate::cursor::{Text, Word};
use crate::{Subject, outside};

impl Reader<'_, '_> {
    /// Gives joints their parents, and lists references that lead nowhere.
    pub(super) fn check(&mut self) {
        self.link_joints();
        let model = &self.model;
        let (joints, materials) = self.named_counts();
        let is_outside = model
            .influences
            .iter()
            .any(|i| u64::from(i.joint) >= joints)
            || model
                .vertices
                .iter()
                .any(|v| u64::from(v.material) >= materials);
        if is_outside {
            self.check_vertices();
        }
    }

    /// How many joints and materials vertices may name: where a list is too short, that alone is
    /// what is wrong.
    fn named_counts(&self) -> (u64, u64) {
        let count =
            |read: usize, section| (read as u64).max(self.head.promised(section).unwrap_or(0));
        (
            count(self.model.joints.len(), Section::Joints),
            count(self.model.materials.len(), Section::Materials),
        )
    }

    /// Gives joints their parents, as far as these are in the list and do not descend from them.
    fn link_joints(&mut self) {
        let joints = &mut self.model.joints;
        let count = joints.len();
        for (index, (joint, parent)) in joints.iter_mut().zip(&self.parents).enumerate() {
            // A parent of 0 is none.
            let Some((number @ 1.., place)) = *parent else {
                continue;
            };
            if number > count as u64 {
                self.text.problems.subject = Subject::Joint(index as u32);
                self.text.problems.add(&rules::PARENT, place, || {
                    format!("found parent {number}; expected 0 or one of the {count} joints")
                });
            } else {
                joint.parent = Some(number as u32 - 1);
            }
        }
        // Each joint is passed once: those that a walk to the root has passed lead to a root.
        let mut walks = vec![0; count];
        for start in 0..count {
            let mut joint = start;
            while walks[joint] == 0 {
                walks[joint] = start + 1;
                let Some(parent) = joints[joint].parent else {
                    break;
                };
                joint = parent as usize;
            }
            // Back at a joint of the same walk: a cycle, or the root at which the walk ended.
            if walks[joint] != start + 1 || joints[joint].parent.is_none() {
                continue;
            }
            let mut first = joint;
            let mut at = joint;
            let mut length = 0;
            while let Some(parent) = joints[at].parent {
                at = parent as usize;
                first = first.min(at);
                length += 1;
                if at == joint {
                    break;
                }
            }
            joints[first].parent = None;
            if let Some(Some((number, place))) = self.parents.get(first) {
                let name = &joints[first].name;
                self.text.problems.subject = Subject::Joint(first as u32);
                self.text.problems.add(&rules::PARENT_CYCLE, *place, || {
                    if length == 1 {
                        return format!("joint {number} `{name}` is its own parent; it is taken for a root");
                    }
                    format!("joint {} `{name}` descends from itself over {length} joints; it is taken for a root", first + 1)
                });
            }
        }
    }

    /// Lists joints and materials that vertices name and that are not there, by another look at
    /// the lines that name them.
    fn check_vertices(&mut self) {
        let (joints, materials) = self.named_counts();
        let (model, problems) = (&self.model, &mut self.text.problems);
        let mut outside = |rule, what, word: Word<'_>, number: u32, count: u64| {
            if u64::from(number) >= count {
                let vertex = model.vertex_at_line(word.place.0);
                let subject = vertex.map_or(Subject::File, Subject::Vertex);
                problems.add_about(rule, subject, word.into(), || {
                    format!("the vertex names {what} {number}, {}", outside(what, count))
                });
            }
        };
        let mut text: Text<'_> = Text::new(self.text.bytes, &rules::TEXT_RULES);
        while let Some(key) = text.word(true) {
            if key.text == b"vw" {
                while let Some(word) = text.word(false) {
                    let slash = word.text.iter().position(|byte| *byte == b'/');
                    let joint = slash.and_then(|slash| word.part(0..slash).number::<u32>());
                    if let Some(joint) = joint {
                        outside(&rules::JOINT_INDEX, "joint", word, joint, joints);
                    }
                }
            } else if key.text == b"vm"
                && let Some(word) = text.word(false)
                && let Some(material) = word.number::<u32>()
            {
                outside(
                    &rules::MATERIAL_INDEX,
                    "material",
                    word,
                    material,
                    materials,
                );
            }
            text.skip_line();
        }
    }
}
