//! Data for tests and measurements: synthetic files, the generators of the assets, and checks for
//! requirements that not every machine fulfils.
//!
//! Nothing here depends on scenes, GPUs or windows, so that the tests of formats build without
//! them.

#[cfg(feature = "assets")]
pub mod assets;
pub mod mutation;
mod needs;
pub mod synthesize;
mod tiny_model;
pub mod tiny_scene;

use std::path::{Path, PathBuf};

pub use needs::{Need, shared, skip};
pub use tiny_model::tiny_model;

/// The root folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
