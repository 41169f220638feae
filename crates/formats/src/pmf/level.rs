//! The three sections of a level but for its entities: materials and environments (fact sheet A4
//! to A6).

use std::collections::{HashMap, HashSet};

use super::bytes::{ChunkIndex, Cursor, LONGEST_NAME_BYTES, StringRef, StringTable};
use super::rules;
use crate::{Problems, ReadError, quoted};

/// What client and server know of a level (document, "Common level data").
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LevelCommon {
    /// The strings of the section.
    pub strings: StringTable,
    /// Materials of surfaces. Chunks name those that they use.
    pub materials: Vec<Material>,
    /// How surfaces feel.
    pub physics_materials: Vec<PhysicsMaterial>,
    /// How surfaces sound. They have no names (fact sheet B12).
    pub sound_materials: Vec<SoundMaterial>,
    /// Name of the physics material of the air.
    pub air_physics: StringRef,
    /// Kinds of weather.
    pub weathers: Vec<Weather>,
    /// Kinds of gravity.
    pub gravities: Vec<Gravity>,
    /// Name of the weather outside of regions; empty for none.
    pub default_weather: StringRef,
    /// Name of the gravity outside of regions; empty for none.
    pub default_gravity: StringRef,
}

impl LevelCommon {
    /// The materials by name, as chunks find them: the first one of each name (fact sheet B19). A
    /// name of more than [`LONGEST_NAME_BYTES`] finds nothing.
    pub fn materials_by_name(&self) -> HashMap<&[u8], usize> {
        by_name(
            &self.strings,
            self.materials.iter().map(|material| material.name),
        )
    }

    /// The physics materials by name, as chunks find them.
    pub fn physics_by_name(&self) -> HashMap<&[u8], usize> {
        let names = self.physics_materials.iter().map(|material| material.name);
        by_name(&self.strings, names)
    }

    fn material_names(&self) -> Names<'_> {
        names(
            &self.strings,
            self.materials.iter().map(|material| material.name),
        )
    }
}

/// What a client knows of a level (document, "Client level data").
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LevelClient {
    /// The strings of the section.
    pub strings: StringTable,
    /// How rooms sound.
    pub sounds: Vec<SoundEnvironment>,
    /// Kinds of sky.
    pub skies: Vec<Sky>,
    /// Name of the sound environment outside of regions; empty for none.
    pub default_sound: StringRef,
    /// Name of the sky outside of regions; empty for none.
    pub default_sky: StringRef,
    /// How each of [`LevelCommon::materials`] looks, in the same order.
    pub materials: Vec<ClientMaterial>,
}

/// A material, as client and server know it (document, "Material").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Material {
    /// Its name, by which chunks find it.
    pub name: StringRef,
    /// What it is to the game.
    pub kind: StringRef,
    /// Bits, of which [`Material::TRANSPARENT`] and [`Material::LIQUID`] are known.
    pub flags: u8,
    /// How it is drawn: [`Material::NORMAL`] or [`Material::ADD`]; another means the first.
    pub render_mode: u8,
}

impl Material {
    /// It can be seen through.
    pub const TRANSPARENT: u8 = 0x01;
    /// It moves in waves.
    pub const LIQUID: u8 = 0x02;
    /// Render mode: it is in front of what is behind.
    pub const NORMAL: u8 = 0;
    /// Render mode: its light is added to that behind.
    pub const ADD: u8 = 1;
}

/// How a material feels (document, "Physics material").
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PhysicsMaterial {
    /// Its name, by which chunks find it.
    pub name: StringRef,
    /// Bits, of which [`PhysicsMaterial::NOT_SOLID`] is known.
    pub flags: u8,
    /// Friction, or the greatest speed where it is not solid.
    pub friction_or_max_speed: f32,
    /// Traction.
    pub traction: f32,
    /// How much speed a bounce keeps.
    pub bounce: f32,
    /// The speed from which on it hurts.
    pub damage_speed: f32,
    /// How much it hurts at that speed.
    pub base_damage: f32,
    /// How much more for each metre a second above.
    pub extra_damage: f32,
}

