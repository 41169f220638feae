//! Reading PFMAP (document section 3, fact sheet A1 to A3).
//!
//! The head is read line by line. The tile list is nearly all of a file, and is read in runs of
//! 32 tiles, the rows of the chunks: as fast as the memory allows where tiles stand one character
//! apart, and token by token where they do not or where something is wrong.

use std::ops::ControlFlow;

use super::layout::{LayoutBuilder, Run};
use super::problems::{Kind, Problems};
use super::{CHUNK_SIDE, CHUNK_TILES, Material, Pfmap, Splat, TILE_CHARS, Tile, file_tile};
use crate::formats::{Place, Problem, quoted};

/// Bytes of a line that the engine reads, its end included.
const ENGINE_LINE_BYTES: usize = 255;
/// Materials, and splats, that the engine has room for.
const ENGINE_LIST_LEN: u64 = 256;
/// Materials that the three digits of a tile can name.
const NAMEABLE_MATERIALS: usize = 1000;
/// The newest version that the engine writes.
const NEWEST_VERSION: f32 = 1.2;
/// Characters of a tile and what stands between it and the next.
const TILE_STEP: usize = TILE_CHARS + 1;
/// How many times the tiles that fit into a truncated file the head may promise.
const PROMISE_LIMIT: u128 = 4;
/// Characters of a tile (fact sheet A2): field H, cover, and the blend modes of the edges.
const BLEND_CHAR: usize = 13;
const COVER_CHAR: usize = 16;
const EDGE_CHARS: std::ops::Range<usize> = 17..21;
const RUN: usize = CHUNK_SIDE as usize;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Why nothing of a map can be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PfmapError {
    /// The head is broken, promises far more than the file holds, or no tile can be read.
    #[error("{place}: {found}; expected {expected}")]
    Unreadable {
        /// Where.
        place: Place,
        /// What stands there, such as ``found `num_row` ``.
        found: String,
        /// What should.
        expected: String,
    },
    /// Whoever watches the progress asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl PfmapError {
    /// The error as the problem that `check` and `info` report.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Unreadable {
                place,
                found,
                expected,
            } => Problem::error(*place, format!("{found}; expected {expected}")),
            Self::Cancelled => Problem::error(Place::Text { line: 1, column: 1 }, "cancelled"),
        }
    }
}

/// Says whether a file that begins with these bytes is a PFMAP file, whole or cut short.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let mut words = head
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
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
    let mut text = Text {
        bytes,
        pos: 0,
        line: 1,
        line_start: 0,
        problems: Problems::default(),
    };
    let head = read_head(&mut text)?;
    TileList::new(text, head)?.read(watch)
}

/// The text, and how far it is read.
struct Text<'a> {
    bytes: &'a [u8],
    pos: usize,
    /// From 1.
    line: u64,
    /// Where the line begins.
    line_start: usize,
    problems: Problems,
}

/// A word of the text and where it begins.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a [u8],
    start: usize,
    place: (u64, u32),
}

impl Word<'_> {
    /// The place of one of its characters.
    fn place_of(&self, index: usize) -> Place {
        text_place(self.place, index)
    }

    fn number<T: std::str::FromStr>(&self) -> Option<T> {
        std::str::from_utf8(self.text).ok()?.parse().ok()
    }

    fn found(&self) -> String {
        format!("found {}", quoted(self.text))
    }
}

