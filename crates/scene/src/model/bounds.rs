//! The bounds of the mesh in each frame, next to those that the file declares.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{Affine3A, Vec3, Vec3A};

use super::mesh::Mesh;
use super::poses::Poses;
use crate::Aabb;
use crate::numbers::short;
use crate::parallel::in_parallel;
use crate::rules;
use crate::{OpenError, Progress};
use mapscope_formats::pfobj::{Bounds, Pfobj, Transform};
use mapscope_formats::{Place, Problem, Problems, Severity, Subject};

/// The largest difference between declared and skinned bounds that is not worth a word, in model
/// units: files have six decimals.
const TOLERANCE: f32 = 0.001;
/// The same for large models, whose numbers are rounded to more: a part of their size.
const TOLERANCE_OF_SIZE: f32 = 1e-5;
/// Places times frames that are worth a thread of their own.
const WORK_FOR_A_THREAD: usize = 1 << 20;
/// What is said of rotations that are not of length 1.
const ROTATION_RULES: [&str; 3] = [
    "pfobj/euler-rotation",
    "pfobj/rotation",
    "pfobj/rotation-length",
];

/// The bounds of the mesh in the bind pose and in every frame, and how far they are from those that
/// the file declares.
#[derive(Debug, Default)]
pub(super) struct Extents {
    /// In the bind pose; none for a mesh without vertices.
    pub(super) bind: Option<Aabb>,
    /// In each frame of each clip. Empty for a mesh without vertices.
    pub(super) frames: Vec<Vec<Aabb>>,
    /// For each clip, where its declared bounds differ most; none where none are declared.
    pub(super) worst: Vec<Option<Difference>>,
    /// Up to where a difference is taken for rounding.
    pub(super) tolerance: f32,
}

/// How far declared bounds are from those of the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    /// The frame in which it is.
    pub(super) frame: u32,
    /// How far, in model units.
    pub(super) size: f32,
    /// Along which axis: 0, 1 or 2.
    axis: usize,
    /// What the file says, and what it is.
    declared: f32,
    skinned: f32,
    is_max: bool,
}

impl Difference {
    /// Where the bounds differ most.
    pub(super) fn between(frame: u32, declared: &Bounds, skinned: &Aabb) -> Self {
        let sides = [
            (false, declared.min, skinned.min),
            (true, declared.max, skinned.max),
        ];
        let mut worst = Self {
            frame,
            size: 0.0,
            axis: 0,
            declared: declared.min[0],
            skinned: skinned.min.x,
            is_max: false,
        };
        for (is_max, declared, skinned) in sides {
            for axis in 0..3 {
                let size = (declared[axis] - skinned[axis]).abs();
                if size > worst.size {
                    worst = Self {
                        size,
                        axis,
                        declared: declared[axis],
                        skinned: skinned[axis],
                        is_max,
                        ..worst
                    };
                }
            }
        }
        worst
    }

    /// The difference in words.
    fn message(&self) -> String {
        format!(
            "{} {} is {}, but that of the mesh is {}",
            if self.is_max { "max" } else { "min" },
            ["x", "y", "z"][self.axis],
            short(self.declared),
            short(self.skinned)
        )
    }
}

impl Extents {
    /// Poses the mesh in every frame, on as many threads as are worth it.
    ///
    /// # Errors
    /// Only when the load is cancelled.
    pub(super) fn measure(
        pfobj: &Pfobj,
        mesh: &Mesh,
        poses: &Poses,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        let points = Groups::of(mesh);
        let Some(bind) = points.bind else {
            let worst = vec![None; pfobj.clips.len()];
            return Ok(Self {
                worst,
                ..Self::default()
            });
        };
        let joints = pfobj.joints.len();
        let all_frames: Vec<(usize, u32)> = (0..pfobj.clips.len())
            .flat_map(|clip| (0..poses.frames(clip)).map(move |frame| (clip, frame)))
            .collect();
        let frames_a_job = (WORK_FOR_A_THREAD / mesh.points.len().max(1)).max(1);
        let jobs: Vec<_> = all_frames.chunks(frames_a_job).collect();
        let measured = in_parallel(jobs.len(), progress, |i| {
            let mut palette = Vec::with_capacity(joints);
            let measure = |(clip, frame): &(usize, u32)| {
                palette.clear();
                let whole = poses.palette(*clip, *frame, joints).unwrap_or_default();
                palette.extend(whole.iter().map(|skin| Affine3A::from(*skin)));
                points.posed(&palette).unwrap_or(bind)
            };
            jobs[i].iter().map(measure).collect::<Vec<Aabb>>()
        })?;
        let mut measured = measured.into_iter().flatten();
        let frames: Vec<Vec<Aabb>> = (0..pfobj.clips.len())
            .map(|clip| {
                measured
                    .by_ref()
                    .take(poses.frames(clip) as usize)
                    .collect()
            })
            .collect();
        let worst = pfobj.clips.iter().zip(&frames).map(|(clip, skinned)| {
            let pairs = clip.bounds.iter().zip(skinned).zip(0..);
            pairs
                .map(|((declared, skinned), frame)| Difference::between(frame, declared, skinned))
                .reduce(|worst, next| if next.size > worst.size { next } else { worst })
        });
        Ok(Self {
            worst: worst.collect(),
            bind: Some(bind),
            frames,
            tolerance: TOLERANCE.max((bind.max - bind.min).max_element() * TOLERANCE_OF_SIZE),
        })
    }

