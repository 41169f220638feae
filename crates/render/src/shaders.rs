//! Every shader of the program.

use crate::frame::Frame;
use crate::gpu::Shader;
use crate::gpu::shader::source;
use crate::probe::{SkinProbe, TileProbe};
use crate::{constants, level, model, sky, terrain, tiles};

const FRAME: (&str, &str) = source!("frame.wgsl");
const TILE: (&str, &str) = source!("tile.wgsl");
const SKY: (&str, &str) = source!("sky.wgsl");
const SHADOW: (&str, &str) = source!("shadow.wgsl");
const SKIN: (&str, &str) = source!("skin.wgsl");
const SURFACE: (&str, &str) = source!("surface.wgsl");

/// Makes the shaders of a table: their names, what they share with Rust, and the files that come
/// before their own.
macro_rules! shaders {
    ($($(#[$meta:meta])* $shader:ident $name:literal: $shared:expr, [$($part:expr),*];)+) => {
        $($(#[$meta])*
        pub(super) static $shader: Shader = Shader {
            name: $name,
            shared: &$shared,
            parts: &[$($part,)* source!($name, ".wgsl")],
        };)+

        /// Every shader of the program.
        pub static SHADERS: &[&Shader] = &[$(&$shader),+];
    };
}

shaders! {
    /// Terrain and water.
    TERRAIN "terrain": [Frame::wgsl, constants::all, constants::tile, sky::wgsl, terrain::wgsl],
        [FRAME, TILE, SKY, SHADOW];
    /// Models.
    MODEL "model": [Frame::wgsl, constants::all, model::skin_wgsl, model::wgsl],
        [FRAME, SURFACE, SKIN, SHADOW];
    /// Levels.
    LEVEL "level": [Frame::wgsl, constants::all, sky::wgsl, level::wgsl], [FRAME, SURFACE, SKY];
    /// 2D maps.
    TILES "tiles": [Frame::wgsl, tiles::wgsl], [FRAME];
    /// What is behind everything: the sky, and what models stand on.
    STUDIO "studio": [Frame::wgsl, sky::wgsl], [FRAME, SKY];
    /// Lines over the frame.
    LINES "lines": [Frame::wgsl], [FRAME];
    /// What the GPU makes of tiles, for comparing it with what the CPU does.
    TILE_PROBE "tile_probe": [constants::tile, TileProbe::wgsl], [TILE];
    /// What the GPU makes of vertices that joints move, likewise.
    SKIN_PROBE "skin_probe": [model::skin_wgsl, SkinProbe::wgsl], [SURFACE, SKIN];
    /// What frame times are measured against.
    FLOOR "floor": [], [];
    /// Frames in a window.
    BLIT "blit": [], [];
}
