//! The WGSL sources: embedded, and in debug builds read from disk, so that they can be edited
//! while the program runs.

use std::borrow::Cow;
use std::path::PathBuf;

use super::frame::Frame;
use super::probe::{SkinProbe, TileProbe};
use super::{constants, level, model, sky, terrain, tiles};

/// A shader module: the files that it is put together from.
#[derive(Debug)]
pub struct Shader {
    /// The name, which is that of its last file.
    pub name: &'static str,
    /// What it shares with Rust, as declarations that come first.
    shared: &'static [fn() -> String],
    /// Files of `shaders/` and what they held when the program was built, in the order in which
    /// they are joined.
    pub parts: &'static [(&'static str, &'static str)],
}

/// A file of `shaders/` with its content.
macro_rules! file {
    ($($name:literal),+) => {
        (
            concat!($($name),+),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/", $($name),+)),
        )
    };
}

const FRAME: (&str, &str) = file!("frame.wgsl");
const TILE: (&str, &str) = file!("tile.wgsl");
const SKY: (&str, &str) = file!("sky.wgsl");
const SHADOW: (&str, &str) = file!("shadow.wgsl");
const SKIN: (&str, &str) = file!("skin.wgsl");
const SURFACE: (&str, &str) = file!("surface.wgsl");

/// Makes the shaders of a table: their names, what they share with Rust, and the files that come
/// before their own.
macro_rules! shaders {
    ($($(#[$meta:meta])* $shader:ident $name:literal: $shared:expr, [$($part:expr),*];)+) => {
        $($(#[$meta])*
        pub(super) static $shader: Shader = Shader {
            name: $name,
            shared: &$shared,
            parts: &[$($part,)* file!($name, ".wgsl")],
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

impl Shader {
    /// The whole source: what is shared with Rust, then the files. Debug builds take each file from
    /// the source tree when it is there.
    pub fn source(&self) -> String {
        let shared = self.shared.iter().map(|write| Cow::Owned(write()));
        let files = self.parts.iter().map(|(name, embedded)| {
            let from_disk = folder().and_then(|f| std::fs::read_to_string(f.join(name)).ok());
            from_disk.map_or(Cow::Borrowed(*embedded), Cow::Owned)
        });
        let parts: Vec<Cow<'_, str>> = shared.chain(files).collect();
        parts.join("\n")
    }

    pub(super) fn module(&self, device: &wgpu::Device) -> wgpu::ShaderModule {
        device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(self.name),
            source: wgpu::ShaderSource::Wgsl(self.source().into()),
        })
    }
}

/// The folder that shaders are read from while the program runs; none in release builds.
pub fn folder() -> Option<PathBuf> {
    cfg!(debug_assertions).then(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shaders"))
}
