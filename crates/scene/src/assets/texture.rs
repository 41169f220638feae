//! Textures: their files and the data that the GPU samples.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ::image::RgbaImage;
use ::image::imageops::{self, FilterType};

use super::image::{decode_ptf, is_ptf, is_truncated};
use super::{
    AssetError, Assets, Head, THUMBNAIL_SIDE, checker_colors, decode, mip_levels, placeholder,
    thumbnail,
};
use crate::NamedFile;
use crate::core::rules::{self, Fault};
use crate::describe::value::Value;

/// Maximum side of a drawn texture in texels. Larger than in the engine, so that painted details
/// are visible.
pub(crate) const MAX_SIDE_TEXELS: u32 = 1024;

/// A texture, ready for the GPU.
#[derive(Debug)]
pub struct Texture {
    /// Width and height of the first level in texels.
    pub size: [u32; 2],
    /// RGBA8 texels of all mip levels, rows from the top.
    pub levels: Vec<Vec<u8>>,
    /// `true` if any texel is not fully opaque.
    pub has_holes: bool,
}

impl Texture {
    /// Builds a texture of an image, halved until it fits the size limit.
    pub(crate) fn new(image: RgbaImage) -> Self {
        let has_holes = image.pixels().any(|pixel| pixel.0[3] < 255);
        let mut size = [image.width(), image.height()];
        let mut levels = mip_levels(size, image.into_raw());
        while size.iter().any(|side| *side > MAX_SIDE_TEXELS) && levels.len() > 1 {
            levels.remove(0);
            size = size.map(|side| (side / 2).max(1));
        }
        Self {
            size,
            levels,
            has_holes,
        }
    }

    /// The texture resized to the given size in texels, with its own mip levels.
    #[must_use]
    pub fn resized(&self, [width, height]: [u32; 2]) -> Self {
        let base = self.levels.first().cloned().unwrap_or_default();
        let image = RgbaImage::from_raw(self.size[0], self.size[1], base).unwrap_or_default();
        Self::new(imageops::resize(
            &image,
            width,
            height,
            FilterType::CatmullRom,
        ))
    }

    /// Alpha from 0 to 255 at texture coordinates with (0, 0) at the bottom left.
    pub(crate) fn opacity_at(&self, uv: [f32; 2]) -> u8 {
        if !self.has_holes {
            return 255;
        }
        let [width, height] = self.size;
        let texel = |at: f32, side: u32| {
            let within = at - at.floor();
            ((within * side as f32) as u32).min(side.saturating_sub(1))
        };
        let [column, row] = [texel(uv[0], width), texel(1.0 - uv[1], height)];
        let index = (row as usize * width as usize + column as usize) * 4 + 3;
        let first = self.levels.first();
        first
            .and_then(|level| level.get(index))
            .copied()
            .unwrap_or(255)
    }
}

/// Information about a texture that a document names.
#[derive(Debug, Clone)]
pub struct TextureFile {
    /// The file; `None` if it was not found or is built in.
    pub path: Option<PathBuf>,
    /// `true` if it was found and could be read.
    pub found: bool,
    /// Size of the image in the file, in pixels, once it was read.
    pub size: Option<[u32; 2]>,
    /// Its thumbnail.
    pub thumbnail: Thumbnail,
}

/// A small image of a texture, [`THUMBNAIL_SIDE`] pixels wide and high.
#[derive(Debug, Clone)]
pub enum Thumbnail {
    /// Its RGBA bytes.
    Made(Vec<u8>),
    /// The texture, and the thumbnail that is made from it on demand.
    Of(Arc<Texture>, OnceLock<Vec<u8>>),
    /// Not available until the texture is read.
    Unread,
}

impl Thumbnail {
    pub(super) fn of(texture: &Arc<Texture>) -> Self {
        Self::Of(Arc::clone(texture), OnceLock::new())
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(match self {
            Self::Made(bytes) => bytes,
            Self::Of(texture, made) => made.get_or_init(|| {
                let [width, height] = texture.size;
                let texels = texture.levels.first().cloned().unwrap_or_default();
                let image = RgbaImage::from_raw(width, height, texels);
                image.map_or_else(Vec::new, |image| thumbnail(&image))
            }),
            Self::Unread => return None,
        })
    }
}

/// The placeholder texture of a seed. Few different ones exist; each is made once.
pub(crate) fn placeholder_texture(seed: u32) -> Arc<Texture> {
    static MADE: Mutex<BTreeMap<[[u8; 4]; 2], Arc<Texture>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let new = || Arc::new(Texture::new(placeholder(seed)));
    Arc::clone(made.entry(checker_colors(seed)).or_insert_with(new))
}

