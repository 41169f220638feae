//! The window.

pub mod panels;

use std::path::PathBuf;

use crate::scene::camera::{NamedView, Pose};

/// What the command line says about the window.
#[derive(Debug)]
pub struct ViewOptions {
    /// Files and folders to open.
    pub files: Vec<PathBuf>,
    /// A camera.
    pub camera: Option<Pose>,
    /// A named view.
    pub view: NamedView,
    /// Overlays.
    pub overlays: Vec<String>,
    /// Folders to look for textures in.
    pub texture_folders: Vec<PathBuf>,
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
