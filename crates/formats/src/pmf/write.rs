//! Writing PMF: what is written reads back the same.

use super::bytes::{ChunkIndex, StringRef, StringTable};
use super::chunk::{ChunkClient, ChunkData, ChunkServer, EnvironmentRegion, Vertex};
use super::cube::{Cube, Geometry, LightReference};
use super::entities::Entities;
use super::header::{Extension, Header, MAGIC, VERSION};
use super::level::{LevelClient, LevelCommon};
use super::lz4;
use super::{Level, Pmf};
use crate::WriteError;

/// How sections are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// Compressed.
    #[default]
    Compressed,
    /// As they are, in LZ4 frames all the same.
    Stored,
}

/// Writes a map. The same map is the same bytes each time. Where parts of a map were in a file
/// that it was read from does not matter, nor do its problems; a chunk that could not be read is
/// one that cannot be read again.
///
/// # Errors
/// What the format has no way to say: lists that are too long, lists that go together and are of
/// different lengths, a text with a zero byte.
pub fn write(map: &Pmf, packing: Packing) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    write_header(&mut out, &map.header)?;
    out.table(&map.strings)?;
    let archive = map.archive.as_ref().map_or(&[][..], |a| a.bytes());
    out.sized("archive", archive)?;

    out.count16("extensions", map.extensions.len())?;
    let bodies = map.extensions.iter().map(extension_body);
    let bodies = bodies.collect::<Result<Vec<_>, _>>()?;
    for body in &bodies {
        out.count32("an extension", body.len())?;
    }
    out.bytes.extend(bodies.concat());

    out.count8("levels", map.levels.len())?;
    let levels = map.levels.iter().enumerate();
    let levels = levels.map(|(i, level)| {
        let in_level =
            |error: WriteError| WriteError::new(format!("level {i}: {}", error.record), error.what);
        level_body(level, packing).map_err(in_level)
    });
    let levels = levels.collect::<Result<Vec<_>, _>>()?;
    for level in &levels {
        out.count32("a level", level.len())?;
    }
    for level in levels {
        out.bytes.extend(level);
    }
    out.entities(&map.entities);
    Ok(out.bytes)
}

/// Bytes that are written.
#[derive(Default)]
struct Out {
    bytes: Vec<u8>,
}

impl Out {
    fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    fn u32(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }

    fn floats(&mut self, values: &[f32]) {
        for value in values {
            self.bytes.extend(value.to_le_bytes());
        }
    }

    fn string(&mut self, string: StringRef) {
        self.u32(string.0);
    }

    fn count8(&mut self, what: &str, count: usize) -> Result<(), WriteError> {
        let count = u8::try_from(count).map_err(|_| too_many(what, count, u8::MAX.into()))?;
        self.u8(count);
        Ok(())
    }

    fn count16(&mut self, what: &str, count: usize) -> Result<(), WriteError> {
        let count = u16::try_from(count).map_err(|_| too_many(what, count, u16::MAX.into()))?;
        self.bytes.extend(count.to_le_bytes());
        Ok(())
    }

    fn count32(&mut self, what: &str, count: usize) -> Result<(), WriteError> {
        let count = u32::try_from(count).map_err(|_| too_many(what, count, u32::MAX))?;
        self.u32(count);
        Ok(())
    }

    /// Bytes with their number before them.
    fn sized(&mut self, what: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.count32(what, bytes.len())?;
        self.bytes.extend(bytes);
        Ok(())
    }

    fn table(&mut self, strings: &StringTable) -> Result<(), WriteError> {
        self.sized("string table", strings.bytes())
    }

    /// A text with a zero byte behind it.
    fn text(&mut self, what: &str, text: &str) -> Result<(), WriteError> {
        if text.contains('\0') {
            return Err(WriteError::new(what, "a text with a zero byte in it"));
        }
        self.bytes.extend(text.as_bytes());
        self.u8(0);
        Ok(())
    }

    fn entities(&mut self, entities: &Entities) {
        self.bytes.extend(entities.bytes());
    }
}

#[cold]
fn too_many(what: &str, count: usize, most: u32) -> WriteError {
    WriteError::new(what, format!("there are {count}; at most {most} can be"))
}

