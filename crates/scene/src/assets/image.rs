//! Images: decoded without trust in what their headers promise, made into thumbnails, and
//! replaced by placeholders.

use std::io::{Cursor, ErrorKind};

use image::error::{LimitError, LimitErrorKind};
use image::{DynamicImage, ImageDecoder, ImageError, ImageReader, Limits, RgbaImage};
use memchr::memmem;

/// The largest side of an image that is decoded.
const MAX_PIXELS_A_SIDE: u32 = 8192;
/// The most bytes of pixels that are decoded.
const MAX_BYTES: u64 = 300 << 20;
/// What a byte of an image file can stand for at most, in bytes of pixels: deflate packs 1032 into
/// one, and a PNG has up to eight pixels in each of those.
const MAX_PER_BYTE: u64 = 8 * 1032;
/// Pixels along a side of a thumbnail.
pub const THUMBNAIL_SIDE: u32 = 48;
/// Pixels along a side of a placeholder.
const PLACEHOLDER_SIDE: u32 = 256;

/// RGBA bytes of a thumbnail, [`THUMBNAIL_SIDE`] pixels wide and high.
pub(crate) fn thumbnail(image: &RgbaImage) -> Vec<u8> {
    image::imageops::thumbnail(image, THUMBNAIL_SIDE, THUMBNAIL_SIDE).into_raw()
}

/// Decodes an image of any kind that the `image` crate was built with, told by its content.
///
/// A header that promises an image of more than [`MAX_PIXELS_A_SIDE`], or of more than so many
/// bytes can stand for, is refused before any memory is taken for it.
pub(crate) fn decode(bytes: &[u8]) -> Result<RgbaImage, String> {
    let image = decode_any(bytes).map_err(|error| explained(bytes, &error))?;
    match image.dimensions() {
        (0, _) | (_, 0) => Err("it has no pixels".to_owned()),
        _ => Ok(image),
    }
}

/// Whether an image that [`decode`] takes ends too early: of JPEG, whatever there is of it is decoded.
pub(crate) fn is_truncated(bytes: &[u8]) -> bool {
    // ITU-T T.81, table B.1. Neither occurs in what is packed.
    const START_OF_SCAN: &[u8] = b"\xff\xda";
    const END_OF_IMAGE: &[u8] = b"\xff\xd9";
    let last = |marker| memmem::rfind(bytes, marker);
    bytes.starts_with(b"\xff\xd8") && last(START_OF_SCAN) > last(END_OF_IMAGE)
}

/// Width and height of an image that [`decode`] takes, if what follows its header is whole.
pub(crate) fn dimensions(bytes: &[u8]) -> Result<[u32; 2], String> {
    let decoder = decoder(bytes).map_err(|error| explained(bytes, &error))?;
    Ok(decoder.dimensions().into())
}

fn decode_any(bytes: &[u8]) -> Result<RgbaImage, ImageError> {
    Ok(DynamicImage::from_decoder(decoder(bytes)?)?.into_rgba8())
}

/// Why an image cannot be decoded. Decoders say what they found where they took it to be what it is not.
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
        (true, true) => "it ends too early".to_owned(),
        (false, true) => "it is no image, or ends too early".to_owned(),
        (false, false) => "it is no image".to_owned(),
    }
}

/// The size of an image, and the limit that it exceeds.
fn exceeded_limit(bytes: &[u8]) -> Option<String> {
    let decoder = decoder_up_to(bytes, None).ok()?;
    let (width, height) = decoder.dimensions();
    let size = format!("it is {width} x {height} pixels");
    Some(if width.max(height) > MAX_PIXELS_A_SIDE {
        format!("{size}; the limit is {MAX_PIXELS_A_SIDE} a side")
    } else if decoder.total_bytes() > MAX_BYTES {
        format!("{size}; the limit is {} MiB of pixels", MAX_BYTES >> 20)
    } else {
        format!(
            "{size}, beyond the limit of what {} bytes can hold",
            bytes.len()
        )
    })
}

fn decoder(bytes: &[u8]) -> Result<impl ImageDecoder, ImageError> {
    let decoder = decoder_up_to(bytes, Some(MAX_PIXELS_A_SIDE))?;
    let possible = (bytes.len() as u64).saturating_mul(MAX_PER_BYTE);
    if decoder.total_bytes() > possible {
        let kind = LimitErrorKind::InsufficientMemory;
        return Err(ImageError::Limits(LimitError::from_kind(kind)));
    }
    Ok(decoder)
}

/// Reads the header of an image, up to a number of pixels a side.
fn decoder_up_to(bytes: &[u8], max_side: Option<u32>) -> Result<impl ImageDecoder, ImageError> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    if reader.format().is_none() {
        // TGA has no signature of its own.
        reader.set_format(image::ImageFormat::Tga);
    }
    let mut limits = Limits::default();
    limits.max_image_width = max_side;
    limits.max_image_height = max_side;
    limits.max_alloc = Some(MAX_BYTES);
    reader.limits(limits);
    reader.into_decoder()
}

/// What stands in for a texture that is missing or broken, 256x256: a checker in magenta and
/// near black that nobody takes for a surface. The seed shifts the magenta a little, so that two
/// missing textures can be told apart.
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
        let said = |bytes: &[u8]| decode(bytes).unwrap_err();
        assert_eq!(said(b""), "it is empty");
        assert_eq!(
            said(b"This is a text of some lines, and no image."),
            "it is no image"
        );
        assert_eq!(said(b"text"), "it is no image, or ends too early");
        let mut tga = Cursor::new(Vec::new());
        let image = DynamicImage::from(placeholder(1));
        image.write_to(&mut tga, image::ImageFormat::Tga).unwrap();
        let tga = tga.into_inner();
        assert!(decode(&tga).is_ok());
        let cut = said(&tga[..tga.len() / 2]);
        assert_eq!(cut, "it is no image, or ends too early");
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
            // It is shown all the same.
            assert_eq!(decode(&jpeg[..count]).unwrap().dimensions(), (256, 256));
        }
        // A preview in its head is whole.
        let preview = [&b"\xff\xe1\0\x08\xff\xda\0\0\xff\xd9"[..], &jpeg[2..]].concat();
        let jpeg = [&jpeg[..2], &preview].concat();
        assert!(!is_truncated(&jpeg) && is_truncated(&jpeg[..jpeg.len() - 2]));
        // What follows the image is no part of it.
        assert!(!is_truncated(&[&jpeg[..], b"more"].concat()));
        assert!(decode(&png[..png.len() / 2]).is_err());
    }

    #[test]
    fn an_image_is_no_larger_than_its_bytes_can_be() {
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
        assert!(refused.starts_with("it is 8000 x 8000 pixels"), "{refused}");
        assert!(refused.contains("limit"), "{refused}");
        let wide = decode(&write(DynamicImage::new_luma8(20_000, 4))).unwrap_err();
        assert_eq!(wide, "it is 20000 x 4 pixels; the limit is 8192 a side");
    }
}
