//! Pictures that a file names as its textures: found as the engine finds them, and decoded.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use image::error::{LimitError, LimitErrorKind};
use image::{DynamicImage, ImageDecoder as _, ImageError, ImageReader, Limits, RgbaImage};

use super::assets::{AssetError, AssetRoots};
use super::rules::{self, Fault};
use super::{OpenOptions, Source};
use super::{Property, Swatch};

/// Where the engine keeps the textures of maps, below its asset root.
const MAP_TEXTURES: &str = "assets/map_textures";
/// How far up from a file its asset root is looked for.
const MOST_ANCESTORS: usize = 12;
/// The largest side of a picture that is read.
const MOST_PIXELS_A_SIDE: u32 = 8192;
/// What a byte of a picture file can stand for at most, in bytes of pixels: deflate packs 1032 into
/// one, and a PNG has up to eight pixels in each of those.
const MOST_PER_BYTE: u64 = 8 * 1032;
/// Pixels along a side of a thumbnail.
pub const THUMBNAIL_SIDE: u32 = 48;
/// Pixels along a side of a placeholder.
const PLACEHOLDER_SIDE: u32 = 256;

/// Which folder of the engine a file's textures are looked for in first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// The textures of maps, below the asset root.
    MapTextures,
    /// The file's own folder.
    Beside,
}

/// The folders in which a file's textures are looked for: its asset root's map textures and its
/// own folder, and last those that the user named.
pub(super) fn roots(path: &Path, first: First, options: &OpenOptions) -> AssetRoots {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let beside = absolute.parent().map(Path::to_owned);
    let asset_root = absolute
        .ancestors()
        .skip(1)
        .take(MOST_ANCESTORS)
        .map(|folder| folder.join(MAP_TEXTURES))
        .find(|folder| folder.is_dir());
    let named = options
        .texture_folders
        .iter()
        .flat_map(|folder| [folder.join(MAP_TEXTURES), folder.clone()])
        .filter(|folder| folder.is_dir());
    let engine = match first {
        First::MapTextures => [asset_root, beside],
        First::Beside => [beside, asset_root],
    };
    AssetRoots::new(engine.into_iter().flatten().chain(named))
}

/// What is known of a picture that a file names.
#[derive(Debug)]
pub struct PictureFile {
    /// The file; none where it was not found, or is built in.
    pub path: Option<PathBuf>,
    /// Whether it was found and could be read.
    pub found: bool,
    /// Size of the file's picture, in pixels.
    pub size: Option<[u32; 2]>,
    /// A small RGBA picture of it, [`THUMBNAIL_SIDE`] pixels wide and high.
    pub thumbnail: Vec<u8>,
}

impl PictureFile {
    /// Where it is and how large, for the inspector.
    pub(super) fn properties(&self) -> [Property; 2] {
        let file = match (&self.path, self.found) {
            (Some(path), _) => path.display().to_string(),
            (None, true) => "built in".to_owned(),
            (None, false) => "not found; a placeholder is shown".to_owned(),
        };
        let size = self.size.map_or_else(
            || "unknown".to_owned(),
            |[w, h]| format!("{w} x {h} pixels"),
        );
        [Property::new("File", file), Property::new("Picture", size)]
    }

    /// The thumbnail as [`Document::thumbnail`](super::Document::thumbnail) has it.
    pub(super) fn thumbnail(&self) -> (u32, u32, &[u8]) {
        (THUMBNAIL_SIDE, THUMBNAIL_SIDE, &self.thumbnail)
    }
}

/// The property that names something with a picture.
pub(super) fn named(name: &'static str, value: impl Into<String>, thumbnail: usize) -> Property {
    Property {
        swatch: Some(Swatch::Thumbnail(thumbnail)),
        ..Property::new(name, value)
    }
}

/// What came of looking for one picture.
pub(super) struct Loaded {
    pub(super) file: PictureFile,
    /// The picture, or a placeholder.
    pub(super) image: RgbaImage,
    /// Why it is a placeholder.
    pub(super) problem: Option<Fault>,
    /// Files that were found, or looked for.
    pub(super) looked_for: Vec<PathBuf>,
}

/// Finds and decodes a picture by its name. The seed makes placeholders differ.
pub(super) fn load(name: &str, seed: u64, source: &Source, roots: &AssetRoots) -> Loaded {
    let embedded = source.embedded.iter().find(|(n, _)| *n == name);
    let mut path = None;
    let mut looked_for = Vec::new();
    let bytes = match embedded {
        Some((_, bytes)) => Ok(bytes.to_vec()),
        None => match roots.find(name) {
            Ok(found) => {
                let bytes = std::fs::read(&found).map_err(|e| {
                    let message = format!("texture `{name}`: {}: {e}", found.display());
                    (&rules::UNREADABLE_TEXTURE, message)
                });
                looked_for.push(found.clone());
                path = Some(found);
                bytes
            }
            Err(error) => {
                if let AssetError::Missing { looked_in, .. } = &error {
                    looked_for.extend(looked_in.iter().map(|folder| folder.join(name)));
                }
                let message = format!("texture {error}{}", other_case(name, roots));
                Err((error.rule(), message))
            }
        },
    };
    let decoded = bytes.and_then(|bytes| {
        let unreadable = |reason: String| {
            let message = format!("texture `{name}` cannot be read: {reason}");
            (&rules::UNREADABLE_TEXTURE, message)
        };
        let image = decode(&bytes).map_err(|e| unreadable(e.to_string()))?;
        match image.dimensions() {
            (0, _) | (_, 0) => Err(unreadable("it has no pixels".to_owned())),
            _ => Ok(image),
        }
    });
    let (image, size, problem) = match decoded {
        Ok(image) => {
            let size = [image.width(), image.height()];
            (image, Some(size), None)
        }
        Err(message) => (placeholder(seed as u32), None, Some(message)),
    };
    let thumbnail = image::imageops::thumbnail(&image, THUMBNAIL_SIDE, THUMBNAIL_SIDE);
    Loaded {
        file: PictureFile {
            path,
            found: problem.is_none(),
            size,
            thumbnail: thumbnail.into_raw(),
        },
        image,
        problem,
        looked_for,
    }
}

