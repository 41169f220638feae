//! Cursor over the bytes of a part of a map. Errors name their location and the record they belong
//! to.

use std::borrow::Cow;
use std::fmt;

use super::rules;
use crate::bytes::{self, Record, Source};
pub(super) use crate::text::hex;
use crate::{Place, Problems, ReadError, Rule, Subject, counted};

/// Longest name used for a lookup, in bytes.
pub const LONGEST_NAME_BYTES: usize = 255;
/// Longest path used to find a file, in bytes: the limit of common systems.
pub const LONGEST_PATH_BYTES: usize = 4096;

/// A chunk by its position in the grid: 8 bits of Y, 12 of X, 12 of Z (document, "Chunk index").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ChunkIndex(pub u32);

impl ChunkIndex {
    /// The index of a chunk at a position in the grid. Bits beyond the width of each field are
    /// dropped.
    pub fn new([y, x, z]: [u32; 3]) -> Self {
        Self((y & 0xFF) << 24 | (x & 0xFFF) << 12 | (z & 0xFFF))
    }

    /// Position in the grid: Y, X, Z, from 0.
    pub fn yxz(self) -> [u32; 3] {
        [self.0 >> 24, self.0 >> 12 & 0xFFF, self.0 & 0xFFF]
    }
}

impl fmt::Display for ChunkIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [y, x, z] = self.yxz();
        write!(f, "({y}, {x}, {z})")
    }
}

/// The audience of a section: a level and a chunk have three sections each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Client and server.
    Common,
    /// The client: visible and audible data.
    Client,
    /// The server: data for game logic.
    Server,
}

impl Side {
    /// All sides in file order.
    pub const ALL: [Self; 3] = [Self::Common, Self::Client, Self::Server];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A part of a map with its own byte offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The file, outside the other parts.
    File,
    /// The embedded archive.
    Archive,
    /// A level by its number, from 0, outside its sections.
    Level(u8),
    /// A section of a level.
    LevelSection(u8, Side),
    /// A section of a chunk of a level.
    ChunkSection(u8, ChunkIndex, Side),
}

impl Part {
    /// The number of its level.
    pub(super) fn level(self) -> Option<u8> {
        match self {
            Self::File | Self::Archive => None,
            Self::Level(level) | Self::LevelSection(level, _) | Self::ChunkSection(level, ..) => {
                Some(level)
            }
        }
    }

    /// The audience of the section, if it is one.
    pub(super) fn side(self) -> Option<Side> {
        match self {
            Self::LevelSection(_, side) | Self::ChunkSection(.., side) => Some(side),
            Self::File | Self::Archive | Self::Level(_) => None,
        }
    }

    /// File offsets of the section's packed and unpacked size. `sizes_at` is the offset of the six
    /// sizes that contain them.
    pub(super) fn size_places(self, sizes_at: u64) -> [Place; 2] {
        let side = self.side().unwrap_or(Side::Common);
        [side as u64, 3 + side as u64].map(|number| Place::Offset(sizes_at + 4 * number))
    }

    /// The subject of problems in this part.
    pub(super) fn subject(self) -> Subject {
        match self {
            Self::File | Self::Archive => Subject::File,
            Self::Level(level) | Self::LevelSection(level, _) => Subject::Level(level),
            Self::ChunkSection(level, chunk, _) => Subject::Chunk {
                level,
                chunk: chunk.yxz(),
            },
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("the file"),
            Self::Archive => f.write_str("the archive"),
            Self::Level(level) => write!(f, "level {level}"),
            Self::LevelSection(level, side) => write!(f, "{side} section of level {level}"),
            Self::ChunkSection(level, chunk, side) => {
                write!(f, "{side} section of chunk {chunk} of level {level}")
            }
        }
    }
}

/// Source of a cursor's bytes.
///
/// A byte of a compressed section has no offset in the file. Its place is that of the frame that
/// contains it, and messages name the section and the offset in the decoded bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section {
    pub part: Part,
    /// File offset of the first byte, or of the frame.
    pub start: u64,
    /// `true` if the bytes were compressed.
    pub is_packed: bool,
}

impl Source for Section {
    const TRUNCATED: &'static Rule = &rules::TRUNCATED;
    const WHOLE: &'static str = "";

    fn place(&self, pos: usize) -> Place {
        let pos = if self.is_packed { 0 } else { pos };
        Place::Offset(self.start + pos as u64)
    }

