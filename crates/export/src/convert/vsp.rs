//! Versions and pixels of tilesets (fact sheet of ika, section 5).

use std::collections::HashMap;

use mapscope_formats::ika::vsp::{self, FORMAT, Pixels, STRANDS, Strand, Version, Vsp};
use mapscope_formats::{Format, Problem, ReadError, counted, quoted};

use super::{Content, ConversionReport, ConvertError, ItemNames, Row};

/// The forms of tilesets. All of them are version 6, the only version that is written.
pub(super) const FORMS: &[Row<Vsp>] = &[
    Row::change(
        &FORMAT,
        "version",
        [
            "6",
            "Version 6 with unchanged pixels, except that 16 bits become 32",
        ],
        |_, _| Ok(()),
    ),
    Row::change(
        &FORMAT,
        "pixels",
        ["32-bit", "Version 6 with 32 bits per pixel"],
        |vsp, told| {
            to_rgba(vsp, told);
            Ok(())
        },
    ),
    Row::change(
        &FORMAT,
        "pixels",
        ["8-bit", "Version 6 with a palette of 256 colours"],
        to_indexed,
    ),
];

/// Number of colours of a palette.
const COLORS: usize = 256;
/// Maximum number of bytes of a description.
const MAX_DESCRIPTION: usize = 63;

fn to_rgba(vsp: &mut Vsp, told: &mut ConversionReport) {
    if !matches!(vsp.pixels, Pixels::Rgba(_)) {
        vsp.pixels = Pixels::Rgba(vsp.rgba().into_owned());
    }
    let used = usize::from(!vsp.palette.is_empty());
    told.lost(used, "palette", "their unused colours");
    vsp.palette.clear();
    vsp.mask = None;
}

fn to_indexed(vsp: &mut Vsp, told: &mut ConversionReport) -> Result<(), ConvertError> {
    if matches!(vsp.pixels, Pixels::Indexed(_)) {
        return Ok(());
    }
    let rgba = vsp.rgba().into_owned();
    let pixels = rgba.as_chunks::<4>().0;
    // Index 0 is transparent; its colour is invisible.
    let mut unseen = pixels.iter().filter(|[.., a]| *a == 0);
    let hidden = unseen.next().map_or([0; 3], |[r, g, b, _]| [*r, *g, *b]);
    let others = unseen.filter(|[r, g, b, _]| [*r, *g, *b] != hidden).count();
    told.lost(others, "pixel", "their colour, which is fully transparent");
    let mut palette: Vec<[u8; 3]> = vec![hidden];
    let mut numbers = HashMap::new();
    let mut indices = Vec::with_capacity(pixels.len());
    for [r, g, b, a] in pixels.iter().copied() {
        let number = match (a, numbers.get(&[r, g, b])) {
            (0, _) => 0,
            (255, Some(number)) => *number,
            (255, None) if palette.len() < COLORS => {
                let number = palette.len() as u8;
                palette.push([r, g, b]);
                numbers.insert([r, g, b], number);
                number
            }
            (255, None) => {
                let text = format!(
                    "more than {} opaque colours, the limit of a palette",
                    COLORS - 1
                );
                return Err(ConvertError::Unrepresentable(text));
            }
            _ => {
                let text = format!(
                    "a pixel has opacity {a}; expected only opaque and fully transparent pixels for a palette"
                );
                return Err(ConvertError::Unrepresentable(text));
            }
        };
        indices.push(number);
    }
    // A palette of dark colours only is read as one of 6 bits.
    if palette.iter().flatten().all(|value| *value <= 63) {
        if palette.len() == COLORS {
            let text = "all 256 colours are dark, so readers would take them for brighter ones";
            return Err(ConvertError::Unrepresentable(text.to_owned()));
        }
        palette.resize(COLORS, [255; 3]);
    }
    palette.resize(COLORS, [0; 3]);
    vsp.palette = palette;
    vsp.mask = Some(0);
    vsp.pixels = Pixels::Indexed(indices);
    Ok(())
}

/// The strands as they are written, padded with unused ones.
fn strands(vsp: &Vsp) -> Vec<Strand> {
    let unused = std::iter::repeat_n(Strand::default(), STRANDS);
    vsp.strands
        .iter()
        .copied()
        .chain(unused)
        .take(STRANDS)
        .collect()
}

impl Content for Vsp {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        vsp::read(bytes)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        vsp::write(&self.written()).map_err(|error| error.to_string())
    }

    fn format() -> &'static Format {
        &FORMAT
    }

    fn form(&self) -> String {
        let bits = 8 * self.pixels.bytes_per_pixel();
        format!("version {}, {bits} bits per pixel", self.version)
    }

    fn is_same(&self, other: &Self) -> bool {
        let [one, two] = [self, other];
        one.tile_size == two.tile_size
            && one.count == two.count
            && one.written().description == two.written().description
            && one.rgba() == two.rgba()
            && one.palette == two.palette
            && strands(one) == strands(two)
    }

    fn unwritten(&self, _bytes: &[u8], told: &mut ConversionReport) {
        let keys = self.meta.iter();
        let keys: ItemNames = keys.map(|(key, _)| quoted(key.as_bytes())).collect();
        told.lost(
            keys,
            "key",
            "their value, because only text tilesets have metadata",
        );
        let described = self.written().description != self.description;
        told.lost(
            usize::from(described),
            "description",
            "the text after 63 characters",
        );
        if let Version::Text(version) = &self.version {
            told.note(format!(
                "the text of version {version} becomes a binary file"
            ));
        }
        if let Pixels::Rgb555(words) | Pixels::Rgb565(words) = &self.pixels {
            let pixels = counted(words.len(), "pixel");
            told.note(format!("{pixels} change from 16 to 32 bits"));
        }
    }
}

/// Conversion of a tileset to a writable one.
trait Written {
    /// Truncates the description to its maximum length.
    fn written(&self) -> Vsp;
}

impl Written for Vsp {
    fn written(&self) -> Self {
        let mut vsp = self.clone();
        if vsp.description.chars().count() > MAX_DESCRIPTION {
            vsp.description = vsp.description.chars().take(MAX_DESCRIPTION).collect();
        }
        vsp
    }
}
