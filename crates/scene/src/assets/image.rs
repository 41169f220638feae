//! Images: decoding with limits that do not trust the header, thumbnails, and placeholders.

use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::path::Path;

use image::error::{LimitError, LimitErrorKind};
use image::{ColorType, DynamicImage, ImageDecoder, ImageError, ImageReader, Limits, RgbaImage};
use memchr::memmem;

use super::mips::mip_level;
use crate::core::budget::{Cost, with_room};
use mapscope_formats::Problem;
use mapscope_formats::ptf::{self, Texture as Ptf};

/// Maximum side of a decoded image in pixels.
const MAX_SIDE_PX: u32 = 8192;
/// Maximum bytes of decoded pixels.
const MAX_BYTES: u64 = 300 << 20;
/// Maximum bytes of pixels per byte of an image file: deflate packs at most 1032 bytes into one,
/// and a byte of PNG data has up to eight pixels.
const MAX_PER_BYTE: u64 = 8 * 1032;
/// Bytes of a file in which the image header is looked for first.
const HEAD_BYTES: u64 = 64 << 10;
/// Side of a thumbnail in pixels.
pub const THUMBNAIL_SIDE: u32 = 48;
/// Side of a placeholder in pixels.
const PLACEHOLDER_SIDE: u32 = 256;

/// Returns the RGBA bytes of a thumbnail, [`THUMBNAIL_SIDE`] pixels wide and high.
pub(crate) fn thumbnail(image: &RgbaImage) -> Vec<u8> {
    image::imageops::thumbnail(image, THUMBNAIL_SIDE, THUMBNAIL_SIDE).into_raw()
}

/// The header of an image.
pub(crate) struct Head {
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// Bytes of memory for the pixels in the file's own format, during decoding.
    decoded_bytes: u64,
    /// `true` if the pixel format is that of [`RgbaImage`].
    is_rgba: bool,
}

impl Head {
    /// Reads the header of an image that [`decode`] accepts, from the first bytes of a file with
    /// `file_bytes` bytes.
    pub(crate) fn read(bytes: &[u8], file_bytes: u64) -> Result<Self, String> {
        if is_ptf(bytes) {
            return Self::of_ptf(bytes);
        }
        let head = || {
            let decoder = decoder(bytes, file_bytes)?;
            // A progressive JPEG is decoded to coefficients first (ITU-T T.81, table B.1).
            let is_progressive =
                bytes.starts_with(b"\xff\xd8") && memmem::find(bytes, b"\xff\xc2").is_some();
            let passes = if is_progressive { 3 } else { 1 };
            Ok(Self {
                size: decoder.dimensions().into(),
                decoded_bytes: decoder.total_bytes().saturating_mul(passes),
                is_rgba: decoder.color_type() == ColorType::Rgba8,
            })
        };
        head().map_err(|error| explained(bytes, &error))
    }

    /// Reads the header of a PTF.
    fn of_ptf(bytes: &[u8]) -> Result<Self, String> {
        let size = ptf::Head::of(bytes).ok_or("it is truncated")?.size;
        let pixels = size.map(u64::from).iter().product::<u64>();
        Ok(Self {
            size,
            // It is scaled down while it is decoded.
            decoded_bytes: pixels.min(u64::from(MAX_SIDE_PX) << 10) * 4,
            is_rgba: false,
        })
    }

    /// Reads the header of an image file.
    pub(crate) fn of_file(path: &Path) -> Result<Self, String> {
        let read = || {
            let file = File::open(path)?;
            let file_bytes = file.metadata()?.len();
            let mut bytes = Vec::new();
            file.take(HEAD_BYTES).read_to_end(&mut bytes)?;
            let head = Self::read(&bytes, file_bytes);
            if head.is_ok() || file_bytes <= HEAD_BYTES {
                return Ok(head);
            }
            // Comments and profiles may precede the size.
            Ok(Self::read(&std::fs::read(path)?, file_bytes))
        };
        read().unwrap_or_else(|error: std::io::Error| Err(error.to_string()))
    }

    /// Number of pixels.
    pub(crate) fn pixels(&self) -> u64 {
        self.size.map(u64::from).iter().product()
    }

