//! Writing PFMAP.

use super::{CHUNK_SIDE, Material, Pfmap, Splat, TILE_CHARS, file_tile};

/// Writes a map as it was read: the same lines, and the same characters for every tile.
///
/// Some details are normalised:
///
/// - Skipped text (repeated spaces, blank lines, ignored words) is not written.
/// - The last line always ends with a line end.
/// - An unreadable tile becomes its placeholder, and a tile with characters that the document does
///   not allow becomes the engine's reading of it.
///
/// Names are written unchanged; the format cannot represent a name with a space.
pub fn write(map: &Pfmap) -> Vec<u8> {
    let line_end: &[u8] = if map.crlf { b"\r\n" } else { b"\n" };
    let mut out = Vec::with_capacity(map.tiles.len() * (TILE_CHARS + 1) + 4096);
    let mut line = |text: String| {
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(line_end);
    };
    line(format!("version {}", map.version));
    line(format!("num_materials {}", map.materials.len()));
    let has_splats = map
        .version
        .parse::<f32>()
        .is_ok_and(|version| version >= 1.1);
    if has_splats || !map.splats.is_empty() {
        line(format!("num_splats {}", map.splats.len()));
    }
    line(format!("num_rows {}", map.chunk_rows));
    line(format!("num_cols {}", map.chunk_cols));
    for Material { name, texture, .. } in &map.materials {
        line(format!("material {name} {texture}"));
    }
    for Splat { base, accent } in &map.splats {
        line(format!("splat {base} {accent}"));
    }
    let runs = map.chunk_rows as usize * map.chunk_cols as usize * CHUNK_SIDE as usize;
    for run in 0..runs {
        let breaks = map.layout.breaks(run);
        let (row, first_col) = file_tile(run * CHUNK_SIDE as usize, map.chunk_cols);
        for i in 0..CHUNK_SIDE {
            let tile = map.tile(row, first_col + i).copied().unwrap_or_default();
            out.extend_from_slice(&tile.text());
            if breaks >> i & 1 == 0 {
                out.push(b' ');
            } else {
                out.extend_from_slice(line_end);
            }
        }
    }
    out
}
