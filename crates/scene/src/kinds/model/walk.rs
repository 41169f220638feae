//! Navigation between items.

use super::{Model, joint_item};
use crate::describe::outline::{LISTED_AFTER, LISTED_BEFORE, beyond};
use crate::document::Walk;
use crate::{Direction, Item, ModelItem, Neighbor};

impl Walk for Model {
    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        let is_back = matches!(direction, Direction::North | Direction::West);
        let step = |index: u32, count: usize| {
            let next = if is_back {
                index.checked_sub(1)
            } else {
                index.checked_add(1)
            };
            next.filter(|next| (*next as usize) < count)
        };
        let listed = if is_back { LISTED_BEFORE } else { LISTED_AFTER };
        let Item::Model(of) = item else {
            return Neighbor::default();
        };
        let next =
            match of {
                ModelItem::Joint { index } => {
                    return Neighbor {
                        item: self.next_joint(index as usize, direction),
                        name: Some(match direction {
                            Direction::North => {
                                ["Parent joint", "Select the joint that this one hangs on"]
                            }
                            Direction::South => [
                                "First child joint",
                                "Select the first joint that hangs on this one",
                            ],
                            Direction::West => [
                                "Previous sibling",
                                "Select the joint before this one at the same parent",
                            ],
                            Direction::East => [
                                "Next sibling",
                                "Select the joint after this one at the same parent",
                            ],
                        }),
                    };
                }
                ModelItem::Material { index } => step(index, self.pfobj.materials.len())
                    .map(|index| ModelItem::Material { index }),
                ModelItem::Clip { index } => {
                    step(index, self.clips.len()).map(|index| ModelItem::Clip { index })
                }
                ModelItem::Triangle { index } => step(index, self.pfobj.triangle_count())
                    .map(|index| ModelItem::Triangle { index }),
                ModelItem::Part { index } => {
                    step(index, self.mesh.parts.len()).map(|index| ModelItem::Part { index })
                }
                ModelItem::Texture { index } => {
                    let count = self.rig.as_ref().map_or(0, |rig| rig.file.textures.len());
                    step(index, count).map(|index| ModelItem::Texture { index })
                }
                ModelItem::Action { index } => {
                    let count = self.rig.as_ref().map_or(0, |rig| rig.file.actions.len());
                    step(index, count).map(|index| ModelItem::Action { index })
                }
                ModelItem::Model | ModelItem::Lod { .. } | ModelItem::Flaw { .. } => None,
            };
        Neighbor {
            item: next.map(Item::Model),
            name: Some(listed),
        }
    }

    /// Steps through the triangles of a material or with a flaw, or through all joints in file
    /// order.
    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        if let Item::Model(ModelItem::Joint { index }) = kind {
            let from = match after {
                Some(Item::Model(ModelItem::Joint { index })) => index,
                _ => index,
            } as usize;
            let count = self.skeleton.len();
            let step = if backwards { count.checked_sub(1)? } else { 1 };
            return (count > 1 && from < count).then(|| joint_item((from + step) % count));
        }
        // In file order, which is ascending.
        let of_material;
        let triangles = match kind {
            Item::Model(ModelItem::Material { index: material }) => {
                let parts = self.mesh.parts_of(material as usize);
                of_material = parts
                    .flat_map(|part| self.mesh.triangles_of(part))
                    .copied()
                    .collect::<Vec<u32>>();
                &of_material
            }
            Item::Model(ModelItem::Part { index }) if self.rig.is_some() => {
                self.mesh.triangles_of(self.mesh.parts.get(index as usize)?)
            }
            Item::Model(ModelItem::Flaw { flaw }) => self.flawed(flaw),
            _ => return None,
        };
        let after = match after {
            Some(Item::Model(ModelItem::Triangle { index })) => Some(index),
            _ => None,
        };
        let found = beyond(triangles, after, backwards);
        found.map(|&index| ModelItem::Triangle { index }.into())
    }
}

impl Model {
    /// Returns the parent, the first child or a sibling of a joint.
    fn next_joint(&self, joint: usize, direction: Direction) -> Option<Item> {
        let parent = self.skeleton.parent(joint);
        let beside = |step: isize| {
            let is_root = |j: &u32| self.skeleton.parent(*j as usize).is_none();
            let siblings: Vec<u32> = match parent {
                Some(parent) => self.skeleton.children(parent).to_vec(),
                None => (0..self.skeleton.len() as u32).filter(is_root).collect(),
            };
            let at = siblings.iter().position(|j| *j as usize == joint)?;
            siblings.get(at.checked_add_signed(step)?).copied()
        };
        let next = match direction {
            Direction::North => parent?,
            Direction::South => *self.skeleton.children(joint).first()? as usize,
            Direction::West => beside(-1)? as usize,
            Direction::East => beside(1)? as usize,
        };
        Some(joint_item(next))
    }
}
