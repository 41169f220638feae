//! Everything about the parts of a map, for the inspector: of the file, its levels and chunks.

use std::fmt::Write as _;

use super::Map;
use super::chunk_map::packed_bytes;
use super::environments::Environment;
use super::files::{STRINGS_OF_FILE, archive_start, strings_of_level};
use super::items::{ChunkAt, CubeAt, item};
use crate::formats::pmf::{ChunkData, Cube, CubeKind, Frame, Level, Side};
use crate::scene::numbers::{plural, short, xyz};
use crate::scene::{Document, Item, Property, PropertyGroup, Swatch};

/// How many attributes, lights or chunks of a cube are listed.
const MOST_LISTED: usize = 64;
/// How many bytes are shown as numbers.
const MOST_BYTES: usize = 256;
/// How many bytes are shown as lines of numbers and letters, and how many in a line.
const MOST_LINE_BYTES: usize = 512;
const LINE_BYTES: usize = 16;
/// How many levels are in the table of sizes.
const MOST_LEVELS: usize = 256;

fn group(title: &'static str, properties: Vec<Property>) -> Vec<PropertyGroup> {
    vec![PropertyGroup { title, properties }]
}

pub(super) fn colored(name: &'static str, [r, g, b]: [u8; 3]) -> Property {
    Property {
        swatch: Some(Swatch::Color([r, g, b])),
        ..Property::new(name, format!("{r} {g} {b}"))
    }
}

pub(super) fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

/// The first bytes as numbers.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(MOST_BYTES) {
        let space = if text.is_empty() { "" } else { " " };
        // Writing to a string does not fail.
        let _ = write!(text, "{space}{byte:02x}");
    }
    if bytes.len() > MOST_BYTES {
        text.push_str(" ...");
    }
    text
}

/// The first bytes as lines of numbers and letters.
pub(super) fn hex_lines(bytes: &[u8]) -> Vec<Property> {
    let shown = bytes.get(..MOST_LINE_BYTES).unwrap_or(bytes);
    let lines = shown.chunks(LINE_BYTES).enumerate().map(|(line, bytes)| {
        let letter = |byte: &u8| match byte {
            0x20..0x7F => char::from(*byte),
            _ => '.',
        };
        let letters: String = bytes.iter().map(letter).collect();
        let width = LINE_BYTES * 3 - 1;
        Property::new(
            "",
            format!(
                "{:04x}  {:<width$}  {letters}",
                line * LINE_BYTES,
                hex(bytes)
            ),
        )
    });
    let mut lines: Vec<Property> = lines.collect();
    if let Some(more) = bytes
        .len()
        .checked_sub(MOST_LINE_BYTES)
        .filter(|more| *more > 0)
    {
        let more = plural(more, "byte", "bytes");
        lines.push(Property::new("", format!("and {more} more")));
    }
    lines
}

impl Map {
    fn map_properties(&self) -> Vec<PropertyGroup> {
        let header = &self.pmf.header;
        let archive = self.pmf.archive.as_ref();
        let files = archive.map_or(0, |archive| archive.file_paths().len());
        let properties = vec![
            Property::new("Name", &*header.name),
            Property::new("Description", &*header.description),
            Property::new("Authors", &*header.authors),
            Property::new("Compiler", &*header.compiler),
            Property::new("Compiled", self.compiled()),
            Property::new("Version", Document::version(self)),
            Property::new("Gamemodes", header.gamemodes.join(", ")),
            Property::new("Levels", self.pmf.levels.len().to_string()),
            Property::new("Archive", plural(files, "file", "files")),
            Property::new("Extensions", self.pmf.extensions.len().to_string()),
            Property::new("Entities of the map", self.pmf.entities.len().to_string()),
        ];
        let mut groups = group("Map", properties);
        groups.extend(group("Sizes", self.sizes()));
        groups
    }

