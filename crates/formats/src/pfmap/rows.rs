//! Fast reading of rows of tiles that are one character apart. Rows of chunks that are as long as
//! the previous one are read in parallel.

use std::ops::Range;

use super::check::differing_digits;
use super::layout::{RUN, Run, TILE_STEP};
use super::{Edge, Tile};
use crate::cursor::ENGINE_LINE_BYTES;
use crate::parallel::split_among_threads;

/// Range of bytes that are read in parallel before the watcher is called: fewer are not worth
/// several threads.
pub(super) const PARALLEL_BYTES: Range<usize> = 1 << 20..16 << 20;

/// The position after tiles that are one character apart, and statistics of these tiles.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cursor {
    pub pos: usize,
    pub line: u64,
    pub line_start: usize,
    pub max_material: u16,
    pub has_odd_digits: bool,
}

impl Cursor {
    /// Creates a cursor at the beginning of a line.
    pub(super) fn at_line(pos: usize) -> Self {
        Self {
            pos,
            line_start: pos,
            ..Self::default()
        }
    }

    /// Reads 32 tiles from here on, on lines that are not too long, and returns the line ends
    /// ([`Run::breaks`]). If the tiles are not one space or line end apart, the cursor does not
    /// move, though `tiles` may have changed.
    #[inline]
    pub(super) fn read_run(&mut self, bytes: &[u8], tiles: &mut [Tile; RUN]) -> Option<u32> {
        let Self {
            mut pos,
            line,
            mut line_start,
            mut max_material,
            has_odd_digits,
        } = *self;
        let mut breaks = 0_u32;
        // All tiles are validated at once, at the end.
        let (mut flaws, mut odd_digits) = (0, 0);
        // Most tiles are like the previous one: 84 % of those of the game's demo map.
        let mut before = (b"0+0000000000101001111000", Tile::default());
        for (i, tile) in tiles.iter_mut().enumerate() {
            let [text @ .., separator] = bytes.get(pos..)?.first_chunk::<TILE_STEP>()?;
            if text != before.0 {
                let (parsed, flaws_of_tile) = Tile::parse_words(text);
                flaws |= flaws_of_tile;
                max_material = max_material
                    .max(parsed.top_material)
                    .max(parsed.side_material);
                odd_digits |= parsed.odd_digits();
                before = (text, parsed);
            }
            *tile = before.1;
            pos += TILE_STEP;
            if *separator == b' ' {
                continue;
            }
            if *separator == b'\r' && bytes.get(pos) == Some(&b'\n') {
                pos += 1;
            } else if *separator != b'\n' {
                return None;
            }
            if pos - line_start > ENGINE_LINE_BYTES {
                return None;
            }
            line_start = pos;
            breaks |= 1 << i;
        }
        if flaws != 0 {
            return None;
        }
        *self = Self {
            pos,
            line: line + u64::from(breaks.count_ones()),
            line_start,
            max_material,
            has_odd_digits: has_odd_digits || odd_digits != 0,
        };
        Some(breaks)
    }
}

/// Decides how many rows of chunks are read in parallel. Each is assumed to have as many bytes as
/// the previous one. After a wrong guess rows are read one by one for a while, twice as many each
/// time.
#[derive(Debug)]
pub(super) struct ParallelRows {
    /// Number of bytes of the last row.
    pub bytes: usize,
    /// Number of rows to read one by one.
    pub sequential_rows: usize,
    backoff: usize,
}

impl Default for ParallelRows {
    fn default() -> Self {
        Self {
            bytes: 0,
            sequential_rows: 1,
            backoff: 1,
        }
    }
}

impl ParallelRows {
    /// Number of rows to read now, with `left` rows to go.
    pub(super) fn next(&self, left: usize) -> usize {
        let rows = (PARALLEL_BYTES.end / self.bytes.max(1)).min(left);
        let is_worth_it = self.sequential_rows == 0 && rows * self.bytes >= PARALLEL_BYTES.start;
        if is_worth_it { rows.max(1) } else { 1 }
    }

