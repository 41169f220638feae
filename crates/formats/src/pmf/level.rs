//! The three sections of a level without its entities: materials and environments (fact sheet A4 to
//! A6).

use super::bytes::{ChunkIndex, Cursor, StringRef, StringTable};
use super::codec::{Named, Names, Out, Reader, Stored as _, by_name, records, unchecked};
use super::{chunk_codec::is_inside, rules};
use crate::{Problems, ReadError, WriteError};

/// Level data shared by client and server (document, "Common level data").
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LevelCommon {
    /// The strings of the section.
    pub strings: StringTable,
    /// Materials of surfaces. Chunks list the names of those they use.
    pub materials: Vec<Material>,
    /// Physical behaviour of surfaces.
    pub physics_materials: Vec<PhysicsMaterial>,
    /// Acoustic behaviour of surfaces. They have no names (fact sheet B12).
    pub sound_materials: Vec<SoundMaterial>,
    /// Name of the physics material of the air.
    pub air_physics: StringRef,
    /// Kinds of weather.
    pub weathers: Vec<Weather>,
    /// Kinds of gravity.
    pub gravities: Vec<Gravity>,
    /// Name of the weather outside regions; empty for no weather.
    pub default_weather: StringRef,
    /// Name of the gravity outside regions; empty for no gravity.
    pub default_gravity: StringRef,
    /// `true` if the section cannot be read to its end.
    pub is_incomplete: bool,
}

impl LevelCommon {
    /// The materials by name, for lookups by chunks; the first one of each name wins (fact sheet
    /// B19). Names longer than [`LONGEST_NAME_BYTES`](super::LONGEST_NAME_BYTES) never match.
    pub fn materials_by_name(&self) -> Names<'_> {
        by_name(&self.strings, &self.materials)
    }

    /// The physics materials by name, for lookups by chunks.
    pub fn physics_by_name(&self) -> Names<'_> {
        by_name(&self.strings, &self.physics_materials)
    }
}

/// Client data of a level (document, "Client level data").
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LevelClient {
    /// The strings of the section.
    pub strings: StringTable,
    /// Acoustics of rooms.
    pub sounds: Vec<SoundEnvironment>,
    /// Kinds of sky.
    pub skies: Vec<Sky>,
    /// Name of the sound environment outside regions; empty for no environment.
    pub default_sound: StringRef,
    /// Name of the sky outside regions; empty for no sky.
    pub default_sky: StringRef,
    /// Appearance of each of [`LevelCommon::materials`], in the same order.
    pub materials: Vec<ClientMaterial>,
    /// `true` if the section cannot be read to its end.
    pub is_incomplete: bool,
}

records! {
    /// The part of a material shared by client and server (document, "Material").
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Material counted by u16 {
        /// Its name, by which chunks refer to it.
        pub name: StringRef,
        /// Its type in the game.
        pub kind: StringRef,
        /// Bits; [`Material::TRANSPARENT`] and [`Material::LIQUID`] are known.
        pub flags: u8,
        /// Render mode: [`Material::NORMAL`] or [`Material::ADD`]; any other value means the first.
        pub render_mode: u8,
    }

    /// Physical behaviour of a material (document, "Physics material").
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct PhysicsMaterial counted by u16 {
        /// Its name, by which chunks refer to it.
        pub name: StringRef,
        /// Bits; [`PhysicsMaterial::NOT_SOLID`] is known.
        pub flags: u8,
        /// Friction, or the max speed if it is not solid.
        pub friction_or_max_speed: f32,
        /// Traction.
        pub traction: f32,
        /// Share of the speed that a bounce keeps.
        pub bounce: f32,
        /// Minimum speed that causes damage.
        pub damage_speed: f32,
        /// Damage at that speed.
        pub base_damage: f32,
        /// Additional damage for each metre per second above it.
        pub extra_damage: f32,
    }

    /// Acoustic behaviour of a material (document, "Sound material").
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct SoundMaterial counted by u16 {
        /// Dampening of the volume.
        pub volume_dampening: f32,
        /// Dampening of high frequencies.
        pub frequency_dampening: f32,
    }

    /// A kind of weather (document, "Weather environment").
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct Weather {
        /// Its name, by which regions refer to it.
        pub name: StringRef,
        /// Direction and speed of the wind, in metres per second.
        pub wind: [f32; 3],
        /// Seed of the noise of its direction.
        pub direction_seed: u32,
        /// Amount of change of its direction along X, Y and Z.
        pub direction_randomness: [f32; 3],
        /// Speed of change of its direction.
        pub direction_speed: f32,
        /// Seed of the noise of its speed.
        pub velocity_seed: u32,
        /// Amount of change of its speed.
        pub velocity_randomness: f32,
        /// Rate of change of its speed.
        pub velocity_speed: f32,
    }

    /// A kind of gravity (document, "Gravity environment").
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct Gravity {
        /// Its name, by which regions refer to it.
        pub name: StringRef,
        /// Acceleration along X, Y and Z.
        pub acceleration: [f32; 3],
    }

    /// Acoustics of a room (document, "Sound environment").
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct SoundEnvironment {
        /// Its name, by which regions refer to it.
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
        /// Its name, by which regions refer to it.
        pub name: StringRef,
        /// Bits; [`Sky::HAS_3D_SKYBOX`] is known.
        pub flags: u8,
        /// Material names of the sides of the skybox: +X, +Y, +Z, -X, -Y, -Z; empty for no
        /// material.
        pub skybox: [StringRef; 6],
        /// Material name of the upper clouds; empty for no clouds.
        pub top_clouds: StringRef,
        /// Material name of the lower clouds; empty for no clouds.
        pub bottom_clouds: StringRef,
        /// The chunk drawn in the distance; valid only with the flag (fact sheet B22).
        pub skybox_chunk: ChunkIndex,
    }

    /// Appearance of a material (document, "Client-side material").
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ClientMaterial {
        /// Red, green, blue.
        pub color: [u8; 3],
        /// Opacity, 255 is opaque; ignored unless the material is transparent.
        pub alpha: u8,
        /// Emitted light: red, green, blue.
        pub emission: [u8; 3],
        /// Strength of the shading.
        pub shading: u8,
        /// Path of its texture; empty for no texture.
        pub texture: StringRef,
        /// Path of its matcap texture; empty for no texture.
        pub matcap: StringRef,
        /// Paths of the further textures of the animation, which follow the first one in turn.
        pub extra_textures: Vec<StringRef>,
        /// Display time of each texture, in microseconds.
        pub advance_micros: u32,
        /// Movement of the texture coordinates per second.
        pub texture_scroll: [f32; 2],
        /// Movement of the matcap coordinates per second.
        pub matcap_scroll: [f32; 2],
        /// Waves; ignored unless the material is liquid. Always in the file (fact sheet B21).
        pub wave: Wave,
    }

    /// Movement of a liquid.
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct Wave {
        /// Velocity along X, Y and Z.
        pub velocity: [f32; 3],
        /// Influence of the wind.
        pub wind: f32,
        /// Start of the wave.
        pub offset: f32,
        /// Size of the wave.
        pub scale: f32,
    }
}