    /// Warns of each clip, and of the bind pose, whose declared bounds are not those of the mesh;
    /// `problems` are those of the file. Bounds of what could not be read whole differ for that reason,
    /// those of clips for the same reason as those of the bind pose, and those of all clips for one
    /// reason.
    pub(super) fn check(&self, pfobj: &Pfobj, problems: &mut Vec<Problem>) {
        let broken = Broken::of(pfobj, problems);
        let found = self.apart(pfobj);
        let mut of_all_clips = Problems::new();
        let clips = found.iter().filter(|(clip, _)| clip.is_some()).count();
        let has_common_cause = clips < found.len() || (clips > 1 && clips == pfobj.clips.len());
        let mut cause = None;
        for (clip, problem) in found {
            let known = match (broken.mesh, clip) {
                (Some(known), _) => Some(known),
                (None, Some(clip)) => broken.clips.get(&clip).copied(),
                (None, None) => broken.bind,
            };
            if let Some(known) = known.and_then(|index| problems.get_mut(index)) {
                known.add_consequence(problem);
            } else if cause.is_some() {
                let (rule, place) = (problem.rule, problem.place);
                of_all_clips
                    .add_consequence(cause, rule, problem.subject, place, || problem.message);
            } else {
                of_all_clips.push(problem);
                cause = of_all_clips.last().filter(|_| has_common_cause);
            }
        }
        problems.extend(of_all_clips.finish());
    }

    /// The bounds that are not those of the mesh: those of the bind pose first, then of each clip, by
    /// its index.
    fn apart(&self, pfobj: &Pfobj) -> Vec<(Option<usize>, Problem)> {
        let mut apart = Vec::new();
        if let (Some(declared), Some(bind)) = (&pfobj.bounds, &self.bind) {
            let worst = Difference::between(0, declared, bind);
            if worst.size > self.tolerance {
                let place = Place::line(bind_bounds_line(pfobj) + worst.axis as u64);
                let message = format!(
                    "the bounds of the bind pose differ by {} from those of the mesh: {}",
                    short(worst.size),
                    worst.message()
                );
                let subject = Subject::BindBounds;
                let problem = Problem::new(&rules::BOUNDS_DIFFER, subject, place, message);
                apart.push((None, problem));
            }
        }
        for (i, (clip, worst)) in pfobj.clips.iter().zip(&self.worst).enumerate() {
            let Some(worst) = worst.filter(|worst| worst.size > self.tolerance) else {
                continue;
            };
            let line = bounds_line(pfobj, i, worst.frame as usize) + worst.axis as u64;
            let also = match self.frames_apart(pfobj, i) - 1 {
                0 => String::new(),
                1 => "; one more frame differs by less".to_owned(),
                more => format!("; {more} more frames differ by less"),
            };
            let message = format!(
                "the bounds of clip `{}` differ by up to {} from those of the mesh: \
                 in frame {} {}{also}",
                clip.name,
                short(worst.size),
                worst.frame,
                worst.message()
            );
            let subject = Subject::FrameBounds {
                clip: i as u32,
                frame: worst.frame,
            };
            let place = Place::line(line);
            let problem = Problem::new(&rules::BOUNDS_DIFFER, subject, place, message);
            apart.push((Some(i), problem));
        }
        apart
    }

    /// Whether declared bounds are those of the mesh.
    pub(super) fn agree(&self, declared: &Bounds, skinned: &Aabb) -> bool {
        Difference::between(0, declared, skinned).size <= self.tolerance
    }

