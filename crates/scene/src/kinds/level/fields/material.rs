//! Descriptions of materials: appearance, physics, sounds and uses.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::describe::numbers::{fixed, short, xyz};
use crate::describe::table::{
    Field, TEXTS, Table, ValueType, decimal, field, flag, integer, section, shown_only,
    summary_only, table, text, vector,
};
use crate::describe::value::Value;
use crate::kinds::level::Map;
use crate::kinds::level::fields::{GRID_PLACES, LevelAt, grid_place, string};
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
        text("Name", "name", |at: &Self| {
            let swatch = at.level.map.material_swatch(at.level.number, at.index);
            Value::from(at.material.name.as_str()).swatch(swatch)
        })
        .in_summary_as("Material"),
        integer("Level", "level", |at: &Self| at.level.link()).derived(),
        integer("Index", "index", |at: &Self| at.index.into()).derived(),
        text("Type", "type", |at| {
            let strings = &at.level.source.common.strings;
            at.common()
                .map(|common| string(strings, common.kind))
                .into()
        }),
        integer("Flags", "flags", |at| {
            at.common().map(|common| Value::hex(common.flags, 2)).into()
        }),
        flag("Transparent", "transparent", |at: &Self| {
            let flag = pmf::Material::TRANSPARENT;
            at.common().map(|common| common.flags & flag != 0).into()
        })
        .derived(),
        flag("Liquid", "liquid", |at: &Self| {
            at.common().map(|_| at.material.is_liquid).into()
        })
        .derived(),
        integer("Render mode", "render_mode", |at| {
            let blend = match at.material.blend {
                Blend::Opaque => "opaque",
                Blend::Alpha => "alpha-blended",
                Blend::Add => "additive",
            };
            let mode = at.common().map(|common| common.render_mode);
            mode.map(|mode| Value::from(mode).shown_as(format!("{mode} ({blend})")))
                .into()
        }),
        integer("Hidden by", "hidden_by", |at: &Self| {
            let Some(first) = at.shadowed_by() else {
                return Value::absent();
            };
            Value::from(first)
                .shown_as(format!("{first}, which has the same name"))
                .link(LevelItem::material(at.level.number, first))
        })
        .derived(),
        flag("Stands for", "stands_for_missing", |at: &Self| {
            at.common().is_none().into()
        })
        .derived()
        .shown(|at| {
            let all = "all materials that the level does not have";
            at.common().is_none().then_some(all).into()
        }),
    ];

    const LOOK: &'a [Field<Self>] = &[
        field("Colour", "color", ValueType::Integers(3), |at| {
            at.of_look(|look| Value::color(look.color))
        }),
        integer("Alpha", "alpha", |at| at.of_look(|look| look.alpha)),
        field("Emission", "emission", ValueType::Integers(3), |at| {
            at.of_look(|look| Value::color(look.emission))
        }),
        integer("Shading", "shading", |at| at.of_look(|look| look.shading)),
        text("Texture", "texture", |at| {
            at.of_look(|look| at.texture(look.texture))
        }),
        text("Matcap", "matcap", |at| {
            at.of_look(|look| at.texture(look.matcap))
        }),
        field("Next texture", "next_textures", TEXTS, |at| {
            at.of_look(|look| {
                let names = look.extra_textures.iter();
                Value::list(names.map(|name| at.texture(*name)))
            })
        }),
        integer("Each texture", "texture_duration_us", |at| {
            at.of_look(|look| Value::amount(look.advance_micros, "µs"))
        }),
        field("Scroll", "scroll_per_s", ValueType::Numbers(2), |at| {
            at.of_look(|look| scroll(look.texture_scroll))
        }),
        field(
            "Matcap scroll",
            "matcap_scroll_per_s",
            ValueType::Numbers(2),
            |at| at.of_look(|look| scroll(look.matcap_scroll)),
        ),
        vector("Wave velocity", "wave_velocity", |at| {
            let ignored = if at.material.is_liquid {
                ""
            } else {
                " (without meaning: it is no liquid)"
            };
            at.of_look(|look| {
                let velocity = look.wave.velocity;
                Value::from(velocity).shown_as(format!("{}{ignored}", xyz(velocity)))
            })
        }),
        decimal("Wave wind", "wave_wind", |at| {
            at.of_look(|look| look.wave.wind)
        }),
        decimal("Wave offset", "wave_offset", |at| {
            at.of_look(|look| look.wave.offset)
        }),
        decimal("Wave scale", "wave_scale", |at| {
            at.of_look(|look| look.wave.scale)
        }),
    ];

    const USE: &'a [Field<Self>] = &[
        decimal("Area", "area_m2", |at: &Self| {
            let area = at.uses.area;
            Value::from(area as f32).shown_as(format!("{} m²", fixed(area, 2)))
        })
        .derived()
        .note(|at| at.use_note().into()),
        integer("Faces", "faces", |at: &Self| at.uses.faces.into())
            .derived()
            .in_summary(),
        summary_only("Area", |at| format!("{} m²", fixed(at.uses.area, 1)).into()),
        integer("Triangles", "triangles", |at: &Self| {
            at.uses.triangles.into()
        })
        .derived(),
        integer("Cubes", "cubes", |at: &Self| at.cube_use().cubes.into()).derived(),
        shown_only("Chunks", |at| at.chunks().len().into()),
        field("In chunk", "chunks", GRID_PLACES, |at: &Self| {
            let chunks = at.chunks().into_iter().map(|chunk| {
                let index = at.level.source.chunks.get(chunk)?.index;
                Some(grid_place(index).link(LevelItem::chunk(at.level.number, chunk)))
            });
            Value::list(chunks).showing(MAX_CHUNKS)
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

    /// Describes a texture that it names, with its thumbnail and its file.
    fn texture(&self, path: StringRef) -> Value {
        let Some(client) = &self.level.source.client else {
            return Value::absent();
        };
        let (map, strings) = (self.level.map, &client.strings);
        let shown = strings.told(path);
        if shown.is_empty() {
            return Value::absent();
        }
        let name = strings.has(path.0).then(|| strings.get(path));
        let path = String::from_utf8_lossy(strings.path(path).unwrap_or_default());
        let found = map.textures.find(&path);
        let archive = map.pmf.archive.as_ref();
        let file = archive.and_then(|archive| archive.find_texture(&path));
        let texture = found.and_then(|found| map.textures.list.get(found));
        let size = texture.map_or_else(|| "not read".to_owned(), LevelTexture::size_text);
        Value::from(name)
            .shown_as(format!("{shown} ({size})"))
            .swatch(found.map(Swatch::Thumbnail))
            .link_if(file.map(LevelItem::archive_file))
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

/// The scroll speed of texture coordinates.
fn scroll([u, v]: [f32; 2]) -> Value {
    Value::from([u, v]).shown_as(format!("u {}  v {} a second", short(u), short(v)))
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
        text("Name", "name", |at: &Self| {
            string(&at.level.source.common.strings, at.record.name)
        })
        .in_summary_as("Physics material"),
        integer("Level", "level", |at: &Self| at.level.number.into()).derived(),
        integer("Index", "index", |at: &Self| at.index.into()).derived(),
        flag("Solid", "solid", |at: &Self| at.is_solid().into())
            .derived()
            .note(|at| (!at.is_solid()).then_some("not solid").into()),
        flag("Material of the air", "is_air", |at: &Self| {
            let common = &at.level.source.common;
            let [air, own] = [common.air_physics, at.record.name];
            (common.strings.name(air) == common.strings.name(own)).into()
        })
        .derived(),
        integer("Flags", "flags", |at| Value::hex(at.record.flags, 2)),
        decimal("Friction", "friction", |at| {
            at.is_solid()
                .then_some(at.record.friction_or_max_speed)
                .into()
        }),
        decimal("Max speed", "max_speed", |at| {
            (!at.is_solid())
                .then_some(at.record.friction_or_max_speed)
                .into()
        }),
        decimal("Traction", "traction", |at| at.record.traction.into()),
        decimal("Bounce", "bounce", |at| at.record.bounce.into()),
        decimal("Damage from speed", "damage_from_speed", |at| {
            at.record.damage_speed.into()
        }),
        decimal("Base damage", "base_damage", |at| {
            at.record.base_damage.into()
        }),
        decimal("Extra damage", "extra_damage", |at| {
            at.record.extra_damage.into()
        }),
    ];

    const USE: &'a [Field<Self>] = &[integer("Used by", "chunks", |at: &Self| {
        Value::count(at.chunk_count(), "chunk")
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
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = table!(
        "Sound material",
        text("Name", "name", |_: &Self| {
            Value::none("none: the file has no names of them")
        })
        .derived(),
        integer("Level", "level", |at: &Self| at.level.number.into()).derived(),
        integer("Index", "index", |at: &Self| at.index.into())
            .derived()
            .in_summary_as("Sound material"),
        decimal("Dampens the volume", "volume_dampening", |at| {
            at.record.volume_dampening.into()
        }),
        decimal("Dampens high frequencies", "frequency_dampening", |at| {
            at.record.frequency_dampening.into()
        }),
    );
}
