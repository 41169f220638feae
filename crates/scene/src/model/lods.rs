//! Levels of detail: coarser models in files of their own beside a model, `<stem>.lod1.pfobj` and
//! `<stem>.lod2.pfobj`, which the engine draws farther away (fact sheet B6).

use std::path::{Path, PathBuf};

use crate::numbers::short;
use crate::outline::file_name;
use crate::{Source, rules};
use mapscope_formats::pfobj::{self, Pfobj, Summary};
use mapscope_formats::{Place, Problems, Subject, counted, quoted};

/// Bytes of a file that is read to compare it.
const MAX_BYTES: u64 = 64 << 20;
/// How far the bounds of a level may be from those of the whole model, as a part of its largest side: a
/// coarse mesh lacks what stands out.
const MAX_APART: f32 = 0.25;

/// The endings of the files, from the whole model to the coarsest.
const ENDINGS: [&str; 3] = [".pfobj", ".lod1.pfobj", ".lod2.pfobj"];

/// The files of a model and its coarser levels that are there, by their numbers; none of one that
/// has no others.
#[derive(Debug, Default)]
pub(super) struct Lods(Vec<(u32, PathBuf)>);

impl Lods {
    /// Those beside a file, which may be any of them.
    pub(super) fn beside(path: &Path) -> Self {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return Self::default();
        };
        // The longer endings first: each ends with the first one.
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

    /// The numbers and the paths of the levels.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Path)> {
        self.0
            .iter()
            .map(|(number, path)| (*number, path.as_path()))
    }

    /// The file of a level by its number.
    pub(super) fn path(&self, number: u32) -> Option<PathBuf> {
        let found = self.iter().find(|(of, _)| *of == number);
        found.map(|(_, path)| path.to_owned())
    }

    /// Warns of levels that do not fit the whole model: of each at the whole model, and at a level of
    /// itself. `own` is the file of `pfobj`.
    pub(super) fn check(&self, own: &Path, pfobj: &Pfobj, problems: &mut Problems) {
        if self.is_empty() {
            return;
        }
        let number = self.iter().find(|(_, path)| *path == own);
        let is_whole = number.is_some_and(|(number, _)| number == 0);
        let this = Summary::of(pfobj);
        for (number, path) in self.iter().filter(|(_, path)| *path != own) {
            if !is_whole && number != 0 {
                continue;
            }
            let other = Source::read_up_to(path, MAX_BYTES).map_err(|error| error.to_string());
            let other = other.and_then(|bytes| {
                pfobj::summarize(&bytes).map_err(|error| format!("{}: {error}", file_name(path)))
            });
            let name = file_name(path);
            let (fault, line) = match &other {
                Err(error) if is_whole => {
                    (format!("the level of detail cannot be read: {error}"), 1)
                }
                // It is said where the whole model is opened.
                Err(_) => continue,
                Ok(other) if is_whole => match misfit(&this, other) {
                    Some((misfit, line)) => (
                        format!(
                            "the level of detail `{name}` does not fit this model: it has {misfit}"
                        ),
                        line,
                    ),
                    None => continue,
                },
                Ok(other) => match misfit(other, &this) {
                    Some((misfit, line)) => (
                        format!(
                            "this level of detail does not fit the model `{name}`: it has {misfit}"
                        ),
                        line,
                    ),
                    None => continue,
                },
            };
            let (subject, place) = (Subject::Lod(number), Place::line(line));
            problems.add_about(&rules::LOD, subject, place, || fault);
        }
    }

    /// The names of the files.
    pub(super) fn names(&self) -> Vec<String> {
        self.iter().map(|(_, path)| file_name(path)).collect()
    }
}