    /// The bytes of each part of the file.
    fn sizes(&self) -> Vec<Property> {
        let pmf = &self.pmf;
        let bytes = |count: u64| {
            let share = count as f64 * 100.0 / self.bytes.len().max(1) as f64;
            format!("{count} bytes ({share:.1} %)")
        };
        let mut sizes = Vec::new();
        let archive = pmf
            .archive
            .as_ref()
            .map_or(0, |archive| archive.bytes().len());
        let strings = pmf.strings.bytes().len() as u64;
        if let Some(start) = archive_start(pmf).filter(|_| !self.bytes.is_empty()) {
            sizes.push(Property::new("File", format!("{} bytes", self.bytes.len())));
            let header = start.saturating_sub(strings + 8);
            sizes.push(Property::new("Header", bytes(header)));
        }
        sizes.push(Property {
            link: Some(STRINGS_OF_FILE),
            ..Property::new("String table", bytes(strings))
        });
        sizes.push(Property::new("Archive", bytes(archive as u64)));
        for (index, extension) in pmf.extensions.iter().enumerate().take(MOST_LISTED) {
            sizes.push(Property {
                link: Some(Item {
                    kind: item::EXTENSION,
                    index: index as u64,
                }),
                ..Property::new(
                    "Extension",
                    format!("{}: {}", extension.name, bytes(extension.size.into())),
                )
            });
        }
        for (index, level) in pmf.levels.iter().enumerate().take(MOST_LEVELS) {
            let packed: u64 = packed_of(level).iter().map(|[packed, _]| packed).sum();
            let unpacked: u64 = packed_of(level).iter().map(|[_, unpacked]| unpacked).sum();
            let ratio = ratio(packed, unpacked);
            let text = format!(
                "{index}: {}, decoded {unpacked}, {ratio}",
                bytes(level.size.into())
            );
            sizes.push(Property {
                link: Some(Item {
                    kind: item::LEVEL,
                    index: index as u64,
                }),
                ..Property::new("Level", text)
            });
        }
        sizes.push(Property::new(
            "Entities",
            bytes(pmf.entities.bytes().len() as u64),
        ));
        sizes
    }

