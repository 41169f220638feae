//! PTF, the textures of maps and their archives (fact sheet D).

use super::lz4;
use crate::formats::{Place, ReadError};

/// What a texture begins with: three letters and the version.
const MAGIC: [u8; 4] = *b"PTF\0";
/// Bytes before the compressed rows.
const HEAD_BYTES: usize = 6;
const ALPHA: u8 = 0x01;
/// The greatest exponent of a side: 4 bits.
const MOST_EXPONENT: u32 = 15;

/// A texture: a picture whose sides are powers of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texture {
    /// Pixels in a row, 1 to 32768.
    pub width: u32,
    /// Rows, 1 to 32768.
    pub height: u32,
    /// Whether pixels have four bytes, red, green, blue and alpha; three without alpha if not.
    pub has_alpha: bool,
    /// The pixels row by row, the top row first.
    pub pixels: Vec<u8>,
    /// Bits of the flags that mean nothing; 0 in files that are as documented.
    pub unknown_flags: u8,
}

impl Texture {
    /// Reads a texture.
    ///
    /// # Errors
    /// Whatever is not as documented, with its offset in `bytes`. A texture that is said to be
    /// larger than its bytes can be costs nothing.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let fault = |at: usize, found: String, expected: String| {
            ReadError::unreadable(Place::Offset(at as u64), found, expected)
        };
        let Some((&[p, t, f, version, flags, exponents], frame)) =
            bytes.split_first_chunk::<HEAD_BYTES>()
        else {
            let found = format!("a texture of {} bytes", bytes.len());
            return Err(fault(
                bytes.len(),
                found,
                format!("at least {HEAD_BYTES} bytes"),
            ));
        };
        let begin = [p, t, f, version];
        if begin != MAGIC {
            let found = format!("the texture begins with {begin:02x?}");
            return Err(fault(0, found, format!("{MAGIC:02x?}")));
        }
        let width = 1_u32 << (exponents & 0x0F);
        let height = 1_u32 << (exponents >> 4);
        let has_alpha = flags & ALPHA != 0;
        let pixel_bytes = if has_alpha { 4 } else { 3 };
        let declared = u64::from(width) * u64::from(height) * pixel_bytes;
        let pixels = lz4::unpack(frame, declared).map_err(|wrong| {
            let found = format!("texture of {width}x{height} pixels: {}", wrong.found);
            fault(HEAD_BYTES + wrong.at, found, wrong.expected)
        })?;
        Ok(Self {
            width,
            height,
            has_alpha,
            pixels,
            unknown_flags: flags & !ALPHA,
        })
    }

    /// The texture as a file; none if a side is no power of two up to 32768, or if there are not
    /// as many pixels as the sides say.
    pub fn write(&self) -> Option<Vec<u8>> {
        let exponent = |side: u32| {
            let exponent = side.checked_ilog2()?;
            (side.is_power_of_two() && exponent <= MOST_EXPONENT).then_some(exponent as u8)
        };
        let exponents = exponent(self.height)? << 4 | exponent(self.width)?;
        let pixel_bytes = if self.has_alpha { 4 } else { 3 };
        let declared = u64::from(self.width) * u64::from(self.height) * pixel_bytes;
        if self.pixels.len() as u64 != declared {
            return None;
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend([
            self.unknown_flags & !ALPHA | u8::from(self.has_alpha),
            exponents,
        ]);
        bytes.extend(lz4::pack(&self.pixels));
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texture(width: u32, height: u32, has_alpha: bool) -> Texture {
        let pixel_bytes = if has_alpha { 4 } else { 3 };
        let count = width * height * pixel_bytes;
        Texture {
            width,
            height,
            has_alpha,
            pixels: (0..count).map(|i| (i * 7) as u8).collect(),
            unknown_flags: 0,
        }
    }

    #[track_caller]
    fn refused(bytes: &[u8], with: &str) {
        let error = Texture::read(bytes).unwrap_err().to_string();
        assert!(error.contains(with), "{error}");
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        for (width, height, has_alpha) in [(1, 1, false), (64, 2, true), (8, 32, false)] {
            let texture = texture(width, height, has_alpha);
            let bytes = texture.write().unwrap();
            assert_eq!(bytes[4], u8::from(has_alpha));
            assert_eq!(Texture::read(&bytes).unwrap(), texture);
        }
        let wide = texture(64, 2, true).write().unwrap();
        assert_eq!(wide[5], 0x16, "the height is in the upper four bits");
    }

    #[test]
    fn sides_that_the_format_cannot_say_are_not_written() {
        for (width, height) in [(3, 4), (0, 4), (1 << 16, 1)] {
            let mut texture = texture(1, 1, false);
            (texture.width, texture.height) = (width, height);
            assert_eq!(texture.write(), None);
        }
        let mut texture = texture(4, 4, false);
        texture.pixels.pop();
        assert_eq!(texture.write(), None);
    }

    #[test]
    fn broken_textures_are_refused_with_their_place() {
        let bytes = texture(8, 8, true).write().unwrap();
        refused(&[], "0x0: a texture of 0 bytes");
        refused(&bytes[..5], "0x5: a texture of 5 bytes");
        refused(&bytes[..6], "0x6: texture of 8x8 pixels");
        let with = |at: usize, byte: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            bytes
        };
        refused(&with(0, b'Q'), "0x0: the texture begins with");
        refused(&with(3, 1), "0x0: the texture begins with");
        refused(&with(5, 0xFF), "texture of 32768x32768 pixels: said to");
        refused(&with(5, 0x34), "decodes to 256 bytes; expected 512");
        refused(&with(4, 0), "more bytes than it is said to");
        refused(
            &with(6, 0),
            "0x6: texture of 8x8 pixels: the section begins",
        );
        let more = [&bytes[..], &[0]].concat();
        refused(&more, "1 bytes after the frame");
    }

    #[test]
    fn unknown_flags_are_kept() {
        let mut bytes = texture(2, 2, true).write().unwrap();
        bytes[4] |= 0x82;
        let texture = Texture::read(&bytes).unwrap();
        assert_eq!(texture.unknown_flags, 0x82);
        assert_eq!(texture.write().unwrap(), bytes);
    }
}