    /// The cost of [`decode`] for a file of `file_bytes` bytes.
    pub(crate) fn cost(&self, file_bytes: u64, max_side: Option<u32>) -> Cost {
        let halvings = halvings(self.size, max_side);
        let kept_bytes = (self.pixels() >> (2 * halvings)).saturating_mul(4);
        let is_converted = halvings > 0 || !self.is_rgba;
        Cost {
            file_bytes,
            elements: self.pixels(),
            working_bytes: self.decoded_bytes + if is_converted { kept_bytes } else { 0 },
            kept_bytes,
        }
    }
}

/// Decodes an image of any format enabled in the `image` crate, recognised by its content. The
/// image is halved until no side exceeds `max_side`, without a second full-size copy.
///
/// A header is rejected before memory is allocated if it declares a side above
/// [`MAX_SIDE_PX`], or more pixel bytes than the file can encode.
pub(crate) fn decode(bytes: &[u8], max_side: Option<u32>) -> Result<RgbaImage, String> {
    let head = Head::read(bytes, bytes.len() as u64)?;
    if head.size.contains(&0) {
        return Err("it has no pixels".to_owned());
    }
    let cost = head.cost(bytes.len() as u64, max_side);
    with_room(cost.working_bytes, || {
        if is_ptf(bytes) {
            return decode_ptf(bytes, max_side).map(|(image, _)| image);
        }
        let image = decoder(bytes, bytes.len() as u64)
            .and_then(DynamicImage::from_decoder)
            .map_err(|error| explained(bytes, &error))?;
        Ok(halved(image, halvings(head.size, max_side)))
    })
}

/// `true` for the textures of `PlatinumSrc`.
pub(super) fn is_ptf(bytes: &[u8]) -> bool {
    bytes.starts_with(&Ptf::MAGIC)
}

/// Decodes a PTF, scaled down while it is decoded. Also returns its first problem.
pub(super) fn decode_ptf(
    bytes: &[u8],
    max_side: Option<u32>,
) -> Result<(RgbaImage, Option<Problem>), String> {
    let mut texture =
        Ptf::read_up_to(bytes, max_side.unwrap_or(u32::MAX)).map_err(|error| error.to_string())?;
    let problem = texture.problems.drain(..).next();
    let image = RgbaImage::from_raw(texture.width, texture.height, texture.into_rgba());
    let image = image.ok_or_else(|| "too few pixels".to_owned())?;
    Ok((image, problem))
}

/// Number of halvings until no side exceeds `max_side`.
fn halvings(size: [u32; 2], max_side: Option<u32>) -> u32 {
    let longest = size.into_iter().max().unwrap_or_default();
    let is_above = |halvings: &u32| max_side.is_some_and(|max| longest >> halvings > max.max(1));
    (0..u32::BITS).find(|it| !is_above(it)).unwrap_or_default()
}

/// Halves an image `halvings` times, as [`mip_levels`](super::mip_levels) does.
fn halved(image: DynamicImage, halvings: u32) -> RgbaImage {
    let size = [image.width(), image.height()];
    let texels = match size.map(|side| side >> halvings) {
        _ if halvings == 0 => return image.into_rgba8(),
        // A side would shrink below one pixel.
        [0, _] | [_, 0] => mip_level(size, image.into_rgba8().into_raw(), halvings),
        [_, rows] => {
            // Rows that are merged into one.
            let strip = [size[0], 1 << halvings];
            let strips = (0..rows).map(|row| {
                let rows = image.crop_imm(0, row * strip[1], strip[0], strip[1]);
                mip_level(strip, rows.into_rgba8().into_raw(), halvings)
            });
            strips.flatten().collect()
        }
    };
    let [width, height] = size.map(|side| (side >> halvings).max(1));
    RgbaImage::from_raw(width, height, texels).unwrap_or_default()
}

/// `true` if an image that [`decode`] accepts is truncated. A truncated JPEG still decodes
/// partially.
pub(crate) fn is_truncated(bytes: &[u8]) -> bool {
    // ITU-T T.81, table B.1. Neither marker occurs inside compressed data.
    const START_OF_SCAN: &[u8] = b"\xff\xda";
    const END_OF_IMAGE: &[u8] = b"\xff\xd9";
    let last = |marker| memmem::rfind(bytes, marker);
    bytes.starts_with(b"\xff\xd8") && last(START_OF_SCAN) > last(END_OF_IMAGE)
}

