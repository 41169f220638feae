//! Materials that move: their time is that of a clip, so that it can be stopped and gone through.

use super::Map;
use super::items::item;
use super::materials::Material;
use crate::scene::{ClipInfo, Item, Playhead};

/// The name of the clip.
const NAME: &str = "Materials";
const FRAMES_PER_SECOND: f32 = 24.0;
/// A minute: materials have no common period.
const FRAMES: u32 = 1440;

impl Material {
    /// Whether it looks otherwise after a while.
    pub fn moves(&self) -> bool {
        let Some(look) = &self.look else { return false };
        let scrolls = |speed: [f32; 2]| speed != [0.0; 2];
        let changes = look.advance_micros > 0 && !look.extra_textures.is_empty();
        changes
            || scrolls(look.texture_scroll)
            || (scrolls(look.matcap_scroll) && look.matcap != Default::default())
            || (self.is_liquid && look.wave.scale != 0.0)
    }
}

/// The clips of a map with these materials: one, if any of them moves.
pub(super) fn clips<'a>(mut materials: impl Iterator<Item = &'a Material>) -> Vec<ClipInfo> {
    let clip = || ClipInfo {
        name: NAME.to_owned(),
        frames: FRAMES,
        item: Item {
            kind: item::CLIP,
            index: 0,
        },
    };
    materials
        .any(Material::moves)
        .then(clip)
        .into_iter()
        .collect()
}

impl Map {
    /// Seconds since materials began to move.
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
    use crate::formats::pmf;
    use crate::scene::Document as _;
    use crate::scene::level::sample;

    #[test]
    fn a_map_has_a_clip_while_a_material_moves() {
        let still = sample::made_up();
        assert_eq!(still.clips(), []);
        assert_eq!(still.time_secs(Playhead::at_frame(0, 48)), 0.0);
        let mut pmf = pmf::synthesize([1, 1, 1], 1, 1);
        let look = &mut pmf.levels[0].client.as_mut().unwrap().materials[0];
        look.texture_scroll = [0.0, 0.5];
        let moving = sample::map(pmf);
        assert_eq!(moving.clips().len(), 1);
        assert_eq!(moving.time_secs(Playhead::default()), 0.0);
        assert_eq!(moving.time_secs(Playhead::at_frame(0, 48)), 2.0);
        let between = Playhead {
            smooth: true,
            frame: 12.6,
            clip: Some(0),
        };
        assert!((moving.time_secs(between) - 0.525).abs() < 1e-6);
    }
}