    fn level_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let number = usize::try_from(item.index).ok()?;
        let (data, level) = self.level(number)?;
        let [y, x, z] = level.grid;
        let keeps = [
            (Level::KEEP_VELOCITY, "velocity"),
            (Level::KEEP_CHUNK, "chunk"),
            (Level::KEEP_PLACE, "place in the chunk"),
        ];
        let kept = keeps.iter().filter(|(flag, _)| level.flags & flag != 0);
        let kept: Vec<&str> = kept.map(|(_, name)| *name).collect();
        let kept = if kept.is_empty() {
            "nothing".to_owned()
        } else {
            kept.join(", ")
        };
        let side = short(level.chunk_side());
        let broken = level.chunks.iter().filter(|chunk| chunk.data.is_none());
        let center = level.chunk_number(level.center);
        let mut groups = group(
            "Level",
            vec![
                Property::new("Index", number.to_string()),
                Property::new("Chunks", format!("{y} along Y, {x} along X, {z} along Z")),
                Property::new("Unreadable chunks", broken.count().to_string()),
                Property::new("Chunk size", format!("{side} m")),
                Property {
                    link: center.and_then(|center| self.chunk_item(number, center)),
                    ..Property::new("Center chunk", level.center.to_string())
                },
                Property::new("Flags", format!("{:#04x}", level.flags)),
                Property::new("Players keep", kept),
                Property::new("Offset", format!("{:#x}", level.offset)),
                Property::new("Bytes", level.size.to_string()),
            ],
        );
        let counts = data.counts(level);
        let kinds = CubeKind::ALL.iter().zip(counts.kinds);
        let kinds = kinds.map(|(kind, count)| Property {
            link: Some(cube_kind_item(number, *kind)),
            ..Property::new(kind.name(), count.to_string())
        });
        let mut kinds: Vec<Property> = kinds.collect();
        kinds.push(Property::new("Not reached", counts.orphans.to_string()));
        groups.extend(group("Cubes", kinds));
        let depths = counts.depths.iter().take(usize::from(counts.deepest()) + 1);
        let depths = depths.enumerate().map(|(depth, count)| {
            let cells = plural(*count as usize, "cell", "cells");
            Property::new("Depth", format!("{depth}: {cells}"))
        });
        groups.extend(group("Depths", depths.collect()));
        let common = &level.common;
        let air = common.strings.brief(common.air_physics);
        let mut named = vec![Property::new("Air physics material", air)];
        for of in Environment::ALL {
            if let Some((strings, names, default)) = of.names(level) {
                let default = strings.brief(default);
                let default = if default.is_empty() {
                    "none".into()
                } else {
                    default
                };
                named.push(Property::new(
                    of.name(),
                    format!("{default} by default, of {}", names.len()),
                ));
            }
        }
        let labels = self.sound_labels(number);
        if !labels.is_empty() {
            named.push(Property::new("Sounds named by chunks", labels.join(", ")));
        }
        groups.extend(group("Defaults", named));
        groups.extend(group("Sections", sections(&level.frames)));
        let names = ["Common", "Client", "Server"];
        let of_chunks = names.into_iter().zip(packed_of_chunks(level));
        let of_chunks = of_chunks.map(|(name, [packed, unpacked])| {
            let ratio = ratio(packed, unpacked);
            Property::new(name, format!("{packed} bytes, {unpacked} decoded, {ratio}"))
        });
        groups.extend(group("Sections of all chunks", of_chunks.collect()));
        let sides = Side::ALL.into_iter().zip(names);
        let tables = sides.filter_map(|(side, name)| {
            let item = strings_of_level(number, side);
            Some(Property {
                link: Some(item),
                ..Property::new(name, self.strings_line("", item)?.note)
            })
        });
        groups.extend(group("String tables", tables.collect()));
        Some(groups)
    }

    fn chunk_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let at = self.chunk_at(item.index)?;
        let center = at.level.chunk_center(at.chunk.index);
        let aabb = at.bounds();
        let mut properties = vec![
            Property {
                link: Some(Item {
                    kind: item::LEVEL,
                    index: at.level_number as u64,
                }),
                ..Property::new("Level", at.level_number.to_string())
            },
            Property::new("Chunk", format!("{} (Y, X, Z)", at.chunk.index)),
            Property::new("Center", xyz(center)),
            Property::new("From", xyz(aabb.min)),
            Property::new("To", xyz(aabb.max)),
        ];
        let mut say = |name, count: usize| properties.push(Property::new(name, count.to_string()));
        let mut groups = Vec::new();
        if let Some(data) = at.chunk.data.as_deref() {
            let mesh = self
                .levels
                .get(at.level_number)
                .and_then(|level| level.mesh(at.number));
            say("Faces", mesh.map_or(0, |mesh| mesh.faces.len()));
            say("Triangles", mesh.map_or(0, |mesh| mesh.indices.len() / 3));
            if let Some(client) = &data.client {
                say("Vertices", client.vertices.len());
                say("Normals", client.normals.len());
                say("Lightmaps", client.lightmaps.len());
            }
            if let Some(server) = &data.server {
                say("Entities", server.entities.len());
            }
            groups = self.chunk_contents(&at, data);
        } else {
            properties.push(Property::new("Contents", "cannot be read"));
            let problems = self.problems().iter();
            let about = problems.filter(|problem| self.item_of_problem(problem) == Some(item));
            let about = about.take(MOST_LISTED);
            properties.extend(about.map(|problem| Property::new("Problem", &*problem.message)));
        }
        let mut all = group("Chunk", properties);
        all.extend(groups);
        let mut sizes = sections(&at.chunk.frames);
        sizes.push(Property::new(
            "Together",
            format!("{} bytes", packed_bytes(at.chunk)),
        ));
        all.extend(group("Sections", sizes));
        Some(all)
    }

    /// What is in a chunk: cubes by type, what it uses, its regions, lights and lightmaps.
    fn chunk_contents(&self, at: &ChunkAt<'_>, data: &ChunkData) -> Vec<PropertyGroup> {
        let (level, chunk) = (at.level_number, at.number);
        let mut kinds = [0_usize; CubeKind::ALL.len()];
        for cube in 0..data.cubes.len() as u32 {
            let kind = data.cubes.kind(cube);
            if let Some(count) = kind.and_then(|kind| kinds.get_mut(kind as usize)) {
                *count += 1;
            }
        }
        let mut cubes = vec![Property {
            link: self.cube_item(level, chunk, 0),
            ..Property::new("Cubes", data.cubes.len().to_string())
        }];
        let by_kind = CubeKind::ALL.iter().zip(kinds);
        cubes.extend(by_kind.map(|(kind, count)| Property::new(kind.name(), count.to_string())));
        cubes.push(Property::new(
            "Not reached",
            data.cubes.orphans().to_string(),
        ));
        let by_name = at.level.common.materials_by_name();
        let mut uses: Vec<Property> = Vec::new();
        for name in &data.materials {
            let text = data.strings.brief(*name);
            let found = data.strings.name(*name).and_then(|name| by_name.get(name));
            uses.push(match found {
                Some(index) => Property {
                    link: Some(Self::material_item(level, *index)),
                    swatch: self.material_swatch(level, *index),
                    ..Property::new("Material", text)
                },
                None => Property::new("Material", format!("{text} (the level has none)")),
            });
        }
        let physics = at.level.common.physics_by_name();
        for name in &data.physics_materials {
            let text = data.strings.brief(*name);
            let found = data.strings.name(*name).and_then(|name| physics.get(name));
            uses.push(Property {
                link: found
                    .map(|index| super::items::of_level(item::PHYSICS, level, *index as u32)),
                ..Property::new("Physics material", text)
            });
        }
        for name in &data.sound_materials {
            uses.push(Property::new("Sound material", data.strings.brief(*name)));
        }
        let mut regions = Vec::new();
        for of in Environment::ALL {
            for (index, region) in of.regions(data).iter().enumerate() {
                regions.push(Property {
                    link: self.region_item(level, chunk, of, index),
                    ..Property::new(of.name(), data.strings.brief(region.environment))
                });
            }
        }
        let server = data.server.as_ref();
        for (index, region) in server.map_or(&[][..], |s| &s.regions).iter().enumerate() {
            let count = plural(region.chunks.len(), "chunk", "chunks");
            regions.push(Property {
                link: self.server_region_item(level, chunk, index),
                ..Property::new("Server", format!("keeps {count} active"))
            });
        }
        let mut lights = Vec::new();
        let dynamic = data
            .dynamic_lights
            .iter()
            .map(|light| (item::DYNAMIC_LIGHT, light.id));
        let fast = data
            .fast_lights
            .iter()
            .map(|light| (item::FAST_LIGHT, light.id));
        for (kind, id) in dynamic.chain(fast) {
            let name = if kind == item::FAST_LIGHT {
                "Fast"
            } else {
                "Dynamic"
            };
            lights.push(Property {
                link: Some(Self::light_item(level, kind, id)),
                ..Property::new(name, id.to_string())
            });
        }
        let lightmaps = data
            .client
            .as_ref()
            .map_or(&[][..], |client| &client.lightmaps);
        let lightmaps = lightmaps
            .iter()
            .zip(0..=u8::MAX)
            .map(|(map, index)| Property {
                link: self.lightmap_item(level, chunk, index),
                ..Property::new("Lightmap", format!("{index}: {0} x {0} luxels", map.side()))
            });
        let tables = [
            ("Common and client", Side::Common),
            ("Server", Side::Server),
        ];
        let tables = tables.into_iter().filter_map(|(name, side)| {
            let item = self.strings_of_chunk(level, chunk, side)?;
            Some(Property {
                link: Some(item),
                ..Property::new(name, self.strings_line("", item)?.note)
            })
        });
        let groups = [
            ("Cubes", cubes),
            ("Uses", uses),
            ("Regions", regions),
            ("Lights", lights),
            ("Lightmaps", lightmaps.collect()),
            ("String tables", tables.collect()),
        ];
        let groups = groups.into_iter().filter(|(_, list)| !list.is_empty());
        let groups = groups.map(|(title, mut properties)| {
            properties.truncate(4 * MOST_LISTED);
            PropertyGroup { title, properties }
        });
        groups.collect()
    }

    fn cube_kind_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let number = usize::try_from(item.index >> 8).ok()?;
        let (level, source) = self.level(number)?;
        let index = (item.index & 0xFF) as usize;
        let kind = CubeKind::ALL.get(index)?;
        let count = level.counts(source).kinds.get(index)?;
        let properties = vec![
            Property::new("Type", kind.name()),
            Property::new("Number", index.to_string()),
            Property::new("Level", number.to_string()),
            Property::new("Cubes", count.to_string()),
        ];
        Some(group("Cube type", properties))
    }

    fn clip_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let clip = self.clips.get(usize::try_from(item.index).ok()?)?;
        let mut properties = vec![
            Property::new("Name", &*clip.name),
            Property::new("Frames", clip.frames.to_string()),
            Property::new("Lasts", format!("{} s", short(Self::clip_secs(clip)))),
        ];
        let moving = self.moving_materials().take(MOST_LISTED);
        properties.extend(moving.map(|(level, index, material)| Property {
            link: Some(Self::material_item(level, index)),
            ..Property::new("Moves", format!("{}: {}", material.name, material.motion()))
        }));
        if let Some(more) = self
            .moving_materials()
            .nth(MOST_LISTED)
            .map(|_| self.moving_materials().count() - MOST_LISTED)
        {
            properties.push(Property::new("Moves", format!("and {more} more")));
        }
        Some(group("Clip", properties))
    }

    fn lightmap_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let at = self.chunk_at(item.index >> 8)?;
        let data = at.chunk.data.as_deref()?;
        let client = data.client.as_ref()?;
        let number = (item.index & 0xFF) as usize;
        let side = client.lightmaps.get(number)?.side();
        let faces = self.lit_faces(item, |_, _, face, _| Some(face.triangles));
        let lights = data.dynamic_lights.iter().zip(&client.dynamic_lights);
        let lights = lights.filter(|(_, look)| {
            let mut layers = look.layers.iter();
            layers.any(|layer| usize::from(layer.lightmap) == number)
        });
        let mut properties = vec![
            Property {
                link: self.chunk_item(at.level_number, at.number),
                ..Property::new("Chunk", at.chunk.index.to_string())
            },
            Property::new("Index", number.to_string()),
            Property::new("Size", format!("{side} x {side} luxels")),
            Property::new("Bytes", (3 * side * side).to_string()),
            Property::new("Faces", faces.len().to_string()),
        ];
        properties.extend(lights.map(|(light, _)| Property {
            link: Some(Self::light_item(
                at.level_number,
                item::DYNAMIC_LIGHT,
                light.id,
            )),
            ..Property::new("Dynamic light", light.id.to_string())
        }));
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
            item::PHYSICS => self.physics_properties(item),
            item::SOUND => self.sound_properties(item),
            item::CUBE_KIND => self.cube_kind_properties(item),
            item::ENTITY => self.entity_properties(item),
            item::ENTITY_KIND => self.entity_kind_properties(item),
            item::DYNAMIC_LIGHT | item::FAST_LIGHT => self.light_properties(item),
            item::WEATHER | item::GRAVITY | item::ECHO | item::SKY => {
                self.environment_properties(item)
            }
            item::REGION => self.region_properties(item),
            item::SERVER_REGION => self.server_region_properties(item),
            item::ARCHIVE_FILE => self.archive_file_properties(item),
            item::EXTENSION => self.extension_properties(item),
            item::STRINGS => self.strings_properties(item),
            item::CLIP => self.clip_properties(item),
            item::LIGHTMAP => self.lightmap_properties(item),
            _ => {
                let found = self.cube_at(item);
                found.map(|(cube, side)| self.cube_properties(&cube, side))
            }
        };
        groups.unwrap_or_default()
    }
}

