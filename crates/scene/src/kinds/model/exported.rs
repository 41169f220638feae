//! Checks for valid but unlikely values, which are typical mistakes of exporters.

use glam::Vec2;

use super::uses::Uses;
use crate::core::rules;
use crate::describe::numbers::short;
use mapscope_formats::pfobj::{Clip, Pfobj};
use mapscope_formats::{Place, Problem, Problems, Subject, counted, quoted};

/// Maximum texture coordinate that is attributed to a repeating texture. Those of the engine's own
/// models reach 1.51.
const MAX_UV: f32 = 32.0;

/// Warns of texture coordinates that are all equal or far outside 0 to 1, and of clips without
/// movement. `known` are the problems of the file.
pub(super) fn check(pfobj: &Pfobj, uses: &Uses, known: &[Problem], problems: &mut Problems) {
    // Unreadable values are replaced by equal ones.
    if known.iter().any(Problem::may_leave_out) {
        return;
    }
    let varies = |uv: Option<[Vec2; 2]>| uv.is_some_and(|[min, max]| min != max);
    let any_varies = uses.materials.iter().any(|uses| varies(uses.uv));
    // A material may use a single palette colour. No palette colour is in the corner of the
    // texture, where lost coordinates are.
    let may_be_color = |uv: Vec2| any_varies && uv.fract() != Vec2::ZERO;
    let materials = pfobj.materials.iter().zip(&uses.materials).zip(0..);
    for ((material, uses), index) in materials {
        // A single triangle may legitimately show a single texel.
        let Some([min, max]) = uses.uv.filter(|_| uses.triangles > 1) else {
            continue;
        };
        let (subject, place) = (Subject::Material(index), Place::line(material.line));
        let name = || quoted(material.name.as_bytes());
        if min == max && !may_be_color(min) {
            problems.add_about(&rules::SAME_UV, subject, place, || {
                let (count, [u, v]) = (counted(uses.triangles, "triangle"), min.to_array());
                format!(
                    "all {count} of material {} have the same texture coordinates, {} {}",
                    name(),
                    short(u),
                    short(v)
                )
            });
        } else if min.abs().max(max.abs()).max_element() > MAX_UV {
            problems.add_about(&rules::FAR_UV, subject, place, || {
                format!(
                    "the texture coordinates of material {} run from {} {} to {} {}; expected \
                     about 0 to 1 (are they in pixels?)",
                    name(),
                    short(min.x),
                    short(min.y),
                    short(max.x),
                    short(max.y)
                )
            });
        }
    }
    for (clip, index) in pfobj.clips.iter().zip(0..) {
        if is_still(clip, pfobj.joints.len()) {
            let (subject, place) = (Subject::Clip(index), Place::line(clip.line));
            problems.add_about(&rules::STILL_CLIP, subject, place, || {
                format!(
                    "all {} frames of clip {} are identical",
                    clip.frame_count,
                    quoted(clip.name.as_bytes())
                )
            });
        }
    }
}

/// `true` if a clip has three frames or more, all with the poses of the first one. Two equal frames
/// are a held pose.
fn is_still(clip: &Clip, joints: usize) -> bool {
    let mut frames = clip.poses.chunks_exact(joints.max(1));
    let first = frames.next();
    frames.len() > 1 && frames.all(|frame| Some(frame) == first)
}

#[cfg(test)]
mod tests {
    use crate::Document as _;
    use crate::kinds::model::sample;
    use mapscope_formats::pfobj::Pfobj;

    /// Ids of the rules of this module that a model breaks.
    fn broken(pfobj: Pfobj) -> Vec<&'static str> {
        let model = sample::model(pfobj);
        let rules = model
            .about()
            .problems
            .iter()
            .map(|problem| problem.rule.id)
            .filter(|id| id.ends_with("-uv") || id.ends_with("-clip"));
        rules.collect()
    }

    #[test]
    fn texture_coordinates_that_are_alike_or_in_pixels_are_said() {
        assert!(broken(sample::quad()).is_empty());
        let with = |change: fn(&mut [f32; 2])| {
            let mut pfobj = sample::quad();
            pfobj.vertices.iter_mut().for_each(|it| change(&mut it.uv));
            broken(pfobj)
        };
        assert_eq!(with(|uv| *uv = [0.5, 0.25]), ["pfobj/same-uv"]);
        assert_eq!(with(|uv| *uv = uv.map(|x| x * 512.0)), ["pfobj/far-uv"]);
        assert!(with(|uv| *uv = uv.map(|x| 20.0 * x - 10.0)).is_empty());
        assert!(with(|uv| uv[0] = 0.5).is_empty());
        // A second material: a point that can be a palette colour, and one that cannot.
        for (point, expected) in [([0.5, 0.25], None), ([0.0, 1.0], Some("pfobj/same-uv"))] {
            let mut two = sample::quad();
            let mut more = two.vertices.clone();
            for vertex in &mut more {
                (vertex.uv, vertex.material) = (point, 1);
            }
            two.vertices.append(&mut more);
            two.materials.push(two.materials[0].clone());
            let found = broken(two);
            assert_eq!(found, expected.as_slice());
        }
        let mut one = sample::quad();
        one.vertices.truncate(3);
        one.vertices.iter_mut().for_each(|it| it.uv = [0.5; 2]);
        assert!(broken(one).is_empty());
    }

    #[test]
    fn clips_in_which_nothing_moves_are_said() {
        let mut pfobj = sample::chain(2, 3);
        for (at, pose) in pfobj.clips[0].poses.iter_mut().enumerate() {
            pose.translation = [0.0, (at % 2) as f32, 0.0];
        }
        assert_eq!(broken(pfobj.clone()), ["pfobj/still-clip"]);
        pfobj.clips[0].poses[5].translation[2] = 0.125;
        assert!(broken(pfobj).is_empty());
        // One frame is a pose, and two equal frames are a held pose.
        for frames in [1, 2] {
            assert!(broken(sample::chain(2, frames)).is_empty(), "{frames}");
        }
    }
}
