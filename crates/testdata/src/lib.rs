//! Data for tests and measurements: generated files, mutations, and the requirements of tests that
//! not every machine meets.
//!
//! It does not depend on scenes, GPUs or windows, so the tests of formats build without them.

pub mod mutation;
mod needs;
mod sweep;
pub mod synthesize;
mod tiny_model;
mod tiny_p3m;
pub mod tiny_scene;

use std::path::{Path, PathBuf};

pub use needs::{Need, shared, skip};
pub use sweep::stride;
pub use tiny_model::tiny_model;
pub use tiny_p3m::tiny_p3m;

/// The root folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
