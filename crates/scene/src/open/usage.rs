//! Which files of a game others name, and which none does.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use image::ImageFormat;

use super::has_ending;
use crate::core::rules;
use mapscope_formats::{Format, Problem, ika, pfobj};

/// Formats whose files are used by other files. Maps, scenes and levels are loaded by the game itself.
const FORMATS: [&Format; 2] = [&pfobj::FORMAT, &ika::vsp::FORMAT];
/// The file extension of textures of PMF levels.
const PTF: &str = "ptf";

/// Whether a file of this name is an asset that other files use: a model, a tileset or an image.
pub fn is_for_others(path: &Path) -> bool {
    is_image(path) || FORMATS.iter().any(|format| has_ending(path, format))
}

fn is_image(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| {
        ending.eq_ignore_ascii_case(PTF)
            || ImageFormat::from_extension(ending).is_some_and(|it| it.reading_enabled())
    })
}

/// The files that some documents name.
#[derive(Debug, Default)]
pub struct Usage {
    /// Without links.
    named: HashSet<PathBuf>,
    /// Folders of models that are missing, without links: such a model would use the textures beside it.
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

    /// The note that none of the documents names a file, if none does.
    pub fn unused(&self, path: &Path) -> Option<Problem> {
        let real = path.canonicalize().ok()?;
        let is_of_missing = || {
            let folder = real.parent();
            is_image(&real) && folder.is_some_and(|it| self.of_missing_models.contains(it))
        };
        let is_used = self.named.contains(&real) || is_of_missing();
        (!is_used).then(|| {
            let message = "no map, scene or model that was checked names this file; \
                           the game's own code may";
            rules::of_file(&rules::UNUSED_FILE, message)
        })
    }
}
