//! Appearance of surfaces.

use mapscope_formats::pmf::{Material, Wave};

/// A material.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) name: &'static str,
    /// Its type in the game.
    pub(crate) kind: &'static str,
    pub(crate) color: [u8; 3],
    /// Opacity, if it is transparent.
    pub(crate) alpha: Option<u8>,
    pub(crate) is_liquid: bool,
    /// `true` if its light is added to the background.
    pub(crate) is_added: bool,
    pub(crate) emission: [u8; 3],
    /// Its texture in the archive; empty if it has none.
    pub(crate) texture: &'static str,
    /// Frames of an animated texture, and the duration of each.
    pub(crate) frames: &'static [&'static str],
    pub(crate) frame_micros: u32,
    pub(crate) scroll: [f32; 2],
    /// Width and height of a texture in metres.
    pub(crate) metres: [f32; 2],
    /// Offset of its upper left corner from the origin of the plan, in metres.
    pub(crate) shift: [f32; 2],
    /// `true` if it has lightmaps.
    pub(crate) is_lit: bool,
}

const fn look(name: &'static str, texture: &'static str, metres: f32) -> Look {
    Look {
        name,
        kind: "wall",
        color: [255, 255, 255],
        alpha: None,
        is_liquid: false,
        is_added: false,
        emission: [0, 0, 0],
        texture,
        frames: &[],
        frame_micros: 0,
        scroll: [0.0, 0.0],
        metres: [metres, metres],
        shift: [0.0, 0.0],
        is_lit: true,
    }
}

const fn glass(name: &'static str, color: [u8; 3], alpha: u8) -> Look {
    Look {
        kind: "glass",
        color,
        alpha: Some(alpha),
        is_lit: false,
        ..look(name, "pane", 1.0)
    }
}

const fn lamp(name: &'static str, color: [u8; 3], emission: [u8; 3]) -> Look {
    Look {
        kind: "lamp",
        color,
        emission,
        is_lit: false,
        ..look(name, "", 1.0)
    }
}

const fn sky(name: &'static str) -> Look {
    Look {
        kind: "sky",
        is_lit: false,
        ..look(name, name, 1.0)
    }
}

/// The materials of the sky: +X, +Y, +Z, -X, -Y, -Z.
pub(crate) const SKY: [&str; 6] = [
    "sky/right",
    "sky/top",
    "sky/front",
    "sky/left",
    "sky/bottom",
    "sky/back",
];

/// All materials.
pub(crate) const LOOKS: &[Look] = &[
    Look {
        kind: "floor",
        ..look("marble", "marble", 2.0)
    },
    look("stone", "stone", 2.0),
    look("plaster", "plaster", 4.0),
    look("glazed", "glazed", 1.0),
    look("band", "band", 0.5),
    look("mosaic", "mosaic", 1.0),
    look("planks", "planks", 2.0),
    Look {
        color: [150, 118, 96],
        ..look("timber", "planks", 2.0)
    },
    Look {
        kind: "ground",
        ..look("grass", "grass", 2.0)
    },
    Look {
        kind: "ground",
        ..look("paving", "paving", 2.0)
    },
    look("slate", "paving", 2.0),
    Look {
        color: [255, 205, 100],
        emission: [60, 40, 8],
        ..look("brass", "", 1.0)
    },
    Look {
        alpha: Some(255),
        ..look("lattice", "lattice", 1.0)
    },
    Look {
        color: [190, 52, 66],
        ..look("cloth", "cloth", 0.5)
    },
    Look {
        color: [112, 150, 78],
        ..look("leaves", "grass", 1.0)
    },
    Look {
        color: [206, 116, 76],
        ..look("clay", "plaster", 1.0)
    },
    Look {
        kind: "water",
        color: [130, 220, 228],
        alpha: Some(132),
        is_liquid: true,
        scroll: [0.03, 0.02],
        ..look("water", "water", 3.0)
    },
    glass("amber glass", [255, 176, 70], 150),
    glass("rose glass", [240, 96, 130], 150),
    glass("clear glass", [200, 225, 235], 70),
    lamp("lamp", [250, 205, 130], [60, 40, 16]),
    lamp("rose lamp", [250, 170, 150], [50, 24, 20]),
    lamp("pool lamp", [110, 225, 240], [30, 50, 50]),
    Look {
        kind: "light",
        color: [52, 44, 30],
        is_added: true,
        is_lit: false,
        ..look("sunbeam", "sunbeam", 8.0)
    },
    // It flickers: mostly on, off twice.
    Look {
        kind: "sign",
        emission: [90, 30, 60],
        frames: &["sign", "sign", "sign off", "sign", "sign off"],
        texture: "sign",
        frame_micros: 160_000,
        metres: [2.0, 1.0],
        shift: [-1.0, 0.0],
        is_lit: false,
        ..look("sign", "sign", 1.0)
    },
    sky("sky/right"),
    sky("sky/top"),
    sky("sky/front"),
    sky("sky/left"),
    sky("sky/bottom"),
    sky("sky/back"),
];

/// Movement of the water.
pub(crate) const WAVE: Wave = Wave {
    velocity: [0.2, 0.0, 0.1],
    wind: 0.3,
    offset: 0.0,
    scale: 0.05,
};

impl Look {
    /// The index of a material by its name.
    pub(crate) fn find(name: &str) -> Option<usize> {
        LOOKS.iter().position(|look| look.name == name)
    }

    /// `true` if light passes through.
    pub(crate) fn lets_light(&self) -> bool {
        self.alpha.is_some() || self.is_added || self.kind == "lamp"
    }

    /// The fraction of light that passes through, per channel.
    pub(crate) fn tint(&self) -> [f32; 3] {
        if self.kind != "glass" {
            return [1.0; 3];
        }
        let Some(alpha) = self.alpha else {
            return [1.0; 3];
        };
        let opacity = f32::from(alpha) / 255.0;
        self.color.map(|c| {
            let c = f32::from(c) / 255.0;
            // Denser glass gives light more of its own colour.
            1.0 - opacity + opacity * c * c
        })
    }

    /// Its bits in the file.
    pub(crate) fn flags(&self) -> u8 {
        let mut flags = 0;
        if self.alpha.is_some() {
            flags |= Material::TRANSPARENT;
        }
        if self.is_liquid {
            flags |= Material::LIQUID;
        }
        flags
    }
}
