//! Levels of detail: coarser models in separate files beside a model, `<stem>.lod1.pfobj` and
//! `<stem>.lod2.pfobj`, which the engine draws at larger distances (fact sheet B6).

use std::path::{Path, PathBuf};

use super::bounds::bind_bounds_line;
use crate::assets::{LEADS_OUT, leads_out};
use crate::core::rules;
use crate::describe::numbers::short;
use crate::describe::outline::file_name;
use crate::{OpenError, Source, system_reason};
use mapscope_formats::pfobj::{self, Joint, Pfobj, Summary};
use mapscope_formats::{Place, Problem, Problems, Severity, Subject, Tally, counted, quoted};

/// Maximum size of a file that is read for comparison, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Maximum difference between the bounds of a level and those of the whole model, as a fraction of
/// its largest side. A coarse mesh lacks protruding parts.
const MAX_BOUNDS_DIFFERENCE: f32 = 0.25;

/// Lines of the header that contain the counts.
const VERTICES: u64 = 2;
const JOINTS: u64 = 3;
const MATERIALS: u64 = 4;
const CLIPS: u64 = 5;

/// File endings, from the whole model to the coarsest level.
const ENDINGS: [&str; 3] = [".pfobj", ".lod1.pfobj", ".lod2.pfobj"];

/// The existing files of a model and its coarser levels, by number. Empty if there is only one
/// file.
#[derive(Debug, Default)]
pub(super) struct Lods(Vec<(u32, PathBuf)>);

impl Lods {
    /// Finds the levels beside a file, which may itself be any of them.
    pub(super) fn beside(path: &Path) -> Self {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return Self::default();
        };
        // The longer endings are tried first, because each ends with the shortest.
        let stem = ENDINGS
            .iter()
            .rev()
            .find_map(|ending| name.strip_suffix(ending));
        let Some(stem) = stem else {
            return Self::default();
        };
        let files = (0..)
            .zip(ENDINGS)
            .map(|(number, ending)| (number, path.with_file_name(format!("{stem}{ending}"))));
        let there: Vec<_> = files.filter(|(_, file)| file.is_file()).collect();
        if there.iter().any(|(_, file)| file != path) {
            Self(there)
        } else {
            Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the numbers and the paths of the levels.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Path)> {
        self.0
            .iter()
            .map(|(number, path)| (*number, path.as_path()))
    }

    /// Returns the file of a level by its number.
    pub(super) fn path(&self, number: u32) -> Option<PathBuf> {
        let found = self.iter().find(|(of, _)| *of == number);
        found.map(|(_, path)| path.to_owned())
    }

    /// Warns of levels that do not fit the whole model. For the whole model it checks every level;
    /// for a level it checks only that one. For the whole model it also warns of broken levels.
    /// `own` is the file of `pfobj`.
    pub(super) fn check(&self, own: &Path, pfobj: &Pfobj, problems: &mut Problems) {
        if self.is_empty() {
            return;
        }
        let number = self.iter().find(|(_, path)| *path == own);
        let this = Summary::of(pfobj);
        let mut add = |rule, number, place, message| {
            problems.add_about(rule, Subject::Lod(number), place, || message);
        };
        if number.is_none_or(|(number, _)| number != 0) {
            // An unreadable whole model is reported when it is opened itself.
            let whole = self
                .path(0)
                .map(|path| (file_name(&path), read_file(own, &path)));
            if let Some((name, Ok(bytes))) = whole
                && let Ok(whole) = pfobj::summarize(&bytes)
                && let Some((mismatch, at)) = mismatch(&whole, &this)
            {
                let message = format!(
                    "this level of detail does not match the model `{name}`: it has {mismatch}"
                );
                add(&rules::LOD, 0, at.place(pfobj), message);
            }
            return;
        }
        for (number, path) in self.iter().filter(|(_, path)| *path != own) {
            let name = file_name(path);
            let level = read_file(own, path)
                .and_then(|bytes| pfobj::read(&bytes).map_err(|error| error.to_string()));
            let level = match level {
                Ok(level) => level,
                Err(error) => {
                    let message = format!("the level of detail `{name}` cannot be read: {error}");
                    add(&rules::BROKEN_LOD, number, Place::line(1), message);
                    continue;
                }
            };
            let is_error = |problem: &&Problem| problem.severity == Severity::Error;
            let mut errors = level.problems.iter().filter(is_error);
            if let Some(first) = errors.next() {
                let errors = counted(Tally::of(&level.problems).errors, "error");
                let (place, what) = (first.place, &first.message);
                let message = format!(
                    "the level of detail `{name}` has {errors}, the first at {place}: {what}"
                );
                add(&rules::BROKEN_LOD, number, Place::line(1), message);
            } else if let Some((mismatch, at)) = mismatch(&this, &Summary::of(&level)) {
                let message = format!(
                    "the level of detail `{name}` does not match this model: it has {mismatch}"
                );
                add(&rules::LOD, number, at.place(pfobj), message);
            }
        }
    }

