//! Descriptions of materials: appearance, physics, sounds and uses.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::describe::fields::{Field, Table, Value, field, section, summary_only};
use crate::describe::numbers::{fixed, short, xyz};
use crate::kinds::level::Map;
use crate::kinds::level::fields::LevelAt;
use crate::kinds::level::fields::cube::whole;
use crate::kinds::level::known::{CubeUse, Use};
use crate::kinds::level::materials::{Blend, Material};
use crate::kinds::level::textures::LevelTexture;
use crate::{LevelItem, Swatch};
use mapscope_formats::counted;
use mapscope_formats::pmf::{self, ClientMaterial, PhysicsMaterial, SoundMaterial, StringRef};

/// Maximum number of listed chunks of a material.
const MAX_CHUNKS: usize = 64;

impl Map {
    /// Returns the thumbnail or the colour of a material.
    pub(in crate::kinds::level) fn material_swatch(
        &self,
        level: usize,
        index: usize,
    ) -> Option<Swatch> {
        let materials = &self.levels.get(level)?.materials;
        let look = materials.list.get(index)?.look.as_ref()?;
        let color = Swatch::Color(look.color);
        Some(look.texture.map_or(color, Swatch::Thumbnail))
    }

    /// Returns a material of a level, or its substitute for missing ones.
    pub(in crate::kinds::level) fn material_at(
        &self,
        level: u32,
        index: u32,
    ) -> Option<MaterialAt<'_>> {
        let (level, index) = (self.level_at(level as usize)?, index as usize);
        Some(MaterialAt {
            level,
            index,
            material: level.data.materials.list.get(index)?,
            uses: level.data.uses().get(index)?,
        })
    }

    /// Returns a record from a list of a level's common section.
    pub(in crate::kinds::level) fn in_common<T>(
        &self,
        level: u32,
        index: u32,
        list: fn(&pmf::LevelCommon) -> &[T],
    ) -> Option<InCommon<'_, T>> {
        let (level, index) = (self.level_at(level as usize)?, index as usize);
        Some(InCommon {
            level,
            index,
            record: list(&level.source.common).get(index)?,
        })
    }

    /// Returns the names that chunks of a level use for sound materials; the level itself has no
    /// names for them.
    pub(in crate::kinds::level) fn sound_labels(&self, level: usize) -> Vec<String> {
        let mut names = BTreeSet::new();
        for data in self.chunks_of(level).filter_map(|at| at.data()) {
            let sounds = data.sound_materials.iter();
            names.extend(sounds.map(|name| data.strings.told(*name)));
            if names.len() > MAX_CHUNKS {
                break;
            }
        }
        names.into_iter().map(Cow::into_owned).collect()
    }
}

/// A material of a level.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct MaterialAt<'a> {
    level: LevelAt<'a>,
    index: usize,
    material: &'a Material,
    uses: &'a Use,
}

