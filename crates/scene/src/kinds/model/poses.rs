//! Joint palettes of the frames of clips, and the poses between frames.

use glam::Vec3;

use super::mesh::{Mesh, MeshVertex, PackedInfluence};
use super::p3m::Keys;
use super::skeleton::{LocalPose, Skeleton, SkinMatrix};
use crate::normal::unpack_normal;
use crate::{Blend, Playhead};
use mapscope_formats::pfobj::{Pfobj, Transform};

/// Maximum number of frames of a clip of keys in which the mesh is measured.
const MAX_MEASURED_FRAMES: u32 = 32;

/// The joint palettes of all frames of all clips.
#[derive(Debug, Default)]
pub struct Poses {
    /// The palettes of all frames of the first clip, then of the next. Empty with keys.
    palettes: Vec<SkinMatrix>,
    /// For each clip, the index of its first matrix and its number of frames.
    clips: Vec<(usize, u32)>,
    /// The keys of a model whose file has keys in place of frames.
    keys: Option<Keys>,
}

impl Poses {
    /// The poses of a file with keys, which are computed when they are needed.
    pub(super) fn of_keys(keys: Keys) -> Self {
        Self {
            clips: keys.frames().map(|frames| (0, frames)).collect(),
            keys: Some(keys),
            ..Self::default()
        }
    }

    /// Computes the palettes of a file's clips. Incomplete frames are omitted.
    pub fn build(pfobj: &Pfobj, skeleton: &Skeleton) -> Self {
        let joints = skeleton.len();
        let mut poses = Self::default();
        for clip in &pfobj.clips {
            let first = poses.palettes.len();
            // Without joints, every declared frame is complete.
            let complete = clip.poses.len().checked_div(joints);
            let frames = complete.map_or(clip.frame_count, |complete| {
                clip.frame_count
                    .min(u32::try_from(complete).unwrap_or(u32::MAX))
            });
            poses.clips.push((first, frames));
            let end = first + frames as usize * joints;
            poses.palettes.resize(end, SkinMatrix::IDENTITY);
            let palettes = poses.palettes.get_mut(first..).unwrap_or_default();
            if joints == 0 {
                continue;
            }
            let frames = clip.poses.chunks_exact(joints);
            for (palette, frame) in palettes.chunks_exact_mut(joints).zip(frames) {
                skeleton.write_palette(|joint| LocalPose::from(&frame[joint]), palette);
            }
        }
        poses
    }

    /// Number of frames of a clip; 0 if the clip does not exist.
    pub fn frames(&self, clip: usize) -> u32 {
        self.clips.get(clip).map_or(0, |(_, frames)| *frames)
    }

    /// The keys of a model whose file has keys in place of frames.
    pub(super) fn keys(&self) -> Option<&Keys> {
        self.keys.as_ref()
    }

    /// Returns the palette of a frame of a clip, for a model with `joints` joints. `None` if it was
    /// not precomputed.
    pub fn palette(&self, clip: usize, frame: u32, joints: usize) -> Option<&[SkinMatrix]> {
        let (first, frames) = *self.clips.get(clip)?;
        let begin = first + frame as usize * joints;
        (frame < frames)
            .then(|| self.palettes.get(begin..begin + joints))
            .flatten()
    }

    /// Returns the frames of a clip in which the mesh is measured: all of them, or some of a clip of
    /// keys, which can be long.
    pub(super) fn measured_frames(&self, clip: usize) -> impl Iterator<Item = u32> + use<> {
        let frames = self.frames(clip);
        let step = match self.keys {
            Some(_) => frames.div_ceil(MAX_MEASURED_FRAMES).max(1),
            None => 1,
        };
        (0..frames).step_by(step as usize)
    }

    /// Returns the clip of a moment, its two nearest frames, and the blend factor from the first to
    /// the second. Returns `None` for the bind pose and for empty or missing clips.
    pub fn between(&self, playhead: Playhead) -> Option<(usize, [u32; 2], f32)> {
        let clip = playhead.clip?;
        let (frames, part) = playhead.between(self.frames(clip))?;
        Some((clip, frames, part))
    }

    /// Returns the clip and the frame of a moment that is exactly a frame of one clip.
    pub(super) fn frame_at(&self, playhead: Playhead) -> Option<(usize, u32)> {
        let (clip, [frame, _], part) = self.between(playhead)?;
        (part == 0.0 && playhead.blend.is_none()).then_some((clip, frame))
    }