    /// Records a row that was read, and whether it was where it was expected. The first row after
    /// some that were read one by one was not expected anywhere.
    pub(super) fn read(&mut self, bytes: usize, is_taken: bool) {
        self.bytes = bytes;
        if is_taken {
            return;
        }
        if self.sequential_rows > 0 {
            self.sequential_rows -= 1;
        } else {
            self.backoff *= 2;
            self.sequential_rows = self.backoff;
        }
    }
}

/// A row of chunks whose tiles are one character apart, and whose runs begin and end lines.
pub(super) struct PlainRow {
    pub start: usize,
    /// Lines count from the first line of the row.
    pub runs: Vec<Run>,
    pub end: Cursor,
    /// `true` if its tiles agree on the edges between them.
    pub edges_agree: bool,
}

/// Reads rows of chunks of `row_bytes` each, the first at `start`. A row is `None` if it is not
/// plain. `tiles` has the tiles of all rows.
pub(super) fn read_rows_parallel(
    bytes: &[u8],
    start: usize,
    row_bytes: usize,
    cols: usize,
    tiles: &mut [Tile],
) -> Vec<Option<PlainRow>> {
    let of_row = RUN * cols;
    let read_part = |first: usize, part: &mut [Tile]| {
        let rows = (first / of_row..)
            .zip(part.chunks_exact_mut(of_row))
            .map(|(i, tiles)| read_plain_row(bytes, start + i * row_bytes, cols, tiles));
        rows.collect::<Vec<_>>()
    };
    split_among_threads(tiles, of_row, read_part)
        .into_iter()
        .flatten()
        .collect()
}

fn read_plain_row(bytes: &[u8], start: usize, cols: usize, tiles: &mut [Tile]) -> Option<PlainRow> {
    let mut end = Cursor::at_line(start);
    let mut runs = Vec::with_capacity(cols);
    // Edges are compared while the tiles are in the cache: with the row above in the chunk, and
    // with the previous chunk.
    let mut differing = 0;
    let mut last_of_rows = [None; RUN];
    for chunk_col in 0..cols / RUN {
        let mut above: Option<[u16; RUN]> = None;
        for (row, before) in last_of_rows.iter_mut().enumerate() {
            let run = tiles[row * cols + chunk_col * RUN..].first_chunk_mut()?;
            let line = end.line;
            let breaks = end.read_run(bytes, run)?;
            if end.pos != end.line_start {
                return None;
            }
            runs.push(Run {
                line,
                column: 1,
                breaks,
            });
            let mut digits = [0; RUN];
            for (digits, tile) in digits.iter_mut().zip(&*run) {
                *digits = tile.blend_digits();
            }
            differing |= differing_digits(before.as_slice(), &digits, Edge::East)
                | differing_digits(&digits, &digits[1..], Edge::East)
                | differing_digits(
                    above.as_ref().map_or(&[], |above| above),
                    &digits,
                    Edge::South,
                );
            *before = digits.last().copied();
            above = Some(digits);
        }
    }
    Some(PlainRow {
        start,
        runs,
        end,
        edges_agree: differing == 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_not_alike_make_cautious() {
        let mut rows = ParallelRows::default();
        assert_eq!(rows.next(100), 1, "nothing is known yet");
        rows.read(1 << 20, false);
        assert_eq!([rows.next(100), rows.next(5)], [16, 5]);
        rows.read(1 << 20, true);
        rows.read((1 << 20) + 1, false);
        for _ in 0..2 {
            assert_eq!(rows.next(100), 1);
            rows.read(1 << 20, false);
        }
        assert_eq!(rows.next(100), 16);
        rows.read(1 << 10, true);
        assert_eq!(rows.next(100), 1, "100 KiB are not worth a thread");
        rows.read(64 << 20, true);
        assert_eq!(rows.next(100), 1, "rows of 64 MiB");
    }
}
