//! Maps and tilesets of ika: the binary maps of its first years, its current text maps, and VSP
//! tilesets.
//!
//! Binary maps follow the format's document (`ika-map.txt`). If it is silent or differs from the
//! engine's behaviour, and for everything else, the fact sheet applies; its section 7 resolves each
//! ambiguity.

mod aries;
mod block;
mod bytes;
pub mod map;
pub(crate) mod rules;
mod text;
pub mod text_map;
mod verge;
pub mod vsp;

pub use map::Map;
pub(crate) use rules::RULES;
pub use text_map::TextMap;
pub use verge::{Verge, verge_version};
pub use vsp::Vsp;

pub use super::WriteError;

/// Maximum number of tiles in a layer or pixels in a tileset.
pub const MAX_TILES: u64 = 1 << 26;

/// Inflation budget for all blocks of the smallest file, in bytes.
const MIN_INFLATE_BUDGET: u64 = 256 << 20;

/// Scroll speed of a layer relative to the camera: the camera's movement in pixels times `mul`,
/// divided by `div`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parallax {
    /// Multipliers along x and y.
    pub mul: [i32; 2],
    /// Divisors along x and y. With 0 the layer is fixed to the screen along that axis (fact sheet
    /// 2.6, 7.6).
    pub div: [i32; 2],
}

impl Default for Parallax {
    /// The layer moves with the camera.
    fn default() -> Self {
        Self {
            mul: [1; 2],
            div: [1; 2],
        }
    }
}

impl Parallax {
    /// Scroll offset of a layer when the camera's top left corner is at `camera_px` on the map.
    pub fn scrolled(&self, camera_px: [i64; 2]) -> [i64; 2] {
        std::array::from_fn(|axis| match self.div[axis] {
            0 => 0,
            div => (camera_px[axis] * i64::from(self.mul[axis])).div_euclid(i64::from(div)),
        })
    }
}

/// Names of the directions, in numerical order (fact sheet 2).
pub const DIRECTIONS: [&str; 9] = [
    "up",
    "down",
    "left",
    "right",
    "up-left",
    "up-right",
    "down-left",
    "down-right",
    "nothing",
];
