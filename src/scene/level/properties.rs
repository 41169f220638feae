//! Everything about the parts of a map that are no boxes, for the inspector.

use super::Map;
use super::items::{CubeAt, item};
use super::materials::Blend;
use crate::formats::pmf::{Cube, Level, Side};
use crate::scene::numbers::{plural, short, xyz};
use crate::scene::{Item, Property, PropertyGroup, Swatch};

/// How many attributes, lights or chunks of a cube are listed.
const MOST_LISTED: usize = 64;

fn group(title: &'static str, properties: Vec<Property>) -> Vec<PropertyGroup> {
    vec![PropertyGroup { title, properties }]
}

fn colored(name: &'static str, [r, g, b]: [u8; 3]) -> Property {
    Property {
        swatch: Some(Swatch::Color([r, g, b])),
        ..Property::new(name, format!("{r} {g} {b}"))
    }
}

impl Map {
    fn map_properties(&self) -> Vec<PropertyGroup> {
        let header = &self.pmf.header;
        let archive = self.pmf.archive.as_ref();
        let files = archive.map_or(0, |archive| archive.file_paths().len());
        let mut properties = vec![
            Property::new("Name", &*header.name),
            Property::new("Description", &*header.description),
            Property::new("Authors", &*header.authors),
            Property::new("Compiler", &*header.compiler),
            Property::new(
                "Compiled",
                format!("{} s of Unix time", header.created_unix_secs),
            ),
            Property::new("Gamemodes", header.gamemodes.join(", ")),
            Property::new("Archive", plural(files, "file", "files")),
        ];
        for extension in &self.pmf.extensions {
            let size = plural(extension.data.len(), "byte", "bytes");
            let text = format!("{}, {size}", extension.name);
            properties.push(Property::new("Extension", text));
        }
        group("Map", properties)
    }