impl<'a> MaterialAt<'a> {
    /// The fields of a material.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Material", Self::MATERIAL),
            section("Look", Self::LOOK),
            section("Use", Self::USE),
        ],
    };

    const MATERIAL: &'a [Field<Self>] = &[
        field("Name", |at: &Self| {
            let swatch = at.level.map.material_swatch(at.level.number, at.index);
            Value::from(at.material.name.as_str()).swatch(swatch)
        })
        .in_summary_as("Material"),
        field("Level", |at: &Self| at.level.link()).derived(),
        field("Index", |at: &Self| at.index.into()).derived(),
        field("Type", |at| {
            let strings = &at.level.source.common.strings;
            at.common().map(|common| strings.told(common.kind)).into()
        }),
        field("Flags", |at| {
            at.common().map(|c| Value::bits(c.flags)).into()
        }),
        field("Transparent", |at: &Self| {
            let flag = pmf::Material::TRANSPARENT;
            at.common().map(|common| common.flags & flag != 0).into()
        })
        .derived(),
        field("Liquid", |at: &Self| {
            at.common().map(|_| at.material.is_liquid).into()
        })
        .derived(),
        field("Render mode", |at: &Self| {
            let blend = match at.material.blend {
                Blend::Opaque => "opaque",
                Blend::Alpha => "alpha-blended",
                Blend::Add => "additive",
            };
            let mode = |common: &pmf::Material| format!("{} ({blend})", common.render_mode);
            at.common().map(mode).into()
        })
        .own(|at| at.common().map(|common| common.render_mode).into()),
        field("Hidden by", |at: &Self| {
            let Some(first) = at.shadowed_by() else {
                return Value::absent();
            };
            let item = LevelItem::material(at.level.number, first);
            Value::from(format!("{first}, which has the same name")).link(item)
        })
        .derived(),
        field("Stands for", |at: &Self| {
            let all = "all materials that the level does not have";
            at.common().is_none().then_some(all).into()
        })
        .derived(),
    ];

    const LOOK: &'a [Field<Self>] = &[
        field("Colour", |at| at.of_look(|look| Value::color(look.color))),
        field("Alpha", |at| at.of_look(|look| look.alpha)),
        field("Emission", |at| {
            at.of_look(|look| Value::color(look.emission))
        }),
        field("Shading", |at| at.of_look(|look| look.shading)),
        field("Texture", Self::textures).own(Self::texture_names),
        field("Each texture", |at| {
            let micros = |look: &ClientMaterial| format!("{} µs", look.advance_micros);
            at.look().map(micros).into()
        }),
        field("Scroll", |at: &Self| {
            at.of_look(|look| scroll(look.texture_scroll))
        })
        .own(|at| at.of_look(|look| numbers(&look.texture_scroll))),
        field("Matcap scroll", |at: &Self| {
            at.of_look(|look| scroll(look.matcap_scroll))
        })
        .own(|at| at.of_look(|look| numbers(&look.matcap_scroll))),
        field("Wave velocity", |at: &Self| {
            let ignored = if at.material.is_liquid {
                ""
            } else {
                " (without meaning: it is no liquid)"
            };
            let velocity = |look: &ClientMaterial| format!("{}{ignored}", xyz(look.wave.velocity));
            at.look().map(velocity).into()
        })
        .own(|at| at.of_look(|look| look.wave.velocity)),
        field("Wave wind", |at| at.of_look(|look| look.wave.wind)),
        field("Wave offset", |at| at.of_look(|look| look.wave.offset)),
        field("Wave scale", |at| at.of_look(|look| look.wave.scale)),
    ];

    const USE: &'a [Field<Self>] = &[
        field("Area", |at: &Self| {
            format!("{} m²", fixed(at.uses.area, 2)).into()
        })
        .derived()
        .note(|at| at.use_note().into()),
        field("Faces", |at: &Self| at.uses.faces.into())
            .derived()
            .in_summary(),
        summary_only("Area", |at| format!("{} m²", fixed(at.uses.area, 1)).into()),
        field("Triangles", |at: &Self| at.uses.triangles.into()).derived(),
        field("Cubes", |at: &Self| at.cube_use().cubes.into()).derived(),
        field("Chunks", |at: &Self| at.chunks().len().into()).derived(),
        field("In chunk", |at: &Self| {
            let chunks = at.chunks();
            let chunks = chunks.iter().map(|chunk| {
                let name = at.level.source.chunks.get(*chunk)?.index.to_string();
                Some(Value::from(name).link(LevelItem::chunk(at.level.number, *chunk)))
            });
            Value::list_up_to(MAX_CHUNKS, chunks)
        })
        .derived(),
    ];

    /// Record in the common section, or `None` for a material that is not in the file.
    fn common(&self) -> Option<&'a pmf::Material> {
        self.level.source.common.materials.get(self.index)
    }

    /// Reads a value of the client record.
    fn of_look<T: Into<Value>>(&self, read: impl Fn(&ClientMaterial) -> T) -> Value {
        self.look().map(read).into()
    }

    /// Record in the client section.
    fn look(&self) -> Option<&'a ClientMaterial> {
        let client = self.level.source.client.as_ref()?;
        client.materials.get(self.index)
    }

    /// Index of an earlier material with the same name, which chunks find instead of this one.
    fn shadowed_by(&self) -> Option<usize> {
        let common = &self.level.source.common;
        let name = common.strings.name(self.common()?.name)?;
        let first = common.materials_by_name().get(name).copied();
        first.filter(|first| *first != self.index)
    }

    /// Returns the strings that name its textures, each with its role.
    fn named_textures(
        &self,
    ) -> impl Iterator<Item = (&'static str, StringRef, &'a pmf::LevelClient)> {
        let look = self.look().zip(self.level.source.client.as_ref());
        look.into_iter().flat_map(|(look, client)| {
            let next = look.extra_textures.iter();
            let next = next.map(|name| ("Next texture", *name));
            let named = [("Texture", look.texture), ("Matcap", look.matcap)].into_iter();
            named
                .chain(next)
                .map(move |(what, name)| (what, name, client))
        })
    }

    /// Lists the names of its textures.
    fn texture_names(&self) -> Value {
        let names = self.named_textures();
        let names = names.map(|(what, name, client)| (what, whole(&client.strings, name)));
        let names = names.filter(|(_, name)| !name.is_empty());
        Value::list(names.map(|(what, name)| Value::from(name).named(what)))
    }

    /// Lists its textures, with their thumbnails and files.
    fn textures(&self) -> Value {
        let map = self.level.map;
        Value::list(self.named_textures().filter_map(|(name, path, client)| {
            let shown = client.strings.told(path);
            if shown.is_empty() {
                return None;
            }
            let path = String::from_utf8_lossy(client.strings.path(path).unwrap_or_default());
            let found = map.textures.find(&path);
            let archive = map.pmf.archive.as_ref();
            let file = archive.and_then(|archive| archive.find_texture(&path));
            let texture = found.and_then(|found| map.textures.list.get(found));
            let size = texture.map_or_else(|| "not read".to_owned(), LevelTexture::size_text);
            let line = Value::from(format!("{shown} ({size})")).named(name);
            let line = line.swatch(found.map(Swatch::Thumbnail));
            Some(line.link_if(file.map(LevelItem::archive_file)))
        }))
    }

    /// Returns its use by cubes.
    fn cube_use(&self) -> CubeUse {
        let uses = self.level.data.cube_uses(self.level.source);
        uses.get(self.index).cloned().unwrap_or_default()
    }

    /// Numbers of the chunks with cubes or faces that have it, in ascending order.
    fn chunks(&self) -> BTreeSet<usize> {
        let of_faces = self.uses.chunks.iter().copied();
        of_faces.chain(self.cube_use().chunks).collect()
    }

    fn use_note(&self) -> String {
        match self.uses.faces {
            0 => match self.cube_use().cubes {
                0 => "not used".to_owned(),
                cubes => format!("{}, no face", counted(cubes, "cube")),
            },
            faces => {
                let area = short((self.uses.area * 10.0).round() as f32 / 10.0);
                format!("{area} m², {}", counted(faces, "face"))
            }
        }
    }
}

