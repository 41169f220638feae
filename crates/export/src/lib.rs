//! Exports documents to formats of other programs: glTF for 3D content, Tiled maps for tile layers,
//! images and tables.
//!
//! Each module lists the [`Target`]s that it offers for a document. A target creates the requested
//! file and possibly companion files, such as the image of a tileset. Nothing here needs a graphics
//! adapter.

pub mod archive;
pub mod convert;
mod gltf;
mod image;
mod table;
mod tiled;

pub use image::uv_layout;
pub use table::{cell_lines, csv_of};

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use mapscope_scene::Document;
use mapscope_scene::saving::{FileKind, SaveError};

/// Creates the file for a document. The text is the file name without extension.
type Make = fn(&dyn Document, &str) -> Result<Export, ExportError>;

/// An export target of a document.
#[derive(Clone, Copy)]
pub struct Target {
    /// The kind of file, which is chosen by its extension.
    pub kind: FileKind,
    what: fn(&dyn Document) -> &'static str,
    make: Make,
    /// The mirrored variant, with left and right swapped, if the target offers it.
    mirrored: Option<Make>,
}

/// The result of an export.
#[derive(Debug, Default)]
pub struct Export {
    /// The requested file.
    pub file: Vec<u8>,
    /// Companion files that it references.
    pub beside: Vec<CompanionFile>,
    /// Sentences for the user about the file: what its format cannot represent, and the orientation
    /// of a model.
    pub losses: Vec<String>,
}

/// A companion of the requested file.
#[derive(Debug)]
pub struct CompanionFile {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: FileKind,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Export {
    /// Paths of the companions of a file at `path`. A different existing file is replaced if the
    /// file at `path` references it, and thus comes from a previous export, or if `replace_any`.
    /// Files in `read` are never replaced.
    ///
    /// # Errors
    /// If one may not be written, with its path.
    pub fn places(
        &self,
        path: &Path,
        read: &[PathBuf],
        replace_any: bool,
    ) -> Result<Vec<(PathBuf, &CompanionFile)>, (PathBuf, SaveError)> {
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

/// The reason why an export fails.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The content exceeds the limit of the format.
    #[error("{what} would take {bytes} bytes; {kind} files can have at most {max}")]
    TooLarge {
        /// The content that does not fit.
        what: &'static str,
        /// Its size in bytes.
        bytes: u64,
        /// The name of the kind of file.
        kind: &'static str,
        /// The maximum size in bytes.
        max: u64,
    },
    /// The image has too many pixels.
    #[error("the image would be {width} x {height} pixels, which is too large for a PNG file")]
    ImageTooLarge {
        /// Width in pixels.
        width: u64,
        /// Height in pixels.
        height: u64,
    },
}

impl Target {
    /// A short description of the exported content: `the mesh with its skeleton and clips`.
    pub fn what(&self, document: &dyn Document) -> &'static str {
        (self.what)(document)
    }

    /// Creates the file. `stem` is its name without extension and is used to name companion files.
    ///
    /// # Errors
    /// If the document exceeds the limits of the format.
    pub fn make(&self, document: &dyn Document, stem: &str) -> Result<Export, ExportError> {
        (self.make)(document, stem)
    }

    /// The mirrored variant of this target, with left and right swapped. Only exports of a single
    /// model have one; without it, the model keeps its own axes.
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

/// The targets of a document, the best first. This is cheap enough for every frame.
pub fn targets(document: &dyn Document) -> Vec<Target> {
    let of_modules = [
        gltf::targets(document),
        tiled::targets(document),
        image::targets(document),
        table::targets(document),
    ];
    of_modules.concat()
}

/// The target with this file extension, given without the dot and in any case.
pub fn target_of<'a>(targets: &'a [Target], ending: Option<&OsStr>) -> Option<&'a Target> {
    let ending = ending?.to_str()?;
    targets
        .iter()
        .find(|target| target.kind.ending.eq_ignore_ascii_case(ending))
}

/// The extensions of targets for use in a sentence: `.glb, .gltf or .csv`.
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

/// `true` if a document has layers of cells, unlike one that is a single picture.
fn has_cells(document: &dyn Document) -> bool {
    let layers = document.layers();
    layers.is_some_and(|layers| layers.tile_count() != Some([1; 2]) || !layers.layers().is_empty())
}

/// Encodes RGBA bytes from the top left as a PNG.
fn png_of(size: [u32; 2], rgba: &[u8]) -> Vec<u8> {
    png_with_channels(size, 4, rgba)
}

/// Encodes pixels of one to four channels from the top left as a PNG.
fn png_with_channels([width, height]: [u32; 2], channels: u8, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(match channels {
        1 => png::ColorType::Grayscale,
        2 => png::ColorType::GrayscaleAlpha,
        3 => png::ColorType::Rgb,
        _ => png::ColorType::Rgba,
    });
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(pixels));
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
