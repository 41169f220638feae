//! Images that are generated row by row, so that a large image need not fit in memory.

use std::io::Write;
use std::ops::Range;

use crate::Image;

/// Bytes per pixel.
const RGBA: usize = 4;
/// Maximum side of a written image in pixels: one row of it must fit in memory.
const MAX_PNG_PX: u64 = 1 << 24;
/// Maximum number of samples per axis for each pixel of a downscaled image.
const MAX_SAMPLES: usize = 16;

/// An image of any size, such as a whole map at 1:1.
pub trait FlatImage {
    /// Width and height in pixels.
    fn size(&self) -> [u64; 2];

    /// Writes the pixels from `from` to the right, including that pixel, until `rgba` is full.
    fn part_of_row(&self, from: [u64; 2], rgba: &mut [u8]);

    /// Writes a row from its left end until `rgba` is full.
    fn row(&self, y: u64, rgba: &mut [u8]) {
        self.part_of_row([0, y], rgba);
    }

    /// Writes the image as a PNG without holding all of it in memory.
    ///
    /// # Errors
    ///
    /// If the image is larger than a PNG can be, or cannot be written.
    fn write_png(&self, out: &mut dyn Write) -> Result<(), png::EncodingError> {
        let [width, height] = self.size();
        if width.max(height) > MAX_PNG_PX {
            return Err(png::EncodingError::LimitsExceeded);
        }
        let [width_px, height_px] = [width as u32, height as u32];
        let mut encoder = png::Encoder::new(out, width_px, height_px);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer()?;
        let mut row = vec![0; width_px as usize * RGBA];
        for y in 0..height {
            self.row(y, &mut row);
            stream.write_all(&row)?;
        }
        stream.finish()?;
        writer.finish()
    }

    /// Returns the image downscaled to at most `longest_px` pixels per side. Large images are
    /// sampled, so not every pixel contributes.
    fn scaled_down(&self, longest_px: u32) -> Image {
        let [width, height] = self.size();
        let longest = width.max(height).max(1);
        let size = self.size().map(|side| {
            let scaled = u128::from(side) * u128::from(longest_px) / u128::from(longest);
            (scaled as u64).min(side).max(1)
        });
        let mut rgba = Vec::with_capacity((size[0] * size[1]) as usize * RGBA);
        let mut samples = [0; MAX_SAMPLES * RGBA];
        for line in 0..size[1] {
            let rows = part(height, size[1], line);
            for column in 0..size[0] {
                let columns = part(width, size[0], column);
                let across = (columns.end - columns.start).min(MAX_SAMPLES as u64) as usize;
                let row = &mut samples[..across * RGBA];
                let step = ((rows.end - rows.start) / MAX_SAMPLES as u64).max(1);
                let (mut sums, mut count) = ([0_u32; 3], 0);
                for y in rows.clone().step_by(step as usize).take(MAX_SAMPLES) {
                    self.part_of_row([columns.start, y], row);
                    for pixel in row.chunks_exact(RGBA) {
                        for (sum, channel) in sums.iter_mut().zip(pixel) {
                            *sum += u32::from(*channel);
                        }
                        count += 1;
                    }
                }
                let [r, g, b] = sums.map(|sum| (sum / count.max(1)) as u8);
                rgba.extend([r, g, b, 255]);
            }
        }
        Image {
            size: size.map(|side| side as u32),
            rgba,
        }
    }
}

/// A section of an image in which each pixel is enlarged to a square.
#[derive(Debug)]
pub struct FlatPart<I> {
    /// The image.
    pub image: I,
    /// The image pixel at the top left corner of the section.
    pub from: [u64; 2],
    /// Width and height of the section in image pixels.
    pub size: [u64; 2],
    /// Scale factor per axis, at least 1.
    pub scale: u32,
}

impl<I: FlatImage> FlatImage for FlatPart<I> {
    fn size(&self) -> [u64; 2] {
        self.size
            .map(|side| side.saturating_mul(u64::from(self.scale)))
    }

    fn part_of_row(&self, from: [u64; 2], rgba: &mut [u8]) {
        let scale = u64::from(self.scale.max(1));
        let [x, y] = [0, 1].map(|axis| self.from[axis] + from[axis] / scale);
        if scale == 1 {
            return self.image.part_of_row([x, y], rgba);
        }
        // The source has fewer pixels: write them at the front of the buffer, then spread them from
        // the right end.
        let (into_first, pixels) = ((from[0] % scale) as usize, rgba.len() / RGBA);
        let needed = (into_first + pixels).div_ceil(scale as usize);
        self.image
            .part_of_row([x, y], &mut rgba[..needed.min(pixels) * RGBA]);
        for to in (0..pixels).rev() {
            let at = (into_first + to) / scale as usize * RGBA;
            rgba.copy_within(at..at + RGBA, to * RGBA);
        }
    }
}

impl<I: FlatImage + ?Sized> FlatImage for Box<I> {
    fn size(&self) -> [u64; 2] {
        (**self).size()
    }

    fn part_of_row(&self, from: [u64; 2], rgba: &mut [u8]) {
        (**self).part_of_row(from, rgba);
    }
}

/// Range of source pixels (`all` in total) that pixel `index` of a smaller image of `of` pixels
/// covers.
fn part(all: u64, of: u64, index: u64) -> Range<u64> {
    let at = |index: u64| (u128::from(all) * u128::from(index) / u128::from(of)) as u64;
    at(index)..at(index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image whose pixels encode their own position.
    struct Places;

    impl FlatImage for Places {
        fn size(&self) -> [u64; 2] {
            [10, 6]
        }

        fn part_of_row(&self, [x, y]: [u64; 2], rgba: &mut [u8]) {
            for (x, pixel) in (x..).zip(rgba.chunks_exact_mut(RGBA)) {
                pixel.copy_from_slice(&[x as u8, y as u8, 0, 255]);
            }
        }
    }

    #[test]
    fn a_part_is_what_is_there_with_larger_pixels() {
        let part = |scale| FlatPart {
            image: Places,
            from: [3, 2],
            size: [4, 3],
            scale,
        };
        assert_eq!(part(3).size(), [12, 9]);
        for scale in [1, 2, 3] {
            let part = part(scale);
            let [width, height] = part.size();
            for y in 0..height {
                // Also rows that do not begin at the edge of a source pixel.
                for first in 0..width {
                    let mut row = vec![0; (width - first) as usize * RGBA];
                    part.part_of_row([first, y], &mut row);
                    for (x, pixel) in (first..).zip(row.chunks_exact(RGBA)) {
                        let at = [x, y].map(|px| px / u64::from(scale));
                        assert_eq!(pixel[..2], [3 + at[0] as u8, 2 + at[1] as u8]);
                    }
                }
            }
        }
    }
}
