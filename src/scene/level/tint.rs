//! Colours of vertices that change with what is shown: the light of fast lights.

use super::Map;
use super::items::item;
use super::mesh::ChunkMesh;
use crate::scene::{LightSettings, Shown};

/// No light of fast lights, and nothing dimmed.
pub const PLAIN: [u8; 4] = [0, 0, 0, 255];

/// Red, green, blue and a fourth number for the vertices of a chunk.
///
/// Where surfaces look as the file has them the colour is light that is added to that of the
/// lightmap, and the fourth number how much of the light is left: 255 is all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tint {
    /// The same for all.
    Same([u8; 4]),
    /// One for each vertex.
    Each(Vec<[u8; 4]>),
}

/// What tints depend on: as long as it stays the same, they do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TintKey {
    lights: LightSettings,
}

impl Map {
    /// What the tints of a level depend on.
    pub fn tint_key(&self, shown: &Shown) -> TintKey {
        TintKey {
            lights: shown.lights.clone(),
        }
    }

    /// The tint of a chunk of a level.
    pub fn tint(&self, shown: &Shown, level: usize, mesh: &ChunkMesh) -> Tint {
        self.fast_light(shown, level, mesh)
            .unwrap_or(Tint::Same(PLAIN))
    }

    /// The light of fast lights on a chunk; none where there is none.
    fn fast_light(&self, shown: &Shown, level: usize, mesh: &ChunkMesh) -> Option<Tint> {
        let chunk = self.pmf.levels.get(level)?.chunks.get(mesh.chunk)?;
        let data = chunk.data.as_deref()?;
        let client = data.client.as_ref()?;
        let intensity = |id| self.light_intensity(shown, level, item::FAST_LIGHT, id);
        let intensities: Vec<u8> = data.fast_lights.iter().map(|l| intensity(l.id)).collect();
        let lights = client.fast_lights.iter().zip(&intensities);
        let mut shining = lights.filter(|(light, i)| **i > 0 && light.ranges().next().is_some());
        shining.next()?;
        Some(Tint::Each(mesh.fast_light(client, &intensities)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::level::sample;

    #[test]
    fn fast_lights_tint_until_they_are_put_out() {
        let map = sample::made_up();
        let mesh = &map.levels()[0].chunks[0];
        let mut shown = Shown::default();
        let key = map.tint_key(&shown);
        let Tint::Each(tints) = map.tint(&shown, 0, mesh) else {
            panic!("the light of the sample shines");
        };
        assert_eq!(tints.len(), mesh.vertices.len());
        let brightest = |tints: &[[u8; 4]]| tints.iter().map(|tint| tint[2]).max();
        let data = map.pmf().levels[0].chunks[mesh.chunk]
            .data
            .as_ref()
            .unwrap();
        let light = Map::light_item(0, item::FAST_LIGHT, data.fast_lights[0].id);
        shown.lights.set(light, Some(20));
        assert!(map.tint_key(&shown) != key);
        let Tint::Each(dimmed) = map.tint(&shown, 0, mesh) else {
            panic!("it still shines a little");
        };
        assert!(brightest(&dimmed) < brightest(&tints));
        shown.lights.set(light, Some(0));
        assert_eq!(map.tint(&shown, 0, mesh), Tint::Same(PLAIN));
    }
}
