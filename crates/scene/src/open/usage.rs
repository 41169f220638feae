//! Which files of a game others name, and which none does.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use image::ImageFormat;

use super::{has_ending, rules};
use mapscope_formats::{Format, Place, Problem, Subject, ika, pfobj};

/// Formats whose files are used by other files. Maps, scenes and levels are loaded by the game itself.
const FORMATS: [&Format; 2] = [&pfobj::FORMAT, &ika::vsp::FORMAT];
/// The file extension of textures of PMF levels.
const PTF: &str = "ptf";

/// Whether a file of this name is an asset that other files use: a model, a tileset or an image.
pub fn is_for_others(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let is_image = |ending: &str| {
        ending.eq_ignore_ascii_case(PTF)
            || ImageFormat::from_extension(ending).is_some_and(|it| it.reading_enabled())
    };
    ending.is_some_and(is_image) || FORMATS.iter().any(|format| has_ending(path, format))
}

/// The files that some documents name.
#[derive(Debug, Default)]
pub struct Usage {
    /// Without links.
    named: HashSet<PathBuf>,
}

impl Usage {
    /// Adds the files of a document: its [dependencies](crate::About::dependencies).
    pub fn add(&mut self, files: impl IntoIterator<Item = impl AsRef<Path>>) {
        let real = files
            .into_iter()
            .filter_map(|file| file.as_ref().canonicalize().ok());
        self.named.extend(real);
    }

    /// The note that none of the documents names a file, if none does.
    pub fn unused(&self, path: &Path) -> Option<Problem> {
        let real = path.canonicalize().ok()?;
        (!self.named.contains(&real)).then(|| {
            let message = "no map, scene or model that was checked names this file; \
                           the game's own code may";
            Problem::new(&rules::UNUSED_FILE, Subject::File, Place::line(1), message)
        })
    }
}
