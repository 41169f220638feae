//! Reading the three sections of a chunk (fact sheet A7 to A9).

use super::bytes::{ChunkIndex, Cursor, StringRef, StringTable};
use super::chunk::{
    ChunkClient, ChunkData, ChunkServer, ClientDynamicLight, ClientFastLight, DynamicLight,
    EnvironmentRegion, FastLight, LightLayer, Lightmap, ServerRegion, Vertex,
};
use super::cube::{Corners, CubeKind};
use super::entities::Entities;
use super::level::{LevelNames, read_name, warn_of_bits, warn_of_numbers};
use super::read_cubes::CubeAllowance;
use super::rules;
use crate::{Problems, ReadError, Rule, outside};

/// The largest lightmap has 2 to the power of this luxels on each side.
const LARGEST_LIGHTMAP: u8 = 15;

const REGION_BYTES: usize = 100;
const VERTEX_BYTES: usize = 28;
const NORMAL_BYTES: usize = 12;

/// What chunks of a level have in common.
pub(super) struct Surroundings<'a> {
    /// What the level has names for.
    pub names: LevelNames<'a>,
    /// How many chunks the grid has along Y, X and Z.
    pub grid: [u32; 3],
    /// How many cubes the file may still have.
    pub cubes: &'a CubeAllowance,
}

/// Says whether a grid has a chunk.
pub(super) fn is_inside(grid: [u32; 3], chunk: ChunkIndex) -> bool {
    chunk.yxz().iter().zip(grid).all(|(at, count)| *at < count)
}

/// Reads a chunk of up to three sections: common, client and server.
///
/// # Errors
/// Something that keeps the chunk from being shown.
pub(super) fn read_chunk(
    mut common: Cursor<'_>,
    client: Option<Cursor<'_>>,
    server: Option<Cursor<'_>>,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Result<ChunkData, ReadError> {
    let mut reader = ChunkReader {
        around,
        problems,
        data: ChunkData::default(),
        suspects: Vec::new(),
    };
    reader.read_common(&mut common)?;
    let has_sections = (client.is_some(), server.is_some());
    let client_cursor = client.clone();
    let server_cursor = server.clone();
    if let Some(mut client) = client {
        let data = reader.read_client(&mut client)?;
        reader.data.client = Some(data);
    }
    if let Some(mut server) = server {
        let data = reader.read_server(&mut server)?;
        reader.data.server = Some(data);
    }
    if let Err(bad) = reader.data.cubes.link() {
        return Err(reader.bad_child(&bad, common, client_cursor, server_cursor));
    }
    if let Some(client) = client_cursor {
        reader.check_suspects(&common, &client)?;
    }
    reader.check_tree(&mut common, has_sections);
    Ok(reader.data)
}

/// Warns of bytes behind what has been read.
pub(super) fn warn_of_leftover(cursor: &mut Cursor<'_>, problems: &mut Problems) {
    let left = cursor.left();
    if left > 0 {
        cursor.enter("end", None);
        cursor.warn(problems, &rules::TRAILING_DATA, cursor.pos(), || {
            format!("{left} bytes are left over")
        });
    }
}

/// A chunk while it is read.
pub(super) struct ChunkReader<'a, 'p> {
    pub around: &'a Surroundings<'a>,
    pub problems: &'p mut Problems,
    pub data: ChunkData,
    /// Boxes that cannot be drawn. Those that are not reached are not drawn anyway.
    pub suspects: Vec<u32>,
}

