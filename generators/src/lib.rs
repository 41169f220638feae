//! Generators of the files in `assets/`: the built-in maps and models, and the icon.
//!
//! No generator calls a function of the mathematics library: sums, products and square roots are the
//! same on every machine. A test of each kind compares its output with the files in `assets/`.

use std::path::{Path, PathBuf};

pub mod icon;
pub mod level;
mod maths;
pub mod models;
mod noise;
pub mod scene;
pub mod terrain;
pub mod tilemaps;

/// File names, below the folder of their kind, and their bytes.
pub type Files = Vec<(String, Vec<u8>)>;
/// The error for files that could not be generated.
pub type Failure = Box<dyn std::error::Error>;

/// Returns the folder of the committed files.
pub fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets")
}

/// The files of one kind.
#[derive(Debug)]
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its folder below `assets`.
    pub folder: &'static str,
    /// Generates the files.
    pub files: fn() -> Result<Files, Failure>,
}

/// All kinds.
pub static KINDS: &[Kind] = &[
    Kind {
        name: "terrain",
        folder: "demo",
        files: terrain::files,
    },
    Kind {
        name: "scene",
        folder: "demo",
        files: scene::files,
    },
    Kind {
        name: "models",
        folder: "models",
        files: models::files,
    },
    Kind {
        name: "level",
        folder: "levels",
        files: level::files,
    },
    Kind {
        name: "tilemaps",
        folder: "maps",
        files: tilemaps::files,
    },
    Kind {
        name: "icon",
        folder: "icon",
        files: icon::files,
    },
];
