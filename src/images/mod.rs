//! Images of documents: what is drawn for each, and the files that they become. Commands and the window
//! have them in common.

pub mod animation;
pub mod labels;
#[cfg(feature = "gpu")]
pub mod names;
#[cfg(feature = "gpu")]
pub mod painter;
pub mod png_file;
pub mod series;
pub mod shots;
