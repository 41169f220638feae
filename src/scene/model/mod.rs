//! Models: PFOBJ meshes with skeletons that move, as the Permafrost Engine shows them.

pub mod instances;
pub mod mesh;
mod poses;
#[cfg(test)]
mod sample;
pub mod skeleton;
mod weld;

pub use poses::{Poses, skin_normal, skin_position};
