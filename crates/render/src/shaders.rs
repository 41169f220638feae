//! The WGSL sources: embedded, and in debug builds read from disk, so that they can be edited
//! while the program runs.

use std::borrow::Cow;
use std::path::PathBuf;

use super::frame::Frame;
use super::probe::{SkinProbe, TileProbe};
use super::{constants, level, model, terrain, tiles};

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
    ($name:literal) => {
        (
            $name,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../shaders/",
                $name
            )),
        )
    };
}

const FRAME: (&str, &str) = file!("frame.wgsl");
const TILE: (&str, &str) = file!("tile.wgsl");
const SKY: (&str, &str) = file!("sky.wgsl");
const SKIN: (&str, &str) = file!("skin.wgsl");
const SURFACE: (&str, &str) = file!("surface.wgsl");

/// Terrain and water.
pub(super) static TERRAIN: Shader = Shader {
    name: "terrain",
    shared: &[Frame::wgsl, constants::all, constants::tile, terrain::wgsl],
    parts: &[FRAME, TILE, SKY, file!("terrain.wgsl")],
};
/// Models.
pub(super) static MODEL: Shader = Shader {
    name: "model",
    shared: &[Frame::wgsl, constants::all, model::skin_wgsl, model::wgsl],
    parts: &[FRAME, SURFACE, SKIN, file!("model.wgsl")],
};
/// Levels.
pub(super) static LEVEL: Shader = Shader {
    name: "level",
    shared: &[Frame::wgsl, constants::all, level::wgsl],
    parts: &[FRAME, SURFACE, SKY, file!("level.wgsl")],
};
/// 2D maps.
pub(super) static TILES: Shader = Shader {
    name: "tiles",
    shared: &[Frame::wgsl, tiles::wgsl],
    parts: &[FRAME, file!("tiles.wgsl")],
};
/// What is behind everything: the sky, and what models stand on.
pub(super) static STUDIO: Shader = Shader {
    name: "studio",
    shared: &[Frame::wgsl],
    parts: &[FRAME, SKY, file!("studio.wgsl")],
};
/// Lines over the frame.
pub(super) static LINES: Shader = Shader {
    name: "lines",
    shared: &[Frame::wgsl],
    parts: &[FRAME, file!("lines.wgsl")],
};
/// What the GPU makes of tiles, for comparing it with what the CPU does.
pub(super) static TILE_PROBE: Shader = Shader {
    name: "tile_probe",
    shared: &[constants::tile, TileProbe::wgsl],
    parts: &[TILE, file!("tile_probe.wgsl")],
};
/// What the GPU makes of vertices that joints move, likewise.
pub(super) static SKIN_PROBE: Shader = Shader {
    name: "skin_probe",
    shared: &[model::skin_wgsl, SkinProbe::wgsl],
    parts: &[SURFACE, SKIN, file!("skin_probe.wgsl")],
};

/// What frame times are measured against.
pub(super) static FLOOR: Shader = Shader {
    name: "floor",
    shared: &[],
    parts: &[file!("floor.wgsl")],
};

/// Every shader of the program.
pub static SHADERS: &[&Shader] = &[
    &TERRAIN,
    &MODEL,
    &LEVEL,
    &TILES,
    &STUDIO,
    &LINES,
    &TILE_PROBE,
    &SKIN_PROBE,
    &FLOOR,
];

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
