//! PTF, the textures of maps and their archives (fact sheet D).

use super::bytes::hex;
use super::{lz4, rules};
use crate::{Place, ReadError, counted};

/// Bytes before the compressed rows.
const HEAD_BYTES: usize = 6;
const ALPHA: u8 = 0x01;
/// Maximum exponent of a side: 4 bits.
const MAX_EXPONENT: u32 = 15;

/// A texture, whose sides are powers of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texture {
    /// Pixels per row, 1 to 32768.
    pub width: u32,
    /// Number of rows, 1 to 32768.
    pub height: u32,
    /// `true` for four bytes per pixel: red, green, blue and alpha. Otherwise three, without alpha.
    pub has_alpha: bool,
    /// The pixels row by row, the top row first.
    pub pixels: Vec<u8>,
    /// Flag bits without a meaning; 0 in files that follow the document.
    pub unknown_flags: u8,
}

impl Texture {
    /// Magic bytes: three letters and the version.
    pub const MAGIC: [u8; 4] = *b"PTF\0";

    /// Reads a texture.
    ///
    /// # Errors
    /// Returns any deviation from the document, with its offset in `bytes`. A declared size that
    /// the bytes cannot hold is rejected without allocating memory.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::read_up_to(bytes, 1 << MAX_EXPONENT)
    }

    /// Reads a texture with sides of at most `max_side`. A larger one is downscaled while it is
    /// decoded, so that it is never in memory as a whole. Each pixel is the mean of a square in
    /// which colours are weighted by their opacity.
    ///
    /// # Errors
    /// As [`Texture::read`].
    pub fn read_up_to(bytes: &[u8], max_side: u32) -> Result<Self, ReadError> {
        let fault = |at: usize, found: String, expected: String| {
            ReadError::unreadable(&rules::TEXTURE, Place::Offset(at as u64), found, expected)
        };
        let Some((&[p, t, f, version, flags, exponents], frame)) =
            bytes.split_first_chunk::<HEAD_BYTES>()
        else {
            let found = format!("a texture of {}", counted(bytes.len(), "byte"));
            return Err(fault(
                bytes.len(),
                found,
                format!("at least {HEAD_BYTES} bytes"),
            ));
        };
        let begin = [p, t, f, version];
        if begin != Self::MAGIC {
            let found = format!("the texture begins with {}", hex(&begin));
            return Err(fault(0, found, hex(&Self::MAGIC)));
        }
        let width = 1_u32 << (exponents & 0x0F);
        let height = 1_u32 << (exponents >> 4);
        let has_alpha = flags & ALPHA != 0;
        let pixel_bytes = if has_alpha { 4 } else { 3 };
        let declared = u64::from(width) * u64::from(height) * pixel_bytes;
        let step = width.max(height) / max_side.max(1);
        let result = if step > 1 {
            let mut smaller = Downscaler::new([width, height], pixel_bytes as usize, step);
            lz4::unpack_each(frame, declared, &mut |block| smaller.take(block))
                .map(|()| (smaller.size, smaller.pixels))
        } else {
            lz4::unpack(frame, declared).map(|pixels| ([width, height], pixels))
        };
        let ([width, height], pixels) = result.map_err(|wrong| {
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

    /// The sides in the header of a texture, and its flags without a meaning; `None` if the bytes
    /// are too short for a header.
    pub fn head(bytes: &[u8]) -> Option<([u32; 2], u8)> {
        let &[.., flags, exponents] = bytes.first_chunk::<HEAD_BYTES>()?;
        let sides = [exponents & 0x0F, exponents >> 4].map(|exponent| 1 << exponent);
        Some((sides, flags & !ALPHA))
    }

    /// Encodes the texture as a file; `None` if a side is not a power of two up to 32768 or if the
    /// number of pixels does not match the sides.
    pub fn write(&self) -> Option<Vec<u8>> {
        let exponent = |side: u32| {
            let exponent = side.checked_ilog2()?;
            (side.is_power_of_two() && exponent <= MAX_EXPONENT).then_some(exponent as u8)
        };
        let exponents = exponent(self.height)? << 4 | exponent(self.width)?;
        let pixel_bytes = if self.has_alpha { 4 } else { 3 };
        let declared = u64::from(self.width) * u64::from(self.height) * pixel_bytes;
        if self.pixels.len() as u64 != declared {
            return None;
        }
        let mut bytes = Self::MAGIC.to_vec();
        bytes.extend([
            self.unknown_flags & !ALPHA | u8::from(self.has_alpha),
            exponents,
        ]);
        bytes.extend(lz4::pack(&self.pixels));
        Some(bytes)
    }
}

/// Downscales a texture while its rows arrive.
struct Downscaler {
    width: usize,
    pixel_bytes: usize,
    /// Columns and rows that become one pixel.
    steps: [usize; 2],
    size: [u32; 2],
    /// The start of the next row.
    row: Vec<u8>,
    /// For each pixel of the next output row: weighted sums of red, green and blue, the sum of
    /// weights, and alpha.
    sums: Vec<[u64; 5]>,
    rows: usize,
    pixels: Vec<u8>,
}

impl Downscaler {
    fn new([width, height]: [u32; 2], pixel_bytes: usize, step: u32) -> Self {
        let steps = [width, height].map(|side| step.min(side));
        let size = [width / steps[0], height / steps[1]];
        Self {
            width: width as usize,
            pixel_bytes,
            steps: steps.map(|step| step as usize),
            size,
            row: Vec::with_capacity(width as usize * pixel_bytes),
            sums: vec![[0; 5]; size[0] as usize],
            rows: 0,
            pixels: Vec::new(),
        }
    }

    /// Consumes the next bytes.
    fn take(&mut self, mut bytes: &[u8]) {
        let row_bytes = self.width * self.pixel_bytes;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(row_bytes - self.row.len()));
            self.row.extend_from_slice(now);
            bytes = later;
            if self.row.len() == row_bytes {
                self.add_row();
                self.row.clear();
            }
        }
    }

    fn add_row(&mut self) {
        let [columns, rows] = self.steps;
        let squares = self.row.chunks_exact(columns * self.pixel_bytes);
        for (square, sums) in squares.zip(&mut self.sums) {
            for pixel in square.chunks_exact(self.pixel_bytes) {
                let alpha = pixel.get(3).copied().map_or(255, u64::from);
                // If all pixels are transparent, the colours have equal weights.
                let weight = (alpha << 8) + 1;
                for (sum, channel) in sums.iter_mut().zip(pixel.iter().take(3)) {
                    *sum += u64::from(*channel) * weight;
                }
                sums[3] += weight;
                sums[4] += alpha;
            }
        }
        self.rows += 1;
        if self.rows == rows {
            self.rows = 0;
            let count = (columns * rows) as u64;
            for sums in &mut self.sums {
                let [r, g, b, weight, alpha] = *sums;
                let color = [r, g, b].map(|sum| ((sum + weight / 2) / weight) as u8);
                let alpha = ((alpha + count / 2) / count) as u8;
                let [r, g, b] = color;
                let pixel = [r, g, b, alpha];
                self.pixels.extend(pixel.iter().take(self.pixel_bytes));
                *sums = [0; 5];
            }
        }
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
        let error = Texture::read(bytes).unwrap_err().problem().unwrap().facts();
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
        refused(&[], "0x0: warning: pmf/texture: 0 6");
        refused(&bytes[..5], "0x5: warning: pmf/texture: 5 6");
        refused(&bytes[..6], "pmf/texture");
        let with = |at: usize, byte: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            bytes
        };
        refused(&with(0, b'Q'), "pmf/texture");
        refused(&with(3, 1), "pmf/texture");
        refused(
            &with(5, 0xFF),
            "pmf/texture: 275 32768x32768 4294967296 70189 LZ4",
        );
        refused(&with(5, 0x34), "pmf/texture: 16x8 256 512 LZ4");
        refused(&with(4, 0), "pmf/texture: 192 8x8 LZ4");
        refused(
            &with(6, 0),
            "0x6: warning: pmf/texture: 00 04 18 22 4d 8x8 LZ4",
        );
        let more = [&bytes[..], &[0]].concat();
        refused(&more, "pmf/texture: 1 8x8 LZ4");
    }

    #[test]
    fn large_textures_are_made_smaller_while_they_are_decoded() {
        for (width, height, has_alpha) in [(512, 256, false), (256, 512, true), (512, 2, true)] {
            let whole = texture(width, height, has_alpha);
            let bytes = whole.write().unwrap();
            assert_eq!(Texture::head(&bytes), Some(([width, height], 0)));
            let small = Texture::read_up_to(&bytes, 128).unwrap();
            let step = [width, height].map(|side| side.min(4));
            let size = [width / step[0], height / step[1]];
            assert_eq!([small.width, small.height], size);
            let channels = if has_alpha { 4 } else { 3 };
            assert_eq!(small.pixels.len(), (size[0] * size[1]) as usize * channels);
            // The red of the second pixel of the last row, computed by hand.
            let (mut sum, mut weights) = (0.0, 0.0);
            for y in height - step[1]..height {
                for x in step[0]..2 * step[0] {
                    let at = (y * width + x) as usize * channels;
                    let alpha = if has_alpha { whole.pixels[at + 3] } else { 255 };
                    sum += f64::from(whole.pixels[at]) * f64::from(alpha);
                    weights += f64::from(alpha);
                }
            }
            let at = ((size[1] - 1) * size[0] + 1) as usize * channels;
            let red = f64::from(small.pixels[at]);
            assert!((red - sum / weights).abs() < 0.6, "{red} {}", sum / weights);
        }
        // A truncated texture is rejected.
        let bytes = texture(512, 256, false).write().unwrap();
        assert!(Texture::read_up_to(&bytes[..bytes.len() - 9], 128).is_err());
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
