//! Writer of map data.

use super::{CELL_BYTES, GRAPHICS_BYTES, HEADER_BYTES, MAX_CELLS, MapData};
use crate::Integers;
use crate::ppe::cell::Compression;
use crate::ppe::rle;
use crate::ppe::unpack::{Element, append_elements, pack_zlib, pack_zstd, swap_all};

/// The reason why a map cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The size is invalid for every reader.
    #[error("{} x {} cells; expected at least 1 and at most 67108864 in all", .0[0], .0[1])]
    Size([u32; 2]),
    /// A section does not have one element per cell.
    #[error("{found} {section} for {cells} cells")]
    Section {
        /// Name of the elements.
        section: &'static str,
        /// Number of elements found.
        found: usize,
        /// Number of elements expected.
        cells: usize,
    },
    /// The flags do not match the sections that are present.
    #[error("the flags {flags:#x} are not those of a map with {has}")]
    Flags {
        /// The flags of the map.
        flags: u32,
        /// The sections of the map, as a phrase.
        has: &'static str,
    },
    /// The compression is undefined or ambiguous.
    #[error("the compression `{}` cannot be written", .0.name())]
    Compression(Compression),
}

/// Writes a map with the layout, compression and attributes given by its flags. Reading it again
/// restores the same map.
///
/// Run-length encoded attributes are packed section by section, in units of a corner and of a logic
/// attribute (fact sheet 8.9).
///
/// # Errors
/// Returns an error if the lists do not match the size and flags or if the compression is
/// unsupported.
pub fn write(map: &MapData) -> Result<Vec<u8>, WriteError> {
    check(map)?;
    let mut out = Vec::with_capacity(HEADER_BYTES as usize + plain_bytes(map));
    for number in [map.flags.0, map.size[0], map.size[1]] {
        out.extend(number.to_le_bytes());
    }
    match map.flags.compression() {
        Compression::None => write_plain(map, &mut out),
        Compression::Rle => {
            pack(&map.cells, &mut out);
            if let Some(graphics) = &map.graphics {
                pack(graphics.as_flattened(), &mut out);
            }
            match &map.logic {
                None => {}
                Some(Integers::U8(values)) => pack(values, &mut out),
                Some(Integers::U16(values)) => pack(values, &mut out),
                Some(Integers::U32(values)) => pack(values, &mut out),
                Some(Integers::U64(values)) => pack(values, &mut out),
            }
        }
        Compression::Zlib => out.extend(pack_zlib(&plain(map))),
        Compression::Zstd => out.extend(pack_zstd(&plain(map))),
        other @ (Compression::Lzw | Compression::Several) => {
            return Err(WriteError::Compression(other));
        }
    }
    Ok(out)
}

fn check(map: &MapData) -> Result<(), WriteError> {
    let is_small = u64::from(map.size[0]) * u64::from(map.size[1]) <= MAX_CELLS;
    if map.size.contains(&0) || !is_small {
        return Err(WriteError::Size(map.size));
    }
    let cells = map.cell_count();
    let logic = map.logic.as_ref();
    let lengths = [
        ("cells", Some(map.cells.len())),
        ("graphics attributes", map.graphics.as_ref().map(Vec::len)),
        ("logic attributes", logic.map(Integers::len)),
    ];
    for (section, found) in lengths {
        if let Some(found) = found.filter(|found| *found != cells) {
            return Err(WriteError::Section {
                section,
                found,
                cells,
            });
        }
    }
    let flags = map.flags.0;
    if map.flags.has_graphics() != map.graphics.is_some() {
        let has = match map.graphics {
            Some(_) => "graphics attributes",
            None => "no graphics attributes",
        };
        return Err(WriteError::Flags { flags, has });
    }
    let bits = logic.map_or(0, Integers::bits);
    if map.flags.logic_bits() != bits {
        let has = match bits {
            0 => "no logic attributes",
            8 => "logic attributes of 8 bits",
            16 => "logic attributes of 16 bits",
            32 => "logic attributes of 32 bits",
            _ => "logic attributes of 64 bits",
        };
        return Err(WriteError::Flags { flags, has });
    }
    Ok(())
}

/// Number of bytes after the header of an uncompressed map.
fn plain_bytes(map: &MapData) -> usize {
    let graphics = map.graphics.as_ref().map_or(0, Vec::len);
    let logic = map.logic.as_ref();
    let logic_bytes = logic.map_or(0, |logic| logic.len() * (logic.bits() / 8) as usize);
    map.cells.len() * CELL_BYTES as usize + graphics * GRAPHICS_BYTES as usize + logic_bytes
}

fn plain(map: &MapData) -> Vec<u8> {
    let mut out = Vec::with_capacity(plain_bytes(map));
    write_plain(map, &mut out);
    out
}

fn write_plain(map: &MapData, out: &mut Vec<u8>) {
    append_elements(&map.cells, out);
    if let Some(graphics) = &map.graphics {
        append_elements(graphics, out);
    }
    match &map.logic {
        None => {}
        Some(Integers::U8(values)) => append_elements(values, out),
        Some(Integers::U16(values)) => append_elements(values, out),
        Some(Integers::U32(values)) => append_elements(values, out),
        Some(Integers::U64(values)) => append_elements(values, out),
    }
}

fn pack<T: Element + PartialEq>(elements: &[T], out: &mut Vec<u8>) {
    if cfg!(target_endian = "big") {
        let mut elements = elements.to_vec();
        swap_all(&mut elements);
        rle::pack(&elements, out);
    } else {
        rle::pack(elements, out);
    }
}