    /// Returns the names of the files.
    pub(super) fn names(&self) -> Vec<String> {
        self.iter().map(|(_, path)| file_name(path)).collect()
    }
}

/// Reads a file for comparison, or returns the reason why it is unreadable.
fn read_file(own: &Path, path: &Path) -> Result<crate::Bytes, String> {
    if leads_out(own, path) {
        return Err(LEADS_OUT.to_owned());
    }
    Source::read_up_to(path, MAX_BYTES).map_err(|error| match error {
        OpenError::Read { source, .. } => system_reason(&source, "file"),
        error => error.to_string(),
    })
}

/// The part of a model that does not fit another level of detail.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// The content of this line of the header.
    Head(u64),
    /// The joint, the material or the clip with this index.
    Joint(usize),
    Material(usize),
    Clip(usize),
    /// The bounds of the bind pose along this axis.
    Bounds(usize),
}

impl Part {
    /// Place of the part in a model.
    fn place(self, model: &Pfobj) -> Place {
        Place::line(match self {
            Self::Head(line) => line,
            Self::Joint(index) => model.joints.get(index).map_or(JOINTS, |joint| joint.line),
            Self::Material(index) => model.materials.get(index).map_or(MATERIALS, |it| it.line),
            Self::Clip(index) => model.clips.get(index).map_or(CLIPS, |clip| clip.line),
            Self::Bounds(axis) => bind_bounds_line(model) + axis as u64,
        })
    }
}

/// Describes the differences between a level and the whole model, if any, with the first differing
/// part.
fn mismatch(whole: &Summary, level: &Summary) -> Option<(String, Part)> {
    let mut found = Vec::new();
    let [more, less] = [level, whole].map(|summary| summary.triangles);
    if more > less {
        let more = counted(more, "triangle");
        let text = format!("{more}, more than the {less} of the whole model");
        found.push((text, Part::Head(VERTICES)));
    }
    let named = |joints: &[Joint]| -> Vec<(String, Option<u32>)> {
        let joints = joints
            .iter()
            .map(|joint| (joint.name.clone(), joint.parent));
        joints.collect()
    };
    let joints = [level, whole].map(|summary| named(&summary.joints));
    if let Some((text, at)) = other(joints, "joint", |(name, _)| name) {
        found.push((text, at.map_or(Part::Head(JOINTS), Part::Joint)));
    }
    let materials = [level, whole].map(|summary| summary.materials.clone());
    if let Some((text, at)) = other(materials, "material", |name| name) {
        found.push((text, at.map_or(Part::Head(MATERIALS), Part::Material)));
    }
    let clips = [level, whole].map(|summary| summary.clips.iter());
    let names = clips
        .clone()
        .map(|clips| clips.map(|(name, _)| name.clone()).collect());
    if let Some((text, at)) = other(names, "clip", |name| name) {
        found.push((text, at.map_or(Part::Head(CLIPS), Part::Clip)));
    } else {
        let [of_level, of_whole] = clips;
        let mut both = of_level.zip(of_whole).enumerate();
        if let Some((index, ((name, frames), (_, needed)))) = both.find(|(_, (a, b))| a.1 != b.1) {
            let (name, frames) = (quoted(name.as_bytes()), counted(*frames as usize, "frame"));
            let text = format!("{frames} in clip {name}, expected {needed}");
            found.push((text, Part::Clip(index)));
        }
    }
    if let [Some(of_level), Some(of_whole)] =
        [level, whole].map(|summary| summary.bounds.map(|b| [b.min, b.max]))
    {
        let sides = of_whole[0]
            .iter()
            .zip(&of_whole[1])
            .map(|(min, max)| max - min);
        let size = sides.fold(0.0, f32::max);
        let apart = of_level
            .iter()
            .zip(&of_whole)
            .flat_map(|(a, b)| (0..).zip(a.iter().zip(b)))
            .map(|(axis, (a, b))| (axis, (a - b).abs()));
        let far = |far: (usize, f32), next: (usize, f32)| if next.1 > far.1 { next } else { far };
        let (axis, apart) = apart.fold((0, 0.0), far);
        if apart > size * MAX_BOUNDS_DIFFERENCE {
            let apart = short(apart);
            let text = format!("bounds that differ by {apart} from those of the whole model");
            found.push((text, Part::Bounds(axis)));
        }
    }
    let (_, at) = *found.first()?;
    let found: Vec<String> = found.into_iter().map(|(what, _)| what).collect();
    Some((found.join("; "), at))
}

