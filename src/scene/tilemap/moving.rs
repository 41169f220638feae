//! What of a map changes with time, and in which order its layers are drawn where the file does
//! not say.

use super::items::item;
use super::{Layer, Pass, Step, TileMap, Tileset};
use crate::scene::{ClipInfo, Item, Playhead};

/// Name of the one clip, of the tiles that change.
const CLIP_NAME: &str = "Tiles";
/// Frames of the clip in a second, as many as of all clips.
const FRAMES_PER_SECOND: f32 = 24.0;
/// Frames of the clip: a minute. Tiles go on forever, and where they are after a minute is not
/// where they began.
const CLIP_FRAMES: u32 = 1440;
/// Ticks of strands in a second (fact sheet of ika, section 5).
const TICKS_PER_SECOND: f32 = 100.0;

impl TileMap {
    /// The clips of a map with these tilesets: one if any of their tiles change.
    pub fn clips_of(tilesets: &[Tileset]) -> Vec<ClipInfo> {
        let changes = tilesets.iter().any(|tileset| !tileset.strands.is_empty());
        let clip = changes.then(|| ClipInfo {
            name: CLIP_NAME.to_owned(),
            frames: CLIP_FRAMES,
            item: Item {
                kind: item::CLIP,
                index: 0,
            },
        });
        clip.into_iter().collect()
    }

    /// The moment of a playhead in ticks, of which strands count a hundred in a second; 0 without
    /// a clip.
    pub fn ticks(&self, playhead: Playhead) -> u64 {
        if playhead.clip.is_none() {
            return 0;
        }
        // A hair more, so that frame 24 is tick 100 and not the one before.
        let ticks = playhead.frame * (TICKS_PER_SECOND / FRAMES_PER_SECOND) + 1e-3;
        ticks.max(0.0) as u64
    }

    /// All layers one after the other, each with what stands on it, and last what stands on none.
    pub fn steps_in_file_order(layers: &[Layer]) -> Vec<Step> {
        let mut steps = Vec::with_capacity(layers.len() * 2 + 1);
        for (layer, what) in layers.iter().enumerate() {
            let tiles = |pass| Step::Layer {
                layer,
                skips_zero: false,
                pass,
            };
            let things = Step::Things { layer: Some(layer) };
            if what.has_priority {
                steps.extend([tiles(Pass::Normal), things, tiles(Pass::Priority)]);
            } else {
                steps.extend([tiles(Pass::All), things]);
            }
        }
        steps.push(Step::Things { layer: None });
        steps
    }
}
