//! The palette of a map: one list of colours, filled by images and containers (sections 3 and 7).

use super::files::{Files, Pixels, quoted_name};
use super::notes::Notes;
use crate::core::rules;
use mapscope_formats::ppe::IndexedImage;
use mapscope_formats::ppe::xmf::{ColorOrder, Palette, PaletteSource, Xmf};

/// Maximum number of colours in the engine.
const MAX_COLORS: usize = 1 << 16;
/// Default palette size of a cell as a power of two.
const DEFAULT_SHIFT: u32 = 8;

/// The colours of a map.
#[derive(Debug, Default)]
pub(super) struct MapPalette {
    /// The colours by index; `None` where none was set.
    colors: Vec<Option<[u8; 4]>>,
}

impl MapPalette {
    /// Loads all palettes of a container, later ones over earlier ones. Problems of layers other
    /// than `only` are not reported.
    pub(super) fn load(
        &mut self,
        xmf: &Xmf,
        only: Option<usize>,
        files: &mut Files<'_>,
        notes: &mut Notes,
    ) {
        // Sheets only rarely declare an offset for their own colours; palettes override them.
        for source in xmf.layers.iter().flat_map(|layer| &layer.tile_sources) {
            if let (Some(offset), Ok(pixels)) = (source.offset, files.image(&source.path))
                && let Pixels::Indexed(sheet) = &*pixels
            {
                self.put(offset, &sheet.colors());
            }
        }
        let order = files.dialect(xmf).colors;
        for palette in &xmf.palettes {
            self.load_one(palette, order, files, notes);
        }
        let mut of_others = Notes::default();
        for (index, layer) in xmf.layers.iter().enumerate() {
            let is_asked_for = only.is_none_or(|only| only == index);
            for palette in &layer.palettes {
                let notes = if is_asked_for {
                    &mut *notes
                } else {
                    &mut of_others
                };
                self.load_one(palette, order, files, notes);
            }
        }
    }

    fn load_one(
        &mut self,
        palette: &Palette,
        order: ColorOrder,
        files: &mut Files<'_>,
        notes: &mut Notes,
    ) {
        let max = palette
            .pal_shift
            .map_or(MAX_COLORS, |shift| 1 << shift.min(16));
        let mut put = |colors: &[[u8; 4]]| {
            let taken = colors.get(..max).unwrap_or(colors);
            self.put(palette.offset, taken);
        };
        match &palette.source {
            PaletteSource::Embedded { colors, .. } => {
                let colors: Vec<_> = colors.iter().map(|color| order.rgba(*color)).collect();
                put(&colors);
            }
            PaletteSource::File(path) => match files.image(path).as_deref() {
                Ok(Pixels::Indexed(sheet)) => put(&sheet.colors()),
                Ok(Pixels::Colors(_)) => {
                    let message = format!("{} has no palette", quoted_name(path));
                    notes.add_tile_problem(&rules::NO_PALETTE, palette.at, message);
                }
                Err((rule, error)) => {
                    notes.add_tile_problem(rule, palette.at, format!("palette {error}"));
                }
            },
        }
    }

    fn put(&mut self, offset: u32, colors: &[[u8; 4]]) {
        let start = (offset as usize).min(MAX_COLORS);
        let end = (start + colors.len()).min(MAX_COLORS);
        if self.colors.len() < end {
            self.colors.resize(end, None);
        }
        let places = self.colors.get_mut(start..end).unwrap_or_default();
        for (place, color) in places.iter_mut().zip(colors) {
            *place = Some(*color);
        }
    }

    /// The colours of a sheet's indices in one of the palettes. Indices without a palette colour
    /// use the sheet's own.
    ///
    /// The index of a colour is the pixel's value plus the palette number times the palette size.
    /// Colour 0 is transparent unless the image stores alpha for its colours (section 8.22).
    pub(super) fn colors_of(
        &self,
        sheet: &IndexedImage,
        palette: u32,
        shift: Option<u32>,
    ) -> Colors {
        let start = (palette as usize) << shift.unwrap_or(DEFAULT_SHIFT).min(16);
        let own = sheet.colors();
        let mut colors = [[0; 4]; 256];
        let mut is_foreign = [false; 256];
        for (number, (color, strange)) in colors.iter_mut().zip(&mut is_foreign).enumerate() {
            let own = own.get(number).copied();
            let shared = self.colors.get(start + number).copied().flatten();
            *strange = shared.is_none() && palette != 0;
            *color = shared.or(own).unwrap_or_default();
        }
        if !sheet.has_alpha {
            colors[0][3] = 0;
            is_foreign[0] = false;
        }
        Colors { colors, is_foreign }
    }
}