/// Describes the difference between a list of a level and that of the whole model, if any. The
/// index of the differing entry is included if both have the same length.
fn other<T: PartialEq>(
    [of_level, of_whole]: [Vec<T>; 2],
    noun: &str,
    name: impl Fn(&T) -> &String,
) -> Option<(String, Option<usize>)> {
    if of_level.len() != of_whole.len() {
        let text = other_count(of_level.len(), of_whole.len(), noun);
        return Some((text, None));
    }
    let odd = of_level.iter().zip(&of_whole).position(|(a, b)| a != b)?;
    let name = quoted(name(&of_level[odd]).as_bytes());
    Some((format!("a different {noun} {name}"), Some(odd)))
}

fn other_count(of_level: usize, of_whole: usize, noun: &str) -> String {
    format!("{}, expected {of_whole}", counted(of_level, noun))
}

/// Display name of a level.
pub(super) fn title(number: u32) -> String {
    match number {
        0 => "Whole model".to_owned(),
        number => format!("Level {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A modification of a level.
    type Change = fn(&mut Pfobj);

    #[test]
    fn levels_that_do_not_fit_are_said_at_the_model_and_at_the_level() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (whole, coarse) = (path("oak.pfobj"), path("oak.lod1.pfobj"));
        let model = mapscope_testdata::tiny_model();
        std::fs::write(&whole, pfobj::write(&model)).unwrap();
        let said = |level: &Pfobj| {
            std::fs::write(&coarse, pfobj::write(level)).unwrap();
            let both = [&whole, &coarse].map(|own| {
                let bytes = std::fs::read(own).unwrap();
                let pfobj = pfobj::read(&bytes).unwrap();
                let mut problems = Problems::new();
                Lods::beside(own).check(own, &pfobj, &mut problems);
                problems.finish()
            });
            let [at_whole, at_level] = &both;
            assert_eq!(at_whole.len(), at_level.len());
            for (at_whole, at_level) in at_whole.iter().zip(at_level) {
                assert_eq!(
                    (at_whole.subject, at_level.subject),
                    (Subject::Lod(1), Subject::Lod(0))
                );
                assert!(at_whole.facts().contains("oak.lod1.pfobj"));
                assert!(at_level.facts().contains(" oak.pfobj"));
            }
            let places = both.each_ref().map(|said| said.iter().map(|it| it.place));
            let [at_whole, at_level] = places.map(Iterator::collect::<Vec<_>>);
            assert_eq!(at_whole, at_level);
            let said = both[0].iter().map(Problem::facts);
            said.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(said(&model), "");
        let changed = |change: fn(&mut Pfobj)| {
            let mut level = model.clone();
            change(&mut level);
            said(&level)
        };
        let cases: [(Change, u64, &str); 8] = [
            (
                |level| level.materials[1].name = "bark".to_owned(),
                43,
                " bark ",
            ),
            (
                |level| {
                    let (clip, of_frame) = (&mut level.clips[0], level.joints.len());
                    clip.frame_count -= 1;
                    _ = clip.bounds.pop();
                    clip.poses.truncate(clip.frame_count as usize * of_frame);
                },
                51,
                " 2 3 ",
            ),
            (|level| level.joints[1].name = "leg".to_owned(), 49, " leg "),
            (|level| _ = level.clips.pop(), 5, " 1 2 "),
            (|level| level.clips[0].name = "Fly".to_owned(), 51, " Fly "),
            (|level| level.materials.extend_from_within(..1), 4, " 2 3 "),
            (|level| level.vertices.extend_from_within(..3), 2, " 2 3 "),
            (
                |level| level.bounds.as_mut().unwrap().max[1] += 50.0,
                84,
                " 50 ",
            ),
        ];
        for (change, line, word) in cases {
            let said = changed(change);
            assert!(
                said.starts_with(&format!("{line}:1: ")) && said.contains(word),
                "{said}"
            );
        }
        // Fewer triangles are the purpose of a level.
        assert_eq!(changed(|level| level.vertices.truncate(3)), "");
        std::fs::write(&coarse, "version 1.0\nnum_verts 0\n").unwrap();
        let mut problems = Problems::new();
        Lods::beside(&whole).check(&whole, &model, &mut problems);
        assert!(problems.finish()[0].facts().contains("pfobj/broken-lod"));
        // A file that was deleted in the meantime is not fatal.
        let lods = Lods::beside(&whole);
        std::fs::remove_file(&coarse).unwrap();
        let mut problems = Problems::new();
        lods.check(&whole, &model, &mut problems);
        assert_eq!(problems.finish().len(), 1);
    }

    #[test]
    fn a_broken_level_is_one_problem_of_the_whole_model() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (whole, coarse) = (path("oak.pfobj"), path("oak.lod1.pfobj"));
        let model = mapscope_testdata::tiny_model();
        let text = String::from_utf8(pfobj::write(&model)).unwrap();
        std::fs::write(&whole, &text).unwrap();
        for (broken, expected) in [
            (
                text.replacen("v 4", "v 4x", 2),
                &["13", "2", "4x.000000", "oak.lod1.pfobj"][..],
            ),
            (text.trim_end().to_owned(), &["1", "28", "85"]),
            (
                text.replace("num_materials ", "num_material  "),
                &["1", "4", "num_material"],
            ),
        ] {
            std::fs::write(&coarse, &broken).unwrap();
            let mut problems = Problems::new();
            Lods::beside(&whole).check(&whole, &model, &mut problems);
            let problems = problems.finish();
            let [problem] = &problems[..] else {
                panic!("{problems:?}");
            };
            let facts = problem.facts();
            let has = |word: &&str| facts.split(' ').any(|it| it == *word);
            assert!(expected.iter().all(has), "{facts}");
            assert_eq!(problem.rule, &rules::BROKEN_LOD);
            assert_eq!(problem.subject, Subject::Lod(1));
            // The level reports its own error.
            let level = pfobj::read(broken.as_bytes()).unwrap();
            let mut problems = Problems::new();
            Lods::beside(&coarse).check(&coarse, &level, &mut problems);
            assert_eq!(problems.finish(), []);
        }
    }

    #[test]
    fn levels_are_found_from_each_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["oak.pfobj", "oak.lod2.pfobj", "oak.lod3.pfobj", "elm.pfobj"] {
            std::fs::write(path(name), "").unwrap();
        }
        let oak = ["oak.pfobj", "oak.lod2.pfobj"];
        for from in oak {
            let lods = Lods::beside(&path(from));
            assert_eq!(lods.names(), oak);
            assert_eq!(lods.path(2), Some(path("oak.lod2.pfobj")));
            assert_eq!(lods.path(1), None);
        }
        for alone in ["elm.pfobj", "oak.lod3.pfobj", "notes.txt"] {
            assert!(Lods::beside(&path(alone)).is_empty(), "{alone}");
        }
    }
}