impl PhysicsMaterial {
    /// One goes through it.
    pub const NOT_SOLID: u8 = 0x01;
}

/// How a material sounds (document, "Sound material").
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SoundMaterial {
    /// How much it dampens the volume.
    pub volume_dampening: f32,
    /// How much it dampens high frequencies.
    pub frequency_dampening: f32,
}

/// A kind of weather (document, "Weather environment").
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Weather {
    /// Its name, by which regions find it.
    pub name: StringRef,
    /// Direction and speed of the wind, in metres a second.
    pub wind: [f32; 3],
    /// Seed of the noise of its direction.
    pub direction_seed: u32,
    /// How much its direction changes along X, Y and Z.
    pub direction_randomness: [f32; 3],
    /// How fast its direction changes.
    pub direction_speed: f32,
    /// Seed of the noise of its speed.
    pub velocity_seed: u32,
    /// How much its speed changes.
    pub velocity_randomness: f32,
    /// How fast its speed changes.
    pub velocity_speed: f32,
}

/// A kind of gravity (document, "Gravity environment").
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gravity {
    /// Its name, by which regions find it.
    pub name: StringRef,
    /// Acceleration along X, Y and Z.
    pub acceleration: [f32; 3],
}

/// How a room sounds (document, "Sound environment").
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SoundEnvironment {
    /// Its name, by which regions find it.
    pub name: StringRef,
    /// Low pass filter.
    pub low_pass: f32,
    /// High pass filter.
    pub high_pass: f32,
    /// Delay of the reverb.
    pub reverb_delay: f32,
    /// Feedback of the reverb.
    pub reverb_feedback: f32,
    /// Share of the reverb.
    pub reverb_mix: f32,
    /// Low pass filter of the reverb.
    pub reverb_low_pass: f32,
    /// High pass filter of the reverb.
    pub reverb_high_pass: f32,
}

/// A kind of sky (document, "Sky environment").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sky {
    /// Its name, by which regions find it.
    pub name: StringRef,
    /// Bits, of which [`Sky::HAS_3D_SKYBOX`] is known.
    pub flags: u8,
    /// Names of materials of the sides of the skybox: +X, +Y, +Z, -X, -Y, -Z; empty for none.
    pub skybox: [StringRef; 6],
    /// Name of the material of the upper clouds; empty for none.
    pub top_clouds: StringRef,
    /// Name of the material of the lower clouds; empty for none.
    pub bottom_clouds: StringRef,
    /// The chunk that is seen far away; only where the flag says so (fact sheet B22).
    pub skybox_chunk: ChunkIndex,
}

impl Sky {
    /// A chunk of the level is drawn far away.
    pub const HAS_3D_SKYBOX: u8 = 0x01;
}

/// How a material looks (document, "Client-side material").
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClientMaterial {
    /// Red, green, blue.
    pub color: [u8; 3],
    /// 255 is opaque; means nothing unless the material is transparent.
    pub alpha: u8,
    /// Light of its own: red, green, blue.
    pub emission: [u8; 3],
    /// How much it is shaded.
    pub shading: u8,
    /// Path of its texture; empty for none.
    pub texture: StringRef,
    /// Path of its matcap texture; empty for none.
    pub matcap: StringRef,
    /// Paths of the textures that follow the first one in turn.
    pub extra_textures: Vec<StringRef>,
    /// How long a texture is shown before the next, in microseconds.
    pub advance_micros: u32,
    /// How far texture coordinates move in a second.
    pub texture_scroll: [f32; 2],
    /// How far those of the matcap move in a second.
    pub matcap_scroll: [f32; 2],
    /// How it moves; means nothing unless the material is liquid. Always in the file (fact sheet
    /// B21).
    pub wave: Wave,
}

/// How a liquid moves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wave {
    /// Velocity along X, Y and Z.
    pub velocity: [f32; 3],
    /// How much the wind moves it.
    pub wind: f32,
    /// Where the wave begins.
    pub offset: f32,
    /// Its size.
    pub scale: f32,
}

