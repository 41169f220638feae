//! Appearance of the surfaces of a level.

use super::textures::Textures;
use mapscope_formats::pmf::{self, ClientMaterial, StringTable};

/// Blend mode of a surface, in drawing order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Blend {
    /// Opaque.
    #[default]
    Opaque,
    /// Alpha blending.
    Alpha,
    /// Additive blending.
    Add,
}

/// A material of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name.
    pub name: String,
    /// Blend mode.
    pub blend: Blend,
    /// `true` if its alpha and that of its texture are used.
    pub is_transparent: bool,
    /// `true` if it moves in waves.
    pub is_liquid: bool,
    /// `true` if the file contains it. The last material of a level replaces all that are missing.
    pub is_known: bool,
    /// Appearance, or `None` in a level without a client section.
    pub look: Option<Look>,
    /// Flags for animated textures, texture scrolling, matcap scrolling and waves.
    pub(super) motion: [bool; 4],
}

/// The appearance of a material. Textures are indices in [`Textures::list`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// Red, green, blue.
    pub color: [u8; 3],
    /// Alpha, where 255 is opaque. Ignored unless the material is transparent.
    pub alpha: u8,
    /// Emitted light: red, green, blue.
    pub emission: [u8; 3],
    /// Texture.
    pub texture: Option<usize>,
    /// Matcap texture.
    pub matcap: Option<usize>,
    /// Textures that follow the first one in turn.
    pub next_textures: Vec<usize>,
    /// Duration of each texture in microseconds; 0 if it never changes.
    pub advance_micros: u32,
    /// Scroll speed of texture coordinates, per second.
    pub texture_scroll: [f32; 2],
    /// Scroll speed of matcap coordinates, per second.
    pub matcap_scroll: [f32; 2],
    /// Velocity of the waves of a liquid along X, Y and Z.
    pub wave_velocity: [f32; 3],
    /// Offset of its waves.
    pub wave_offset: f32,
    /// Scale of its waves.
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

/// The materials of a level, with the names that chunks find them by.
#[derive(Debug)]
pub struct Materials {
    /// Materials of the file in file order, followed by one for all missing materials.
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
                    // Tens of thousands of materials may share one long name.
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

    /// Returns a muted colour for a material without an appearance. Neighbours in the list get
    /// different ones.
    pub fn muted_color(index: usize) -> [u8; 3] {
        // Golden-ratio steps around the circle of hues.
        let hue = (index as f32 * 0.618_034).fract() * std::f32::consts::TAU;
        let third = std::f32::consts::TAU / 3.0;
        [0.0, 1.0, 2.0].map(|channel| (150.0 + 34.0 * (hue - channel * third).cos()) as u8)
    }

    /// Index of the material for missing ones.
    pub fn unknown(&self) -> u16 {
        (self.list.len() - 1) as u16
    }
}
