//! Lights that can be switched and dimmed: how bright each is.

use super::atlas::PaintedLightmap;
use super::{Level, Map};
use crate::{LevelItem, Shown};
use mapscope_formats::pmf::{self, ChunkData, DynamicLight, FastLight};

/// The kinds of light that can be switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum LightKind {
    /// It has lightmaps of its own.
    Dynamic,
    /// It colours vertices.
    Fast,
}

impl LightKind {
    /// The item of a light of a level.
    pub(super) fn item(self, level: usize, id: u32) -> LevelItem {
        let level = level as u32;
        match self {
            Self::Dynamic => LevelItem::DynamicLight { level, id },
            Self::Fast => LevelItem::FastLight { level, id },
        }
    }

    /// What an item is one of, its level and its number in the map.
    pub(super) fn of_item(item: LevelItem) -> Option<(Self, usize, u32)> {
        match item {
            LevelItem::DynamicLight { level, id } => Some((Self::Dynamic, level as usize, id)),
            LevelItem::FastLight { level, id } => Some((Self::Fast, level as usize, id)),
            _ => None,
        }
    }
}

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
    /// How bright a dynamic light of a chunk is, from 0 to 255: as the chunk has it, unless the
    /// light was made otherwise, which counts in all chunks of the level.
    fn dynamic_intensity(shown: &Shown, level: usize, light: DynamicLight) -> u8 {
        let item = LightKind::Dynamic.item(level, light.id);
        let set = shown.lights.get(item.into());
        set.unwrap_or_else(|| InFile::from(&light).intensity())
    }

    /// The same of a fast light.
    pub(super) fn fast_intensity(shown: &Shown, level: usize, light: FastLight) -> u8 {
        let item = LightKind::Fast.item(level, light.id);
        let set = shown.lights.get(item.into());
        set.unwrap_or_else(|| InFile::from(&light).intensity())
    }
}

/// The lightmaps of a level as they are lit by the dynamic lights that shine.
#[derive(Debug, Clone, Copy)]
pub struct Lighting<'a> {
    shown: &'a Shown,
    /// Number of the level.
    number: usize,
    level: &'a Level,
    source: &'a pmf::Level,
}

impl Map {
    /// How the lightmaps of a level are lit; none without such a level.
    pub fn lighting<'a>(&'a self, shown: &'a Shown, level: usize) -> Option<Lighting<'a>> {
        let number = level;
        let (level, source) = self.level(number)?;
        Some(Lighting {
            shown,
            number,
            level,
            source,
        })
    }
}

impl<'a> Lighting<'a> {
    fn data(&self, chunk: usize) -> Option<&'a ChunkData> {
        self.source.chunks.get(chunk)?.data.as_deref()
    }

    fn intensity(&self, light: DynamicLight) -> u8 {
        Map::dynamic_intensity(self.shown, self.number, light)
    }

    /// How bright each dynamic light of a chunk is, from 0 to 255.
    pub fn intensities(&self, chunk: usize) -> Vec<u8> {
        let lights = self
            .data(chunk)
            .map_or(&[][..], |data| &data.dynamic_lights);
        lights.iter().map(|light| self.intensity(*light)).collect()
    }

    /// The lightmaps of a chunk that look otherwise than with lights of these intensities, which
    /// become those of now.
    pub fn update(&self, chunk: usize, intensities: &mut [u8]) -> Vec<usize> {
        let Some(data) = self.data(chunk) else {
            return Vec::new();
        };
        let looks = data.client.iter().flat_map(|client| &client.dynamic_lights);
        let mut changed = Vec::new();
        for ((light, look), intensity) in data.dynamic_lights.iter().zip(looks).zip(intensities) {
            let now = self.intensity(*light);
            if *intensity != now {
                *intensity = now;
                changed.extend(look.layers.iter().map(|layer| usize::from(layer.lightmap)));
            }
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Paints a lightmap of a chunk; none where it is not there.
    pub fn paint(&self, chunk: usize, lightmap: usize) -> Option<PaintedLightmap> {
        let intensity = |light: &DynamicLight| self.intensity(*light);
        let atlas = &self.level.atlas;
        atlas.paint(self.source, chunk, lightmap, &intensity)
    }

    /// Paints all lightmaps of a chunk.
    pub fn paint_all(&self, chunk: usize) -> impl Iterator<Item = PaintedLightmap> + 'a {
        let lighting = *self;
        let lightmaps = 0..self.level.atlas.slots(chunk).len();
        lightmaps.filter_map(move |lightmap| lighting.paint(chunk, lightmap))
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
        let dynamic_now = |shown: &Shown, light| Map::dynamic_intensity(shown, 0, light);
        // Enabled, or not but bright as soon as it is.
        assert_eq!(fast_now(&shown, fast(1, 77)), 77);
        assert_eq!(fast_now(&shown, fast(3, 99)), 99);
        assert_eq!(fast_now(&shown, fast(2, 99)), 0);
        assert_eq!(InFile::from(&fast(2, 99)).full, 99);
        assert_eq!(dynamic_now(&shown, dynamic(1)), 255);
        assert_eq!(dynamic_now(&shown, dynamic(2)), 0);
        shown.lights.set(LightKind::Fast.item(0, 9).into(), Some(3));
        assert_eq!(fast_now(&shown, fast(1, 77)), 3);
        assert_eq!(fast_now(&shown, fast(2, 99)), 3);
        assert_eq!(dynamic_now(&shown, dynamic(1)), 255);
        assert_eq!(Map::fast_intensity(&shown, 1, fast(1, 77)), 77);
    }
}