    fn subject(&self, record: Record) -> Subject {
        let part = self.part.subject();
        let Some(index) = record.index.map(|index| index as u32) else {
            return part;
        };
        match (record.name, part) {
            ("level", Subject::File) => Subject::Level(index as u8),
            ("extension", Subject::File) => Subject::Extension(index),
            ("entity", Subject::File) => Subject::MapEntity(index),
            ("entity", Subject::Level(level)) => Subject::LevelEntity {
                level,
                entity: index,
            },
            ("entity", Subject::Chunk { level, chunk }) => Subject::ChunkEntity {
                level,
                chunk,
                entity: index,
            },
            ("cube", Subject::Chunk { level, chunk }) => Subject::Cube {
                level,
                chunk,
                cube: index,
            },
            _ => part,
        }
    }

    fn context(&self, record: Record, pos: usize) -> String {
        let field = match record.field {
            "" => String::new(),
            field => format!(" {field}"),
        };
        let record = format_args!("{record}{field}");
        match self.part {
            part if self.is_packed => {
                format!("{record}, at {pos:#x} of the data of the {part}")
            }
            Part::File => record.to_string(),
            part => format!("{record} of {part}"),
        }
    }

    fn missing_bytes(_: Record, left: usize, wanted: usize) -> [String; 2] {
        [
            format!("{} left", counted(left, "byte")),
            wanted.to_string(),
        ]
    }
}

/// A cursor over the bytes of a section.
pub(super) type Cursor<'a> = bytes::Cursor<'a, Section>;

impl Cursor<'_> {
    /// Reads a string table: its size, then its bytes (fact sheet A11).
    pub(super) fn string_table(&mut self) -> Result<StringTable, ReadError> {
        self.enter("string table", None);
        let size = self.u32()?;
        let size = self.count(size, 1, "byte of strings")?;
        Ok(StringTable::new(self.bytes(size)?))
    }

    /// Warns of set bits that have no meaning.
    pub(super) fn check_bits(&self, problems: &mut Problems, at: usize, bits: u8, known: u8) {
        if bits & !known != 0 {
            self.warn(problems, &rules::RESERVED_BITS, at, || {
                format!("unknown flags {bits:#04x}; expected only {known:#04x}")
            });
        }
    }

    /// Warns of bytes after the last value read.
    pub(super) fn check_end(&mut self, problems: &mut Problems) {
        let left = self.left();
        if left > 0 {
            self.enter("end", None);
            self.warn(problems, &rules::TRAILING_DATA, self.pos(), || {
                format!("{} left over", counted(left, "byte"))
            });
        }
    }

    /// The error for the string offset read last, which is not in the table of its section.
    #[cold]
    pub(super) fn string_error(&self, offset: u32, strings: &StringTable) -> ReadError {
        let size = strings.bytes.len();
        let found = if (offset as usize) < size {
            format!("the string at offset {offset:#x} of the string table is not terminated")
        } else {
            let size = counted(size, "byte");
            format!("the string offset {offset:#x} is outside the string table of {size}")
        };
        self.fault(
            &rules::STRING,
            self.pos() - 4,
            found,
            "the offset of a NUL-terminated string",
        )
    }
}

/// A string by its offset in the string table. A string outside the table of its section is empty,
/// and the reader reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct StringRef(pub u32);

/// The zero-terminated strings of a section, one after the other (fact sheet A11). An offset may
/// point into the middle of a string.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StringTable {
    bytes: Box<[u8]>,
    /// Offsets below this have a terminating zero byte at or after them.
    ended: usize,
}

