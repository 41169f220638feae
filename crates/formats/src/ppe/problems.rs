//! What can be wrong with map data, and with the text of XMF.

use crate::{Severity, problems};

/// The problems of map data as they are found.
pub(super) type Problems = problems::Problems<Kind>;

/// What can be wrong with map data that can be shown all the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Bits without meaning, or rules that are a guess.
    Oddity,
    /// Bytes after the end.
    Leftover,
    /// Several compressions, or one that nobody defines.
    Compression,
    /// A section that is not all there.
    Section,
}

const KINDS: [(Severity, &str); 4] = [
    (Severity::Warning, "oddities"),
    (Severity::Warning, "parts with bytes left over"),
    (Severity::Error, "faults of the compression"),
    (Severity::Error, "sections that are not complete"),
];

impl problems::Kind for Kind {
    const KINDS: &'static [(Severity, &'static str)] = &KINDS;

    fn index(self) -> usize {
        self as usize
    }
}

/// The problems of XMF as they are found.
pub(super) type TextProblems = problems::Problems<TextKind>;

/// What can be wrong with XMF that can be shown all the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextKind {
    /// The compression of the text.
    Packing,
    /// Text that cannot be read.
    Syntax,
    /// More than is read.
    Limit,
    /// Text that is not UTF-8.
    Encoding,
    /// A value that a tag needs is missing or of the wrong kind.
    Value,
    /// A tag that is wrong where it is, or there twice.
    Tag,
    /// Embedded data that is not what it should be.
    Embedded,
    /// Rules that are a guess.
    Oddity,
}

const TEXT_KINDS: [(Severity, &str); 8] = [
    (Severity::Error, "faults of the compression"),
    (Severity::Error, "places that cannot be read"),
    (Severity::Error, "limits that are passed"),
    (Severity::Warning, "places that are not UTF-8"),
    (
        Severity::Error,
        "tags with values that are missing or wrong",
    ),
    (Severity::Warning, "tags that mean nothing where they are"),
    (Severity::Error, "embedded data that does not fit its layer"),
    (Severity::Warning, "oddities"),
];

impl problems::Kind for TextKind {
    const KINDS: &'static [(Severity, &'static str)] = &TEXT_KINDS;

    fn index(self) -> usize {
        self as usize
    }
}
