//! What several shaders share with Rust.

use glam::Vec3;

use crate::gpu::shader::source;
use crate::gpu::wgsl::constants;

/// Textured surfaces, for every shader that draws them.
pub(crate) const SURFACE: (&str, &str) = source!("surface.wgsl");

/// Stands for no index, such as that of a material where none is highlighted.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Of what stands out because it is selected, or is of the selected kind.
const HIGHLIGHT_COLOR: Vec3 = Vec3::new(1.0, 0.78, 0.25);

/// For every shader that draws content.
pub(crate) fn wgsl() -> String {
    constants! {
        NOTHING = NOTHING,
        HIGHLIGHT_COLOR = HIGHLIGHT_COLOR,
    }
}