    /// How many frames of a clip have bounds that are not those of the mesh.
    fn frames_apart(&self, pfobj: &Pfobj, clip: usize) -> usize {
        let declared = pfobj.clips.get(clip).map_or(&[][..], |clip| &clip.bounds);
        let skinned = self.frames.get(clip).map_or(&[][..], Vec::as_slice);
        let pairs = declared.iter().zip(skinned);
        pairs.filter(|(d, s)| !self.agree(d, s)).count()
    }
}

/// What of a model cannot have the bounds that were declared since something is wrong with it: the
/// problems that say so, by their index.
#[derive(Default)]
struct Broken {
    /// With the mesh or the skeleton, and so with everything.
    mesh: Option<usize>,
    clips: BTreeMap<usize, usize>,
    /// With the bounds of the bind pose.
    bind: Option<usize>,
}

impl Broken {
    fn of(pfobj: &Pfobj, found: &[Problem]) -> Self {
        let mut broken = Self::default();
        let all = found.iter().enumerate().flat_map(|(index, problem)| {
            let all = problem.with_consequences();
            all.map(move |problem| (index, problem))
        });
        for (index, problem) in all {
            let is_error = problem.severity == Severity::Error;
            match problem.subject {
                Subject::Vertex(_) | Subject::Joint(_) if is_error => {
                    broken.mesh.get_or_insert(index);
                }
                Subject::Clip(clip) | Subject::Frame { clip, .. } if is_error => {
                    broken.clips.entry(clip as usize).or_insert(index);
                }
                Subject::FrameBounds { clip, .. } => {
                    broken.clips.entry(clip as usize).or_insert(index);
                }
                Subject::BindBounds => {
                    broken.bind.get_or_insert(index);
                }
                _ => {}
            }
        }
        if !pfobj.bad_vertices.is_empty() {
            broken.mesh = broken
                .mesh
                .or(if found.is_empty() { None } else { Some(0) });
        }
        // Rotations that the engine does not take for such are drawn as they come.
        let is_of_rotation = |problem: &Problem| ROTATION_RULES.contains(&problem.rule.id);
        if let Some(known) = found.iter().position(is_of_rotation) {
            let is_odd = |transform: &Transform| !transform.rotation.is_unit();
            if pfobj.joints.iter().any(|joint| is_odd(&joint.bind)) {
                broken.mesh.get_or_insert(known);
            }
            for (index, clip) in pfobj.clips.iter().enumerate() {
                if clip.poses.iter().any(is_odd) {
                    broken.clips.entry(index).or_insert(known);
                }
            }
        }
        broken
    }
}

/// The line that begins the bounds of a frame: after one for each joint.
fn bounds_line(pfobj: &Pfobj, clip: usize, frame: usize) -> u64 {
    let clip = pfobj.clips.get(clip);
    let first = clip.and_then(|clip| clip.frame_lines.get(frame).copied());
    first.unwrap_or(0) + pfobj.joints.len() as u64
}

/// The line that begins the bounds of the bind pose: after all else.
fn bind_bounds_line(pfobj: &Pfobj) -> u64 {
    let frame = |clip: usize| {
        let frames = pfobj.clips.get(clip)?.frame_lines.len();
        Some((clip, frames.checked_sub(1)?))
    };
    let last_frame = (0..pfobj.clips.len()).rev().find_map(frame);
    if let Some((clip, frame)) = last_frame {
        return bounds_line(pfobj, clip, frame) + if pfobj.has_bounds { 3 } else { 0 };
    }
    let last = pfobj.joints.last().map(|joint| joint.line);
    let last = last.or_else(|| pfobj.materials.last().map(|m| m.texture_line));
    last.unwrap_or(0) + 1
}

/// The points of a mesh, grouped by their influences.
struct Groups<'a> {
    mesh: &'a Mesh,
    /// [`Point::influences`](super::mesh::Point::influences) and which of `places` have them.
    moved: Vec<(Range<usize>, Range<usize>)>,
    places: Vec<Vec3A>,
    /// The bounds of those that do not move.
    still: Option<[Vec3A; 2]>,
    /// The bounds of all of them in the bind pose.
    bind: Option<Aabb>,
}

