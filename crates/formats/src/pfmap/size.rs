//! The number of chunks of a map (document section 3.1).

use super::head::Head;
use super::layout::TILE_STEP;
use super::{CHUNK_TILES, PfmapError, rules};
use crate::counted;
use crate::cursor::{Found, Text, is_separator};

/// Limits of the announced tiles: a multiple of the tiles that fit into a truncated file, and a
/// number that is always allowed (4 by 4 chunks).
const MAX_COUNT_RATIO: u128 = 4;
const MIN_TILE_LIMIT: u128 = 16 * CHUNK_TILES as u128;

/// Returns the announced number of chunks from north to south and from west to east. If it is
/// unknown, or too large for the file, the map ends after its last tile.
///
/// # Errors
/// If there are no tiles.
pub(super) fn read_size(text: &mut Text<'_>, head: &Head<'_>) -> Result<[u32; 2], PfmapError> {
    // The last tile has no separator after it if the last line end is missing.
    let room = (text.rest().len() as u128 + 1) / TILE_STEP as u128;
    if room == 0 {
        let none = || {
            text.found_file_end()
                .error(&rules::NO_TILES, "the list of tiles")
        };
        return Err(text.first_error.clone().unwrap_or_else(none));
    }
    let mut cause = head.size_fault;
    let [rows, cols] = [head.rows, head.cols].map(|count| Some(count?.0));
    if let (Some((rows, rows_word)), Some((cols, cols_word))) = (head.rows, head.cols) {
        let chunks = u128::from(rows).saturating_mul(cols.into());
        let tiles = chunks.saturating_mul(CHUNK_TILES.into());
        if (tiles <= MIN_TILE_LIMIT || tiles <= MAX_COUNT_RATIO * room)
            && let (Ok(rows), Ok(cols)) = (rows.try_into(), cols.try_into())
        {
            return Ok([rows, cols]);
        }
        let word = if rows >= cols { rows_word } else { cols_word };
        let makes = format!(", which makes {rows} by {cols} chunks of {CHUNK_TILES} tiles");
        let expected = format!("at most the {room} tiles that fit into the rest of the file");
        text.wrong(&rules::SIZE, Found::from(word).with(makes), &expected);
        cause = text.problems.last();
    }
    let words = text.rest().split(|byte| is_separator(*byte));
    let tiles = words.filter(|word| !word.is_empty()).count();
    // Short words can outnumber the tiles that fit.
    let tiles = tiles.min(usize::try_from(room).unwrap_or(usize::MAX));
    let [rows, cols] = sides(tiles as u64, rows, cols);
    text.report_after(cause, &rules::SIZE, text.place(), || {
        let tiles = counted(tiles, "tile");
        format!("shown as {rows} by {cols} chunks because {tiles} were found")
    });
    Ok([rows, cols])
}

/// Returns rows and columns of chunks for the given number of tiles, limited by the announced
/// numbers. If neither number is known, the map is as near to a square as whole chunks allow.
fn sides(tiles: u64, rows: Option<u64>, cols: Option<u64>) -> [u32; 2] {
    let tiles_of_chunk = u64::from(CHUNK_TILES);
    let chunks = (tiles.saturating_add(tiles_of_chunk / 2) / tiles_of_chunk).max(1);
    let (rows, cols) = match (rows, cols) {
        (_, Some(cols)) => (chunks.div_ceil(cols), cols.min(chunks)),
        (Some(rows), None) => (rows.min(chunks), chunks.div_ceil(rows)),
        (None, None) => {
            let mut divisors = (1..=chunks.isqrt()).rev();
            let rows = divisors
                .find(|rows| chunks.is_multiple_of(*rows))
                .unwrap_or(1);
            (rows, chunks / rows)
        }
    };
    [rows, cols].map(|side| side.try_into().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_without_a_size_ends_where_its_tiles_do() {
        let of_chunks = |chunks: u64| chunks * u64::from(CHUNK_TILES);
        assert_eq!(sides(of_chunks(12), Some(2), None), [2, 6]);
        assert_eq!(sides(of_chunks(12), None, Some(4)), [3, 4]);
        assert_eq!(sides(of_chunks(12), None, None), [3, 4]);
        // One surplus or missing tile does not change the number of chunks.
        assert_eq!(sides(of_chunks(16) - 1, None, None), [4, 4]);
        assert_eq!(sides(of_chunks(16) + 1, None, Some(4)), [4, 4]);
        assert_eq!(sides(1, None, Some(3)), [1, 1]);
        // An announced number of columns decides the position of chunks.
        assert_eq!(sides(of_chunks(16), Some(1_000_000), Some(5)), [4, 5]);
        assert_eq!(sides(of_chunks(16), Some(4), Some(1_000_000)), [1, 16]);
    }
}
