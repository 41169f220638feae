//! Reading PFMAP (document section 3, fact sheet A1 to A3).
//!
//! The head is read line by line. The tile list is nearly all of a file, and is read in runs of
//! 32 tiles, the rows of the chunks: as fast as the memory allows where tiles stand one character
//! apart, and token by token where they do not or where something is wrong. Rows of chunks that are
//! as long as the one before them are read side by side.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use super::head::{Head, read_head};
use super::layout::{LayoutBuilder, RUN, Run, TILE_STEP};
use super::reading::{DIVIDED_CHARS, undivided};
use super::size::read_size;
use super::tile::blend_digit;
use super::{
    BlendMode, CHUNK_SIDE, CHUNK_TILES, Edge, Field, OddText, OddTiles, Pfmap, PfmapError, Reading,
    TILE_CHARS, Tile, file_tile, rules,
};
use crate::cursor::{ENGINE_LINE_BYTES, Text, Word, first_words, is_separator, text_place};
use crate::parallel::{on_all_threads, share_out};
use crate::problems::Problems;
use crate::{Cause, Message, Place, Severity, Subject, conflict, counted, outside, quoted};

/// Lines before one that are looked at: a row has a tile on each, or there are blank lines.
const LINES_BEFORE: u64 = 2 * RUN as u64;
/// Lines behind one that are compared with it.
const LINES_AFTER: usize = 8;
/// Bytes that are worth several threads, and those that they read before the watcher is told.
const BYTES_AT_ONCE: Range<usize> = 1 << 20..16 << 20;

/// Says whether a file that begins with these bytes is a PFMAP file, whole or cut short.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    let mut words = first_words(bytes);
    // The number may be missing. A PFOBJ file has `num_verts` here.
    words.next() == Some(b"version")
        && words.by_ref().take(2).any(|word| word == b"num_materials")
        && words
            .find(|word| word.starts_with(b"num_"))
            .is_none_or(|word| matches!(word, b"num_splats" | b"num_rows"))
}

/// Reads a map.
///
/// Whatever does not keep the rest from being shown is in [`Pfmap::problems`]. A tile with
/// characters that the document does not allow is what the engine makes of them; one of which
/// nothing can be made is a placeholder in [`Pfmap::bad_tiles`]. A file that ends too early is shown as
/// far as it goes unless its head promises more than four times what it holds. The memory in use
/// is bounded by the length of `bytes`, whatever they say.
///
/// # Errors
/// When the head cannot be read, when it promises too much, or when no tile can be read.
pub fn read(bytes: &[u8]) -> Result<Pfmap, PfmapError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// Rows and columns of chunks that a file says it has, which begins with these bytes: its head is
/// enough. None where it does not say.
pub fn chunks(bytes: &[u8]) -> Option<[u64; 2]> {
    let head = read_head(&mut Text::new(bytes, &rules::TEXT_RULES));
    Some([head.rows?.0, head.cols?.0])
}

/// [`read`] with a watcher, which is told after each row of chunks how much is done, from 0 to 1, and
/// can stop it.
///
/// # Errors
/// As [`read`], and [`PfmapError::Cancelled`] when the watcher breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Pfmap, PfmapError> {
    let read = |bytes: &[u8]| {
        let mut text = Text::new(bytes, &rules::TEXT_RULES);
        let head = read_head(&mut text);
        TileList::new(text, head)?.read(watch)
    };
    conflict::read(bytes, &rules::CONFLICT, read, |map| &mut map.problems)
}

/// The tile list while it is read.
struct TileList<'a> {
    text: Text<'a>,
    head: Head<'a>,
    /// Where the first tile stands.
    first_tile: Option<(u64, u32)>,
    /// Line of the last tile that was read.
    last_line: u64,
    layout: LayoutBuilder,
    rows: RowsAtOnce,
    /// File order.
    bad: Vec<usize>,
    odd: OddTiles,
    /// The largest index of a material that any tile has, and whether any has a digit that may not
    /// stand where it does.
    max_material: u16,
    has_odd_digits: bool,
    chunk_rows: u32,
    chunk_cols: u32,
    /// The first of the last rows that do not begin a line: a tile is missing, or there twice.
    shifted: Option<Cause>,
    /// The lines that have more or fewer tiles than those around them, with what is wrong with them.
    odd_lines: Vec<(u64, Cause)>,
    /// That tiles are missing at the end.
    ends_early: Option<Cause>,
    /// That tiles stand elsewhere than they should, and from where on that may be.
    moved: Option<(Place, Cause)>,
    /// The end of a word of several tiles that is being read.
    several_to: usize,
    /// Of each row of chunks, whether its tiles are known to agree on the edges between them.
    edges_agree: Vec<bool>,
}

impl<'a> TileList<'a> {
    fn new(mut text: Text<'a>, head: Head<'a>) -> Result<Self, PfmapError> {
        let [chunk_rows, chunk_cols] = read_size(&mut text, &head)?;
        Ok(Self {
            first_tile: None,
            last_line: 0,
            layout: LayoutBuilder::default(),
            rows: RowsAtOnce::default(),
            bad: Vec::new(),
            odd: OddTiles::default(),
            max_material: 0,
            has_odd_digits: false,
            chunk_rows,
            chunk_cols,
            shifted: None,
            odd_lines: Vec::new(),
            ends_early: None,
            moved: None,
            several_to: 0,
            edges_agree: Vec::new(),
            text,
            head,
        })
    }