/// Whether two lists that go together have the same length.
fn check_lengths(record: &str, found: usize, expected: usize) -> Result<(), WriteError> {
    if found == expected {
        return Ok(());
    }
    let what = format!("there are {found} for {expected}");
    Err(WriteError::new(record, what))
}

fn write_header(out: &mut Out, header: &Header) -> Result<(), WriteError> {
    out.bytes.extend(MAGIC);
    out.u8(VERSION);
    out.bytes.extend(header.created_unix_secs.to_le_bytes());
    out.text("name", &header.name)?;
    out.text("description", &header.description)?;
    out.text("authors", &header.authors)?;
    out.text("compiler info", &header.compiler)?;
    if header.gamemodes.len() > super::MAX_GAMEMODES {
        let most = super::MAX_GAMEMODES as u32;
        return Err(too_many("gamemodes", header.gamemodes.len(), most));
    }
    out.count8("gamemodes", header.gamemodes.len())?;
    for gamemode in &header.gamemodes {
        out.text("gamemode", gamemode)?;
    }
    Ok(())
}

fn extension_body(extension: &Extension) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    out.u8(extension.flags);
    out.text("extension", &extension.name)?;
    out.bytes.extend(&extension.data);
    Ok(out.bytes)
}

/// Three sections as they are in the file; nothing for one that is missing.
type Sections = [Option<Vec<u8>>; 3];

/// Writes the sizes of sections, and gives their frames.
fn write_sizes(
    out: &mut Out,
    sections: &Sections,
    packing: Packing,
) -> Result<[Vec<u8>; 3], WriteError> {
    let frames = sections.each_ref().map(|section| match section {
        None => Vec::new(),
        Some(bytes) => match packing {
            Packing::Compressed => lz4::pack(bytes),
            Packing::Stored => lz4::store(bytes),
        },
    });
    for frame in &frames {
        out.count32("section", frame.len())?;
    }
    for section in sections {
        out.count32("section", section.as_ref().map_or(0, Vec::len))?;
    }
    Ok(frames)
}

fn level_body(level: &Level, packing: Packing) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    out.u8(level.flags);
    let client = level
        .client
        .as_ref()
        .map(|client| level_client(level, client));
    let server = level.server.as_ref().map(|server| {
        let mut out = Out::default();
        out.table(&server.strings)?;
        out.entities(&server.entities);
        Ok::<_, WriteError>(out.bytes)
    });
    let common = level_common(&level.common)?;
    let sections = [Some(common), client.transpose()?, server.transpose()?];
    let frames = write_sizes(&mut out, &sections, packing)?;
    out.bytes.extend(frames.concat());

    let [y, x, z] = level.grid;
    let fits = |count: u32, most: u32| (1..=most).contains(&count);
    if !fits(y, 256) || !fits(x, 4096) || !fits(z, 4096) {
        let what = format!("{y} x {x} x {z} chunks; at most 256 x 4096 x 4096 can be");
        return Err(WriteError::new("grid", what));
    }
    let count = u64::from(y) * u64::from(x) * u64::from(z);
    check_lengths("chunks", level.chunks.len(), count as usize)?;
    out.u32(ChunkIndex::new([y - 1, x - 1, z - 1]).0);
    out.u8(level.chunk_exponent);
    out.u32(level.center.0);
    let mut bodies = Vec::new();
    for chunk in &level.chunks {
        let in_chunk = |error: WriteError| {
            let record = format!("chunk {}: {}", chunk.index, error.record);
            WriteError::new(record, error.what)
        };
        let sections = match &chunk.data {
            None => Sections::default(),
            Some(data) => chunk_sections(data).map_err(in_chunk)?,
        };
        let frames = write_sizes(&mut out, &sections, packing)?;
        bodies.extend(frames.into_iter().flatten());
    }
    out.bytes.extend(bodies);
    Ok(out.bytes)
}

