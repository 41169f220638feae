//! Indexed images: colour indices and a palette, which `image` discards in favour of plain colours.
//! Supports PNG and TGA, the formats of tile sheets.

use super::rules;
use super::unpack::copy_elements;
use crate::{Place, ReadError};

/// Maximum number of pixels in an image.
const MAX_PIXELS: u64 = 1 << 26;
/// Memory limit of the PNG decoder in addition to its result, in bytes.
const PNG_BYTES: usize = 64 << 20;

/// An image of palette indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedImage {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Colour index of each pixel, row by row from the top left.
    pub indices: Vec<u8>,
    /// Red, green, blue and alpha of each colour. Pixel indices may exceed its length.
    pub palette: Vec<[u8; 4]>,
    /// `true` if the file stores alpha. Without alpha, the engine makes colour 0 transparent (fact
    /// sheet 3).
    pub has_alpha: bool,
}

impl IndexedImage {
    /// The colours as used by the engine: the first is transparent if the image has no alpha.
    pub fn colors(&self) -> Vec<[u8; 4]> {
        let mut colors = self.palette.clone();
        if let Some(first) = colors.first_mut().filter(|_| !self.has_alpha) {
            first[3] = 0;
        }
        colors
    }
}

/// Reads an image with a palette. `None` if it has no palette or another format; it may then be an
/// image of plain colours.
///
/// Memory is bounded by the decoded size of the bytes.
///
/// # Errors
/// Returns an error if it has a palette but is corrupt.
pub fn read(bytes: &[u8]) -> Result<Option<IndexedImage>, ReadError> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        read_png(bytes)
    } else {
        read_tga(bytes)
    }
}

/// Returns `true` if [`read`] treats an image as one with a palette, judged by its first bytes.
pub fn has_palette(bytes: &[u8]) -> bool {
    const PNG_COLOR_TYPE: usize = 25;
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return bytes.get(PNG_COLOR_TYPE) == Some(&(png::ColorType::Indexed as u8));
    }
    TgaHeader::read(bytes).is_some()
}

fn check_size(size: [u32; 2], at: u64) -> Result<(), ReadError> {
    let pixels = u64::from(size[0]) * u64::from(size[1]);
    if pixels == 0 || pixels > MAX_PIXELS {
        let found = format!("{} x {} pixels", size[0], size[1]);
        let expected = format!("at least 1 and at most {MAX_PIXELS} in all");
        return Err(ReadError::unreadable(
            &rules::SHEET,
            Place::Offset(at),
            found,
            expected,
        ));
    }
    Ok(())
}

fn read_png(bytes: &[u8]) -> Result<Option<IndexedImage>, ReadError> {
    /// Offset of the width in every PNG.
    const SIZE: u64 = 16;
    let broken = |error: png::DecodingError| {
        let found = format!("damaged image: {error}");
        ReadError::unreadable(&rules::SHEET, Place::Offset(0), found, "a PNG image")
    };
    let limits = png::Limits { bytes: PNG_BYTES };
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::IDENTITY);
    let info = decoder.read_header_info().map_err(broken)?;
    if info.color_type != png::ColorType::Indexed {
        return Ok(None);
    }
    let size = [info.width, info.height];
    let bits = info.bit_depth as u32;
    check_size(size, SIZE)?;
    let mut reader = decoder.read_info().map_err(broken)?;
    let info = reader.info();
    let colors = info.palette.as_deref().unwrap_or_default();
    let alpha = info.trns.as_deref();
    let palette = colors
        .as_chunks()
        .0
        .iter()
        .enumerate()
        .map(|(i, &[r, g, b])| {
            let alpha = alpha.and_then(|alpha| alpha.get(i).copied());
            [r, g, b, alpha.unwrap_or(255)]
        });
    let (palette, has_alpha) = (palette.collect(), alpha.is_some());
    // Rows are decoded one by one, so that memory grows with the data. Interlaced images must be
    // decoded at once.
    let mut indices = Vec::new();
    if reader.info().interlaced {
        let packed_bytes = reader.output_buffer_size().unwrap_or(usize::MAX);
        if packed_bytes > bytes.len().saturating_mul(1100) {
            let found = format!("{packed_bytes} bytes of pixels in {} bytes", bytes.len());
            let place = Place::Offset(SIZE);
            return Err(ReadError::unreadable(
                &rules::SHEET,
                place,
                found,
                "fewer from a file of this length",
            ));
        }
        let mut packed = vec![0; packed_bytes];
        let frame = reader.next_frame(&mut packed).map_err(broken)?;
        for row in packed.chunks(frame.line_size.max(1)) {
            push_row(row, bits, size[0], &mut indices);
        }
    } else {
        while let Some(row) = reader.next_row().map_err(broken)? {
            push_row(row.data(), bits, size[0], &mut indices);
        }
    }
    Ok(Some(IndexedImage {
        size,
        indices,
        palette,
        has_alpha,
    }))
}

