//! Reading PFMAP (document section 3, fact sheet A1 to A3).
//!
//! The head is read line by line. The tile list is nearly all of a file, and is read in runs of
//! 32 tiles, the rows of the chunks: as fast as the memory allows where tiles stand one character
//! apart, and token by token where they do not or where something is wrong.

use std::ops::ControlFlow;

use super::head::{Head, read_head};
use super::layout::{LayoutBuilder, RUN, Run, TILE_STEP};
use super::problems::Kind;
use super::{CHUNK_TILES, Pfmap, PfmapError, TILE_CHARS, Tile, file_tile};
use crate::formats::cursor::{ENGINE_LINE_BYTES, Text, Word, first_words, text_place};
use crate::formats::problems::Problems;
use crate::formats::{outside, quoted};

/// How many times the tiles that fit into a truncated file the head may promise.
const PROMISE_LIMIT: u128 = 4;
/// Characters of a tile (fact sheet A2): field H, cover, and the blend modes of the edges.
const BLEND_CHAR: usize = 13;
const COVER_CHAR: usize = 16;
const EDGE_CHARS: std::ops::Range<usize> = 17..21;

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
/// Whatever does not keep the rest from being shown is in [`Pfmap::problems`], and a tile that
/// cannot be read is a placeholder in [`Pfmap::bad_tiles`]. A file that ends too early is shown as
/// far as it goes unless its head promises more than four times what it holds. The memory in use
/// is bounded by the length of `bytes`, whatever they say.
///
/// # Errors
/// When the head cannot be read, when it promises too much, or when no tile can be read.
pub fn read(bytes: &[u8]) -> Result<Pfmap, PfmapError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a watcher, which is told after each chunk how much is done, from 0 to 1, and can
/// stop it.
///
/// # Errors
/// As [`read`], and [`PfmapError::Cancelled`] when the watcher breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Pfmap, PfmapError> {
    let mut text = Text::new(bytes);
    let head = read_head(&mut text)?;
    TileList::new(text, head)?.read(watch)
}

/// The tile list while it is read.
struct TileList<'a> {
    text: Text<'a, Kind>,
    head: Head<'a>,
    /// Line of the last tile that was read.
    last_line: u64,
    layout: LayoutBuilder,
    /// File order.
    bad: Vec<usize>,
    /// Why no tile can be shown if none can.
    first_bad: Option<PfmapError>,
    /// The largest index of a material, and the digits above 2, that any tile has.
    max_material: u16,
    digits_above_two: u64,
    chunk_rows: u32,
    chunk_cols: u32,
}

impl<'a> TileList<'a> {
    fn new(text: Text<'a, Kind>, head: Head<'a>) -> Result<Self, PfmapError> {
        let ((rows, rows_word), (cols, cols_word)) = (head.rows, head.cols);
        let left = text.rest().len();
        // The last tile of a file has nothing after it if its line end is missing.
        let fitting = (left as u128 + 1) / TILE_STEP as u128;
        let promised_bytes = (u128::from(rows) * u128::from(cols))
            .saturating_mul(u128::from(CHUNK_TILES) * TILE_STEP as u128);
        let sides = u32::try_from(rows).ok().zip(u32::try_from(cols).ok());
        let Some((chunk_rows, chunk_cols)) =
            sides.filter(|_| promised_bytes <= PROMISE_LIMIT * (left as u128 + 1))
        else {
            let word = if rows >= cols { rows_word } else { cols_word };
            return Err(PfmapError::unreadable(
                word.place_of(0),
                format!(
                    "{}, which makes {rows} by {cols} chunks of {CHUNK_TILES} tiles",
                    word.found()
                ),
                format!("no more than the {fitting} tiles that the rest of the file has room for"),
            ));
        };
        Ok(Self {
            last_line: 0,
            layout: LayoutBuilder::default(),
            bad: Vec::new(),
            first_bad: None,
            max_material: 0,
            digits_above_two: 0,
            chunk_rows,
            chunk_cols,
            text,
            head,
        })
    }

