//! What `info` says of a map, for programs.

use glam::Vec3;
use serde_json::{Map as JsonMap, Value, json};

use super::Map;
use super::environments::Environment;
use super::items::ChunkAt;
use super::place::Place;
use super::properties::hex;
use crate::numbers::number;
use crate::{Aabb, InfoQuery};
use mapscope_formats::pmf::archive::Archive;
use mapscope_formats::pmf::{
    Chunk, ChunkData, ChunkIndex, Cube, CubeKind, Extension, Geometry, Level, Side, StringRef,
    StringTable,
};

impl Map {
    /// The keys of `info --json` that are this format's own (contract, "info --json").
    pub(super) fn information(&self, query: &InfoQuery) -> JsonMap<String, Value> {
        let pmf = &self.pmf;
        let header = &pmf.header;
        let archive = pmf.archive.as_ref();
        let extensions: Vec<Value> = pmf.extensions.iter().map(extension).collect();
        let levels: Vec<Value> = pmf.levels.iter().map(level).collect();
        let mut info = JsonMap::new();
        let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
        put(
            "header",
            json!({
                "name": header.name,
                "description": header.description,
                "authors": header.authors,
                "compiler": header.compiler,
                "time": header.created_unix_secs,
                "gamemodes": header.gamemodes,
            }),
        );
        put(
            "archive",
            archive.map_or_else(Vec::new, Archive::file_paths).into(),
        );
        put("extensions", extensions.into());
        put("entities", pmf.entities.len().into());
        put("levels", levels.into());
        if let Some(cube) = query.cube {
            put("cube", self.cube_info(cube).unwrap_or(Value::Null));
        }
        info
    }

    /// What is known of a cube; none where there is no such cube.
    fn cube_info(&self, [level, y, x, z, index]: [u32; 5]) -> Option<Value> {
        let level_number = level as usize;
        let level = self.pmf.levels.get(level_number)?;
        let place = ChunkIndex::new([y, x, z]);
        // What has no room in an index is in no grid.
        if place.yxz() != [y, x, z] {
            return None;
        }
        let number = level.chunk_number(place)?;
        let chunk = level.chunks.get(number)?;
        let data = chunk.data.as_deref()?;
        let cubes = &data.cubes;
        let cube = cubes.get(index)?;
        let kind = cubes.kind(index)?;
        let place = Place::find(cubes, index, level.chunk_side() * 0.5);
        let center = Vec3::from(level.chunk_center(chunk.index));
        let at = |of: &dyn Fn(&Place) -> Value| place.as_ref().map_or(Value::Null, of);
        let mut info = json!({
            "type": kind.name(),
            "depth": at(&|place| place.cell.depth.into()),
            "parents": at(&|place| place.parents().collect()),
            "wrappers": at(&|place| place.wrappers(cubes).map(|(cube, kind)| {
                json!({"index": cube, "type": kind.name()})
            }).collect()),
            "cell": at(&|place| corners(place.cell_in_world(center))),
            "bounds": at(&|place| corners(place.bounds_in_world(cubes, center))),
            "materials": [],
            "faces": 0,
            "triangles": [0, 0, 0, 0, 0, 0],
            "lightmaps": [],
        });
        if let (Cube::Geometry(geometry), Some(info)) = (cube, info.as_object_mut()) {
            let name = |index: &u8| data.materials.get(usize::from(*index)).copied();
            let materials = listed(&geometry.materials, geometry.is_common_extended());
            let materials: Vec<Value> = materials
                .iter()
                .map(|index| name(index).map_or(Value::Null, |name| text(&data.strings, name)))
                .collect();
            let lightmaps = match data.client {
                Some(_) => listed(&geometry.lightmaps, geometry.is_client_extended()),
                None => &[],
            };
            let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
            put("materials", materials.into());
            put("faces", geometry.side_mask().into());
            put("triangles", geometry.triangles.to_vec().into());
            put("lightmaps", lightmaps.to_vec().into());
            put("backfaces", geometry.draws_backfaces().into());
        }
        if let Some(info) = info.as_object_mut() {
            let at = ChunkAt {
                level_number,
                level,
                number,
                chunk,
            };
            info.insert(
                "bytes".to_owned(),
                self.record_bytes(&at, data, index).into(),
            );
        }
        Some(info)
    }

    /// The bytes of a cube in each section: where they stand in what the section decodes to, and
    /// what they are, in hexadecimal.
    fn record_bytes(
        &self,
        at: &ChunkAt<'_>,
        data: &ChunkData,
        cube: u32,
    ) -> JsonMap<String, Value> {
        let records = Side::ALL.into_iter().filter_map(|side| {
            let range = match side {
                Side::Common => data.cubes.common_record(cube),
                Side::Client => data.cubes.client_record(cube),
                Side::Server => data.cubes.server_record(cube),
            };
            let range = range.filter(|range| !range.is_empty())?;
            let bytes = self.section_bytes(at, side, &range)?;
            let record = json!({"offset": range.start, "hex": hex(&bytes, usize::MAX)});
            Some((side.to_string(), record))
        });
        records.collect()
    }
}