/// Warns of numbers that are not finite.
pub(super) fn warn_of_numbers(
    cursor: &Cursor<'_>,
    problems: &mut Problems,
    at: usize,
    numbers: &[f32],
) {
    if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
        cursor.warn(problems, &rules::NOT_FINITE, at, || {
            format!("a number is {number}; it should be finite")
        });
    }
}

/// Warns of bits that mean nothing.
pub(super) fn warn_of_bits(
    cursor: &Cursor<'_>,
    problems: &mut Problems,
    at: usize,
    flags: u8,
    known: u8,
) {
    if flags & !known != 0 {
        cursor.warn(problems, &rules::RESERVED_BITS, at, || {
            format!("flags {flags:#04x}; only {known:#04x} have a meaning")
        });
    }
}

/// Names of a list, by which others find what is in it.
pub(super) type Names<'s> = HashSet<&'s [u8]>;

/// What chunks of a level find by name.
#[derive(Debug)]
pub(super) struct LevelNames<'a> {
    pub materials: Names<'a>,
    pub physics_materials: Names<'a>,
    pub weathers: Names<'a>,
    pub gravities: Names<'a>,
    pub sounds: Names<'a>,
    pub skies: Names<'a>,
}

impl<'a> LevelNames<'a> {
    pub(super) fn new(common: &'a LevelCommon, client: Option<&'a LevelClient>) -> Self {
        let strings = &common.strings;
        Self {
            materials: common.material_names(),
            physics_materials: names(strings, common.physics_materials.iter().map(|m| m.name)),
            weathers: names(strings, common.weathers.iter().map(|weather| weather.name)),
            gravities: names(strings, common.gravities.iter().map(|gravity| gravity.name)),
            sounds: client.map_or_else(Names::new, |client| {
                names(
                    &client.strings,
                    client.sounds.iter().map(|sound| sound.name),
                )
            }),
            skies: client.map_or_else(Names::new, |client| {
                names(&client.strings, client.skies.iter().map(|sky| sky.name))
            }),
        }
    }
}

fn by_name(strings: &StringTable, names: impl Iterator<Item = StringRef>) -> HashMap<&[u8], usize> {
    let mut indices = HashMap::new();
    for (i, name) in names.enumerate() {
        if let Some(name) = strings.name(name) {
            indices.entry(name).or_insert(i);
        }
    }
    indices
}

fn names(strings: &StringTable, names: impl Iterator<Item = StringRef>) -> Names<'_> {
    names.filter_map(|name| strings.name(name)).collect()
}

/// The names of a list. Warns of one that the list already has: the first one is found by it
/// (fact sheet B33).
fn collect_names<'s>(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    (record, strings): (&'static str, &'s StringTable),
    names: impl Iterator<Item = (usize, StringRef)>,
) -> Names<'s> {
    let mut seen = HashSet::new();
    for (i, (at, name)) in names.enumerate() {
        cursor.enter(record, i);
        let Some(name) = strings.name(name) else {
            cursor.warn(problems, &rules::UNKNOWN_NAME, at, || {
                format!("its name has more than {LONGEST_NAME_BYTES} bytes; nothing finds it")
            });
            continue;
        };
        if !seen.insert(name) {
            cursor.warn(problems, &rules::DUPLICATE_NAME, at, || {
                format!("{} is there already; the first one is used", quoted(name))
            });
        }
    }
    seen
}

/// Reads a name, and warns if it is not in the list.
pub(super) fn read_name(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    strings: &StringTable,
    what: &str,
    known: &Names<'_>,
) -> Result<StringRef, ReadError> {
    read_name_if(cursor, problems, strings, what, &|name| {
        known.contains(name)
    })
}

/// The same of a name that may be empty: there is none then.
fn read_name_or_none(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    strings: &StringTable,
    what: &str,
    known: &Names<'_>,
) -> Result<StringRef, ReadError> {
    read_name_if(cursor, problems, strings, what, &|name| {
        name.is_empty() || known.contains(name)
    })
}

