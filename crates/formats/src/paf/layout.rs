//! The three layouts of PAF, which share magic and version (fact sheet F). They differ only in the
//! numbers at the beginning of directories, files and strings.

/// A number at the beginning of a record or part. All are u32 except the compression, a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    /// Number of units in the whole record: bytes, or the entries of a directory.
    Total,
    /// Number of units for which this part has room.
    Room,
    /// Number of units in this part.
    Used,
    /// Offset of the next part; 0 in the last one.
    Next,
    /// 1 if the file is an LZ4 frame, 0 otherwise.
    Compression,
    /// Size of the file after decompression.
    Unpacked,
    /// A number that only writers need.
    Unread,
}

/// The numbers before the data of a record and of its further parts.
#[derive(Debug)]
pub(super) struct Record {
    pub head: &'static [Number],
    pub part: &'static [Number],
}

/// A layout.
#[derive(Debug)]
pub(super) struct Layout {
    /// Its number, from 1.
    pub number: u8,
    pub directory: Record,
    pub file: Record,
    pub string: Record,
}

use Number::{Compression, Next, Room, Total, Unpacked, Unread, Used};

/// The directories of P2 and P3.
const DIRECTORY: Record = Record {
    head: &[Total, Room, Next],
    part: &[Room, Next],
};
/// The strings of P2 and P3.
const STRING: Record = DIRECTORY;
/// The further parts of files in P2 and P3. The last number is the offset of the previous part.
const FILE_PART: &[Number] = &[Room, Next, Unread];

/// The layout that `paftool create` writes.
pub(super) static P1: Layout = Layout {
    number: 1,
    directory: Record {
        head: &[Unread, Room, Used, Next],
        part: &[Room, Used, Next],
    },
    file: Record {
        head: &[Total, Room, Used, Next],
        part: &[Room, Used, Next, Unread],
    },
    string: Record {
        head: &[Room, Total],
        part: &[],
    },
};

/// The layout of the document of 2025 and of archives in maps.
pub(super) static P2: Layout = Layout {
    number: 2,
    directory: DIRECTORY,
    file: Record {
        head: &[Compression, Total, Unpacked, Room, Next],
        part: FILE_PART,
    },
    string: STRING,
};

/// The layout of the current document.
pub(super) static P3: Layout = Layout {
    number: 3,
    directory: DIRECTORY,
    file: Record {
        head: &[Total, Room, Next],
        part: FILE_PART,
    },
    string: STRING,
};
