//! What a map is made of, for comparing it with another.

use super::Map;
use super::environments::Environment;
use super::items::{ChunkAt, CubeAt};
use super::lights::LightKind;
use super::properties::LevelAt;
use crate::diff::Parts;
use crate::{LevelItem, OwnLine, Owner};
use mapscope_formats::is_of_end;
use mapscope_formats::pmf::{self, ChunkClient, ChunkData, CubeKind, Face, SIDES, Side, Vertex};

/// The fields of the bytes of entities that are not read.
const UNREAD_ENTITIES: [&str; 3] = ["Why", "Size", "Bytes"];

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
        let levels = Parts::named("level", self.pmf.levels.len(), |level| level.to_string());
        let levels = levels.items(|level| Some(LevelItem::level(level)));
        // They have no names, and are found by what is in them.
        let levels = levels.keys(|_| String::new());
        let mut problems = self.about.problems.iter();
        let is_cut = problems.any(|problem| is_of_end(problem.rule));
        // What stands before the levels is there where levels are.
        let is_front_cut = is_cut && self.pmf.levels.is_empty();
        vec![
            Parts::one("map", LevelItem::Map).unknown(move |_, field| {
                is_front_cut && self.is_unknown_of_head(field)
                    || self.is_unknown_of_entities(Owner::Map, field)
            }),
            Parts::named("archive file", files, path)
                .items(|index| Some(LevelItem::archive_file(index)))
                .cut(is_front_cut),
            extensions
                .items(|index| {
                    let index = index as u32;
                    Some(LevelItem::Extension { index })
                })
                .cut(is_front_cut),
            levels
                .made_of(|level| {
                    self.level_at(level)
                        .map_or_else(Vec::new, |at| self.level_parts(at))
                })
                .unknown(|level, field| {
                    let owner = Owner::level(level);
                    let level = self.pmf.levels.get(level);
                    level.is_some_and(|level| is_unknown_of_level(level, field))
                        || self.is_unknown_of_entities(owner, field)
                })
                .cut(is_front_cut),
            self.entity_parts_of(Owner::Map).or_cut(is_cut),
        ]
    }

    /// Whether the file ends in a section: what was decoded of it is not all.
    fn ends_in(&self, section: pmf::Frame) -> bool {
        !section.is_empty() && section.end() > self.bytes.len() as u64
    }

    /// Whether a field of the head is one that the file ends before.
    fn is_unknown_of_head(&self, field: &str) -> bool {
        let header = &self.pmf.header;
        match field {
            "Name" => header.name.is_empty(),
            "Description" => header.description.is_empty(),
            "Authors" => header.authors.is_empty(),
            "Compiler" => header.compiler.is_empty(),
            // Any of them may be missing.
            "Gamemodes" => true,
            _ => false,
        }
    }

    /// Whether a field says what of a list of entities is left, of which it is not known how much it should
    /// be.
    fn is_unknown_of_entities(&self, owner: Owner, field: &str) -> bool {
        let list = self.entity_list(owner);
        let is_torn = list.is_some_and(|list| list.entities.is_torn());
        is_torn && UNREAD_ENTITIES.contains(&field)
    }

    fn level_parts<'a>(&'a self, at: LevelAt<'a>) -> Vec<Parts<'a>> {
        let (number, level) = (at.number as u32, at.source);
        let common = &level.common;
        let materials = Parts::named("material", common.materials.len(), move |index| {
            let material = common.materials.get(index);
            material.map_or_else(String::new, |it| common.strings.told(it.name).into_owned())
        });
        let physics = &common.physics_materials;
        let physics = Parts::named("physics material", physics.len(), move |index| {
            let material = physics.get(index);
            material.map_or_else(String::new, |it| common.strings.told(it.name).into_owned())
        });
        let sounds = Parts::numbered("sound material", common.sound_materials.len());
        let is_torn = common.is_torn;
        let looks = level
            .client
            .as_ref()
            .map_or(0, |client| client.materials.len());
        let has_looks = !is_client_torn(level);
        let mut parts = vec![
            materials
                .items(move |index| Some(LevelItem::material(at.number, index)))
                .unknown(move |index, field| {
                    let is_of_common = ["Name", "Type", "Flags", "Render mode"].contains(&field);
                    !is_of_common && !has_looks && index >= looks
                })
                .named_by_others()
                .cut(is_torn),
            physics
                .items(move |index| Some(LevelItem::physics_material(at.number, index)))
                .cut(is_torn),
            sounds
                .items(move |index| {
                    let (level, index) = (number, index as u32);
                    Some(LevelItem::SoundMaterial { level, index })
                })
                .cut(is_torn),
        ];
        parts.extend(Environment::ALL.into_iter().filter_map(|of| {
            let what = of.item(at.number, 0).kind();
            let is_cut = match of {
                Environment::Weather | Environment::Gravity => is_torn,
                Environment::Sound | Environment::Sky => is_client_torn(level),
            };
            let Some((strings, names, _)) = of.names(level) else {
                return is_cut.then(|| Parts::named(what, 0, |_| String::new()).cut(true));
            };
            let count = names.len();
            let environments = Parts::named(what, count, move |index| {
                let name = names.get(index);
                name.map_or_else(String::new, |name| strings.told(*name).into_owned())
            });
            let environments = environments.items(move |index| Some(of.item(at.number, index)));
            Some(environments.cut(is_cut))
        }));
        let has_server = !level.frames[2].is_empty() || is_head_cut(level);
        let is_server_lost = has_server && level.server.is_none();
        let entities = self.entity_parts_of(Owner::level(at.number));
        parts.push(entities.or_cut(is_server_lost || self.ends_in(level.frames[2])));
        let chunk = move |index: usize| self.chunk_at(number, index as u32);
        // What lights do stands in the chunks.
        let mut chunks = (0..level.chunks.len()).filter_map(chunk);
        let is_partial = move |at: ChunkAt<'_>| {
            let mut sections = at.chunk.frames.into_iter();
            at.lacks_section() || sections.any(|section| self.ends_in(section))
        };
        let lacks_sections = chunks.any(is_partial);
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
            let list = list.items(move |index| lights.get(index).copied());
            let is_cut = lacks_sections || !self.is_level_whole(at.number);
            parts.push(list.lost(move |_| lacks_sections).cut(is_cut));
        }
        let chunks = Parts::named("chunk", level.chunks.len(), move |index| {
            chunk(index).map_or_else(String::new, |at| at.chunk.index.to_string())
        });
        let chunks = chunks.items(move |index| Some(LevelItem::chunk(at.number, index)));
        let chunks = chunks
            .made_of(move |index| chunk(index).map_or_else(Vec::new, |at| self.chunk_parts(at)));
        let chunks = chunks
            .lost(move |index| chunk(index).is_none_or(is_partial))
            .unknown(move |index, field| {
                chunk(index).is_some_and(|at| self.is_unknown_of_entities(at.owner(), field))
            })
            .cut(!self.is_level_whole(at.number));
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
            .items(move |index| Some(at.cube_item(index as u32)))
            .unknown(move |index, field| {
                let of_client = field.starts_with("Lightmaps") || field == "Triangles";
                of_client && lacks_client(data, index as u32)
            })
            .cut(data.cubes.is_torn())
            .detailed(move |index| cube(index).map_or_else(Vec::new, |(cube, _)| face_parts(cube)));
        let lightmaps = Parts::numbered("lightmap", at.lightmaps().len());
        let lightmaps = lightmaps
            .items(move |index| Some(at.lightmap_item(index)))
            .data("luxels", move |index, bytes| {
                let lightmap = at.lightmaps().get(index);
                bytes.extend(lightmap.iter().flat_map(|lightmap| &lightmap.luxels));
            })
            .cut(at.client().is_none());
        let has_server = at.server().is_some();
        let server = at.server().map_or(0, |server| server.regions.len());
        let server = Parts::numbered("server region", server);
        let mut parts = vec![
            cubes.unordered(),
            lightmaps,
            server
                .items(move |index| Some(at.server_region_item(index)))
                .cut(!has_server),
            self.entity_parts_of(at.owner()).or_cut(!has_server),
        ];
        parts.extend(Environment::ALL.map(|of| {
            let what = match of {
                Environment::Weather => "weather region",
                Environment::Gravity => "gravity region",
                Environment::Sound => "sound region",
                Environment::Sky => "sky region",
            };
            let regions = Parts::numbered(what, of.regions(data).len());
            let is_of_client = matches!(of, Environment::Sound | Environment::Sky);
            regions
                .items(move |index| Some(at.region_item(of, index)))
                .cut(is_of_client && at.client().is_none())
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
        let is_cut =
            list.is_some_and(|list| list.entities.is_torn() || list.entities.opaque().is_some());
        let entities = entities.items(move |index| entity(index).map(|at| at.item()));
        entities.cut(is_cut)
    }
}

impl ChunkAt<'_> {
    /// Whether a section of it was not read, without which nothing can be said of its cubes: where they
    /// are in their tree, and what lights them.
    fn lacks_section(self) -> bool {
        let has_all = self.client().is_some() && self.server().is_some();
        !self.chunk.is_whole() && !has_all
    }
}

