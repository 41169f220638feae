//! The bounds of the mesh in each frame, compared with the declared ones.

mod fault;

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{Affine3A, Vec3, Vec3A};

use self::fault::{Fault, Pair};
use super::mesh::Mesh;
use super::poses::{Poses, write_palette};
use super::skeleton::{Skeleton, SkinMatrix};
use crate::core::parallel::in_parallel;
use crate::core::rules;
use crate::describe::numbers::short;
use crate::{Aabb, OpenError, Playhead, Progress};
use mapscope_formats::pfobj::{Bounds, Pfobj, Transform, rules as in_file};
use mapscope_formats::{Cause, Place, Problem, Problems, Rule, Subject, quoted};

/// Largest ignored difference between declared and skinned bounds, in model units. Files have six
/// decimals.
const TOLERANCE: f32 = 0.001;
/// The same for large models, whose numbers have larger rounding errors, as a fraction of their
/// size.
const RELATIVE_TOLERANCE: f32 = 1e-5;
/// Number of positions times frames for each thread.
const MIN_WORK_PER_THREAD: usize = 1 << 20;
/// Maximum number of faults that others are compared with. Few models have more than one.
const MAX_FAULTS: usize = 8;
/// Rules about rotations that are not of length 1.
static ROTATION_RULES: [&Rule; 3] = [
    &in_file::EULER_ROTATION,
    &in_file::ROTATION,
    &in_file::ROTATION_LENGTH,
];
/// Rules about errors that displace a vertex, a joint or a pose.
static DISPLACING_RULES: [&Rule; 8] = [
    &in_file::LINE,
    &in_file::COUNT,
    &in_file::VALUE,
    &in_file::DECIMAL_COMMA,
    &in_file::NOT_FINITE,
    &in_file::PARENT,
    &in_file::PARENT_CYCLE,
    &in_file::FRAME,
];

/// Rules about vertex weights, which do not affect the bind pose. The rule about missing weights is
/// not included: such a vertex is in the same place in the engine.
static WEIGHT_RULES: [&Rule; 3] = [
    &in_file::NEGATIVE_WEIGHT,
    &in_file::EMPTY_WEIGHTS,
    &in_file::JOINT_INDEX,
];

/// The bounds of the mesh in the bind pose and in every frame, and their differences from the
/// declared ones.
#[derive(Debug, Default)]
pub(super) struct Extents {
    /// Bounds in the bind pose, or `None` for a mesh without vertices.
    pub(super) bind: Option<Aabb>,
    /// Bounds in each frame of each clip. Empty for a mesh without vertices.
    pub(super) frames: Vec<Vec<Aabb>>,
    /// Largest difference of each clip, or `None` if it declares no bounds.
    pub(super) worst: Vec<Option<Difference>>,
    /// Largest difference that is attributed to rounding.
    pub(super) tolerance: f32,
}

/// A difference between declared bounds and those of the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    /// Frame.
    pub(super) frame: u32,
    /// Difference, in model units.
    pub(super) size: f32,
    /// Axis: 0, 1 or 2.
    axis: usize,
    /// Declared and actual value.
    declared: f32,
    skinned: f32,
    is_max: bool,
}

impl Difference {
    /// Returns the largest difference between bounds.
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

    /// Describes the difference.
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
    /// Poses the mesh in every frame, on multiple threads if that is worthwhile.
    ///
    /// # Errors
    /// Only when the load is cancelled.
    pub(super) fn measure(
        pfobj: &Pfobj,
        mesh: &Mesh,
        skeleton: &Skeleton,
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
            .flat_map(|clip| poses.measured_frames(clip).map(move |frame| (clip, frame)))
            .collect();
        let frames_a_job = (MIN_WORK_PER_THREAD / mesh.points.len().max(1)).max(1);
        let jobs: Vec<_> = all_frames.chunks(frames_a_job).collect();
        let mut measured = in_parallel(jobs.len(), progress, |i| {
            let mut skins = vec![SkinMatrix::IDENTITY; joints];
            let mut palette = Vec::with_capacity(joints);
            let measure = |(clip, frame): &(usize, u32)| {
                let playhead = Playhead::at_frame(*clip, *frame);
                write_palette(pfobj, skeleton, poses, playhead, &mut skins);
                palette.clear();
                palette.extend(skins.iter().map(|skin| Affine3A::from(*skin)));
                points.posed(&palette).unwrap_or(bind)
            };
            jobs[i].iter().map(measure).collect::<Vec<Aabb>>()
        })?
        .into_iter()
        .flatten();
        let frames: Vec<Vec<Aabb>> = (0..pfobj.clips.len())
            .map(|clip| {
                let frames = poses.measured_frames(clip).count();
                measured.by_ref().take(frames).collect()
            })
            .collect();
        let worst = pfobj.clips.iter().zip(&frames).map(|(clip, skinned)| {
            let pairs = clip.bounds.iter().zip(skinned).zip(0..);
            largest_difference(pairs.filter_map(|((declared, skinned), frame)| {
                Some(Difference::between(frame, declared.as_ref()?, skinned))
            }))
        });
        Ok(Self {
            worst: worst.collect(),
            bind: Some(bind),
            frames,
            tolerance: TOLERANCE.max((bind.max - bind.min).max_element() * RELATIVE_TOLERANCE),
        })
    }

