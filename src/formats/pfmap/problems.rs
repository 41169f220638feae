//! What can be wrong with a map.

use crate::formats::{Severity, problems};

/// What can be wrong with a map that can be shown all the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Header,
    Material,
    Splat,
    Tile,
    Missing,
    MaterialIndex,
    SplatIndex,
    Blend,
    Cover,
    LongLine,
    RowStart,
    ChunkStart,
    FileEnd,
}

/// How bad each kind is, and what there are more of when not all are listed.
const KINDS: [(Severity, &str); 13] = [
    (Severity::Warning, "oddities in the head of the file"),
    (Severity::Error, "material lines that cannot be read"),
    (Severity::Error, "splat lines that cannot be read"),
    (Severity::Error, "tiles that cannot be read"),
    (Severity::Error, "gaps"),
    (
        Severity::Error,
        "tiles that name a material outside the list",
    ),
    (
        Severity::Warning,
        "splats that name a material outside the list",
    ),
    (Severity::Warning, "tiles with an unknown blend mode"),
    (Severity::Warning, "tiles with an unknown cover"),
    (Severity::Warning, "lines of more than 255 bytes"),
    (Severity::Warning, "rows that do not begin a line"),
    (Severity::Warning, "chunks that do not begin a line"),
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
    const LONG_LINE: Self = Self::LongLine;
}