fn level_common(common: &LevelCommon) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    out.table(&common.strings)?;
    out.count16("materials", common.materials.len())?;
    for material in &common.materials {
        out.string(material.name);
        out.string(material.kind);
        out.u8(material.flags);
        out.u8(material.render_mode);
    }
    out.count16("physics materials", common.physics_materials.len())?;
    for material in &common.physics_materials {
        out.string(material.name);
        out.u8(material.flags);
        out.floats(&[
            material.friction_or_max_speed,
            material.traction,
            material.bounce,
            material.damage_speed,
            material.base_damage,
            material.extra_damage,
        ]);
    }
    out.count16("sound materials", common.sound_materials.len())?;
    for material in &common.sound_materials {
        out.floats(&[material.volume_dampening, material.frequency_dampening]);
    }
    out.string(common.air_physics);
    out.count8("weather environments", common.weathers.len())?;
    for weather in &common.weathers {
        out.string(weather.name);
        out.floats(&weather.wind);
        out.u32(weather.direction_seed);
        out.floats(&weather.direction_randomness);
        out.floats(&[weather.direction_speed]);
        out.u32(weather.velocity_seed);
        out.floats(&[weather.velocity_randomness, weather.velocity_speed]);
    }
    out.count8("gravity environments", common.gravities.len())?;
    for gravity in &common.gravities {
        out.string(gravity.name);
        out.floats(&gravity.acceleration);
    }
    out.string(common.default_weather);
    out.string(common.default_gravity);
    Ok(out.bytes)
}

fn level_client(level: &Level, client: &LevelClient) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    out.table(&client.strings)?;
    out.count8("sound environments", client.sounds.len())?;
    for sound in &client.sounds {
        out.string(sound.name);
        out.floats(&[
            sound.low_pass,
            sound.high_pass,
            sound.reverb_delay,
            sound.reverb_feedback,
            sound.reverb_mix,
            sound.reverb_low_pass,
            sound.reverb_high_pass,
        ]);
    }
    out.count8("sky environments", client.skies.len())?;
    for sky in &client.skies {
        out.string(sky.name);
        out.u8(sky.flags);
        for side in sky.skybox {
            out.string(side);
        }
        out.string(sky.top_clouds);
        out.string(sky.bottom_clouds);
        out.u32(sky.skybox_chunk.0);
    }
    out.string(client.default_sound);
    out.string(client.default_sky);
    let count = level.common.materials.len();
    check_lengths("client materials", client.materials.len(), count)?;
    for material in &client.materials {
        out.bytes.extend(material.color);
        out.u8(material.alpha);
        out.bytes.extend(material.emission);
        out.u8(material.shading);
        out.string(material.texture);
        out.string(material.matcap);
        out.count8("extra textures", material.extra_textures.len())?;
        for texture in &material.extra_textures {
            out.string(*texture);
        }
        out.u32(material.advance_micros);
        out.floats(&material.texture_scroll);
        out.floats(&material.matcap_scroll);
        let wave = &material.wave;
        out.floats(&wave.velocity);
        out.floats(&[wave.wind, wave.offset, wave.scale]);
    }
    Ok(out.bytes)
}

fn chunk_sections(data: &ChunkData) -> Result<Sections, WriteError> {
    let client = data
        .client
        .as_ref()
        .map(|client| chunk_client(data, client));
    let server = data
        .server
        .as_ref()
        .map(|server| chunk_server(data, server));
    Ok([
        Some(chunk_common(data)?),
        client.transpose()?,
        server.transpose()?,
    ])
}

fn write_regions(
    out: &mut Out,
    what: &str,
    regions: &[EnvironmentRegion],
) -> Result<(), WriteError> {
    out.count8(what, regions.len())?;
    for region in regions {
        out.floats(region.corners.as_flattened());
        out.string(region.environment);
    }
    Ok(())
}