    /// Heap size in bytes.
    pub fn cpu_bytes(&self) -> usize {
        size_of_val(self.palettes.as_slice()) + self.keys.as_ref().map_or(0, Keys::cpu_bytes)
    }
}

/// The pose of a skeleton at a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose<'a> {
    own: ClipPose<'a>,
    /// The pose of another clip and its blend factor, during a transition.
    other: Option<(ClipPose<'a>, f32)>,
}

impl<'a> Pose<'a> {
    /// Returns the pose at a moment.
    pub(super) fn of(pfobj: &'a Pfobj, poses: &'a Poses, playhead: Playhead) -> Self {
        let other = playhead.blend.map(|Blend { clip, frame, part }| {
            let other = Playhead {
                clip: Some(clip),
                frame,
                ..playhead
            };
            (ClipPose::of(pfobj, poses, other), part)
        });
        Self {
            own: ClipPose::of(pfobj, poses, playhead),
            other,
        }
    }

    /// Returns the transform of a joint relative to its parent.
    pub(super) fn local(&self, joint: usize) -> LocalPose {
        let own = self.own.local(joint);
        self.other
            .map_or(own, |(other, part)| own.blend(&other.local(joint), part))
    }
}

/// The pose of a skeleton at a moment of one clip.
#[derive(Debug, Clone, Copy)]
enum ClipPose<'a> {
    /// The bind pose.
    Bind(&'a Pfobj),
    /// Interpolated between two frames.
    Between([&'a [Transform]; 2], f32),
    /// Interpolated between keys: clip and moment in frames.
    Keyed(&'a Keys, usize, f32),
}

impl<'a> ClipPose<'a> {
    fn of(pfobj: &'a Pfobj, poses: &'a Poses, playhead: Playhead) -> Self {
        if let Some(keys) = &poses.keys {
            let moment = poses.between(playhead);
            return moment.map_or(Self::Bind(pfobj), |(clip, [frame, _], part)| {
                Self::Keyed(keys, clip, frame as f32 + part)
            });
        }
        let joints = pfobj.joints.len();
        let frames = poses.between(playhead).and_then(|(clip, frames, part)| {
            let poses = &pfobj.clips.get(clip)?.poses;
            let frame = |frame: u32| {
                let first = frame as usize * joints;
                poses.get(first..first + joints)
            };
            Some(Self::Between([frame(frames[0])?, frame(frames[1])?], part))
        });
        frames.unwrap_or(Self::Bind(pfobj))
    }

    fn local(&self, joint: usize) -> LocalPose {
        let transform = match self {
            Self::Bind(pfobj) => pfobj.joints.get(joint).map(|joint| &joint.bind),
            Self::Between([from, to], part) if *part > 0.0 => {
                if let (Some(from), Some(to)) = (from.get(joint), to.get(joint)) {
                    return LocalPose::from(from).blend(&to.into(), *part);
                }
                None
            }
            Self::Between([from, _], _) => from.get(joint),
            Self::Keyed(keys, clip, frame) => return keys.local(*clip, *frame, joint),
        };
        transform.map_or(LocalPose::REST, LocalPose::from)
    }
}

/// Writes the joint palette of a moment: one matrix for each joint, or one identity matrix without
/// joints. Copies the precomputed palette if the moment is exactly a frame. Does not allocate.
pub(super) fn write_palette(
    pfobj: &Pfobj,
    skeleton: &Skeleton,
    poses: &Poses,
    playhead: Playhead,
    palette: &mut [SkinMatrix],
) {
    if skeleton.is_empty() || poses.between(playhead).is_none() {
        palette.fill(SkinMatrix::IDENTITY);
    } else if let Some((clip, frame)) = poses.frame_at(playhead)
        && let Some(whole) = poses.palette(clip, frame, skeleton.len())
    {
        let count = whole.len().min(palette.len());
        palette[..count].copy_from_slice(&whole[..count]);
    } else {
        let pose = Pose::of(pfobj, poses, playhead);
        skeleton.write_palette(|joint| pose.local(joint), palette);
    }
}

/// Transforms a position of the mesh by a palette, with the arithmetic of the shader. Both
/// positions are in model space.
pub fn skin_position(
    position: Vec3,
    influences: &[PackedInfluence],
    palette: &[SkinMatrix],
) -> Vec3 {
    if influences.is_empty() {
        return position;
    }
    let at = position.extend(1.0);
    let mut posed = Vec3::ZERO;
    for influence in influences {
        if let Some(SkinMatrix { rows }) = palette.get(influence.joint as usize) {
            let moved = rows.map(|row| glam::Vec4::from(row).dot(at));
            posed += influence.weight * Vec3::from(moved);
        }
    }
    posed
}

/// Transforms a normal by the inverse transpose of each joint's matrix (fact sheet B3), with the
/// arithmetic of the shader. Returns a unit vector in model space.
///
/// A matrix that flattens its vertices has no inverse. Its cofactor matrix still gives the
/// direction of the normal.
pub fn skin_normal(normal: Vec3, influences: &[PackedInfluence], palette: &[SkinMatrix]) -> Vec3 {
    if influences.is_empty() {
        return normal;
    }
    let mut posed = Vec3::ZERO;
    for influence in influences {
        if let Some(SkinMatrix { rows }) = palette.get(influence.joint as usize) {
            let [x, y, z] = rows.map(|row| Vec3::new(row[0], row[1], row[2]));
            let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
            let determinant = x.dot(cofactors[0]);
            let turned = Vec3::from(cofactors.map(|row| row.dot(normal)));
            let factor = if determinant == 0.0 {
                influence.weight
            } else {
                influence.weight / determinant
            };
            posed += factor * turned;
        }
    }
    posed.try_normalize().unwrap_or(normal)
}

impl Mesh {
    /// Transforms the position and the normal of a vertex by a palette, with the arithmetic of the
    /// shader. Both are in model space.
    pub fn skinned(&self, vertex: &MeshVertex, palette: &[SkinMatrix]) -> (Vec3, Vec3) {
        let influences = self.influences(vertex.influence_range());
        (
            skin_position(vertex.position.into(), influences, palette),
            skin_normal(unpack_normal(vertex.normal), influences, palette),
        )
    }

    /// Transforms the [`points`](Mesh::points) of the mesh by a palette, in model space. Replaces
    /// the contents of `posed`.
    pub fn skin_points(&self, palette: &[SkinMatrix], posed: &mut Vec<Vec3>) {
        posed.clear();
        posed.extend(self.points.iter().map(|point| {
            let influences = self.influences(point.influence_range());
            skin_position(point.position, influences, palette)
        }));
    }
}

#[cfg(test)]
mod tests {
    use glam::Affine3A;

    use super::*;
    use crate::kinds::model::sample::{self, influence};

    /// The palette at a moment.
    fn palette(pfobj: &Pfobj, playhead: Playhead) -> Vec<SkinMatrix> {
        let skeleton = Skeleton::build(&pfobj.joints);
        let poses = Poses::build(pfobj, &skeleton);
        let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len().max(1)];
        write_palette(pfobj, &skeleton, &poses, playhead, &mut palette);
        palette
    }

    /// Two joints. In the second of two frames, the second joint is turned and moved.
    fn waving() -> Pfobj {
        let mut pfobj = sample::chain(2, 2);
        pfobj.clips[0].poses[3] = Transform {
            rotation: sample::turned(90.0),
            ..sample::moved([4.0, 1.0, 0.0])
        };
        pfobj
    }

    fn smooth(frame: f32) -> Playhead {
        Playhead {
            clip: Some(0),
            frame,
            smooth: true,
            blend: None,
        }
    }

    #[test]
    fn frames_are_stepped_or_blended() {
        let pfobj = waving();
        let at = |playhead| {
            let palette = palette(&pfobj, playhead);
            Affine3A::from(palette[1]).transform_point3(Vec3::new(1.0, 1.0, 0.0))
        };
        let near = |a: Vec3, b: Vec3| assert!(a.distance(b) < 1e-5, "{a} {b}");
        let (begin, end) = (Vec3::new(1.0, 1.0, 0.0), Vec3::new(4.0, 2.0, 0.0));
        near(at(Playhead::default()), begin);
        near(at(Playhead::at_frame(0, 0)), begin);
        near(at(Playhead::at_frame(0, 1)), end);
        let stepped = Playhead {
            smooth: false,
            ..smooth(0.9)
        };
        near(at(stepped), begin);
        let side = 0.5_f32.sqrt();
        let half = Vec3::new(2.0 + side, 1.0 + side, 0.0);
        near(at(smooth(0.5)), half);
        near(at(smooth(1.0)), end);
        // The first frame follows the last one.
        near(at(smooth(1.5)), half);
        // Missing clips give the bind pose.
        near(at(Playhead::at_frame(7, 1)), begin);
    }

    #[test]
    fn a_transition_blends_the_joints_of_two_clips() {
        let mut pfobj = waving();
        let mut other = pfobj.clips[0].clone();
        other.poses[1] = Transform {
            scale: [3.0; 3],
            rotation: sample::turned(-90.0),
            ..sample::moved([0.0, 3.0, 0.0])
        };
        pfobj.clips.push(other);
        let at = |part| {
            let blend = Some(Blend {
                clip: 1,
                frame: 0.0,
                part,
            });
            let playhead = Playhead {
                blend,
                ..Playhead::at_frame(0, 1)
            };
            Affine3A::from(palette(&pfobj, playhead)[1])
        };
        let ends = [Playhead::at_frame(0, 1), Playhead::at_frame(1, 0)];
        for (part, end) in [0.0, 1.0].into_iter().zip(ends) {
            let end = Affine3A::from(palette(&pfobj, end)[1]);
            assert!(at(part).abs_diff_eq(end, 1e-5), "{part}");
        }
        // Half-way between 90 and -90 degrees: not turned, twice as large, in the middle.
        let half = at(0.5).transform_point3(Vec3::new(1.0, 1.0, 0.0));
        assert!(half.distance(Vec3::new(4.0, 2.0, 0.0)) < 1e-5, "{half}");
    }

    #[test]
    fn joints_beyond_the_engine_limit_move() {
        let mut pfobj = sample::chain(1000, 2);
        pfobj.clips[0].poses[1000].translation = [3.0, 0.0, 0.0];
        let palette = palette(&pfobj, Playhead::at_frame(0, 1));
        assert_eq!(palette.len(), 1000);
        let mesh = Mesh::build(&pfobj);
        let (position, normal) = mesh.skinned(&mesh.vertices[0], &palette);
        assert_eq!(position, Vec3::new(3.0, 0.0, 0.0));
        assert_eq!(normal, Vec3::Z);
    }

    #[test]
    fn vertices_with_zero_weight_do_not_move() {
        let mut pfobj = waving();
        sample::set_influences(&mut pfobj, &[&[influence(1, 0.0)]]);
        let palette = palette(&pfobj, Playhead::at_frame(0, 1));
        let mesh = Mesh::build(&pfobj);
        for (vertex, point) in mesh.vertices.iter().zip(&mesh.points) {
            assert_eq!(mesh.skinned(vertex, &palette).0, point.position);
        }
    }

    #[test]
    fn positions_are_averaged_by_weight() {
        let mut pfobj = waving();
        sample::set_influences(&mut pfobj, &[&[influence(0, 1.0), influence(1, 3.0)]]);
        let palette = palette(&pfobj, Playhead::at_frame(0, 1));
        let mesh = Mesh::build(&pfobj);
        // The first joint leaves the corner at (0, 0); the second moves it to (5, 1).
        let (position, normal) = mesh.skinned(&mesh.vertices[0], &palette);
        assert!(position.distance(Vec3::new(3.75, 0.75, 0.0)) < 1e-5);
        assert!(normal.distance(Vec3::Z) < 1e-5);
    }

    #[test]
    fn normals_stay_perpendicular_to_scaled_surfaces() {
        let squeezed = Affine3A::from_scale(Vec3::new(1.0, 0.25, 1.0));
        let mirrored = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        let flat = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
        let nothing = Affine3A::from_scale(Vec3::ZERO);
        let palette = [squeezed, mirrored, flat, nothing].map(SkinMatrix::from);
        let turn = |joint| {
            let whole = [PackedInfluence { joint, weight: 1.0 }];
            skin_normal(Vec3::new(0.6, 0.8, 0.0), &whole, &palette)
        };
        let near = |a: Vec3, b: Vec3| assert!(a.distance(b) < 1e-5, "{a} {b}");
        near(turn(0), Vec3::new(0.6, 3.2, 0.0).normalize());
        near(turn(1), Vec3::new(-0.6, 0.8, 0.0));
        near(turn(2), Vec3::Y);
        near(turn(3), Vec3::new(0.6, 0.8, 0.0));
    }

    #[test]
    fn truncated_clips_and_models_without_joints_are_posed() {
        let mut pfobj = sample::chain(2, 4);
        pfobj.clips[0].poses.truncate(5);
        let skeleton = Skeleton::build(&pfobj.joints);
        let poses = Poses::build(&pfobj, &skeleton);
        assert_eq!(poses.frames(0), 2);
        pfobj.joints.clear();
        let still = palette(&pfobj, smooth(2.5));
        assert_eq!(still, [SkinMatrix::IDENTITY]);
    }
}
