//! What tests and measurements need: files made up on the spot, the generators of the assets, and
//! what a test asks for that not every machine has.
//!
//! Nothing here knows of scenes, GPUs or windows, so that the tests of formats build without them.

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

/// The folder of the whole project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