    fn read(mut self, watch: &mut dyn FnMut(f32) -> ControlFlow<()>) -> Result<Pfmap, PfmapError> {
        let cols = self.chunk_cols as usize * RUN;
        let count = self.chunk_rows as usize * RUN * cols;
        let total = self.text.bytes.len() as f32;
        let mut tiles = Vec::with_capacity(count);
        let mut index = 0;
        let mut ended = false;
        for chunk_row in 0..self.chunk_rows as usize {
            // A chunk row at a time, so that its placeholders are still in the cache when the
            // tiles take their places.
            tiles.resize(tiles.len() + RUN * cols, Tile::default());
            let tiles = &mut tiles[chunk_row * RUN * cols..];
            for chunk_col in 0..self.chunk_cols as usize {
                for row in 0..RUN {
                    let at = row * cols + chunk_col * RUN;
                    if let Some(run) = tiles[at..].first_chunk_mut::<RUN>()
                        && !ended
                    {
                        let read = self.read_run(index, run);
                        index += read;
                        ended = read < RUN;
                    }
                }
                if watch(self.text.pos as f32 / total).is_break() {
                    return Err(PfmapError::Cancelled);
                }
            }
        }
        if index == self.bad.len() {
            let place = text_place(self.text.place(), 0);
            return Err(self.first_bad.unwrap_or_else(|| {
                PfmapError::unreadable(place, "the file ends", "the list of tiles")
            }));
        }
        let end = self.read_end(index, count);
        self.bad.extend(index..count);
        let chunk_cols = self.chunk_cols;
        let mut bad_tiles: Vec<_> = self
            .bad
            .iter()
            .map(|index| file_tile(*index, chunk_cols))
            .collect();
        bad_tiles.sort_unstable();
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
            bad_tiles,
        };
        if usize::from(self.max_material) >= map.materials.len() || self.digits_above_two != 0 {
            check_tiles(&map, &mut self.text.problems);
        }
        map.problems = self.text.problems.finish();
        Ok(map)
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
    #[inline]
    fn read_plain_run(&mut self, index: usize, tiles: &mut [Tile; RUN]) -> bool {
        let bytes = self.text.bytes;
        let mut pos = self.text.pos;
        let mut line_start = self.text.line_start;
        let mut breaks = 0_u32;
        let mut max_material = self.max_material;
        let mut digits_above_two = self.digits_above_two;
        for (i, tile) in tiles.iter_mut().enumerate() {
            let Some((&text, &[separator, ..])) = bytes
                .get(pos..)
                .and_then(<[u8]>::split_first_chunk::<TILE_CHARS>)
            else {
                return false;
            };
            let Some(parsed) = Tile::parse_words(&text) else {
                return false;
            };
            *tile = parsed;
            max_material = max_material
                .max(parsed.top_material)
                .max(parsed.side_material);
            digits_above_two |= parsed.digits_above_two();
            pos += TILE_STEP;
            if separator == b'\n' || separator == b'\r' {
                if separator == b'\r' {
                    if bytes.get(pos) != Some(&b'\n') {
                        return false;
                    }
                    pos += 1;
                }
                if pos - line_start > ENGINE_LINE_BYTES {
                    return false;
                }
                line_start = pos;
                breaks |= 1 << i;
            } else if separator != b' ' && separator != b'\t' {
                return false;
            }
        }
        let (line, column) = self.text.place();
        let begins_line = self.begin_run(index, (line, column));
        self.layout.push(
            Run {
                line,
                column,
                breaks,
            },
            begins_line,
        );
        self.text.pos = pos;
        self.text.line += u64::from(breaks.count_ones());
        self.text.line_start = line_start;
        self.last_line = self.text.line - u64::from(breaks >> (RUN - 1));
        self.max_material = max_material;
        self.digits_above_two = digits_above_two;
        true
    }

    /// Warns of a run that does not begin a line, and says whether it does.
    fn begin_run(&mut self, index: usize, place: (u64, u32)) -> bool {
        let begins_line = place.0 != self.last_line;
        if !begins_line {
            let place = text_place(place, 0);
            if index.is_multiple_of(CHUNK_TILES as usize) {
                self.text.problems.add(Kind::ChunkStart, place, || {
                    "the line goes on past the end of a chunk; the engine reads it wrong".to_owned()
                });
            } else {
                self.text.problems.add(Kind::RowStart, place, || {
                    "the first tile of a row does not begin a line".to_owned()
                });
            }
        }
        begins_line
    }

