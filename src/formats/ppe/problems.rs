//! What can be wrong with map data.

use crate::formats::{Severity, problems};

/// The problems of a map as they are found.
pub(super) type Problems = problems::Problems<Kind>;

/// What can be wrong with a map that can be shown all the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Bits without meaning, or rules that are a guess.
    Oddity,
    /// Bytes after the end.
    Leftover,
    /// No or several compressions, or one that nobody defines.
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
