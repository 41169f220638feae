//! Documents as files of other programs: glTF for what is drawn in space, Tiled maps for layers of
//! tiles, images and tables.
//!
//! Each module lists what it can make of a document, as [`Target`]s. What a target makes is one
//! file, the one that was asked for, and perhaps others beside it, such as the image of a tileset.
//! Nothing here needs a graphics adapter.

pub mod archive;
pub mod convert;
mod gltf;
mod image;
mod table;
mod tiled;

pub use table::cell_lines;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use mapscope_scene::Document;
use mapscope_scene::saving::{FileKind, SaveError};

/// Makes a file of a document; the text is the name of the file without its ending.
type Make = fn(&dyn Document, &str) -> Result<Export, ExportError>;

/// Something that a document can become.
#[derive(Clone, Copy)]
pub struct Target {
    /// The kind of the file, by whose ending it is chosen.
    pub kind: FileKind,
    what: fn(&dyn Document) -> &'static str,
    make: Make,
    /// The same with left and right swapped; none of what has no choice of it.
    mirrored: Option<Make>,
}

/// What a document has become.
#[derive(Debug, Default)]
pub struct Export {
    /// The file that was asked for.
    pub file: Vec<u8>,
    /// Files beside it, which it names.
    pub beside: Vec<BesideFile>,
    /// What people must know of the file, a sentence each: what its kind has no way to say, and which
    /// way round a model is.
    pub losses: Vec<String>,
}

/// A file beside the one that was asked for.
#[derive(Debug)]
pub struct BesideFile {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: FileKind,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Export {
    /// Where the files beside one at a path go. One that is there and differs is replaced if the file at
    /// the path names it, so that it is from an export before, or if `replace_any`; none of the files in
    /// `read` ever is.
    ///
    /// # Errors
    /// With its path, when one may not be written.
    pub fn places(
        &self,
        path: &Path,
        read: &[PathBuf],
        replace_any: bool,
    ) -> Result<Vec<(PathBuf, &BesideFile)>, (PathBuf, SaveError)> {
        let before = if self.beside.is_empty() {
            Vec::new()
        } else {
            fs::read(path).unwrap_or_default()
        };
        let before = String::from_utf8_lossy(&before);
        let places = self.beside.iter().map(|file| {
            let place = path.with_file_name(&file.name);
            let is_ours = before.contains(&*file.name);
            let is_same = || fs::read(&place).is_ok_and(|there| there == file.bytes);
            let checked = file.kind.check_target(&place, read, replace_any);
            let checked = checked.and_then(|()| {
                if replace_any || is_ours || !place.is_file() || is_same() {
                    Ok(())
                } else {
                    Err(SaveError::NotOurs)
                }
            });
            match checked {
                Ok(()) => Ok((place, file)),
                Err(error) => Err((place, error)),
            }
        });
        places.collect()
    }
}

/// Why a document does not become a file.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// It is more than such a file can have.
    #[error("{what} would take {bytes} bytes, and {kind} files have at most {max}")]
    TooLarge {
        /// What does not fit.
        what: &'static str,
        /// How much there is of it.
        bytes: u64,
        /// The name of the kind of file.
        kind: &'static str,
        /// How much may be there.
        max: u64,
    },
    /// It is an image with more pixels than one can have.
    #[error("the image would be {width} x {height} pixels, more than PNG files are written with")]
    ImageTooLarge {
        /// Pixels across.
        width: u64,
        /// Pixels down.
        height: u64,
    },
}

impl Target {
    /// What of the document is in it, in a few words: `the mesh with its skeleton and clips`.
    pub fn what(&self, document: &dyn Document) -> &'static str {
        (self.what)(document)
    }

    /// Makes the file. `stem` is its name without the ending, by which files beside it are named.
    ///
    /// # Errors
    /// When the document is more than such a file can have.
    pub fn make(&self, document: &dyn Document, stem: &str) -> Result<Export, ExportError> {
        (self.make)(document, stem)
    }

    /// The same target with left and right swapped; none unless the document is a model alone, which
    /// keeps its own axes otherwise.
    pub fn mirrored(self) -> Option<Self> {
        let make = self.mirrored?;
        Some(Self {
            make,
            mirrored: None,
            ..self
        })
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// What a document can become, the best first. It costs nothing to ask, in each frame if need be.
pub fn targets(document: &dyn Document) -> Vec<Target> {
    let of_modules = [
        gltf::targets(document),
        tiled::targets(document),
        image::targets(document),
        table::targets(document),
    ];
    of_modules.concat()
}

/// The target that a file name's ending stands for, without the dot, in upper or lower case.
pub fn target_of<'a>(targets: &'a [Target], ending: Option<&OsStr>) -> Option<&'a Target> {
    let ending = ending?.to_str()?;
    targets
        .iter()
        .find(|target| target.kind.ending.eq_ignore_ascii_case(ending))
}

/// The endings of targets as a sentence has them: `.glb, .gltf or .csv`.
pub fn endings(targets: &[Target]) -> String {
    let endings = targets
        .iter()
        .map(|target| format!(".{}", target.kind.ending));
    let endings: Vec<_> = endings.collect();
    match endings.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("{} or {last}", others.join(", "))
        }
        _ => endings.concat(),
    }
}

/// A PNG of RGBA bytes from the top left.
fn png_of([width, height]: [u32; 2], rgba: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(rgba));
    debug_assert!(written.is_ok(), "an image has the bytes that its size says");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(ending: &'static str) -> Target {
        Target {
            kind: FileKind::new("made up", ending, b"M"),
            what: |_| "nothing",
            make: |_, _| Ok(Export::default()),
            mirrored: None,
        }
    }

    #[test]
    fn a_target_is_found_by_its_ending_and_endings_are_listed_as_a_sentence_has_them() {
        let targets = ["tmx", "tmj", "csv"].map(target);
        assert_eq!(endings(&targets), ".tmx, .tmj or .csv");
        assert_eq!(endings(&targets[..2]), ".tmx or .tmj");
        assert_eq!(endings(&targets[..1]), ".tmx");
        assert_eq!(endings(&[]), "");
        let found = |ending: &str| {
            target_of(&targets, Some(OsStr::new(ending))).map(|target| target.kind.ending)
        };
        assert_eq!(found("TMJ"), Some("tmj"));
        assert_eq!(found("json"), None);
        assert!(target_of(&targets, None).is_none());
    }
}