    fn level_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let level = self.pmf.levels.get(usize::try_from(item.index).ok()?)?;
        let [y, x, z] = level.grid;
        let keeps = [
            (Level::KEEP_VELOCITY, "velocity"),
            (Level::KEEP_CHUNK, "chunk"),
            (Level::KEEP_PLACE, "place in the chunk"),
        ];
        let kept = keeps.iter().filter(|(flag, _)| level.flags & flag != 0);
        let kept: Vec<&str> = kept.map(|(_, name)| *name).collect();
        let side = short(level.chunk_side());
        let mut groups = group(
            "Level",
            vec![
                Property::new("Chunks", format!("{y} along Y, {x} along X, {z} along Z")),
                Property::new("Chunk size", format!("{side} m")),
                Property::new("Center chunk", level.center.to_string()),
                Property::new("Players keep", kept.join(", ")),
                Property::new("Offset", format!("{:#x}", level.offset)),
                Property::new("Bytes", level.size.to_string()),
            ],
        );
        groups.extend(group("Sections", sections(&level.frames)));
        Some(groups)
    }

    fn chunk_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let at = self.chunk_at(item.index)?;
        let center = at.level.chunk_center(at.chunk.index);
        let mut properties = vec![
            Property::new("Level", at.level_number.to_string()),
            Property::new("Chunk", at.chunk.index.to_string()),
            Property::new("Center", xyz(center)),
        ];
        let mut say = |name, count: usize| properties.push(Property::new(name, count.to_string()));
        if let Some(data) = at.chunk.data.as_deref() {
            say("Cubes", data.cubes.len());
            say("Not reached", data.cubes.orphans() as usize);
            say("Dynamic lights", data.dynamic_lights.len());
            say("Fast lights", data.fast_lights.len());
            if let Some(client) = &data.client {
                say("Vertices", client.vertices.len());
                say("Normals", client.normals.len());
                say("Lightmaps", client.lightmaps.len());
            }
            if let Some(server) = &data.server {
                say("Entities", server.entities.len());
            }
        } else {
            properties.push(Property::new("Contents", "cannot be read"));
        }
        let mut groups = group("Chunk", properties);
        groups.extend(group("Sections", sections(&at.chunk.frames)));
        Some(groups)
    }

    fn material_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let number = (item.index >> 32) as usize;
        let file = self.pmf.levels.get(number)?;
        let level = self.levels.get(number)?;
        let material = level.materials.list.get(item.index as u32 as usize)?;
        let blend = match material.blend {
            Blend::Opaque => "opaque",
            Blend::Alpha => "mixed with what is behind it",
            Blend::Add => "added to what is behind it",
        };
        let mut properties = vec![
            Property::new("Name", &*material.name),
            Property::new("Drawn", blend),
            Property::new("Liquid", if material.is_liquid { "yes" } else { "no" }),
        ];
        if let Some((look, client)) = material.look.as_ref().zip(file.client.as_ref()) {
            properties.extend([
                colored("Color", look.color),
                Property::new("Alpha", look.alpha.to_string()),
                colored("Emission", look.emission),
                Property::new("Shading", look.shading.to_string()),
            ]);
            let extra = look
                .extra_textures
                .iter()
                .map(|name| ("Next texture", *name));
            let named = [("Texture", look.texture), ("Matcap", look.matcap)];
            for (name, path) in named.into_iter().chain(extra) {
                let path = client.strings.get(path);
                if !path.is_empty() {
                    properties.push(Property {
                        swatch: self.textures.find(&path).map(Swatch::Thumbnail),
                        ..Property::new(name, path)
                    });
                }
            }
            let pair = |[u, v]: [f32; 2]| format!("u {}  v {} a second", short(u), short(v));
            properties.extend([
                Property::new("Each texture", format!("{} us", look.advance_micros)),
                Property::new("Scroll", pair(look.texture_scroll)),
                Property::new("Matcap scroll", pair(look.matcap_scroll)),
            ]);
        }
        Some(group("Material", properties))
    }

    fn lightmap_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let at = self.chunk_at(item.index >> 8)?;
        let data = at.chunk.data.as_deref()?;
        let client = data.client.as_ref()?;
        let number = (item.index & 0xFF) as usize;
        let side = client.lightmaps.get(number)?.side();
        let of_map = |layers: &[crate::formats::pmf::LightLayer]| {
            layers
                .iter()
                .any(|layer| usize::from(layer.lightmap) == number)
        };
        let lights = data.dynamic_lights.iter().zip(&client.dynamic_lights);
        let lights: Vec<String> = lights
            .filter(|(_, look)| of_map(&look.layers))
            .map(|(light, _)| light.id.to_string())
            .collect();
        let properties = vec![
            Property {
                link: self.chunk_item(at.level_number, at.number),
                ..Property::new("Chunk", at.chunk.index.to_string())
            },
            Property::new("Index", number.to_string()),
            Property::new("Size", format!("{side} x {side} luxels")),
            Property::new("Dynamic lights", lights.join(", ")),
        ];
        Some(group("Lightmap", properties))
    }

    /// What a cube that wraps another one says.
    pub(super) fn wrapper_properties(&self, cube: &CubeAt<'_>) -> Vec<Property> {
        let cubes = &cube.data.cubes;
        let at = &cube.at;
        let link = |name, child: u32| Property {
            link: self.cube_item(at.level_number, at.number, child),
            ..Property::new(name, child.to_string())
        };
        let children = cubes.inside(cube.cube);
        let mut properties: Vec<Property> =
            children.map(|(_, child)| link("Cube", child)).collect();
        match cubes.get(cube.cube) {
            Some(Cube::VisInfo(info)) => {
                let seen = cubes.seen_cubes(info);
                properties.push(Property::new("Sees", plural(seen.len(), "cube", "cubes")));
                for chunk in cubes.seen_chunks(info).iter().take(MOST_LISTED) {
                    let count = cubes.seen_chunk_cubes(chunk).len();
                    let what = match count {
                        0 => "all of it".to_owned(),
                        count => plural(count, "cube", "cubes"),
                    };
                    properties.push(Property::new("Sees", format!("{}: {what}", chunk.chunk)));
                }
            }
            Some(Cube::LightInfo(info)) => {
                properties.push(colored("Base light", info.base));
                let dynamic = cubes
                    .dynamic_lights(info)
                    .iter()
                    .map(|l| ("Dynamic light", l));
                let fast = cubes.fast_lights(info).iter().map(|l| ("Fast light", l));
                for (name, light) in dynamic.chain(fast).take(MOST_LISTED) {
                    let text = format!("{} times {}", light.light, light.multiplier);
                    properties.push(Property::new(name, text));
                }
            }
            Some(Cube::PathInfo(info)) => {
                let Some(server) = &cube.data.server else {
                    return properties;
                };
                for attribute in cubes.attributes(info).iter().take(MOST_LISTED) {
                    let [name, data] =
                        [attribute.name, attribute.data].map(|string| server.strings.get(string));
                    properties.push(Property::new("Attribute", format!("{name}: {data}")));
                }
            }
            Some(Cube::Collider(collider)) => {
                let boxes = cubes.boxes(collider).len();
                properties.push(Property::new("Boxes", boxes.to_string()));
            }
            _ => {}
        }
        properties
    }

    /// Everything about an item, for the inspector. Empty for an item that is not there.
    pub(super) fn item_properties(&self, item: Item) -> Vec<PropertyGroup> {
        let groups = match item.kind {
            item::MAP => Some(self.map_properties()),
            item::LEVEL => self.level_properties(item),
            item::CHUNK => self.chunk_properties(item),
            item::MATERIAL => self.material_properties(item),
            item::LIGHTMAP => self.lightmap_properties(item),
            _ => {
                let found = self.cube_at(item);
                found.map(|(cube, side)| self.cube_properties(&cube, side))
            }
        };
        groups.unwrap_or_default()
    }
}