    /// Reads up to 32 tiles word by word and says how many words there were.
    fn read_words(&mut self, index: usize, tiles: &mut [Tile; RUN]) -> usize {
        let mut places = [(0, 0); RUN];
        let mut read = 0;
        let mut begins_line = false;
        for tile in tiles.iter_mut() {
            *tile = Tile::default();
            let Some(word) = self.text.word(true) else {
                continue;
            };
            if read == 0 {
                begins_line = self.begin_run(index, word.place);
            }
            places[read] = word.place;
            self.last_line = word.place.0;
            match self.parse_word(word, index + read) {
                Some(parsed) => {
                    *tile = parsed;
                    self.max_material = self
                        .max_material
                        .max(parsed.top_material)
                        .max(parsed.side_material);
                    self.digits_above_two |= parsed.digits_above_two();
                }
                None => self.bad.push(index + read),
            }
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

    /// The tile that a word is, or a problem.
    fn parse_word(&mut self, word: Word<'a>, index: usize) -> Option<Tile> {
        let exact = word.text.first_chunk::<TILE_CHARS>();
        let parsed = exact
            .filter(|_| word.text.len() == TILE_CHARS)
            .map(Tile::parse);
        let (place, error) = match parsed {
            Some(Ok(tile)) => return Some(tile),
            Some(Err(error)) => (word.place_of(error.index), Some(error)),
            None => (word.place_of(0), None),
        };
        let found = || match error {
            Some(error) => format!("found {} in {}", quoted(&[error.found]), quoted(word.text)),
            None => format!("{}, {} characters", word.found(), word.text.len()),
        };
        let expected = error.map_or("a tile of 24 characters", |error| error.expected);
        if self.first_bad.is_none() {
            self.first_bad = Some(PfmapError::unreadable(place, found(), expected));
        }
        self.text.problems.add(Kind::Tile, place, || {
            let (row, col) = file_tile(index, self.chunk_cols);
            format!(
                "{}; expected {expected} (row {row}, column {col} of the map)",
                found()
            )
        });
        None
    }

    /// Looks at what follows the tiles; gives the place of the end of the text.
    fn read_end(&mut self, read: usize, count: usize) -> (u64, u32) {
        self.text.skip_separators(false);
        let is_line_ended =
            self.text.line != self.last_line || self.text.rest().first() == Some(&b'\n');
        if self.text.rest().is_empty() {
            self.text.check_line_length();
        }
        self.text.skip_separators(true);
        let place = self.text.place();
        let at = text_place(place, 0);
        let rest = self.text.rest();
        if read < count {
            self.text.problems.add(Kind::Missing, at, || {
                let missing = count - read;
                format!("the file ends after {read} tiles; expected {count}, {missing} are missing")
            });
        } else if !rest.is_empty() {
            self.text.problems.add(Kind::FileEnd, at, || {
                let bytes = rest.len();
                format!(
                    "{bytes} bytes after the last tile, from {} on; they are ignored",
                    quoted(rest)
                )
            });
        } else if !is_line_ended {
            self.text.problems.add(Kind::FileEnd, at, || {
                "the last line does not end; the engine refuses the file".to_owned()
            });
        }
        place
    }
}

/// Lists what tiles say that has no meaning.
fn check_tiles(map: &Pfmap, problems: &mut Problems<Kind>) {
    for index in 0..map.tiles.len() {
        let (row, col) = file_tile(index, map.chunk_cols);
        let Some(tile) = map.tile(row, col) else {
            continue;
        };
        let materials = [(6, tile.top_material), (9, tile.side_material)];
        let is_outside = |index: u16| usize::from(index) >= map.materials.len();
        let strange = tile.digits_above_two() != 0;
        if !strange && !materials.iter().any(|(_, index)| is_outside(*index))
            || map.bad_tiles.binary_search(&(row, col)).is_ok()
        {
            continue;
        }
        let start = map.layout.place(index);
        for (field, (at, material)) in ["top", "sides"].into_iter().zip(materials) {
            if is_outside(material) {
                problems.add(Kind::MaterialIndex, text_place(start, at), || {
                    let outside = outside("material", map.materials.len() as u64);
                    format!("the tile names material {material} for its {field}, {outside}")
                });
            }
        }
        let unknown = |at: &usize| tile.digit(*at) > 2;
        let mut blend_chars = if EDGE_CHARS.into_iter().all(|at| tile.digit(at) == 0) {
            BLEND_CHAR..BLEND_CHAR + 1
        } else {
            EDGE_CHARS
        };
        if let Some(at) = blend_chars.find(unknown) {
            problems.add(Kind::Blend, text_place(start, at), || {
                format!(
                    "found `{}` as a blend mode; expected 0, 1 or 2",
                    tile.digit(at)
                )
            });
        }
        if unknown(&COVER_CHAR) {
            problems.add(Kind::Cover, text_place(start, COVER_CHAR), || {
                format!(
                    "found `{}` as the cover; expected 0, 1 or 2",
                    tile.digit(COVER_CHAR)
                )
            });
        }
    }
}
