//! VSP tilesets: ika's own version 6, versions 2 to 5 of VERGE, and the text tileset (fact sheet
//! 5).

mod read;
mod rle;
#[cfg(feature = "write")]
mod write;

use std::borrow::Cow;
use std::fmt;

pub use read::{read, read_with};
#[cfg(feature = "write")]
pub use write::write;

use crate::{Format, Problem, UnreadReason};

/// Name of the root node of a text tileset.
const ROOT: &str = "ika-tileset";
/// Number of animation strands in a tileset.
pub const STRANDS: usize = 100;
/// Maximum edge of a tile, in pixels. Far above any real tile, and small enough for a placeholder
/// image of that size.
pub const MAX_TILE_SIDE: u32 = 1024;

/// The table entry for tilesets.
pub static FORMAT: Format = Format {
    id: "vsp",
    name: "ika tileset",
    endings: &["vsp"],
    sniff: read::sniff,
};

/// A tileset as plain data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vsp {
    /// Version of the format.
    pub version: Version,
    /// Width and height of the tiles, in pixels.
    pub tile_size: [u32; 2],
    /// Declared number of tiles.
    pub count: u32,
    /// Description by its author.
    pub description: String,
    /// Other metadata by the author: key and value, in file order. Only in text tilesets.
    pub meta: Vec<(String, String)>,
    /// The colours of [`Pixels::Indexed`] as stored: red, green and blue, from 0 to 63 in VERGE
    /// versions. Empty without a palette.
    pub palette: Vec<[u8; 3]>,
    /// Index of the transparent colour as stored; the engine always uses 0.
    pub mask: Option<u8>,
    /// The pixels of the tiles in order, each row by row from the top left. Fewer than
    /// [`Vsp::count`] tiles if the file has fewer.
    pub pixels: Pixels,
    /// Reason for missing pixels, if any are missing.
    pub pixels_not_read: Option<UnreadReason>,
    /// Animations: [`STRANDS`] entries, most of them unused, or empty if they are missing.
    pub strands: Vec<Strand>,
    /// Reason for missing strands, unless the file ends before them.
    pub strands_not_read: Option<UnreadReason>,
    /// Offset of the strands in the file; `None` for a text tileset, which has no strands.
    pub strands_at: Option<u64>,
    /// All problems of the file, in file order. Limited to the first hundred of each kind, plus the
    /// number of further ones.
    pub problems: Vec<Problem>,
}

/// The version of a tileset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// A binary file of version 2 to 6.
    Binary(u16),
    /// A text file, with its version string.
    Text(String),
}

impl Default for Version {
    /// The version of written files.
    fn default() -> Self {
        Self::Binary(6)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary(version) => version.fmt(f),
            Self::Text(version) => version.fmt(f),
        }
    }
}

/// The pixels of a tileset as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pixels {
    /// Palette indices.
    Indexed(Vec<u8>),
    /// Red, green, blue and alpha, one byte each.
    Rgba(Vec<u8>),
    /// Five bits each of red, green and blue, with red highest; 0 is transparent. Version 4.
    Rgb555(Vec<u16>),
    /// Five bits of red, six of green, five of blue, with red highest; 0 is transparent. Version 5.
    Rgb565(Vec<u16>),
}

impl Default for Pixels {
    fn default() -> Self {
        Self::Indexed(Vec::new())
    }
}

impl Pixels {
    /// Number of bytes per pixel.
    pub fn bytes_per_pixel(&self) -> u32 {
        match self {
            Self::Indexed(_) => 1,
            Self::Rgb555(_) | Self::Rgb565(_) => 2,
            Self::Rgba(_) => 4,
        }
    }

    /// Number of pixels.
    pub fn len(&self) -> usize {
        match self {
            Self::Indexed(bytes) => bytes.len(),
            Self::Rgb555(words) | Self::Rgb565(words) => words.len(),
            Self::Rgba(bytes) => bytes.len() / 4,
        }
    }