fn read_name_if(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    strings: &StringTable,
    what: &str,
    is_known: &dyn Fn(&[u8]) -> bool,
) -> Result<StringRef, ReadError> {
    let string = cursor.string(strings)?;
    if !strings.name(string).is_some_and(is_known) {
        cursor.warn(problems, &rules::UNKNOWN_NAME, cursor.pos() - 4, || {
            let raw = strings.raw(string).unwrap_or_default();
            format!("the level has no {what} {}", quoted(raw))
        });
    }
    Ok(string)
}

/// Reads the common section of a level, all but the bytes behind it.
pub(super) fn read_common(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
) -> Result<LevelCommon, ReadError> {
    const MATERIAL_BYTES: usize = 10;
    const PHYSICS_BYTES: usize = 29;
    const SOUND_BYTES: usize = 8;
    const WEATHER_BYTES: usize = 48;
    const GRAVITY_BYTES: usize = 16;

    let strings = cursor.string_table()?;
    let mut common = LevelCommon::default();

    cursor.enter("material list", None);
    let count = cursor.u16()?;
    let count = cursor.count(count, MATERIAL_BYTES, "materials")?;
    let start = cursor.pos();
    common.materials.reserve_exact(count);
    for i in 0..count {
        cursor.enter("material", i);
        let at = cursor.pos();
        let material = Material {
            name: cursor.string(&strings)?,
            kind: cursor.string(&strings)?,
            flags: cursor.u8()?,
            render_mode: cursor.u8()?,
        };
        let known = Material::TRANSPARENT | Material::LIQUID;
        warn_of_bits(cursor, problems, at + 8, material.flags, known);
        if material.render_mode > Material::ADD {
            cursor.warn(problems, &rules::RENDER_MODE, at + 9, || {
                let mode = material.render_mode;
                format!("render mode {mode}; there are 0 (normal) and 1 (add)")
            });
        }
        common.materials.push(material);
    }
    let names = common.materials.iter().enumerate();
    let names = names.map(|(i, material)| (start + i * MATERIAL_BYTES, material.name));
    collect_names(cursor, problems, ("material", &strings), names);

    cursor.enter("physics material list", None);
    let count = cursor.u16()?;
    let count = cursor.count(count, PHYSICS_BYTES, "physics materials")?;
    let start = cursor.pos();
    common.physics_materials.reserve_exact(count);
    for i in 0..count {
        cursor.enter("physics material", i);
        let at = cursor.pos();
        let name = cursor.string(&strings)?;
        let flags = cursor.u8()?;
        let numbers = cursor.floats()?;
        warn_of_bits(cursor, problems, at + 4, flags, PhysicsMaterial::NOT_SOLID);
        warn_of_numbers(cursor, problems, at + 5, &numbers);
        let [friction_or_max_speed, traction, bounce, speed, base, extra] = numbers;
        common.physics_materials.push(PhysicsMaterial {
            name,
            flags,
            friction_or_max_speed,
            traction,
            bounce,
            damage_speed: speed,
            base_damage: base,
            extra_damage: extra,
        });
    }
    let names = common.physics_materials.iter().enumerate();
    let names = names.map(|(i, material)| (start + i * PHYSICS_BYTES, material.name));
    let physics_names = collect_names(cursor, problems, ("physics material", &strings), names);

    cursor.enter("sound material list", None);
    let count = cursor.u16()?;
    let count = cursor.count(count, SOUND_BYTES, "sound materials")?;
    common.sound_materials.reserve_exact(count);
    for i in 0..count {
        cursor.enter("sound material", i);
        let at = cursor.pos();
        let numbers = cursor.floats()?;
        warn_of_numbers(cursor, problems, at, &numbers);
        let [volume_dampening, frequency_dampening] = numbers;
        common.sound_materials.push(SoundMaterial {
            volume_dampening,
            frequency_dampening,
        });
    }

    cursor.enter("air physics material", None);
    common.air_physics = read_name_or_none(
        cursor,
        problems,
        &strings,
        "physics material",
        &physics_names,
    )?;

    cursor.enter("weather environment list", None);
    let count = cursor.u8()?;
    let count = cursor.count(count, WEATHER_BYTES, "weather environments")?;
    let start = cursor.pos();
    for i in 0..count {
        cursor.enter("weather environment", i);
        let at = cursor.pos();
        let weather = Weather {
            name: cursor.string(&strings)?,
            wind: cursor.floats()?,
            direction_seed: cursor.u32()?,
            direction_randomness: cursor.floats()?,
            direction_speed: cursor.f32()?,
            velocity_seed: cursor.u32()?,
            velocity_randomness: cursor.f32()?,
            velocity_speed: cursor.f32()?,
        };
        let [a, b] = [weather.wind, weather.direction_randomness];
        warn_of_numbers(cursor, problems, at, &[a, b].concat());
        let scalars = [
            weather.direction_speed,
            weather.velocity_randomness,
            weather.velocity_speed,
        ];
        warn_of_numbers(cursor, problems, at, &scalars);
        common.weathers.push(weather);
    }
    let names = common.weathers.iter().enumerate();
    let names = names.map(|(i, weather)| (start + i * WEATHER_BYTES, weather.name));
    let weather_names = collect_names(cursor, problems, ("weather environment", &strings), names);

    cursor.enter("gravity environment list", None);
    let count = cursor.u8()?;
    let count = cursor.count(count, GRAVITY_BYTES, "gravity environments")?;
    let start = cursor.pos();
    for i in 0..count {
        cursor.enter("gravity environment", i);
        let at = cursor.pos();
        let gravity = Gravity {
            name: cursor.string(&strings)?,
            acceleration: cursor.floats()?,
        };
        warn_of_numbers(cursor, problems, at, &gravity.acceleration);
        common.gravities.push(gravity);
    }
    let names = common.gravities.iter().enumerate();
    let names = names.map(|(i, gravity)| (start + i * GRAVITY_BYTES, gravity.name));
    let gravity_names = collect_names(cursor, problems, ("gravity environment", &strings), names);

    cursor.enter("default weather environment", None);
    common.default_weather = read_name_or_none(
        cursor,
        problems,
        &strings,
        "weather environment",
        &weather_names,
    )?;
    cursor.enter("default gravity environment", None);
    common.default_gravity = read_name_or_none(
        cursor,
        problems,
        &strings,
        "gravity environment",
        &gravity_names,
    )?;

    common.strings = strings;
    Ok(common)
}

