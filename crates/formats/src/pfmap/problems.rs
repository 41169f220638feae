//! What can be wrong with a map.

use crate::{Severity, problems};

/// What can be wrong with a map that can be shown all the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Header,
    Refused,
    Material,
    Splat,
    Tile,
    Character,
    Missing,
    MaterialIndex,
    SplatIndex,
    LongLine,
    RowStart,
    ChunkStart,
    LastLine,
    FileEnd,
}

/// How bad each kind is, and what there are more of when not all are listed. Whatever the engine
/// refuses is an error (fact sheet A1).
const KINDS: [(Severity, &str); 14] = [
    (Severity::Warning, "oddities in the head of the file"),
    (
        Severity::Error,
        "places in the head of the file that the engine refuses",
    ),
    (Severity::Error, "material lines that cannot be read"),
    (Severity::Error, "splat lines that cannot be read"),
    (Severity::Error, "tiles that cannot be read"),
    (
        Severity::Warning,
        "fields of tiles with characters that have no meaning there",
    ),
    (Severity::Error, "gaps"),
    (
        Severity::Error,
        "tiles that name a material outside the list",
    ),
    (
        Severity::Warning,
        "splats that name a material outside the list",
    ),
    (Severity::Error, "lines of more than 255 bytes"),
    (Severity::Warning, "rows that do not begin a line"),
    (Severity::Error, "chunks that do not begin a line"),
    (Severity::Error, "last lines that do not end"),
    (Severity::Warning, "oddities at the end of the file"),
];

impl problems::Kind for Kind {
    const KINDS: &'static [(Severity, &'static str)] = &KINDS;

    fn index(self) -> usize {
        self as usize
    }
}

impl problems::TextKind for Kind {
    const HEADER: Self = Self::Header;
    const REFUSED: Self = Self::Refused;
    const LONG_LINE: Self = Self::LongLine;
}
