//! Images of documents: the shots to draw and the files to write. Shared by commands and the
//! window.

pub mod animation;
pub mod labels;
#[cfg(feature = "gpu")]
pub mod names;
#[cfg(feature = "gpu")]
pub mod painter;
pub mod png_file;
pub mod series;
pub mod shots;