impl TextureFile {
    /// A file that was found but not read.
    pub(super) fn unread(path: Option<PathBuf>) -> Self {
        Self {
            path,
            found: true,
            size: None,
            thumbnail: Thumbnail::Unread,
        }
    }

    /// Returns its path as a value; null if there is no file.
    pub(crate) fn file_value(&self) -> Value {
        match (&self.path, self.found) {
            (Some(path), _) => path.display().to_string().into(),
            (None, true) => Value::none("built in"),
            (None, false) => Value::none("not found; a placeholder is shown"),
        }
    }

    /// Returns its width and height in pixels as a value; null if they are unknown.
    pub(crate) fn size_value(&self) -> Value {
        match (self.size, &self.thumbnail) {
            (Some(size), _) => Value::size(size, "pixels"),
            (None, Thumbnail::Unread) => Value::none("not read yet"),
            (None, _) => Value::none("unknown"),
        }
    }

    /// Machine-readable information, with the name used by the document.
    pub(crate) fn named(&self, name: &str) -> NamedFile {
        NamedFile {
            kind: "texture",
            name: name.to_owned(),
            path: self.path.clone(),
            found: self.found,
            named_by: None,
        }
    }

    /// The thumbnail in the form of [`Document::thumbnail`](crate::Document::thumbnail).
    pub(crate) fn thumbnail(&self) -> Option<(u32, u32, &[u8])> {
        Some((THUMBNAIL_SIDE, THUMBNAIL_SIDE, self.thumbnail.bytes()?))
    }
}

/// An image that was decoded as far as possible, limited to the drawn size.
pub(super) struct Decoded {
    /// `None` if no part of it can be read.
    pub(super) image: Option<RgbaImage>,
    /// Size of the image in the file, in pixels; `None` if no part of it can be read.
    pub(super) size: Option<[u32; 2]>,
    /// The problem of the image.
    pub(super) fault: Option<Fault>,
}

impl Decoded {
    /// Decodes an image; `what` names it in the message about a truncated image.
    pub(super) fn of(what: &str, bytes: &[u8], max_side: u32) -> Result<Self, String> {
        let size = Some(Head::read(bytes, bytes.len() as u64)?.size);
        if is_ptf(bytes) {
            let (image, problem) = decode_ptf(bytes, Some(max_side))?;
            return Ok(Self {
                image: Some(image),
                size,
                fault: problem.map(|it| (it.rule, format!("{what}: {}", it.message))),
            });
        }
        let fault = || (&rules::TRUNCATED_IMAGE, format!("{what} is truncated"));
        Ok(Self {
            image: Some(decode(bytes, Some(max_side))?),
            size,
            fault: is_truncated(bytes).then(fault),
        })
    }

    pub(super) fn failed(fault: Fault) -> Self {
        Self {
            image: None,
            size: None,
            fault: Some(fault),
        }
    }
}

/// A texture that was looked up and decoded.
pub(crate) struct LoadedTexture {
    pub(crate) file: TextureFile,
    /// The image, or a placeholder.
    pub(crate) image: RgbaImage,
    /// The reason for the placeholder, or a problem of the image.
    pub(crate) fault: Option<Fault>,
    /// Files that were found or looked for.
    pub(crate) candidates: Vec<PathBuf>,
}

impl Assets {
    /// Reads and decodes a texture by name, limited to the drawn size. The seed varies the
    /// placeholders.
    pub(crate) fn texture(&self, name: &str, seed: u64) -> LoadedTexture {
        let file = self.read(name);
        let Decoded { image, size, fault } = Self::decoded(name, &file.bytes);
        let image = image.unwrap_or_else(|| placeholder(seed as u32));
        LoadedTexture {
            file: TextureFile {
                path: file.path,
                found: size.is_some(),
                size,
                thumbnail: Thumbnail::Made(thumbnail(&image)),
            },
            image,
            fault,
            candidates: file.candidates,
        }
    }

    /// Reads and decodes the image of a texture.
    pub(super) fn image(&self, name: &str) -> Decoded {
        Self::decoded(name, &self.read(name).bytes)
    }

    /// Decodes the image of a texture inside a document, within the budget of the document.
    pub(super) fn image_of_bytes(&self, name: &str, bytes: &[u8]) -> Decoded {
        let cost = Head::read(bytes, bytes.len() as u64)
            .map(|head| head.cost(bytes.len() as u64, Some(MAX_SIDE_TEXELS)))
            .unwrap_or_default();
        match self.budget.take(cost) {
            Ok(()) => Self::decoded(name, &Ok(bytes)),
            Err(limit) => {
                let message = format!("texture `{name}` is not read: {limit}");
                Decoded::failed((&rules::TEXTURE_LIMIT, message))
            }
        }
    }