/// Appends the pixels of a row. The first pixel is in the highest bits of each byte.
fn push_row(row: &[u8], bits: u32, width: u32, indices: &mut Vec<u8>) {
    if bits == 8 {
        indices.extend_from_slice(row.get(..width as usize).unwrap_or(row));
        return;
    }
    let per_byte = 8 / bits;
    let mask = ((1_u32 << bits) - 1) as u8;
    let pixels = row
        .iter()
        .flat_map(|byte| (0..per_byte).map(move |i| byte >> (8 - bits * (i + 1)) & mask));
    indices.extend(pixels.take(width as usize));
}

/// The header of a TGA image.
#[derive(Debug, Clone, Copy)]
struct TgaHeader {
    id_bytes: u8,
    is_packed: bool,
    first_color: u16,
    colors: u16,
    color_bits: u8,
    size: [u16; 2],
    /// Rows begin at the top.
    from_top: bool,
    /// Pixels of a row begin at the right.
    from_right: bool,
}

const TGA_HEADER_BYTES: usize = 18;

impl TgaHeader {
    /// The header, if it is that of an image with a palette and 8-bit indices.
    fn read(bytes: &[u8]) -> Option<Self> {
        let &[
            id_bytes,
            map,
            kind,
            first_0,
            first_1,
            count_0,
            count_1,
            color_bits,
            _,
            _,
            _,
            _,
            ref rest @ ..,
        ] = bytes.first_chunk::<TGA_HEADER_BYTES>()?;
        let &[width_0, width_1, height_0, height_1, bits, descriptor] = rest;
        let is_known = map == 1
            && matches!(kind, 1 | 9)
            && bits == 8
            && matches!(color_bits, 15 | 16 | 24 | 32);
        is_known.then(|| Self {
            id_bytes,
            is_packed: kind == 9,
            first_color: u16::from_le_bytes([first_0, first_1]),
            colors: u16::from_le_bytes([count_0, count_1]),
            color_bits,
            size: [
                u16::from_le_bytes([width_0, width_1]),
                u16::from_le_bytes([height_0, height_1]),
            ],
            from_top: descriptor & 0x20 != 0,
            from_right: descriptor & 0x10 != 0,
        })
    }
}

fn read_tga(bytes: &[u8]) -> Result<Option<IndexedImage>, ReadError> {
    let Some(head) = TgaHeader::read(bytes) else {
        return Ok(None);
    };
    let size = head.size.map(u32::from);
    check_size(size, 12)?;
    let color_bytes = usize::from(head.color_bits).div_ceil(8);
    let map = TGA_HEADER_BYTES + usize::from(head.id_bytes);
    let start = map + usize::from(head.colors) * color_bytes;
    let cut = |at: usize, what: &str| {
        let found = format!("truncated image: it ends in its {what}");
        ReadError::unreadable(
            &rules::SHEET,
            Place::Offset(at as u64),
            found,
            "a complete TGA image",
        )
    };
    let colors = bytes
        .get(map..start)
        .ok_or_else(|| cut(bytes.len(), "palette"))?;
    let mut palette = vec![[0, 0, 0, 255]; usize::from(head.first_color).min(256)];
    palette.extend(colors.chunks_exact(color_bytes).map(tga_color));
    palette.truncate(256);
    let count = size[0] as usize * size[1] as usize;
    let pixels = bytes.get(start..).unwrap_or_default();
    let mut indices = if head.is_packed {
        unpack_tga(pixels, count)
    } else {
        copy_elements::<u8>(pixels, count)
    };
    if indices.len() < count {
        return Err(cut(bytes.len(), "pixels"));
    }
    let width = size[0] as usize;
    if !head.from_top {
        let mut rows: Vec<&[u8]> = indices.chunks(width).collect();
        rows.reverse();
        indices = rows.concat();
    }
    if head.from_right {
        indices.chunks_mut(width).for_each(<[u8]>::reverse);
    }
    // Images whose alpha is 0 everywhere were saved by programs that do not support alpha.
    let has_alpha = head.color_bits == 32 && palette.iter().any(|color| color[3] != 0);
    if !has_alpha {
        for color in &mut palette {
            color[3] = 255;
        }
    }
    Ok(Some(IndexedImage {
        size,
        indices,
        palette,
        has_alpha,
    }))
}

