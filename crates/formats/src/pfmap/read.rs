//! Reading PFMAP (document section 3, fact sheet A1 to A3).
//!
//! The head is read line by line. The tile list is nearly all of a file, and is read in runs of 32
//! tiles, the rows of the chunks. Tiles one character apart are read at memory speed, all others
//! word by word.

use std::ops::{ControlFlow, Range};

use super::check::{check_edges, check_tiles};
use super::damage::{Damage, Gap};
use super::head::{Head, is_older_tile, read_head};
use super::layout::{LayoutBuilder, RUN, Run, TILE_STEP};
use super::rows::{Cursor, ParallelRows, PlainRow, read_rows_parallel};
use super::size::read_size;
use super::{
    CHUNK_SIDE, CHUNK_TILES, OddTiles, Pfmap, PfmapError, Reading, TILE_CHARS, Tile, damage,
    file_tile, rules,
};
use crate::cursor::{Text, Word, first_words, text_place};
use crate::{Cause, Message, Subject, conflict, counted, quoted};

/// `true` if a file that begins with these bytes is a PFMAP file, complete or truncated.
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
/// Faults are listed in [`Pfmap::problems`], and the rest of the file is read. A tile with
/// characters that the document does not allow is read as the engine reads it. An unreadable or
/// missing tile is a placeholder, listed in [`Pfmap::bad_tiles`]. The memory in use is bounded by
/// the length of `bytes`, regardless of the counts in the head.
///
/// # Errors
/// If no tile can be read, or if the file has an older layout.
pub fn read(bytes: &[u8]) -> Result<Pfmap, PfmapError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// Returns the announced rows and columns of chunks of a file that begins with these bytes; its
/// head is enough. `None` if either is missing.
pub fn chunks(bytes: &[u8]) -> Option<[u64; 2]> {
    let head = read_head(&mut Text::new(bytes, &rules::TEXT_RULES));
    Some([head.rows?.0, head.cols?.0])
}

/// [`read`] with a watcher. The watcher gets the progress, from 0 to 1, after each row of chunks,
/// and can stop the reading.
///
/// # Errors
/// Same as [`read`], and [`PfmapError::Cancelled`] if the watcher breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Pfmap, PfmapError> {
    let read = |bytes: &[u8]| {
        let mut text = Text::new(bytes, &rules::TEXT_RULES);
        let head = read_head(&mut text);
        check_layout(&mut text)?;
        TileList::new(text, head)?.read(watch)
    };
    conflict::read(bytes, &rules::CONFLICT, read, |map| &mut map.problems)
}

/// Refuses files of the layouts before April 2019, whose tiles have 6 or 8 characters.
fn check_layout(text: &mut Text<'_>) -> Result<(), PfmapError> {
    let rest = text.rest().trim_ascii_start();
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_older = |length: usize| first_words(line).all(|word| word.len() == length);
    match text.next_word().filter(|word| is_older_tile(word)) {
        Some(tile) if is_older(tile.len()) => {
            text.skip_separators(true);
            let found = format!(
                "found {}, a tile of {} characters in the layout from before April 2019",
                quoted(tile),
                tile.len()
            );
            let place = text.place().into();
            let (rule, expected) = (&rules::OLDER_LAYOUT, "tiles of 24 characters");
            Err(PfmapError::unreadable(rule, place, found, expected))
        }
        _ => Ok(()),
    }
}

/// The tile list while it is read.
struct TileList<'a> {
    text: Text<'a>,
    head: Head<'a>,
    chunk_rows: u32,
    chunk_cols: u32,
    /// Offset of the tile list.
    start: usize,
    /// Line of the last tile that was read.
    last_line: u64,
    layout: LayoutBuilder,
    rows: ParallelRows,
    /// Unreadable tiles, in file order.
    bad: Vec<usize>,
    odd: OddTiles,
    /// The largest material index of all tiles.
    max_material: u16,
    /// `true` if a tile has a digit that its field does not allow.
    has_odd_digits: bool,
    /// The first of the last consecutive rows that do not begin a line.
    shifted: Option<Cause>,
    /// The search for damage, created on first use; `Err` if damage cannot be found.
    damage: Option<Result<Damage<'a>, ()>>,
    /// The damaged part that is being read.
    gap: Option<Gap>,
    /// The tiles of damaged parts, and the problem of each part.
    damaged: Vec<(Range<usize>, Cause)>,
    /// For each row of chunks, `true` if its tiles are known to agree on the edges between them.
    edges_agree: Vec<bool>,
}