impl Material {
    /// See-through.
    pub const TRANSPARENT: u8 = 0x01;
    /// Moves in waves.
    pub const LIQUID: u8 = 0x02;
    /// Render mode: drawn over the background.
    pub const NORMAL: u8 = 0;
    /// Render mode: added to the background.
    pub const ADD: u8 = 1;
}

impl PhysicsMaterial {
    /// Entities pass through it.
    pub const NOT_SOLID: u8 = 0x01;
}

impl Sky {
    /// A chunk of the level is drawn in the distance.
    pub const HAS_3D_SKYBOX: u8 = 0x01;
}

macro_rules! named {
    ($($record:ident)+) => {
        $(impl Named for $record {
            fn name(&self) -> StringRef {
                self.name
            }
        })+
    };
}
named!(Material PhysicsMaterial Weather Gravity SoundEnvironment Sky);

/// Names of the level that chunks look up; `None` if some names are unknown.
#[derive(Debug)]
pub(super) struct LevelNames<'a> {
    pub materials: Option<Names<'a>>,
    pub physics_materials: Option<Names<'a>>,
    pub weathers: Option<Names<'a>>,
    pub gravities: Option<Names<'a>>,
    pub sounds: Option<Names<'a>>,
    pub skies: Option<Names<'a>>,
}

/// The records of a list by name. `None` if the list is torn or a name is not a string, because any
/// name may then be valid.
fn all_by_name<'a>(
    strings: &'a StringTable,
    list: &[impl Named],
    is_incomplete: bool,
) -> Option<Names<'a>> {
    let mut names = list.iter().map(Named::name);
    let are_known = !is_incomplete && names.all(|name| strings.has(name.0));
    are_known.then(|| by_name(strings, list))
}

impl<'a> LevelNames<'a> {
    /// The names of a level. `has_client` is `true` if it has a client section, even if that
    /// section is unreadable.
    pub(super) fn new(
        common: &'a LevelCommon,
        has_client: bool,
        client: Option<&'a LevelClient>,
    ) -> Self {
        let strings = &common.strings;
        let no_client = || (!has_client).then(Names::default);
        let of_client = client.filter(|client| !client.is_incomplete);
        Self {
            materials: all_by_name(strings, &common.materials, common.is_incomplete),
            physics_materials: all_by_name(
                strings,
                &common.physics_materials,
                common.is_incomplete,
            ),
            weathers: all_by_name(strings, &common.weathers, common.is_incomplete),
            gravities: all_by_name(strings, &common.gravities, common.is_incomplete),
            sounds: match of_client {
                Some(of) => all_by_name(&of.strings, &of.sounds, false),
                None => no_client(),
            },
            skies: match of_client {
                Some(of) => all_by_name(&of.strings, &of.skies, false),
                None => no_client(),
            },
        }
    }
}

