//! What a map is made of, for comparing it with another.

use super::Map;
use super::environments::Environment;
use super::items::ChunkAt;
use super::lights::LightKind;
use super::properties::LevelAt;
use crate::diff::Parts;
use crate::{LevelItem, Owner};

impl Map {
    /// All that the file has: what the header says, the archive, extensions, levels with their
    /// chunks, and entities.
    pub(super) fn all_parts(&self) -> Vec<Parts<'_>> {
        let archive = self.pmf.archive.as_ref();
        let files = archive.map_or(0, |archive| archive.entries().len());
        let path = move |index: usize| {
            let entry = archive.and_then(|archive| Some((archive, archive.entries().get(index)?)));
            entry.map_or_else(String::new, |(archive, entry)| archive.path(entry))
        };
        let extensions = Parts::named("extension", self.pmf.extensions.len(), |index| {
            let extension = self.pmf.extensions.get(index);
            extension.map_or_else(String::new, |extension| extension.name.clone())
        });
        let levels = Parts::numbered("level", self.pmf.levels.len());
        let levels = levels.items(|level| Some(LevelItem::level(level)));
        vec![
            Parts::one("map", LevelItem::Map),
            Parts::named("archive file", files, path)
                .items(|index| Some(LevelItem::archive_file(index))),
            extensions.items(|index| {
                let index = index as u32;
                Some(LevelItem::Extension { index })
            }),
            levels.made_of(|level| {
                self.level_at(level)
                    .map_or_else(Vec::new, |at| self.level_parts(at))
            }),
            self.entity_parts_of(Owner::Map),
        ]
    }

    fn level_parts<'a>(&'a self, at: LevelAt<'a>) -> Vec<Parts<'a>> {
        let (number, level) = (at.number as u32, at.source);
        let common = &level.common;
        let materials = Parts::named("material", common.materials.len(), move |index| {
            let material = common.materials.get(index);
            material.map_or_else(String::new, |it| common.strings.brief(it.name).into_owned())
        });
        let physics = &common.physics_materials;
        let physics = Parts::named("physics material", physics.len(), move |index| {
            let material = physics.get(index);
            material.map_or_else(String::new, |it| common.strings.brief(it.name).into_owned())
        });
        let sounds = Parts::numbered("sound material", common.sound_materials.len());
        let mut parts = vec![
            materials.items(move |index| Some(LevelItem::material(at.number, index))),
            physics.items(move |index| Some(LevelItem::physics_material(at.number, index))),
            sounds.items(move |index| {
                let (level, index) = (number, index as u32);
                Some(LevelItem::SoundMaterial { level, index })
            }),
        ];
        parts.extend(Environment::ALL.into_iter().filter_map(|of| {
            let (strings, names, _) = of.names(level)?;
            let what = of.item(at.number, 0).kind();
            let count = names.len();
            let environments = Parts::named(what, count, move |index| {
                let name = names.get(index);
                name.map_or_else(String::new, |name| strings.brief(*name).into_owned())
            });
            Some(environments.items(move |index| Some(of.item(at.number, index))))
        }));
        parts.push(self.entity_parts_of(Owner::level(at.number)));
        for kind in LightKind::ALL {
            let mut lights: Vec<LevelItem> = self
                .light_list(at.number)
                .into_iter()
                .filter_map(|light| match light.item {
                    crate::Item::Level(item) => Some(item),
                    _ => None,
                })
                .collect();
            lights.retain(|item| LightKind::of_item(*item).is_some_and(|(of, ..)| of == kind));
            let of_list = lights.clone();
            let name = move |index: usize| {
                let light = of_list
                    .get(index)
                    .and_then(|item| LightKind::of_item(*item));
                light.map_or_else(String::new, |(.., id)| id.to_string())
            };
            let what = kind.item(at.number, 0).kind();
            let list = Parts::named(what, lights.len(), name);
            parts.push(list.items(move |index| lights.get(index).copied()));
        }
        let chunk = move |index: usize| self.chunk_at(number, index as u32);
        let chunks = Parts::named("chunk", level.chunks.len(), move |index| {
            chunk(index).map_or_else(String::new, |at| at.chunk.index.to_string())
        });
        let chunks = chunks.items(move |index| Some(LevelItem::chunk(at.number, index)));
        let chunks = chunks
            .made_of(move |index| chunk(index).map_or_else(Vec::new, |at| self.chunk_parts(at)));
        parts.push(if self.bytes.is_empty() {
            chunks
        } else {
            // Packed bytes that are the same say the same.
            chunks.glance(move |index, bytes| {
                for frame in chunk(index).iter().flat_map(|at| &at.chunk.frames) {
                    let start = frame.start as usize;
                    let packed = self.bytes.get(start..start + frame.packed as usize);
                    bytes.extend(frame.unpacked.to_le_bytes());
                    bytes.extend(packed.unwrap_or_default());
                }
            })
        });
        parts
    }

    fn chunk_parts<'a>(&'a self, at: ChunkAt<'a>) -> Vec<Parts<'a>> {
        let Some(data) = at.data() else {
            return Vec::new();
        };
        let cube = move |index: usize| self.cube_at(at.cube_item(index as u32));
        let cubes = Parts::named("cube", data.cubes.len(), |index| index.to_string());
        let cubes = cubes
            .keys(move |index| cube(index).map_or_else(String::new, |(cube, _)| cube.path_key()))
            .items(move |index| Some(at.cube_item(index as u32)));
        let lightmaps = Parts::numbered("lightmap", at.lightmaps().len());
        let lightmaps = lightmaps
            .items(move |index| Some(at.lightmap_item(index)))
            .bytes("luxels", move |index, bytes| {
                let lightmap = at.lightmaps().get(index);
                bytes.extend(lightmap.iter().flat_map(|lightmap| &lightmap.luxels));
            });
        let server = at.server().map_or(0, |server| server.regions.len());
        let server = Parts::numbered("server region", server);
        let mut parts = vec![
            cubes.unordered(),
            lightmaps,
            server.items(move |index| Some(at.server_region_item(index))),
            self.entity_parts_of(at.owner()),
        ];
        parts.extend(Environment::ALL.map(|of| {
            let what = match of {
                Environment::Weather => "weather region",
                Environment::Gravity => "gravity region",
                Environment::Sound => "sound region",
                Environment::Sky => "sky region",
            };
            let regions = Parts::numbered(what, of.regions(data).len());
            regions.items(move |index| Some(at.region_item(of, index)))
        }));
        parts
    }

    fn entity_parts_of(&self, owner: Owner) -> Parts<'_> {
        let list = self.entity_list(owner);
        let count = list.map_or(0, |list| list.entities.len());
        let entity = move |index: usize| list.and_then(|list| list.get(index as u32));
        let entities = Parts::named("entity", count, move |index| {
            entity(index).map_or_else(|| index.to_string(), |at| at.title())
        });
        entities.items(move |index| entity(index).map(|at| at.item()))
    }
}
