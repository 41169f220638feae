//! A village at the mouth of a river, as a map of ika's old format with its tileset.

pub(crate) mod colors;
mod ground;
mod houses;
mod map;
pub(crate) mod plan;
mod plants;
mod things;

pub(crate) use map::files;