/// Explains why an image cannot be decoded. The decoder's message is used only if the format was
/// recognised and the data is complete.
fn explained(bytes: &[u8], error: &ImageError) -> String {
    let is_cut =
        matches!(error, ImageError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof);
    let is_known = image::guess_format(bytes).is_ok();
    let limit = match error {
        ImageError::Limits(_) => exceeded_limit(bytes),
        _ => None,
    };
    match (is_known, is_cut) {
        _ if bytes.is_empty() => "it is empty".to_owned(),
        _ if limit.is_some() => limit.unwrap_or_default(),
        (true, false) => error.to_string(),
        (true, true) => "it is truncated".to_owned(),
        (false, true) => "it is not an image, or is truncated".to_owned(),
        (false, false) => "it is not an image".to_owned(),
    }
}

/// Describes the size of an image and the limit that it exceeds.
fn exceeded_limit(bytes: &[u8]) -> Option<String> {
    let decoder = decoder_up_to(bytes, None).ok()?;
    let (width, height) = decoder.dimensions();
    let size = format!("it is {width} x {height} pixels");
    Some(if width.max(height) > MAX_SIDE_PX {
        format!("{size}; expected at most {MAX_SIDE_PX} per side")
    } else if decoder.total_bytes() > MAX_BYTES {
        format!("{size}; expected at most {} MiB of pixels", MAX_BYTES >> 20)
    } else {
        format!("{size}, more than {} bytes can hold", bytes.len())
    })
}

fn decoder(bytes: &[u8], file_bytes: u64) -> Result<impl ImageDecoder, ImageError> {
    let decoder = decoder_up_to(bytes, Some(MAX_SIDE_PX))?;
    let possible = file_bytes.saturating_mul(MAX_PER_BYTE);
    if decoder.total_bytes() > possible {
        let kind = LimitErrorKind::InsufficientMemory;
        return Err(ImageError::Limits(LimitError::from_kind(kind)));
    }
    Ok(decoder)
}

/// Reads the header of an image with at most `max_side` pixels per side.
fn decoder_up_to(bytes: &[u8], max_side: Option<u32>) -> Result<impl ImageDecoder, ImageError> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    if reader.format().is_none() {
        // TGA has no signature.
        reader.set_format(image::ImageFormat::Tga);
    }
    let mut limits = Limits::default();
    limits.max_image_width = max_side;
    limits.max_image_height = max_side;
    limits.max_alloc = Some(MAX_BYTES);
    reader.limits(limits);
    reader.into_decoder()
}

/// Placeholder for a missing or broken texture, 256x256: a magenta and near-black checkerboard that
/// cannot be mistaken for a surface. The seed varies the magenta slightly, so that two missing
/// textures look different.
pub(crate) fn placeholder(seed: u32) -> RgbaImage {
    let colors = checker_colors(seed);
    RgbaImage::from_fn(PLACEHOLDER_SIDE, PLACEHOLDER_SIDE, |x, y| {
        image::Rgba(colors[((x / 32 + y / 32) % 2) as usize])
    })
}

