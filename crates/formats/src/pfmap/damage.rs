//! Damage in the tile list.
//!
//! Tiles are read one after the other, wherever lines end: any packing is valid. That cannot reach
//! the end if the file has more or fewer tiles than announced. Lines then locate the damage,
//! provided that all rows of the file have the same lines: a line with another number of tiles is
//! damaged. Reading resumes at the next whole line, and the tiles after the damage keep their
//! places.

use std::ops::Range;

use super::TILE_CHARS;
use super::layout::{RUN, line_breaks};
use crate::cursor::is_separator;

/// Number of lines in which the first whole row is searched.
const LINES_AHEAD: usize = 256;

/// Finds damage in the tile list of a file in which all rows have the same lines.
#[derive(Debug)]
pub(super) struct Damage<'a> {
    bytes: &'a [u8],
    /// Tiles on each line; the last line of a row has the rest.
    per_line: usize,
    /// Number of tiles of the map.
    tiles: usize,
    /// `true` if the file does not end with a line end, so that lines may be missing at its end.
    is_cut: bool,
    /// Position from which words and lines are counted, up to the end of the tile list.
    from: usize,
    end: usize,
    words: usize,
    lines: usize,
}

/// A damaged part of the tile list.
#[derive(Debug, Clone)]
pub(super) struct Gap {
    /// The tiles that belong in it, by their index in the file.
    pub tiles: Range<usize>,
    /// The lost tiles among them.
    pub lost: Range<usize>,
    /// Number of words with the length of a tile.
    pub found: usize,
    /// Offset of the first word that is not read.
    pub start: usize,
    /// Offset of the first tile after the lost ones.
    pub resume: usize,
}

impl<'a> Damage<'a> {
    /// Creates the search. Returns `None` if the file has no whole row or if its rows do not have
    /// the same lines. The tile list begins at `start`.
    pub(super) fn new(bytes: &'a [u8], start: usize, tiles: usize) -> Option<Self> {
        let are_tiles = |line: &[u8]| words(line).all(|(_, word)| word.len() == TILE_CHARS);
        let counts: Vec<usize> = lines(bytes, start)
            .take(LINES_AHEAD)
            .map(|(_, line)| usize::from(are_tiles(line)) * words(line).count())
            .collect();
        let per_line = (1..).zip(&counts).find_map(|(next, &per_line)| {
            let row = (1..=RUN)
                .contains(&per_line)
                .then(|| RUN.div_ceil(per_line))?;
            let of_line = |line: usize| per_line.min(RUN - line * per_line);
            let is_row = (0..row).all(|line| counts.get(next - 1 + line) == Some(&of_line(line)));
            is_row.then_some(per_line)
        })?;
        let is_of_list = |line: &[u8]| words(line).any(|(_, word)| word.len() == TILE_CHARS);
        let behind: usize = bytes
            .rsplit(|byte| *byte == b'\n')
            .take_while(|line| !is_of_list(line))
            .map(|line| line.len() + 1)
            .sum();
        let end = bytes
            .len()
            .saturating_sub(behind.saturating_sub(1))
            .max(start);
        let (words, lines) = count(bytes.get(start..end)?);
        Some(Self {
            bytes,
            per_line,
            tiles,
            is_cut: !bytes.ends_with(b"\n"),
            from: start,
            end,
            words,
            lines,
        })
    }

    /// Line ends in a row ([`Run::breaks`](super::layout::Run::breaks)).
    pub(super) fn breaks(&self) -> u32 {
        line_breaks(self.per_line as u32)
    }

    fn lines_of_row(&self) -> usize {
        RUN.div_ceil(self.per_line)
    }

    /// Index of the first tile on a line.
    fn first_tile(&self, line: usize) -> usize {
        let of_row = self.lines_of_row();
        line / of_row * RUN + line % of_row * self.per_line
    }

    fn tiles_on(&self, line: usize) -> usize {
        self.first_tile(line + 1) - self.first_tile(line)
    }

    /// `true` if the tiles from here to the end of the file can be read one after the other.
    /// `index` is that of the tile that begins here.
    pub(super) fn is_whole(&mut self, at: usize, index: usize) -> bool {
        let (words, lines) = count(self.bytes.get(self.from..at).unwrap_or_default());
        self.words = self.words.saturating_sub(words);
        self.lines = self.lines.saturating_sub(lines);
        self.from = self.from.max(at);
        self.words == self.tiles - index
    }