    /// Warns of each clip, and of the bind pose, whose declared bounds differ from those of the
    /// mesh. `problems` are those of the file. Differences of partly unreadable data are
    /// consequences of its problems. Differences of a clip are consequences of those of the bind
    /// pose, or of an earlier clip, if the same fault explains both ([`Fault`]).
    pub(super) fn check(&self, pfobj: &Pfobj, problems: &mut Vec<Problem>) {
        let broken = KnownCauses::of(pfobj, problems);
        let mut checked = BoundsCheck {
            problems,
            found: Problems::new(),
            faults: Vec::new(),
        };
        if let Some((problem, pair)) = self.bind_bounds_problem(pfobj) {
            let known = broken.mesh.or(broken.bind);
            let above = checked.put(problem, known.map(ParentProblem::Known));
            let fault = Fault::of(&pair, [pair], self.tolerance);
            checked.faults.push((fault, above));
        }
        for clip in 0..pfobj.clips.len() {
            self.check_clip(pfobj, clip, &broken, &mut checked);
        }
        let found = checked.found.finish();
        problems.extend(found);
    }

    fn check_clip(
        &self,
        pfobj: &Pfobj,
        clip: usize,
        broken: &KnownCauses,
        checked: &mut BoundsCheck<'_>,
    ) {
        let frames = self.differing_frames(pfobj, clip);
        if frames.is_empty() {
            return;
        }
        let pairs = || self.pairs(pfobj, clip).map(|(_, pair)| pair);
        let mut by_cause: BTreeMap<Option<ParentProblem>, Vec<Difference>> = BTreeMap::new();
        let is_all = self.pairs(pfobj, clip).count() == frames.len();
        let mut faults = checked.faults.iter();
        let of_all = faults.find(|(fault, _)| is_all && fault.explains_all(pairs()));
        let pair_at = |frame: u32| self.pair(pfobj, clip, frame);
        for apart in &frames {
            let known = broken.at(clip, apart.frame).map(ParentProblem::Known);
            let above = known.or_else(|| {
                let explains =
                    |fault: &Fault| pair_at(apart.frame).is_some_and(|pair| fault.explains(&pair));
                let mut faults = checked.faults.iter();
                let of_frame = faults.find(|(fault, _)| explains(fault));
                of_frame.or(of_all).and_then(|(_, above)| *above)
            });
            by_cause.entry(above).or_default().push(*apart);
        }
        for (above, frames) in by_cause {
            let Some(worst) = largest_difference(frames.iter().copied()) else {
                continue;
            };
            let times = pair_at(worst.frame)
                .map(|pair| times(&pair, self.tolerance))
                .unwrap_or_default();
            let problem = clip_problem(pfobj, clip, &worst, (frames.len(), &times));
            let found = checked.put(problem, above);
            if above.is_none()
                && checked.faults.len() < MAX_FAULTS
                && let Some(pair) = pair_at(worst.frame)
            {
                let fault = Fault::of(&pair, pairs(), self.tolerance);
                checked.faults.push((fault, found));
            }
        }
    }