/// Whether the client section of a level is in the file and cannot be read to its end.
fn is_client_torn(level: &pmf::Level) -> bool {
    match &level.client {
        Some(client) => client.is_torn,
        None => !level.frames[1].is_empty() || is_head_cut(level),
    }
}

/// Whether the file ends in the head of a level, before it says where its sections are.
fn is_head_cut(level: &pmf::Level) -> bool {
    level.frames[0].is_empty()
}

/// Whether a field of a level says what could not be read.
fn is_unknown_of_level(level: &pmf::Level, field: &str) -> bool {
    match field {
        _ if is_head_cut(level) => true,
        "Air physics material" | "Weather" | "Gravity" => level.common.is_torn,
        "Sound" | "Sky" => is_client_torn(level),
        // Each number is one below the count.
        "Chunks" | "Chunk size" | "Center chunk" => level.grid.contains(&0),
        _ => false,
    }
}

/// Whether the client section should say something of a box and does not.
fn lacks_client(data: &ChunkData, cube: u32) -> bool {
    let is_box = data.cubes.kind(cube) == Some(CubeKind::Geometry);
    let is_read = data.cubes.record(Side::Client, cube).is_some();
    data.is_damaged && is_box && !is_read
}

/// The faces of a cube, and their vertices.
fn face_parts(cube: CubeAt<'_>) -> Vec<Parts<'_>> {
    let Some(geometry) = cube.geometry() else {
        return Vec::new();
    };
    let Some(client) = cube.data.client.as_ref() else {
        return vec![Parts::numbered("face", 0).cut(true)];
    };
    if lacks_client(cube.data, cube.cube) {
        return vec![Parts::numbered("face", 0).cut(true)];
    }
    // Also those that are not drawn since something of them is wrong.
    let faces: Vec<FaceAt<'_>> = geometry
        .all_faces()
        .map(|face| FaceAt { client, face })
        .collect();
    let sides: Vec<usize> = faces.iter().map(|at| at.face.side).collect();
    let (glances, inner, counts) = (faces.clone(), faces.clone(), faces);
    let list = Parts::named("face", sides.len(), move |index| {
        let side = sides.get(index).and_then(|side| SIDES.get(*side));
        (*side.unwrap_or(&"")).to_owned()
    });
    let list = list
        .owns(move |index| {
            let count = counts.get(index).map(|at| at.face.vertices.len());
            let count = count.map(|count| OwnLine::new("Face", "Vertices", count));
            count.into_iter().collect()
        })
        .glance(move |index, bytes| {
            if let Some(at) = glances.get(index) {
                (0..at.face.vertices.len()).for_each(|vertex| at.push_vertex(vertex, bytes));
            }
        })
        .made_of(move |index| {
            inner
                .get(index)
                .cloned()
                .map_or_else(Vec::new, FaceAt::parts)
        });
    vec![list]
}

/// A face of a cube, with the vertices of its chunk.
#[derive(Clone)]
struct FaceAt<'a> {
    client: &'a ChunkClient,
    face: Face,
}