fn text_place((line, column): (u64, u32), index: usize) -> Place {
    Place::Text {
        line,
        column: u64::from(column) + index as u64,
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl<'a> Text<'a> {
    /// Line and column of where the reading stands.
    fn place(&self) -> (u64, u32) {
        let column = self.pos - self.line_start + 1;
        (self.line, u32::try_from(column).unwrap_or(u32::MAX))
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    /// Goes past spaces and, if `lines` says so, line ends.
    fn skip_separators(&mut self, lines: bool) {
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'\n' if lines => self.skip_line_end(),
                b' ' | b'\t' | b'\r' => self.pos += 1,
                _ => break,
            }
        }
    }

    /// Goes past the line feed that is next.
    fn skip_line_end(&mut self) {
        self.pos += 1;
        self.check_line_length();
        self.line += 1;
        self.line_start = self.pos;
    }

    /// Warns of a line too long for the engine; to be asked at its end.
    fn check_line_length(&mut self) {
        let bytes = self.pos - self.line_start;
        if bytes > ENGINE_LINE_BYTES {
            let place = text_place((self.line, 1), ENGINE_LINE_BYTES);
            self.problems.add(Kind::LongLine, place, || {
                format!(
                    "a line of {bytes} bytes; the engine refuses more than {ENGINE_LINE_BYTES}, \
                     the line end included"
                )
            });
        }
    }

    /// The next word, on this line or, if `lines` says so, on a later one.
    fn word(&mut self, lines: bool) -> Option<Word<'a>> {
        self.skip_separators(lines);
        let (start, place) = (self.pos, self.place());
        let rest = self.rest();
        let len = rest
            .iter()
            .position(|byte| is_separator(*byte))
            .unwrap_or(rest.len());
        self.pos += len;
        (len > 0).then(|| Word {
            text: &rest[..len],
            start,
            place,
        })
    }

    /// The first word of the next line of the head that has any.
    fn line_word(&mut self) -> Option<Word<'a>> {
        let blank_from = self.line;
        let at_file_start = self.pos == 0;
        if at_file_start && self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.pos = BYTE_ORDER_MARK.len();
            self.odd_head((1, 1), "a byte order mark; the engine refuses it");
        }
        let line_start = self.pos;
        let word = self.word(true)?;
        if self.line != blank_from {
            self.odd_head(
                (blank_from, 1),
                "a blank line in the head of the file; the engine stops here",
            );
        } else if word.start != line_start {
            self.odd_head(
                (self.line, 1),
                "the line begins with a space; the engine refuses it",
            );
        }
        Some(word)
    }

    /// Ends a line of which all is read.
    fn end_line(&mut self) {
        if let Some(extra) = self.word(false) {
            self.odd_head(extra.place, "more on the line than is read; it is ignored");
        }
        self.skip_line();
    }

    /// Goes to the beginning of the next line.
    fn skip_line(&mut self) {
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'\n');
        self.pos += end.unwrap_or(rest.len());
        if end.is_some() {
            self.skip_line_end();
        }
    }

    fn odd_head(&mut self, place: (u64, u32), message: &str) {
        self.problems
            .add(Kind::Header, text_place(place, 0), || message.to_owned());
    }

    /// Goes back to the beginning of a word.
    fn unread(&mut self, word: Word<'_>) {
        // A word is on one line, the one that the text is at.
        self.pos = word.start;
    }

    /// Reads the line of a key and its value if it is the next one.
    fn key_line(&mut self, key: &str, expected: &str) -> Result<Word<'a>, PfmapError> {
        let expected = || format!("`{key} <{expected}>`");
        let Some(word) = self.line_word() else {
            let found = if self.bytes.is_empty() {
                "the file is empty"
            } else {
                "the file ends"
            };
            return Err(unreadable(text_place(self.place(), 0), found, expected()));
        };
        if word.text != key.as_bytes() {
            return Err(unreadable(word.place_of(0), word.found(), expected()));
        }
        let Some(value) = self.word(false) else {
            let place = text_place(self.place(), 0);
            return Err(unreadable(place, "the line ends", expected()));
        };
        self.end_line();
        Ok(value)
    }

    /// Reads the line of a key and a whole number.
    fn count_line(&mut self, key: &str, expected: &str) -> Result<(u64, Word<'a>), PfmapError> {
        let value = self.key_line(key, expected)?;
        let number = if value.text.iter().all(u8::is_ascii_digit) {
            // A number that does not fit is as absurd as the largest that does.
            Some(value.number().unwrap_or(u64::MAX))
        } else {
            None
        };
        number
            .map(|number| (number, value))
            .ok_or_else(|| unreadable(value.place_of(0), value.found(), format!("the {expected}")))
    }

    /// Whether the first word of the next line is `key`.
    fn next_line_is(&self, key: &[u8]) -> bool {
        let rest = self.rest();
        let start = rest.iter().position(|byte| !is_separator(*byte));
        start.is_some_and(|start| {
            let word = &rest[start..];
            word.starts_with(key) && word.get(key.len()).is_none_or(|byte| is_separator(*byte))
        })
    }
}