    /// Returns the problem of the bind pose's bounds, if they differ from those of the mesh.
    fn bind_bounds_problem(&self, pfobj: &Pfobj) -> Option<(Problem, Pair)> {
        let (declared, bind) = (pfobj.bounds.as_ref()?, self.bind.as_ref()?);
        let worst = Difference::between(0, declared, bind);
        if worst.size <= self.tolerance {
            return None;
        }
        let place = Place::line(bind_bounds_line(pfobj) + worst.axis as u64);
        let pair = Pair::new(declared, bind);
        let message = format!(
            "the bounds of the bind pose differ by {} from those of the mesh{}: {}",
            short(worst.size),
            times(&pair, self.tolerance),
            worst.message()
        );
        let problem = Problem::new(&rules::BOUNDS_DIFFER, Subject::BindBounds, place, message);
        Some((problem, pair))
    }

    /// `true` if declared bounds match those of the mesh.
    pub(super) fn agree(&self, declared: &Bounds, skinned: &Aabb) -> bool {
        Difference::between(0, declared, skinned).size <= self.tolerance
    }

    /// Returns the declared bounds of each frame of a clip with those of the mesh, by frame.
    fn pairs<'p>(
        &'p self,
        pfobj: &'p Pfobj,
        clip: usize,
    ) -> impl Iterator<Item = (u32, Pair)> + 'p {
        let (declared, skinned) = self.bounds_of(pfobj, clip);
        let pairs = (0..).zip(declared.iter().zip(skinned));
        pairs.filter_map(|(frame, (declared, skinned))| {
            Some((frame, Pair::new(declared.as_ref()?, skinned)))
        })
    }

    /// Returns the declared bounds of one frame with those of the mesh.
    fn pair(&self, pfobj: &Pfobj, clip: usize, frame: u32) -> Option<Pair> {
        let (declared, skinned) = self.bounds_of(pfobj, clip);
        let frame = frame as usize;
        Some(Pair::new(
            declared.get(frame)?.as_ref()?,
            skinned.get(frame)?,
        ))
    }

    /// Returns the bounds of the frames of a clip, as declared and as measured.
    fn bounds_of<'p>(
        &'p self,
        pfobj: &'p Pfobj,
        clip: usize,
    ) -> (&'p [Option<Bounds>], &'p [Aabb]) {
        let declared = pfobj.clips.get(clip).map_or(&[][..], |clip| &clip.bounds);
        let skinned = self.frames.get(clip).map_or(&[][..], Vec::as_slice);
        (declared, skinned)
    }

    /// Returns the frames of a clip whose bounds differ from those of the mesh.
    fn differing_frames(&self, pfobj: &Pfobj, clip: usize) -> Vec<Difference> {
        let worst = self.worst.get(clip).copied().flatten();
        if worst.is_none_or(|worst| worst.size <= self.tolerance) {
            return Vec::new();
        }
        let (declared, skinned) = self.bounds_of(pfobj, clip);
        let pairs = (0..).zip(declared.iter().zip(skinned));
        let frames = pairs.filter_map(|(frame, (declared, skinned))| {
            Some(Difference::between(frame, declared.as_ref()?, skinned))
        });
        frames.filter(|it| it.size > self.tolerance).collect()
    }
}

/// Returns the largest difference, the first one in case of a tie.
fn largest_difference(differences: impl Iterator<Item = Difference>) -> Option<Difference> {
    differences.reduce(|worst, next| if next.size > worst.size { next } else { worst })
}

/// Describes a uniform factor between declared bounds and those of the mesh. Empty if they differ
/// in another way.
fn times(pair: &Pair, tolerance: f32) -> String {
    let factor = pair.factor(tolerance);
    factor.map_or_else(String::new, |factor| {
        format!(", {} times as large", short(factor))
    })
}

/// Returns the problem of a clip's bounds, with the number of frames that differ and the worst of
/// them.
fn clip_problem(
    pfobj: &Pfobj,
    clip: usize,
    worst: &Difference,
    (frames, times): (usize, &str),
) -> Problem {
    let line = bounds_line(pfobj, clip, worst.frame as usize) + worst.axis as u64;
    let also = match frames.saturating_sub(1) {
        0 => String::new(),
        1 => "; 1 more frame differs as much or less".to_owned(),
        more => format!("; {more} more frames differ as much or less"),
    };
    let message = format!(
        "the bounds of clip {} differ by up to {} from those of the mesh{times}: in frame {} {}{also}",
        quoted(
            pfobj
                .clips
                .get(clip)
                .map_or("", |clip| &clip.name)
                .as_bytes()
        ),
        short(worst.size),
        worst.frame,
        worst.message()
    );
    let subject = Subject::FrameBounds {
        clip: clip as u32,
        frame: worst.frame,
    };
    Problem::new(&rules::BOUNDS_DIFFER, subject, Place::line(line), message)
}

