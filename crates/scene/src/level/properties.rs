//! Everything about the parts of a map, for the inspector: of the file, its levels and chunks.

use std::fmt::Write as _;

use glam::Vec3;

use super::Map;
use super::chunk_map::packed_bytes;
use super::describe::CORNERS;
use super::environments::Environment;
use super::files::archive_start;
use super::items::{ChunkAt, CubeAt};
use super::lights::LightKind;
use crate::numbers::{plural, short, xyz};
use crate::{Item, LevelItem, Property, PropertyGroup, Swatch};
use mapscope_formats::pmf::{
    ChunkData, Cube, CubeKind, Entities, Frame, Level, LightReference, Side, VisInfo,
};

/// How many of a list are shown: all that a byte can count, and the first ones of longer lists.
const MOST_LISTED: usize = 256;
/// How many bytes are shown as numbers in a line of text.
pub(super) const MOST_BYTES: usize = 256;
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

/// The first bytes, at most so many, as numbers.
pub(super) fn hex(bytes: &[u8], most: usize) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(most) {
        let space = if text.is_empty() { "" } else { " " };
        // Writing to a string does not fail.
        let _ = write!(text, "{space}{byte:02x}");
    }
    if bytes.len() > most {
        text.push_str(" ...");
    }
    text
}

/// A property for each of a list, and how many more there are where it is long.
pub(super) fn listed<T>(
    list: impl ExactSizeIterator<Item = T>,
    name: &'static str,
    property: impl FnMut(T) -> Option<Property>,
) -> Vec<Property> {
    let more = list.len().saturating_sub(MOST_LISTED);
    let mut properties: Vec<Property> = list.take(MOST_LISTED).filter_map(property).collect();
    if more > 0 {
        properties.push(Property::new(name, format!("and {more} more")));
    }
    properties
}