fn tga_color(color: &[u8]) -> [u8; 4] {
    match *color {
        [b, g, r] => [r, g, b, 255],
        [b, g, r, a] => [r, g, b, a],
        [low, high] => {
            let bits = u16::from_le_bytes([low, high]);
            let channel = |shift: u16| {
                let five = (bits >> shift & 31) as u8;
                five << 3 | five >> 2
            };
            [channel(10), channel(5), channel(0), 255]
        }
        _ => [0, 0, 0, 255],
    }
}

/// Packets may extend past the end of the image: some programs write such images, and all of them
/// read them.
fn unpack_tga(packed: &[u8], count: usize) -> Vec<u8> {
    super::rle::unpack(packed, count).elements
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLORS: [[u8; 3]; 3] = [[1, 2, 3], [40, 50, 60], [255, 0, 128]];

    fn png(size: [u32; 2], depth: png::BitDepth, alpha: Option<&[u8]>, rows: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, size[0], size[1]);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(depth);
        encoder.set_palette(COLORS.as_flattened().to_vec());
        if let Some(alpha) = alpha {
            encoder.set_trns(alpha.to_vec());
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(rows).unwrap();
        writer.finish().unwrap();
        out
    }

    #[test]
    fn png_keeps_its_numbers() {
        let rows = [0, 1, 2, 2, 1, 0];
        let sheet = read(&png([3, 2], png::BitDepth::Eight, None, &rows))
            .unwrap()
            .unwrap();
        assert_eq!((sheet.size, sheet.indices.as_slice()), ([3, 2], &rows[..]));
        assert_eq!(sheet.palette, COLORS.map(|[r, g, b]| [r, g, b, 255]));
        assert!(!sheet.has_alpha);
        assert_eq!(
            sheet.colors(),
            [[1, 2, 3, 0], [40, 50, 60, 255], [255, 0, 128, 255]]
        );
        let sheet = read(&png([3, 2], png::BitDepth::Eight, Some(&[9, 0]), &rows))
            .unwrap()
            .unwrap();
        assert!(sheet.has_alpha);
        assert_eq!(sheet.colors().map_alpha(), [9, 0, 255]);
        for (depth, packed) in [
            (png::BitDepth::One, [0b0110_0000, 0b1010_0000].to_vec()),
            (png::BitDepth::Two, [0b0001_1000, 0b1001_0000].to_vec()),
            (png::BitDepth::Four, [0x01, 0x20, 0x21, 0x00].to_vec()),
        ] {
            let sheet = read(&png([3, 2], depth, None, &packed)).unwrap().unwrap();
            let expected = match depth {
                png::BitDepth::One => [0, 1, 1, 1, 0, 1],
                _ => [0, 1, 2, 2, 1, 0],
            };
            assert_eq!(sheet.indices, expected, "{depth:?}");
        }
    }

    trait Alphas {
        fn map_alpha(&self) -> Vec<u8>;
    }

    impl Alphas for Vec<[u8; 4]> {
        fn map_alpha(&self) -> Vec<u8> {
            self.iter().map(|color| color[3]).collect()
        }
    }

    #[test]
    fn other_pictures_are_left_to_others() {
        let mut rgb = Vec::new();
        let mut encoder = png::Encoder::new(&mut rgb, 1, 1);
        encoder.set_color(png::ColorType::Rgb);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&[1, 2, 3])
            .unwrap();
        for bytes in [&rgb[..], b"", b"BM", &[0; 18], &tga(2, 24, 0, &[0; 6])] {
            assert_eq!(read(bytes).unwrap(), None);
        }
    }

    #[test]
    fn broken_images_are_errors() {
        let good = png([3, 2], png::BitDepth::Eight, None, &[0; 6]);
        let said = |bytes: &[u8]| read(bytes).unwrap_err().problem().unwrap().facts();
        assert!(said(&good[..good.len() / 2]).starts_with("0x0: warning: xmf/sheet"));
        let mut huge = good.clone();
        huge[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        let crc = crc32fast::hash(&huge[12..29]).to_be_bytes();
        huge[29..33].copy_from_slice(&crc);
        assert_eq!(said(&huge), "0x10: warning: xmf/sheet: 1 65536 67108864");
        // The maximum size, without any data.
        huge[16..24].copy_from_slice(&[0, 0, 32, 0, 0, 0, 32, 0]);
        let crc = crc32fast::hash(&huge[12..29]).to_be_bytes();
        huge[29..33].copy_from_slice(&crc);
        assert!(said(&huge).starts_with("0x0: warning: xmf/sheet"));
        let tga = tga(1, 8, 0x20, &[0, 1, 2, 2, 1]);
        assert!(said(&tga).contains("xmf/sheet"));
        assert!(said(&tga[..20]).contains("xmf/sheet"));
    }

    /// A TGA image of 3 x 2 pixels and three colours.
    fn tga(kind: u8, bits: u8, descriptor: u8, pixels: &[u8]) -> Vec<u8> {
        let mut out = vec![
            2, 1, kind, 0, 0, 3, 0, 24, 0, 0, 0, 0, 3, 0, 2, 0, bits, descriptor,
        ];
        out.extend([7, 7]);
        out.extend(COLORS.iter().flat_map(|&[r, g, b]| [b, g, r]));
        out.extend(pixels);
        out
    }

    #[test]
    fn tga_rows_begin_where_it_says() {
        let pixels = [0, 1, 2, 2, 2, 1];
        for (descriptor, expected) in [
            (0x20, [0, 1, 2, 2, 2, 1]),
            (0x00, [2, 2, 1, 0, 1, 2]),
            (0x30, [2, 1, 0, 1, 2, 2]),
        ] {
            let sheet = read(&tga(1, 8, descriptor, &pixels)).unwrap().unwrap();
            assert_eq!(
                (sheet.size, sheet.indices.as_slice()),
                ([3, 2], &expected[..])
            );
            assert_eq!(sheet.palette, COLORS.map(|[r, g, b]| [r, g, b, 255]));
        }
        // Packed: two literals, a run of three that continues into the next row, and one literal.
        let packed = [1, 0, 1, 0x82, 2, 0, 1];
        let sheet = read(&tga(9, 8, 0x20, &packed)).unwrap().unwrap();
        assert_eq!(sheet.indices, pixels);
    }

    #[test]
    fn tga_palettes_have_several_depths() {
        let with = |first: u8, bits: u8, colors: &[u8]| {
            let count = colors.len() / usize::from(bits).div_ceil(8);
            let mut out = vec![
                0,
                1,
                1,
                first,
                0,
                count as u8,
                0,
                bits,
                0,
                0,
                0,
                0,
                1,
                0,
                1,
                0,
                8,
                0x20,
            ];
            out.extend(colors);
            out.push(0);
            read(&out).unwrap().unwrap()
        };
        let sheet = with(0, 32, &[3, 2, 1, 4, 7, 6, 5, 0]);
        assert_eq!(
            (sheet.palette, sheet.has_alpha),
            (vec![[1, 2, 3, 4], [5, 6, 7, 0]], true)
        );
        let sheet = with(0, 32, &[3, 2, 1, 0]);
        assert_eq!(
            (sheet.palette, sheet.has_alpha),
            (vec![[1, 2, 3, 255]], false)
        );
        assert_eq!(with(0, 15, &[0x1F, 0x7C]).palette, [[255, 0, 255, 255]]);
        assert_eq!(with(0, 16, &[0xE0, 0x03]).palette, [[0, 255, 0, 255]]);
        assert_eq!(
            with(2, 24, &[3, 2, 1]).palette[1..],
            [[0, 0, 0, 255], [1, 2, 3, 255]]
        );
    }
}
