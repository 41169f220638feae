//! What the surfaces of a level look like.

use super::textures::Textures;
use mapscope_formats::pmf::{self, ClientMaterial, StringTable};

/// How a surface is blended with what is behind it, in the order in which they are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Blend {
    /// Not at all: it hides it.
    #[default]
    Opaque,
    /// By its alpha.
    Alpha,
    /// It is additive.
    Add,
}

/// A material of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// How it is blended with what is behind it.
    pub blend: Blend,
    /// Whether its alpha counts, and that of its texture.
    pub is_transparent: bool,
    /// Whether it moves in waves.
    pub is_liquid: bool,
    /// Whether it is one of the file: the last one of a level stands for all that are not.
    pub is_known: bool,
    /// How it looks; none in a level without client section.
    pub look: Option<Look>,
    /// Whether its texture is followed by others, whether its texture and whether its matcap
    /// scroll, and whether it moves in waves.
    pub(super) motion: [bool; 4],
}

/// How a material looks. Textures are indices in [`Textures::list`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// Red, green, blue.
    pub color: [u8; 3],
    /// 255 is opaque; means nothing unless the material is transparent.
    pub alpha: u8,
    /// Light of its own: red, green, blue.
    pub emission: [u8; 3],
    /// Its texture.
    pub texture: Option<usize>,
    /// Its matcap texture.
    pub matcap: Option<usize>,
    /// The textures that follow the first one in turn.
    pub next_textures: Vec<usize>,
    /// How long a texture is shown before the next, in microseconds; 0 for ever.
    pub advance_micros: u32,
    /// How far texture coordinates move in a second.
    pub texture_scroll: [f32; 2],
    /// How far those of the matcap move in a second.
    pub matcap_scroll: [f32; 2],
    /// How fast the waves of a liquid move along X, Y and Z.
    pub wave_velocity: [f32; 3],
    /// Where its waves begin.
    pub wave_offset: f32,
    /// How large its waves are.
    pub wave_scale: f32,
}

impl Look {
    fn of(material: &ClientMaterial, strings: &StringTable, textures: &Textures) -> Self {
        let find = |path| textures.find(&String::from_utf8_lossy(strings.name(path)?));
        let next = material
            .extra_textures
            .iter()
            .filter(|_| material.advance_micros > 0);
        Self {
            color: material.color,
            alpha: material.alpha,
            emission: material.emission,
            texture: find(material.texture),
            matcap: find(material.matcap),
            next_textures: next.filter_map(|path| find(*path)).collect(),
            advance_micros: material.advance_micros,
            texture_scroll: material.texture_scroll,
            matcap_scroll: material.matcap_scroll,
            wave_velocity: material.wave.velocity,
            wave_offset: material.wave.offset,
            wave_scale: material.wave.scale,
        }
    }
}

fn motion(look: &ClientMaterial, is_liquid: bool) -> [bool; 4] {
    let scrolls = |speed: [f32; 2]| speed != [0.0; 2];
    [
        look.advance_micros > 0 && !look.extra_textures.is_empty(),
        scrolls(look.texture_scroll),
        scrolls(look.matcap_scroll) && look.matcap != Default::default(),
        is_liquid && look.wave.scale != 0.0,
    ]
}

/// The materials of a level and what chunks find them by.
#[derive(Debug)]
pub struct Materials {
    /// Those of the file in its order, and last one for all that are not in it.
    pub list: Vec<Material>,
}

impl Materials {
    pub(super) fn of(level: &pmf::Level, textures: &Textures) -> Self {
        let common = &level.common;
        let client = level.client.as_ref();
        let mut list: Vec<Material> = common
            .materials
            .iter()
            .enumerate()
            .map(|(i, material)| {
                let look = client.and_then(|client| client.materials.get(i));
                let is_liquid = material.flags & pmf::Material::LIQUID != 0;
                let is_transparent = material.flags & pmf::Material::TRANSPARENT != 0;
                Material {
                    // Tens of thousands may share one that is long.
                    name: common.strings.told(material.name).into_owned(),
                    blend: match (material.render_mode, is_transparent) {
                        (pmf::Material::ADD, _) => Blend::Add,
                        (_, true) => Blend::Alpha,
                        (_, false) => Blend::Opaque,
                    },
                    is_transparent,
                    is_liquid,
                    is_known: true,
                    look: look
                        .zip(client)
                        .map(|(look, client)| Look::of(look, &client.strings, textures)),
                    motion: look.map_or([false; 4], |look| motion(look, is_liquid)),
                }
            })
            .collect();
        list.push(Material {
            name: "unknown".to_owned(),
            blend: Blend::Opaque,
            is_transparent: false,
            is_liquid: false,
            is_known: false,
            look: None,
            motion: [false; 4],
        });
        Self { list }
    }

    /// A quiet colour for a material of which nothing says how it looks: neighbours in the list
    /// have different ones.
    pub fn quiet_color(index: usize) -> [u8; 3] {
        // Steps of the golden ratio around the circle of hues.
        let hue = (index as f32 * 0.618_034).fract() * std::f32::consts::TAU;
        let third = std::f32::consts::TAU / 3.0;
        [0.0, 1.0, 2.0].map(|channel| (150.0 + 34.0 * (hue - channel * third).cos()) as u8)
    }

    /// The index of the material for what is not in the file.
    pub fn unknown(&self) -> u16 {
        (self.list.len() - 1) as u16
    }
}
