//! Reader and writer of the three sections of a chunk (fact sheet A7 to A9).

use super::bytes::{ChunkIndex, Cursor, StringTable};
use super::chunk::{
    ChunkClient, ChunkData, ChunkServer, ClientDynamicLight, ClientFastLight, DynamicLight,
    EnvironmentRegion, FastLight, LightLayer, Lightmap, ServerRegion,
};
use super::codec::{Names, Out, Reader, Stored as _, unchecked};
use super::cube_codec::{
    CubeBudget, CubeReader, write_client_cubes, write_cubes, write_server_cubes,
};
use super::entities::Entities;
use super::level::LevelNames;
use super::rules;
use crate::{Cause, Problems, ReadError, Rule, WriteError, outside};

/// The part omitted if the common section of a chunk is unreadable.
pub(super) const CHUNK: &str = "the chunk";

/// Context shared by the chunks of a level.
#[derive(Clone, Copy)]
pub(super) struct LevelContext<'a> {
    /// The names defined by the level.
    pub names: &'a LevelNames<'a>,
    /// Number of chunks along Y, X and Z.
    pub grid: [u32; 3],
    /// Remaining cube budget of the file.
    pub cubes: &'a CubeBudget,
}

/// Returns `true` if a chunk is inside a grid.
pub(super) fn is_inside(grid: [u32; 3], chunk: ChunkIndex) -> bool {
    chunk.yxz().iter().zip(grid).all(|(at, count)| *at < count)
}

/// A section of a chunk that can be missing.
pub(super) enum Optional<T> {
    /// The section is not in the file.
    Missing,
    /// The section is in the file but corrupt.
    Broken,
    /// The decoded content.
    Present(T),
}

impl<T> Optional<T> {
    /// Maps the decoded content.
    pub(super) fn map<'a, R>(&'a self, make: impl FnOnce(&'a T) -> R) -> Optional<R> {
        match self {
            Self::Missing => Optional::Missing,
            Self::Broken => Optional::Broken,
            Self::Present(bytes) => Optional::Present(make(bytes)),
        }
    }

    fn is_broken(&self) -> bool {
        matches!(self, Self::Broken)
    }

    fn found(self) -> Option<T> {
        match self {
            Self::Present(bytes) => Some(bytes),
            Self::Missing | Self::Broken => None,
        }
    }
}

/// Adds the problems of a section, below the cause that makes it unreadable, if there is one.
/// `stop` is that cause if it has not been reported yet. Returns the cause.
pub(super) fn add_section(
    problems: &mut Problems,
    found: Problems,
    cause: Option<Cause>,
    stop: Option<ReadError>,
) -> Option<Cause> {
    let mut cause = cause;
    if let Some(ReadError::Unreadable(problem)) = stop {
        problems.push_consequence(cause, problem);
        cause = cause.or(problems.last());
    }
    match cause {
        Some(cause) => problems.append_as_consequences(found, cause),
        None => problems.append(found, None, |_| false),
    }
    cause
}

/// Reads a chunk of up to three sections: common, client and server. `causes` are the reasons why
/// they are incomplete. Unreadable parts are reported. Returns `None` if the cubes are unreadable.
pub(super) fn read_chunk(
    mut common: Cursor<'_>,
    client: Optional<Cursor<'_>>,
    server: Optional<Cursor<'_>>,
    causes: [Option<Cause>; 3],
    around: &LevelContext<'_>,
    problems: &mut Problems,
) -> Option<ChunkData> {
    let broken = [client.is_broken(), server.is_broken()];
    let [client, server] = [client, server].map(Optional::found);
    let client_or_common = client.as_ref().unwrap_or(&common).clone();
    let server_or_common = server.as_ref().unwrap_or(&common).clone();
    let sections = [common.clone(), client_or_common, server_or_common];
    let [of_common, of_client, of_server] = causes;
    let strings = match common.string_table() {
        Ok(strings) => strings,
        Err(error) => {
            let stop = Some(error.with_loss(CHUNK));
            add_section(problems, Problems::new(), of_common, stop);
            return None;
        }
    };
    let mut data = ChunkData::default();
    let mut cubes = CubeReader {
        around,
        sections,
        causes,
        broken,
        data: &mut data,
        unchecked_boxes: Vec::new(),
        lost: None,
    };
    let mut found = Problems::new();
    let mut r = Reader {
        cursor: common,
        strings: &strings,
        problems: &mut found,
    };
    let read =
        read_lists(&mut r, cubes.data, around.names).and_then(|()| cubes.read_common(&mut r));
    if matches!(read, Ok(None)) {
        r.finish();
    }
    let is_read = read.is_ok();
    let stop = read.unwrap_or_else(|error| Some(error.with_loss(CHUNK)));
    let is_incomplete = stop.is_some();
    let of_common = add_section(problems, found, of_common, stop);
    if !is_read {
        return None;
    }
    // If cubes are missing, it is unknown which data of the other sections belongs to them.
    let of_cubes = of_common.filter(|_| is_incomplete || cubes.data.cubes.is_incomplete);
    if let Some(cursor) = client {
        let cause = of_client.or(of_cubes);
        cubes.causes[1] = read_client(cursor, &mut cubes, &strings, (cause, problems));
    }
    if let Some(cursor) = server {
        let cause = of_server.or(of_cubes);
        cubes.causes[2] = read_server(cursor, &mut cubes, (cause, problems));
    }
    cubes.causes[0] = of_common;
    cubes.check(problems);
    data.strings = strings;
    Some(data)
}

