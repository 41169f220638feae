//! The number of chunks of a map (document section 3.1).

use super::head::Head;
use super::layout::TILE_STEP;
use super::{CHUNK_TILES, PfmapError, rules};
use crate::cursor::{Found, Text, Word, is_separator};
use crate::{Cause, counted};

/// How many times the tiles that fit into a truncated file the head may promise; and how many in any case,
/// those of 4 by 4 chunks.
const PROMISE_LIMIT: u128 = 4;
const PROMISED_TILES: u128 = 16 * CHUNK_TILES as u128;

/// How many chunks there are from north to south and from west to east: what the head says or, where it says
/// nothing that can be, what the tiles behind it make.
///
/// # Errors
/// When there are no tiles.
pub(super) fn read_size(text: &mut Text<'_>, head: &Head<'_>) -> Result<[u32; 2], PfmapError> {
    // The last tile of a file has nothing after it if its line end is missing.
    let room = (text.rest().len() as u128 + 1) / TILE_STEP as u128;
    if room == 0 {
        let none = || {
            text.file_ends()
                .error(&rules::NO_TILES, "the list of tiles")
        };
        return Err(text.first_error.clone().unwrap_or_else(none));
    }
    let can_be = |tiles: u128| tiles <= PROMISED_TILES || tiles <= PROMISE_LIMIT * room;
    let chunks = |count: u64| u128::from(count).saturating_mul(u128::from(CHUNK_TILES));
    let [mut rows, mut cols] = [head.rows, head.cols];
    if let (Some((row_count, rows_word)), Some((col_count, cols_word))) = (rows, cols) {
        if can_be(chunks(row_count).saturating_mul(u128::from(col_count)))
            && let (Ok(row_count), Ok(col_count)) = (row_count.try_into(), col_count.try_into())
        {
            return Ok([row_count, col_count]);
        }
        let (wrong, word): (_, Word<'_>) = if row_count >= col_count {
            (&mut rows, rows_word)
        } else {
            (&mut cols, cols_word)
        };
        *wrong = None;
        let makes =
            format!(", which makes {row_count} by {col_count} chunks of {CHUNK_TILES} tiles");
        let expected =
            format!("no more than the {room} tiles that the rest of the file has room for");
        text.wrong(&rules::SIZE, Found::from(word).with(makes), &expected);
    }
    let known = |side: Option<(u64, Word<'_>)>| {
        let (count, _) = side.filter(|(count, _)| can_be(chunks(*count)))?;
        u32::try_from(count).ok()
    };
    let words = text.rest().split(|byte| is_separator(*byte));
    let tiles = words.filter(|word| !word.is_empty()).count();
    let (rows, cols) = sides(tiles as u64, known(rows), known(cols));
    let cause = cause(text);
    text.report_after(cause, &rules::SIZE, text.place(), || {
        let tiles = counted(tiles, "tile");
        format!("read as {rows} by {cols} chunks, which {tiles} make")
    });
    Ok([rows, cols])
}

/// The problem for which the size is not what the head says.
fn cause(text: &Text<'_>) -> Option<Cause> {
    let rules = [&rules::SIZE, &rules::HEADER_LINE];
    text.problems
        .find_since(0, |problem| rules.contains(&problem.rule))
}

/// Rows and columns of chunks of so many tiles, of which one may be known: as near to a square as whole
/// chunks allow where none is.
fn sides(tiles: u64, rows: Option<u32>, cols: Option<u32>) -> (u32, u32) {
    let rounded = |count: u64, of: u64| count.saturating_add(of / 2) / of;
    let chunks = rounded(tiles, u64::from(CHUNK_TILES)).max(1);
    let other = |side: u32| {
        let other = rounded(chunks, u64::from(side)).max(1);
        u32::try_from(other).unwrap_or(u32::MAX)
    };
    match (rows, cols) {
        (Some(rows), _) => (rows, other(rows)),
        (None, Some(cols)) => (other(cols), cols),
        (None, None) => {
            let mut divisors = (1..=chunks.isqrt()).rev();
            let rows = divisors
                .find(|rows| chunks.is_multiple_of(*rows))
                .unwrap_or(1) as u32;
            (rows, other(rows))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_that_of_the_tiles_where_the_head_says_none() {
        let of_chunks = |chunks: u64| chunks * u64::from(CHUNK_TILES);
        assert_eq!(sides(of_chunks(12), Some(2), None), (2, 6));
        assert_eq!(sides(of_chunks(12), None, Some(4)), (3, 4));
        assert_eq!(sides(of_chunks(12), None, None), (3, 4));
        // A tile too many or too few makes no chunk.
        assert_eq!(sides(of_chunks(16) - 1, None, None), (4, 4));
        assert_eq!(sides(of_chunks(16) + 1, None, Some(4)), (4, 4));
        assert_eq!(sides(1, None, Some(3)), (1, 3));
    }
}
