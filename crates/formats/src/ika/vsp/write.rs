//! Writer of tilesets of version 6.

use super::super::block::deflate;
use super::super::{WriteError, text};
use super::{Pixels, STRANDS, Strand, Vsp};

/// Maximum size of a description in bytes, without its terminating zero byte.
const MAX_DESCRIPTION_BYTES: usize = 63;
/// Number of colours in a palette.
const COLORS: usize = 256;

/// Writes a tileset as version 6, regardless of its original version. It is indexed if the tileset
/// has a palette, otherwise it has 32 bits per pixel. The output is deterministic.
///
/// # Errors
/// Returns an error for data that the format cannot represent:
///
/// * a description that is too long or not in Windows-1252
/// * tiles with an edge above 65535 pixels
/// * a pixel count that does not match the tiles
/// * a palette without exactly 256 colours
/// * more than a hundred strands
pub fn write(vsp: &Vsp) -> Result<Vec<u8>, WriteError> {
    let check = |is_good: bool, record: &str, what: String| {
        is_good
            .then_some(())
            .ok_or_else(|| WriteError::new(record, what))
    };
    let mut out = 6_u16.to_le_bytes().to_vec();
    let is_indexed = matches!(vsp.pixels, Pixels::Indexed(_));
    out.push(if is_indexed { 1 } else { 4 });
    for edge in vsp.tile_size {
        let edge = u16::try_from(edge)
            .map_err(|_| WriteError::new("tiles", format!("{edge} pixels along an edge")))?;
        out.extend(edge.to_le_bytes());
    }
    let (count, pixels) = (vsp.count, vsp.pixels.len());
    check(
        vsp.tile_pixels() * u64::from(count) == pixels as u64,
        "pixels",
        format!("{pixels}, but {count} tiles"),
    )?;
    out.extend(count.to_le_bytes());
    let description = text::encode(&vsp.description, "description")?;
    let len = description.len();
    check(
        len <= MAX_DESCRIPTION_BYTES && !description.contains(&0),
        "description",
        format!("{len} bytes, but at most {MAX_DESCRIPTION_BYTES} and none of them 0"),
    )?;
    out.extend(&*description);
    out.resize(out.len() + MAX_DESCRIPTION_BYTES + 1 - len, 0);
    let block = if let Pixels::Indexed(indices) = &vsp.pixels {
        let colors = vsp.palette.len();
        check(
            colors == COLORS,
            "palette",
            format!("{colors} colours, but {COLORS} are needed"),
        )?;
        out.extend(vsp.palette.as_flattened());
        out.push(vsp.transparent_index());
        deflate(indices)
    } else {
        deflate(&vsp.rgba())
    };
    let len = u32::try_from(block.len())
        .map_err(|_| WriteError::new("pixels", format!("{} compressed bytes", block.len())))?;
    out.extend(len.to_le_bytes());
    out.extend(block);
    let strands = vsp.strands.len();
    check(
        strands <= STRANDS,
        "strands",
        format!("{strands}, but at most {STRANDS}"),
    )?;
    let unused = std::iter::repeat_n(Strand::default(), STRANDS);
    for strand in vsp.strands.iter().copied().chain(unused).take(STRANDS) {
        for word in [strand.start, strand.finish, strand.delay, strand.mode] {
            out.extend(word.to_le_bytes());
        }
    }
    Ok(out)
}
