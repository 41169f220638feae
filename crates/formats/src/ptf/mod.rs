//! PTF, the textures of `PlatinumSrc`, in the three layouts that share its version (fact sheet of
//! P3M, PTF and PAF, section T).

mod downscale;
mod read;
pub(crate) mod rules;

use std::fmt;
use std::ops::ControlFlow;

pub use read::Head;
pub(crate) use rules::RULES;

use crate::{Format, Problem, ReadError, WriteError, lz4};

/// Maximum number of pixels on a side.
pub const MAX_SIDE: u32 = 1 << 15;
/// Maximum number of pixels of a texture that is shown as it is.
const MAX_SHOWN_PIXELS: u32 = 1 << 24;
/// Maximum side of a texture that is shown as it is: the limit of common graphics adapters.
const MAX_SHOWN_SIDE: u32 = 1 << 13;

/// The table entry for textures.
pub static FORMAT: Format = Format {
    id: "ptf",
    name: "PlatinumSrc texture",
    endings: &["ptf"],
    sniff: |bytes| bytes.starts_with(&Texture::MAGIC),
};

/// The layout of a file. All layouts have the same version number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Layout {
    /// Squares with 3 or 4 channels.
    V1 = 1,
    /// 3 or 4 channels.
    V2 = 2,
    /// 1 to 4 channels.
    #[default]
    V3 = 3,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (*self as u8).fmt(f)
    }
}

/// A texture, whose sides are powers of two.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texture {
    /// The layout of its file.
    pub layout: Layout,
    /// Pixels per row, 1 to 32768.
    pub width: u32,
    /// Number of rows, 1 to 32768.
    pub height: u32,
    /// Bytes per pixel: 1 for grey, 2 for grey and alpha, 3 for red, green and blue, 4 for these
    /// and alpha.
    pub channels: u8,
    /// The pixels row by row, the top row first.
    pub pixels: Vec<u8>,
    /// Flag bits without a meaning; 0 in files that follow the document.
    pub unknown_flags: u8,
    /// All problems of the file.
    pub problems: Vec<Problem>,
}

impl Texture {
    /// Magic bytes: three letters and the version.
    pub const MAGIC: [u8; 4] = *b"PTF\0";

    /// A texture without unknown flags and problems.
    pub fn new(layout: Layout, [width, height]: [u32; 2], channels: u8, pixels: Vec<u8>) -> Self {
        Self {
            layout,
            width,
            height,
            channels,
            pixels,
            ..Self::default()
        }
    }

    /// `true` if the pixels have an alpha channel.
    pub fn has_alpha(&self) -> bool {
        has_alpha(self.channels)
    }

    /// Red, green, blue and alpha of all pixels.
    pub fn into_rgba(self) -> Vec<u8> {
        if self.channels == 4 {
            return self.pixels;
        }
        let mut rgba = Vec::with_capacity(self.width as usize * self.height as usize * 4);
        to_rgba(&self.pixels, self.channels, &mut rgba);
        rgba
    }

    /// Encodes the texture as a file.
    ///
    /// # Errors
    /// If its layout cannot represent its sides or channels, or if the number of pixels does not
    /// match the sides.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let refused = |what: String| Err(WriteError::new("texture", what));
        let (size, layout) = ([self.width, self.height], self.layout);
        if let Some(valid) = valid_size(size) {
            let [[w, h], [valid_w, valid_h]] = [size, valid];
            return refused(format!(
                "{w} x {h} pixels; expected powers of two up to {MAX_SIDE}, such as {valid_w} x \
                 {valid_h}"
            ));
        }
        let channels: u64 = self.channels.into();
        let min = if layout == Layout::V3 { 1 } else { 3 };
        if !(min..=4).contains(&channels) {
            return refused(format!(
                "{channels} channels; expected {min} to 4 in layout {layout}"
            ));
        }
        let [width, height] = size.map(|side| side.ilog2() as u8);
        let alpha = u8::from(self.has_alpha());
        let head = match layout {
            Layout::V1 if width != height => {
                return refused(format!(
                    "{} x {} pixels; expected a square in layout {layout}",
                    self.width, self.height
                ));
            }
            Layout::V1 => vec![self.unknown_flags & 0xE0 | alpha << 4 | width],
            Layout::V2 => vec![self.unknown_flags & !0x03 | alpha, height << 4 | width],
            Layout::V3 => vec![
                self.unknown_flags & !0x03 | (self.channels - 1),
                height << 4 | width,
            ],
        };
        let declared = u64::from(self.width) * u64::from(self.height) * channels;
        if self.pixels.len() as u64 != declared {
            let len = self.pixels.len();
            return refused(format!("{len} bytes of pixels; expected {declared}"));
        }
        Ok([&Self::MAGIC[..], &head, &lz4::pack(&self.pixels)].concat())
    }
}

/// Reads a texture for a view: a large one is downscaled to at most 2^24 pixels.
///
/// # Errors
/// As [`Texture::read`], or if `watch` asks to stop before the pixels are decoded.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Texture, ReadError> {
    if watch(0.0).is_break() {
        return Err(ReadError::Cancelled);
    }
    Texture::read_up_to(bytes, shown_side(bytes))
}

/// The maximum side of a texture for a view.
fn shown_side(bytes: &[u8]) -> u32 {
    let [width, height] = Head::of(bytes).map_or([1; 2], |head| head.size);
    let mut side = MAX_SHOWN_SIDE;
    while u64::from(width.min(side)) * u64::from(height.min(side)) > MAX_SHOWN_PIXELS.into() {
        side /= 2;
    }
    side
}

/// The nearest size at least as large that a texture can have; `None` if it can have this one.
fn valid_size(size: [u32; 2]) -> Option<[u32; 2]> {
    let valid = size.map(|side| side.clamp(1, MAX_SIDE).next_power_of_two());
    (valid != size).then_some(valid)
}

/// `true` if pixels of this many channels have alpha.
fn has_alpha(channels: u8) -> bool {
    channels.is_multiple_of(2)
}

/// Appends pixels as red, green, blue and alpha.
fn to_rgba(pixels: &[u8], channels: u8, rgba: &mut Vec<u8>) {
    match channels {
        1 => rgba.extend(pixels.iter().flat_map(|&i| [i, i, i, u8::MAX])),
        2 => {
            let pixels = pixels.as_chunks().0.iter();
            rgba.extend(pixels.flat_map(|&[i, a]| [i, i, i, a]));
        }
        3 => {
            let pixels = pixels.as_chunks().0.iter();
            rgba.extend(pixels.flat_map(|&[r, g, b]| [r, g, b, u8::MAX]));
        }
        _ => rgba.extend_from_slice(pixels),
    }
}

#[cfg(test)]
mod tests;
