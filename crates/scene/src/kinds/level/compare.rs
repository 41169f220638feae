//! The parts of a map, for comparison with another map.

use super::document::as_level_item;
use crate::Compare;
use std::rc::Rc;

use super::Map;
use super::fields::LevelAt;
use super::fields::environment::Environment;
use super::items::{ChunkAt, CubeAt};
use super::lights::LightKind;
use crate::document::parts::{Content, Parts};
use crate::{Item, LevelItem, OwnLine, Owner};
use mapscope_formats::pmf::{ChunkClient, CubeKind, Face, SIDES, StringRef, StringTable, Vertex};

impl Map {
    /// Returns all parts of the file: the header, the archive, extensions, levels with their
    /// chunks, and entities.
    pub(super) fn all_parts(&self) -> Vec<Parts<'_>> {
        let archive = self.pmf.archive.as_ref();
        let files = archive.map_or(0, |archive| archive.entries().len());
        let path = move |index: usize| {
            let entry = archive.and_then(|archive| Some((archive, archive.entries().get(index)?)));
            entry.map_or_else(String::new, |(archive, entry)| archive.path(entry))
        };
        vec![
            Parts::one("map", LevelItem::Map),
            Parts::named("archive file", files, path)
                .items(|index| Some(LevelItem::archive_file(index))),
            Parts::records("extension", &self.pmf.extensions, |it| it.name.clone()).items(
                |index| {
                    let index = index as u32;
                    Some(LevelItem::Extension { index })
                },
            ),
            // Levels have no names, so they are matched by content.
            Parts::list("level", self.pmf.levels.len())
                .keys(|_| String::new())
                .items(|level| Some(LevelItem::level(level)))
                .with_children(|level| {
                    let at = self.level_at(level);
                    at.map_or_else(Vec::new, |at| self.level_parts(at))
                }),
            self.entity_parts_of(Owner::Map),
        ]
    }

    fn level_parts<'a>(&'a self, at: LevelAt<'a>) -> Vec<Parts<'a>> {
        let number = at.number as u32;
        let common = &at.source.common;
        let materials = common.materials.iter().map(|it| it.name).collect();
        let physics = common.physics_materials.iter().map(|it| it.name).collect();
        let mut parts = vec![
            of_names("material", &common.strings, materials)
                .items(move |index| Some(LevelItem::material(at.number, index)))
                .referenced_by_index(),
            of_names("physics material", &common.strings, physics)
                .items(move |index| Some(LevelItem::physics_material(at.number, index))),
            Parts::list("sound material", common.sound_materials.len()).items(move |index| {
                let (level, index) = (number, index as u32);
                Some(LevelItem::SoundMaterial { level, index })
            }),
        ];
        parts.extend(Environment::ALL.into_iter().filter_map(|of| {
            let (strings, names, _) = of.names(at.source)?;
            let environments = of_names(of.item(at.number, 0).kind(), strings, names);
            Some(environments.items(move |index| Some(of.item(at.number, index))))
        }));
        parts.push(self.entity_parts_of(Owner::level(at.number)));
        parts.extend(LightKind::ALL.map(|kind| self.light_parts(at.number, kind)));
        parts.push(self.chunk_list(at));
        parts
    }

    fn light_parts(&self, level: usize, kind: LightKind) -> Parts<'_> {
        let lights = self
            .light_list(level)
            .into_iter()
            .filter_map(|light| match light.item {
                Item::Level(item) => Some((LightKind::of_item(item)?, item)),
                _ => None,
            });
        let of_kind = lights.filter(|((of, ..), _)| *of == kind);
        let (ids, items): (Vec<String>, Vec<LevelItem>) = of_kind
            .map(|((.., id), item)| (id.to_string(), item))
            .unzip();
        let name = move |index: usize| ids.get(index).cloned().unwrap_or_default();
        Parts::named(kind.item(level, 0).kind(), items.len(), name)
            .items(move |index| items.get(index).copied())
    }

    fn chunk_list<'a>(&'a self, level: LevelAt<'a>) -> Parts<'a> {
        let chunk = move |index: usize| self.chunk_at(level.number as u32, index as u32);
        let chunks = Parts::named("chunk", level.source.chunks.len(), move |index| {
            chunk(index).map_or_else(String::new, |at| at.chunk.index.to_string())
        })
        .items(move |index| Some(LevelItem::chunk(level.number, index)))
        .with_children(move |index| chunk(index).map_or_else(Vec::new, |at| self.chunk_parts(at)));
        if self.bytes.is_empty() {
            return chunks;
        }
        // Equal packed bytes have equal contents.
        chunks.contents(move |run, content| {
            for frame in run.filter_map(chunk).flat_map(|at| &at.chunk.frames) {
                let start = frame.start as usize;
                let packed = self.bytes.get(start..start + frame.packed as usize);
                content.bytes(&frame.unpacked.to_le_bytes());
                content.bytes(packed.unwrap_or_default());
            }
        })
    }

    fn chunk_parts<'a>(&'a self, at: ChunkAt<'a>) -> Vec<Parts<'a>> {
        let Some(data) = at.data() else {
            return Vec::new();
        };
        let cube = move |index: usize| self.cube_at(at.cube_item(index as u32));
        let cubes = Parts::list("cube", data.cubes.len())
            .keys(move |index| cube(index).map_or_else(String::new, |(cube, _)| cube.key()))
            .ordered(false)
            .items(move |index| Some(at.cube_item(index as u32)))
            .detailed(move |index| cube(index).map_or_else(Vec::new, |(cube, _)| face_parts(cube)));
        let lightmaps = Parts::list("lightmap", at.lightmaps().len())
            .items(move |index| Some(at.lightmap_item(index)))
            .contents(move |run, content| {
                let lightmaps = at.lightmaps().get(run).into_iter().flatten();
                lightmaps.for_each(|lightmap| content.bytes(&lightmap.luxels));
            });
        let server = at.server().map_or(0, |server| server.regions.len());
        let server = Parts::list("server region", server)
            .items(move |index| Some(at.server_region_item(index)));
        let mut parts = vec![cubes, lightmaps, server, self.entity_parts_of(at.owner())];
        parts.extend(Environment::ALL.map(|of| {
            let what = match of {
                Environment::Weather => "weather region",
                Environment::Gravity => "gravity region",
                Environment::Sound => "sound region",
                Environment::Sky => "sky region",
            };
            Parts::list(what, of.regions(data).len())
                .items(move |index| Some(at.region_item(of, index)))
        }));
        parts
    }

    fn entity_parts_of(&self, owner: Owner) -> Parts<'_> {
        let list = self.entity_list(owner);
        let count = list.map_or(0, |list| list.entities.len());
        let entity = move |index: usize| list.and_then(|list| list.get(index as u32));
        Parts::named("entity", count, move |index| {
            entity(index).map_or_else(|| index.to_string(), |at| at.title())
        })
        .items(move |index| entity(index).map(|at| at.item()))
    }
}