/// The problem that another is a consequence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ParentProblem {
    /// A problem that was already known, by its index.
    Known(usize),
    /// A problem found by this check.
    Found(Cause),
}

/// State of the bounds check.
struct BoundsCheck<'p> {
    /// Problems that were already known.
    problems: &'p mut Vec<Problem>,
    /// Problems found by this check.
    found: Problems,
    /// Faults of bounds, each with the problem that reports it if that is listed.
    faults: Vec<(Fault, Option<ParentProblem>)>,
}

impl BoundsCheck<'_> {
    /// Adds a problem as a consequence of `above`. Returns the problem that now reports it.
    fn put(&mut self, problem: Problem, above: Option<ParentProblem>) -> Option<ParentProblem> {
        if let Some(ParentProblem::Known(index)) = above {
            self.problems.get_mut(index)?.add_consequence(problem);
            return above;
        }
        let cause = above.and_then(|above| match above {
            ParentProblem::Found(cause) => Some(cause),
            ParentProblem::Known(_) => None,
        });
        let found = &mut self.found;
        found.push_consequence(cause, problem);
        above.or_else(|| found.last().map(ParentProblem::Found))
    }
}

/// Parts of a model whose bounds cannot be right because of other problems, each with the index of
/// its problem.
#[derive(Default)]
struct KnownCauses {
    /// The mesh or the skeleton, and therefore everything.
    mesh: Option<usize>,
    /// The weights of vertices, and therefore every frame.
    weights: Option<usize>,
    clips: BTreeMap<usize, usize>,
    /// Single frames of clips.
    frames: BTreeMap<(usize, u32), usize>,
    /// The bounds of the bind pose.
    bind: Option<usize>,
}

impl KnownCauses {
    fn of(pfobj: &Pfobj, found: &[Problem]) -> Self {
        let mut broken = Self::default();
        let all = found.iter().enumerate().flat_map(|(index, problem)| {
            let all = problem.with_consequences();
            all.map(move |problem| (index, problem))
        });
        for (index, problem) in all {
            let displaces = DISPLACING_RULES.contains(&problem.rule);
            match problem.subject {
                Subject::Vertex(_) if WEIGHT_RULES.contains(&problem.rule) => {
                    broken.weights.get_or_insert(index);
                }
                Subject::Vertex(_) | Subject::Joint(_) if displaces => {
                    broken.mesh.get_or_insert(index);
                }
                // Of many frames, only the first are listed.
                Subject::Clip(clip) | Subject::Frame { clip, .. } if displaces => {
                    broken.clips.entry(clip as usize).or_insert(index);
                }
                Subject::FrameBounds { clip, frame } => {
                    let frames = &mut broken.frames;
                    frames.entry((clip as usize, frame)).or_insert(index);
                }
                Subject::BindBounds => {
                    broken.bind.get_or_insert(index);
                }
                _ => {}
            }
        }
        // Only the first poses missing for a joint are listed, so any frame may lack one.
        let is_cut = |problem: &&Problem| problem.consequences.iter().any(|it| it.count > 1);
        let displaces = |problem: &Problem| {
            let mut all = problem.with_consequences();
            all.any(|it| *it.rule == in_file::FRAME)
        };
        if let Some(index) = found.iter().position(|it| is_cut(&it) && displaces(it)) {
            broken.mesh.get_or_insert(index);
        }
        if !pfobj.bad_vertices.is_empty() {
            broken.mesh = broken
                .mesh
                .or(if found.is_empty() { None } else { Some(0) });
        }
        // Bounds whose min and max are swapped. Their problem names only the first of them.
        let is_order = |problem: &Problem| *problem.rule == in_file::BOUNDS_ORDER;
        if let Some(known) = found.iter().position(is_order) {
            let is_turned = |bounds: &Bounds| (0..3).any(|i| bounds.min[i] > bounds.max[i]);
            if pfobj.bounds.as_ref().is_some_and(is_turned) {
                broken.bind.get_or_insert(known);
            }
            for (index, clip) in pfobj.clips.iter().enumerate() {
                let frames = clip.bounds.iter().zip(0..);
                for (_, frame) in frames.filter(|(it, _)| it.as_ref().is_some_and(is_turned)) {
                    broken.frames.entry((index, frame)).or_insert(known);
                }
            }
        }
        // Rotations that are invalid in the engine are drawn as they are.
        let is_of_rotation = |problem: &Problem| ROTATION_RULES.contains(&problem.rule);
        if let Some(known) = found.iter().position(is_of_rotation) {
            let is_odd = |transform: &Transform| !transform.rotation.is_unit();
            if pfobj.joints.iter().any(|joint| is_odd(&joint.bind)) {
                broken.mesh.get_or_insert(known);
            }
            let joints = pfobj.joints.len().max(1);
            for (index, clip) in pfobj.clips.iter().enumerate() {
                let frames = clip.poses.chunks(joints).zip(0..);
                for (_, frame) in frames.filter(|(poses, _)| poses.iter().any(is_odd)) {
                    broken.frames.entry((index, frame)).or_insert(known);
                }
            }
        }
        broken
    }

