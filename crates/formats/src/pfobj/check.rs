//! Checks that need the whole model: the references between its parts.

use std::collections::HashMap;

use super::read::{Reader, Section};
use super::repeated::MAX_LINES;
use super::rules;
use crate::cursor::{Text, Word};
use crate::{Place, Subject, others_on_lines, outside, quoted};

impl Reader<'_, '_> {
    /// Links joints to their parents, and lists dangling references.
    pub(super) fn check(&mut self) {
        self.link_joints();
        self.check_names();
        std::mem::take(&mut self.repeated).report(&mut self.text.problems);
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

    /// Lists names that several clips or several joints share.
    fn check_names(&mut self) {
        let (model, problems) = (&self.model, &mut self.text.problems);
        let clips = model.clips.iter().map(|clip| (&*clip.name, clip.line));
        let joints = model.joints.iter().map(|joint| (&*joint.name, joint.line));
        let (clip_names, joint_names) = (&self.clip_names, &self.joint_names);
        let mut report =
            |rule, same: DuplicateNames<'_>, places: &[Place], subject, what, engine| {
                let [first, second, more @ ..] = same.lines.as_slice() else {
                    return;
                };
                let others: Vec<u64> = [first].into_iter().chain(more).copied().collect();
                let place = places
                    .get(same.second as usize)
                    .copied()
                    .unwrap_or(Place::line(*second));
                problems.add_about(rule, subject, place, || {
                    let count = same.lines.len();
                    let name = quoted(same.name.as_bytes());
                    let listed = others.get(..MAX_LINES).unwrap_or(&others);
                    let others = others_on_lines(listed, others.len());
                    format!("{count} {what} have the name {name}{others}; {engine}")
                });
            };
        for same in duplicate_names(clips) {
            let engine = "the engine plays only the first";
            let subject = Subject::Clip(same.second);
            report(
                &rules::CLIP_TWICE,
                same,
                clip_names,
                subject,
                "clips",
                engine,
            );
        }
        for same in duplicate_names(joints) {
            let engine = "the engine ignores the names of joints";
            let subject = Subject::Joint(same.second);
            let (rule, places) = (&rules::JOINT_TWICE, joint_names);
            report(rule, same, places, subject, "joints", engine);
        }
    }

    /// Number of joints and of materials that vertices may name. If a list is too short, only its
    /// length is reported.
    fn named_counts(&self) -> (u64, u64) {
        let count = |read: usize, section| (read as u64).max(self.announced(section).unwrap_or(0));
        (
            count(self.model.joints.len(), Section::Joints),
            count(self.model.materials.len(), Section::Materials),
        )
    }

    /// Links joints to their parents, unless a parent is missing from the list or the link closes a
    /// cycle.
    pub(super) fn link_joints(&mut self) {
        let joints = &mut self.model.joints;
        let count = joints.len();
        for (index, (joint, parent)) in joints.iter_mut().zip(&self.parents).enumerate() {
            // A parent of 0 means no parent.
            let Some((number @ 1.., place)) = *parent else {
                continue;
            };
            if number > count as u64 {
                let cause = self.damage[Section::Joints as usize];
                let subject = Subject::Joint(index as u32);
                let problems = &mut self.text.problems;
                problems.add_consequence(cause, &rules::PARENT, subject, place, || {
                    format!("found parent {number}; expected 0 or one of the {count} joints")
                });
            } else {
                joint.parent = Some(number as u32 - 1);
            }
        }
        // Each joint is visited once: joints that an earlier walk visited lead to a root.
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
                let name = quoted(joints[first].name.as_bytes());
                // If a joint is missing, all later ones have other numbers.
                let cause = self.damage[Section::Joints as usize];
                let subject = Subject::Joint(first as u32);
                let (rule, problems) = (&rules::PARENT_CYCLE, &mut self.text.problems);
                problems.add_consequence(cause, rule, subject, *place, || {
                    if length == 1 {
                        return format!(
                            "joint {number} {name} is its own parent; treated as a \
                                        root"
                        );
                    }
                    format!(
                        "joint {} {name} is its own ancestor over {length} joints; treated \
                             as a root",
                        first + 1
                    )
                });
            }
        }
    }

    /// Lists joints and materials that vertices name and that do not exist. It reads the lines that
    /// name them again.
    fn check_vertices(&mut self) {
        let (mut joints, materials) = self.named_counts();
        if self.ignores_weights() {
            joints = u64::MAX;
        }
        let (model, problems) = (&self.model, &mut self.text.problems);
        let damage = self.damage;
        let mut outside = |rule, section, word: Word<'_>, number: u32, count: u64| {
            if u64::from(number) >= count {
                let (what, _) = Section::names(section);
                problems.cause = damage[section as usize];
                let vertex = model.vertex_at_line(word.place.0);
                let subject = vertex.map_or(Subject::File, Subject::Vertex);
                problems.add_grouped(number, rule, subject, word.into(), || {
                    format!("the vertex uses {what} {number}, {}", outside(what, count))
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
                        outside(&rules::JOINT_INDEX, Section::Joints, word, joint, joints);
                    }
                }
            } else if key.text == b"vm"
                && let Some(word) = text.word(false)
                && let Some(material) = word.number::<u32>()
            {
                outside(
                    &rules::MATERIAL_INDEX,
                    Section::Materials,
                    word,
                    material,
                    materials,
                );
            }
            text.skip_line();
        }
        problems.cause = None;
    }
}

/// Clips or joints with the same name.
struct DuplicateNames<'n> {
    name: &'n str,
    /// Index of the second one.
    second: u32,
    /// The lines of all of them.
    lines: Vec<u64>,
}

/// Groups names by equality and returns the groups with several members, in the order of their
/// first members. Input: name and line of each. Empty names do not count.
fn duplicate_names<'n>(named: impl Iterator<Item = (&'n str, u64)>) -> Vec<DuplicateNames<'n>> {
    let mut groups: Vec<DuplicateNames<'n>> = Vec::new();
    let mut group_of = HashMap::new();
    for ((name, line), index) in named.zip(0..).filter(|((name, _), _)| !name.is_empty()) {
        let group = *group_of.entry(name).or_insert(groups.len());
        match groups.get_mut(group) {
            None => groups.push(DuplicateNames {
                name,
                second: index,
                lines: vec![line],
            }),
            Some(group) => {
                if group.lines.len() == 1 {
                    group.second = index;
                }
                group.lines.push(line);
            }
        }
    }
    groups.retain(|group| group.lines.len() > 1);
    groups
}