    fn decoded(name: &str, bytes: &Result<impl AsRef<[u8]>, AssetError>) -> Decoded {
        let bytes = match bytes {
            Ok(bytes) => bytes.as_ref(),
            Err(error) => return Decoded::failed(Self::texture_fault(name, error)),
        };
        let decoded = Decoded::of(&format!("texture `{name}`"), bytes, MAX_SIDE_TEXELS);
        decoded.unwrap_or_else(|error| {
            let message = format!("texture `{name}` cannot be read: {error}");
            Decoded::failed((&rules::UNREADABLE_TEXTURE, message))
        })
    }

    /// Spends the cost of a texture file from the budget of the document. `kept_bytes` maps the
    /// bytes of its pixels to the bytes that are kept. An unreadable file costs nothing, since that
    /// is detected at once.
    pub(crate) fn spend_for_texture(
        &self,
        name: &str,
        file: Option<&Path>,
        kept_bytes: impl FnOnce(u64) -> u64,
    ) -> Result<(), Fault> {
        let head = match self.in_archive(name) {
            None => {
                file.and_then(|file| Some((Head::of_file(file).ok()?, file.metadata().ok()?.len())))
            }
            Some((_, index)) => self
                .read_in_archive(index, u64::MAX)
                .ok()
                .and_then(|bytes| {
                    let len = bytes.len() as u64;
                    Some((Head::read(&bytes, len).ok()?, len))
                }),
        };
        let mut cost = head
            .map(|(head, bytes)| head.cost(bytes, Some(MAX_SIDE_TEXELS)))
            .unwrap_or_default();
        cost.kept_bytes = kept_bytes(cost.kept_bytes);
        self.budget.take(cost).map_err(|limit| {
            let message = format!("texture `{name}` is not read: {limit}");
            (&rules::TEXTURE_LIMIT, message)
        })
    }

    /// The fault for a texture whose file was not found or not read.
    pub(super) fn texture_fault(name: &str, error: &AssetError) -> Fault {
        let message = match error {
            AssetError::Unreadable(_) => format!("texture `{name}`: {error}"),
            error => format!("texture {error}"),
        };
        (error.rule(), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(side: u32, color: [u8; 4]) -> RgbaImage {
        RgbaImage::from_pixel(side, side, ::image::Rgba(color))
    }

    #[test]
    fn large_textures_are_made_smaller_and_small_ones_kept() {
        let large = Texture::new(plain(4096, [9, 8, 7, 255]));
        assert_eq!((large.size, large.levels.len()), ([1024, 1024], 11));
        assert_eq!(large.levels[0].len(), 4 * 1024 * 1024);
        let odd = Texture::new(RgbaImage::new(100, 3));
        assert_eq!((odd.size, odd.levels.len()), ([100, 3], 7));
    }

    #[test]
    fn a_resized_texture_shows_the_same_with_fewer_texels() {
        let stripes = RgbaImage::from_fn(512, 256, |x, y| {
            let color = if y < 128 {
                [200, 40, 40]
            } else {
                [40, 40, 200]
            };
            let [r, g, b] = color.map(|c| c + 20 * (x % 2) as u8);
            ::image::Rgba([r, g, b, if x < 256 { 255 } else { 0 }])
        });
        let small = Texture::new(stripes).resized([128, 128]);
        assert_eq!((small.size, small.levels.len()), ([128, 128], 8));
        assert!(small.has_holes);
        let texel = |x: usize, y: usize| &small.levels[0][(y * 128 + x) * 4..][..4];
        for (x, y, color) in [
            (30, 30, [210, 50, 50, 255]),
            (30, 100, [50, 50, 210, 255]),
            (100, 30, [210, 50, 50, 0]),
        ] {
            let apart = texel(x, y).iter().zip(color).map(|(a, b)| a.abs_diff(b));
            assert!(apart.max() <= Some(1), "{x}, {y}: {:?}", texel(x, y));
        }
    }

    #[test]
    fn holes_are_where_the_image_has_them() {
        let mut image = plain(4, [255; 4]);
        image.put_pixel(3, 0, ::image::Rgba([0; 4]));
        let texture = Texture::new(image);
        // The top right of the image, at every repetition.
        for uv in [[0.9, 0.9], [-0.1, 1.9], [7.8, -0.2]] {
            assert_eq!(texture.opacity_at(uv), 0, "{uv:?}");
        }
        for uv in [
            [0.9, 0.1],
            [0.1, 0.9],
            [0.0, 0.0],
            [f32::NAN, f32::INFINITY],
        ] {
            assert_eq!(texture.opacity_at(uv), 255, "{uv:?}");
        }
    }
}
