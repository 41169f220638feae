//! The maps and models that are built into the program, and its icon, as bytes: what lies in `assets`.
//!
//! Nothing here calls a function of the mathematics library: sums, products and square roots are
//! the same on every machine, and a test of each compares with what lies in `assets`.

pub mod icon;
pub mod level;
mod maths;
pub mod models;
mod noise;
pub mod scene;
pub mod terrain;
pub mod tilemaps;

/// Names of files, below the folder of their kind, and their bytes.
pub type Files = Vec<(String, Vec<u8>)>;
/// Why files could not be made.
pub type Failure = Box<dyn std::error::Error>;

/// The files of one kind.
#[derive(Debug)]
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its folder below `assets`.
    pub folder: &'static str,
    /// Makes them.
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
