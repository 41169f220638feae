//! Reading and writing the three sections of a chunk (fact sheet A7 to A9).

use super::bytes::{ChunkIndex, Cursor, StringTable};
use super::chunk::{
    ChunkClient, ChunkData, ChunkServer, ClientDynamicLight, ClientFastLight, DynamicLight,
    EnvironmentRegion, FastLight, LightLayer, Lightmap, ServerRegion, Vertex,
};
use super::codec::{Names, Out, Reader, Stored as _, unchecked};
use super::cube_codec::{
    CubeAllowance, CubeReader, client_cubes_fit, write_client_cubes, write_cubes,
    write_server_cubes,
};
use super::entities::{Entities, HEAD_BYTES, Tries};
use super::level::LevelNames;
use super::rules;
use crate::{Problems, ReadError, Rule, WriteError, counted, outside};

/// What chunks of a level have in common.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// What the level has names for.
    pub names: &'a LevelNames<'a>,
    /// How many chunks the grid has along Y, X and Z.
    pub grid: [u32; 3],
    /// How many cubes the file may still have.
    pub cubes: &'a CubeAllowance,
    /// How much may still be looked through for entities of a wrong type.
    pub tries: &'a Tries,
}

/// Says whether a grid has a chunk.
pub(super) fn is_inside(grid: [u32; 3], chunk: ChunkIndex) -> bool {
    chunk.yxz().iter().zip(grid).all(|(at, count)| *at < count)
}

/// A section of a chunk that can be missing.
pub(super) enum Optional<T> {
    /// It is not in the file.
    Missing,
    /// It is in the file and cannot be decoded.
    Broken,
    /// What it decodes to.
    There(T),
}

impl<T> Optional<T> {
    /// The same with something else made of what it decodes to.
    pub(super) fn map<'a, R>(&'a self, make: impl FnOnce(&'a T) -> R) -> Optional<R> {
        match self {
            Self::Missing => Optional::Missing,
            Self::Broken => Optional::Broken,
            Self::There(bytes) => Optional::There(make(bytes)),
        }
    }

    fn is_broken(&self) -> bool {
        matches!(self, Self::Broken)
    }

    fn found(self) -> Option<T> {
        match self {
            Self::There(bytes) => Some(bytes),
            Self::Missing | Self::Broken => None,
        }
    }
}