    fn read(mut self, watch: &mut dyn FnMut(f32) -> ControlFlow<()>) -> Result<Pfmap, PfmapError> {
        let cols = self.chunk_cols as usize * RUN;
        let count = self.chunk_rows as usize * RUN * cols;
        let total = self.text.bytes.len() as f32;
        // The memory comes as it is filled, on the thread that fills it.
        let mut tiles: Vec<Tile> = bytemuck::zeroed_vec(count);
        let mut index = 0;
        let mut rest = tiles.as_mut_slice();
        while !rest.is_empty() {
            let at_once = self.rows.next(rest.len() / (RUN * cols));
            let (now, later) = rest.split_at_mut(at_once * RUN * cols);
            rest = later;
            let guesses = if at_once > 1 {
                read_side_by_side(self.text.bytes, self.text.pos, self.rows.bytes, cols, now)
            } else {
                vec![None]
            };
            for (tiles, guess) in now.chunks_exact_mut(RUN * cols).zip(guesses) {
                let start = self.text.pos;
                let agrees = guess.as_ref().is_some_and(|row| row.edges_agree);
                let is_taken = guess.is_some_and(|row| self.take(row));
                self.edges_agree.push(is_taken && agrees);
                index += if is_taken {
                    tiles.len()
                } else {
                    self.read_row(index, tiles)
                };
                self.rows.read(self.text.pos - start, is_taken);
                if watch(self.text.pos as f32 / total).is_break() {
                    return Err(PfmapError::Cancelled);
                }
            }
        }
        if index == self.bad.len() {
            return Err(self.nothing_read());
        }
        let end = self.read_end(index, count);
        let chunk_cols = self.chunk_cols;
        let bad = self.bad.iter();
        let mut bad_tiles: Vec<_> = bad.map(|index| file_tile(*index, chunk_cols)).collect();
        let mut map = Pfmap {
            version: self.head.version,
            materials: self.head.materials,
            splats: self.head.splats,
            chunk_rows: self.chunk_rows,
            chunk_cols,
            tiles,
            layout: self.layout.finish((index < count).then_some((index, end))),
            crlf: self.head.crlf,
            problems: Vec::new(),
            bad_tiles: Vec::new(),
            odd_tiles: self.odd,
        };
        let chunk_row = index / (RUN * cols);
        for row in (chunk_row * RUN) as u32..map.rows() {
            let missing = (0..map.cols()).filter(|col| map.file_index(row, *col) >= index);
            bad_tiles.extend(missing.map(|col| (row, col)));
        }
        #[expect(
            clippy::stable_sort_primitive,
            reason = "both parts are nearly sorted, which this sort takes advantage of"
        )]
        bad_tiles.sort();
        map.bad_tiles = bad_tiles;
        if usize::from(self.max_material) >= map.materials.len()
            || self.has_odd_digits
            || !map.odd_tiles.is_empty()
        {
            let (odd_lines, few_materials) = (&self.odd_lines, self.head.few_materials);
            check_tiles(&map, odd_lines, few_materials, &mut self.text.problems);
        }
        check_edges(&map, &self.edges_agree, self.moved, &mut self.text.problems);
        self.text.fold_end(self.ends_early);
        map.problems = self.text.problems.finish();
        Ok(map)
    }

    /// Why a file of which no tile can be read is refused: the first of them, or that there are none.
    fn nothing_read(&self) -> PfmapError {
        let mut faults = self
            .odd
            .get(0)
            .map_or_else(Vec::new, Reading::faults)
            .into_iter();
        match faults.find(|fault| fault.rule.severity == Severity::Error) {
            Some(fault) => {
                let start = self.first_tile.unwrap_or_else(|| self.text.place());
                let place = text_place(start, fault.at);
                PfmapError::unreadable(fault.rule, place, fault.found, fault.expected)
            }
            None => self
                .text
                .file_ends()
                .error(&rules::NO_TILES, "the list of tiles"),
        }
    }

    /// Reads the next row of chunks and says how many tiles there were.
    fn read_row(&mut self, first: usize, tiles: &mut [Tile]) -> usize {
        tiles.fill(Tile::default());
        let cols = self.chunk_cols as usize * RUN;
        let mut read = 0;
        for (chunk_col, row) in
            (0..self.chunk_cols as usize).flat_map(|c| (0..RUN).map(move |r| (c, r)))
        {
            let at = row * cols + chunk_col * RUN;
            let Some(run) = tiles[at..].first_chunk_mut::<RUN>() else {
                break;
            };
            let of_run = self.read_run(first + read, run);
            read += of_run;
            if of_run < RUN {
                break;
            }
        }
        read
    }

    /// Goes past a row of chunks that was read beside others, if it begins here, with a line.
    fn take(&mut self, row: PlainRow) -> bool {
        let is_here = row.start == self.text.pos
            && self.text.line_start == self.text.pos
            && self.last_line != self.text.line;
        if !is_here {
            return false;
        }
        let first_line = self.text.line;
        let Some(last) = row.runs.last().copied() else {
            return false;
        };
        for run in row.runs {
            let line = first_line + run.line;
            self.layout.push(Run { line, ..run }, true);
        }
        self.shifted = None;
        let end = Cursor {
            line: first_line + row.end.line,
            ..row.end
        };
        self.go_on_from(end, last.breaks);
        true
    }

    /// Reads the next 32 tiles and says how many there were.
    fn read_run(&mut self, index: usize, tiles: &mut [Tile; RUN]) -> usize {
        if self.read_plain_run(index, tiles) {
            RUN
        } else {
            self.read_words(index, tiles)
        }
    }

    /// Reads 32 tiles that stand one character apart, the first of them here, on lines that are
    /// not too long. Where that is not so nothing is read, though `tiles` may have changed.
    fn read_plain_run(&mut self, index: usize, tiles: &mut [Tile; RUN]) -> bool {
        let mut cursor = Cursor {
            pos: self.text.pos,
            line: self.text.line,
            line_start: self.text.line_start,
            max_material: 0,
            has_odd_digits: false,
        };
        let (line, column) = self.text.place();
        let Some(breaks) = cursor.read_run(self.text.bytes, tiles) else {
            return false;
        };
        let begins_line = self.begin_run(index, (line, column));
        let run = Run {
            line,
            column,
            breaks,
        };
        self.layout.push(run, begins_line);
        self.go_on_from(cursor, breaks);
        true
    }

    /// Reads on behind tiles of which the last run has such breaks.
    fn go_on_from(&mut self, cursor: Cursor, breaks: u32) {
        self.text.pos = cursor.pos;
        self.text.line = cursor.line;
        self.text.line_start = cursor.line_start;
        self.last_line = cursor.line - u64::from(breaks >> (RUN - 1));
        self.max_material = self.max_material.max(cursor.max_material);
        self.has_odd_digits |= cursor.has_odd_digits;
    }

    /// Warns of a run that does not begin a line, and says whether it does.
    fn begin_run(&mut self, index: usize, place: (u64, u32)) -> bool {
        let begins_line = place.0 != self.last_line;
        if begins_line {
            self.shifted = None;
        } else {
            let (row, col) = file_tile(index, self.chunk_cols);
            self.text.problems.subject = Subject::Tile { row, col };
            if self.shifted.is_none() {
                self.shifted = self.report_odd_line(place, place.0 + 1);
            }
            let (rule, message) = if index.is_multiple_of(CHUNK_TILES as usize) {
                let message = "the line goes on past the end of a chunk; the engine reads it wrong";
                (&rules::CHUNK_START, message)
            } else {
                (
                    &rules::ROW_START,
                    "the first tile of a row does not begin a line",
                )
            };
            self.text
                .report_after(self.shifted, rule, place, || message.to_owned());
            self.shifted = self.shifted.or(self.text.problems.last());
            let from = self.odd_lines.last();
            let from = from.map_or(place.into(), |(line, _)| Place::line(*line));
            self.moved = self.moved.or(self.shifted.map(|cause| (from, cause)));
        }
        begins_line
    }

    /// Says which of the last lines before a place, and before the line `end`, has more or fewer tiles
    /// than those around it, if one has.
    fn report_odd_line(&mut self, (line, column): (u64, u32), end: u64) -> Option<Cause> {
        let odd = OddLine::before(
            self.text.bytes,
            self.text.line_start_of(line)?,
            line,
            column,
        )
        .filter(|odd| odd.line < end)?;
        let place = Place::from((odd.line, odd.column));
        self.text.report(&rules::ROW_START, place, || {
            let (found, expected) = (counted(odd.found, "tile"), odd.expected);
            format!("{found} on the line; expected {expected} as on the lines around it")
        });
        let cause = self.text.problems.last()?;
        self.odd_lines.push((odd.line, cause));
        Some(cause)
    }

    /// Reads up to 32 tiles word by word and says how many words there were.
    fn read_words(&mut self, index: usize, tiles: &mut [Tile; RUN]) -> usize {
        let mut places = [(0, 0); RUN];
        let mut read = 0;
        let mut begins_line = false;
        for tile in tiles.iter_mut() {
            *tile = Tile::default();
            let Some(word) = self.next_tile(index + read) else {
                continue;
            };
            if read == 0 {
                begins_line = self.begin_run(index, word.place);
            }
            places[read] = word.place;
            self.last_line = word.place.0;
            self.first_tile.get_or_insert(word.place);
            *tile = self.parse_word(word, index + read);
            self.max_material = self
                .max_material
                .max(tile.top_material)
                .max(tile.side_material);
            self.has_odd_digits |= tile.odd_digits() != 0;
            read += 1;
        }
        self.layout.push_places(&places[..read], begins_line);
        // A plain run begins with its first tile.
        match self.text.rest() {
            [b' ' | b'\t', ..] => self.text.pos += 1,
            [b'\n', ..] => self.text.skip_line_end(),
            [b'\r', b'\n', ..] => {
                self.text.pos += 1;
                self.text.skip_line_end();
            }
            _ => {}
        }
        read
    }

    /// The next word, or that part of a word of several tiles which is the next of them.
    fn next_tile(&mut self, index: usize) -> Option<Word<'a>> {
        let start = self.text.pos;
        // Where a long word ends is looked for once.
        if start < self.several_to {
            let whole = self.text.bytes.get(start..self.several_to)?;
            let place = self.text.place();
            let (text, rest) = whole.split_at(whole.len().min(TILE_CHARS));
            self.text.pos = start + text.len() + usize::from(!rest.is_empty());
            return Some(Word { text, start, place });
        }
        let word = self.text.word(true)?;
        if is_zeroed(word.text) {
            self.text.pos = word.start;
            self.several_to = word.start + word.text.len();
            return self.next_tile(index);
        }
        let word = self.whole_of_divided(word);
        Some(self.first_of_joined(word, index))
    }

    /// A tile with a space in it, where a word and the next one on its line are that.
    fn whole_of_divided(&mut self, word: Word<'a>) -> Word<'a> {
        let text = self.text.bytes.get(word.start..);
        let text = text.and_then(|text| text.get(..DIVIDED_CHARS));
        let end = self.text.bytes.get(word.start + DIVIDED_CHARS);
        let is_whole = end.is_none_or(|end| is_separator(*end));
        let divided = text.filter(|text| is_whole && undivided(text).is_some());
        divided.map_or(word, |text| {
            self.text.pos = word.start + text.len();
            Word { text, ..word }
        })
    }

    /// The first tile of a word that is two, since there is no space between them: the second is read
    /// after it.
    fn first_of_joined(&mut self, word: Word<'a>, index: usize) -> Word<'a> {
        let (tiles, rest) = word.text.as_chunks::<TILE_CHARS>();
        let [first, second] = tiles else { return word };
        let are_tiles = || [first, second].iter().all(|tile| Tile::parse(tile).is_ok());
        if !rest.is_empty() || !are_tiles() {
            return word;
        }
        let (row, col) = file_tile(index, self.chunk_cols);
        self.text.problems.subject = Subject::Tile { row, col };
        let end = text_place(word.place, TILE_CHARS);
        self.text.report(&rules::TILE_LENGTH, end, || {
            Message::read_so(format!(
                "found {} behind a tile; expected a space or the end of the line",
                quoted(second)
            ))
        });
        self.text.pos = word.start + TILE_CHARS;
        Word {
            text: first,
            ..word
        }
    }

    /// The tile that a word is, or what stands in for it.
    fn parse_word(&mut self, word: Word<'a>, index: usize) -> Tile {
        let exact = word.text.try_into().ok();
        if let Some(tile) = exact.and_then(|text| Tile::parse(text).ok()) {
            return tile;
        }
        self.odd.push(index, word.text);
        let reading = Reading::of(word.text);
        if !reading.is_some_and(|reading| reading.has_shape()) {
            self.bad.push(index);
        }
        reading.map_or_else(Tile::default, |reading| reading.tile)
    }

    /// Looks at what follows the tiles; gives the place of the end of the text.
    fn read_end(&mut self, read: usize, count: usize) -> (u64, u32) {
        self.text.problems.subject = Subject::File;
        self.text.skip_separators(false);
        let is_line_ended =
            self.text.line != self.last_line || self.text.rest().first() == Some(&b'\n');
        if self.text.rest().is_empty() {
            self.text.check_line_length();
        }
        self.text.skip_separators(true);
        let place = self.text.place();
        if read < count {
            let missing = count - read;
            if missing < RUN && self.shifted.is_none() {
                // One that is the last is where the file is cut.
                self.shifted = self.report_odd_line(place, self.last_line);
            }
            // Lines that are shifted to the end lack a few tiles, and the file is whole.
            let cause = self.shifted.filter(|_| missing < RUN);
            let (row, col) = file_tile(read, self.chunk_cols);
            self.text.problems.subject = Subject::Tile { row, col };
            self.text
                .report_after(cause, &rules::MISSING_TILES, place, || {
                    let (read, are) = (
                        counted(read, "tile"),
                        if missing == 1 { "is" } else { "are" },
                    );
                    format!("the file ends after {read}; expected {count}, {missing} {are} missing")
                });
            self.text.problems.subject = Subject::File;
            self.ends_early = self.text.problems.last();
            // A line is missing, and it is not known which; more are missing where the file is cut.
            let moved = self.ends_early.filter(|_| missing <= RUN);
            self.moved = self.moved.or(moved.map(|cause| (Place::line(0), cause)));
        } else {
            let after = "the last tile";
            // A tile too many on a line pushes one out at the end.
            let is_pushed_out = self.text.rest().len() < RUN * TILE_STEP;
            let is_tile = self
                .text
                .next_word()
                .is_some_and(|it| it.len() == TILE_CHARS);
            if is_pushed_out && is_tile && self.shifted.is_none() {
                self.shifted = self.report_odd_line(place, place.0 + 1);
            }
            let moment = self.text.problems.moment();
            if is_tile {
                self.report_extra_tiles();
            } else {
                let (rule, last_line) = (&rules::TRAILING_DATA, &rules::LAST_LINE);
                self.text.check_end(rule, last_line, after, is_line_ended);
            }
            if let Some(cause) = self.shifted.filter(|_| is_pushed_out) {
                self.text.problems.fold_since(moment, cause);
            }
            let moved = self.text.problems.first_since(moment);
            let moved = moved.filter(|_| is_pushed_out && is_tile);
            self.moved = self.moved.or(moved.map(|cause| (Place::line(0), cause)));
        }
        place
    }

    /// Lists the tiles behind those that the head makes, which the engine does not read.
    fn report_extra_tiles(&mut self) {
        let words = words_of(self.text.rest());
        let extra = words.take_while(|(_, word)| word.len() == TILE_CHARS);
        let (extra, [rows, cols]) = (extra.count(), [self.chunk_rows, self.chunk_cols]);
        self.text
            .report(&rules::EXTRA_TILES, self.text.place(), || {
                let tiles = counted(extra, "tile");
                let found = format!(
                    "{tiles} behind the last of {rows} by {cols} chunks, as `num_rows` and `num_cols` say"
                );
                Message::left_out(found, tiles)
            });
    }
}

/// A line that has more or fewer tiles than those around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OddLine {
    line: u64,
    /// Of the first word on it that is no tile, or else of the first tile too many, or its end.
    column: u32,
    found: usize,
    expected: usize,
}