/// How large sections are in the file and decoded.
fn sections(frames: &[crate::formats::pmf::Frame; 3]) -> Vec<Property> {
    let names = ["Common", "Client", "Server"];
    let sections = Side::ALL.iter().zip(names).zip(frames);
    sections
        .map(|((_, name), frame)| {
            let text = if frame.is_empty() {
                "none".to_owned()
            } else {
                let ratio = frame.unpacked as f32 / frame.packed.max(1) as f32;
                format!(
                    "{} bytes at {:#x}, {} decoded, {ratio:.1} times",
                    frame.packed, frame.start, frame.unpacked
                )
            };
            Property::new(name, text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::OutlineNode;
    use crate::scene::level::sample;

    fn items(lines: &[OutlineNode], items: &mut Vec<Item>) {
        for line in lines {
            items.extend(line.item);
            self::items(&line.children, items);
        }
    }

    #[test]
    fn every_line_of_the_tree_and_every_link_leads_to_something() {
        let map = sample::made_up();
        let mut waiting = Vec::new();
        items(&map.outline_tree(), &mut waiting);
        let last = map.pmf().levels[0].chunks.len() - 1;
        waiting.extend((0..200).filter_map(|cube| map.cube_item(0, last, cube)));
        waiting.extend((0..200).filter_map(|cube| map.face_item(0, last, cube, 1)));
        let mut known = std::collections::HashSet::new();
        let mut kinds = std::collections::BTreeSet::new();
        while let Some(item) = waiting.pop() {
            if !known.insert(item) {
                continue;
            }
            kinds.insert(item.kind);
            let groups = map.item_properties(item);
            assert!(!groups.is_empty(), "{item:?}");
            assert!(groups.iter().all(|group| !group.properties.is_empty()));
            let properties = groups.iter().flat_map(|group| &group.properties);
            waiting.extend(properties.filter_map(|property| property.link));
        }
        let all = [
            "chunk", "cube", "face", "level", "lightmap", "map", "material",
        ];
        assert!(kinds.iter().eq(all.iter()), "{kinds:?}");
        for kind in all.into_iter().filter(|kind| *kind != "map") {
            let none = Item {
                kind,
                index: u64::MAX,
            };
            assert!(map.item_properties(none).is_empty(), "{kind}");
            assert!(map.item_summary(none).is_empty(), "{kind}");
            assert_eq!(map.bounds_of(none), None);
        }
    }
}
