//! Where models stand in a scene, and at which moment of their clips.

use glam::Affine3A;

use crate::Playhead;

/// One of any number of models that share a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance {
    /// Where it stands.
    pub world_from_model: Affine3A,
    /// How its skeleton is posed.
    pub playhead: Playhead,
}

impl Instance {
    /// A model whose own space is that of the world.
    pub fn in_place(playhead: Playhead) -> Self {
        Self {
            world_from_model: Affine3A::IDENTITY,
            playhead,
        }
    }
}