fn chunk_common(data: &ChunkData) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    out.table(&data.strings)?;
    for (what, names) in [
        ("used materials", &data.materials),
        ("used physics materials", &data.physics_materials),
        ("used sound materials", &data.sound_materials),
    ] {
        out.count8(what, names.len())?;
        for name in names {
            out.string(*name);
        }
    }
    write_regions(&mut out, "weather regions", &data.weather_regions)?;
    write_regions(&mut out, "gravity regions", &data.gravity_regions)?;
    out.count8("dynamic lights", data.dynamic_lights.len())?;
    for light in &data.dynamic_lights {
        out.u8(light.flags);
        out.u32(light.id);
    }
    out.count8("fast lights", data.fast_lights.len())?;
    for light in &data.fast_lights {
        out.u8(light.flags);
        out.u8(light.intensity);
        out.u32(light.id);
    }
    if data.cubes.is_empty() {
        return Err(WriteError::new("cubes", "there are none"));
    }
    out.count32("cubes", data.cubes.len())?;
    for (cube, what) in data.cubes.iter() {
        common_cube(&mut out, data, (cube, what)).map_err(|what| in_cube(cube, what))?;
    }
    Ok(out.bytes)
}

#[cold]
fn in_cube(cube: u32, what: String) -> WriteError {
    WriteError::new(format!("cube {cube}"), what)
}

