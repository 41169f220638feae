//! The window.

use std::path::PathBuf;

use crate::scene::camera::{NamedView, Pose, Projection};
use crate::scene::registry::OpenOptions;

/// What the command line says about the window.
#[derive(Debug)]
pub struct ViewOptions {
    /// Files and folders to open.
    pub paths: Vec<PathBuf>,
    /// Where textures are looked for.
    pub options: OpenOptions,
    /// A named view.
    pub view: Option<NamedView>,
    /// A camera.
    pub pose: Option<Pose>,
    /// A projection.
    pub projection: Option<Projection>,
    /// Overlays.
    pub overlays: Vec<String>,
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
#[error("the window is not there yet")]
pub struct ViewError;

/// Opens the window.
///
/// # Errors
/// Placeholder.
pub fn run(_options: ViewOptions) -> Result<(), ViewError> {
    Err(ViewError)
}