fn unreadable(place: Place, found: impl Into<String>, expected: impl Into<String>) -> PfmapError {
    PfmapError::Unreadable {
        place,
        found: found.into(),
        expected: expected.into(),
    }
}

/// What the head of a file says (document sections 3.1 and 3.1 again, the material list).
struct Head<'a> {
    version: String,
    materials: Vec<Material>,
    splats: Vec<Splat>,
    /// The number and where it stands.
    rows: (u64, Word<'a>),
    cols: (u64, Word<'a>),
    crlf: bool,
}

fn read_head<'a>(text: &mut Text<'a>) -> Result<Head<'a>, PfmapError> {
    let version = text.key_line("version", "number")?;
    // Lines that end in CR LF all do: the first one tells.
    let crlf = text.bytes[..text.pos].ends_with(b"\r\n");
    let number = version
        .number::<f32>()
        .filter(|number| number.is_finite())
        .ok_or_else(|| unreadable(version.place_of(0), version.found(), "a version number"))?;
    if number > NEWEST_VERSION {
        text.problems.add(Kind::Header, version.place_of(0), || {
            format!(
                "version {} is newer than {NEWEST_VERSION}; it is read as {NEWEST_VERSION}",
                quoted(version.text)
            )
        });
    }
    let material_count = text.count_line("num_materials", "number of materials")?;
    warn_of_long_list(text, "materials", material_count);
    // Versions 1.1 and later have the line. Files are read by what is in them all the same: the
    // engine's own editor never changed the version that it writes (fact sheet A1, F11).
    let splat_count = if text.next_line_is(b"num_splats") {
        let count = text.count_line("num_splats", "number of splats")?;
        if number < 1.1 {
            text.odd_head(
                (count.1.place.0, 1),
                "`num_splats` in a file of a version below 1.1; the engine expects `num_rows`",
            );
        }
        warn_of_long_list(text, "splats", count);
        count.0
    } else {
        if number >= 1.1 {
            text.odd_head(
                text.place(),
                "no `num_splats` in a file of version 1.1 or later; the engine refuses it",
            );
        }
        0
    };
    let rows = text.count_line("num_rows", "number of chunks from north to south")?;
    let cols = text.count_line("num_cols", "number of chunks from west to east")?;
    for (number, word) in [rows, cols] {
        if number == 0 {
            return Err(unreadable(
                word.place_of(0),
                word.found(),
                "at least one chunk",
            ));
        }
    }
    let materials = read_materials(text, material_count.0);
    let splats = read_splats(text, splat_count, materials.len());
    Ok(Head {
        version: String::from_utf8_lossy(version.text).into_owned(),
        materials,
        splats,
        rows,
        cols,
        crlf,
    })
}

fn warn_of_long_list(text: &mut Text<'_>, what: &str, (count, word): (u64, Word<'_>)) {
    if count > ENGINE_LIST_LEN {
        text.problems.add(Kind::Header, word.place_of(0), || {
            format!(
                "{} {what}; the engine refuses more than {ENGINE_LIST_LEN}",
                quoted(word.text)
            )
        });
    }
}

/// Whether a word can only be one of the tile list, or what is left of one.
fn looks_like_tile(word: &[u8]) -> bool {
    word.len() == TILE_CHARS || matches!(word, [kind, b'+' | b'-', ..] if kind.is_ascii_hexdigit())
}