impl OddLine {
    /// The first such line of the last row of tiles before a place, whose line begins at `start`.
    fn before(bytes: &[u8], start: usize, line: u64, column: u32) -> Option<Self> {
        let words = |text: &[u8]| words_of(text).count();
        let end_of = |from: usize| {
            let rest = bytes.get(from..).unwrap_or_default();
            let end = rest.iter().position(|byte| *byte == b'\n');
            from + end.unwrap_or(rest.len())
        };
        // Lines and where they begin, from the one with the place back to that of the row's first tile, and
        // one more to compare them with.
        let mut lines = vec![(line, start)];
        let before = bytes.get(start..start + column as usize - 1)?;
        let mut tiles = words(before);
        let (mut at, mut number) = (start, line);
        let mut is_full = tiles >= RUN;
        while at > 0 && number > 1 && line - number < LINES_BEFORE {
            let end = at - 1;
            at = bytes[..end]
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |end| end + 1);
            number -= 1;
            let of_line = words(&bytes[at..end]);
            if of_line == 0 {
                continue;
            }
            if is_full && !words_of(&bytes[at..end]).any(|(_, word)| word.len() == TILE_CHARS) {
                break;
            }
            lines.push((number, at));
            if is_full {
                break;
            }
            tiles += of_line;
            is_full = tiles >= RUN;
        }
        lines.reverse();
        let counts = lines.iter().map(|(_, at)| words(&bytes[*at..end_of(*at)]));
        let counts: Vec<usize> = counts.collect();
        let mut around = counts.clone();
        let mut next = end_of(start) + 1;
        for _ in 0..LINES_AFTER {
            let Some(rest) = bytes.get(next..end_of(next)) else {
                break;
            };
            around.extend(Some(words(rest)).filter(|count| *count > 0));
            next = end_of(next) + 1;
        }
        let times = |of: &usize| around.iter().filter(|count| *count == of).count();
        let expected = *around.iter().max_by_key(|count| times(count))?;
        let is_odd = |count: &usize| !count.is_multiple_of(expected);
        let odd = counts.iter().position(is_odd)?;
        let ((line, at), found) = (*lines.get(odd)?, *counts.get(odd)?);
        let text = &bytes[at..end_of(at)];
        let no_tile = words_of(text).find(|(_, word)| word.len() != TILE_CHARS);
        let extra = words_of(text).nth(expected);
        let column = no_tile
            .or(extra)
            .map_or(text.trim_ascii_end().len(), |(column, _)| column);
        Some(Self {
            line,
            column: u32::try_from(column + 1).ok()?,
            found,
            expected,
        })
    }
}

