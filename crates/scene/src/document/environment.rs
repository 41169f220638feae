//! Surroundings of a document: the sun and the sky.

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use super::About;
use crate::assets::{DeferredSkybox, Pending, Skybox};
use mapscope_formats::Place;

/// World-space position of the light, as set by the game and its editor (fact sheets A10 and B6).
pub(crate) const LIGHT_POSITION: Vec3 = Vec3::new(1664.0, 1024.0, 384.0);

/// Surroundings of a document that has its own ground, so that objects on it cast shadows.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The light.
    pub sun: Sun,
    /// The images of the sky; `None` for Mapscope's own sky.
    pub skybox: Option<Arc<DeferredSkybox>>,
}

impl Environment {
    /// Returns the images of the sky once they are loaded.
    pub fn skybox(&self) -> Option<&Skybox> {
        self.skybox.as_ref()?.get()
    }

    /// Returns [`Pending::Skybox`] until the sky is read.
    pub(crate) fn pending(&self) -> Option<Pending> {
        let skybox = self.skybox.as_ref()?;
        (!skybox.is_read()).then_some(Pending::Skybox)
    }

    /// Revision number; it changes once the sky is loaded.
    pub(crate) fn revision(&self) -> u64 {
        u64::from(self.skybox().is_some())
    }

    /// Reads the sky if it is still wanted, then calls `on_part`. If the sky has faults, `whole`
    /// is set to `about` with those faults added at `place`.
    pub(crate) fn complete(
        &self,
        about: &About,
        whole: &OnceLock<About>,
        place: Place,
        keep_going: &dyn Fn() -> bool,
        on_part: &dyn Fn(),
    ) {
        let skybox = self.skybox.as_ref().filter(|skybox| !skybox.is_read());
        if let Some(skybox) = skybox.filter(|_| keep_going()) {
            let faults = skybox.faults();
            if !faults.is_empty() {
                whole.get_or_init(|| about.with_faults(faults, place));
            }
            on_part();
        }
    }

    /// Bytes of memory held by the sky.
    pub(crate) fn cpu_bytes(&self) -> u64 {
        self.skybox().map_or(0, Skybox::cpu_bytes)
    }
}

/// The only light of a map, plus the ambient light.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sun {
    /// World-space position. Terrain and shadows treat the light as directional: infinitely far
    /// from the origin in this direction. Models do not (fact sheets A10 and B6).
    pub position: Vec3,
    /// Colour of the light, each channel from 0 to 1.
    pub color: Vec3,
    /// Colour of the ambient light, each channel from 0 to 1.
    pub ambient: Vec3,
}

impl Default for Sun {
    /// The game's sun.
    fn default() -> Self {
        Self {
            position: LIGHT_POSITION,
            color: Vec3::ONE,
            ambient: Vec3::ONE,
        }
    }
}

/// Minimum height of a sun that casts shadows: the sine of about one degree above the horizon.
const MIN_SHADOW_HEIGHT: f32 = 0.02;

impl Sun {
    /// Unit vector toward the sun, in world space, if the sun is high enough to cast shadows.
    pub fn casting_direction(&self) -> Option<Vec3> {
        Some(self.direction()).filter(|direction| direction.y >= MIN_SHADOW_HEIGHT)
    }

    /// Unit vector toward the sun, in world space. Falls back to straight up if the position has no
    /// direction.
    pub fn direction(&self) -> Vec3 {
        self.position.normalize_or(Vec3::Y)
    }
}
