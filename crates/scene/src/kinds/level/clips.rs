//! Animated materials. Their time is that of a clip, so that it can be paused and scrubbed.

use super::Map;
use super::materials::Material;
use crate::{Animation, ClipInfo, LevelItem, Playhead};

/// Name of the clip.
const NAME: &str = "Materials";
const FRAMES_PER_SECOND: f32 = 24.0;
/// A minute: materials have no common period.
const FRAMES: u32 = 1440;

impl Material {
    /// `true` if its appearance changes over time.
    pub fn moves(&self) -> bool {
        self.motion.contains(&true)
    }

    /// Returns the ways in which it changes over time.
    pub(super) fn motion_names(&self) -> Vec<&'static str> {
        let names = ["changes texture", "scrolls", "scrolls its matcap", "waves"];
        let ways = names.into_iter().zip(self.motion);
        ways.filter_map(|(name, does)| does.then_some(name))
            .collect()
    }
}

/// Returns the clips of a map with these materials: one, if any of them is animated.
pub(super) fn clips<'a>(mut materials: impl Iterator<Item = &'a Material>) -> Vec<ClipInfo> {
    let clip = || ClipInfo {
        name: NAME.to_owned(),
        frames: FRAMES,
        item: LevelItem::Clip.into(),
        is_clock: false,
        rates: Vec::new(),
    };
    materials
        .any(Material::moves)
        .then(clip)
        .into_iter()
        .collect()
}

/// Descriptions of a map do not change while its materials move.
impl Animation for Map {
    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }
}

impl Map {
    /// Returns the animated materials, with the numbers of their levels and their own.
    pub(super) fn moving_materials(&self) -> impl Iterator<Item = (usize, usize, &Material)> {
        let levels = self.levels.iter().enumerate();
        let materials = levels.flat_map(|(level, data)| {
            let materials = data.materials.list.iter().enumerate();
            materials.map(move |(index, material)| (level, index, material))
        });
        materials.filter(|(.., material)| material.moves())
    }

    /// Duration of a clip, in seconds.
    pub(super) fn clip_secs(clip: &ClipInfo) -> f32 {
        clip.frames as f32 / FRAMES_PER_SECOND
    }

    /// Seconds since the start of the material animation.
    pub fn time_secs(&self, playhead: Playhead) -> f32 {
        let clip = playhead.clip.and_then(|clip| self.clips.get(clip));
        let frames = clip.map_or(0, |clip| clip.frames);
        let Some(([frame, _], part)) = playhead.between(frames) else {
            return 0.0;
        };
        (frame as f32 + part) / FRAMES_PER_SECOND
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shown;
    use crate::kinds::level::sample;

    #[test]
    fn a_map_has_a_clip_while_a_material_moves() {
        let still = sample::made_up();
        assert_eq!(still.clips(), []);
        assert_eq!(still.time_secs(Playhead::at_frame(0, 48)), 0.0);
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let look = &mut pmf.levels[0].client.as_mut().unwrap().materials[0];
        look.texture_scroll = [0.0, 0.5];
        let moving = sample::map(pmf);
        assert_eq!(moving.clips().len(), 1);
        let clip = moving.clips()[0].item;
        let properties = (&moving as &dyn crate::Document).properties(clip, Playhead::default());
        let said: Vec<_> = properties[0].properties.iter().collect();
        let last = said.last().unwrap();
        assert_eq!(last.value, "stone: scrolls");
        assert_eq!(last.link, Some(LevelItem::material(0, 0).into()));
        let summary: Vec<_> = (&moving as &dyn crate::Document)
            .summary(clip, &Shown::default())
            .into_iter()
            .map(|part| (part.name, part.value))
            .collect();
        let expected = [("Clip", "Materials"), ("Lasts", "60 s"), ("Materials", "1")];
        assert_eq!(
            summary,
            expected.map(|(name, value)| (name, value.to_owned()))
        );
        assert_eq!(moving.time_secs(Playhead::default()), 0.0);
        assert_eq!(moving.time_secs(Playhead::at_frame(0, 48)), 2.0);
        let between = Playhead {
            smooth: true,
            frame: 12.6,
            clip: Some(0),
            blend: None,
        };
        assert!((moving.time_secs(between) - 0.525).abs() < 1e-6);
    }
}