impl<'a> Groups<'a> {
    fn of(mesh: &'a Mesh) -> Self {
        let mut points: Vec<_> = mesh.points.iter().collect();
        points.sort_by_key(|point| point.influences);
        let places: Vec<Vec3A> = points.iter().map(|point| point.position.into()).collect();
        let mut moved = Vec::new();
        let mut still = None;
        let mut begin = 0;
        for run in points.chunk_by(|a, b| a.influences == b.influences) {
            let end = begin + run.len();
            let influences = run[0].influence_range();
            if influences.is_empty() {
                still = extent(places[begin..end].iter().copied());
            } else {
                moved.push((influences, begin..end));
            }
            begin = end;
        }
        let bind = extent(places.iter().copied()).map(aabb);
        Self {
            mesh,
            moved,
            places,
            still,
            bind,
        }
    }

    /// Their bounds when a palette moves them.
    fn posed(&self, palette: &[Affine3A]) -> Option<Aabb> {
        let moved = self.moved.iter().filter_map(|(influences, places)| {
            let mut mixed = Affine3A::ZERO;
            for influence in self.mesh.influences(influences.clone()) {
                if let Some(skin) = palette.get(influence.joint as usize) {
                    mixed.matrix3 += skin.matrix3 * influence.weight;
                    mixed.translation += skin.translation * influence.weight;
                }
            }
            let places = self.places[places.clone()].iter();
            extent(places.map(|place| mixed.transform_point3a(*place)))
        });
        let all = moved.chain(self.still);
        all.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]).map(aabb)
    }
}

fn extent(mut places: impl Iterator<Item = Vec3A>) -> Option<[Vec3A; 2]> {
    let first = places.next()?;
    Some(places.fold([first; 2], |[min, max], place| {
        [min.min(place), max.max(place)]
    }))
}

fn aabb([min, max]: [Vec3A; 2]) -> Aabb {
    Aabb {
        min: Vec3::from(min),
        max: Vec3::from(max),
    }
}

