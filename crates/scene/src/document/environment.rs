//! What surrounds a document: its sun, and the sky.

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use super::About;
use crate::assets::Pending;
use crate::assets::{DeferredSkybox, Skybox};
use mapscope_formats::Place;

/// Where the light is, in world space, as the game and its editor set it (fact sheets A10 and B6).
pub(crate) const LIGHT_POSITION: Vec3 = Vec3::new(1664.0, 1024.0, 384.0);

/// What surrounds a document that has a ground of its own, so that what stands on it casts shadows.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Its light.
    pub sun: Sun,
    /// The images of its sky; none for Mapscope's own.
    pub skybox: Option<Arc<DeferredSkybox>>,
}

impl Environment {
    /// The images of its sky, once these are there.
    pub fn skybox(&self) -> Option<&Skybox> {
        self.skybox.as_ref()?.get()
    }

    /// Its sky, unless that was read.
    pub(crate) fn pending(&self) -> Option<Pending> {
        let skybox = self.skybox.as_ref()?;
        (!skybox.is_read()).then_some(Pending::Skybox)
    }

    /// Another number once its sky is there.
    pub(crate) fn revision(&self) -> u64 {
        u64::from(self.skybox().is_some())
    }

    /// Reads its sky if that is still wanted, and calls `has_come` then. If something is wrong with it, `whole`
    /// becomes what is known of the document with that, which is said at a place.
    pub(crate) fn complete(
        &self,
        about: &About,
        whole: &OnceLock<About>,
        place: Place,
        goes_on: &dyn Fn() -> bool,
        has_come: &dyn Fn(),
    ) {
        let skybox = self.skybox.as_ref().filter(|skybox| !skybox.is_read());
        if let Some(skybox) = skybox.filter(|_| goes_on()) {
            let faults = skybox.faults();
            if !faults.is_empty() {
                whole.get_or_init(|| about.with_faults(faults, place));
            }
            has_come();
        }
    }

    /// Bytes of memory that its sky holds.
    pub(crate) fn cpu_bytes(&self) -> u64 {
        self.skybox().map_or(0, Skybox::cpu_bytes)
    }
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