impl<'a> FaceAt<'a> {
    fn parts(self) -> Vec<Parts<'a>> {
        let other = self.clone();
        let vertices = Parts::numbered("vertex", self.face.vertices.len());
        let vertices = vertices
            .owns(move |vertex| self.own_vertex(vertex))
            .glance(move |vertex, bytes| other.push_vertex(vertex, bytes));
        vec![vertices]
    }

    fn vertex(&self, number: usize) -> Option<&'a Vertex> {
        let index = self.face.vertices.clone().nth(number)?;
        self.client.vertices.get(index as usize)
    }

    fn normal(&self, number: usize) -> Option<&'a [f32; 3]> {
        let first = self.face.first_normal?;
        self.client.normals.get(first as usize + number)
    }

    /// What the file says of a vertex.
    fn own_vertex(&self, number: usize) -> Vec<OwnLine> {
        let Some(vertex) = self.vertex(number) else {
            return Vec::new();
        };
        let own = |name, numbers: &[f32]| {
            let numbers: Vec<_> = numbers
                .iter()
                .map(|number| crate::numbers::number(*number))
                .collect();
            OwnLine::new("Vertex", name, numbers)
        };
        let mut lines = vec![
            own("Position in the chunk", &vertex.position),
            own("Texture", &vertex.uv),
            own("Lightmap", &vertex.lightmap_uv),
        ];
        lines.extend(self.normal(number).map(|normal| own("Normal", normal)));
        lines
    }

    fn push_vertex(&self, number: usize, bytes: &mut Vec<u8>) {
        let Some(vertex) = self.vertex(number) else {
            return;
        };
        let normal = self.normal(number).map_or(&[][..], |normal| &normal[..]);
        let numbers = [
            &vertex.position[..],
            &vertex.uv,
            &vertex.lightmap_uv,
            normal,
        ];
        let numbers = numbers.into_iter().flatten();
        bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
    }
}