/// Whether a word is several tiles, since what was between them is zero bytes as they are: those behind
/// the damage stay where they were. Where line ends are longer than a character, it is not known how
/// many there were.
fn is_zeroed(word: &[u8]) -> bool {
    let is_several = word.len() > TILE_STEP && (word.len() + 1).is_multiple_of(TILE_STEP);
    let begin = &word[..word.len().min(2 * TILE_STEP)];
    let mut runs = begin.windows(TILE_STEP);
    is_several && runs.any(|run| run.iter().all(|byte| *byte == 0))
}

/// The words of a line, each with where it begins.
fn words_of(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    let words = text.split(|byte| is_separator(*byte)).map(move |word| {
        let start = at;
        at += word.len() + 1;
        (start, word)
    });
    words.filter(|(_, word)| !word.is_empty())
}

/// How far tiles are read that stand one character apart, and what was seen of them.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    pos: usize,
    line: u64,
    line_start: usize,
    max_material: u16,
    has_odd_digits: bool,
}

impl Cursor {
    /// Reads 32 tiles, the first of them here, on lines that are not too long, and says where lines
    /// end ([`Run::breaks`]). Where they do not stand one space or line end apart it stays where it is,
    /// though `tiles` may have changed.
    #[inline]
    fn read_run(&mut self, bytes: &[u8], tiles: &mut [Tile; RUN]) -> Option<u32> {
        let Self {
            mut pos,
            line,
            mut line_start,
            mut max_material,
            has_odd_digits,
        } = *self;
        let mut breaks = 0_u32;
        // Whether all of them are tiles is asked once, at the end.
        let (mut flaws, mut odd_digits) = (0, 0);
        // Most tiles are like the one before them: 84 % of those of the game's demo map.
        let mut before = (&[0; TILE_CHARS], Tile::default());
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

/// How many rows of chunks are read side by side. Each is taken to have as many bytes as the one
/// before; where that is wrong they are read one by one for a while, and longer each time.
#[derive(Debug)]
struct RowsAtOnce {
    /// How many bytes the last row has.
    bytes: usize,
    /// How many rows come one by one.
    one_by_one: usize,
    caution: usize,
}

impl Default for RowsAtOnce {
    fn default() -> Self {
        Self {
            bytes: 0,
            one_by_one: 1,
            caution: 1,
        }
    }
}

impl RowsAtOnce {
    /// How many rows to read now, of so many that are left.
    fn next(&self, left: usize) -> usize {
        let rows = (BYTES_AT_ONCE.end / self.bytes.max(1)).min(left);
        let is_worth_it = self.one_by_one == 0 && rows * self.bytes >= BYTES_AT_ONCE.start;
        if is_worth_it { rows.max(1) } else { 1 }
    }

    /// Takes down a row that was read, and whether it was where it was expected; the first after some
    /// that came one by one was not expected anywhere.
    fn read(&mut self, bytes: usize, is_taken: bool) {
        self.bytes = bytes;
        if is_taken {
            return;
        }
        if self.one_by_one > 0 {
            self.one_by_one -= 1;
        } else {
            self.caution *= 2;
            self.one_by_one = self.caution;
        }
    }
}

/// A row of chunks whose tiles stand one character apart, and whose runs begin lines.
struct PlainRow {
    start: usize,
    /// With lines counted from its first.
    runs: Vec<Run>,
    end: Cursor,
    /// Whether its tiles agree on the edges between them.
    edges_agree: bool,
}

/// Reads rows of chunks of so many bytes, of which the first begins at `start`, wherever they are like
/// that. `tiles` has those of all of them.
fn read_side_by_side(
    bytes: &[u8],
    start: usize,
    row_bytes: usize,
    cols: usize,
    tiles: &mut [Tile],
) -> Vec<Option<PlainRow>> {
    let of_row = RUN * cols;
    let read_part = |first: usize, part: &mut [Tile]| {
        let rows = (first / of_row..).zip(part.chunks_exact_mut(of_row));
        let rows = rows.map(|(i, tiles)| read_plain_row(bytes, start + i * row_bytes, cols, tiles));
        rows.collect::<Vec<_>>()
    };
    share_out(tiles, of_row, read_part)
        .into_iter()
        .flatten()
        .collect()
}

/// Not 0 where the blend digit of a tile differs from that of the tile beyond an edge of it
/// ([`Tile::blend_digits`]).
#[inline]
fn differing_digit(own: u16, beyond: u16, edge: Edge) -> u16 {
    blend_digit(own, edge) ^ blend_digit(beyond, edge.opposite())
}

/// The same of several tiles and those beyond them.
#[inline]
fn differing_digits(own: &[u16], beyond: &[u16], edge: Edge) -> u16 {
    let pairs = own.iter().zip(beyond);
    let differing = pairs.map(|(own, beyond)| differing_digit(*own, *beyond, edge));
    differing.fold(0, |all, digit| all | digit)
}

fn read_plain_row(bytes: &[u8], start: usize, cols: usize, tiles: &mut [Tile]) -> Option<PlainRow> {
    let mut end = Cursor {
        pos: start,
        line_start: start,
        ..Cursor::default()
    };
    let mut runs = Vec::with_capacity(cols);
    // Edges are compared while the tiles are at hand, with the row above in the chunk and the chunk before.
    let mut differing = 0;
    let mut last_of_rows = [None; RUN];
    for chunk_col in 0..cols / RUN {
        let mut above: Option<[u16; RUN]> = None;
        for (row, before) in last_of_rows.iter_mut().enumerate() {
            let run = tiles[row * cols + chunk_col * RUN..].first_chunk_mut()?;
            let line = end.line;
            if end.pos != end.line_start {
                return None;
            }
            let breaks = end.read_run(bytes, run)?;
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

/// Lists the edges for which the tiles on both sides have different blend modes. The engine blends
/// each side by its own tile, so that there is a seam; its editor keeps them the same. Edges that meet
/// are one seam, such as those around a tile. Maps without modes for edges have no such edges.
///
/// Tiles that stand elsewhere than they should meet others than they should: what is odd with those from a
/// place on follows from that.
///
/// Rows of chunks that are known to agree are compared with the next row alone.
fn check_edges(
    map: &Pfmap,
    edges_agree: &[bool],
    moved: Option<(Place, Cause)>,
    problems: &mut Problems,
) {
    if !map.tiles.iter().any(Tile::names_edges) {
        return;
    }
    let differing = |row: u32, col: u32, edge: Edge| {
        let (down, right) = edge.step();
        let beyond = (
            row.checked_add_signed(down)?,
            col.checked_add_signed(right)?,
        );
        let [own, other] = [(row, col), beyond].map(|(row, col)| map.tile(row, col));
        let modes = [own?.blend(edge), other?.blend(edge.opposite())];
        let is_read = |(row, col)| map.is_read(row, col);
        // Of a mode that nobody knows it is said where it stands.
        let is_known = !modes.contains(&BlendMode::Unknown);
        (is_known && modes[0] != modes[1] && is_read((row, col)) && is_read(beyond))
            .then_some(modes)
    };
    // Each edge with the tile in the north or the west of it, chunk by chunk as in the file. Digits are
    // compared row by row, and the modes that they stand for where some digits differ.
    let cols = map.cols() as usize;
    let digits_of_row = |row: u32, digits: &mut Vec<u16>| {
        let tiles = map.tiles.get(row as usize * cols..).unwrap_or_default();
        digits.clear();
        digits.extend(tiles.iter().take(cols).map(Tile::blend_digits));
    };
    let in_chunk_row = |chunk_row: usize| {
        let end = (chunk_row as u32 + 1) * CHUNK_SIDE;
        let agrees = edges_agree.get(chunk_row).is_some_and(|agrees| *agrees);
        let first = end - if agrees { 1 } else { CHUNK_SIDE };
        let mut found = Vec::new();
        let (mut own, mut below) = (Vec::new(), Vec::new());
        digits_of_row(first, &mut own);
        for row in first..end {
            digits_of_row(row + 1, &mut below);
            let east = own.get(1..).unwrap_or_default();
            for (edge, beyond) in [(Edge::East, east), (Edge::South, &below)] {
                if differing_digits(&own, beyond, edge) == 0 {
                    continue;
                }
                let pairs = own.iter().zip(beyond).zip(0..);
                let differing = pairs.filter(|((own, beyond), col)| {
                    differing_digit(**own, **beyond, edge) != 0
                        && differing(row, *col, edge).is_some()
                });
                found.extend(differing.map(|(_, col)| (map.file_index(row, col), edge)));
            }
            std::mem::swap(&mut own, &mut below);
        }
        found.sort_by_key(|(index, edge)| (*index, *edge as usize));
        found
    };
    let found: Vec<(usize, Edge)> = on_all_threads(map.chunk_rows as usize, in_chunk_row)
        .into_iter()
        .flatten()
        .collect();
    let mut seams = Seams::default();
    let corners = |index: usize, edge: Edge| {
        let (row, col) = file_tile(index, map.chunk_cols);
        // The corner in the south-east is that of both edges.
        let other = match edge {
            Edge::East => (row, col + 1),
            _ => (row + 1, col),
        };
        [(row + 1, col + 1), other]
    };
    for &(index, edge) in &found {
        seams.join(corners(index, edge));
    }
    for (index, edge) in found {
        let (row, col) = file_tile(index, map.chunk_cols);
        let Some([own, other]) = differing(row, col, edge) else {
            continue;
        };
        let field = map.tile(row, col).map(|tile| tile.blend_field(edge));
        let place = text_place(map.layout.place(index), field.map_or(0, Field::at));
        let [corner, _] = corners(index, edge);
        let (seam, subject) = (seams.of(corner), Subject::Tile { row, col });
        let rule = &rules::EDGE_BLEND;
        let message = || {
            let side = if edge == Edge::East { "east" } else { "south" };
            let (own, other) = (own.name(), other.name());
            format!(
                "the tile's edge in the {side} is blended as `{own}`, and as `{other}` by the \
                 tile beyond it; expected the same (row {row}, column {col} of the map)"
            )
        };
        let (down, right) = edge.step();
        let beyond = (
            row.saturating_add_signed(down),
            col.saturating_add_signed(right),
        );
        let beyond = map.tile_place(beyond.0, beyond.1).map(Place::from);
        match moved.filter(|(from, _)| beyond.max(Some(place)) >= Some(*from)) {
            Some((_, cause)) => {
                problems.add_consequence(Some(cause), rule, subject, place, message);
            }
            None => {
                problems.add_alike(seam, rule, subject, place, message);
            }
        }
    }
}

/// The corner of a tile, by row and column of the tile in the south-east of it.
type Corner = (u32, u32);

/// Which edges meet: the corners of each seam are a tree, whose root stands for it.
#[derive(Debug, Default)]
struct Seams(HashMap<Corner, Corner>);

impl Seams {
    /// The corner that stands for the seam of another.
    fn of(&mut self, corner: Corner) -> Corner {
        let mut root = corner;
        while let Some(above) = self.0.get(&root).filter(|above| **above != root) {
            root = *above;
        }
        // The next walk from here is short.
        let mut at = corner;
        while let Some(above) = self.0.insert(at, root).filter(|above| *above != root) {
            at = above;
        }
        root
    }

    /// Makes one seam of those of two corners.
    fn join(&mut self, [a, b]: [Corner; 2]) {
        let (a, b) = (self.of(a), self.of(b));
        self.0.insert(b, a);
    }
}

/// Lists what tiles say that has no meaning.
fn check_tiles(
    map: &Pfmap,
    odd_lines: &[(u64, Cause)],
    few_materials: Option<(u64, Cause)>,
    problems: &mut Problems,
) {
    let held = map.layout.held().unwrap_or(map.tiles.len());
    for index in 0..held.min(map.tiles.len()) {
        let (row, col) = file_tile(index, map.chunk_cols);
        let Some(tile) = map.tile(row, col) else {
            continue;
        };
        let odd = map.odd_tiles.get(index);
        let is_outside = |material: u16| usize::from(material) >= map.materials.len();
        let names_outside = is_outside(tile.top_material) || is_outside(tile.side_material);
        if odd.is_none() && tile.odd_digits() == 0 && !names_outside {
            continue;
        }
        let start = map.layout.place(index);
        let of_map = || format!("(row {row}, column {col} of the map)");
        let text = tile.text();
        let whole = OddText {
            text: &text,
            length: text.len(),
        };
        problems.subject = Subject::Tile { row, col };
        let mut is_readable = true;
        // A word that is no tile is why a line has more or fewer of them.
        let of_line = odd_lines.iter().find(|(line, _)| *line == start.0);
        let of_line = of_line.map(|(_, cause)| *cause);
        let mut odd_fields: Vec<(usize, Option<Cause>)> = Vec::new();
        for fault in Reading::faults(odd.unwrap_or(whole)) {
            is_readable &= fault.is_read || fault.rule.severity != Severity::Error;
            let cause = of_line.filter(|_| fault.rule == &rules::TILE_LENGTH);
            let (rule, subject, at) = (fault.rule, problems.subject, fault.at);
            problems.add_consequence(cause, rule, subject, text_place(start, at), || {
                let (found, expected, outcome) = (fault.found, fault.expected, fault.outcome);
                let message = format!("{found}; expected {expected}{outcome} {}", of_map());
                if fault.is_read {
                    Message::read_so(message)
                } else {
                    message.into()
                }
            });
            odd_fields.push((at, problems.last()));
        }
        if !is_readable {
            continue;
        }
        let reading = odd
            .and_then(|odd| Reading::of(odd.text))
            .unwrap_or_else(|| Reading::from(tile));
        let named = [
            (Field::TopMaterial, "top", tile.top_material),
            (Field::SideMaterial, "sides", tile.side_material),
        ];
        for (field, part, material) in named
            .into_iter()
            .filter(|(.., material)| is_outside(*material))
        {
            let (rule, subject) = (&rules::TILE_MATERIAL, Subject::Tile { row, col });
            let place = text_place(start, field.at());
            let message = || {
                let read = reading.get(field);
                let outside = outside("material", map.materials.len() as u64);
                format!(
                    "the tile names material {read} for its {part}, {outside} {}",
                    of_map()
                )
            };
            let odd_field = odd_fields.iter().find(|(at, _)| field.chars().contains(at));
            let of_field = odd_field.and_then(|(_, cause)| *cause);
            // It may be among those that are missing.
            let missing = few_materials.filter(|(promised, _)| u64::from(material) < *promised);
            let cause = of_field.or(missing.map(|(_, cause)| cause));
            if cause.is_some() {
                problems.add_consequence(cause, rule, subject, place, message);
            } else {
                problems.add_alike(material, rule, subject, place, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a map row of chunks by row of chunks.
    fn read_one_by_one(bytes: &[u8]) -> Pfmap {
        let mut text = Text::new(bytes, &rules::TEXT_RULES);
        let head = read_head(&mut text);
        let mut list = TileList::new(text, head).unwrap();
        list.rows.one_by_one = usize::MAX;
        list.read(&mut |_| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn rows_side_by_side_are_read_as_one_by_one() {
        let bytes = mapscope_testdata::synthesize::pfmap(16, 8, 3);
        assert!(bytes.len() > 3 * BYTES_AT_ONCE.start);
        let text = String::from_utf8(bytes).unwrap();
        let line = |text: &str, share: usize| {
            let at = text.len() * share / 10;
            at + text[at..].find('\n').unwrap() + 1
        };
        let insert = |text: &str, share: usize, what: &str| {
            let mut text = text.to_owned();
            text.insert_str(line(&text, share), what);
            text
        };
        let cut = |share: usize| text[..line(&text, share) + 60].to_owned();
        let remove_tile = |share: usize| {
            let mut text = text.clone();
            let at = line(&text, share);
            text.replace_range(at..at + TILE_STEP, "");
            text
        };
        let odd = |share: usize| {
            let mut text = text.clone();
            let at = line(&text, share);
            text.replace_range(at..=at, "G");
            text
        };
        let texts = [
            text.clone(),
            text.replace('\n', "\r\n"),
            insert(&text, 3, "\n"),
            insert(&insert(&text, 3, "  "), 7, "\n\n"),
            odd(4),
            remove_tile(2),
            remove_tile(9),
            cut(5),
            cut(3),
            insert(&text, 6, "0+0000000001101001111000 "),
            text.trim_end().to_owned(),
        ];
        // Another blend mode for an edge: within a chunk, at its borders, and at those of its row.
        let other_edge = |row: usize, col: usize, edge: Edge| {
            let tile = 70 * CHUNK_TILES as usize + row * RUN + col;
            let tiles_behind = 16 * 8 * CHUNK_TILES as usize - tile;
            let at = text.len() - tiles_behind * TILE_STEP + Field::blend(edge).at();
            let mut text = text.clone();
            let other = if text.as_bytes()[at] == b'1' {
                "2"
            } else {
                "1"
            };
            text.replace_range(at..=at, other);
            text
        };
        let places = [0, 15, 31].map(|row| [0, 17, 31].map(|col| (row, col)));
        let edges = places
            .into_iter()
            .flatten()
            .flat_map(|(row, col)| Edge::ALL.map(|edge| other_edge(row, col, edge)));
        let edges: Vec<String> = edges.collect();
        let is_seen = |text: &String| !read(text.as_bytes()).unwrap().problems.is_empty();
        assert!(edges.iter().all(is_seen));
        for (i, text) in texts.iter().chain(&edges).enumerate() {
            let expected = read_one_by_one(text.as_bytes());
            let map = read(text.as_bytes()).unwrap();
            assert!(map.tiles == expected.tiles, "{i}");
            assert_eq!(map.layout, expected.layout, "{i}");
            assert_eq!(map.problems, expected.problems, "{i}");
            assert_eq!(map.bad_tiles, expected.bad_tiles, "{i}");
            assert_eq!(map.crlf, expected.crlf, "{i}");
        }
    }

    #[test]
    fn rows_that_are_not_alike_make_cautious() {
        let mut rows = RowsAtOnce::default();
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