/// Reads the lists before the cubes in the common section.
fn read_lists(
    r: &mut Reader<'_, '_, '_>,
    data: &mut ChunkData,
    names: &LevelNames<'_>,
) -> Result<(), ReadError> {
    data.materials = r.list("used material", |r, at, name| {
        r.check_name(at, *name, "material", names.materials.as_ref());
    })?;
    data.physics_materials = r.list("used physics material", |r, at, name| {
        let known = names.physics_materials.as_ref();
        r.check_name(at, *name, "physics material", known);
    })?;
    data.sound_materials = r.list("used sound material", unchecked)?;
    data.weather_regions = regions(r, "weather", "weather region", names.weathers.as_ref())?;
    data.gravity_regions = regions(r, "gravity", "gravity region", names.gravities.as_ref())?;
    data.dynamic_lights = r.list("dynamic light", |r, at, light: &DynamicLight| {
        r.check_bits(at, light.flags, DynamicLight::FLAGS);
    })?;
    data.fast_lights = r.list("fast light", |r, at, light: &FastLight| {
        r.check_bits(at, light.flags, DynamicLight::FLAGS);
    })?;
    Ok(())
}

/// Reads as much of the client section as possible. Returns the reason if it is incomplete.
fn read_client(
    cursor: Cursor<'_>,
    cubes: &mut CubeReader<'_, '_>,
    strings: &StringTable,
    (cause, problems): (Option<Cause>, &mut Problems),
) -> Option<Cause> {
    let mut client = ChunkClient::default();
    let mut found = Problems::new();
    let mut r = Reader {
        cursor,
        strings,
        problems: &mut found,
    };
    let names = cubes.around.names;
    let stop = match read_client_lists(&mut r, &mut client, cubes.data, names) {
        Ok(()) => match cubes.read_client(&mut r, &client) {
            Ok(()) => None,
            Err(error) => {
                Some(error.with_loss("the faces and light of this cube and the next ones"))
            }
        },
        Err(error) => Some(error.with_loss("the rest of the section and the faces")),
    };
    if stop.is_none() {
        r.finish();
    }
    cubes.broken[0] |= stop.is_some();
    let cause = add_section(problems, found, cause, stop);
    // Every light needs an appearance, even a dark one.
    let lights = [
        cubes.data.dynamic_lights.len(),
        cubes.data.fast_lights.len(),
    ];
    let [dynamic, fast] = lights;
    client.dynamic_lights.resize_with(dynamic, Default::default);
    client.fast_lights.resize_with(fast, Default::default);
    cubes.data.client = Some(client);
    cause
}

/// Reads as much of the server section as possible. Returns the reason if it is incomplete.
fn read_server(
    mut cursor: Cursor<'_>,
    cubes: &mut CubeReader<'_, '_>,
    (cause, problems): (Option<Cause>, &mut Problems),
) -> Option<Cause> {
    let mut server = ChunkServer::default();
    let mut found = Problems::new();
    let read = cursor.string_table().and_then(|strings| {
        let grid = cubes.around.grid;
        server.strings = strings.clone();
        let mut r = Reader {
            cursor,
            strings: &strings,
            problems: &mut found,
        };
        server.regions = r.list_if("region", |r, at, region| check_region(r, at, region, grid))?;
        cubes.read_server(&mut r)?;
        server.entities = read_entities(&mut r.cursor, &strings, r.problems, &rules::ENTITIES);
        Ok(())
    });
    let stop = read
        .err()
        .map(|error| error.with_loss("the rest of the section and the entities"));
    cubes.broken[1] |= stop.is_some();
    cubes.data.server = Some(server);
    add_section(problems, found, cause, stop)
}