impl<'a> TileList<'a> {
    fn new(mut text: Text<'a>, head: Head<'a>) -> Result<Self, PfmapError> {
        let [chunk_rows, chunk_cols] = read_size(&mut text, &head)?;
        Ok(Self {
            start: text.pos,
            last_line: 0,
            layout: LayoutBuilder::default(),
            rows: ParallelRows::default(),
            bad: Vec::new(),
            odd: OddTiles::default(),
            max_material: 0,
            has_odd_digits: false,
            chunk_rows,
            chunk_cols,
            shifted: None,
            damage: None,
            gap: None,
            damaged: Vec::new(),
            edges_agree: Vec::new(),
            text,
            head,
        })
    }

    /// Number of tiles of a row of the map.
    fn cols(&self) -> usize {
        self.chunk_cols as usize * RUN
    }

    /// Number of tiles of the map.
    fn count(&self) -> usize {
        self.chunk_rows as usize * RUN * self.cols()
    }

    fn read(mut self, watch: &mut dyn FnMut(f32) -> ControlFlow<()>) -> Result<Pfmap, PfmapError> {
        let (cols, count) = (self.cols(), self.count());
        let total = self.text.bytes.len() as f32;
        // The memory is committed on first write, on the thread that fills it.
        let mut tiles: Vec<Tile> = bytemuck::zeroed_vec(count);
        let mut index = 0;
        let mut rest = tiles.as_mut_slice();
        while !rest.is_empty() {
            let at_once = self.rows.next(rest.len() / (RUN * cols));
            let (now, later) = rest.split_at_mut(at_once * RUN * cols);
            rest = later;
            let guesses = if at_once > 1 {
                read_rows_parallel(self.text.bytes, self.text.pos, self.rows.bytes, cols, now)
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
        self.finish(tiles, index)
    }

    /// Builds the map from its tiles and checks it. The file has the first `read` tiles.
    fn finish(mut self, tiles: Vec<Tile>, read: usize) -> Result<Pfmap, PfmapError> {
        let line = self.text.line;
        let miscounted = self.read_end(read);
        let mut map = Pfmap {
            version: std::mem::take(&mut self.head.version),
            materials: std::mem::take(&mut self.head.materials),
            splats: std::mem::take(&mut self.head.splats),
            chunk_rows: self.chunk_rows,
            chunk_cols: self.chunk_cols,
            tiles,
            layout: self.layout.finish(),
            crlf: self.head.crlf,
            problems: Vec::new(),
            bad_tiles: Vec::new(),
            odd_tiles: self.odd,
        };
        let bad = self.bad.into_iter().chain(map.layout.gaps().flatten());
        map.bad_tiles = bad.map(|index| file_tile(index, map.chunk_cols)).collect();
        #[expect(
            clippy::stable_sort_primitive,
            reason = "the list consists of sorted parts, which a stable sort merges fast"
        )]
        map.bad_tiles.sort();
        if map.bad_tiles.len() == map.tiles.len() {
            return Err(no_tiles_error(&map, &self.text));
        }
        let problems = &mut self.text.problems;
        if usize::from(self.max_material) >= map.materials.len()
            || self.has_odd_digits
            || !map.odd_tiles.is_empty()
        {
            let cut = miscounted.filter(|_| read < map.tiles.len());
            check_tiles(&map, &self.head, cut.map(|cause| (line, cause)), problems);
        }
        // With a missing or surplus line, it is unknown which one it is.
        if let Some(cause) = miscounted.filter(|_| map.tiles.len() - read <= RUN) {
            self.damaged.push((0..map.tiles.len(), cause));
        }
        check_edges(&map, &self.edges_agree, &self.damaged, problems);
        map.problems = self.text.problems.finish();
        Ok(map)
    }