/// What a file lists of the sides of a box: one for all, or each if the data is extended.
fn listed(sides: &[u8; 6], is_extended: bool) -> &[u8] {
    if is_extended { sides } else { &sides[..1] }
}

fn text(strings: &StringTable, name: StringRef) -> Value {
    strings.brief(name).into()
}

/// The least and the greatest corner.
fn corners(aabb: Aabb) -> Value {
    json!([aabb.min, aabb.max].map(|corner| corner.to_array().map(number)))
}

fn extension(extension: &Extension) -> Value {
    let has = |flag: u8| extension.flags & flag != 0;
    json!({
        "name": extension.name,
        "required": has(Extension::SUPPORT_REQUIRED),
        "crc": has(Extension::USE_IN_CRC),
        "bytes": extension.data.len(),
    })
}

fn level(level: &Level) -> Value {
    let common = &level.common;
    let materials = common.materials.iter();
    let materials: Vec<Value> = materials
        .map(|material| text(&common.strings, material.name))
        .collect();
    let server = level.server.as_ref();
    json!({
        "materials": materials,
        "grid": level.grid,
        "chunk_size": number(level.chunk_side()),
        "center": level.center.yxz(),
        "entities": server.map_or(0, |server| server.entities.len()),
        "environments": environments(level),
        "chunks": level.chunks.iter().map(chunk).collect::<Vec<_>>(),
    })
}

/// The names of the environments of each kind, and which is the default.
fn environments(level: &Level) -> JsonMap<String, Value> {
    let kinds = Environment::ALL.into_iter().filter_map(|of| {
        let (strings, names, default) = of.names(level)?;
        let names: Vec<Value> = names.iter().map(|name| text(strings, *name)).collect();
        let of_kind = json!({"names": names, "default": text(strings, default)});
        Some((of.name().to_lowercase(), of_kind))
    });
    kinds.collect()
}

/// The regions of a chunk: of environments their names, of the server how many chunks each keeps
/// active.
fn regions(data: &ChunkData) -> JsonMap<String, Value> {
    let mut regions = JsonMap::new();
    for of in Environment::ALL {
        let names = of.regions(data).iter();
        let names: Vec<Value> = names
            .map(|region| text(&data.strings, region.environment))
            .collect();
        regions.insert(of.name().to_lowercase(), names.into());
    }
    let server = data.server.iter().flat_map(|server| &server.regions);
    let server: Vec<Value> = server.map(|region| region.chunks.len().into()).collect();
    regions.insert("server".to_owned(), server.into());
    regions
}

fn chunk(chunk: &Chunk) -> Value {
    let mut by_type = [0_u64; CubeKind::ALL.len()];
    let mut triangles = 0_u64;
    let data = chunk.data.as_deref();
    let cubes = data.into_iter().flat_map(|data| data.cubes.iter());
    for (index, cube) in cubes {
        let Some(cubes) = data.map(|data| &data.cubes) else {
            continue;
        };
        if let Some(count) = cubes
            .kind(index)
            .and_then(|kind| by_type.get_mut(kind as usize))
        {
            *count += 1;
        }
        if let Cube::Geometry(geometry) = cube
            && cubes.is_reached(index)
        {
            triangles += triangle_count(geometry);
        }
    }
    let kinds = CubeKind::ALL.iter().zip(by_type);
    let by_type: JsonMap<String, Value> = kinds
        .map(|(kind, count)| (kind.name().to_owned(), count.into()))
        .collect();
    let client = data.and_then(|data| data.client.as_ref());
    let server = data.and_then(|data| data.server.as_ref());
    let lightmaps: Vec<Value> = client
        .iter()
        .flat_map(|client| &client.lightmaps)
        .map(|map| json!({"side": map.side(), "crc32": crc32fast::hash(&map.luxels)}))
        .collect();
    json!({
        "index": chunk.index.yxz(),
        "cubes": data.map_or(0, |data| data.cubes.len()),
        "by_type": by_type,
        "triangles": triangles,
        "vertices": client.map_or(0, |client| client.vertices.len()),
        "normals": client.map_or(0, |client| client.normals.len()),
        "lightmaps": lightmaps,
        "regions": data.map(regions),
        "entities": server.map_or(0, |server| server.entities.len()),
        "readable": data.is_some(),
    })
}

/// The triangles of a box that are drawn; a quad has two.
fn triangle_count(geometry: &Geometry) -> u64 {
    geometry.faces().map(|face| u64::from(face.triangles)).sum()
}
