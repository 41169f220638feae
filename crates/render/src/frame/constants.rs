//! Declarations for the shaders of several kinds of content.

use glam::Vec3;

use crate::gpu::{constants, source};

/// Shading of textured surfaces.
pub(crate) const SURFACE: (&str, &str) = source!("surface.wgsl");

/// The index that means "none", for example of a highlighted material.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Colour of highlighted parts: selected ones, and all of a selected kind.
const HIGHLIGHT_COLOR: Vec3 = Vec3::new(1.0, 0.78, 0.25);

/// The constants of every shader that draws content.
pub(crate) fn wgsl() -> String {
    constants! {
        NOTHING = NOTHING,
        HIGHLIGHT_COLOR = HIGHLIGHT_COLOR,
    }
}
