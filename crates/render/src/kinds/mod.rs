//! The kinds of content. They know neither each other nor what draws them together.

pub(crate) mod level;
pub(crate) mod model;
pub(crate) mod terrain;
pub(crate) mod tiles;