impl StringTable {
    /// Creates a table from bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self {
            ended: bytes
                .iter()
                .rposition(|byte| *byte == 0)
                .map_or(0, |last| last + 1),
            bytes: bytes.into(),
        }
    }

    /// The bytes as stored in the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns `true` if a terminated string begins at this offset. An empty table contains the
    /// empty string.
    #[inline]
    pub fn has(&self, offset: u32) -> bool {
        (offset as usize) < self.ended || (self.bytes.is_empty() && offset == 0)
    }

    /// The bytes of a string without its terminator; `None` if it is unterminated or outside the
    /// table.
    pub fn raw(&self, string: StringRef) -> Option<&[u8]> {
        self.up_to(string, usize::MAX)
    }

    /// A string used as a lookup name; `None` if it is longer than any name. This bounds the cost
    /// of hundreds of thousands of names that share one long string.
    pub fn name(&self, string: StringRef) -> Option<&[u8]> {
        self.up_to(string, LONGEST_NAME_BYTES)
    }

    /// A string used as a file path; `None` if it is longer than any path.
    pub fn path(&self, string: StringRef) -> Option<&[u8]> {
        self.up_to(string, LONGEST_PATH_BYTES)
    }

    /// A string of at most `max_bytes` bytes; `None` if it is longer.
    fn up_to(&self, string: StringRef, max_bytes: usize) -> Option<&[u8]> {
        if !self.has(string.0) {
            return None;
        }
        let rest = self.bytes.get(string.0 as usize..)?;
        let head = rest.get(..=max_bytes).unwrap_or(rest);
        let len = match head.iter().position(|byte| *byte == 0) {
            None if !rest.is_empty() => return None,
            len => len.unwrap_or(0),
        };
        head.get(..len)
    }

    /// A string as text, with invalid UTF-8 replaced (fact sheet B36). Empty if it does not exist.
    pub fn get(&self, string: StringRef) -> Cow<'_, str> {
        String::from_utf8_lossy(self.raw(string).unwrap_or_default())
    }

    /// A string as text for lists, truncated with dots at the length of a name.
    pub fn brief(&self, string: StringRef) -> Cow<'_, str> {
        if let Some(name) = self.name(string) {
            return String::from_utf8_lossy(name);
        }
        let rest = self.bytes.get(string.0 as usize..).unwrap_or_default();
        match rest.get(..LONGEST_NAME_BYTES) {
            Some(head) if self.has(string.0) => {
                Cow::Owned(format!("{}...", String::from_utf8_lossy(head)))
            }
            _ => Cow::Borrowed(""),
        }
    }

    /// A string for display: [`StringTable::brief`], or the offset if the string is not in the
    /// table, which differs from an empty string.
    pub fn told(&self, string: StringRef) -> Cow<'_, str> {
        if self.has(string.0) {
            self.brief(string)
        } else {
            Cow::Owned(format!("{:#x} (no string)", string.0))
        }
    }

    /// All strings with their offsets, in table order. Suffixes of other strings are omitted.
    pub fn iter(&self) -> impl Iterator<Item = (StringRef, Cow<'_, str>)> {
        let mut start = 0;
        let ended = self.bytes.get(..self.ended).unwrap_or_default();
        ended
            .split_inclusive(|byte| *byte == 0)
            .map(move |with_end| {
                let string = StringRef(start as u32);
                start += with_end.len();
                let text = with_end.split_last().map_or(&[][..], |(_, text)| text);
                (string, String::from_utf8_lossy(text))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Section = Section {
        part: Part::File,
        start: 0x100,
        is_packed: false,
    };
    const PACKED: Section = Section {
        part: Part::ChunkSection(2, ChunkIndex(0x0100_2003), Side::Common),
        start: 0x200,
        is_packed: true,
    };

    #[test]
    fn long_strings_are_cut_off_in_lists() {
        let table = StringTable::new(&[b"ab\0".as_slice(), &[b'x'; 300], b"\0open"].concat());
        assert_eq!(table.brief(StringRef(1)), "b");
        let long = table.brief(StringRef(3));
        assert_eq!((long.len(), &long[254..]), (258, "x..."));
        assert_eq!(table.brief(StringRef(60)).len(), 243);
        assert_eq!(table.brief(StringRef(305)), "");
    }

    #[test]
    fn numbers_are_read_in_order() {
        let mut bytes = vec![1, 2, 3];
        bytes.extend(7_u32.to_le_bytes());
        bytes.extend(9_u64.to_le_bytes());
        bytes.extend(1.5_f32.to_le_bytes());
        bytes.extend([2.0_f32, -3.0].map(f32::to_le_bytes).concat());
        bytes.extend(*b"ab\0c");
        let mut cursor = Cursor::new(&bytes, FILE);
        assert_eq!(cursor.u8().unwrap(), 1);
        assert_eq!(cursor.u16().unwrap(), 0x0302);
        assert_eq!(cursor.u32().unwrap(), 7);
        assert_eq!(cursor.u64().unwrap(), 9);
        assert_eq!(cursor.f32().unwrap(), 1.5);
        assert_eq!(cursor.floats().unwrap(), [2.0, -3.0]);
        assert_eq!(cursor.read_until_zero().unwrap(), b"ab");
        assert_eq!(cursor.read_until_zero(), None);
        assert_eq!((cursor.left(), cursor.rest()), (1, &b"c"[..]));
        assert_eq!(cursor.left(), 0);
    }

    #[test]
    fn missing_data_is_reported_with_its_place_and_record() {
        let mut cursor = Cursor::new(&[0; 6], FILE);
        cursor.enter("material", 3);
        cursor.u32().unwrap();
        assert_eq!(
            cursor.u32().unwrap_err().problem().unwrap().facts(),
            "0x104: error: pmf/truncated: 2 3 4"
        );
        let mut cursor = Cursor::new(&[0; 6], PACKED);
        cursor.enter("string table", None);
        cursor.u32().unwrap();
        assert_eq!(
            cursor.floats::<3>().unwrap_err().problem().unwrap().facts(),
            "0x200: error: pmf/truncated (Chunk 2 1 2 3): 0x4 1 12 2 3"
        );
        assert_eq!(cursor.pos(), 4);
    }

    #[test]
    fn counts_are_held_against_the_bytes_left() {
        let cursor = Cursor::new(&[0; 100], FILE);
        assert_eq!(cursor.count(25_u8, 4, "thing").unwrap(), 25);
        let error = cursor
            .count(26_u8, 4, "thing")
            .unwrap_err()
            .problem()
            .unwrap()
            .facts();
        assert!(error.contains("pmf/truncated: 100 26 4"), "{error}");
        assert!(cursor.count(u64::MAX, 28, "thing").is_err());
        assert!(cursor.count(u32::MAX, 1, "thing").is_err());
    }

    #[test]
    fn strings_end_in_their_table() {
        let table = StringTable::new(b"\0ab\0c\xff\0rest");
        assert_eq!(table.get(StringRef(0)), "");
        assert_eq!(table.get(StringRef(1)), "ab");
        assert_eq!(table.get(StringRef(2)), "b");
        assert_eq!(table.get(StringRef(4)), "c\u{fffd}");
        assert!(table.has(6) && !table.has(7) && !table.has(u32::MAX));
        let all: Vec<_> = table.iter().map(|(at, text)| (at.0, text)).collect();
        let texts = ["", "ab", "c\u{fffd}"].map(Cow::from);
        assert_eq!(all, [0, 1, 4].into_iter().zip(texts).collect::<Vec<_>>());

        let long = [vec![b'x'; LONGEST_NAME_BYTES + 1], vec![0]].concat();
        let long = StringTable::new(&long);
        assert_eq!(long.name(StringRef(0)), None);
        assert_eq!(long.name(StringRef(1)).map(<[u8]>::len), Some(255));
        assert_eq!(long.name(StringRef(256)), Some(&b""[..]));

        let empty = StringTable::default();
        assert_eq!(empty.name(StringRef(0)), Some(&b""[..]));
        assert!(empty.has(0) && !empty.has(1));
        assert_eq!(empty.raw(StringRef(0)).unwrap_or_default(), b"");

        let mut bytes = Vec::new();
        bytes.extend([2_u32, 9, 40].map(u32::to_le_bytes).concat());
        let mut cursor = Cursor::new(&bytes, PACKED);
        cursor.enter("cube", 7);
        let mut string = || {
            let offset = cursor.u32().unwrap();
            assert!(!table.has(offset) || offset == 2);
            let error = cursor.string_error(offset, &table);
            error.problem().unwrap().facts()
        };
        string();
        let unended = string();
        assert!(unended.contains("pmf/string (Cube 2 1 2 3 7)"), "{unended}");
        let outside = string();
        assert!(
            outside.contains("pmf/string (Cube 2 1 2 3 7): 0x28 0x8 1 11 2 3 7"),
            "{outside}"
        );
    }

    #[test]
    fn chunk_indices_hold_y_x_and_z() {
        let index = ChunkIndex::new([2, 0xABC, 0x123]);
        assert_eq!(index.0, 0x02AB_C123);
        assert_eq!(index.yxz(), [2, 0xABC, 0x123]);
        assert_eq!(
            ChunkIndex::new([0x1FF, 0x1FFF, 0x1000]).yxz(),
            [255, 4095, 0]
        );
    }
}