impl From<&Bounds> for Aabb {
    fn from(bounds: &Bounds) -> Self {
        Self {
            min: bounds.min.into(),
            max: bounds.max.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample::{self, influence};
    use crate::model::skeleton::Skeleton;

    fn measured(pfobj: &Pfobj) -> Extents {
        let mesh = Mesh::build(pfobj);
        let poses = Poses::build(pfobj, &Skeleton::build(&pfobj.joints));
        Extents::measure(pfobj, &mesh, &poses, &Progress::default()).unwrap()
    }

    fn bounds(min: [f32; 3], max: [f32; 3]) -> Bounds {
        Bounds { min, max }
    }

    /// A square whose upper corners are moved by 2 along X in the second frame.
    fn swaying() -> Pfobj {
        let mut pfobj = sample::chain(2, 2);
        pfobj.clips[0].poses[3].translation = [2.0, 1.0, 0.0];
        let (low, high) = ([influence(0, 1.0)], [influence(1, 0.5)]);
        sample::weigh(&mut pfobj, &[&low, &low, &high, &low, &high, &high]);
        pfobj.has_bounds = true;
        pfobj.bounds = Some(bounds([0.0; 3], [1.0, 1.0, 0.0]));
        pfobj.clips[0].bounds = vec![
            bounds([0.0; 3], [1.0, 1.0, 0.0]),
            bounds([0.0; 3], [3.0, 1.0, 0.0]),
        ];
        pfobj
    }

    fn found(extents: &Extents, pfobj: &Pfobj, before: &[Problem]) -> Vec<Problem> {
        let mut problems = before.to_vec();
        extents.check(pfobj, &mut problems);
        problems
    }

    #[test]
    fn bounds_that_are_right_are_no_problem() {
        let pfobj = swaying();
        let extents = measured(&pfobj);
        assert_eq!(extents.worst[0].unwrap().size, 0.0);
        assert_eq!(found(&extents, &pfobj, &[]), []);
        let frames: Vec<Vec3> = extents.frames[0].iter().map(|frame| frame.max).collect();
        assert_eq!(frames, [Vec3::new(1.0, 1.0, 0.0), Vec3::new(3.0, 1.0, 0.0)]);
    }

    #[test]
    fn bounds_that_are_wrong_are_said_with_frame_and_line() {
        let mut pfobj = swaying();
        pfobj.clips[0].bounds[0].min[2] = -0.25;
        pfobj.clips[0].bounds[1].max[1] = 1.5;
        pfobj.bounds = Some(bounds([0.0; 3], [1.0, 1.0, 0.002]));
        // Two joints, then a clip with two frames of five lines.
        let frame_lines = vec![100, 105];
        pfobj.clips[0].frame_lines = frame_lines;
        let extents = measured(&pfobj);
        assert_eq!(extents.worst[0].unwrap().size, 0.5);
        let problems: Vec<String> = found(&extents, &pfobj, &[])
            .iter()
            .flat_map(Problem::with_consequences)
            .map(Problem::to_string)
            .collect();
        assert_eq!(
            problems,
            [
                "112:1: warning: the bounds of the bind pose differ by 0.002 from those of the \
                 mesh: max z is 0.002, but that of the mesh is 0",
                "108:1: warning: the bounds of clip `Sway` differ by up to 0.5 from those of the \
                 mesh: in frame 1 max y is 1.5, but that of the mesh is 1; one more frame \
                 differs by less",
            ]
        );
        // The same fault of the mesh makes all of them differ.
        let both = &found(&extents, &pfobj, &[])[0];
        assert_eq!(
            (both.subject, both.consequence_count()),
            (Subject::BindBounds, 1)
        );
    }

    #[test]
    fn what_could_not_be_read_makes_bounds_differ() {
        let mut pfobj = swaying();
        pfobj.clips[0].bounds[1].max[1] = 1.5;
        pfobj.bounds = Some(bounds([0.0; 3], [1.0, 1.0, 0.002]));
        let extents = measured(&pfobj);
        // How many problems follow from a cause, and how many there are besides.
        let below = |subject, severity| {
            let place = Place::Text { line: 1, column: 1 };
            let mut cause = Problem::new(&rules::FLAT_JOINT, subject, place, "broken");
            cause.severity = severity;
            let found = found(&extents, &pfobj, &[cause]);
            (found[0].consequence_count(), found.len() - 1)
        };
        let (error, warning) = (Severity::Error, Severity::Warning);
        let pose = Subject::Frame { clip: 0, frame: 0 };
        let of_frame = Subject::FrameBounds { clip: 0, frame: 1 };
        // The bounds of the clip and of the bind pose.
        for (subject, severity, expected) in [
            (Subject::File, error, (0, 1)),
            (Subject::Vertex(1), warning, (0, 1)),
            (Subject::Vertex(1), error, (2, 0)),
            (Subject::Joint(1), error, (2, 0)),
            (pose, error, (1, 1)),
            (pose, warning, (0, 1)),
            (of_frame, warning, (1, 1)),
            (Subject::BindBounds, warning, (1, 1)),
        ] {
            assert_eq!(below(subject, severity), expected, "{subject:?} {severity}");
        }
    }

    #[test]
    fn bounds_that_differ_in_all_clips_are_one_problem() {
        let mut pfobj = swaying();
        pfobj.clips[0].bounds[1].max[1] = 1.5;
        let clip = pfobj.clips[0].clone();
        pfobj.clips.push(clip);
        let extents = measured(&pfobj);
        let [first] = &found(&extents, &pfobj, &[])[..] else {
            panic!();
        };
        assert_eq!(first.consequence_count(), 1);
        // Where one of them is right, each stands for itself.
        let mut right = pfobj.clips[0].clone();
        right.bounds = swaying().clips[0].bounds.clone();
        pfobj.clips.push(right);
        assert_eq!(found(&measured(&pfobj), &pfobj, &[]).len(), 2);
    }

    #[test]
    fn clips_without_bounds_and_meshes_without_vertices_have_no_error() {
        let mut pfobj = swaying();
        pfobj.clips[0].bounds.clear();
        assert_eq!(measured(&pfobj).worst, [None]);
        pfobj.vertices.clear();
        let extents = measured(&pfobj);
        assert_eq!((extents.bind, extents.worst), (None, vec![None]));
    }

    #[test]
    fn threads_measure_the_same() {
        let mut pfobj = swaying();
        let clip = &mut pfobj.clips[0];
        clip.frame_count = 4000;
        clip.poses = clip.poses.repeat(2000);
        let copies = (0..400).flat_map(|i| {
            let mut vertices = swaying().vertices;
            for vertex in &mut vertices {
                vertex.position[2] += i as f32;
            }
            vertices
        });
        pfobj.vertices = copies.collect();
        let extents = measured(&pfobj);
        assert_eq!(extents.frames[0].len(), 4000);
        for (i, frame) in extents.frames[0].iter().enumerate() {
            let x = if i % 2 == 0 { 1.0 } else { 3.0 };
            assert_eq!(frame.max, Vec3::new(x, 1.0, 399.0));
        }
    }
}
