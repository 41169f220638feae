//! What surrounds a document: its sun, and the sky.

use std::sync::Arc;

use glam::Vec3;

use crate::assets::Skybox;

/// Where the light is, in world space, as the game and its editor set it (fact sheets A10 and B6).
pub(crate) const LIGHT_POSITION: Vec3 = Vec3::new(1664.0, 1024.0, 384.0);

/// What surrounds a document that has a ground of its own, so that what stands on it casts shadows.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Its light.
    pub sun: Sun,
    /// The images of its sky; none for Mapscope's own.
    pub skybox: Option<Arc<Skybox>>,
}

/// The one light of a map, and how bright it is where that does not reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sun {
    /// Where it is, in world space. Terrain and shadows take it to be infinitely far away in this
    /// direction from the origin; models do not (fact sheets A10 and B6).
    pub position: Vec3,
    /// The colour of its light, each channel from 0 to 1.
    pub color: Vec3,
    /// The colour of the light from everywhere, likewise.
    pub ambient: Vec3,
}

impl Default for Sun {
    /// The game's.
    fn default() -> Self {
        Self {
            position: LIGHT_POSITION,
            color: Vec3::ONE,
            ambient: Vec3::ONE,
        }
    }
}

/// How high above the horizon the sun is at least where it casts shadows: the sine of about a degree.
const MIN_SHADOW_HEIGHT: f32 = 0.02;

impl Sun {
    /// Unit vector toward the sun, in world space, if it is so high that it casts shadows.
    pub fn casting_direction(&self) -> Option<Vec3> {
        Some(self.direction()).filter(|direction| direction.y >= MIN_SHADOW_HEIGHT)
    }

    /// Unit vector toward the sun, in world space: straight up if its position says nothing.
    pub fn direction(&self) -> Vec3 {
        self.position.normalize_or(Vec3::Y)
    }
}