/// The file that may be meant: one with the same letters in another case, which Windows would find.
fn other_case(name: &str, roots: &AssetRoots) -> String {
    let found = roots.find_any_case(name).ok();
    let found = found.as_deref().and_then(Path::file_name);
    found.map_or_else(String::new, |file| {
        format!("; did you mean `{}`?", file.display())
    })
}

/// Decodes a picture of any kind that the `image` crate was built with, told by its content.
///
/// A header that promises a picture of more than [`MOST_PIXELS_A_SIDE`], or of more than so many
/// bytes can stand for, is refused before any memory is taken for it.
pub(super) fn decode(bytes: &[u8]) -> Result<RgbaImage, ImageError> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    if reader.format().is_none() {
        // TGA has no signature of its own.
        reader.set_format(image::ImageFormat::Tga);
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_PIXELS_A_SIDE);
    limits.max_image_height = Some(MOST_PIXELS_A_SIDE);
    limits.max_alloc = Some(300 << 20);
    reader.limits(limits);
    let decoder = reader.into_decoder()?;
    let possible = (bytes.len() as u64).saturating_mul(MOST_PER_BYTE);
    if decoder.total_bytes() > possible {
        let kind = LimitErrorKind::InsufficientMemory;
        return Err(ImageError::Limits(LimitError::from_kind(kind)));
    }
    Ok(DynamicImage::from_decoder(decoder)?.into_rgba8())
}

/// What stands in for a texture that is missing or broken, 256x256: a checker in magenta and
/// near black that nobody takes for a surface. The seed shifts the magenta a little, so that two
/// missing textures can be told apart.
pub(super) fn placeholder(seed: u32) -> RgbaImage {
    let colors = checker_colors(seed);
    RgbaImage::from_fn(PLACEHOLDER_SIDE, PLACEHOLDER_SIDE, |x, y| {
        image::Rgba(colors[((x / 32 + y / 32) % 2) as usize])
    })
}

/// The two colours of a [`placeholder`].
pub(super) fn checker_colors(seed: u32) -> [[u8; 4]; 2] {
    let shift = (seed.wrapping_mul(2_654_435_761) >> 26) as u8;
    [[255 - shift, 16, 192 + shift, 255], [44, 24, 52, 255]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_bright_and_no_two_are_the_same() {
        for seed in 0..8 {
            let image = placeholder(seed);
            let is_bright = |p: &&image::Rgba<u8>| p.0[0] > 180 && p.0[2] > 180;
            assert!(image.pixels().filter(is_bright).count() > 30_000);
            assert_ne!(image, placeholder(seed + 1));
        }
    }

    #[test]
    fn a_picture_is_no_larger_than_its_bytes_can_be() {
        let write = |image: DynamicImage| {
            let mut bytes = Cursor::new(Vec::new());
            image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
            bytes.into_inner()
        };
        // As large as they come for their bytes.
        let grey = DynamicImage::new_luma8(2048, 2048);
        assert_eq!(decode(&write(grey)).unwrap().dimensions(), (2048, 2048));
        // A bitmap of few bytes whose header says more.
        let mut lie = Cursor::new(Vec::new());
        let small = DynamicImage::new_rgb8(2, 2);
        small.write_to(&mut lie, image::ImageFormat::Bmp).unwrap();
        let mut lie = lie.into_inner();
        assert!(decode(&lie).is_ok());
        for at in [18, 22] {
            lie[at..at + 4].copy_from_slice(&8000_i32.to_le_bytes());
        }
        let refused = decode(&lie).unwrap_err();
        assert!(matches!(refused, ImageError::Limits(_)), "{refused}");
    }

    #[test]
    fn a_model_looks_beside_itself_first_and_a_map_last() {
        let folder = tempfile::tempdir().unwrap();
        let maps = folder.path().join(MAP_TEXTURES);
        let model = folder.path().join("assets/models/knight");
        std::fs::create_dir_all(&maps).unwrap();
        std::fs::create_dir_all(&model).unwrap();
        let path = model.join("knight.pfobj");
        let options = OpenOptions {
            texture_folders: vec![folder.path().to_owned()],
            ..OpenOptions::default()
        };
        let named = [maps.clone(), folder.path().to_owned()];
        let expected = [&[model.clone(), maps.clone()][..], &named].concat();
        assert_eq!(roots(&path, First::Beside, &options).folders(), expected);
        let expected = [&[maps.clone(), model][..], &named].concat();
        assert_eq!(
            roots(&path, First::MapTextures, &options).folders(),
            expected
        );
    }
}
