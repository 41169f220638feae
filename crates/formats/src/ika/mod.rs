//! The maps and tilesets of ika: the binary maps of its first years, the text maps that it reads
//! now, and VSP tilesets.
//!
//! The layout of binary maps is that of the format's document (`ika-map.txt`); where it is silent
//! or differs from what the engine did, and for all else, that of the fact sheet, whose section 7
//! has one reading for each ambiguity.

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

/// The most tiles that a layer can have, or pixels a tileset.
pub const MAX_TILES: u64 = 1 << 26;

/// What all blocks of the smallest file may inflate to together, in bytes.
const BYTES_IN_ALL: u64 = 256 << 20;

/// How fast a layer moves with the camera: as many pixels as the camera, times `mul`, divided by
/// `div`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parallax {
    /// Multipliers along x and y.
    pub mul: [i32; 2],
    /// Divisors along x and y. With 0 the layer is fixed to the screen along that axis (fact sheet 2.6, 7.6).
    pub div: [i32; 2],
}

impl Default for Parallax {
    /// The layer goes with the camera.
    fn default() -> Self {
        Self {
            mul: [1; 2],
            div: [1; 2],
        }
    }
}

impl Parallax {
    /// How far a layer has scrolled when the camera's top left corner is at a pixel of the map.
    pub fn scrolled(&self, camera_px: [i64; 2]) -> [i64; 2] {
        std::array::from_fn(|axis| match self.div[axis] {
            0 => 0,
            div => (camera_px[axis] * i64::from(self.mul[axis])).div_euclid(i64::from(div)),
        })
    }
}

/// The words for directions in the order of their numbers (fact sheet 2).
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
