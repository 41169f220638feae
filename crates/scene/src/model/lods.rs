//! Levels of detail: coarser models in files of their own beside a model, `<stem>.lod1.pfobj` and
//! `<stem>.lod2.pfobj`, which the engine draws farther away (fact sheet B6).

use std::path::{Path, PathBuf};

use crate::outline::file_name;

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

    /// The names of the files.
    pub(super) fn names(&self) -> Vec<String> {
        self.iter().map(|(_, path)| file_name(path)).collect()
    }
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