/// Reads the client section of a level, all but the bytes behind it. `is_inside` says whether the
/// grid has a chunk.
pub(super) fn read_client(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    common: &LevelCommon,
    is_inside: &dyn Fn(ChunkIndex) -> bool,
) -> Result<LevelClient, ReadError> {
    const SOUND_BYTES: usize = 32;
    const SKY_BYTES: usize = 41;
    const MATERIAL_BYTES: usize = 61;

    let strings = cursor.string_table()?;
    let mut client = LevelClient::default();
    let material_names = common.material_names();

    cursor.enter("sound environment list", None);
    let count = cursor.u8()?;
    let count = cursor.count(count, SOUND_BYTES, "sound environments")?;
    let start = cursor.pos();
    for i in 0..count {
        cursor.enter("sound environment", i);
        let at = cursor.pos();
        let name = cursor.string(&strings)?;
        let numbers = cursor.floats()?;
        warn_of_numbers(cursor, problems, at + 4, &numbers);
        let [
            low_pass,
            high_pass,
            delay,
            feedback,
            mix,
            reverb_low,
            reverb_high,
        ] = numbers;
        client.sounds.push(SoundEnvironment {
            name,
            low_pass,
            high_pass,
            reverb_delay: delay,
            reverb_feedback: feedback,
            reverb_mix: mix,
            reverb_low_pass: reverb_low,
            reverb_high_pass: reverb_high,
        });
    }
    let names = client.sounds.iter().enumerate();
    let names = names.map(|(i, sound)| (start + i * SOUND_BYTES, sound.name));
    let sound_names = collect_names(cursor, problems, ("sound environment", &strings), names);

    cursor.enter("sky environment list", None);
    let count = cursor.u8()?;
    let count = cursor.count(count, SKY_BYTES, "sky environments")?;
    let start = cursor.pos();
    for i in 0..count {
        cursor.enter("sky environment", i);
        let at = cursor.pos();
        let mut sky = Sky {
            name: cursor.string(&strings)?,
            flags: cursor.u8()?,
            ..Sky::default()
        };
        warn_of_bits(cursor, problems, at + 4, sky.flags, Sky::HAS_3D_SKYBOX);
        let mut material = |cursor: &mut Cursor<'_>| {
            read_name_or_none(cursor, problems, &strings, "material", &material_names)
        };
        for side in &mut sky.skybox {
            *side = material(cursor)?;
        }
        sky.top_clouds = material(cursor)?;
        sky.bottom_clouds = material(cursor)?;
        sky.skybox_chunk = ChunkIndex(cursor.u32()?);
        if sky.flags & Sky::HAS_3D_SKYBOX != 0 && !is_inside(sky.skybox_chunk) {
            cursor.warn(problems, &rules::CHUNK_INDEX, at + 37, || {
                let chunk = sky.skybox_chunk;
                format!("the grid has no chunk {chunk} for the skybox")
            });
        }
        client.skies.push(sky);
    }
    let names = client.skies.iter().enumerate();
    let names = names.map(|(i, sky)| (start + i * SKY_BYTES, sky.name));
    let sky_names = collect_names(cursor, problems, ("sky environment", &strings), names);

    cursor.enter("default sound environment", None);
    client.default_sound = read_name_or_none(
        cursor,
        problems,
        &strings,
        "sound environment",
        &sound_names,
    )?;
    cursor.enter("default sky environment", None);
    client.default_sky =
        read_name_or_none(cursor, problems, &strings, "sky environment", &sky_names)?;

    cursor.enter("client material list", None);
    let count = common.materials.len() as u64;
    let count = cursor.count(count, MATERIAL_BYTES, "client materials")?;
    client.materials.reserve_exact(count);
    for i in 0..count {
        cursor.enter("client material", i);
        let at = cursor.pos();
        let mut material = ClientMaterial {
            color: cursor.array()?,
            alpha: cursor.u8()?,
            emission: cursor.array()?,
            shading: cursor.u8()?,
            texture: cursor.string(&strings)?,
            matcap: cursor.string(&strings)?,
            ..ClientMaterial::default()
        };
        let extra = cursor.u8()?;
        for _ in 0..cursor.count(extra, 4, "extra textures")? {
            material.extra_textures.push(cursor.string(&strings)?);
        }
        material.advance_micros = cursor.u32()?;
        material.texture_scroll = cursor.floats()?;
        material.matcap_scroll = cursor.floats()?;
        let numbers = cursor.floats()?;
        let [x, y, z, wind, offset, scale] = numbers;
        material.wave = Wave {
            velocity: [x, y, z],
            wind,
            offset,
            scale,
        };
        warn_of_numbers(cursor, problems, at, &material.texture_scroll);
        warn_of_numbers(cursor, problems, at, &material.matcap_scroll);
        warn_of_numbers(cursor, problems, at, &numbers);
        client.materials.push(material);
    }

    client.strings = strings;
    Ok(client)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_name_is_found() {
        let named = |name| Material {
            name: StringRef(name),
            ..Material::default()
        };
        let common = LevelCommon {
            strings: StringTable::new(b"wood\0iron\0wood\0"),
            materials: [5, 0, 10, 5].map(named).to_vec(),
            ..LevelCommon::default()
        };
        let found = common.materials_by_name();
        assert_eq!(found.get(&b"iron"[..]), Some(&0));
        assert_eq!(found.get(&b"wood"[..]), Some(&1));
        assert_eq!(found.len(), 2);
    }
}