/// The entities of a list that cannot be read, byte by byte: those from the first of an unknown
/// type on.
fn unread_entities(entities: &Entities) -> Vec<PropertyGroup> {
    let Some((at, bytes)) = entities.opaque() else {
        return Vec::new();
    };
    group(
        "Entities that are not read",
        vec![
            Property::new("Why", "the first is of an unknown type"),
            Property::new("Offset", format!("{at:#x} of their section")),
            Property::new("Size", plural(bytes.len(), "byte", "bytes")),
            Property::dump(bytes),
        ],
    )
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
            Property::new("Version", &*self.about.version),
            Property::new("Gamemodes", header.gamemodes.join(", ")),
            Property::new("Levels", self.pmf.levels.len().to_string()),
            Property::new("Archive", plural(files, "file", "files")),
            Property::new("Extensions", self.pmf.extensions.len().to_string()),
            Property::new("Entities of the map", self.pmf.entities.len().to_string()),
        ];
        let mut groups = group("Map", properties);
        groups.extend(group("Sizes", self.sizes()));
        groups.extend(unread_entities(&self.pmf.entities));
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
            link: Some(LevelItem::STRINGS_OF_FILE.into()),
            ..Property::new("String table", bytes(strings))
        });
        sizes.push(Property::new("Archive", bytes(archive as u64)));
        let extensions = pmf.extensions.iter().enumerate();
        sizes.extend(listed(extensions, "Extension", |(index, extension)| {
            Some(Property {
                link: Some(
                    LevelItem::Extension {
                        index: index as u32,
                    }
                    .into(),
                ),
                ..Property::new(
                    "Extension",
                    format!("{}: {}", extension.name, bytes(extension.size.into())),
                )
            })
        }));
        for (index, level) in pmf.levels.iter().enumerate().take(MOST_LEVELS) {
            let packed: u64 = packed_of(level).iter().map(|[packed, _]| packed).sum();
            let unpacked: u64 = packed_of(level).iter().map(|[_, unpacked]| unpacked).sum();
            let ratio = ratio(packed, unpacked);
            let text = format!(
                "{index}: {}, decoded {unpacked}, {ratio}",
                bytes(level.size.into())
            );
            sizes.push(Property {
                link: Some(LevelItem::level(index).into()),
                ..Property::new("Level", text)
            });
        }
        sizes.push(Property::new(
            "Entities",
            bytes(pmf.entities.bytes().len() as u64),
        ));
        sizes
    }

    fn level_properties(&self, number: usize) -> Option<Vec<PropertyGroup>> {
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
                    link: center.map(|center| LevelItem::chunk(number, center).into()),
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
            link: Some(LevelItem::cube_type(number, *kind).into()),
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
            let item = LevelItem::strings_of_level(number, side);
            Some(Property {
                link: Some(item.into()),
                ..Property::new(name, self.strings_line("", item)?.note)
            })
        });
        groups.extend(group("String tables", tables.collect()));
        let entities = level.server.as_ref().map(|server| &server.entities);
        groups.extend(entities.into_iter().flat_map(unread_entities));
        Some(groups)
    }

    fn chunk_properties(&self, item: LevelItem) -> Option<Vec<PropertyGroup>> {
        let at = self.chunk_of(item)?;
        let center = at.level.chunk_center(at.chunk.index);
        let aabb = at.bounds();
        let mut properties = vec![
            Property {
                link: Some(LevelItem::level(at.level_number).into()),
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
            let problems = self.about.problems.iter();
            let about = problems.filter(|problem| self.item_of_problem(problem) == Some(item));
            let about: Vec<_> = about.collect();
            properties.extend(listed(about.into_iter(), "Problem", |problem| {
                Some(Property::new("Problem", &*problem.message))
            }));
        }
        let mut all = group("Chunk", properties);
        all.extend(groups);
        let mut sizes = sections(&at.chunk.frames);
        sizes.push(Property::new(
            "Together",
            format!("{} bytes", packed_bytes(at.chunk)),
        ));
        all.extend(group("Sections", sizes));
        let server = at
            .chunk
            .data
            .as_deref()
            .and_then(|data| data.server.as_ref());
        all.extend(
            server
                .into_iter()
                .flat_map(|server| unread_entities(&server.entities)),
        );
        Some(all)
    }

    /// What is in a chunk: cubes by type, what it uses, its regions, lights and lightmaps.
    fn chunk_contents(&self, at: &ChunkAt<'_>, data: &ChunkData) -> Vec<PropertyGroup> {
        let level = at.level_number;
        let mut kinds = [0_usize; CubeKind::ALL.len()];
        for cube in 0..data.cubes.len() as u32 {
            let kind = data.cubes.kind(cube);
            if let Some(count) = kind.and_then(|kind| kinds.get_mut(kind as usize)) {
                *count += 1;
            }
        }
        let mut cubes = vec![Property {
            link: Some(at.cube_item(0).into()),
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
                    link: Some(LevelItem::material(level, *index).into()),
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
                link: found.map(|index| LevelItem::physics_material(level, *index).into()),
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
                    link: Some(at.region_item(of, index).into()),
                    ..Property::new(of.name(), data.strings.brief(region.environment))
                });
            }
        }
        let server = data.server.as_ref();
        for (index, region) in server.map_or(&[][..], |s| &s.regions).iter().enumerate() {
            let count = plural(region.chunks.len(), "chunk", "chunks");
            regions.push(Property {
                link: Some(at.server_region_item(index).into()),
                ..Property::new("Server", format!("keeps {count} active"))
            });
        }
        let mut lights = Vec::new();
        let dynamic = data
            .dynamic_lights
            .iter()
            .map(|light| LightKind::Dynamic.item(level, light.id));
        let fast = data
            .fast_lights
            .iter()
            .map(|light| LightKind::Fast.item(level, light.id));
        for light in dynamic.chain(fast) {
            lights.push(Property {
                link: Some(light.into()),
                ..Property::new("Light", self.light_name(light))
            });
        }
        let lightmaps = data
            .client
            .as_ref()
            .map_or(&[][..], |client| &client.lightmaps);
        let lightmaps = lightmaps.iter().enumerate().map(|(index, map)| Property {
            link: Some(at.lightmap_item(index).into()),
            ..Property::new("Lightmap", format!("{index}: {0} x {0} luxels", map.side()))
        });
        let tables = [
            ("Common and client", Side::Common),
            ("Server", Side::Server),
        ];
        let tables = tables.into_iter().filter_map(|(name, side)| {
            let item = at.strings_item(side);
            Some(Property {
                link: Some(item.into()),
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
        let groups = groups.map(|(title, properties)| PropertyGroup { title, properties });
        groups.collect()
    }

    fn cube_kind_properties(&self, number: usize, index: usize) -> Option<Vec<PropertyGroup>> {
        let (level, source) = self.level(number)?;
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

    fn clip_properties(&self) -> Option<Vec<PropertyGroup>> {
        let clip = self.clips.first()?;
        let mut properties = vec![
            Property::new("Name", &*clip.name),
            Property::new("Frames", clip.frames.to_string()),
            Property::new("Lasts", format!("{} s", short(Self::clip_secs(clip)))),
        ];
        let moving: Vec<_> = self.moving_materials().collect();
        properties.extend(listed(
            moving.into_iter(),
            "Moves",
            |(level, index, material)| {
                Some(Property {
                    link: Some(LevelItem::material(level, index).into()),
                    ..Property::new(
                        "Moves",
                        format!("{}: {}", material.name, material.motion_text()),
                    )
                })
            },
        ));
        Some(group("Clip", properties))
    }

    fn lightmap_properties(&self, item: LevelItem, number: usize) -> Option<Vec<PropertyGroup>> {
        let at = self.chunk_of(item)?;
        let data = at.chunk.data.as_deref()?;
        let client = data.client.as_ref()?;
        let side = client.lightmaps.get(number)?.side();
        let faces = self.lit_faces(item, |_, _, face, _| Some(face.triangles));
        let lights = data.dynamic_lights.iter().zip(&client.dynamic_lights);
        let lights = lights.filter(|(_, look)| {
            let mut layers = look.layers.iter();
            layers.any(|layer| usize::from(layer.lightmap) == number)
        });
        let mut properties = vec![
            Property {
                link: Some(at.item().into()),
                ..Property::new("Chunk", at.chunk.index.to_string())
            },
            Property::new("Index", number.to_string()),
            Property::new("Size", format!("{side} x {side} luxels")),
            Property::new("Bytes", (3 * side * side).to_string()),
            Property::new("Faces", faces.len().to_string()),
        ];
        properties.extend(lights.map(|(light, _)| {
            let light = LightKind::Dynamic.item(at.level_number, light.id);
            Property {
                link: Some(light.into()),
                ..Property::new("Light", self.light_name(light))
            }
        }));
        Some(group("Lightmap", properties))
    }

    /// The cubes that a visibility cube lists: of its own chunk, then of others.
    fn seen_properties(&self, cube: &CubeAt<'_>, info: &VisInfo) -> Vec<Property> {
        let at = &cube.at;
        let cubes = &cube.data.cubes;
        let link = |chunk: Option<usize>, index: u32, prefix: String| {
            let item = chunk.map(|chunk| LevelItem::cube(at.level_number, chunk, index));
            let found = item.and_then(|item| self.cube_at(item));
            let kind = found
                .as_ref()
                .map_or("not there", |(found, _)| found.kind_name());
            Property {
                link: item.filter(|_| found.is_some()).map(Item::from),
                ..Property::new("Sees cube", format!("{prefix}{index} ({kind})"))
            }
        };
        let own = cubes.seen_cubes(info);
        let mut properties = vec![Property::new(
            "Sees",
            format!(
                "{} of this chunk",
                plural(own.len(), "other cube", "other cubes")
            ),
        )];
        properties.extend(listed(own.iter(), "Sees cube", |index| {
            Some(link(Some(at.number), *index, String::new()))
        }));
        let chunks = cubes.seen_chunks(info);
        let mut cubes_left = MOST_LISTED;
        for seen in chunks.iter().take(MOST_LISTED) {
            let number = at.level.chunk_number(seen.chunk);
            let list = cubes.seen_chunk_cubes(seen);
            let what = match list.len() {
                0 => "all of it".to_owned(),
                count => plural(count, "cube", "cubes"),
            };
            properties.push(Property {
                link: number.map(|number| LevelItem::chunk(at.level_number, number).into()),
                ..Property::new("Sees", format!("chunk {}: {what}", seen.chunk))
            });
            let shown = list.len().min(cubes_left);
            cubes_left -= shown;
            let prefix = || format!("{} ", seen.chunk);
            let shown_cubes = list.iter().take(shown);
            properties.extend(shown_cubes.map(|index| link(number, *index, prefix())));
            if list.len() > shown {
                let more = list.len() - shown;
                properties.push(Property::new(
                    "Sees cube",
                    format!("{}and {more} more", prefix()),
                ));
            }
        }
        if chunks.len() > MOST_LISTED {
            let more = chunks.len() - MOST_LISTED;
            properties.push(Property::new("Sees", format!("and {more} more chunks")));
        }
        properties
    }

    /// A light of the chunk that reaches a cube.
    fn reference_property(
        &self,
        cube: &CubeAt<'_>,
        kind: LightKind,
        reference: LightReference,
    ) -> Property {
        let index = usize::from(reference.light);
        let id = if kind == LightKind::Fast {
            cube.data.fast_lights.get(index).map(|light| light.id)
        } else {
            cube.data.dynamic_lights.get(index).map(|light| light.id)
        };
        let light = id.map(|id| kind.item(cube.at.level_number, id));
        let name = light.map_or_else(
            || "no such light of the chunk".to_owned(),
            |light| self.light_name(light),
        );
        let text = format!(
            "{name}, index {index}, times {} of 255",
            reference.multiplier
        );
        Property {
            link: light.map(Item::from),
            ..Property::new("Light", text)
        }
    }

    /// What a cube that wraps another one says.
    pub(super) fn wrapper_properties(&self, cube: &CubeAt<'_>) -> Vec<Property> {
        let cubes = &cube.data.cubes;
        let at = &cube.at;
        let children = cubes.inside(cube.cube);
        let children = children.map(|(corner, child)| {
            let kind = cubes.kind(child).map_or("", CubeKind::name);
            let octant = corner.and_then(|corner| CORNERS.get(corner));
            let text = match octant {
                Some(octant) => format!("{octant}: {child} ({kind})"),
                None => format!("{child} ({kind})"),
            };
            Property {
                link: Some(at.cube_item(child).into()),
                ..Property::new("Cube", text)
            }
        });
        let mut properties: Vec<Property> = children.collect();
        match cubes.get(cube.cube) {
            Some(Cube::VisInfo(info)) => properties.extend(self.seen_properties(cube, info)),
            Some(Cube::LightInfo(info)) => {
                properties.push(colored("Base light", info.base));
                let dynamic = cubes.dynamic_lights(info).iter();
                let fast = cubes.fast_lights(info).iter();
                let dynamic = dynamic.map(|light| (LightKind::Dynamic, light));
                let fast = fast.map(|light| (LightKind::Fast, light));
                properties.extend(
                    dynamic
                        .chain(fast)
                        .map(|(kind, light)| self.reference_property(cube, kind, *light)),
                );
            }
            Some(Cube::PathInfo(info)) => {
                let Some(server) = &cube.data.server else {
                    return properties;
                };
                for attribute in cubes.attributes(info) {
                    let [name, data] =
                        [attribute.name, attribute.data].map(|string| server.strings.get(string));
                    properties.push(Property::new("Attribute", format!("{name}: {data}")));
                }
            }
            Some(Cube::Collider(collider)) => {
                let boxes = cubes.boxes(collider);
                properties.push(Property::new("Boxes", boxes.len().to_string()));
                let center = at.center();
                for (index, corners) in boxes.iter().enumerate() {
                    properties.push(Property::new("Box", index.to_string()));
                    let corners = CORNERS.iter().zip(corners);
                    properties.extend(corners.map(|(name, corner)| {
                        Property::new(name, xyz(Vec3::from(*corner) + center))
                    }));
                }
            }
            _ => {}
        }
        properties
    }

    /// Everything about an item, for the inspector. Empty for an item that is not there.
    pub(super) fn properties_of(&self, item: LevelItem) -> Vec<PropertyGroup> {
        let groups = match item {
            LevelItem::Map => Some(self.map_properties()),
            LevelItem::Level { level } => self.level_properties(level as usize),
            LevelItem::Chunk { .. } => self.chunk_properties(item),
            LevelItem::Material { level, index } => {
                self.material_properties(level as usize, index as usize)
            }
            LevelItem::PhysicsMaterial { level, index } => {
                self.physics_properties(level as usize, index as usize)
            }
            LevelItem::SoundMaterial { level, index } => {
                self.sound_properties(level as usize, index as usize)
            }
            LevelItem::CubeType { level, cube_type } => {
                self.cube_kind_properties(level as usize, cube_type.into())
            }
            LevelItem::Entity { .. } => self.entity_properties(item),
            LevelItem::EntityType { entity_type } => self.entity_kind_properties(entity_type),
            LevelItem::Gamemode { index } => self.gamemode_properties(index as usize),
            LevelItem::DynamicLight { .. } | LevelItem::FastLight { .. } => {
                self.light_properties(item)
            }
            LevelItem::Weather { .. }
            | LevelItem::Gravity { .. }
            | LevelItem::SoundEnvironment { .. }
            | LevelItem::Sky { .. } => self.environment_properties(item),
            LevelItem::Region { .. } => self.region_properties(item),
            LevelItem::ServerRegion { .. } => self.server_region_properties(item),
            LevelItem::ArchiveFile { index } => self.archive_file_properties(index as usize),
            LevelItem::Extension { index } => self.extension_properties(index as usize),
            LevelItem::Strings { .. } => self.strings_properties(item),
            LevelItem::Clip => self.clip_properties(),
            LevelItem::Lightmap { index, .. } => self.lightmap_properties(item, index as usize),
            LevelItem::Cube { .. } | LevelItem::Face { .. } => {
                let found = self.cube_at(item);
                found.map(|(cube, side)| self.cube_properties(&cube, side))
            }
        };
        groups.unwrap_or_default()
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
    use crate::level::sample;
    use crate::{Document as _, OutlineNode, Owner};
    use mapscope_formats::pmf;

    fn of_level(item: Item) -> LevelItem {
        match item {
            Item::Level(item) => item,
            other => panic!("{other}"),
        }
    }

    fn items(lines: &[OutlineNode], items: &mut Vec<LevelItem>) {
        for line in lines {
            items.extend(line.item.map(of_level));
            self::items(&line.children, items);
        }
    }

    /// What is said of the contents of a cube of the first chunk.
    fn contents(map: &Map, cube: u32) -> Vec<(&'static str, String, Option<Item>)> {
        let groups = map.properties_of(LevelItem::cube(0, 0, cube));
        let group = groups.into_iter().find(|group| group.title == "Contents");
        let properties = group.unwrap().properties.into_iter();
        properties.map(|p| (p.name, p.value, p.link)).collect()
    }

    #[test]
    fn whatever_a_cube_lists_is_listed() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 1, 7);
        let level = &mut pmf.levels[0];
        let other = level.chunks[1].index;
        let data = level.chunks[0].data.as_mut().unwrap();
        let mut cubes = pmf::Cubes::default();
        cubes.push_parent(0b1001_0000, &[1, 2]);
        cubes.push_vis_info(3, [2, 4, 99], &[(other, vec![0]), (other, vec![])]);
        cubes.push_collider(5, [[[1.0; 3]; 8], [[-2.0, 3.0, 4.5]; 8]]);
        let dim = LightReference {
            light: 0,
            multiplier: 150,
        };
        let none = LightReference {
            light: 9,
            multiplier: 7,
        };
        cubes.push_light_info(Some(4), [1, 2, 3], &[dim; 200], &[dim, none]);
        cubes.push_empty();
        cubes.push_empty();
        cubes.link().unwrap();
        data.cubes = cubes;
        (data.dynamic_lights[0].id, data.fast_lights[0].id) = (41, 42);
        let map = sample::map(pmf);
        let cube = |index: u32| Some(Item::from(LevelItem::cube(0, 0, index)));

        let said = contents(&map, 0);
        assert_eq!(
            said[0],
            ("Cube", "+X -Y +Z: 1 (visinfo)".to_owned(), cube(1))
        );
        assert_eq!(
            said[1],
            ("Cube", "-X -Y -Z: 2 (collider)".to_owned(), cube(2))
        );

        let said = contents(&map, 1);
        let lines: Vec<_> = said
            .iter()
            .map(|(name, text, _)| format!("{name} {text}"))
            .collect();
        assert_eq!(
            lines,
            [
                "Cube 3 (lightinfo)",
                "Sees 3 other cubes of this chunk",
                "Sees cube 2 (collider)",
                "Sees cube 4 (empty)",
                "Sees cube 99 (not there)",
                "Sees chunk (0, 1, 0): 1 cube",
                "Sees cube (0, 1, 0) 0 (visinfo)",
                "Sees chunk (0, 1, 0): all of it",
            ]
        );
        assert_eq!((said[2].2, said[4].2), (cube(2), None));
        assert_eq!(
            (said[5].2, said[6].2),
            (
                Some(LevelItem::chunk(0, 1).into()),
                Some(LevelItem::cube(0, 1, 0).into())
            )
        );

        let said = contents(&map, 2);
        let boxes: Vec<_> = said.iter().filter(|(name, ..)| *name == "Box").collect();
        assert_eq!(boxes.len(), 2);
        let center = Vec3::from(map.pmf().levels[0].chunk_center(pmf::ChunkIndex::default()));
        let corner = xyz(center + Vec3::new(-2.0, 3.0, 4.5));
        let corners = said.iter().filter(|(_, text, _)| *text == corner);
        assert_eq!(corners.count(), 8);

        let said = contents(&map, 3);
        // All of them, by the names that they have elsewhere.
        let lights: Vec<_> = said.iter().filter(|(name, ..)| *name == "Light").collect();
        assert_eq!(lights.len(), 202);
        assert_eq!(lights[199].1, "Dynamic light 41, index 0, times 150 of 255");
        assert_eq!(lights[199].2, Some(LightKind::Dynamic.item(0, 41).into()));
        assert_eq!(lights[200].2, Some(LightKind::Fast.item(0, 42).into()));
        assert!(lights[201].1.starts_with("no such light") && lights[201].2.is_none());
    }

    #[test]
    fn long_lists_end_with_how_many_more_there_are() {
        let said = |count: u32| {
            let list: Vec<u32> = (0..count).collect();
            let list = listed(list.iter(), "Number", |i| {
                Some(Property::new("Number", i.to_string()))
            });
            (list.len(), list.last().map(|last| last.value.clone()))
        };
        assert_eq!(said(255), (255, Some("254".to_owned())));
        assert_eq!(said(300), (257, Some("and 44 more".to_owned())));
    }

    #[test]
    fn entities_that_are_not_read_are_shown_byte_by_byte() {
        use mapscope_formats::pmf::{EntityKind, EntityList, NewEntity, StringTableBuilder};
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let mut strings = StringTableBuilder::default();
        let list = EntityList {
            entities: vec![
                NewEntity::new(EntityKind::Dummy, "a"),
                NewEntity::new(EntityKind::Dummy, "b"),
            ],
            ..EntityList::default()
        };
        pmf.entities = list.build(&mut strings).unwrap();
        pmf.strings = strings.finish();
        let mut bytes = pmf::write(&pmf, pmf::Packing::Stored).unwrap();
        // The type of the last entity is its last byte.
        *bytes.last_mut().unwrap() = 99;
        let map = sample::file(&bytes);
        let groups = map.properties_of(LevelItem::Map);
        let unread = groups
            .iter()
            .find(|group| group.title == "Entities that are not read");
        let dump = &unread.unwrap().properties[3];
        assert_eq!((dump.bytes.len(), dump.bytes.last()), (17, Some(&99)));
        assert_eq!(unread.unwrap().properties[2].value, "17 bytes");
    }

    #[test]
    fn every_line_of_the_tree_and_every_link_leads_to_something() {
        let map = sample::with_archive();
        let mut waiting = Vec::new();
        items(&map.outline(), &mut waiting);
        let last = map.pmf().levels[0].chunks.len() - 1;
        waiting.extend((0..200).map(|cube| LevelItem::cube(0, last, cube)));
        waiting.extend((0..200).map(|cube| LevelItem::face(0, last, cube, 1)));
        let mut known = std::collections::HashSet::new();
        let mut kinds = std::collections::BTreeSet::new();
        while let Some(item) = waiting.pop() {
            if !known.insert(item) {
                continue;
            }
            kinds.insert(item.kind());
            let groups = map.properties_of(item);
            assert!(!groups.is_empty(), "{item}");
            assert!(groups.iter().all(|group| !group.properties.is_empty()));
            assert!(!map.summary_of(item).is_empty(), "{item}");
            let properties = groups.iter().flat_map(|group| &group.properties);
            waiting.extend(properties.filter_map(|property| property.link.map(of_level)));
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
            "gamemode",
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
        const NONE: u32 = u32::MAX;
        let owner = Owner::Chunk {
            level: 0,
            chunk: NONE,
        };
        let missing = [
            LevelItem::Level { level: NONE },
            LevelItem::chunk(0, NONE as usize),
            LevelItem::cube(0, 0, NONE),
            LevelItem::face(0, 0, 0, 6),
            LevelItem::CubeType {
                level: 0,
                cube_type: u8::MAX,
            },
            LevelItem::material(0, NONE as usize),
            LevelItem::Lightmap {
                level: 0,
                chunk: NONE,
                index: 0,
            },
            LightKind::Dynamic.item(0, NONE),
            LightKind::Fast.item(0, NONE),
            LevelItem::physics_material(0, NONE as usize),
            LevelItem::SoundMaterial {
                level: 0,
                index: NONE,
            },
            Environment::Weather.item(0, NONE as usize),
            Environment::Gravity.item(0, NONE as usize),
            Environment::Sound.item(0, NONE as usize),
            Environment::Sky.item(NONE as usize, 0),
            LevelItem::Region {
                level: 0,
                chunk: 0,
                environment: 0,
                index: NONE,
            },
            LevelItem::ServerRegion {
                level: 0,
                chunk: 0,
                index: NONE,
            },
            LevelItem::Entity {
                owner: Owner::Map,
                index: NONE,
            },
            LevelItem::EntityType { entity_type: NONE },
            LevelItem::Gamemode { index: NONE },
            LevelItem::Strings { owner, index: 0 },
            LevelItem::ArchiveFile { index: NONE },
            LevelItem::Extension { index: NONE },
            LevelItem::Clip,
        ];
        for none in missing {
            assert!(map.properties_of(none).is_empty(), "{none}");
            assert!(map.summary_of(none).is_empty(), "{none}");
            assert_eq!(map.bounds_of(none), None, "{none}");
        }
    }
}
