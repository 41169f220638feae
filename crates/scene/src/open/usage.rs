//! Detects game files that no other file names.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use image::ImageFormat;

use super::has_ending;
use crate::core::rules;
use mapscope_formats::{Format, Problem, ika, pfobj};

/// Formats whose files are used by other files. The game itself loads maps, scenes and levels.
const FORMATS: [&Format; 2] = [&pfobj::FORMAT, &ika::vsp::FORMAT];
/// The file extension of textures of PMF levels.
const PTF: &str = "ptf";

/// `true` if the file name is that of an asset for other files: a model, a tileset or an image.
pub fn is_shared_asset(path: &Path) -> bool {
    is_image(path) || FORMATS.iter().any(|format| has_ending(path, format))
}

fn is_image(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| {
        ending.eq_ignore_ascii_case(PTF)
            || ImageFormat::from_extension(ending).is_some_and(|it| it.reading_enabled())
    })
}

/// The files that a set of documents names.
#[derive(Debug, Default)]
pub struct Usage {
    /// Canonical paths.
    named: HashSet<PathBuf>,
    /// Canonical folders of missing models: such a model would use the textures beside it.
    of_missing_models: HashSet<PathBuf>,
}

impl Usage {
    /// Adds the files of a document: its [dependencies](crate::About::dependencies).
    pub fn add(&mut self, files: impl IntoIterator<Item = impl AsRef<Path>>) {
        for file in files {
            let file = file.as_ref();
            if let Ok(real) = file.canonicalize() {
                self.named.insert(real);
            } else if has_ending(file, &pfobj::FORMAT) {
                let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
                self.of_missing_models.extend(folder);
            }
        }
    }

    /// The note that no document names a file, if that is so.
    pub fn unused(&self, path: &Path) -> Option<Problem> {
        let real = path.canonicalize().ok()?;
        let is_of_missing = || {
            let folder = real.parent();
            is_image(&real) && folder.is_some_and(|it| self.of_missing_models.contains(it))
        };
        let is_used = self.named.contains(&real) || is_of_missing();
        (!is_used).then(|| {
            let message = "not used by any checked map, scene or model; the game's own code may \
                           use it";
            rules::of_file(&rules::UNUSED_FILE, message)
        })
    }
}