/// What of a level is not as it is in the whole model, if anything, and the line of the head of both
/// that is about the first of it.
fn misfit(whole: &Summary, level: &Summary) -> Option<(String, u64)> {
    let mut found = Vec::new();
    let joints = |summary: &Summary| -> Vec<(String, Option<u32>)> {
        let joints = summary.joints.iter();
        joints
            .map(|joint| (joint.name.clone(), joint.parent))
            .collect()
    };
    let other = |of_level: usize, of_whole: usize, noun: &str, odd: Option<&String>| {
        if of_level == of_whole {
            let odd = odd.map_or_else(String::new, |name| quoted(name.as_bytes()));
            format!("another {noun} {odd}")
        } else {
            format!("{}, but {of_whole} are needed", counted(of_level, noun))
        }
    };
    let [more, less] = [level, whole].map(|summary| summary.triangles);
    if more > less {
        let more = counted(more, "triangle");
        found.push((
            format!("{more}, more than the {less} of the whole model"),
            2,
        ));
    }
    let [of_level, of_whole] = [level, whole].map(joints);
    if of_level != of_whole {
        let odd = of_level.iter().zip(&of_whole).find(|(a, b)| a != b);
        let odd = odd.map(|((name, _), _)| name);
        let joints = other(of_level.len(), of_whole.len(), "joint", odd);
        found.push((joints, 3));
    }
    let materials = [level, whole].map(|summary| summary.materials);
    if materials[0] != materials[1] {
        found.push((other(materials[0], materials[1], "material", None), 4));
    }
    let [of_level, of_whole] = [level, whole].map(|summary| &summary.clips);
    if of_level != of_whole {
        let odd = of_level.iter().zip(of_whole).find(|(a, b)| a != b);
        let odd = odd.map(|((name, _), _)| name);
        found.push((other(of_level.len(), of_whole.len(), "clip", odd), 5));
    }
    if let [Some(of_level), Some(of_whole)] =
        [level, whole].map(|summary| summary.bounds.map(|b| [b.min, b.max]))
    {
        let sides = of_whole[0]
            .iter()
            .zip(&of_whole[1])
            .map(|(min, max)| max - min);
        let size = sides.fold(0.0, f32::max);
        let apart = of_level.iter().flatten().zip(of_whole.iter().flatten());
        let apart = apart.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        if apart > size * MAX_APART {
            let apart = short(apart);
            found.push((
                format!("bounds that are {apart} away from those of the whole model"),
                1,
            ));
        }
    }
    let (_, line) = *found.first()?;
    let found: Vec<String> = found.into_iter().map(|(what, _)| what).collect();
    Some((found.join("; "), line))
}

/// What a level is called.
pub(super) fn title(number: u32) -> String {
    match number {
        0 => "Whole model".to_owned(),
        number => format!("Level {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is changed of a level.
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
                assert_eq!(at_whole.place, at_level.place);
                assert!(
                    at_whole
                        .message
                        .contains("`oak.lod1.pfobj` does not fit this model")
                );
                assert!(
                    at_level
                        .message
                        .contains("does not fit the model `oak.pfobj`")
                );
            }
            at_whole
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(said(&model), "");
        let changed = |change: fn(&mut Pfobj)| {
            let mut level = model.clone();
            change(&mut level);
            said(&level)
        };
        let cases: [(Change, u64, &str); 6] = [
            (
                |level| level.joints[1].name = "leg".to_owned(),
                3,
                "another joint `leg`",
            ),
            (|level| _ = level.clips.pop(), 5, "clip, but 2 are needed"),
            (
                |level| level.clips[0].name = "Fly".to_owned(),
                5,
                "another clip `Fly`",
            ),
            (
                |level| _ = level.materials.pop(),
                4,
                "1 material, but 2 are needed",
            ),
            (
                |level| level.vertices.extend_from_within(..3),
                2,
                "3 triangles, more than the 2",
            ),
            (
                |level| level.bounds.as_mut().unwrap().max[1] += 50.0,
                1,
                "bounds that are 50 away",
            ),
        ];
        for (change, line, word) in cases {
            let said = changed(change);
            assert!(
                said.starts_with(&format!("{line}:1: ")) && said.contains(word),
                "{said}"
            );
        }
        // Fewer triangles are what it is for.
        assert_eq!(changed(|level| level.vertices.truncate(3)), "");
        std::fs::write(&coarse, "version 1.0\nnum_verts 0\n").unwrap();
        let mut problems = Problems::new();
        Lods::beside(&whole).check(&whole, &model, &mut problems);
        assert!(
            problems.finish()[0]
                .message
                .contains("cannot be read: oak.lod1.pfobj: ")
        );
        // A file that is gone by now is no reason to stop.
        let lods = Lods::beside(&whole);
        std::fs::remove_file(&coarse).unwrap();
        let mut problems = Problems::new();
        lods.check(&whole, &model, &mut problems);
        assert_eq!(problems.finish().len(), 1);
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