    /// Returns `true` if there are no pixels.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An animation: tiles that replace each other, timed in hundredths of a second (fact sheet 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Strand {
    /// The first tile.
    pub start: u16,
    /// The last tile.
    pub finish: u16,
    /// Display time of each tile, in hundredths of a second.
    pub delay: u16,
    /// Playback order: an index into [`MODES`] if it is valid.
    pub mode: u16,
}

/// Names of the strand modes, in numerical order.
pub const MODES: [&str; 4] = ["forwards", "backwards", "random", "there and back"];

impl Strand {
    /// Returns `true` if the strand animates any tiles.
    pub fn is_active(&self) -> bool {
        self.start < self.finish
    }
}

impl Vsp {
    /// Offset of the palette in the file (fact sheet 5); `None` without a palette.
    pub fn palette_offset(&self) -> Option<u64> {
        match self.version {
            Version::Binary(6) => Some(75),
            Version::Binary(_) => Some(2),
            Version::Text(_) => None,
        }
        .filter(|_| !self.palette.is_empty())
    }

    /// Offset of the pixels in the file; `None` if they are packed.
    pub fn pixels_offset(&self) -> Option<u64> {
        match self.version {
            Version::Binary(2) => Some(772),
            Version::Binary(4) => Some(4),
            _ => None,
        }
    }

    /// Number of pixels in a tile.
    pub fn tile_pixels(&self) -> u64 {
        let [width, height] = self.tile_size;
        u64::from(width) * u64::from(height)
    }

    /// The strands that animate any tiles.
    pub fn active_strands(&self) -> impl Iterator<Item = &Strand> {
        self.strands.iter().filter(|strand| strand.is_active())
    }

    /// Index of the transparent colour (fact sheet 7.16): 0, as in the engine, unless the file
    /// names another.
    pub fn transparent_index(&self) -> u8 {
        self.mask.unwrap_or(0)
    }

    /// The palette in 8 bits per channel. If all stored values are below 64, they are the 6 bits of
    /// VGA (fact sheet 7.15).
    pub fn palette_rgb(&self) -> Vec<[u8; 3]> {
        let is_vga = self.palette.iter().flatten().all(|value| *value <= 63);
        let shift = if is_vga { 2 } else { 0 };
        let colors = self.palette.iter();
        colors
            .map(|color| color.map(|value| value << shift))
            .collect()
    }

    /// The pixels of all present tiles as RGBA with straight alpha.
    pub fn rgba(&self) -> Cow<'_, [u8]> {
        match &self.pixels {
            // Borrowed, because there may be many.
            Pixels::Rgba(bytes) => Cow::Borrowed(bytes),
            Pixels::Indexed(indices) => {
                let transparent = usize::from(self.transparent_index());
                let mut colors = [[0, 0, 0, 255]; 256];
                for (i, ([r, g, b], color)) in
                    self.palette_rgb().into_iter().zip(&mut colors).enumerate()
                {
                    *color = [r, g, b, if i == transparent { 0 } else { 255 }];
                }
                let pixels = indices.iter();
                let color = |index: &u8| colors.get(usize::from(*index)).copied();
                pixels
                    .flat_map(|index| color(index).unwrap_or_default())
                    .collect()
            }
            Pixels::Rgb555(words) => high_color(words, |word| {
                [(word >> 7) & 0xF8, (word >> 2) & 0xF8, (word << 3) & 0xF8]
            }),
            Pixels::Rgb565(words) => high_color(words, |word| {
                [(word >> 8) & 0xF8, (word >> 3) & 0xFC, (word << 3) & 0xF8]
            }),
        }
    }
}

/// Converts 16-bit pixels. The missing low bits are 0, as in the engine.
fn high_color(words: &[u16], rgb: impl Fn(u16) -> [u16; 3]) -> Cow<'static, [u8]> {
    let pixels = words.iter().flat_map(|word| {
        let [r, g, b] = rgb(*word).map(|value| value as u8);
        [r, g, b, if *word == 0 { 0 } else { 255 }]
    });
    pixels.collect()
}