    /// Reads the next row of chunks. Returns the number of its tiles that are before the end of the
    /// file.
    fn read_row(&mut self, first: usize, tiles: &mut [Tile]) -> usize {
        tiles.fill(Tile::default());
        let cols = self.cols();
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

    /// Takes a row of chunks that was read in parallel, if it begins here and with a line.
    fn take(&mut self, row: PlainRow) -> bool {
        let is_here = self.gap.is_none()
            && row.start == self.text.pos
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
        self.resume_at(end, last.breaks);
        true
    }

    /// Reads the next 32 tiles. Returns the number of them that are before the end of the file.
    fn read_run(&mut self, index: usize, tiles: &mut [Tile; RUN]) -> usize {
        self.skip_gap(index);
        if self.gap.is_some() {
            return self.read_words(index, tiles);
        }
        let mut cursor = Cursor {
            pos: self.text.pos,
            line: self.text.line,
            line_start: self.text.line_start,
            max_material: 0,
            has_odd_digits: false,
        };
        let (line, column) = self.text.place();
        let breaks = cursor.read_run(self.text.bytes, tiles);
        let is_row = column == 1 && cursor.pos == cursor.line_start;
        if !(is_row && breaks.is_some()) {
            self.find_damage(index);
        }
        let Some(breaks) = breaks.filter(|_| self.gap.is_none()) else {
            return self.read_words(index, tiles);
        };
        let begins_line = self.begin_run(index, (line, column));
        let run = Run {
            line,
            column,
            breaks,
        };
        self.layout.push(run, begins_line);
        self.resume_at(cursor, breaks);
        RUN
    }

    /// Continues after tiles whose last run has these breaks.
    fn resume_at(&mut self, cursor: Cursor, breaks: u32) {
        self.text.pos = cursor.pos;
        self.text.line = cursor.line;
        self.text.line_start = cursor.line_start;
        self.last_line = cursor.line - u64::from(breaks >> (RUN - 1));
        self.max_material = self.max_material.max(cursor.max_material);
        self.has_odd_digits |= cursor.has_odd_digits;
    }

    /// Searches for damage in the rest of a row. The tile `index` should begin a line here.
    fn find_damage(&mut self, index: usize) {
        let (bytes, first, count) = (self.text.bytes, self.start, self.count());
        let search = || Damage::new(bytes, first, count).ok_or(());
        let Ok(damage) = self.damage.get_or_insert_with(search) else {
            return;
        };
        self.text.skip_separators(true);
        let at = self.text.line_start;
        if self.text.line == self.last_line {
            return;
        }
        match damage.find(at, index) {
            Ok(Some(gap)) => {
                self.report_gap(&gap);
                self.gap = Some(gap);
            }
            Ok(None) => {}
            // The damage extends to the end.
            Err(()) => self.damage = Some(Err(())),
        }
    }

    /// Reports rows with too many or too few tiles.
    fn report_gap(&mut self, gap: &Gap) {
        let (row, col) = file_tile(gap.tiles.start, self.chunk_cols);
        self.text.problems.subject = Subject::Tile { row, col };
        let rows = (gap.tiles.end.max(gap.tiles.start + 1)).div_ceil(RUN) - gap.tiles.start / RUN;
        let expected = rows * RUN;
        let found = expected - gap.tiles.len() + gap.found;
        let before = &self.text.bytes[self.text.line_start..gap.start];
        let line = before.split(|byte| *byte == b'\n').count() - 1;
        let column = before
            .iter()
            .rev()
            .take_while(|byte| **byte != b'\n')
            .count();
        let place = text_place((self.text.line + line as u64, 1), column);
        self.text.problems.add(&rules::ROW_TILES, place, || {
            let (chunk_row, chunk_col) = (row / CHUNK_SIDE, col / CHUNK_SIDE);
            let of_chunk = format!("row {} of chunk {chunk_row}, {chunk_col}", row % CHUNK_SIDE);
            let word = first_words(&self.text.bytes[gap.start..]).next();
            let other = word
                .filter(|word| word.len() != TILE_CHARS)
                .map_or_else(String::new, |word| format!(" and {}", quoted(word)));
            let found = format!("{}{other}", counted(found, "tile"));
            match rows {
                1 => format!("{of_chunk} has {found}; expected {expected}"),
                _ => format!("{rows} rows from {of_chunk} on have {found}; expected {expected}"),
            }
        });
        let cause = self.text.problems.last();
        self.text.problems.cause = cause;
        self.damaged.extend(Some(gap.tiles.clone()).zip(cause));
    }

    /// Skips the damage before a tile. Returns `true` if the tile is lost.
    fn skip_gap(&mut self, index: usize) -> bool {
        let Some(gap) = self.gap.clone() else {
            return false;
        };
        if index >= gap.lost.start && self.text.pos < gap.resume {
            self.text.advance_to(gap.resume);
            self.layout.add_gap(gap.lost.clone(), self.text.place());
        }
        if index >= gap.tiles.end {
            self.text.skip_separators(true);
            self.gap = None;
            self.text.problems.cause = None;
            self.find_damage(index);
            return self.skip_gap(index);
        }
        gap.lost.contains(&index)
    }

    /// Returns `true` if a run begins a line; warns if it does not.
    fn begin_run(&mut self, index: usize, place: (u64, u32)) -> bool {
        let begins_line = place.0 != self.last_line;
        if begins_line || self.gap.is_some() {
            self.shifted = None;
            return begins_line;
        }
        let (row, col) = file_tile(index, self.chunk_cols);
        self.text.problems.subject = Subject::Tile { row, col };
        let (rule, message) = if index.is_multiple_of(CHUNK_TILES as usize) {
            let message = "the line continues past the end of a chunk; the engine misreads it";
            (&rules::CHUNK_START, message)
        } else {
            let message = "the first tile of a row is not at the beginning of a line";
            (&rules::ROW_START, message)
        };
        self.text
            .report_after(self.shifted, rule, place, || message);
        self.shifted = self.shifted.or(self.text.problems.last());
        false
    }

    /// Reads up to 32 tiles word by word. Returns the number of them that are before the end of the
    /// file.
    fn read_words(&mut self, index: usize, tiles: &mut [Tile; RUN]) -> usize {
        let mut places = [(0, 0); RUN];
        let (mut read, mut lost) = (0, 0);
        let mut begins_line = true;
        tiles.fill(Tile::default());
        for (tile, index) in tiles.iter_mut().zip(index..) {
            if self.skip_gap(index) {
                places[read] = self.text.place();
                lost += 1;
                read += 1;
                continue;
            }
            let Some(word) = self.text.word(true) else {
                break;
            };
            if read == 0 {
                begins_line = self.begin_run(index, word.place);
            }
            places[read] = word.place;
            self.last_line = word.place.0;
            *tile = self.parse_word(word, index);
            let material = tile.top_material.max(tile.side_material);
            self.max_material = self.max_material.max(material);
            self.has_odd_digits |= tile.odd_digits() != 0;
            read += 1;
        }
        let damage = self.damage.as_ref().and_then(|damage| damage.as_ref().ok());
        let breaks = damage.filter(|_| lost > 0).map(Damage::breaks);
        if let (RUN, Some(breaks)) = (lost, breaks) {
            let (line, column) = places[0];
            let run = Run {
                line,
                column,
                breaks,
            };
            self.layout.push(run, true);
        } else {
            self.layout
                .push_places(&places[..read], breaks, begins_line);
        }
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

    /// Returns the tile of a word, or a placeholder.
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

    /// Reads the text after the tiles. Returns the problem that there are more or fewer of them
    /// than announced.
    fn read_end(&mut self, read: usize) -> Option<Cause> {
        self.skip_gap(read);
        self.text.problems.subject = Subject::File;
        self.text.skip_separators(false);
        let is_line_ended =
            self.text.line != self.last_line || self.text.rest().first() == Some(&b'\n');
        if self.text.rest().is_empty() {
            self.text.check_line_length();
        }
        self.text.skip_separators(true);
        let (place, count) = (self.text.place(), self.count());
        self.layout.add_gap(read..count, place);
        let next = self.text.next_word();
        if read < count {
            let (row, col) = file_tile(read, self.chunk_cols);
            self.text.problems.subject = Subject::Tile { row, col };
            self.text.report(&rules::MISSING_TILES, place, || {
                let (missing, read) = (count - read, counted(read, "tile"));
                format!("the file ends after {read}; expected {count} ({missing} missing)")
            });
            self.text.problems.subject = Subject::File;
            self.text.problems.last()
        } else if next.is_some_and(|word| word.len() == TILE_CHARS) {
            self.report_extra_tiles();
            self.text
                .problems
                .last()
                .filter(|_| self.text.rest().len() < RUN * TILE_STEP)
        } else {
            let (rule, last_line) = (&rules::TRAILING_DATA, &rules::LAST_LINE);
            self.text
                .check_end(rule, last_line, "the last tile", is_line_ended);
            None
        }
    }

    /// Lists the tiles beyond the number in the head, which the engine does not read.
    fn report_extra_tiles(&mut self) {
        let words = damage::words(self.text.rest());
        let extra = words.take_while(|(_, word)| word.len() == TILE_CHARS);
        let (extra, [rows, cols]) = (extra.count(), [self.chunk_rows, self.chunk_cols]);
        self.text
            .report(&rules::EXTRA_TILES, self.text.place(), || {
                let tiles = counted(extra, "tile");
                let found = format!(
                    "{tiles} after the {rows} by {cols} chunks that `num_rows` and `num_cols` \
                     declare"
                );
                Message::left_out(found, tiles)
            });
    }
}

/// Returns the reason to refuse a file without a readable tile: the fault of its first tile, or its
/// absence.
fn no_tiles_error(map: &Pfmap, text: &Text<'_>) -> PfmapError {
    let faults = map
        .odd_tiles
        .get(0)
        .map(Reading::faults)
        .into_iter()
        .flatten();
    let mut errors = faults.filter(|fault| fault.rule.leaves_out);
    match errors.next() {
        Some(fault) => {
            let place = text_place(map.layout.place(0), fault.at);
            PfmapError::unreadable(fault.rule, place, fault.found, fault.expected)
        }
        None => text
            .found_file_end()
            .error(&rules::NO_TILES, "the list of tiles"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::PARALLEL_BYTES;
    use super::super::{Edge, Field};
    use super::*;

    /// Reads a map with the rows of chunks one by one.
    fn read_sequentially(bytes: &[u8]) -> Pfmap {
        let mut text = Text::new(bytes, &rules::TEXT_RULES);
        let head = read_head(&mut text);
        let mut list = TileList::new(text, head).unwrap();
        list.rows.sequential_rows = usize::MAX;
        list.read(&mut |_| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn rows_side_by_side_are_read_as_one_by_one() {
        let bytes = mapscope_testdata::synthesize::pfmap(16, 8, 3);
        assert!(bytes.len() > 3 * PARALLEL_BYTES.start);
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
        // Another blend mode for an edge: within a chunk, at the borders of a chunk, and at those
        // of its row.
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
        let edges: Vec<String> = places
            .into_iter()
            .flatten()
            .flat_map(|(row, col)| Edge::ALL.map(|edge| other_edge(row, col, edge)))
            .collect();
        let is_seen = |text: &String| !read(text.as_bytes()).unwrap().problems.is_empty();
        assert!(edges.iter().all(is_seen));
        for (i, text) in texts.iter().chain(&edges).enumerate() {
            let expected = read_sequentially(text.as_bytes());
            let map = read(text.as_bytes()).unwrap();
            assert!(map.tiles == expected.tiles, "{i}");
            assert_eq!(map.layout, expected.layout, "{i}");
            assert_eq!(map.problems, expected.problems, "{i}");
            assert_eq!(map.bad_tiles, expected.bad_tiles, "{i}");
            assert_eq!(map.crlf, expected.crlf, "{i}");
        }
    }
}