/// Reads a chunk of up to three sections: common, which may end too early, client and server. What can be
/// read of it is there, and what cannot is listed.
///
/// # Errors
/// Something that keeps the cubes from being known.
pub(super) fn read_chunk(
    (mut common, is_common_cut): (Cursor<'_>, bool),
    client: Optional<Cursor<'_>>,
    server: Optional<Cursor<'_>>,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Result<ChunkData, ReadError> {
    let names = around.names;
    let broken = [client.is_broken(), server.is_broken()];
    let [client, server] = [client, server].map(Optional::found);
    let client_or_common = client.as_ref().unwrap_or(&common).clone();
    let server_or_common = server.as_ref().unwrap_or(&common).clone();
    let sections = [common.clone(), client_or_common, server_or_common];
    let strings = common.string_table()?;
    let mut r = Reader {
        cursor: common,
        strings: &strings,
        problems,
    };
    let mut data = ChunkData {
        materials: r.list("used material", |r, at, name| {
            r.check_name(at, *name, "material", names.materials.as_ref());
        })?,
        physics_materials: r.list("used physics material", |r, at, name| {
            let known = names.physics_materials.as_ref();
            r.check_name(at, *name, "physics material", known);
        })?,
        sound_materials: r.list("used sound material", unchecked)?,
        weather_regions: regions(&mut r, "weather", "weather region", names.weathers.as_ref())?,
        gravity_regions: regions(
            &mut r,
            "gravity",
            "gravity region",
            names.gravities.as_ref(),
        )?,
        dynamic_lights: r.list("dynamic light", |r, at, light: &DynamicLight| {
            r.check_bits(at, light.flags, DynamicLight::FLAGS);
        })?,
        fast_lights: r.list("fast light", |r, at, light: &FastLight| {
            r.check_bits(at, light.flags, DynamicLight::FLAGS);
        })?,
        ..ChunkData::default()
    };
    let mut cubes = CubeReader {
        around,
        sections,
        is_common_cut,
        broken,
        data: &mut data,
        suspects: Vec::new(),
        unknown: None,
    };
    cubes.read_common(&mut r)?;
    r.finish();
    if let Some(cursor) = client {
        let mut r = Reader {
            cursor,
            strings: &strings,
            problems: &mut *r.problems,
        };
        let mut client = ChunkClient::default();
        match read_client(&mut r, &mut client, cubes.data, names) {
            Ok(()) => {
                cubes.read_client(&mut r, &client);
                r.finish();
            }
            Err(error) => {
                r.problems
                    .add_error(error.losing("what follows in the section, and the faces"));
                cubes.broken[0] = true;
            }
        }
        // Each light has a look, if a dark one.
        let lights = [
            cubes.data.dynamic_lights.len(),
            cubes.data.fast_lights.len(),
        ];
        let [dynamic, fast] = lights;
        client.dynamic_lights.resize_with(dynamic, Default::default);
        client.fast_lights.resize_with(fast, Default::default);
        cubes.data.client = Some(client);
    }
    if let Some(cursor) = server {
        read_server(cursor, &mut cubes, r.problems);
    }
    cubes.check(r.problems);
    data.strings = strings;
    Ok(data)
}

/// Reads the server section as far as it can be read.
fn read_server(mut cursor: Cursor<'_>, cubes: &mut CubeReader<'_, '_>, problems: &mut Problems) {
    let mut server = ChunkServer::default();
    let read = cursor.string_table().and_then(|strings| {
        let grid = cubes.around.grid;
        server.strings = strings.clone();
        let mut r = Reader {
            cursor,
            strings: &strings,
            problems: &mut *problems,
        };
        server.regions = r.list_if("region", |r, at, region| check_region(r, at, region, grid))?;
        cubes.read_server(&mut r)?;
        let how = (&rules::ENTITIES, cubes.around.tries);
        server.entities = read_entities(&mut r.cursor, &strings, r.problems, how);
        Ok(())
    });
    if let Err(error) = read {
        problems.add_error(error.losing("what follows in the section, and the entities"));
        cubes.broken[1] = true;
    }
    cubes.data.server = Some(server);
}

/// Reads regions with an environment of a kind.
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
fn read_client(
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

/// Whether a client section goes with a chunk by its counts alone, whatever else is in it. Counts its
/// steps.
pub(super) fn client_fits(mut cursor: Cursor<'_>, data: &ChunkData, steps: &mut usize) -> bool {
    let lists = pass_client_lists(&mut cursor, data, steps);
    lists.is_some() && client_cubes_fit(cursor, &data.cubes, None, steps)
}

/// Whether a server section goes with a chunk by its counts alone, whatever else is in it. Counts its
/// steps.
pub(super) fn server_fits(cursor: &mut Cursor<'_>, data: &ChunkData, steps: &mut usize) -> bool {
    pass_server_lists(cursor, data, steps).is_some_and(|strings| {
        let entities = Entities::read(cursor, &strings, &mut Problems::new());
        entities.is_ok_and(|entities| entities.opaque().is_none()) && cursor.left() == 0
    })
}

/// Goes over a server section up to the entities, and gives its strings; none where a count cannot be
/// right.
fn pass_server_lists(
    cursor: &mut Cursor<'_>,
    data: &ChunkData,
    steps: &mut usize,
) -> Option<StringTable> {
    let strings = cursor.string_table().ok()?;
    for _ in 0..cursor.u8().ok()? {
        *steps += 1;
        cursor.bytes(24).ok()?;
        let chunks = cursor.u32().ok()?;
        cursor.bytes(4_usize.checked_mul(chunks as usize)?).ok()?;
    }
    for _ in &data.cubes.path_infos {
        *steps += 1;
        cursor.u32().ok()?;
        for _ in 0..2 * u32::from(cursor.u8().ok()?) {
            strings.has(cursor.u32().ok()?).then_some(())?;
        }
    }
    Some(strings)
}

/// Goes over a client section up to the cubes; none where a count cannot be right.
fn pass_client_lists(cursor: &mut Cursor<'_>, data: &ChunkData, steps: &mut usize) -> Option<()> {
    for _ in 0..2 {
        let regions = usize::from(cursor.u8().ok()?);
        cursor.bytes(EnvironmentRegion::MIN_BYTES * regions).ok()?;
    }
    let mut sizes = Vec::new();
    for _ in 0..cursor.u8().ok()? {
        *steps += 1;
        let exponent = cursor.u8().ok()?;
        let size = 3_usize.checked_shl(2 * u32::from(exponent))?;
        cursor.bytes(size).ok()?;
        sizes.push(size);
    }
    let vertices = cursor.u32().ok()?;
    cursor
        .bytes(Vertex::MIN_BYTES.checked_mul(vertices as usize)?)
        .ok()?;
    let normals = cursor.u32().ok()? as usize;
    cursor
        .bytes(<[f32; 3]>::MIN_BYTES.checked_mul(normals)?)
        .ok()?;
    for _ in &data.dynamic_lights {
        cursor.bytes(3).ok()?;
        for _ in 0..cursor.u8().ok()? {
            *steps += 1;
            let lightmap = cursor.u8().ok()?;
            cursor.bytes(*sizes.get(usize::from(lightmap))?).ok()?;
        }
    }
    for _ in &data.fast_lights {
        cursor.bytes(3).ok()?;
        let mut vertex = 0_u64;
        for _ in 0..cursor.u32().ok()? {
            *steps += 1;
            let skip = cursor.u32().ok()?;
            let count = cursor.u32().ok()?;
            vertex += u64::from(skip) + u64::from(count);
            cursor.bytes(count as usize).ok()?;
            (vertex <= u64::from(vertices)).then_some(())?;
        }
    }
    Some(())
}

/// Warns of a region that cannot be, and says whether it is kept.
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
            format!("its max corner {max:?} is below its min corner {min:?}")
        });
    }
    is_kept
}

