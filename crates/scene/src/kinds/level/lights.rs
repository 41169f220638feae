//! Switchable and dimmable lights, and their brightness.

use super::atlas::{PageLuxels, PaintedLightmap};
use super::{Level, Map};
use crate::{LevelItem, Shown};
use mapscope_formats::pmf::{self, ChunkData, DynamicLight, FastLight};

/// Kinds of switchable light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum LightKind {
    /// A light with lightmaps of its own.
    Dynamic,
    /// A light that colours vertices.
    Fast,
}

impl LightKind {
    /// All kinds.
    pub(super) const ALL: [Self; 2] = [Self::Dynamic, Self::Fast];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Dynamic => "dynamic",
            Self::Fast => "fast",
        }
    }

    /// Returns the lights of this kind in a chunk, in file order.
    pub(super) fn lights(self, data: &ChunkData) -> Vec<ChunkLight> {
        match self {
            Self::Dynamic => data.dynamic_lights.iter().map(ChunkLight::from).collect(),
            Self::Fast => data.fast_lights.iter().map(ChunkLight::from).collect(),
        }
    }

    /// Returns the colour of a light of a chunk by its index.
    pub(super) fn color(self, data: &ChunkData, index: usize) -> Option<[u8; 3]> {
        let client = data.client.as_ref()?;
        match self {
            Self::Dynamic => client.dynamic_lights.get(index).map(|light| light.color),
            Self::Fast => client.fast_lights.get(index).map(|light| light.color),
        }
    }

    /// Returns the item of a light of a level.
    pub(super) fn item(self, level: usize, id: u32) -> LevelItem {
        let level = level as u32;
        match self {
            Self::Dynamic => LevelItem::DynamicLight { level, id },
            Self::Fast => LevelItem::FastLight { level, id },
        }
    }

    /// Returns the kind of a light item, its level, and its number in the map.
    pub(super) fn of_item(item: LevelItem) -> Option<(Self, usize, u32)> {
        match item {
            LevelItem::DynamicLight { level, id } => Some((Self::Dynamic, level as usize, id)),
            LevelItem::FastLight { level, id } => Some((Self::Fast, level as usize, id)),
            _ => None,
        }
    }
}

/// A light as recorded in one chunk. Each chunk has its own record, and records can differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkLight {
    kind: LightKind,
    /// Number in the map.
    id: u32,
    /// [`DynamicLight::ENABLED`] and [`DynamicLight::PRESERVE`].
    pub(super) flags: u8,
    /// Brightness when it is on, from 0 to 255.
    pub(super) full: u8,
}

impl ChunkLight {
    /// Returns the item of the light in a level.
    pub(super) fn item(self, level: usize) -> LevelItem {
        self.kind.item(level, self.id)
    }

    pub(super) fn is_enabled(self) -> bool {
        self.flags & DynamicLight::ENABLED != 0
    }

    /// Initial brightness, from 0 to 255.
    pub(super) fn intensity(self) -> u8 {
        if self.is_enabled() { self.full } else { 0 }
    }

    /// Brightness in the view, from 0 to 255: that of the chunk, unless the user set one, which
    /// applies to all chunks of the level.
    pub(super) fn shown_intensity(self, shown: &Shown, level: usize) -> u8 {
        let set = shown.lights.get(self.item(level).into());
        set.unwrap_or_else(|| self.intensity())
    }
}

impl From<&DynamicLight> for ChunkLight {
    /// Dynamic lights are only on or off.
    fn from(light: &DynamicLight) -> Self {
        Self {
            kind: LightKind::Dynamic,
            id: light.id,
            flags: light.flags,
            full: u8::MAX,
        }
    }
}

impl From<&FastLight> for ChunkLight {
    fn from(light: &FastLight) -> Self {
        Self {
            kind: LightKind::Fast,
            id: light.id,
            flags: light.flags,
            full: light.intensity,
        }
    }
}

/// The lightmaps of a level, lit by its active dynamic lights.
#[derive(Debug, Clone, Copy)]
pub struct Lighting<'a> {
    shown: &'a Shown,
    /// Number of the level.
    number: usize,
    level: &'a Level,
    source: &'a pmf::Level,
}

impl Map {
    /// Returns the lighting of a level's lightmaps, or `None` if the level does not exist.
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
        ChunkLight::from(&light).shown_intensity(self.shown, self.number)
    }

    /// Brightness of each dynamic light of a chunk, from 0 to 255.
    pub fn intensities(&self, chunk: usize) -> Vec<u8> {
        let lights = self
            .data(chunk)
            .into_iter()
            .flat_map(|data| &data.dynamic_lights);
        lights.map(|light| self.intensity(*light)).collect()
    }

    /// Returns the lightmaps of a chunk that look different from those with the given intensities,
    /// and updates the intensities to the current ones.
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

    /// Paints a lightmap of a chunk, or returns `None` if it does not exist.
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

    /// Paints the pages of the level, with all lightmaps of all chunks.
    pub fn pages(&self) -> Vec<PageLuxels> {
        let sizes = self.level.atlas.pages.iter();
        let mut pages: Vec<_> = sizes.map(|size| PageLuxels::new(*size)).collect();
        for painted in (0..self.source.chunks.len()).flat_map(|chunk| self.paint_all(chunk)) {
            if let Some(page) = pages.get_mut(usize::from(painted.page)) {
                page.put(&painted);
            }
        }
        pages
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
        let fast_now =
            |shown: &Shown, light| ChunkLight::from(&light as &FastLight).shown_intensity(shown, 0);
        let dynamic_now = |shown: &Shown, light| {
            ChunkLight::from(&light as &DynamicLight).shown_intensity(shown, 0)
        };
        // Current brightness: 0 unless enabled. The full brightness is kept either way.
        assert_eq!(fast_now(&shown, fast(1, 77)), 77);
        assert_eq!(fast_now(&shown, fast(3, 99)), 99);
        assert_eq!(fast_now(&shown, fast(2, 99)), 0);
        assert_eq!(ChunkLight::from(&fast(2, 99)).full, 99);
        assert_eq!(dynamic_now(&shown, dynamic(1)), 255);
        assert_eq!(dynamic_now(&shown, dynamic(2)), 0);
        shown.lights.set(LightKind::Fast.item(0, 9).into(), Some(3));
        assert_eq!(fast_now(&shown, fast(1, 77)), 3);
        assert_eq!(fast_now(&shown, fast(2, 99)), 3);
        assert_eq!(dynamic_now(&shown, dynamic(1)), 255);
        assert_eq!(
            ChunkLight::from(&fast(1, 77)).shown_intensity(&shown, 1),
            77
        );
    }
}
