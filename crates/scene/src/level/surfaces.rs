//! Everything about the materials of surfaces: how they look, feel and sound, and where they are.

use super::Map;
use super::date;
use super::materials::Blend;
use super::properties::{colored, yes};
use super::textures::LevelTexture;
use crate::numbers::{plural, short, xyz};
use crate::{LevelItem, Property, PropertyGroup, Swatch};
use mapscope_formats::pmf::{PhysicsMaterial, Wave};

/// How many chunks are listed of a material.
const MOST_CHUNKS: usize = 64;

impl Map {
    /// The picture or the colour of a material.
    pub(super) fn material_swatch(&self, level: usize, index: usize) -> Option<Swatch> {
        let materials = &self.levels.get(level)?.materials;
        let look = materials.list.get(index)?.look.as_ref()?;
        let color = Swatch::Color(look.color);
        Some(look.texture.map_or(color, Swatch::Thumbnail))
    }

    pub(super) fn material_properties(
        &self,
        number: usize,
        index: usize,
    ) -> Option<Vec<PropertyGroup>> {
        let (level, file) = self.level(number)?;
        let material = level.materials.list.get(index)?;
        let blend = match material.blend {
            Blend::Opaque => "opaque",
            Blend::Alpha => "mixed with what is behind it",
            Blend::Add => "added to what is behind it",
        };
        let mut properties = vec![
            Property {
                swatch: self.material_swatch(number, index),
                ..Property::new("Name", &*material.name)
            },
            Property {
                link: Some(LevelItem::level(number).into()),
                ..Property::new("Level", number.to_string())
            },
            Property::new("Index", index.to_string()),
        ];
        if let Some(common) = file.common.materials.get(index) {
            let mode = format!("{} ({blend})", common.render_mode);
            properties.extend([
                Property::new("Type", file.common.strings.brief(common.kind)),
                Property::new("Flags", format!("{:#04x}", common.flags)),
                Property::new("Transparent", yes(common.flags & 0x01 != 0)),
                Property::new("Liquid", yes(material.is_liquid)),
                Property::new("Render mode", mode),
            ]);
            let by_name = file.common.materials_by_name();
            let name = file.common.strings.name(common.name);
            let first = name.and_then(|name| by_name.get(name).copied());
            if let Some(first) = first.filter(|first| *first != index) {
                properties.push(Property {
                    link: Some(LevelItem::material(number, first).into()),
                    ..Property::new("Hidden by", format!("{first}, which has the same name"))
                });
            }
        } else {
            properties.push(Property::new(
                "Stands for",
                "all materials that the level does not have",
            ));
        }
        let mut groups = vec![PropertyGroup {
            title: "Material",
            properties,
        }];
        groups.extend(self.look_properties(number, index));
        groups.push(self.material_uses(number, index)?);
        Some(groups)
    }

    fn look_properties(&self, number: usize, index: usize) -> Option<PropertyGroup> {
        let (level, file) = self.level(number)?;
        let material = level.materials.list.get(index)?;
        let client = file.client.as_ref()?;
        let look = client.materials.get(index)?;
        let strings = &client.strings;
        let mut properties = vec![
            colored("Colour", look.color),
            Property::new("Alpha", look.alpha.to_string()),
            colored("Emission", look.emission),
            Property::new("Shading", look.shading.to_string()),
        ];
        let extra = look
            .extra_textures
            .iter()
            .map(|name| ("Next texture", *name));
        let named = [("Texture", look.texture), ("Matcap", look.matcap)];
        for (name, path) in named.into_iter().chain(extra) {
            let shown = strings.brief(path);
            if shown.is_empty() {
                continue;
            }
            let path = String::from_utf8_lossy(strings.path(path).unwrap_or_default());
            let found = self.textures.find(&path);
            let archive = self.pmf.archive.as_ref();
            let file = archive.and_then(|archive| archive.find_texture(&path));
            let texture = found.and_then(|found| self.textures.list.get(found));
            let size = texture.map_or_else(|| "not read".to_owned(), LevelTexture::size_text);
            properties.push(Property {
                swatch: found.map(Swatch::Thumbnail),
                link: file.map(|file| LevelItem::archive_file(file).into()),
                ..Property::new(name, format!("{shown} ({size})"))
            });
        }
        let pair = |[u, v]: [f32; 2]| format!("u {}  v {} a second", short(u), short(v));
        properties.extend([
            Property::new("Each texture", format!("{} µs", look.advance_micros)),
            Property::new("Scroll", pair(look.texture_scroll)),
            Property::new("Matcap scroll", pair(look.matcap_scroll)),
        ]);
        let Wave {
            velocity,
            wind,
            offset,
            scale,
        } = look.wave;
        let ignored = if material.is_liquid {
            ""
        } else {
            " (without meaning: it is no liquid)"
        };
        properties.extend([
            Property::new("Wave velocity", format!("{}{ignored}", xyz(velocity))),
            Property::new("Wave wind", short(wind)),
            Property::new("Wave offset", short(offset)),
            Property::new("Wave scale", short(scale)),
        ]);
        Some(PropertyGroup {
            title: "Look",
            properties,
        })
    }

