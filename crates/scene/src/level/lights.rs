//! Lights that can be switched and dimmed: how bright each is.

use super::Map;
use super::items::{item, of_level};
use crate::{Item, Shown};
use mapscope_formats::pmf::{DynamicLight, FastLight};

/// How a chunk has a light. Each chunk has a record of its own, and chunks need not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InFile {
    /// [`DynamicLight::ENABLED`] and [`DynamicLight::PRESERVE`].
    pub(super) flags: u8,
    /// How bright it is when it is on, from 0 to 255.
    pub(super) full: u8,
}

impl InFile {
    pub(super) fn is_enabled(self) -> bool {
        self.flags & DynamicLight::ENABLED != 0
    }

    /// How bright it is at first, from 0 to 255.
    pub(super) fn intensity(self) -> u8 {
        if self.is_enabled() { self.full } else { 0 }
    }
}

impl From<&DynamicLight> for InFile {
    /// Dynamic lights are on or off.
    fn from(light: &DynamicLight) -> Self {
        Self {
            flags: light.flags,
            full: u8::MAX,
        }
    }
}

impl From<&FastLight> for InFile {
    fn from(light: &FastLight) -> Self {
        Self {
            flags: light.flags,
            full: light.intensity,
        }
    }
}

impl Map {
    /// The item of a light of a level: of kind [`item::DYNAMIC_LIGHT`] or [`item::FAST_LIGHT`].
    pub(super) fn light_item(level: usize, kind: &'static str, id: u32) -> Item {
        of_level(kind, level, id)
    }

    /// How bright a dynamic light of a chunk is, from 0 to 255: as the chunk has it, unless the
    /// light was made otherwise, which counts in all chunks of the level.
    pub fn dynamic_intensity(shown: &Shown, level: usize, light: &DynamicLight) -> u8 {
        let set = Self::light_item(level, item::DYNAMIC_LIGHT, light.id);
        let set = shown.lights.get(set);
        set.unwrap_or_else(|| InFile::from(light).intensity())
    }

    /// The same of a fast light.
    pub(super) fn fast_intensity(shown: &Shown, level: usize, light: FastLight) -> u8 {
        let set = Self::light_item(level, item::FAST_LIGHT, light.id);
        let set = shown.lights.get(set);
        set.unwrap_or_else(|| InFile::from(&light).intensity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chunk_has_lights_of_its_own_until_they_are_switched() {
        let fast = |flags, intensity| FastLight {
            flags,
            intensity,
            id: 9,
        };
        let dynamic = |flags| DynamicLight { flags, id: 9 };
        let mut shown = Shown::default();
        let fast_now = |shown: &Shown, light| Map::fast_intensity(shown, 0, light);
        let dynamic_now = |shown: &Shown, light| Map::dynamic_intensity(shown, 0, &light);
        // Enabled, or not but bright as soon as it is.
        assert_eq!(fast_now(&shown, fast(1, 77)), 77);
        assert_eq!(fast_now(&shown, fast(3, 99)), 99);
        assert_eq!(fast_now(&shown, fast(2, 99)), 0);
        assert_eq!(InFile::from(&fast(2, 99)).full, 99);
        assert_eq!(dynamic_now(&shown, dynamic(1)), 255);
        assert_eq!(dynamic_now(&shown, dynamic(2)), 0);
        let light = Map::light_item(0, item::FAST_LIGHT, 9);
        shown.lights.set(light, Some(3));
        assert_eq!(fast_now(&shown, fast(1, 77)), 3);
        assert_eq!(fast_now(&shown, fast(2, 99)), 3);
        assert_eq!(dynamic_now(&shown, dynamic(1)), 255);
        assert_eq!(Map::fast_intensity(&shown, 1, fast(1, 77)), 77);
    }
}