fn common_cube(
    out: &mut Out,
    data: &ChunkData,
    (cube, what): (u32, Cube<'_>),
) -> Result<(), String> {
    let cubes = &data.cubes;
    let head = cubes.kind(cube).map_or(0, |kind| kind as u8);
    let count = |count: usize| u32::try_from(count).map_err(|_| "lists are too long".to_owned());
    match what {
        Cube::Empty | Cube::LightInfo(_) | Cube::PathInfo(_) => out.u8(head),
        Cube::Parent(parent) => {
            out.u8(head);
            out.u8(parent.mask);
            let children: Vec<_> = cubes.children(parent).collect();
            if children.len() != parent.mask.count_ones() as usize {
                return Err("its mask does not go with its children".to_owned());
            }
            for (_, child) in children {
                out.u32(child);
            }
        }
        Cube::Geometry(geometry) => {
            out.u8(head | geometry.bits & 0xF0);
            let [material, ..] = geometry.materials;
            let [physics, ..] = geometry.physics;
            if !geometry.is_common_extended() {
                let is_same = geometry.materials == [material; 6]
                    && geometry.physics == [physics; 6]
                    && geometry.moved == 0;
                if !is_same {
                    return Err("sides of a basic cube differ, or corners are moved".to_owned());
                }
                out.bytes.extend([material, physics, geometry.sound]);
                return Ok(());
            }
            out.bytes.extend(geometry.materials);
            out.bytes.extend(geometry.physics);
            out.u8(geometry.sound);
            out.u8(geometry.moved);
            let points: Vec<_> = cubes.moved_points(geometry).collect();
            if points.len() != geometry.moved.count_ones() as usize {
                return Err("its mask does not go with its moved corners".to_owned());
            }
            for (_, point) in points {
                out.floats(&point);
            }
        }
        Cube::VisInfo(info) => {
            out.u8(head);
            out.u32(info.child);
            let seen = cubes.seen_cubes(info);
            out.u32(count(seen.len())?);
            for cube in seen {
                out.u32(*cube);
            }
            let chunks = cubes.seen_chunks(info);
            out.u32(count(chunks.len())?);
            for chunk in chunks {
                out.u32(chunk.chunk.0);
                let seen = cubes.seen_chunk_cubes(chunk);
                out.u32(count(seen.len())?);
                for cube in seen {
                    out.u32(*cube);
                }
            }
        }
        Cube::Collider(collider) => {
            let boxes = cubes.boxes(collider);
            if !(1..=16).contains(&boxes.len()) {
                return Err(format!("{} boxes; 1 to 16 can be", boxes.len()));
            }
            out.u8(head | ((boxes.len() - 1) as u8) << 4);
            out.u32(collider.child);
            out.floats(boxes.as_flattened().as_flattened());
        }
    }
    Ok(())
}

fn chunk_client(data: &ChunkData, client: &ChunkClient) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    write_regions(&mut out, "sound regions", &client.sound_regions)?;
    write_regions(&mut out, "sky regions", &client.sky_regions)?;
    out.count8("lightmaps", client.lightmaps.len())?;
    for (i, lightmap) in client.lightmaps.iter().enumerate() {
        let luxels = 3 * u64::from(lightmap.side()).pow(2);
        let record = format!("luxels of lightmap {i}");
        check_lengths(&record, lightmap.luxels.len(), luxels as usize)?;
        out.u8(lightmap.exponent);
        out.bytes.extend(&lightmap.luxels);
    }
    out.count32("vertices", client.vertices.len())?;
    for vertex in &client.vertices {
        let Vertex {
            position,
            uv,
            lightmap_uv,
        } = vertex;
        out.floats(position);
        out.floats(uv);
        out.floats(lightmap_uv);
    }
    out.count32("normals", client.normals.len())?;
    out.floats(client.normals.as_flattened());

    let count = data.dynamic_lights.len();
    check_lengths("client dynamic lights", client.dynamic_lights.len(), count)?;
    for light in &client.dynamic_lights {
        out.bytes.extend(light.color);
        out.count8("lightmaps of a light", light.layers.len())?;
        for layer in &light.layers {
            let base = client.lightmaps.get(usize::from(layer.lightmap));
            let luxels = base.map_or(0, |base| base.luxels.len());
            check_lengths("luxels of a light", layer.luxels.len(), luxels)?;
            out.u8(layer.lightmap);
            out.bytes.extend(&layer.luxels);
        }
    }
    let count = data.fast_lights.len();
    check_lengths("client fast lights", client.fast_lights.len(), count)?;
    for light in &client.fast_lights {
        out.bytes.extend(light.color);
        out.count32("ranges of vertices", light.ranges().count())?;
        let mut end = 0;
        for (range, multipliers) in light.ranges() {
            let skip = range.start.checked_sub(end).ok_or_else(|| {
                WriteError::new("ranges of vertices", "one begins before the last one ends")
            })?;
            out.u32(skip);
            out.sized("multipliers", multipliers)?;
            end = range.end;
        }
    }
    for (cube, what) in data.cubes.iter() {
        match what {
            Cube::Geometry(geometry) => {
                client_geometry(&mut out, geometry).map_err(|what| in_cube(cube, what))?;
            }
            Cube::LightInfo(info) => {
                let child = info.child.ok_or_else(|| in_cube(cube, no_child()))?;
                out.u32(child);
                out.bytes.extend(info.base);
                for lights in [
                    data.cubes.dynamic_lights(info),
                    data.cubes.fast_lights(info),
                ] {
                    out.count8("lights of a cube", lights.len())?;
                    for LightReference { light, multiplier } in lights {
                        out.bytes.extend([light, multiplier]);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(out.bytes)
}

fn no_child() -> String {
    "nothing is in it".to_owned()
}

fn client_geometry(out: &mut Out, geometry: &Geometry) -> Result<(), String> {
    if geometry.is_client_extended() {
        out.bytes.extend(geometry.lightmaps);
        out.bytes.extend(geometry.triangles);
        out.u32(geometry.first_vertex);
        out.u32(geometry.first_normal);
        return Ok(());
    }
    let [lightmap, ..] = geometry.lightmaps;
    let is_basic = geometry.lightmaps == [lightmap; 6]
        && geometry
            .triangles
            .iter()
            .all(|triangles| matches!(triangles, 0 | 2));
    if !is_basic {
        return Err("sides of a basic cube are no quads, or have different lightmaps".to_owned());
    }
    out.u8(lightmap);
    out.u32(geometry.first_vertex);
    out.u8(geometry.side_mask());
    Ok(())
}

fn chunk_server(data: &ChunkData, server: &ChunkServer) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    out.table(&server.strings)?;
    out.count8("regions", server.regions.len())?;
    for region in &server.regions {
        out.floats(&region.max);
        out.floats(&region.min);
        out.count32("chunks of a region", region.chunks.len())?;
        for chunk in &region.chunks {
            out.u32(chunk.0);
        }
    }
    for (cube, what) in data.cubes.iter() {
        if let Cube::PathInfo(info) = what {
            out.u32(info.child.ok_or_else(|| in_cube(cube, no_child()))?);
            let attributes = data.cubes.attributes(info);
            out.count8("attributes", attributes.len())?;
            for attribute in attributes {
                out.string(attribute.name);
                out.string(attribute.data);
            }
        }
    }
    out.entities(&server.entities);
    Ok(out.bytes)
}
