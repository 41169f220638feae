//! The parts of a P3M file, for comparison with another one.

use super::Rig;
use super::fields::{action_item, part_item, texture_item};
use crate::describe::value::{Fact, FactGroup, Value};
use crate::document::parts::{Content, Parts};
use crate::kinds::model::{Model, joint_item, material_item};
use crate::{ModelItem, OwnLine};
use mapscope_formats::p3m::{Key, TextureContent};

impl Model {
    /// Returns all parts of a P3M file, or `None` for other files.
    pub(in crate::kinds::model) fn parts_of_p3m(&self) -> Option<Vec<Parts<'_>>> {
        let rig = self.rig.as_ref()?;
        let file = &*rig.file;
        let clip = |index: usize| ModelItem::Clip {
            index: index as u32,
        };
        Some(vec![
            Parts::one("model", ModelItem::Model),
            Parts::records("part", &file.parts, |it| it.name.text.clone())
                .items(|index| Some(part_item(index)))
                .with_children(|index| rig.parts_of_part(index)),
            Parts::list("material", file.materials.len())
                .items(|index| Some(material_item(index)))
                .contents(|run, content| {
                    for material in file.materials.get(run).into_iter().flatten() {
                        content.bytes(format!("{material:?}").as_bytes());
                    }
                })
                .referenced_by_index(),
            Parts::list("texture", file.textures.len())
                .items(|index| Some(texture_item(index)))
                .contents(|run, content| {
                    for texture in file.textures.get(run).into_iter().flatten() {
                        match &texture.content {
                            TextureContent::Embedded { ptf, .. } => content.bytes(ptf),
                            TextureContent::External(path) => content.bytes(path.text.as_bytes()),
                        }
                    }
                })
                .referenced_by_index(),
            Parts::records("joint", &file.bones, |it| it.name.text.clone())
                .items(|index| Some(joint_item(index)))
                .referenced_by_index(),
            Parts::records("clip", &file.animations, |it| it.name.text.clone())
                .items(move |index| Some(clip(index))),
            Parts::list("action", file.actions.len())
                .items(|index| Some(action_item(index)))
                .contents(|run, content| {
                    for index in run {
                        rig.add_action(index, content);
                    }
                })
                .with_children(|index| rig.parts_of_action(index)),
        ])
    }
}

impl Rig {
    /// The vertices and the triangles of a part.
    fn parts_of_part(&self, index: usize) -> Vec<Parts<'_>> {
        let Some(part) = self.file.parts.get(index) else {
            return Vec::new();
        };
        let vertices = Parts::list("vertex", part.positions.len())
            .contents(move |run, content| {
                for vertex in run {
                    self.vertex_lines(index, vertex)
                        .iter()
                        .for_each(|line| content.bytes(format!("{line:?}").as_bytes()));
                }
            })
            .owns(move |vertex| self.vertex_lines(index, vertex));
        let first = self
            .triangles
            .partition_point(|[part, _]| (*part as usize) < index);
        let triangles = Parts::list("triangle", part.indices.len() / 3)
            .contents(move |run, content| {
                let indices = part.indices.get(run.start * 3..run.end * 3);
                content.bytes(bytemuck::cast_slice(indices.unwrap_or_default()));
            })
            .items(move |triangle| {
                let of_part = self.triangles.get(first..).unwrap_or_default();
                let at = of_part
                    .binary_search(&[index as u32, triangle as u32])
                    .ok()?;
                let index = (first + at) as u32;
                Some(ModelItem::Triangle { index })
            });
        vec![vertices, triangles]
    }

    /// The values that the file stores for a vertex of a part.
    fn vertex_lines(&self, part: usize, vertex: usize) -> Vec<OwnLine> {
        let Some(part) = self.file.parts.get(part) else {
            return Vec::new();
        };
        let weights = part.groups.iter().flat_map(|group| {
            let all = group.weights(part.positions.len());
            all.filter(move |(of, _)| *of == vertex).map(|(_, weight)| {
                Value::object([
                    Fact::new("Bone", group.bone.text.as_str()),
                    Fact::new("Weight", weight),
                ])
            })
        });
        let facts = [
            Fact::new("Position", part.positions.get(vertex).copied()),
            Fact::new("UV", part.uvs.get(vertex).copied()).keyed("uv"),
            Fact::new("Normal", part.normals.get(vertex).copied()),
            Fact::new("Weights", Value::list(weights)),
        ];
        FactGroup::new("Vertex", facts).own()
    }

    /// The tracks of the bones in an action.
    fn parts_of_action(&self, index: usize) -> Vec<Parts<'_>> {
        let Some(action) = self.file.actions.get(index) else {
            return Vec::new();
        };
        let tracks = Parts::records("track", &action.tracks, |it| it.bone.text.clone())
            .contents(move |run, content| {
                for tracks in action.tracks.get(run).into_iter().flatten() {
                    add_keys(&tracks.translation, content);
                    add_keys(&tracks.rotation, content);
                    add_keys(&tracks.scale, content);
                }
            })
            .owns(move |track| {
                let Some(tracks) = action.tracks.get(track) else {
                    return Vec::new();
                };
                let list = |keys: &[Key]| {
                    Value::list(keys.iter().map(|key| {
                        Value::object([
                            Fact::new("Frame", key.frame),
                            Fact::new("Mode", key.mode),
                            Fact::new("Value", key.value),
                        ])
                    }))
                };
                let facts = [
                    Fact::new("Translation", list(&tracks.translation)),
                    Fact::new("Rotation", list(&tracks.rotation)),
                    Fact::new("Scale", list(&tracks.scale)),
                ];
                FactGroup::new("Keys", facts).own()
            });
        vec![tracks]
    }

    /// Adds all that the file stores for an action.
    fn add_action(&self, index: usize, content: &mut Content<'_>) {
        let Some(action) = self.file.actions.get(index) else {
            return;
        };
        content.bytes(&action.us_per_frame.to_le_bytes());
        content.bytes(&[action.part_list_mode]);
        for part in &action.parts {
            content.bytes(part.text.as_bytes());
        }
        for tracks in &action.tracks {
            content.bytes(tracks.bone.text.as_bytes());
            add_keys(&tracks.translation, content);
            add_keys(&tracks.rotation, content);
            add_keys(&tracks.scale, content);
        }
    }
}

fn add_keys(keys: &[Key], content: &mut Content<'_>) {
    content.bytes(&(keys.len() as u32).to_le_bytes());
    for key in keys {
        content.bytes(&[key.mode]);
        content.bytes(&key.frame.to_le_bytes());
        content.numbers(&key.value);
    }
}