/// Colours by pixel value.
#[derive(Debug)]
pub(super) struct Colors {
    pub(super) colors: [[u8; 4]; 256],
    /// `true` for values whose colour is not from the requested palette.
    pub(super) is_foreign: [bool; 256],
}

/// Appends a part of an image as RGBA: `at` and `size` are in pixels. Pixels outside the image are
/// transparent. Indexed images need `colors`.
pub(super) fn cut(
    pixels: &Pixels,
    at: [i64; 2],
    size: [u32; 2],
    colors: Option<&Colors>,
    out: &mut Vec<u8>,
) {
    let [width, height] = pixels.size().map(i64::from);
    for y in at[1]..at[1] + i64::from(size[1]) {
        for x in at[0]..at[0] + i64::from(size[0]) {
            let is_inside = (0..width).contains(&x) && (0..height).contains(&y);
            let pixel = if is_inside {
                match pixels {
                    Pixels::Indexed(sheet) => {
                        let index = sheet.indices.get((y * width + x) as usize);
                        let color = index.zip(colors);
                        color.map_or([0; 4], |(i, colors)| colors.colors[usize::from(*i)])
                    }
                    Pixels::Colors(image) => {
                        let pixel = image.get_pixel_checked(x as u32, y as u32);
                        pixel.map(|pixel| pixel.0).unwrap_or_default()
                    }
                }
            } else {
                [0; 4]
            };
            out.extend(pixel);
        }
    }
}

/// `true` if a part of an image has values whose colours are not from their palette.
pub(super) fn has_foreign_colors(
    sheet: &IndexedImage,
    at: [i64; 2],
    size: [u32; 2],
    colors: &Colors,
) -> bool {
    let [left, top] = at.map(|px| usize::try_from(px).unwrap_or(0));
    let [width, height] = size.map(|side| side as usize);
    let rows = sheet.indices.chunks(sheet.size[0].max(1) as usize);
    let mut pixels = rows
        .skip(top)
        .take(height)
        .flat_map(|row| row.iter().skip(left).take(width));
    pixels.any(|pixel| colors.is_foreign[usize::from(*pixel)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(has_alpha: bool) -> IndexedImage {
        IndexedImage {
            size: [2, 2],
            indices: vec![0, 1, 2, 1],
            palette: vec![[1, 1, 1, 255], [2, 2, 2, 255], [3, 3, 3, 100]],
            has_alpha,
        }
    }

    #[test]
    fn numbers_of_colours_are_shifted_by_palettes() {
        let mut palette = MapPalette::default();
        palette.put(0, &[[10, 0, 0, 255]; 4]);
        palette.put(4, &[[20, 0, 0, 255]; 4]);
        palette.put(2, &[[11, 0, 0, 255]]);
        let red = |number, shift| {
            let colors = palette.colors_of(&sheet(true), number, Some(shift));
            [0, 1, 2, 3].map(|i: usize| colors.colors[i][0])
        };
        assert_eq!(red(0, 2), [10, 10, 11, 10]);
        assert_eq!(red(1, 2), [20; 4]);
        // Values outside all palettes have the colours of the sheet.
        assert_eq!(red(2, 2), [1, 2, 3, 0]);
        let strange =
            |number| palette.colors_of(&sheet(true), number, Some(2)).is_foreign[..3] != [false; 3];
        assert_eq!([strange(0), strange(1), strange(2)], [false, false, true]);
        assert!(!palette.colors_of(&sheet(false), 2, Some(2)).is_foreign[0]);
        assert_eq!(
            palette.colors_of(&sheet(true), 9, None).colors[1],
            [2, 2, 2, 255]
        );
        palette.put(u32::MAX, &[[0; 4]; 9]);
        palette.put(65_535, &[[0; 4]; 9]);
        assert_eq!(palette.colors.len(), MAX_COLORS);
    }

    #[test]
    fn colour_0_is_transparent_unless_the_image_has_alpha() {
        let palette = MapPalette::default();
        let alpha = |has_alpha| palette.colors_of(&sheet(has_alpha), 0, None).colors[0][3];
        assert_eq!((alpha(false), alpha(true)), (0, 255));
    }

    #[test]
    fn parts_are_cut_out() {
        let pixels = Pixels::Indexed(sheet(true));
        let colors = MapPalette::default().colors_of(&sheet(true), 0, None);
        let mut out = Vec::new();
        cut(&pixels, [1, 0], [2, 1], Some(&colors), &mut out);
        assert_eq!(out, [2, 2, 2, 255, 0, 0, 0, 0]);
        out.clear();
        cut(&pixels, [-1, 1], [2, 1], Some(&colors), &mut out);
        assert_eq!(out, [0, 0, 0, 0, 3, 3, 3, 100]);
    }
}
