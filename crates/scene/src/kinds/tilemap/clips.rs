//! Animated tiles. Their time is a clip of one loop, so that it can be paused and scrubbed.

use super::{Layer, Object, Pass, Step, Strand, TileMap, Tileset};
use crate::{Animation, ClipInfo, Playhead, TileMapItem};

/// The name of the clip.
const NAME: &str = "Tiles";
const FRAMES_PER_SECOND: f32 = 24.0;
/// Frames of a clip of one minute, used if tiles change at random or have no shorter loop.
const MAX_FRAMES: u32 = 1440;
/// The same minute in ticks.
const MAX_TICKS: u64 = 6000;
const TICKS_PER_SECOND: f32 = 100.0;
/// A frame lasts `TICKS / FRAMES` ticks.
const FRAMES: u64 = 6;
/// See [`FRAMES`].
const TICKS: u64 = 25;
/// Inverse of the maximum relative error of a clip's length in whole frames.
const MAX_ERROR_PART: u64 = 24;

impl Animation for TileMap {
    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }
}

impl TileMap {
    /// Returns the clips of a map with these tilesets: one clip if any tiles are animated.
    pub(super) fn clips_of(tilesets: &[Tileset]) -> Vec<ClipInfo> {
        let mut strands = tilesets.iter().flat_map(|tileset| &tileset.strands);
        let changes = strands.any(Strand::is_active);
        let clip = ClipInfo {
            name: NAME.to_owned(),
            frames: loop_ticks(tilesets).map_or(MAX_FRAMES, frames_of),
            item: TileMapItem::Clip.into(),
            is_clock: false,
            rates: Vec::new(),
        };
        changes.then_some(clip).into_iter().collect()
    }

    /// Duration of a clip in seconds.
    pub(super) fn clip_secs(clip: &ClipInfo) -> f32 {
        clip.frames as f32 / FRAMES_PER_SECOND
    }

    /// Period of all animated tiles in seconds. `None` if there are no animated tiles, if the
    /// period exceeds a minute, or if all tiles change at random.
    pub(super) fn loop_secs(&self) -> Option<f64> {
        loop_ticks(&self.tilesets).map(|ticks| ticks as f64 / f64::from(TICKS_PER_SECOND))
    }

    /// Hundredths of a second since the start of the animation; 0 without a clip.
    pub fn ticks(&self, playhead: Playhead) -> u64 {
        let clip = playhead.clip.and_then(|clip| self.clips.get(clip));
        let frames = clip.map_or(0, |clip| clip.frames);
        let Some(([frame, _], part)) = playhead.between(frames) else {
            return 0;
        };
        ((frame as f32 + part) * TICKS_PER_SECOND / FRAMES_PER_SECOND) as u64
    }

    /// The default drawing order of layers: file order. Each layer is followed by its objects and
    /// then by its priority tiles. Objects without a layer come last.
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

/// The common period of all strands in ticks. Random strands have no period and are ignored.
fn loop_ticks(tilesets: &[Tileset]) -> Option<u64> {
    let strands = tilesets
        .iter()
        .flat_map(|tileset| &tileset.strands)
        .filter(|strand| strand.is_active());
    let mut periods = strands.filter_map(Strand::period_ticks);
    let first = periods.next()?;
    periods
        .try_fold(first, |all, period| {
            let common = all / common_divisor(all, period) * period;
            (common <= MAX_TICKS).then_some(common)
        })
        .filter(|ticks| *ticks <= MAX_TICKS)
}

/// The greatest common divisor of two nonzero numbers.
fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Number of whole frames of a clip of one loop, or of several loops if rounding one loop to frames
/// is too inexact.
fn frames_of(loop_ticks: u64) -> u32 {
    let whole = |rounds: u64| {
        let exact = rounds * loop_ticks * FRAMES;
        let frames = ((exact + TICKS / 2) / TICKS).max(1);
        let error = (frames * TICKS).abs_diff(exact);
        (error * MAX_ERROR_PART <= exact).then_some(frames)
    };
    let frames = (1..=TICKS).find_map(whole).unwrap_or(MAX_FRAMES.into());
    u32::try_from(frames).unwrap_or(MAX_FRAMES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::tilemap::{ObjectKind, StrandMode};

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
        // 2 tiles of 10 ticks: 4.8 frames.
        assert_eq!(clips[0].frames, 5);
    }

    #[test]
    fn a_clip_is_a_loop_of_all_strands() {
        let all = |strands: &[(u32, u32, StrandMode)]| {
            let strand = |(count, delay_ticks, mode): (u32, u32, StrandMode)| Strand {
                first: 0,
                last: count - 1,
                delay_ticks,
                mode,
            };
            let tileset = |range: &[(u32, u32, StrandMode)]| Tileset {
                count: 100,
                strands: range.iter().copied().map(strand).collect(),
                ..Tileset::default()
            };
            let [a, b] = [&strands[..1], &strands[1..]].map(tileset);
            let clips = TileMap::clips_of(&[a.clone(), b.clone()]);
            (loop_ticks(&[a, b]), clips[0].frames)
        };
        use StrandMode::{Backward, Forward, PingPong, Random};
        assert_eq!(all(&[(48, 10, Forward)]), (Some(480), 115));
        assert_eq!(all(&[(4, 10, Forward), (3, 20, Backward)]), (Some(120), 29));
        // Forth and back: 6 steps of 4 tiles.
        assert_eq!(all(&[(4, 25, PingPong)]), (Some(150), 36));
        assert_eq!(all(&[(4, 25, PingPong), (7, 5, Random)]), (Some(150), 36));
        assert_eq!(all(&[(7, 5, Random)]), (None, 1440));
        assert_eq!(all(&[(97, 11, Forward), (89, 13, Forward)]), (None, 1440));
        assert_eq!(all(&[(100, u32::MAX, Forward)]), (None, 1440));
        // A frame is longer than a tile: 3 ticks are 0.72 frames, and 4 loops round to nearly 3.
        assert_eq!(all(&[(3, 0, Forward)]), (Some(3), 3));
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
