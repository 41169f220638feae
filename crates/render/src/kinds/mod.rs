//! The kinds of content. They depend neither on each other nor on the renderer that draws them.

pub(crate) mod level;
pub(crate) mod model;
pub(crate) mod terrain;
pub(crate) mod tiles;
