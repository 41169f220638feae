//! The built-in maps and models and the icon as bytes: the content of `assets`.
//!
//! Nothing here calls functions of the maths library. Sums, products and square roots give the same
//! results on every machine, and tests compare the output with `assets`.

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
