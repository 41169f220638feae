//! Joints over the frames of a clip: their paths, ghosts of other frames, and gaps of loops.

use glam::{Affine3A, Vec3};

use super::Model;
use super::overlays::SELECTED_COLOR;
use super::poses::Pose;
use super::skeleton::{LocalPose, SkinMatrix};
use crate::describe::lines::LineBuilder;
use crate::{Line, Playhead, Shown};
use mapscope_formats::pfobj::FRAMES_PER_SECOND;

/// Ghosts before and after the current frame.
pub(super) const BEFORE_COLOR: [u8; 3] = [240, 98, 62];
pub(super) const AFTER_COLOR: [u8; 3] = [86, 148, 242];
/// Opacities of the farther ghosts and of the nearer ones.
const GHOST_OPACITIES: [u8; 2] = [90, 170];
/// Frames between two ghosts, unless another number is set.
pub const DEFAULT_GHOST_STEP: u32 = 2;
/// Lengths of the marks of a path, for a frame and for the current one, as fractions of the model's
/// size.
const PATH_MARKS: [f32; 2] = [0.003, 0.009];

/// The difference between the first and the last frame of a clip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LoopGap {
    /// The joint that moves farthest, and its distance in model units. `None` without joints.
    pub(super) joint: Option<(usize, f32)>,
    /// Largest distance of a vertex, in model units. `None` without vertices.
    pub(super) vertex: Option<f32>,
}

impl Model {
    /// Returns the matrix from a joint's space to model space in a frame of a clip.
    pub(super) fn global_at(&self, clip: usize, frame: u32, joint: usize) -> Option<Affine3A> {
        let pose = self.pose_in(clip, frame)?;
        if joint >= self.skeleton.len() {
            return None;
        }
        let chain = std::iter::successors(Some(joint), |joint| self.skeleton.parent(*joint));
        let locals = chain.map(|joint| pose.local(joint).matrix());
        Some(locals.fold(Affine3A::IDENTITY, |global, local| local * global))
    }

    /// Returns the poses of a joint at all times of [`frame_seconds`](Self::frame_seconds), relative
    /// to its parent.
    pub fn local_poses(&self, clip: usize, joint: usize) -> impl Iterator<Item = LocalPose> {
        let frames = self.poses.frames(clip);
        let end = self.poses.keys().filter(|_| frames > 0);
        let end = end.map(|keys| keys.local(clip, frames as f32, joint));
        (0..frames)
            .filter_map(move |frame| Some(self.pose_in(clip, frame)?.local(joint)))
            .chain(end)
    }

    /// `true` if some clip scales a joint differently from the bind pose.
    pub fn is_scaled(&self, joint: usize) -> bool {
        if let Some(keys) = self.poses.keys() {
            return keys.is_scaled(joint);
        }
        let Some(bind) = self.pfobj.joints.get(joint) else {
            return false;
        };
        let scale = Vec3::from(bind.bind.scale);
        let mut clips = 0..self.clips.len();
        clips.any(|clip| {
            self.local_poses(clip, joint)
                .any(|pose| pose.scale != scale)
        })
    }

    /// Returns the time of each frame of a clip from its start, in seconds: at the rate of the
    /// engine, or in P3M as the file says. There the last frame takes time too, so the end follows.
    pub fn frame_seconds(&self, clip: usize) -> Vec<f32> {
        let timeline = self.poses.keys().and_then(|keys| keys.timeline(clip));
        let frames = self.poses.frames(clip);
        let frames = 0..frames + u32::from(timeline.is_some() && frames > 0);
        let seconds = frames.map(|frame| match timeline {
            Some(timeline) => (timeline.us_at(frame as f32) / 1e6) as f32,
            None => frame as f32 / FRAMES_PER_SECOND,
        });
        seconds.collect()
    }