/// Formats numbers with all their digits.
fn numbers(numbers: &[f32]) -> String {
    let numbers = numbers.iter().map(f32::to_string);
    numbers.collect::<Vec<_>>().join(" ")
}

/// Formats the scroll speed of texture coordinates.
fn scroll([u, v]: [f32; 2]) -> String {
    format!("u {}  v {} a second", short(u), short(v))
}

/// A record from a list of a level's common section.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct InCommon<'a, T> {
    level: LevelAt<'a>,
    index: usize,
    record: &'a T,
}

/// The physical properties of a material.
pub(in crate::kinds::level) type PhysicsMaterialAt<'a> = InCommon<'a, PhysicsMaterial>;

impl<'a> PhysicsMaterialAt<'a> {
    /// The fields of a physics material.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Physics material", Self::PHYSICS),
            section("Use", Self::USE),
        ],
    };

    const PHYSICS: &'a [Field<Self>] = &[
        field("Name", |at: &Self| {
            let strings = &at.level.source.common.strings;
            strings.told(at.record.name).into()
        })
        .in_summary_as("Physics material"),
        field("Level", |at: &Self| at.level.number.into()).derived(),
        field("Index", |at: &Self| at.index.into()).derived(),
        field("Solid", |at: &Self| at.is_solid().into())
            .derived()
            .note(|at| (!at.is_solid()).then_some("not solid").into()),
        field("Material of the air", |at: &Self| {
            let common = &at.level.source.common;
            let [air, own] = [common.air_physics, at.record.name];
            (common.strings.name(air) == common.strings.name(own)).into()
        })
        .derived(),
        field("Flags", |at| Value::bits(at.record.flags)),
        field("Friction", |at| {
            let name = if at.is_solid() {
                "Friction"
            } else {
                "Max speed"
            };
            Value::from(at.record.friction_or_max_speed).named(name)
        }),
        field("Traction", |at| at.record.traction.into()),
        field("Bounce", |at| at.record.bounce.into()),
        field("Damage from speed", |at| at.record.damage_speed.into()),
        field("Base damage", |at| at.record.base_damage.into()),
        field("Extra damage", |at| at.record.extra_damage.into()),
    ];

    const USE: &'a [Field<Self>] = &[field("Used by", |at: &Self| {
        counted(at.chunk_count(), "chunk").into()
    })
    .derived()];

    fn is_solid(&self) -> bool {
        self.record.flags & PhysicsMaterial::NOT_SOLID == 0
    }

    /// Number of chunks that use it.
    fn chunk_count(&self) -> usize {
        let name = self.level.source.common.strings.name(self.record.name);
        let chunks = self.level.map.chunks_of(self.level.number);
        let users = chunks.filter_map(|at| at.data()).filter(|data| {
            let mut names = data.physics_materials.iter();
            name.is_some() && names.any(|used| data.strings.name(*used) == name)
        });
        users.count()
    }
}

/// The sounds of a material.
pub(in crate::kinds::level) type SoundMaterialAt<'a> = InCommon<'a, SoundMaterial>;

impl<'a> SoundMaterialAt<'a> {
    /// The fields of a sound material.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Sound material", Self::SOUND)],
    };

    const SOUND: &'a [Field<Self>] = &[
        field("Name", |_: &Self| {
            "none: the file has no names of them".into()
        })
        .derived(),
        field("Level", |at: &Self| at.level.number.into()).derived(),
        field("Index", |at: &Self| at.index.into())
            .derived()
            .in_summary_as("Sound material"),
        field("Dampens the volume", |at| at.record.volume_dampening.into()),
        field("Dampens high frequencies", |at| {
            at.record.frequency_dampening.into()
        }),
    ];
}