    /// How much of a material there is, and in which chunks.
    fn material_uses(&self, number: usize, index: usize) -> Option<PropertyGroup> {
        let (level, file) = self.level(number)?;
        let uses = level.uses().get(index)?;
        let mut properties = vec![
            Property::new("Area", format!("{:.2} m²", uses.area)),
            Property::new("Faces", uses.faces.to_string()),
            Property::new("Triangles", uses.triangles.to_string()),
            Property::new("Chunks", uses.chunks.len().to_string()),
        ];
        for chunk in uses.chunks.iter().take(MOST_CHUNKS) {
            let name = file.chunks.get(*chunk)?.index.to_string();
            properties.push(Property {
                link: Some(LevelItem::chunk(number, *chunk).into()),
                ..Property::new("In chunk", name)
            });
        }
        if uses.chunks.len() > MOST_CHUNKS {
            let more = uses.chunks.len() - MOST_CHUNKS;
            properties.push(Property::new("In chunk", format!("and {more} more")));
        }
        Some(PropertyGroup {
            title: "Use",
            properties,
        })
    }

    pub(super) fn physics_properties(
        &self,
        number: usize,
        index: usize,
    ) -> Option<Vec<PropertyGroup>> {
        let common = &self.pmf.levels.get(number)?.common;
        let material = common.physics_materials.get(index)?;
        let is_solid = material.flags & PhysicsMaterial::NOT_SOLID == 0;
        let first = if is_solid { "Friction" } else { "Max speed" };
        let is_air = common.strings.name(common.air_physics) == common.strings.name(material.name);
        let properties = vec![
            Property::new("Name", common.strings.brief(material.name)),
            Property::new("Level", number.to_string()),
            Property::new("Index", index.to_string()),
            Property::new("Solid", yes(is_solid)),
            Property::new("Material of the air", yes(is_air)),
            Property::new("Flags", format!("{:#04x}", material.flags)),
            Property::new(first, short(material.friction_or_max_speed)),
            Property::new("Traction", short(material.traction)),
            Property::new("Bounce", short(material.bounce)),
            Property::new("Damage from speed", short(material.damage_speed)),
            Property::new("Base damage", short(material.base_damage)),
            Property::new("Extra damage", short(material.extra_damage)),
        ];
        let name = common.strings.name(material.name);
        let users = self.chunks_of(number).filter(|at| {
            at.chunk.data.as_deref().is_some_and(|data| {
                let mut names = data.physics_materials.iter();
                name.is_some() && names.any(|used| data.strings.name(*used) == name)
            })
        });
        let users = users.count();
        let uses = vec![Property::new("Used by", plural(users, "chunk", "chunks"))];
        Some(vec![
            PropertyGroup {
                title: "Physics material",
                properties,
            },
            PropertyGroup {
                title: "Use",
                properties: uses,
            },
        ])
    }

    pub(super) fn sound_properties(
        &self,
        number: usize,
        index: usize,
    ) -> Option<Vec<PropertyGroup>> {
        let common = &self.pmf.levels.get(number)?.common;
        let material = common.sound_materials.get(index)?;
        Some(vec![PropertyGroup {
            title: "Sound material",
            properties: vec![
                Property::new("Name", "none: the file has no names of them"),
                Property::new("Level", number.to_string()),
                Property::new("Index", index.to_string()),
                Property::new("Dampens the volume", short(material.volume_dampening)),
                Property::new(
                    "Dampens high frequencies",
                    short(material.frequency_dampening),
                ),
            ],
        }])
    }

    /// The names by which chunks of a level name sound materials, of which the level has none.
    pub(super) fn sound_labels(&self, level: usize) -> Vec<String> {
        let mut names = std::collections::BTreeSet::new();
        for at in self.chunks_of(level) {
            let Some(data) = at.chunk.data.as_deref() else {
                continue;
            };
            names.extend(
                data.sound_materials
                    .iter()
                    .map(|name| data.strings.brief(*name)),
            );
            if names.len() > MOST_CHUNKS {
                break;
            }
        }
        names
            .into_iter()
            .map(std::borrow::Cow::into_owned)
            .collect()
    }

    /// When the map was compiled.
    pub(super) fn compiled(&self) -> String {
        date::utc(self.pmf.header.created_unix_secs)
    }
}