/// The item of a kind of cube in a level.
pub(super) fn cube_kind_item(level: usize, kind: CubeKind) -> Item {
    Item {
        kind: item::CUBE_KIND,
        index: (level as u64) << 8 | kind as u64,
    }
}

/// Packed and decoded bytes of the three sections of all chunks of a level.
fn packed_of_chunks(level: &Level) -> [[u64; 2]; 3] {
    let mut sums = [[0; 2]; 3];
    for chunk in &level.chunks {
        for ([packed, unpacked], frame) in sums.iter_mut().zip(&chunk.frames) {
            *packed += u64::from(frame.packed);
            *unpacked += u64::from(frame.unpacked);
        }
    }
    sums
}

/// Packed and decoded bytes of all sections of a level: its own, and those of its chunks.
fn packed_of(level: &Level) -> Vec<[u64; 2]> {
    let own = level.frames.iter();
    let own = own.map(|frame| [frame.packed, frame.unpacked].map(u64::from));
    own.chain(packed_of_chunks(level)).collect()
}

/// How many times as many bytes there are once decoded.
fn ratio(packed: u64, unpacked: u64) -> String {
    format!("{:.1} times", unpacked as f64 / packed.max(1) as f64)
}

/// How large sections are in the file and decoded.
fn sections(frames: &[Frame; 3]) -> Vec<Property> {
    let names = ["Common", "Client", "Server"];
    let sections = names.into_iter().zip(frames);
    sections
        .map(|(name, frame)| {
            let text = if frame.is_empty() {
                "none".to_owned()
            } else {
                format!(
                    "{} bytes at {:#x}, {} decoded, {}",
                    frame.packed,
                    frame.start,
                    frame.unpacked,
                    ratio(frame.packed.into(), frame.unpacked.into())
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
        let map = sample::with_archive();
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
            assert!(!map.item_summary(item).is_empty(), "{item:?}");
            let properties = groups.iter().flat_map(|group| &group.properties);
            waiting.extend(properties.filter_map(|property| property.link));
        }
        let all = [
            "archive file",
            "chunk",
            "cube",
            "cube type",
            "dynamic light",
            "entity",
            "entity type",
            "environment region",
            "extension",
            "face",
            "fast light",
            "gravity",
            "level",
            "lightmap",
            "map",
            "material",
            "physics material",
            "server region",
            "sky",
            "sound environment",
            "sound material",
            "string table",
            "weather",
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
