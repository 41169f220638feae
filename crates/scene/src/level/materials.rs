//! What the surfaces of a level look like.

use mapscope_formats::pmf::{self, ClientMaterial};

/// How a surface is put over what is behind it, in the order in which they are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Blend {
    /// It hides it.
    #[default]
    Opaque,
    /// Mixed with it by its opacity.
    Alpha,
    /// Its light is added.
    Add,
}

/// A material of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// How it is put over what is behind it.
    pub blend: Blend,
    /// Whether its alpha counts, and that of its texture.
    pub is_transparent: bool,
    /// Whether it moves in waves.
    pub is_liquid: bool,
    /// Whether it is one of the file: the last one of a level stands for all that are not.
    pub is_known: bool,
    /// How it looks; none in a level without client section.
    pub look: Option<ClientMaterial>,
}

/// The materials of a level and what chunks find them by.
#[derive(Debug)]
pub struct Materials {
    /// Those of the file in its order, and last one for all that are not in it.
    pub list: Vec<Material>,
}

impl Materials {
    pub(super) fn of(level: &pmf::Level) -> Self {
        let common = &level.common;
        let looks = level.client.as_ref().map_or(&[][..], |c| &c.materials);
        let mut list: Vec<Material> = common
            .materials
            .iter()
            .enumerate()
            .map(|(i, material)| {
                let is_transparent = material.flags & pmf::Material::TRANSPARENT != 0;
                Material {
                    // Tens of thousands may share one that is long.
                    name: common.strings.brief(material.name).into_owned(),
                    blend: match (material.render_mode, is_transparent) {
                        (pmf::Material::ADD, _) => Blend::Add,
                        (_, true) => Blend::Alpha,
                        (_, false) => Blend::Opaque,
                    },
                    is_transparent,
                    is_liquid: material.flags & pmf::Material::LIQUID != 0,
                    is_known: true,
                    look: looks.get(i).cloned(),
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