impl ChunkReader<'_, '_> {
    fn read_common(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let around = self.around;
        let names = &around.names;
        let strings = cursor.string_table()?;

        cursor.enter("material list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, 4, "materials")?;
        for i in 0..count {
            cursor.enter("used material", i);
            let known = &names.materials;
            let name = read_name(cursor, self.problems, &strings, "material", known)?;
            self.data.materials.push(name);
        }
        cursor.enter("physics material list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, 4, "physics materials")?;
        for i in 0..count {
            cursor.enter("used physics material", i);
            let known = &names.physics_materials;
            let name = read_name(cursor, self.problems, &strings, "physics material", known)?;
            self.data.physics_materials.push(name);
        }
        cursor.enter("sound material list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, 4, "sound materials")?;
        for i in 0..count {
            cursor.enter("used sound material", i);
            self.data.sound_materials.push(cursor.string(&strings)?);
        }

        cursor.enter("weather region list", None);
        let find = |cursor: &mut Cursor<'_>, problems: &mut Problems| {
            read_name(
                cursor,
                problems,
                &strings,
                "weather environment",
                &names.weathers,
            )
        };
        self.data.weather_regions = self.read_regions(cursor, "weather region", find)?;
        cursor.enter("gravity region list", None);
        let find = |cursor: &mut Cursor<'_>, problems: &mut Problems| {
            read_name(
                cursor,
                problems,
                &strings,
                "gravity environment",
                &names.gravities,
            )
        };
        self.data.gravity_regions = self.read_regions(cursor, "gravity region", find)?;

        const LIGHT_FLAGS: u8 = DynamicLight::ENABLED | DynamicLight::PRESERVE;
        cursor.enter("dynamic light list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, 5, "dynamic lights")?;
        for i in 0..count {
            cursor.enter("dynamic light", i);
            let at = cursor.pos();
            let flags = cursor.u8()?;
            warn_of_bits(cursor, self.problems, at, flags, LIGHT_FLAGS);
            let id = cursor.u32()?;
            self.data.dynamic_lights.push(DynamicLight { flags, id });
        }
        cursor.enter("fast light list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, 6, "fast lights")?;
        for i in 0..count {
            cursor.enter("fast light", i);
            let at = cursor.pos();
            let flags = cursor.u8()?;
            warn_of_bits(cursor, self.problems, at, flags, LIGHT_FLAGS);
            self.data.fast_lights.push(FastLight {
                flags,
                intensity: cursor.u8()?,
                id: cursor.u32()?,
            });
        }
        self.data.strings = strings;

        self.read_cubes(cursor)?;
        warn_of_leftover(cursor, self.problems);
        Ok(())
    }

    fn read_regions(
        &mut self,
        cursor: &mut Cursor<'_>,
        record: &'static str,
        mut find: impl FnMut(&mut Cursor<'_>, &mut Problems) -> Result<StringRef, ReadError>,
    ) -> Result<Vec<EnvironmentRegion>, ReadError> {
        let count = cursor.u8()?;
        let count = cursor.count(count, REGION_BYTES, "regions")?;
        let mut regions = Vec::with_capacity(count);
        for i in 0..count {
            cursor.enter(record, i);
            let corners = self.read_corners(cursor)?;
            let environment = find(cursor, self.problems)?;
            regions.extend(corners.map(|corners| EnvironmentRegion {
                corners,
                environment,
            }));
        }
        Ok(regions)
    }

    /// Reads the corners of a box; none if they are not finite.
    pub(super) fn read_corners(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<Corners>, ReadError> {
        let at = cursor.pos();
        let numbers: [f32; 24] = cursor.floats()?;
        if numbers.iter().all(|number| number.is_finite()) {
            let (corners, _) = numbers.as_chunks::<3>();
            Ok(corners.first_chunk().copied())
        } else {
            cursor.warn(self.problems, &rules::NOT_FINITE_GEOMETRY, at, || {
                "a corner is not finite; the box is left out".to_owned()
            });
            Ok(None)
        }
    }

    fn read_client(&mut self, cursor: &mut Cursor<'_>) -> Result<ChunkClient, ReadError> {
        let around = self.around;
        let strings = std::mem::take(&mut self.data.strings);
        let mut client = ChunkClient::default();
        cursor.enter("sound region list", None);
        let find = |cursor: &mut Cursor<'_>, problems: &mut Problems| {
            let known = &around.names.sounds;
            read_name(cursor, problems, &strings, "sound environment", known)
        };
        client.sound_regions = self.read_regions(cursor, "sound region", find)?;
        cursor.enter("sky region list", None);
        let find = |cursor: &mut Cursor<'_>, problems: &mut Problems| {
            let known = &around.names.skies;
            read_name(cursor, problems, &strings, "sky environment", known)
        };
        client.sky_regions = self.read_regions(cursor, "sky region", find)?;
        self.data.strings = strings;

        cursor.enter("lightmap list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, 4, "lightmaps")?;
        for i in 0..count {
            cursor.enter("lightmap", i);
            let at = cursor.pos();
            let exponent = cursor.u8()?;
            if exponent > LARGEST_LIGHTMAP {
                let found = format!("2^{exponent} luxels on each side");
                return Err(cursor.fault(&rules::LIGHTMAP_SIZE, at, found, "at most 2^15"));
            }
            let luxels = cursor.bytes(3 << (2 * exponent))?.to_vec();
            client.lightmaps.push(Lightmap { exponent, luxels });
        }

        cursor.enter("vertex list", None);
        let count = cursor.u32()?;
        let count = cursor.count(count, VERTEX_BYTES, "vertices")?;
        let bytes = cursor.bytes(VERTEX_BYTES * count)?;
        client.vertices = bytes.as_chunks().0.iter().map(vertex).collect();
        cursor.enter("normal list", None);
        let count = cursor.u32()?;
        let count = cursor.count(count, NORMAL_BYTES, "normals")?;
        let at = cursor.pos();
        let bytes = cursor.bytes(NORMAL_BYTES * count)?;
        client.normals = bytes
            .as_chunks::<NORMAL_BYTES>()
            .0
            .iter()
            .map(numbers)
            .collect();
        let is_bad = |normal: &[f32; 3]| !normal.iter().all(|number| number.is_finite());
        if let Some(bad) = client.normals.iter().position(is_bad) {
            cursor.enter("normal", bad);
            warn_of_numbers(
                cursor,
                self.problems,
                at + NORMAL_BYTES * bad,
                &client.normals.get(bad).copied().unwrap_or_default(),
            );
        }

        for i in 0..self.data.dynamic_lights.len() {
            cursor.enter("client dynamic light", i);
            let light = read_dynamic_light(cursor, &client.lightmaps)?;
            client.dynamic_lights.push(light);
        }
        for i in 0..self.data.fast_lights.len() {
            cursor.enter("client fast light", i);
            let light = read_fast_light(cursor, client.vertices.len() as u64)?;
            client.fast_lights.push(light);
        }
        self.read_client_cubes(cursor, &client)?;
        warn_of_leftover(cursor, self.problems);
        Ok(client)
    }

    fn read_server(&mut self, cursor: &mut Cursor<'_>) -> Result<ChunkServer, ReadError> {
        const SERVER_REGION_BYTES: usize = 28;
        let strings = cursor.string_table()?;
        cursor.enter("region list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, SERVER_REGION_BYTES, "regions")?;
        let mut regions = Vec::with_capacity(count);
        for i in 0..count {
            cursor.enter("region", i);
            regions.extend(self.read_server_region(cursor)?);
        }
        for cube in 0..self.data.cubes.len() as u32 {
            if self.data.cubes.kind(cube) == Some(CubeKind::PathInfo) {
                cursor.enter("cube", cube as usize);
                self.read_path_info(cube, &strings, cursor)?;
            }
        }
        let entities = read_entities(cursor, &strings, self.problems, &rules::ENTITIES);
        Ok(ChunkServer {
            strings,
            regions,
            entities,
        })
    }

    fn read_server_region(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<ServerRegion>, ReadError> {
        let at = cursor.pos();
        let max: [f32; 3] = cursor.floats()?;
        let min: [f32; 3] = cursor.floats()?;
        let count = cursor.u32()?;
        let count = cursor.count(count, 4, "chunks")?;
        let first = cursor.pos();
        let chunks: Vec<_> = indices(cursor.bytes(4 * count)?).map(ChunkIndex).collect();
        for (i, chunk) in chunks.iter().enumerate() {
            if !is_inside(self.around.grid, *chunk) {
                warn_of_chunk(cursor, self.problems, first + 4 * i, *chunk);
            }
        }
        if !max.iter().chain(&min).all(|number| number.is_finite()) {
            cursor.warn(self.problems, &rules::NOT_FINITE_GEOMETRY, at, || {
                "a corner is not finite; the region is left out".to_owned()
            });
            return Ok(None);
        }
        if max.iter().zip(&min).any(|(max, min)| max < min) {
            cursor.warn(self.problems, &rules::REGION_CORNERS, at, || {
                format!("its max corner {max:?} is below its min corner {min:?}")
            });
        }
        Ok(Some(ServerRegion { max, min, chunks }))
    }
}

/// Reads entities to the end of a section. Where they cannot be read there are none, which is a
/// problem of this kind, and what stands before them counts all the same.
pub(super) fn read_entities(
    cursor: &mut Cursor<'_>,
    strings: &StringTable,
    problems: &mut Problems,
    unreadable: &'static Rule,
) -> Entities {
    match Entities::read(cursor, strings, problems) {
        Ok(entities) => {
            warn_of_leftover(cursor, problems);
            entities
        }
        Err(error) => {
            problems.add_error_as(unreadable, error);
            Entities::default()
        }
    }
}

/// Says that the list, which has so many entries, does not have one.
pub(super) fn no_such(what: &str, index: impl std::fmt::Display, count: u64) -> String {
    format!("{what} {index}, {}", outside(what, count))
}

pub(super) fn warn_of_chunk(
    cursor: &Cursor<'_>,
    problems: &mut Problems,
    at: usize,
    chunk: ChunkIndex,
) {
    cursor.warn(problems, &rules::CHUNK_INDEX, at, || {
        format!("the grid has no chunk {chunk}")
    });
}

fn read_dynamic_light(
    cursor: &mut Cursor<'_>,
    lightmaps: &[Lightmap],
) -> Result<ClientDynamicLight, ReadError> {
    let color = cursor.array()?;
    let count = cursor.u8()?;
    let count = cursor.count(count, 4, "lightmaps of a light")?;
    let mut layers = Vec::with_capacity(count);
    for _ in 0..count {
        let at = cursor.pos();
        let lightmap = cursor.u8()?;
        let Some(base) = lightmaps.get(usize::from(lightmap)) else {
            let found = no_such("lightmap", lightmap, lightmaps.len() as u64);
            return Err(cursor.fault(&rules::LIGHT_LIGHTMAP, at, found, "a lightmap of the chunk"));
        };
        let luxels = cursor.bytes(base.luxels.len())?.to_vec();
        layers.push(LightLayer { lightmap, luxels });
    }
    Ok(ClientDynamicLight { color, layers })
}

fn read_fast_light(cursor: &mut Cursor<'_>, vertices: u64) -> Result<ClientFastLight, ReadError> {
    let mut light = ClientFastLight::new(cursor.array()?);
    let count = cursor.u32()?;
    let count = cursor.count(count, 8, "ranges of vertices")?;
    let mut vertex = 0_u64;
    for _ in 0..count {
        let at = cursor.pos();
        let skip = cursor.u32()?;
        let count = cursor.u32()?;
        let first = vertex + u64::from(skip);
        vertex = first + u64::from(count);
        if vertex > vertices {
            let found = format!("a range of vertices from {first} to {vertex}");
            return Err(cursor.fault(
                &rules::LIGHT_VERTICES,
                at,
                found,
                format!("vertices below {vertices}"),
            ));
        }
        let count = cursor.count(count, 1, "multipliers")?;
        light.push_range(first as u32, cursor.bytes(count)?);
    }
    Ok(light)
}

pub(super) fn indices(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().copied().map(u32::from_le_bytes)
}

fn numbers<const N: usize, const B: usize>(bytes: &[u8; B]) -> [f32; N] {
    let numbers = bytes.as_chunks().0;
    std::array::from_fn(|i| numbers.get(i).copied().map_or(0.0, f32::from_le_bytes))
}

fn vertex(bytes: &[u8; VERTEX_BYTES]) -> Vertex {
    let [x, y, z, u, v, s, t] = numbers(bytes);
    Vertex {
        position: [x, y, z],
        uv: [u, v],
        lightmap_uv: [s, t],
    }
}