/// Reads entities to the end of a section. Those that cannot be read are left out, which is a problem
/// of this kind; those before them, and what stands before all of them, count all the same.
pub(super) fn read_entities(
    cursor: &mut Cursor<'_>,
    strings: &StringTable,
    problems: &mut Problems,
    (unreadable, tries): (&'static Rule, &Tries),
) -> Entities {
    let (start, moment) = (cursor.pos(), problems.moment());
    match Entities::read_whole_ones(cursor, strings, problems, (unreadable, tries)) {
        // With a wrong count before them, what is read as their number may be 0.
        Ok(entities) if entities.is_empty() && cursor.left() >= HEAD_BYTES => {
            let left = counted(cursor.left(), "byte");
            let found = format!("no entities, but {left} follow");
            let expected = "entities up to the end of the section";
            let error = cursor.fault(unreadable, start, found, expected);
            problems.add_error_as(unreadable, error.losing("the entities"));
            if let Some(cause) = problems.last() {
                problems.fold_since(moment, cause);
            }
            Entities::unread()
        }
        Ok(entities) if Entities::is_next(cursor) => {
            let (at, left) = (cursor.pos(), counted(cursor.left(), "byte"));
            cursor.enter("entities", None);
            let found = format!("more entities in the {left} behind the last one");
            let expected = format!("only {}, as they are counted", entities.len());
            let error = cursor.fault(unreadable, at, found, expected);
            problems.add_error_as(unreadable, error.losing("all behind the last one"));
            entities
        }
        Ok(entities) => {
            cursor.check_end(problems);
            entities
        }
        Err(error) => {
            problems.add_error_as(unreadable, error.losing("the entities"));
            Entities::unread()
        }
    }
}

/// Says that the list, which has so many entries, does not have one.
pub(super) fn no_such(what: &str, index: impl std::fmt::Display, count: usize) -> String {
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

/// Reads how a dynamic light looks. Light on a lightmap that does not exist is left out, if its size
/// is known: that of all lightmaps.
fn read_dynamic_light(
    r: &mut Reader<'_, '_, '_>,
    lightmaps: &[Lightmap],
) -> Result<ClientDynamicLight, ReadError> {
    let color = r.cursor.array()?;
    let count = r.cursor.u8()?;
    r.cursor
        .note_count(1, 4, ["client dynamic light", "lightmap count"]);
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
        let found = no_such("lightmap", lightmap, lightmaps.len());
        let expected = "a lightmap of the chunk";
        let error = r.cursor.fault(&rules::LIGHT_LIGHTMAP, at, found, expected);
        let mut sizes = lightmaps.iter().map(|lightmap| lightmap.luxels.len());
        let size = sizes
            .next()
            .filter(|first| sizes.all(|size| size == *first));
        let Some(size) = size else { return Err(error) };
        r.cursor.bytes(size)?;
        r.problems.add_error(error.losing("the light on it"));
    }
    Ok(ClientDynamicLight { color, layers })
}

/// Reads how a fast light looks. Ranges of vertices that there are not are left out.
fn read_fast_light(
    r: &mut Reader<'_, '_, '_>,
    vertices: u64,
) -> Result<ClientFastLight, ReadError> {
    let cursor = &mut r.cursor;
    let mut light = ClientFastLight::new(cursor.array()?);
    let count = cursor.u32()?;
    cursor.note_count(4, 8, ["client fast light", "range count"]);
    let count = cursor.count(count, 8, "range of vertices")?;
    let mut vertex = 0_u64;
    for _ in 0..count {
        let at = cursor.pos();
        let skip = cursor.u32()?;
        let count = cursor.u32()?;
        cursor.note_count(4, 1, ["client fast light", "multiplier count"]);
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
        r.problems.add_error(error.losing("the range"));
    }
    Ok(light)
}

impl ChunkData {
    /// The common, client and server section.
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