impl LevelCommon {
    /// Reads as much of the common section of a level as possible.
    pub(super) fn read(
        &mut self,
        mut cursor: Cursor<'_>,
        problems: &mut Problems,
    ) -> Result<(), ReadError> {
        let strings = cursor.string_table()?;
        self.strings = strings.clone();
        self.fill(&mut Reader {
            cursor,
            strings: &strings,
            problems,
        })
    }

    /// Reads the fields after the strings.
    fn fill(&mut self, r: &mut Reader<'_, '_, '_>) -> Result<(), ReadError> {
        let (materials, _) = r.named("material", |r, at, material: &Material| {
            let known = Material::TRANSPARENT | Material::LIQUID;
            r.check_bits(at + 8, material.flags, known);
            let mode = material.render_mode;
            if mode > Material::ADD {
                r.warn(&rules::RENDER_MODE, at + 9, || {
                    format!("render mode {mode}; expected 0 (normal) or 1 (add)")
                });
            }
        })?;
        self.materials = materials;
        let (physics_materials, physics) =
            r.named("physics material", |r, at, material: &PhysicsMaterial| {
                r.check_bits(at + 4, material.flags, PhysicsMaterial::NOT_SOLID);
            })?;
        self.physics_materials = physics_materials;
        self.sound_materials = r.list("sound material", unchecked)?;
        self.air_physics = r.default_name("air physics material", "physics material", &physics)?;
        let what = "weather environment";
        let (weathers, weather_names) = r.named(what, unchecked)?;
        self.weathers = weathers;
        let gravity = "gravity environment";
        let (gravities, gravity_names) = r.named(gravity, unchecked)?;
        self.gravities = gravities;
        self.default_weather =
            r.default_name("default weather environment", what, &weather_names)?;
        self.default_gravity =
            r.default_name("default gravity environment", gravity, &gravity_names)?;
        r.finish();
        Ok(())
    }

    pub(super) fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Out::default();
        out.sized("string table", self.strings.bytes());
        out.list("material", &self.materials);
        out.list("physics material", &self.physics_materials);
        out.list("sound material", &self.sound_materials);
        self.air_physics.write(&mut out);
        out.list("weather environment", &self.weathers);
        out.list("gravity environment", &self.gravities);
        [self.default_weather, self.default_gravity].write(&mut out);
        out.finish()
    }
}

impl LevelClient {
    /// Reads as much of the client section of a level as possible. `grid` is the number of chunks
    /// along Y, X and Z.
    pub(super) fn read(
        &mut self,
        mut cursor: Cursor<'_>,
        problems: &mut Problems,
        common: &LevelCommon,
        grid: [u32; 3],
    ) -> Result<(), ReadError> {
        let strings = cursor.string_table()?;
        self.strings = strings.clone();
        let mut r = Reader {
            cursor,
            strings: &strings,
            problems,
        };
        self.fill(&mut r, common, grid)
    }

    /// Reads the fields after the strings.
    fn fill(
        &mut self,
        r: &mut Reader<'_, '_, '_>,
        common: &LevelCommon,
        grid: [u32; 3],
    ) -> Result<(), ReadError> {
        let known = all_by_name(&common.strings, &common.materials, common.is_incomplete);
        let sound = "sound environment";
        let (sounds, sound_names) = r.named(sound, unchecked)?;
        self.sounds = sounds;
        let (skies, sky_names) = r.named("sky environment", |r, at, sky: &Sky| {
            r.check_bits(at + 4, sky.flags, Sky::HAS_3D_SKYBOX);
            let clouds = [&sky.top_clouds, &sky.bottom_clouds];
            for (i, material) in sky.skybox.iter().chain(clouds).enumerate() {
                r.check_name_if_any(at + 5 + 4 * i, *material, "material", known.as_ref());
            }
            let chunk = sky.skybox_chunk;
            if sky.flags & Sky::HAS_3D_SKYBOX != 0 && !is_inside(grid, chunk) {
                r.warn(&rules::CHUNK_INDEX, at + 37, || {
                    format!("the grid has no chunk {chunk} for the skybox")
                });
            }
        })?;
        self.skies = skies;
        self.default_sound = r.default_name("default sound environment", sound, &sound_names)?;
        self.default_sky =
            r.default_name("default sky environment", "sky environment", &sky_names)?;
        let count = common.materials.len() as u64;
        self.materials = r.records("client material", count, |_, _, _| true)?;
        // The section also has the appearance of materials that were not read.
        if !common.is_incomplete {
            r.finish();
        }
        Ok(())
    }

    pub(super) fn write(&self, common: &LevelCommon) -> Result<Vec<u8>, WriteError> {
        let mut out = Out::default();
        out.sized("string table", self.strings.bytes());
        out.list("sound environment", &self.sounds);
        out.list("sky environment", &self.skies);
        [self.default_sound, self.default_sky].write(&mut out);
        out.records("client material", &self.materials, common.materials.len());
        out.finish()
    }
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
