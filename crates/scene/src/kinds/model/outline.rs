//! The outline tree of a model.

use super::{Model, lods};
use crate::describe::outline::{file_name, heading, leaf};
use crate::{ModelItem, OutlineNode, Playhead, Swatch};

/// Maximum depth of nested joints. Models of games are shallower; a broken file may be deeper.
const MAX_DEPTH: usize = 48;

impl Model {
    /// Returns the lines for materials, clips and joints, with joints below their parents.
    pub(super) fn outline_tree(&self) -> Vec<OutlineNode> {
        let counted = |label, count: usize, lines| OutlineNode {
            note: count.to_string(),
            ..heading(label, lines)
        };
        let materials = self.pfobj.materials.len();
        let mut lines = vec![self.line(file_name(&self.path), ModelItem::Model)];
        if let Some(rig) = &self.rig {
            let parts =
                rig.file.parts.iter().zip(0..).map(|(part, index)| {
                    self.line(part.name.text.clone(), ModelItem::Part { index })
                });
            lines.push(counted("Parts", rig.file.parts.len(), parts.collect()));
        }
        lines.push(counted("Materials", materials, self.material_lines()));
        if let Some(rig) = self
            .rig
            .as_ref()
            .filter(|rig| !rig.file.textures.is_empty())
        {
            let count = rig.file.textures.len();
            let textures = (0..count as u32)
                .map(|index| self.line(index.to_string(), ModelItem::Texture { index }));
            lines.push(counted("Textures", count, textures.collect()));
        }
        if !self.clips.is_empty() {
            lines.push(heading("Clips", self.clip_lines()));
        }
        if let Some(rig) = self.rig.as_ref().filter(|rig| !rig.file.actions.is_empty()) {
            let count = rig.file.actions.len();
            let actions = (0..count as u32)
                .map(|index| self.line(index.to_string(), ModelItem::Action { index }));
            lines.push(counted("Actions", count, actions.collect()));
        }
        if !self.skeleton.is_empty() {
            lines.push(counted("Joints", self.skeleton.len(), self.joint_lines()));
        }
        if !self.lods.is_empty() {
            lines.push(heading("Levels of detail", self.lod_lines()));
        }
        lines.extend(self.flaw_lines());
        lines
    }

    /// Creates the line of an item, with the note from its field table.
    fn line(&self, label: String, item: ModelItem) -> OutlineNode {
        let described = self.described(item, Playhead::default());
        let note = described.map_or_else(String::new, |at| at.note());
        leaf(label, item.into(), note)
    }

    fn material_lines(&self) -> Vec<OutlineNode> {
        let materials = self.pfobj.materials.iter().enumerate();
        let lines = materials.map(|(i, material)| OutlineNode {
            swatch: Some(Swatch::Thumbnail(i)),
            ..self.line(
                format!("{i} {}", material.name),
                ModelItem::Material { index: i as u32 },
            )
        });
        lines.collect()
    }

    fn clip_lines(&self) -> Vec<OutlineNode> {
        let clips = self.clips.iter().zip(0..);
        let lines =
            clips.map(|(clip, index)| self.line(clip.name.clone(), ModelItem::Clip { index }));
        lines.collect()
    }

    fn lod_lines(&self) -> Vec<OutlineNode> {
        let lines = self.lods.iter().map(|(number, path)| {
            let label = format!("{}: {}", lods::title(number), file_name(path));
            self.line(label, ModelItem::Lod { number })
        });
        lines.collect()
    }

    /// Returns the roots with their descendants. Siblings are in file order.
    fn joint_lines(&self) -> Vec<OutlineNode> {
        let count = self.skeleton.len();
        // Depth of each joint. Past the maximum depth, descendants become siblings.
        let mut depths = vec![0_usize; count];
        let mut shown_under = vec![None; count];
        for &joint in self.skeleton.order() {
            let joint = joint as usize;
            if let Some(parent) = self.skeleton.parent(joint) {
                let is_deep = depths[parent] >= MAX_DEPTH;
                shown_under[joint] = if is_deep {
                    shown_under[parent]
                } else {
                    Some(parent)
                };
                depths[joint] = depths[parent] + usize::from(!is_deep);
            }
        }
        let mut children = vec![Vec::new(); count];
        let mut roots = Vec::new();
        for (joint, under) in shown_under.into_iter().enumerate() {
            match under {
                Some(under) => children[under].push(joint),
                None => roots.push(joint),
            }
        }
        self.joint_tree(&roots, &children)
    }

    /// Returns the lines of joints with their descendants.
    fn joint_tree(&self, joints: &[usize], children: &[Vec<usize>]) -> Vec<OutlineNode> {
        let line = |&joint: &usize| {
            let name = self.pfobj.joints.get(joint).map(|joint| joint.name.clone());
            let index = joint as u32;
            OutlineNode {
                children: self.joint_tree(&children[joint], children),
                ..self.line(name.unwrap_or_default(), ModelItem::Joint { index })
            }
        };
        joints.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::model::sample;
    use crate::{Document as _, OutlineNode};

    #[test]
    fn joints_stand_below_their_parents() {
        let mut pfobj = sample::chain(4, 33);
        // The third joint is a second child of the first.
        pfobj.joints[2].parent = Some(0);
        let outline = sample::model(pfobj).outline();
        let labels: Vec<String> = outline
            .iter()
            .map(|line| [&line.label, ": ", &line.note].concat())
            .collect();
        assert_eq!(
            labels,
            [
                "sample.pfobj: 2 triangles",
                "Materials: 1",
                "Clips: 1",
                "Joints: 4"
            ]
        );
        let material = &outline[1].children[0];
        assert_eq!(material.label, "0 Stone");
        assert_eq!(material.note, "2 triangles, no texture");
        assert_eq!(outline[2].children[0].note, "33 frames, 1.38 s");
        let root = &outline[3].children[0];
        let names = |lines: &[OutlineNode]| -> Vec<String> {
            lines.iter().map(|line| line.label.clone()).collect()
        };
        assert_eq!(root.label, "bone0");
        assert_eq!(names(&root.children), ["bone1", "bone2"]);
        assert_eq!(names(&root.children[1].children), ["bone3"]);
        assert_eq!(root.children[1].children[0].note, "6 vertices");
    }

    #[test]
    fn a_chain_that_never_ends_is_no_deeper_than_can_be_shown() {
        let outline = sample::model(sample::chain(20_000, 1)).outline();
        fn depth(lines: &[OutlineNode]) -> usize {
            lines
                .iter()
                .map(|l| 1 + depth(&l.children))
                .max()
                .unwrap_or(0)
        }
        fn count(lines: &[OutlineNode]) -> usize {
            lines.iter().map(|line| 1 + count(&line.children)).sum()
        }
        assert_eq!(count(&outline[3].children), 20_000);
        assert!(depth(&outline) < 60);
    }
}
