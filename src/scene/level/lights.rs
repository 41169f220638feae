//! Lights that can be switched and dimmed: how bright each is.

use super::Map;
use super::items::{item, of_level};
use crate::formats::pmf::{self, DynamicLight};
use crate::scene::{Item, Shown};

/// How bright the file has the lights of a level, by their global numbers, in rising order.
#[derive(Debug, Default)]
pub(super) struct Lights {
    dynamic: Vec<(u32, u8)>,
    fast: Vec<(u32, u8)>,
}

impl Lights {
    pub(super) fn of(level: &pmf::Level) -> Self {
        let mut lights = Self::default();
        let chunks = level.chunks.iter().filter_map(|chunk| chunk.data.as_ref());
        for data in chunks {
            let shines = |flags: u8, intensity| match flags & DynamicLight::ENABLED {
                0 => 0,
                _ => intensity,
            };
            let dynamic = data.dynamic_lights.iter();
            let fast = data.fast_lights.iter();
            lights
                .dynamic
                .extend(dynamic.map(|light| (light.id, shines(light.flags, u8::MAX))));
            lights
                .fast
                .extend(fast.map(|light| (light.id, shines(light.flags, light.intensity))));
        }
        for list in [&mut lights.dynamic, &mut lights.fast] {
            // A light in several chunks is as the first one of them has it.
            list.sort_by_key(|(id, _)| *id);
            list.dedup_by_key(|(id, _)| *id);
        }
        lights
    }

    /// How bright the file has a light; 0 for one that is not there.
    fn get(&self, kind: &str, id: u32) -> u8 {
        let list = match kind {
            item::DYNAMIC_LIGHT => &self.dynamic,
            item::FAST_LIGHT => &self.fast,
            _ => return 0,
        };
        let found = list.binary_search_by_key(&id, |(id, _)| *id);
        let light = found.ok().and_then(|at| list.get(at));
        light.map_or(0, |(_, intensity)| *intensity)
    }
}

impl Map {
    /// The item of a light of a level: of kind [`item::DYNAMIC_LIGHT`] or [`item::FAST_LIGHT`].
    pub(super) fn light_item(level: usize, kind: &'static str, id: u32) -> Item {
        of_level(kind, level, id)
    }

    /// How bright a light of a level is, from 0 to 255: as the file has it, unless it was made
    /// otherwise.
    pub(super) fn light_intensity(
        &self,
        shown: &Shown,
        level: usize,
        kind: &'static str,
        id: u32,
    ) -> u8 {
        let set = shown.lights.get(Self::light_item(level, kind, id));
        set.unwrap_or_else(|| {
            let level = self.levels.get(level);
            level.map_or(0, |level| level.lights.get(kind, id))
        })
    }

    /// How bright a dynamic light of a level is, from 0 to 255, by its global number.
    pub fn dynamic_intensity(&self, shown: &Shown, level: usize, id: u32) -> u8 {
        self.light_intensity(shown, level, item::DYNAMIC_LIGHT, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::level::sample;

    #[test]
    fn lights_are_as_the_file_has_them_unless_they_are_switched() {
        let mut pmf = pmf::synthesize([1, 2, 1], 1, 1);
        let [first, second] = &mut pmf.levels[0].chunks[..] else {
            panic!("two chunks")
        };
        let first = first.data.as_mut().unwrap();
        let second = second.data.as_mut().unwrap();
        first.fast_lights[0].id = 9;
        first.fast_lights[0].intensity = 77;
        second.fast_lights[0].id = 9;
        second.fast_lights[0].intensity = 99;
        second.dynamic_lights[0].flags = 0;
        second.dynamic_lights[0].id = 9;
        let dynamic = first.dynamic_lights[0].id;
        let map = sample::map(pmf);
        let mut shown = Shown::default();
        let of = |shown: &Shown, kind, id| map.light_intensity(shown, 0, kind, id);
        assert_eq!(of(&shown, item::DYNAMIC_LIGHT, dynamic), 255);
        assert_eq!(of(&shown, item::DYNAMIC_LIGHT, 9), 0);
        assert_eq!(of(&shown, item::FAST_LIGHT, 9), 77);
        assert_eq!(of(&shown, item::FAST_LIGHT, 1234), 0);
        let light = Map::light_item(0, item::FAST_LIGHT, 9);
        shown.lights.set(light, Some(3));
        assert_eq!(of(&shown, item::FAST_LIGHT, 9), 3);
        assert_eq!(of(&shown, item::DYNAMIC_LIGHT, 9), 0);
        assert_eq!(map.light_intensity(&shown, 1, item::FAST_LIGHT, 9), 0);
    }
}