    /// Returns the problem that explains the bounds of a frame.
    fn at(&self, clip: usize, frame: u32) -> Option<usize> {
        let of_all = self.mesh.or(self.weights);
        let of_clip = of_all.or_else(|| self.clips.get(&clip).copied());
        of_clip.or_else(|| self.frames.get(&(clip, frame)).copied())
    }
}

/// First line of the bounds of a frame, after one line for each joint.
fn bounds_line(pfobj: &Pfobj, clip: usize, frame: usize) -> u64 {
    let clip = pfobj.clips.get(clip);
    let first = clip.and_then(|clip| clip.frame_lines.get(frame).copied());
    first.unwrap_or(0) + pfobj.joints.len() as u64
}

/// First line of the bounds of the bind pose, after all other data.
pub(super) fn bind_bounds_line(pfobj: &Pfobj) -> u64 {
    let frame = |clip: usize| {
        let frames = pfobj.clips.get(clip)?.frame_lines.len();
        Some((clip, frames.checked_sub(1)?))
    };
    let last_frame = (0..pfobj.clips.len()).rev().find_map(frame);
    if let Some((clip, frame)) = last_frame {
        return bounds_line(pfobj, clip, frame) + if pfobj.has_bounds { 3 } else { 0 };
    }
    let last = pfobj
        .joints
        .last()
        .map(|joint| joint.line)
        .or_else(|| pfobj.materials.last().map(|m| m.texture_line));
    last.unwrap_or(0) + 1
}