    /// Returns the pose of the skeleton in a frame of a clip.
    pub(super) fn pose_in(&self, clip: usize, frame: u32) -> Option<Pose<'_>> {
        let playhead = Playhead::at_frame(clip, frame);
        (frame < self.poses.frames(clip)).then(|| Pose::of(&self.pfobj, &self.poses, playhead))
    }

    /// Returns the positions of a joint in all frames of a clip, in model space.
    pub(super) fn joint_path(&self, clip: usize, joint: usize) -> Vec<Vec3> {
        (0..self.poses.frames(clip))
            .filter_map(|frame| self.global_at(clip, frame, joint))
            .map(|global| global.translation.into())
            .collect()
    }

    /// Adds the paths of the selected joints over the clip, with a mark for each frame.
    pub(super) fn path_lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        let Some((clip, [current, _], _)) = self.poses.between(shown.playhead) else {
            return;
        };
        let marks = PATH_MARKS.map(|part| part * self.size());
        let joints = shown
            .all_selected()
            .filter_map(|item| Some((item, self.joint_of(item)?)));
        for (item, joint) in joints {
            let path = self.joint_path(clip, joint);
            let color = if shown.selected == Some(item) {
                SELECTED_COLOR
            } else {
                self.joint_color(joint)
            };
            let mut builder = LineBuilder::new(lines, color, 1.5).on_top();
            for ends in path.windows(2) {
                builder.line(ends[0], ends[1]);
            }
            for (frame, place) in (0..).zip(&path) {
                let is_current = frame == current;
                builder.width_points = if is_current { 3.0 } else { 2.0 };
                for axis in Vec3::AXES {
                    let mark = axis * marks[usize::from(is_current)];
                    builder.line(*place - mark, *place + mark);
                }
            }
        }
    }

    /// Adds the skeletons of earlier and later frames of the clip.
    pub(super) fn ghost_lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        let Some((clip, [current, _], _)) = self.poses.between(shown.playhead) else {
            return;
        };
        let step = shown.ghost_step.unwrap_or(DEFAULT_GHOST_STEP).max(1);
        let joints = self.skeleton.len();
        for (nth, opacity) in [2, 1].into_iter().zip(GHOST_OPACITIES) {
            let apart = step.saturating_mul(nth);
            let before = current.checked_sub(apart);
            let after = current
                .checked_add(apart)
                .filter(|frame| *frame < self.poses.frames(clip));
            for (frame, color) in [(before, BEFORE_COLOR), (after, AFTER_COLOR)] {
                let Some(frame) = frame else {
                    continue;
                };
                let globals: Vec<Affine3A> = (0..joints)
                    .map(|joint| self.global_at(clip, frame, joint).unwrap_or_default())
                    .collect();
                let mut builder = LineBuilder::new(lines, color, 1.5).on_top();
                builder.color[3] = opacity;
                for joint in 0..joints {
                    let [from, to] = self.bone(&globals, joint);
                    builder.line(from, to);
                }
            }
        }
    }

    /// Returns the difference between the ends of a clip, or `None` without frames.
    pub(super) fn loop_gap(&self, clip: usize) -> Option<LoopGap> {
        let gaps = self.loops.get_or_init(|| {
            (0..self.clips.len())
                .map(|clip| self.measure_loop(clip))
                .collect()
        });
        gaps.get(clip).copied().flatten()
    }

    fn measure_loop(&self, clip: usize) -> Option<LoopGap> {
        let last = self.poses.frames(clip).checked_sub(1)?;
        let apart = |joint| {
            let [from, to] = [0, last].map(|frame| self.global_at(clip, frame, joint));
            let distance = Vec3::from(from?.translation).distance(to?.translation.into());
            Some((joint, distance))
        };
        let joints = self.skeleton.len();
        let joint = (0..joints)
            .filter_map(apart)
            // The first of several that are equally far.
            .rev()
            .max_by(|(_, a), (_, b)| a.total_cmp(b));
        let points = |frame| {
            let mut points = Vec::new();
            let mut palette = vec![SkinMatrix::IDENTITY; self.palette_len()];
            self.write_palette(Playhead::at_frame(clip, frame), &mut palette);
            self.mesh.skin_points(&palette, &mut points);
            points
        };
        let (first, last) = (points(0), points(last));
        let distances = first.iter().zip(&last).map(|(a, b)| a.distance(*b));
        Some(LoopGap {
            joint,
            vertex: distances.reduce(f32::max),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::model::joint_item;
    use crate::kinds::model::sample;
    use crate::{Document, OverlayId};

    /// Three joints in a chain. The root moves along Z, and the second turns by 90 degrees in the
    /// last of three frames.
    fn moving() -> Model {
        let mut pfobj = sample::chain(3, 3);
        for frame in 0..3_u8 {
            let root = usize::from(frame) * 3;
            pfobj.clips[0].poses[root].translation = [0.0, 0.0, f32::from(frame)];
        }
        pfobj.clips[0].poses[7].rotation = sample::turned(90.0);
        sample::model(pfobj)
    }

    fn lines(model: &Model, overlay: OverlayId, change: impl FnOnce(&mut Shown)) -> Vec<Line> {
        let mut shown = Shown {
            playhead: Playhead::at_frame(0, 1),
            ..Shown::default()
        };
        change(&mut shown);
        let mut without = Vec::new();
        let annotations = model.annotations().unwrap();
        annotations.lines(&shown, &mut without);
        shown.overlays.set(model.about().overlays, overlay, true);
        let mut lines = Vec::new();
        annotations.lines(&shown, &mut lines);
        lines.retain(|line| !without.contains(line));
        lines
    }

    fn near(a: Vec3, b: [f32; 3]) -> bool {
        a.distance(b.into()) < 1e-5
    }

    #[test]
    fn the_path_of_a_joint_has_its_place_in_every_frame() {
        let model = moving();
        let path = model.joint_path(0, 2);
        let expected = [[0.0, 2.0, 0.0], [0.0, 2.0, 1.0], [-1.0, 1.0, 2.0]];
        assert_eq!(path.len(), 3);
        assert!(
            path.iter().zip(expected).all(|(a, b)| near(*a, b)),
            "{path:?}"
        );
        assert_eq!(model.joint_path(0, 3), []);
        assert_eq!(model.joint_path(1, 0), []);
        let drawn = lines(&model, OverlayId::JointPaths, |shown| {
            shown.selected = Some(joint_item(2));
        });
        // Two lines between three marks of three lines.
        assert_eq!(drawn.len(), 2 + 3 * 3);
        assert!(near(drawn[0].ends[0], expected[0]) && near(drawn[1].ends[1], expected[2]));
        let length = |line: &Line| line.ends[0].distance(line.ends[1]);
        let middle = |line: &Line| line.ends[0].midpoint(line.ends[1]);
        assert!(
            length(&drawn[5]) > 2.0 * length(&drawn[2]),
            "the current one is larger"
        );
        assert!(near(middle(&drawn[5]), expected[1]));
        let both = lines(&model, OverlayId::JointPaths, |shown| {
            shown.selected = Some(joint_item(2));
            shown.also_selected = vec![joint_item(0)];
        });
        assert_eq!(both.len(), 2 * drawn.len());
        let still = lines(&model, OverlayId::JointPaths, |shown| {
            shown.selected = Some(joint_item(2));
            shown.playhead = Playhead::default();
        });
        assert_eq!(still, []);
    }

    #[test]
    fn ghosts_are_the_skeletons_of_the_frames_around() {
        let model = moving();
        let ghosts = |step: u32, frame: u32| {
            lines(&model, OverlayId::OnionSkin, |shown| {
                shown.ghost_step = Some(step);
                shown.playhead = Playhead::at_frame(0, frame);
            })
        };
        let around = ghosts(1, 1);
        assert_eq!(around.len(), 6, "three bones before and after");
        assert!(
            near(around[0].ends[0], [0.0, 0.0, 0.0]) && near(around[3].ends[0], [0.0, 0.0, 2.0])
        );
        assert!(
            near(around[5].ends[1], [-2.0, 1.0, 2.0]),
            "the tip of the last bone"
        );
        let color = |line: &Line| [line.color[0], line.color[1], line.color[2]];
        assert_eq!(
            [&around[0], &around[3]].map(color),
            [BEFORE_COLOR, AFTER_COLOR]
        );
        assert_eq!(ghosts(2, 1), [], "there are no such frames");
        assert_eq!(ghosts(1, 2).len(), 6, "one and two frames before");
        assert!(ghosts(1, 2)[0].color[3] < ghosts(1, 2)[3].color[3]);
    }

    #[test]
    fn the_gap_of_a_loop_is_measured_at_joints_and_vertices() {
        let model = moving();
        let gap = model.loop_gap(0).unwrap();
        let (joint, distance) = gap.joint.unwrap();
        // The third joint moves by (-1, -1, 2).
        assert_eq!(joint, 2);
        assert!((distance - 6.0_f32.sqrt()).abs() < 1e-5, "{distance}");
        // The corner (1, 1, 0) goes around (0, 1, 0) to (0, 2, 2); (1, 0, 0) goes to (1, 2, 2).
        assert!(
            (gap.vertex.unwrap() - 8.0_f32.sqrt()).abs() < 1e-5,
            "{gap:?}"
        );
        assert_eq!(model.loop_gap(1), None);
        let closed = sample::model(sample::chain(2, 4)).loop_gap(0).unwrap();
        assert_eq!((closed.joint, closed.vertex), (Some((0, 0.0)), Some(0.0)));
        let clip = model.clips[0].item;
        let details = (&model as &dyn Document).details(clip, Playhead::default());
        let details = &details["clip"];
        assert_eq!(details["loop_joint"], 2);
        assert!((details["loop_joint_distance"].as_f64().unwrap() - 2.449_49).abs() < 1e-4);
    }
}