/// Reads the regions of one kind of environment.
fn regions(
    r: &mut Reader<'_, '_, '_>,
    kind: &str,
    record: &'static str,
    known: Option<&Names<'_>>,
) -> Result<Vec<EnvironmentRegion>, ReadError> {
    let what = format!("{kind} environment");
    r.list_if(record, |r, at, region: &EnvironmentRegion| {
        r.check_name(at + 96, region.environment, &what, known);
        r.check_geometry(at, &region.corners, "box")
    })
}

/// Reads the client section up to the cubes.
fn read_client_lists(
    r: &mut Reader<'_, '_, '_>,
    client: &mut ChunkClient,
    data: &ChunkData,
    names: &LevelNames<'_>,
) -> Result<(), ReadError> {
    client.sound_regions = regions(r, "sound", "sound region", names.sounds.as_ref())?;
    client.sky_regions = regions(r, "sky", "sky region", names.skies.as_ref())?;
    client.lightmaps = r.list("lightmap", unchecked)?;
    client.vertices = r.list("vertex", unchecked)?;
    client.normals = r.list("normal", unchecked)?;
    for i in 0..data.dynamic_lights.len() {
        r.cursor.enter("client dynamic light", i);
        let light = read_dynamic_light(r, &client.lightmaps)?;
        client.dynamic_lights.push(light);
    }
    for i in 0..data.fast_lights.len() {
        r.cursor.enter("client fast light", i);
        let light = read_fast_light(r, client.vertices.len() as u64)?;
        client.fast_lights.push(light);
    }
    Ok(())
}

/// Warns of an invalid region and returns `true` if it is kept.
fn check_region(
    r: &mut Reader<'_, '_, '_>,
    at: usize,
    region: &ServerRegion,
    grid: [u32; 3],
) -> bool {
    for (i, chunk) in region.chunks.iter().enumerate() {
        check_chunk(r, at + 28 + 4 * i, *chunk, grid);
    }
    let ServerRegion { max, min, .. } = region;
    let is_kept = r.check_geometry(at, &[*max, *min], "region");
    if is_kept && max.iter().zip(min).any(|(max, min)| max < min) {
        r.warn(&rules::REGION_CORNERS, at, || {
            format!("maximum corner {max:?} below minimum corner {min:?}")
        });
    }
    is_kept
}

/// Reads entities to the end of a section. Unreadable ones are a single problem of the rule
/// `broken`.
pub(super) fn read_entities(
    cursor: &mut Cursor<'_>,
    strings: &StringTable,
    problems: &mut Problems,
    broken: &'static Rule,
) -> Entities {
    match Entities::read(cursor, strings, problems, broken) {
        Ok(entities) => {
            cursor.check_end(problems);
            entities
        }
        Err(error) => {
            problems.add_error_as(broken, error.with_loss("the entities"));
            Entities::unread()
        }
    }
}

/// Message for an index outside a list of `count` entries.
pub(super) fn invalid_index_message(
    what: &str,
    index: impl std::fmt::Display,
    count: usize,
) -> String {
    format!("{what} {index}, {}", outside(what, count as u64))
}

/// Warns of a chunk that is not in the grid.
pub(super) fn check_chunk(
    r: &mut Reader<'_, '_, '_>,
    at: usize,
    chunk: ChunkIndex,
    grid: [u32; 3],
) {
    if !is_inside(grid, chunk) {
        r.warn(&rules::CHUNK_INDEX, at, || {
            format!("the grid has no chunk {chunk}")
        });
    }
}

/// Reads the appearance of a dynamic light. A layer for a missing lightmap is omitted if its size
/// is known, that is, if all lightmaps have the same size.
fn read_dynamic_light(
    r: &mut Reader<'_, '_, '_>,
    lightmaps: &[Lightmap],
) -> Result<ClientDynamicLight, ReadError> {
    let color = r.cursor.array()?;
    let count = r.cursor.u8()?;
    let count = r.cursor.count(count, 4, "lightmap of a light")?;
    let mut layers = Vec::with_capacity(count);
    for _ in 0..count {
        let at = r.cursor.pos();
        let lightmap = r.cursor.u8()?;
        if let Some(base) = lightmaps.get(usize::from(lightmap)) {
            let luxels = r.cursor.bytes(base.luxels.len())?.to_vec();
            layers.push(LightLayer { lightmap, luxels });
            continue;
        }
        let found = invalid_index_message("lightmap", lightmap, lightmaps.len());
        let expected = "a lightmap of the chunk";
        let error = r.cursor.fault(&rules::LIGHT_LIGHTMAP, at, found, expected);
        let mut sizes = lightmaps.iter().map(|lightmap| lightmap.luxels.len());
        let size = sizes
            .next()
            .filter(|first| sizes.all(|size| size == *first));
        let Some(size) = size else { return Err(error) };
        r.cursor.bytes(size)?;
        r.problems.add_error(error.with_loss("the light on it"));
    }
    Ok(ClientDynamicLight { color, layers })
}