/// The two colours of a [`placeholder`].
pub(crate) fn checker_colors(seed: u32) -> [[u8; 4]; 2] {
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
    fn what_is_no_image_is_called_that() {
        let said = |bytes: &[u8]| decode(bytes, None).unwrap_err();
        assert_eq!(said(b""), "it is empty");
        assert_eq!(
            said(b"This is a text of some lines, and no image."),
            "it is not an image"
        );
        assert_eq!(said(b"text"), "it is not an image, or is truncated");
        let mut tga = Cursor::new(Vec::new());
        let image = DynamicImage::from(placeholder(1));
        image.write_to(&mut tga, image::ImageFormat::Tga).unwrap();
        let tga = tga.into_inner();
        assert!(decode(&tga, None).is_ok());
        let cut = said(&tga[..tga.len() / 2]);
        assert_eq!(cut, "it is not an image, or is truncated");
    }

    #[test]
    fn a_jpeg_without_its_end_is_truncated() {
        let image = DynamicImage::from(placeholder(1));
        let [jpeg, png] = [image::ImageFormat::Jpeg, image::ImageFormat::Png].map(|format| {
            let mut bytes = Cursor::new(Vec::new());
            image.to_rgb8().write_to(&mut bytes, format).unwrap();
            bytes.into_inner()
        });
        assert!(!is_truncated(&jpeg) && !is_truncated(&png));
        for count in [jpeg.len() / 2, jpeg.len() - 1] {
            assert!(is_truncated(&jpeg[..count]));
            // It is still shown.
            assert_eq!(
                decode(&jpeg[..count], None).unwrap().dimensions(),
                (256, 256)
            );
        }
        // A preview in the header is complete.
        let preview = [&b"\xff\xe1\0\x08\xff\xda\0\0\xff\xd9"[..], &jpeg[2..]].concat();
        let jpeg = [&jpeg[..2], &preview].concat();
        assert!(!is_truncated(&jpeg) && is_truncated(&jpeg[..jpeg.len() - 2]));
        // Data after the image is ignored.
        assert!(!is_truncated(&[&jpeg[..], b"more"].concat()));
        assert!(decode(&png[..png.len() / 2], None).is_err());
    }

    #[test]
    fn an_image_is_no_larger_than_its_bytes_can_be() {
        let write = |image: DynamicImage| {
            let mut bytes = Cursor::new(Vec::new());
            image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
            bytes.into_inner()
        };
        // Large images that match the size of their data.
        let grey = DynamicImage::new_luma8(2048, 2048);
        assert_eq!(
            decode(&write(grey), None).unwrap().dimensions(),
            (2048, 2048)
        );
        // A small bitmap whose header declares more pixels.
        let mut lie = Cursor::new(Vec::new());
        let small = DynamicImage::new_rgb8(2, 2);
        small.write_to(&mut lie, image::ImageFormat::Bmp).unwrap();
        let mut lie = lie.into_inner();
        assert!(decode(&lie, None).is_ok());
        for at in [18, 22] {
            lie[at..at + 4].copy_from_slice(&8000_i32.to_le_bytes());
        }
        let refused = decode(&lie, None).unwrap_err();
        assert!(refused.starts_with("it is 8000 x 8000 pixels"), "{refused}");
        assert!(refused.contains("bytes can hold"), "{refused}");
        let wide = decode(&write(DynamicImage::new_luma8(20_000, 4)), None).unwrap_err();
        assert_eq!(
            wide,
            "it is 20000 x 4 pixels; expected at most 8192 per side"
        );
    }

    #[test]
    fn a_large_image_is_halved_while_it_is_decoded() {
        for size in [[9, 5], [8, 8], [33, 2], [1, 40], [16, 17]] {
            let pixel = |x: u32, y: u32| image::Rgba([x as u8 * 7, y as u8 * 5, 9, 200 + x as u8]);
            let whole = RgbaImage::from_fn(size[0], size[1], pixel);
            let mut png = Cursor::new(Vec::new());
            whole.write_to(&mut png, image::ImageFormat::Png).unwrap();
            let png = png.into_inner();
            for max_side in [8, 4, 1] {
                let texture = crate::assets::mip_levels(size, whole.to_vec());
                let level = (0..8)
                    .find(|level| size.iter().all(|side| side >> level <= max_side))
                    .unwrap();
                let small = decode(&png, Some(max_side)).unwrap();
                let expected = size.map(|side| (side >> level).max(1));
                assert_eq!(<[u32; 2]>::from(small.dimensions()), expected);
                assert_eq!(*small, texture[level as usize], "{size:?} {max_side}");
            }
        }
    }

    #[test]
    fn the_head_of_an_image_says_what_it_costs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        DynamicImage::new_luma8(3000, 2000).save(&path).unwrap();
        let head = Head::of_file(&path).unwrap();
        assert_eq!((head.size, head.pixels()), ([3000, 2000], 6_000_000));
        let cost = |max_side| {
            let cost = head.cost(9, max_side);
            assert_eq!((cost.file_bytes, cost.elements), (9, 6_000_000));
            [cost.working_bytes, cost.kept_bytes]
        };
        assert_eq!(cost(None), [30_000_000, 24_000_000]);
        assert_eq!(cost(Some(1024)), [7_500_000, 1_500_000]);
    }
}
