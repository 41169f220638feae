//! What moves in a map: tiles that are shown one after the other. Their time is that of a clip, so
//! that it can be stopped and gone through.

use super::{Layer, Object, Pass, Step, Strand, TileMap, Tileset};
use crate::{Animation, ClipInfo, Playhead, TileMapItem};

/// The name of the clip.
const NAME: &str = "Tiles";
const FRAMES_PER_SECOND: f32 = 24.0;
/// A minute: strands have no common period.
const FRAMES: u32 = 1440;
const TICKS_PER_SECOND: f32 = 100.0;

impl Animation for TileMap {
    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }
}

impl TileMap {
    /// The clips of a map with these tilesets: one, if tiles of any change.
    pub(super) fn clips_of(tilesets: &[Tileset]) -> Vec<ClipInfo> {
        let mut strands = tilesets.iter().flat_map(|tileset| &tileset.strands);
        let changes = strands.any(Strand::is_active);
        let clip = ClipInfo {
            name: NAME.to_owned(),
            frames: FRAMES,
            item: TileMapItem::Clip.into(),
            is_clock: false,
        };
        changes.then_some(clip).into_iter().collect()
    }

    /// How long a clip lasts, in seconds.
    pub(super) fn clip_secs(clip: &ClipInfo) -> f32 {
        clip.frames as f32 / FRAMES_PER_SECOND
    }

    /// Hundredths of a second since tiles began to change; 0 without a clip.
    pub fn ticks(&self, playhead: Playhead) -> u64 {
        let clip = playhead.clip.and_then(|clip| self.clips.get(clip));
        let frames = clip.map_or(0, |clip| clip.frames);
        let Some(([frame, _], part)) = playhead.between(frames) else {
            return 0;
        };
        ((frame as f32 + part) * TICKS_PER_SECOND / FRAMES_PER_SECOND) as u64
    }

    /// The order in which layers are drawn that the file does not name another one for: one after
    /// the other, each with what stands on it and then with what of it has priority. What stands
    /// on no layer comes last.
    pub fn steps_in_file_order(layers: &[Layer], objects: &[Object]) -> Vec<Step> {
        let mut steps = Vec::new();
        let add_objects = |steps: &mut Vec<Step>, layer| {
            if objects.iter().any(|object| object.layer == layer) {
                steps.push(Step::Objects { layer });
            }
        };
        for (layer, of) in layers.iter().enumerate() {
            let step = |pass| Step::tiles(layer, pass);
            let [first, last] = if of.has_priority {
                [Pass::Normal, Pass::Priority].map(Some)
            } else {
                [Some(Pass::All), None]
            };
            steps.extend(first.map(step));
            add_objects(&mut steps, Some(layer));
            steps.extend(last.map(step));
        }
        add_objects(&mut steps, None);
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tilemap::{ObjectKind, StrandMode};

    fn strand(first: u32, last: u32) -> Tileset {
        Tileset {
            count: 8,
            strands: vec![Strand {
                first,
                last,
                delay_ticks: 10,
                mode: StrandMode::Forward,
            }],
            ..Tileset::default()
        }
    }

    #[test]
    fn tiles_move_only_where_a_strand_has_several() {
        assert_eq!(TileMap::clips_of(&[strand(3, 3), Tileset::default()]), []);
        let clips = TileMap::clips_of(&[Tileset::default(), strand(3, 4)]);
        assert_eq!(clips.len(), 1);
        assert_eq!(TileMap::clip_secs(&clips[0]), 60.0);
    }

    #[test]
    fn what_has_priority_is_drawn_above_what_stands_on_its_layer() {
        let plain = Layer::default();
        let layers = [
            plain.clone(),
            Layer {
                has_priority: true,
                ..plain
            },
        ];
        let layer = Step::tiles;
        let object = |layer| Object::new(ObjectKind::Entity, "", layer);
        let steps = TileMap::steps_in_file_order(&layers, &[object(None), object(Some(1))]);
        let expected = [
            layer(0, Pass::All),
            layer(1, Pass::Normal),
            Step::Objects { layer: Some(1) },
            layer(1, Pass::Priority),
            Step::Objects { layer: None },
        ];
        assert_eq!(steps, expected);
        assert_eq!(TileMap::steps_in_file_order(&layers, &[]).len(), 3);
    }
}
