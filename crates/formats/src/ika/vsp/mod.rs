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

use crate::{Format, NotRead, Problem};

/// The name of the node that is a text tileset.
const ROOT: &str = "ika-tileset";
/// How many animation strands a tileset has.
pub const STRANDS: usize = 100;
/// The longest edge of a tile, in pixels: far more than any has, and few enough to make an image of
/// that size for what is missing.
pub const MAX_TILE_SIDE: u32 = 1024;

/// How the table of formats knows tilesets.
pub static FORMAT: Format = Format {
    id: "vsp",
    name: "ika tileset",
    endings: &["vsp"],
    sniff: read::sniff,
};

/// A tileset as plain data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vsp {
    /// The version of the format.
    pub version: Version,
    /// Width and height of the tiles, in pixels.
    pub tile_size: [u32; 2],
    /// How many tiles there are said to be.
    pub count: u32,
    /// What its author says of it.
    pub description: String,
    /// What else its author says of it: key and value, in file order. Only of a text tileset.
    pub meta: Vec<(String, String)>,
    /// The colours of [`Pixels::Indexed`] as the file has them: red, green and blue, which
    /// versions of VERGE have from 0 to 63. Empty where there are none.
    pub palette: Vec<[u8; 3]>,
    /// The number of the transparent colour as the file has it; the engine takes 0 whatever it
    /// says.
    pub mask: Option<u8>,
    /// The tiles one after another, each row by row from the top left. Fewer than
    /// [`Vsp::count`] tiles where the file has fewer.
    pub pixels: Pixels,
    /// Why they are fewer, if they are.
    pub pixels_not_read: Option<NotRead>,
    /// Animations; [`STRANDS`] of them, of which few are in use, or none where they are missing.
    pub strands: Vec<Strand>,
    /// Why they are fewer, if the file does not end before them.
    pub strands_not_read: Option<NotRead>,
    /// Where they begin in the file; none in a text, which has none.
    pub strands_at: Option<u64>,
    /// Everything that is wrong with the file, in file order.
    /// Of each kind the first hundred are listed, and how many more there are.
    pub problems: Vec<Problem>,
}

/// The version of a tileset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// A binary file of version 2 to 6.
    Binary(u16),
    /// A text file, and what it calls its version.
    Text(String),
}

impl Default for Version {
    /// The version of files that are written.
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

/// The pixels of a tileset as they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pixels {
    /// Numbers of colours of the palette.
    Indexed(Vec<u8>),
    /// Red, green, blue and alpha, a byte each.
    Rgba(Vec<u8>),
    /// Five bits each of red, green and blue, red the highest; 0 is transparent. Version 4.
    Rgb555(Vec<u16>),
    /// Five bits of red, six of green, five of blue, red the highest; 0 is transparent. Version
    /// 5.
    Rgb565(Vec<u16>),
}

impl Default for Pixels {
    fn default() -> Self {
        Self::Indexed(Vec::new())
    }
}

impl Pixels {
    /// How many bytes a pixel takes.
    pub fn bytes_per_pixel(&self) -> u32 {
        match self {
            Self::Indexed(_) => 1,
            Self::Rgb555(_) | Self::Rgb565(_) => 2,
            Self::Rgba(_) => 4,
        }
    }

    /// How many pixels there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Indexed(bytes) => bytes.len(),
            Self::Rgb555(words) | Self::Rgb565(words) => words.len(),
            Self::Rgba(bytes) => bytes.len() / 4,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An animation: tiles that take each other's place, a hundredth of a second at a time (fact
/// sheet 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Strand {
    /// The first tile.
    pub start: u16,
    /// The last tile.
    pub finish: u16,
    /// How long each is shown, in hundredths of a second.
    pub delay: u16,
    /// Which comes next: an index into [`MODES`] unless it means nothing.
    pub mode: u16,
}

/// What the modes of strands are called, in the order of their numbers.
pub const MODES: [&str; 4] = ["forwards", "backwards", "random", "there and back"];

impl Strand {
    /// Whether it does anything.
    pub fn is_active(&self) -> bool {
        self.start < self.finish
    }
}

impl Vsp {
    /// Where the palette begins in the file (fact sheet 5); none where there is none.
    pub fn palette_offset(&self) -> Option<u64> {
        match self.version {
            Version::Binary(6) => Some(75),
            Version::Binary(_) => Some(2),
            Version::Text(_) => None,
        }
        .filter(|_| !self.palette.is_empty())
    }

    /// Where the pixels begin in the file; none where they are packed.
    pub fn pixels_offset(&self) -> Option<u64> {
        match self.version {
            Version::Binary(2) => Some(772),
            Version::Binary(4) => Some(4),
            _ => None,
        }
    }

    /// How many pixels a tile has.
    pub fn tile_pixels(&self) -> u64 {
        let [width, height] = self.tile_size;
        u64::from(width) * u64::from(height)
    }

    /// The strands that do anything.
    pub fn active_strands(&self) -> impl Iterator<Item = &Strand> {
        self.strands.iter().filter(|strand| strand.is_active())
    }

    /// The number of the colour that is transparent (fact sheet 7.16): 0, which is what the
    /// engine takes, unless the file names another.
    pub fn transparent_index(&self) -> u8 {
        self.mask.unwrap_or(0)
    }

    /// The palette in 8 bits per channel: where all that the file has are below 64, they are the
    /// 6 bits of VGA (fact sheet 7.15).
    pub fn palette_rgb(&self) -> Vec<[u8; 3]> {
        let is_vga = self.palette.iter().flatten().all(|value| *value <= 63);
        let shift = if is_vga { 2 } else { 0 };
        let colors = self.palette.iter();
        colors
            .map(|color| color.map(|value| value << shift))
            .collect()
    }

    /// The pixels of all tiles that there are as red, green, blue and alpha, not multiplied.
    pub fn rgba(&self) -> Cow<'_, [u8]> {
        match &self.pixels {
            // As they are: these may be many.
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

/// Pixels of 16 bits, whose missing low bits are 0 as in the engine.
fn high_color(words: &[u16], rgb: impl Fn(u16) -> [u16; 3]) -> Cow<'static, [u8]> {
    let pixels = words.iter().flat_map(|word| {
        let [r, g, b] = rgb(*word).map(|value| value as u8);
        [r, g, b, if *word == 0 { 0 } else { 255 }]
    });
    pixels.collect()
}