fn read_materials(text: &mut Text<'_>, promised: u64) -> Vec<Material> {
    let mut materials = Vec::new();
    let mut listed = 0;
    // Lines beyond those that were promised are read too, or they would be taken for tiles.
    while listed < promised || text.next_line_is(b"material") {
        let Some(key) = text.line_word() else { break };
        let is_material = key.text == b"material";
        if key.text == b"splat" || looks_like_tile(key.text) {
            text.unread(key);
            break;
        }
        if listed == promised {
            text.problems.add(Kind::Material, key.place_of(0), || {
                format!("found more `material` lines; expected {promised} as `num_materials` says")
            });
        }
        listed += 1;
        let (name, texture) = if is_material {
            (text.word(false), text.word(false))
        } else {
            (None, None)
        };
        if texture.is_none() {
            let (place, found) = if is_material {
                (text_place(text.place(), 0), "the line ends".to_owned())
            } else {
                (key.place_of(0), key.found())
            };
            text.problems.add(Kind::Material, place, || {
                format!("{found}; expected `material <name> <texture>`")
            });
        }
        // Whatever else is on a line that is no material says nothing more.
        if is_material {
            text.end_line();
        } else {
            text.skip_line();
        }
        if materials.len() == NAMEABLE_MATERIALS {
            text.problems.add(Kind::Header, key.place_of(0), || {
                "no tile can name a material after the 1000th; it is ignored".to_owned()
            });
            continue;
        }
        let string = |word: Option<Word<'_>>| {
            word.map_or_else(String::new, |word| {
                String::from_utf8_lossy(word.text).into_owned()
            })
        };
        materials.push(Material {
            name: string(name),
            texture: string(texture),
            line: key.place.0,
        });
    }
    if listed < promised {
        let place = text_place(text.place(), 0);
        text.problems.add(Kind::Material, place, || {
            format!(
                "the list ends after {listed} materials; expected {promised} as `num_materials` says"
            )
        });
    }
    materials
}

fn read_splats(text: &mut Text<'_>, promised: u64, materials: usize) -> Vec<Splat> {
    let mut splats = Vec::new();
    let mut listed = 0;
    while text.next_line_is(b"splat") {
        let Some(key) = text.line_word() else { break };
        if listed == promised {
            text.problems.add(Kind::Splat, key.place_of(0), || {
                format!("found more `splat` lines; expected {promised} as `num_splats` says")
            });
        }
        listed += 1;
        let words = [text.word(false), text.word(false)];
        let indices = words.map(|word| word.and_then(|word| word.number::<u32>()));
        if let [Some(base), Some(accent)] = indices {
            splats.push(Splat { base, accent });
            for (index, word) in [base, accent].into_iter().zip(words.into_iter().flatten()) {
                if index as usize >= materials {
                    text.problems.add(Kind::SplatIndex, word.place_of(0), || {
                        format!("the splat names material {index}, {}", outside(materials))
                    });
                }
            }
        } else {
            let bad = words
                .into_iter()
                .zip(indices)
                .find(|(_, index)| index.is_none());
            let (place, found) = match bad {
                Some((Some(word), _)) => (word.place_of(0), word.found()),
                _ => (text_place(text.place(), 0), "the line ends".to_owned()),
            };
            text.problems.add(Kind::Splat, place, || {
                format!("{found}; expected `splat <material number> <material number>`")
            });
        }
        text.end_line();
    }
    if listed < promised {
        let place = text_place(text.place(), 0);
        text.problems.add(Kind::Splat, place, || {
            format!("the list ends after {listed} splats; expected {promised} as `num_splats` says")
        });
    }
    splats
}

fn outside(materials: usize) -> String {
    match materials {
        0 => "but the list is empty".to_owned(),
        1 => "but the list has only material 0".to_owned(),
        _ => format!("but the list ends at {}", materials - 1),
    }
}

/// The tile list while it is read.
struct TileList<'a> {
    text: Text<'a>,
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
    fn new(text: Text<'a>, head: Head<'a>) -> Result<Self, PfmapError> {
        let ((rows, rows_word), (cols, cols_word)) = (head.rows, head.cols);
        let left = text.rest().len();
        // The last tile of a file has nothing after it if its line end is missing.
        let fitting = (left as u128 + 1) / TILE_STEP as u128;
        let promised = u128::from(rows) * u128::from(cols) * u128::from(CHUNK_TILES);
        let promised_bytes = promised.saturating_mul(TILE_STEP as u128);
        let sides = u32::try_from(rows).ok().zip(u32::try_from(cols).ok());
        let Some((chunk_rows, chunk_cols)) =
            sides.filter(|_| promised_bytes <= PROMISE_LIMIT * (left as u128 + 1))
        else {
            let word = if rows >= cols { rows_word } else { cols_word };
            return Err(unreadable(
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
            return Err(self
                .first_bad
                .unwrap_or_else(|| unreadable(place, "the file ends", "the list of tiles")));
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
            self.first_bad = Some(unreadable(place, found(), expected));
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
fn check_tiles(map: &Pfmap, problems: &mut Problems) {
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
                    let outside = outside(map.materials.len());
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