/// Reads the appearance of a fast light. Ranges of missing vertices are omitted.
fn read_fast_light(
    r: &mut Reader<'_, '_, '_>,
    vertices: u64,
) -> Result<ClientFastLight, ReadError> {
    let cursor = &mut r.cursor;
    let mut light = ClientFastLight::new(cursor.array()?);
    let count = cursor.u32()?;
    let count = cursor.count(count, 8, "range of vertices")?;
    let mut vertex = 0_u64;
    for _ in 0..count {
        let at = cursor.pos();
        let skip = cursor.u32()?;
        let count = cursor.u32()?;
        let first = vertex + u64::from(skip);
        vertex = first + u64::from(count);
        let count = cursor.count(count, 1, "multiplier")?;
        let multipliers = cursor.bytes(count)?;
        if vertex <= vertices {
            light.push_range(first as u32, multipliers);
            continue;
        }
        let found = format!("a range of vertices from {first} to {vertex}");
        let expected = format!("vertices below {vertices}");
        let error = cursor.fault(&rules::LIGHT_VERTICES, at, found, expected);
        r.problems.add_error(error.with_loss("the range"));
    }
    Ok(light)
}

impl ChunkData {
    /// Encodes the common, client and server section.
    pub(super) fn write(&self) -> Result<[Option<Vec<u8>>; 3], WriteError> {
        let client = self.client.as_ref().map(|client| self.write_client(client));
        let server = self.server.as_ref().map(|server| self.write_server(server));
        let common = self.write_common()?;
        Ok([Some(common), client.transpose()?, server.transpose()?])
    }

    fn write_common(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Out::default();
        out.sized("string table", self.strings.bytes());
        out.list("used material", &self.materials);
        out.list("used physics material", &self.physics_materials);
        out.list("used sound material", &self.sound_materials);
        out.list("weather region", &self.weather_regions);
        out.list("gravity region", &self.gravity_regions);
        out.list("dynamic light", &self.dynamic_lights);
        out.list("fast light", &self.fast_lights);
        write_cubes(&mut out, &self.cubes);
        out.finish()
    }

    fn write_client(&self, client: &ChunkClient) -> Result<Vec<u8>, WriteError> {
        let mut out = Out::default();
        out.list("sound region", &client.sound_regions);
        out.list("sky region", &client.sky_regions);
        out.list("lightmap", &client.lightmaps);
        out.list("vertex", &client.vertices);
        out.list("normal", &client.normals);

        let (lights, count) = (&client.dynamic_lights, self.dynamic_lights.len());
        out.check_len("client dynamic lights", lights.len(), count);
        for light in lights {
            light.color.write(&mut out);
            out.count("lightmap layer", light.layers.len(), 1);
            for layer in &light.layers {
                let base = client.lightmaps.get(usize::from(layer.lightmap));
                let luxels = base.map_or(0, |base| base.luxels.len());
                out.check_len("luxels of a light", layer.luxels.len(), luxels);
                layer.lightmap.write(&mut out);
                out.bytes.extend(&layer.luxels);
            }
        }
        let (lights, count) = (&client.fast_lights, self.fast_lights.len());
        out.check_len("client fast lights", lights.len(), count);
        for light in lights {
            light.color.write(&mut out);
            out.count("vertex range", light.ranges().count(), 4);
            let mut end = 0;
            for (range, multipliers) in light.ranges() {
                let skip = range.start.checked_sub(end);
                if skip.is_none() {
                    out.fail("vertex ranges", "one begins before the last one ends");
                }
                skip.unwrap_or_default().write(&mut out);
                out.sized("multiplier", multipliers);
                end = range.end;
            }
        }
        write_client_cubes(&mut out, &self.cubes);
        out.finish()
    }

    fn write_server(&self, server: &ChunkServer) -> Result<Vec<u8>, WriteError> {
        let mut out = Out::default();
        out.sized("string table", server.strings.bytes());
        out.list("region", &server.regions);
        write_server_cubes(&mut out, &self.cubes);
        out.bytes.extend(server.entities.bytes());
        out.finish()
    }
}