/// Creates a list of parts whose names are in a string table.
fn of_names<'a>(what: &'static str, strings: &'a StringTable, names: Vec<StringRef>) -> Parts<'a> {
    Parts::named(what, names.len(), move |index| {
        let name = names.get(index);
        name.map_or_else(String::new, |name| strings.told(*name).into_owned())
    })
}

impl CubeAt<'_> {
    /// Returns the key of a cube among those of its chunk, independent of its record's position:
    /// the corners that lead to it from the root, and its type if it wraps another cube. Wrappers
    /// do not change the key of the wrapped cube.
    fn key(&self) -> String {
        let Some(place) = self.place() else {
            return "unreached".to_owned();
        };
        let corners = place
            .above
            .iter()
            .filter_map(|(_, corner)| *corner)
            .map(|corner| corner.to_string());
        let kind = self.data.cubes.kind(self.cube);
        let class = match kind {
            None | Some(CubeKind::Empty | CubeKind::Parent | CubeKind::Geometry) => "content",
            Some(wrapper) => wrapper.name(),
        };
        format!("{} {class}", corners.collect::<Vec<_>>().join("/"))
    }
}

/// Returns the faces of a cube, with their vertices.
fn face_parts(cube: CubeAt<'_>) -> Vec<Parts<'_>> {
    let Some((geometry, client)) = cube.geometry().zip(cube.data.client.as_ref()) else {
        return Vec::new();
    };
    // Includes invalid faces, which are not drawn.
    let faces: Rc<[FaceAt<'_>]> = geometry
        .all_faces()
        .map(|face| FaceAt { client, face })
        .collect();
    let count = faces.len();
    let face = move |index: usize| faces.get(index).cloned();
    let [name, own, contents] = [(); 3].map(|()| face.clone());
    let list = Parts::named("face", count, move |index| {
        let side = name(index).and_then(|at| SIDES.get(at.face.side));
        (*side.unwrap_or(&"")).to_owned()
    })
    .owns(move |index| {
        let count = own(index).map(|at| at.face.vertices.len());
        let count = count.map(|count| OwnLine::new("Face", "Vertices", count));
        count.into_iter().collect()
    })
    .contents(move |run, content| {
        for at in run.filter_map(&contents) {
            (0..at.face.vertices.len()).for_each(|vertex| at.add_vertex(vertex, content));
        }
    })
    .with_children(move |index| face(index).map(FaceAt::vertices).into_iter().collect());
    vec![list]
}

/// A face of a cube, with the vertices of its chunk.
#[derive(Clone)]
struct FaceAt<'a> {
    client: &'a ChunkClient,
    face: Face,
}

impl<'a> FaceAt<'a> {
    fn vertices(self) -> Parts<'a> {
        let other = self.clone();
        Parts::list("vertex", self.face.vertices.len())
            .owns(move |vertex| self.own_vertex(vertex))
            .contents(move |run, content| {
                run.for_each(|vertex| other.add_vertex(vertex, content));
            })
    }

    fn vertex(&self, number: usize) -> Option<&'a Vertex> {
        let index = self.face.vertices.clone().nth(number)?;
        self.client.vertices.get(index as usize)
    }

    fn normal(&self, number: usize) -> Option<&'a [f32; 3]> {
        let first = self.face.first_normal?;
        self.client.normals.get(first as usize + number)
    }

    /// Returns the values that the file stores for a vertex.
    fn own_vertex(&self, number: usize) -> Vec<OwnLine> {
        let Some(vertex) = self.vertex(number) else {
            return Vec::new();
        };
        let own = |name, numbers: &[f32]| {
            let numbers: Vec<_> = numbers
                .iter()
                .map(|number| crate::describe::numbers::number(*number))
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

    fn add_vertex(&self, number: usize, content: &mut Content<'_>) {
        if let Some(vertex) = self.vertex(number) {
            content.numbers(&vertex.position);
            content.numbers(&vertex.uv);
            content.numbers(&vertex.lightmap_uv);
        }
        if let Some(normal) = self.normal(number) {
            content.numbers(normal);
        }
    }
}

impl Compare for Map {
    fn parts(&self) -> Vec<Parts<'_>> {
        self.all_parts()
    }

    fn own(&self, item: Item) -> Vec<OwnLine> {
        let described = as_level_item(item).and_then(|item| self.described(item));
        described.map_or_else(Vec::new, |described| described.own())
    }
}
