//! The three sections of a level but for its entities: materials and environments (fact sheet A4
//! to A6).

use super::bytes::{ChunkIndex, Cursor, StringRef, StringTable};
use super::codec::{Named, Names, Out, Reader, Stored as _, by_name, records, unchecked};
use super::{chunk_codec::is_inside, rules};
use crate::{Problems, ReadError, WriteError};

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
    /// Whether the section cannot be read to its end.
    pub is_torn: bool,
}

impl LevelCommon {
    /// The materials by name, as chunks find them: the first one of each name (fact sheet B19). A
    /// name of more than [`LONGEST_NAME_BYTES`](super::LONGEST_NAME_BYTES) finds nothing.
    pub fn materials_by_name(&self) -> Names<'_> {
        by_name(&self.strings, &self.materials)
    }

    /// The physics materials by name, as chunks find them.
    pub fn physics_by_name(&self) -> Names<'_> {
        by_name(&self.strings, &self.physics_materials)
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
    /// Whether the section cannot be read to its end.
    pub is_torn: bool,
}

records! {
    /// A material, as client and server know it (document, "Material").
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Material counted by u16 {
        /// Its name, by which chunks find it.
        pub name: StringRef,
        /// What it is to the game.
        pub kind: StringRef,
        /// Bits, of which [`Material::TRANSPARENT`] and [`Material::LIQUID`] are known.
        pub flags: u8,
        /// How it is drawn: [`Material::NORMAL`] or [`Material::ADD`]; another means the first.
        pub render_mode: u8,
    }

    /// How a material feels (document, "Physics material").
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct PhysicsMaterial counted by u16 {
        /// Its name, by which chunks find it.
        pub name: StringRef,
        /// Bits, of which [`PhysicsMaterial::NOT_SOLID`] is known.
        pub flags: u8,
        /// Friction, or the max speed where it is not solid.
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

    /// How a material sounds (document, "Sound material").
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct SoundMaterial counted by u16 {
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

impl PhysicsMaterial {
    /// One goes through it.
    pub const NOT_SOLID: u8 = 0x01;
}

impl Sky {
    /// A chunk of the level is drawn far away.
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

/// What chunks of a level find by name; none where not all names are known.
#[derive(Debug)]
pub(super) struct LevelNames<'a> {
    pub materials: Option<Names<'a>>,
    pub physics_materials: Option<Names<'a>>,
    pub weathers: Option<Names<'a>>,
    pub gravities: Option<Names<'a>>,
    pub sounds: Option<Names<'a>>,
    pub skies: Option<Names<'a>>,
}

/// The records of a list by name; none where the list is torn, or a name is no string: that may be any.
fn all_by_name<'a>(
    strings: &'a StringTable,
    list: &[impl Named],
    is_torn: bool,
) -> Option<Names<'a>> {
    let mut names = list.iter().map(Named::name);
    let are_known = !is_torn && names.all(|name| strings.has(name.0));
    are_known.then(|| by_name(strings, list))
}

impl<'a> LevelNames<'a> {
    /// Of a level that has a client section or not, which may be there or be lost.
    pub(super) fn new(
        common: &'a LevelCommon,
        has_client: bool,
        client: Option<&'a LevelClient>,
    ) -> Self {
        let strings = &common.strings;
        let no_client = || (!has_client).then(Names::default);
        let of_client = client.filter(|client| !client.is_torn);
        Self {
            materials: all_by_name(strings, &common.materials, common.is_torn),
            physics_materials: all_by_name(strings, &common.physics_materials, common.is_torn),
            weathers: all_by_name(strings, &common.weathers, common.is_torn),
            gravities: all_by_name(strings, &common.gravities, common.is_torn),
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
    /// Reads the common section of a level, as far as it can be read.
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

    /// Reads what follows the strings.
    fn fill(&mut self, r: &mut Reader<'_, '_, '_>) -> Result<(), ReadError> {
        let (materials, _) = r.named("material", |r, at, material: &Material| {
            let known = Material::TRANSPARENT | Material::LIQUID;
            r.check_bits(at + 8, material.flags, known);
            let mode = material.render_mode;
            if mode > Material::ADD {
                r.warn(&rules::RENDER_MODE, at + 9, || {
                    format!("render mode {mode}; there are 0 (normal) and 1 (add)")
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
    /// Reads the client section of a level, whose grid has the given numbers of chunks along Y, X and Z, as
    /// far as it can be read.
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

    /// Reads what follows the strings.
    fn fill(
        &mut self,
        r: &mut Reader<'_, '_, '_>,
        common: &LevelCommon,
        grid: [u32; 3],
    ) -> Result<(), ReadError> {
        let known = all_by_name(&common.strings, &common.materials, common.is_torn);
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
        // Of materials that were not read it has the looks all the same.
        if !common.is_torn {
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