/// The points of a mesh, grouped by their influences.
struct Groups<'a> {
    mesh: &'a Mesh,
    /// [`Point::influences`](super::mesh::Point::influences) and the range of `places` that they
    /// apply to.
    moved: Vec<(Range<usize>, Range<usize>)>,
    places: Vec<Vec3A>,
    /// Bounds of the points that do not move.
    still: Option<[Vec3A; 2]>,
    /// Bounds of all points in the bind pose.
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

    /// Computes the bounds of the points, posed by a palette.
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
    use crate::kinds::model::sample::{self, influence};
    use crate::kinds::model::skeleton::Skeleton;
    use mapscope_formats::pfobj::Rotation;

    fn measured(pfobj: &Pfobj) -> Extents {
        let mesh = Mesh::build(pfobj);
        let skeleton = Skeleton::build(&pfobj.joints);
        let poses = Poses::build(pfobj, &skeleton);
        Extents::measure(pfobj, &mesh, &skeleton, &poses, &Progress::default()).unwrap()
    }

    fn bounds(min: [f32; 3], max: [f32; 3]) -> Bounds {
        Bounds { min, max }
    }

    /// A square whose upper corners are moved by 2 along X in the second frame.
    fn swaying() -> Pfobj {
        let mut pfobj = sample::chain(2, 2);
        pfobj.clips[0].poses[3].translation = [2.0, 1.0, 0.0];
        let (low, high) = ([influence(0, 1.0)], [influence(1, 0.5)]);
        sample::set_influences(&mut pfobj, &[&low, &low, &high, &low, &high, &high]);
        pfobj.has_bounds = true;
        pfobj.bounds = Some(bounds([0.0; 3], [1.0, 1.0, 0.0]));
        pfobj.clips[0].bounds = vec![
            Some(bounds([0.0; 3], [1.0, 1.0, 0.0])),
            Some(bounds([0.0; 3], [3.0, 1.0, 0.0])),
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
        pfobj.clips[0].bounds[0].as_mut().unwrap().min[2] = -0.25;
        pfobj.clips[0].bounds[1].as_mut().unwrap().max[1] = 1.5;
        pfobj.bounds = Some(bounds([0.0; 3], [1.0, 1.0, 0.002]));
        // Two joints, then a clip with two frames of five lines.
        let frame_lines = vec![100, 105];
        pfobj.clips[0].frame_lines = frame_lines;
        let extents = measured(&pfobj);
        assert_eq!(extents.worst[0].unwrap().size, 0.5);
        let problems: Vec<String> = found(&extents, &pfobj, &[])
            .iter()
            .map(Problem::facts)
            .collect();
        // The two faults are different.
        assert_eq!(
            problems,
            [
                "108:1: warning: pfobj/bounds-differ (FrameBounds 0 1): 0.5 1 1.5 Sway",
                "112:1: warning: pfobj/bounds-differ (BindBounds): 0 0.002",
            ]
        );
    }

    /// Problems that are not consequences, each with the number of its consequences.
    fn causes(pfobj: &Pfobj) -> Vec<(Subject, usize)> {
        let found = found(&measured(pfobj), pfobj, &[]);
        let causes = found.iter();
        causes
            .map(|problem| (problem.subject, problem.consequence_count()))
            .collect()
    }

    /// The same model with all bounds converted as by an exporter.
    fn exported(export: fn(Bounds) -> Bounds) -> Pfobj {
        let mut pfobj = swaying();
        pfobj.bounds = pfobj.bounds.map(export);
        for bounds in pfobj.clips[0].bounds.iter_mut().flatten() {
            *bounds = export(*bounds);
        }
        pfobj
    }

    #[test]
    fn what_an_exporter_does_wrong_everywhere_is_one_problem() {
        let exports: [fn(Bounds) -> Bounds; 5] = [
            |it| bounds(it.min.map(|end| end + 2.0), it.max.map(|end| end + 2.0)),
            |it| bounds(it.min.map(|end| end * 10.0), it.max.map(|end| end * 10.0)),
            |it| {
                bounds(
                    [it.min[1], it.min[2], it.min[0]],
                    [it.max[1], it.max[2], it.max[0]],
                )
            },
            |_| bounds([0.0; 3], [5.0; 3]),
            // Boxes around rotated boxes, which fit nowhere.
            |it| {
                let size = it.max[0] - it.min[0];
                bounds(
                    [-0.1 - 0.02 * size, 0.0, -0.2],
                    [it.max[0] + 0.3, it.max[1], 0.3],
                )
            },
        ];
        for (i, export) in exports.into_iter().enumerate() {
            let pfobj = exported(export);
            assert_eq!(causes(&pfobj), [(Subject::BindBounds, 1)], "{i}");
            // A frame that is wrong for another reason.
            let mut odd = pfobj.clone();
            odd.clips[0].bounds[1].as_mut().unwrap().min[1] = -3.0;
            let own = Subject::FrameBounds { clip: 0, frame: 1 };
            let found = causes(&odd);
            assert!(found.contains(&(own, 0)), "{i}: {found:?}");
            assert_eq!(found.len(), 2, "{i}: {found:?}");
        }
    }

    #[test]
    fn one_frame_that_is_right_has_no_part_in_a_fault_of_all_sides() {
        let mut pfobj = swaying();
        pfobj.bounds = Some(bounds([0.0; 3], [1.5, 1.0, 0.0]));
        // With the same error as the bind pose, but not in every frame.
        pfobj.clips[0].bounds[1].as_mut().unwrap().max[0] = 3.5;
        let own = Subject::FrameBounds { clip: 0, frame: 1 };
        assert_eq!(causes(&pfobj), [(own, 0), (Subject::BindBounds, 0)]);
        pfobj.clips[0].bounds[0].as_mut().unwrap().max[0] = 1.25;
        assert_eq!(causes(&pfobj), [(Subject::BindBounds, 1)]);
    }

    #[test]
    fn what_could_not_be_read_makes_bounds_differ() {
        let mut pfobj = swaying();
        pfobj.clips[0].bounds[1].as_mut().unwrap().max[1] = 1.5;
        pfobj.bounds = Some(bounds([0.0; 3], [1.0, 1.0, 0.002]));
        let extents = measured(&pfobj);
        // Number of consequences of a cause, and number of other problems.
        let below = |rule, subject| {
            let place = Place::Text { line: 1, column: 1 };
            let cause = Problem::new(rule, subject, place, "broken");
            let found = found(&extents, &pfobj, &[cause]);
            (found[0].consequence_count(), found.len() - 1)
        };
        let (value, other) = (&in_file::VALUE, &in_file::MATERIAL_INDEX);
        let bounds_of = |frame| Subject::FrameBounds { clip: 0, frame };
        let pose = Subject::Frame { clip: 0, frame: 0 };
        // The bounds of the clip and of the bind pose.
        for (rule, subject, expected) in [
            (value, Subject::File, (0, 2)),
            (other, Subject::Vertex(1), (0, 2)),
            (value, Subject::Vertex(1), (2, 0)),
            (value, Subject::Joint(1), (2, 0)),
            (&in_file::UNWEIGHTED, Subject::Vertex(1), (0, 2)),
            (&in_file::NEGATIVE_WEIGHT, Subject::Vertex(1), (1, 1)),
            (&in_file::JOINT_INDEX, Subject::Vertex(1), (1, 1)),
            (&in_file::BAD_NAME, Subject::Joint(1), (0, 2)),
            (&in_file::FRAME, pose, (1, 1)),
            (&in_file::FRAME_COUNT, Subject::Clip(0), (0, 2)),
            (&in_file::BOUNDS_ORDER, bounds_of(1), (1, 1)),
            (&in_file::BOUNDS_ORDER, bounds_of(0), (0, 2)),
            (&in_file::BOUNDS_ORDER, Subject::BindBounds, (1, 1)),
        ] {
            assert_eq!(below(rule, subject), expected, "{} {subject:?}", rule.id);
        }
    }

    #[test]
    fn frames_with_rotations_that_are_none_are_drawn_otherwise() {
        let mut pfobj = swaying();
        for bounds in pfobj.clips[0].bounds.iter_mut().flatten() {
            bounds.max[1] += 0.5;
        }
        pfobj.clips[0].poses[3].rotation = Rotation::EulerDegrees([0.0; 3]);
        let extents = measured(&pfobj);
        let place = Place::line(1);
        let subject = Subject::Frame { clip: 0, frame: 1 };
        let cause = Problem::new(&in_file::EULER_ROTATION, subject, place, "angles");
        let found = found(&extents, &pfobj, &[cause]);
        let subjects = found.iter().map(|it| (it.subject, it.consequence_count()));
        let other = Subject::FrameBounds { clip: 0, frame: 0 };
        assert!(subjects.eq([(subject, 1), (other, 0)]), "{found:?}");
    }

    #[test]
    fn clips_with_the_same_fault_are_one_problem() {
        let mut pfobj = swaying();
        pfobj.clips[0].bounds[1].as_mut().unwrap().max[1] = 1.5;
        let clip = pfobj.clips[0].clone();
        pfobj.clips.push(clip);
        let first = Subject::FrameBounds { clip: 0, frame: 1 };
        assert_eq!(causes(&pfobj), [(first, 1)]);
        // One with another fault, and one that is right.
        let mut other = pfobj.clips[0].clone();
        other.bounds[1].as_mut().unwrap().max[1] = 1.0;
        pfobj.clips.push(other.clone());
        other.bounds[0].as_mut().unwrap().min[0] = -0.5;
        pfobj.clips.push(other);
        let own = Subject::FrameBounds { clip: 3, frame: 0 };
        assert_eq!(causes(&pfobj), [(own, 0), (first, 1)]);
        // Of many different faults, only a few are compared, but all are reported.
        for i in 0..20_u8 {
            let mut clip = pfobj.clips[3].clone();
            clip.bounds[0].as_mut().unwrap().min[0] = -1.0 - f32::from(i);
            pfobj.clips.push(clip);
        }
        assert_eq!(causes(&pfobj).len(), 22);
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