    /// Returns the first damage in the rest of a row. The tile `index` begins a line at `at`. `Err`
    /// if no line after the damage is whole.
    pub(super) fn find(&mut self, at: usize, index: usize) -> Result<Option<Gap>, ()> {
        if self.is_whole(at, index) {
            return Ok(None);
        }
        let first = index / RUN * self.lines_of_row() + index % RUN / self.per_line;
        let row_end = (index / RUN + 1) * self.lines_of_row();
        let mut rest = lines(self.bytes, at).take_while(|(start, _)| *start < self.end);
        let is_damaged = |(number, (_, line)): &(usize, (usize, &[u8]))| {
            words(line).count() != self.tiles_on(*number)
                || words(line).any(|(_, word)| word.len() != TILE_CHARS)
        };
        let damaged = (first..row_end).zip(rest.by_ref()).find(is_damaged);
        let Some((damaged, (start, line))) = damaged else {
            return Ok(None);
        };
        let total = self.tiles / RUN * self.lines_of_row();
        // A longer word may hide the end of a line.
        let is_line = words(line).all(|(_, word)| word.len() < 2 * TILE_CHARS);
        let mut passed = words(line).count();
        let next = (damaged + 1..).zip(rest).find_map(|(number, (at, line))| {
            let behind = self.lines - (number - first).min(self.lines);
            // Missing or surplus lines are assumed to be here, unless as many words as tiles were
            // passed or the file is truncated too.
            let is_in_place =
                is_line && passed == self.first_tile(number) - self.first_tile(damaged);
            let by_end = total
                .checked_sub(behind)
                .filter(|line| *line >= damaged)
                .filter(|_| !is_in_place && !self.is_cut);
            let number = by_end.unwrap_or(number);
            let count = words(line).count();
            passed += count;
            let are_tiles = words(line).all(|(_, word)| word.len() == TILE_CHARS);
            let is_whole = are_tiles && count == self.tiles_on(number);
            (is_whole && number < total).then_some((number, at))
        });
        let (next, next_at) = next.ok_or(())?;
        let text = self.bytes.get(start..next_at).unwrap_or_default();
        let found: Vec<(usize, &[u8])> = words(text).collect();
        let is_tile = |(_, word): &&(usize, &[u8])| word.len() == TILE_CHARS;
        let tiles = self.first_tile(damaged)..self.first_tile(next);
        if found.len() == tiles.len() {
            // No tile after it is moved.
            let is_of_row = next < row_end;
            return if is_of_row {
                self.find(next_at, tiles.end)
            } else {
                Ok(None)
            };
        }
        let before = found.iter().take_while(is_tile).count().min(tiles.len());
        let behind = found[before..]
            .iter()
            .rev()
            .take_while(is_tile)
            .count()
            .min(tiles.len() - before);
        let place = |word: usize, none: usize| found.get(word).map_or(none, |(at, _)| start + at);
        Ok(Some(Gap {
            lost: tiles.start + before..tiles.end - behind,
            tiles,
            found: found.iter().filter(is_tile).count(),
            start: place(before, start + line.trim_ascii_end().len()),
            resume: place(found.len() - behind, next_at),
        }))
    }
}

/// Returns the words of a text, each with its offset.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    let words = text.split(|byte| is_separator(*byte)).map(move |word| {
        let start = at;
        at += word.len() + 1;
        (start, word)
    });
    words.filter(|(_, word)| !word.is_empty())
}

/// Returns the lines from an offset on that are not blank, each with its offset.
fn lines(bytes: &[u8], from: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = from;
    let lines = bytes
        .get(from..)
        .unwrap_or_default()
        .split(|byte| *byte == b'\n')
        .map(move |line| {
            let start = at;
            at += line.len() + 1;
            (start, line)
        });
    lines.filter(|(_, line)| !line.trim_ascii().is_empty())
}

/// Number of words, and of lines that are not blank.
fn count(text: &[u8]) -> (usize, usize) {
    (words(text).count(), lines(text, 0).count())
}
